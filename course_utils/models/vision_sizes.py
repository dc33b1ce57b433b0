"""The sizes of Vision Transformers that papers print."""

VIT = {
    # Touvron et al., "DeiT" (2021), table 1; named so by Steiner et al., "How to train your
    # ViT?" (2021).
    "Ti/16": {"patch": 16, "dim": 192, "heads": 3, "hidden": 768, "blocks": 12},
    "S/16": {"patch": 16, "dim": 384, "heads": 6, "hidden": 1536, "blocks": 12},
    # Dosovitskiy et al., "An image is worth 16x16 words" (2021), table 1.
    "B/32": {"patch": 32, "dim": 768, "heads": 12, "hidden": 3072, "blocks": 12},
    "B/16": {"patch": 16, "dim": 768, "heads": 12, "hidden": 3072, "blocks": 12},
    "L/32": {"patch": 32, "dim": 1024, "heads": 16, "hidden": 4096, "blocks": 24},
    "L/16": {"patch": 16, "dim": 1024, "heads": 16, "hidden": 4096, "blocks": 24},
    "H/14": {"patch": 14, "dim": 1280, "heads": 16, "hidden": 5120, "blocks": 32},
}

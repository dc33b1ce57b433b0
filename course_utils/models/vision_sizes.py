"""The sizes of Vision Transformers that papers print."""

VIT = {
    # Touvron et al., "DeiT" (2021), table 1; named so by Steiner et al., "How to train your
    # ViT?" (2021).
    "Ti/16": {"patch": 16, "embed_dim": 192, "num_heads": 3, "mlp_dim": 768, "num_layers": 12},
    "S/16": {"patch": 16, "embed_dim": 384, "num_heads": 6, "mlp_dim": 1536, "num_layers": 12},
    # Dosovitskiy et al., "An image is worth 16x16 words" (2021), table 1.
    "B/32": {"patch": 32, "embed_dim": 768, "num_heads": 12, "mlp_dim": 3072, "num_layers": 12},
    "B/16": {"patch": 16, "embed_dim": 768, "num_heads": 12, "mlp_dim": 3072, "num_layers": 12},
    "L/32": {
        "patch": 32,
        "embed_dim": 1024,
        "num_heads": 16,
        "mlp_dim": 4096,
        "num_layers": 24,
    },
    "L/16": {
        "patch": 16,
        "embed_dim": 1024,
        "num_heads": 16,
        "mlp_dim": 4096,
        "num_layers": 24,
    },
    "H/14": {
        "patch": 14,
        "embed_dim": 1280,
        "num_heads": 16,
        "mlp_dim": 5120,
        "num_layers": 32,
    },
}

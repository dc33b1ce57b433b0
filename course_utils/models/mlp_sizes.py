"""The sizes that the papers print for MLP-Mixer and gMLP, and the models built to them."""

from course_utils.data.arguments import one_of

MLP_SIZES = {
    # Tolstikhin et al., "MLP-Mixer" (2021), table 1.
    "mixer": {
        name: {
            "patch": patch,
            "embed_dim": embed_dim,
            "token_mlp_dim": token_mlp_dim,
            "channel_mlp_dim": channel_mlp_dim,
            "num_layers": num_layers,
        }
        for name, patch, embed_dim, token_mlp_dim, channel_mlp_dim, num_layers in (
            ("S/32", 32, 512, 256, 2048, 8),
            ("S/16", 16, 512, 256, 2048, 8),
            ("B/32", 32, 768, 384, 3072, 12),
            ("B/16", 16, 768, 384, 3072, 12),
            ("L/32", 32, 1024, 512, 4096, 24),
            ("L/16", 16, 1024, 512, 4096, 24),
            ("H/14", 14, 1280, 640, 5120, 32),
        )
    },
    # Liu et al., "Pay attention to MLPs" (2021), table 1; patches of 16 × 16. S and B also
    # leave out blocks at random in training (they survive with 0.95 and 0.80): not built here.
    "gmlp": {
        "Ti": {"patch": 16, "embed_dim": 128, "mlp_dim": 768, "num_layers": 30},
        "S": {"patch": 16, "embed_dim": 256, "mlp_dim": 1536, "num_layers": 30},
        "B": {"patch": 16, "embed_dim": 512, "mlp_dim": 3072, "num_layers": 30},
    },
    # The same, section 4.2, table 4: masked language models by depth, with the split gate.
    "gmlp_text": {
        f"{num_layers} blocks": {
            "max_length": 128,
            "embed_dim": 512,
            "mlp_dim": 3072,
            "num_layers": num_layers,
        }
        for num_layers in (18, 36, 72, 144)
    },
}


def mixer(size, image=224, channels=3, classes=1000, **more):
    """MLP-Mixer as published: "S/32", "S/16", "B/32", "B/16", "L/32", "L/16" or "H/14".

    more: other keywords of `mixer_model`.
    Raises ValueError for another size, naming those that are published.
    """
    from course_utils.models.mixer_gmlp import mixer_model

    one_of("size", size, tuple(MLP_SIZES["mixer"]))
    return mixer_model(image, channels, classes=classes, **MLP_SIZES["mixer"][size], **more)


def gmlp(size, image=224, channels=3, classes=1000, **more):
    """gMLP for images as published: "Ti", "S" or "B".

    more: other keywords of `gmlp_model`.
    Raises ValueError for another size, naming those that are published.
    """
    from course_utils.models.mixer_gmlp import gmlp_model

    one_of("size", size, tuple(MLP_SIZES["gmlp"]))
    return gmlp_model(image, channels, classes=classes, **MLP_SIZES["gmlp"][size], **more)

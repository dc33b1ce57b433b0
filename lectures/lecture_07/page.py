"""What the results page of lecture 7 plots, and what its recorded models are called."""

TITLE = "Vision Transformer"
REAL_DATA = ["lectures.lecture_07.image_sets.load_images('mnist')"]
NETWORKS = {
    "convnet": "convolutional network",
    "vit": "ViT with a class token",
    "vit_mean": "ViT that reads the mean",
}
COUNTS = (100, 1_200)
MODELS = (
    {
        "maps": "ViT on 1,200 digits: its maps, and other resolutions",
        "source_figures": "ViT pre-trained on drawn figures",
        "source_mnist": "ViT pre-trained on MNIST at 8×8 pixels",
        "vit": "ViT, 2,000 training images",
        "vit_after_figures_100": "ViT pre-trained on drawn figures, 100 training images",
        "vit_after_mnist_100": "ViT pre-trained on MNIST at 8×8 pixels, 100 training images",
        "vit_augmented": "ViT, 2,000 training images, augmented",
        "vit_no_positions_1200": "ViT without positions, 1,200 training images",
    }
    | {
        f"vit_patch{patch}_1200": f"ViT with patches of {patch}×{patch}, 1,200 training images"
        for patch in (1, 4, 8)
    }
    | {
        f"{name}_{n}": f"{said}, {n:,} training images"
        for name, said in NETWORKS.items()
        for n in COUNTS
    }
)
POSITIONS = {"with positions": "vit_1200", "without": "vit_no_positions_1200"}
PLOTS = {
    "digits": {
        "title": "scikit-learn's digits by number of training images",
        "runs": "{arm}_{by} digits test_accuracy",
        "arms": {"ViT, class token": "vit", "ViT, mean": "vit_mean", "convolution": "convnet"},
        "by": {f"{n:,} images": n for n in COUNTS},
        "caption": "Each network at its own learning rate, chosen on validation from six.",
    },
    "positions": {
        "title": "Positions, 1,200 digits",
        "runs": "{arm} digits test_accuracy",
        "arms": POSITIONS,
    },
    "patches": {
        "title": "The side of a patch, 1,200 digits",
        "runs": "vit{arm}_1200 digits test_accuracy",
        "arms": {"1": "_patch1", "2": "", "4": "_patch4", "8": "_patch8"},
        "caption": "Patches of 1 at the learning rate of 2; the others chosen from six.",
    },
    "transfer": {
        "title": "Pre-training, 100 digits",
        "runs": "{arm} digits test_accuracy",
        "arms": {
            "from scratch": "vit_100",
            "after drawn figures": "vit_after_figures_100",
            "after MNIST": "vit_after_mnist_100",
        },
    },
    "cifar10": {
        "title": "2,000 images of CIFAR-10 (recompressed)",
        "runs": "{arm} cifar10_recompressed test_accuracy",
        "arms": {
            "ViT, augmented": "vit_augmented",
            "ViT": "vit",
        },
        "caption": "Each at its own learning rate, chosen on validation from three.",
    },
}
FINDINGS = {
    8: {
        "title": "Positions",
        "sentence": "Without positions a ViT is a bag of patches",
        "label": "test accuracy, 1,200 digits",
        "runs": "{arm} digits test_accuracy",
        "above": {"with positions": "vit_1200"},
        "below": {"without": "vit_no_positions_1200"},
    }
}

"""What the results page of lab 7b plots, and what its recorded models are called."""

TITLE = "Lab: image to text"
REAL_DATA = ["lectures.lecture_07.image_sets.load_images('mnist')"]
RATES = ("0.001", "0.002", "0.004")
MODELS = {
    "captioner": "ViT encoder, Transformer decoder, captions",
    "vit": "ViT encoder, Transformer decoder",
    "vit_short": "ViT encoder, Transformer decoder, 500 batches",
    "vit_no_positions": "ViT encoder without positions, Transformer decoder",
} | {
    f"conv_gru_{rate}": "convolutional encoder, GRU decoder, one fixed vector, learning rate "
    + rate
    for rate in RATES
}
PLOTS = {
    "attention": {
        "title": "Four digits of MNIST, ViT",
        "label": "share",
        "runs": "vit mnist_2x2 {arm}",
        "arms": {"attention on the own cell": "mass", "digits right": "digit_accuracy"},
        "ordered": True,
    },
    "blanking": {
        "title": "Four small digits, ViT, 500 batches",
        "label": "share",
        "runs": "vit_short digits_2x2 {arm}",
        "arms": {
            "attention on the own cell": "mass",
            "attention of the best head": "mass_best_head",
            "step changes, own cell blank": "blank_own",
            "step changes, another cell blank": "blank_other",
        },
        "ordered": True,
    },
    "readers": {
        "title": "Nine digits, convolution and one vector, 1,500 batches",
        "label": "validation loss",
        "runs": "conv_gru_{arm} digits_3x3 val_loss",
        "arms": RATES,
        "ordered": True,
        "caption": "By learning rate: it asks whether the loss falls, and names no winner.",
    },
    "captions": {
        "title": "Captions without a mistake",
        "label": "exact match",
        "runs": "captioner shapes exact_{arm}_pairs",
        "arms": {"pairs seen in training": "known", "pairs not seen": "new"},
        "ordered": True,
    },
}

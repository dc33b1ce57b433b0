"""What the results page of lab 8c plots, and what its recorded models are called."""

TITLE = "Lab: a table that hides its recipe"
REAL_DATA = ["lectures.lecture_07.image_sets.load_images('cifar10')"]
BUG = "augmentation bug (shift and mirror share a seed)"
VARIED = "MLP-Mixer, 4.5 million parameters, {} epochs, stronger augmentation"
ZERO = "branches zero-initialised"
MODELS = {
    "mixer_deep": "MLP-Mixer, 8 blocks, 64 wide, 10,000 images",
    "mixer_deep_deaf": f"MLP-Mixer, 8 blocks, 64 wide, 10,000 images, {ZERO}",
    "mixer_long_deaf": f"MLP-Mixer, 4.5 million parameters, 60 epochs, {ZERO}",
    "mixer_varied": VARIED.format(60),
    "mixer_varied_deaf": f"{VARIED.format(60)}, {ZERO}",
    "mixer_varied_deaf_150": f"{VARIED.format(150)}, {ZERO}",
}
DIGITS = "MLP-Mixer, 100 digits"
MODELS |= {
    "digits_recipe": f"{DIGITS}, shifted by a pixel",
    "digits_not_shifted": f"{DIGITS}, not shifted",
    "digits_smoothed": f"{DIGITS}, shifted by a pixel, label smoothing 0.1",
    "digits_cutmix": f"{DIGITS}, shifted by a pixel, CutMix",
}
for model, network in {"mixer": "MLP-Mixer", "gmlp": "gMLP"}.items():
    for plan, epochs in {"short": 20, "long": 60}.items():
        said = f"{network}, 4.4 to 4.5 million parameters, {epochs} epochs"
        MODELS |= {f"{model}_{plan}": said, f"{model}_{plan}_one_seed": f"{said}, {BUG}"}
    for rate in ("0.002", "0.004"):
        bug = f"{model}_short_one_seed"
        MODELS[f"{bug}_rate_{rate}"] = f"{MODELS[bug]}, learning rate {rate}"
PLOTS = {
    "cifar10": {
        "title": "45,000 images of CIFAR-10 (recompressed), from scratch",
        "runs": "{arm} cifar10_recompressed test_accuracy",
        "arms": {
            "gMLP, 60 epochs": "gmlp_long",
            "Mixer, 60 epochs": "mixer_long",
            "Mixer, zero-initialised": "mixer_long_deaf",
            "Mixer, more augmentation": "mixer_varied",
            "Mixer, both": "mixer_varied_deaf",
            "Mixer, both, 150 epochs": "mixer_varied_deaf_150",
        },
        "caption": "Later plans were made with the test accuracies of earlier ones in view.",
    },
    "bug": {
        "title": "Shift and mirror with one seed",
        "label": "validation accuracy",
        "runs": "{arm} cifar10_recompressed val_accuracy",
        "arms": {
            "Mixer": "mixer_{by}",
            "Mixer, with the bug": "mixer_{by}_one_seed",
            "gMLP": "gmlp_{by}",
            "gMLP, with the bug": "gmlp_{by}_one_seed",
        },
        "by": {"20 epochs": "short", "60 epochs": "long"},
        "caption": "With the bug, CutMix drew other squares as well: the bug is not isolated.",
    },
}
FINDINGS = {
    9: {
        "title": "CIFAR-10 from scratch",
        "sentence": "Trained on CIFAR-10 alone, gMLP passes the slides' 80.2 %; Mixer reaches "
        "their 82.3 % by a new recipe: zero-initialised branches, more augmentation, 150 "
        "epochs (recompressed images; found with the test accuracies of earlier plans in view)",
        "runs": "{arm} cifar10_recompressed test_accuracy",
        "above": {"gMLP, 60 epochs": "gmlp_long", "Mixer, new recipe": "mixer_varied_deaf_150"},
        "below": {"Mixer, 60 epochs": "mixer_long"},
    }
}

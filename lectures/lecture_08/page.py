"""What the results page of lecture 8 plots, and what its recorded models are called."""

import json

from course_utils import results

TITLE = "MLP-Mixer and gMLP"
NETWORKS = {"gmlp": "gMLP, 59,322 parameters", "mixer": "MLP-Mixer, 54,810 parameters"}
COUNTS = (100, 1_200)
MODELS = {
    "gmlp": "gMLP, W and b learned",
    "gmlp_W": "gMLP, W learned, b held at 1",
    "gmlp_b": "gMLP, b learned, W held at 0",
    "gmlp_neither": "gMLP, W held at 0 and b at 1",
    "gmlp_W_1200": "gMLP, W learned, b held at 1, 1,200 digits",
    "gmlp_b_1200": "gMLP, b learned, W held at 0, 1,200 digits",
    "gmlp_neither_1200": "gMLP, W held at 0 and b at 1, 1,200 digits",
} | {f"{name}_{n}": f"{said}, {n:,} digits" for name, said in NETWORKS.items() for n in COUNTS}
PLOTS = {
    "digits": {
        "title": "Few labels: scikit-learn's digits",
        "runs": "{arm}_{by} digits test_accuracy",
        "arms": {
            "convolution": "07_vision_transformer/convnet",
            "gMLP": "gmlp",
            "MLP-Mixer": "mixer",
            "ViT": "07_vision_transformer/vit",
        },
        "by": {f"{n:,} digits": n for n in COUNTS},
        "caption": "Each network at its own learning rate, chosen on validation digits. Not "
        "plotted: the lecture's SVM on the pixels, as good as the convnet with 100 digits.",
    },
    "gate": {
        "title": "What gMLP's gate adds, 1,200 digits",
        "runs": "gmlp{arm}_1200 digits test_accuracy",
        "arms": {
            "W and b learned": "",
            "W alone learned": "_W",
            "b alone learned": "_b",
            "neither learned": "_neither",
        },
    },
    "mirror": {
        "title": "What gMLP's gate adds where halves have to be compared",
        "runs": "gmlp{arm} mirrored_digits test_accuracy",
        "arms": {
            "W and b learned": "",
            "W alone learned": "_W",
            "b alone learned": "_b",
            "neither learned": "_neither",
        },
    },
    "cost": {"title": "Time of a training step by length", "costs": "mixing-cost"},
}


def sizes():
    """Return MLP-Mixer's published sizes: printed millions, ours without the classifier."""
    published = json.loads((results.RESULTS / "published.json").read_text(encoding="utf-8"))
    rows = results.load_table("08_mixer_gmlp", "built-sizes")
    built = {row["model"]: row["built"] for row in rows}
    return {
        name.split()[1]: (size["millions"], (built[name] - size["classifier"]) / 1e6)
        for name, size in published["sizes"].items()
    }


EQUAL = [round(ours) == printed for printed, ours in sizes().values()]
FINDINGS = {
    1: {
        "title": "Published sizes",
        "sentence": f"{sum(EQUAL)} of {len(EQUAL)} published MLP-Mixer sizes, counted without "
        "the classifier, have the printed number of parameters",
        "counted": ", ".join(f"{k} {ours:.1f} ({said})" for k, (said, ours) in sizes().items())
        + " million, printed in brackets",
    }
}

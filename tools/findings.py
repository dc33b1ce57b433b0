"""The course's ten main findings: a sentence each, and the recorded figures that carry it."""

import json
from typing import NamedTuple

from course_utils import results
from tools.result_plots import Plot, in_groups, mean, values


class Finding(NamedTuple):
    """A sentence, what it compares ({arm: a value a run}), and the lecture that tells it.

    above: the arms whose lowest run has to lie above every run of the other arms.
    """

    title: str
    sentence: str
    metric: str
    arms: dict
    above: tuple
    lecture: str

    def holds(self):
        """Say whether the recorded runs carry the sentence."""
        high = [value for name in self.above for value in self.arms[name]]
        low = [
            value for name, arm in self.arms.items() if name not in self.above for value in arm
        ]
        return min(high) > max(low)

    def figures(self):
        """Return mean ± standard deviation of each arm, all its runs where they fall apart."""
        return "; ".join(f"{name} {figure(found)}" for name, found in self.arms.items())

    def plot(self):
        """Return the arms as a plot of dots."""
        return Plot("", self.title, "dots", self.metric, {"": self.arms})


def figure(found):
    """Return runs as text: mean ± standard deviation, or each where a mean would hide them."""
    digits = 3 if max(map(abs, found)) < 10 else 1
    if len(found) == 1:
        return f"{found[0]:.{digits}f}"
    if in_groups(found):
        return " / ".join(f"{value:.{digits}f}" for value in sorted(found))
    centre = mean(found)
    spread = (sum((value - centre) ** 2 for value in found) / (len(found) - 1)) ** 0.5
    return f"{centre:.{digits}f} ± {spread:.{digits}f}"


def sizes():
    """Return {published size: (printed millions, ours without the classifier)} of MLP-Mixer."""
    published = json.loads((results.RESULTS / "published.json").read_text(encoding="utf-8"))
    rows = results.load_table("08_mixer_gmlp", "built-sizes")
    built = {row["model"]: row["built"] for row in rows}
    return {
        name: (size["millions"], (built[name] - size["classifier"]) / 1e6)
        for name, size in published["sizes"].items()
    }


def equal_sizes():
    """Return the sentence on the published sizes, which has no runs to compare."""
    equal = [round(ours) == printed for printed, ours in sizes().values()]
    right = f"{sum(equal)} of {len(equal)} published MLP-Mixer sizes"
    return f"{right}, counted without the classifier, have the printed number"


def findings():
    """Return the findings that rest on runs, in the order of the lectures."""
    imdb = {
        "weighted word pairs": ("01_imdb_embeddings", "bigrams_200k_log_ratios"),
        "convolution + GRU": ("04_conv1d", "conv_gru"),
        "LSTM": ("03_lstm_gru", "lstm_32"),
        "Transformer encoder": ("06_transformer", "encoder"),
        "SimpleRNN": ("02_simple_rnn", "simple_rnn_32"),
    }
    recall = {
        "GRU": "GRU 0",
        "LSTM, forget bias 3": "LSTM 3",
        "SimpleRNN": "SimpleRNN",
    }
    edges = {
        "dilated": ("dilated", "framed_reviews"),
        "convolution + GRU": ("conv_gru", "framed_reviews"),
        "two blocks, dilation 2": ("dilated_convnet", "framed_reviews"),
        "two blocks": ("text_convnet", "framed_reviews"),
        "width 5": ("phrase_5", "framed_reviews"),
    }
    long = {
        "Transformer": ("06_transformer", "transformer"),
        "attention, dot score": ("05_attention", "dot"),
        "additive attention": ("05_attention", "bahdanau"),
        "one fixed vector": ("05_attention", "plain"),
    }
    cifar = {
        "gMLP, 60 epochs": "gmlp_long",
        "Mixer, new recipe": "mixer_varied_deaf_150",
        "Mixer, 60 epochs": "mixer_long",
    }
    negation = {"SimpleRNN": "simple_rnn_32", "bag of words": "counting"}
    masks = {"masked": "simple_rnn_32", "no mask": "simple_rnn_32_no_mask"}
    positions = {"with positions": "vit_1200", "without": "vit_no_positions_1200"}
    leak = {
        "future hidden": "future_hidden",
        "unigram baseline": "unigram_loss",
        "future shown": "future_shown",
    }
    return [
        Finding(
            "Word pairs on IMDB",
            "A linear model on weighted word pairs reads IMDB better than each network that "
            "lectures 2 to 6 train on it from scratch",
            "test accuracy",
            {name: values(*run, "imdb", "test_accuracy") for name, run in imdb.items()},
            ("weighted word pairs",),
            "01_imdb_embeddings",
        ),
        Finding(
            "Negation",
            "A bag of words reads negated reviews backwards; a recurrent network reads them",
            "accuracy",
            {
                name: values("02_simple_rnn", model, "reviews", "negation")
                for name, model in negation.items()
            },
            ("SimpleRNN",),
            "02_simple_rnn",
        ),
        Finding(
            "Padding",
            "Without a mask, padding behind the text erases what a SimpleRNN has read",
            "test accuracy",
            {
                name: values("02_simple_rnn", model, "imdb", "test_accuracy")
                for name, model in masks.items()
            },
            ("masked",),
            "02_simple_rnn",
        ),
        Finding(
            "Recall over 100 steps",
            "Gated cells recall a marked symbol anywhere in 100 steps; a SimpleRNN does not",
            "accuracy",
            {
                name: values(
                    "03c_lab_memory", "grid", "marked_symbols", f"random 100, {cell}, 0.01"
                )
                for name, cell in recall.items()
            },
            ("GRU", "LSTM, forget bias 3"),
            "03c_lab_memory",
        ),
        Finding(
            "Reviews that turn",
            "Narrow convolutions seem to read order but read it off the edges: with "
            "neutral text at both edges they fall to chance; those that see all of it do not",
            "accuracy",
            {name: values("04_conv1d", *run, "turn") for name, run in edges.items()},
            ("dilated", "convolution + GRU", "two blocks, dilation 2"),
            "04_conv1d",
        ),
        Finding(
            "Long sentences",
            "One fixed vector does not translate long sentences; attention does",
            "exact match, 14 words or more",
            {name: values(*run, "english_french", "exact_long") for name, run in long.items()},
            ("Transformer", "attention, dot score", "additive attention"),
            "05_attention",
        ),
        Finding(
            "Positions",
            "Without positions a ViT is a bag of patches",
            "test accuracy, 1,200 digits",
            {
                name: values("07_vision_transformer", model, "digits", "test_accuracy")
                for name, model in positions.items()
            },
            ("with positions",),
            "07_vision_transformer",
        ),
        Finding(
            "CIFAR-10 from scratch",
            "Trained on CIFAR-10 alone, gMLP passes the slides' 80.2 %; Mixer reaches their "
            "82.3 % by a new recipe: zero-initialised branches, more augmentation, 150 epochs "
            "(recompressed images; found with the test accuracies of earlier plans in view)",
            "test accuracy",
            {
                name: values("08c_lab_recipe", model, "cifar10_recompressed", "test_accuracy")
                for name, model in cifar.items()
            },
            ("gMLP, 60 epochs", "Mixer, new recipe"),
            "08c_lab_recipe",
        ),
        Finding(
            "A leak",
            "A gMLP whose W is not triangular reads the character that it should predict: near "
            "zero loss with the future in view, worse than the unigram baseline without",
            "loss, nats",
            {
                name: values("08b_lab_gmlp_text", "next_free", "characters", metric)
                for name, metric in leak.items()
            },
            ("future hidden",),
            "08b_lab_gmlp_text",
        ),
    ]

"""What the pages in `results/` plot: a list of plots a lecture, from recorded runs alone."""

import json
import re
import statistics
from typing import NamedTuple

from course_utils import plotting, results
from tools import records

PHENOMENA = ("plain", "negation", "turn", "far")
LENGTHS = ("4–8", "9–13", "14–18", "19–25")
OURS = ("TensorFlow", "TensorFlow + XLA", "JAX")  # sides of `benchmarks.peers`
NETWORKS = {"convolution": "convnet", "gMLP": "gmlp", "MLP-Mixer": "mixer", "ViT": "vit"}


class Plot(NamedTuple):
    """One picture of a page; `data` is {series: {category: [a value a run]}}.

    kind: "dots" (a row a category), "profile" (categories side by side, a colour a series) or
        "lines" (categories are numbers, an axis or both logarithmic; a line a run).
    """

    name: str
    title: str
    kind: str
    label: str
    data: dict
    xlabel: str = ""
    caption: str = ""
    log: str = ""


def values(lecture, model, dataset, metric):
    """Return a recorded metric, a value a run in the order of the seeds."""
    runs = records.runs_of(lecture, model, dataset)
    found = [run["metrics"].get(metric) for run in runs]
    return [value for value in found if value is not None]


def in_groups(numbers):
    """Say whether runs fall into groups that a mean would hide: a gap of a tenth or more."""
    ordered = sorted(numbers)
    gaps = [b - a for a, b in zip(ordered, ordered[1:], strict=False)]
    return max(gaps, default=0) > max(0.05, 0.1 * max(map(abs, ordered)))


def mean(numbers):
    """Return the arithmetic mean."""
    return sum(numbers) / len(numbers)


def dots(lecture, name, title, rows, label="test accuracy", metric="test_accuracy", **more):
    """Return a plot with a row for each (label, model, data set), best mean first."""
    found = {text: values(lecture, model, data, metric) for text, model, data in rows}
    falls = metric.endswith(("loss", "mae"))
    ordered = sorted(found, key=lambda text: mean(found[text]) * (1 if falls else -1))
    return Plot(
        name, title, "dots", label, {"": {text: found[text] for text in ordered}}, **more
    )


def profile(lecture, name, title, series, categories, label="test accuracy", **more):
    """Return a plot of metrics (or data sets) side by side.

    Args:
        series: {label: (model, data set)}, or (lecture, model, data set) for another lecture's.
        categories: {label: metric}; "{}" in a model or data set is filled with the metric
            instead, and the test accuracy read.
    """
    data = {}
    for text, run in series.items():
        where, model, dataset = run if len(run) == 3 else (lecture, *run)
        data[text] = {
            category: values(where, model.format(part), dataset.format(part), "test_accuracy")
            if "{}" in model + dataset
            else values(where, model, dataset, part)
            for category, part in categories.items()
        }
    return Plot(name, title, "profile", label, data, **more)


def lines(lecture, name, title, tables, label, log, **more):
    """Return a plot of recorded tables whose rows are series and whose columns are numbers."""
    data = {}
    for table in tables:
        for row in results.load_table(lecture, table):
            (_, series), *points = row.items()
            for column, value in points:
                number = float(column.split()[0])
                if float(value) > 0 or "y" not in log:
                    data.setdefault(str(series), {}).setdefault(number, []).append(float(value))
    return Plot(name, title, "lines", label, data, log=log, **more)


def costs(lecture, name, title, table):
    """Return a plot of a recorded table with the columns layer, length and milliseconds."""
    data = {}
    for row in results.load_table(lecture, table):
        data.setdefault(row["layer"], {})[row["length"]] = [row["milliseconds"]]
    label, caption = "milliseconds a step", "TensorFlow on the CPU; the JAX table is below."
    return Plot(name, title, "lines", label, data, "length in steps", caption, log="xy")


def speed():
    """Return the plots of how fast the course's models are, and how their cost grows."""
    drawn, grows = [], {}
    for (kind, hardware, call), models in peers().items():
        ratios = {}
        for model, sides in models.items():
            ours = min((sides[side] for side in OURS), key=mean)
            for side, theirs in sides.items():
                if side not in OURS:
                    ratio = [other / own for own, other in zip(ours, theirs, strict=True)]
                    ratios[f"{model} / {side}"] = ratio
        done = {"train": "a training step", "infer": "inference"}[call]
        title = f"How many times faster {done} is than the peer's: {hardware}"
        said = (
            "Above 1 the course's model is faster, on the best of TensorFlow, XLA and JAX. "
            "keras.io's translator alone is another model, with wider heads: "
            "what they learn is below."
        )
        ratio = "peer's time / ours"
        drawn.append(Plot(f"{kind}-{call}", title, "dots", ratio, {"": ratios}, caption=said))
    for row in results.load_table("speed", "growth"):
        for unit in ("milliseconds", "megabytes"):
            of = grows.setdefault((row["grows"], unit), {}).setdefault(row["architecture"], {})
            of[row["size"]] = [row[unit]]
    for (what, unit), data in grows.items():
        title = f"{'Time' if unit == 'milliseconds' else 'Memory'} of a step against {what}"
        name = f"{unit}-{what}"
        drawn.append(Plot(name, title, "lines", unit, data, what, log="xy"))
    return drawn


def peers():
    """Return {(table, hardware, call): {model: {side: milliseconds of rounds}}}."""
    found = {}
    for path in sorted((results.RESULTS / "speed").glob("measured-peers-*.json")):
        table = json.loads(path.read_text(encoding="utf-8"))
        for row in table["rows"]:
            if row["side"] != "product":  # the processor's peak
                of = found.setdefault((table["name"], table["hardware"], row["call"]), {})
                of.setdefault(row["model"], {})[row["side"]] = row["rounds"]
    return found


def phenomena():
    """Return README's first plot: accuracy by phenomenon on the course's own reviews."""
    series = {
        "bag of words": ("02_simple_rnn", "counting", "reviews"),
        "SimpleRNN": ("02_simple_rnn", "simple_rnn_32", "reviews"),
        "LSTM": ("03_lstm_gru", "lstm_32", "reviews"),
        "Transformer encoder": ("06_transformer", "encoder", "reviews"),
    }
    title = "Accuracy by what decides the verdict"
    categories = {kind: kind for kind in PHENOMENA}
    return profile("", "phenomena", title, series, categories, "accuracy")


def translation():
    """Return README's second plot: translations without a mistake, by source length."""
    series = {
        "one fixed vector": ("05_attention", "plain", "english_french"),
        "GRU with attention": ("05_attention", "dot", "english_french"),
    }
    title = "Translations without a mistake, by length of the source"
    categories = {f"{words} words": f"exact {words}" for words in LENGTHS}
    return profile("", "translation", title, series, categories, "share of sentences")


def plots(lecture):
    """Return the plots of a lecture's page."""
    return PAGES[lecture](lecture)


def _lecture_01(lecture):
    read = {
        "n-grams, log ratios": "bigrams_200k_log_ratios",
        "n-grams, tf-idf": "tf_idf_bigrams_200k",
        "n-grams, 200,000": "bigrams_200k",
        "words, tf-idf": "tf_idf_10k",
        "words, 10,000": "multi_hot_10k",
        "Embedding, last 20 words": "flatten_last_20",
        "Embedding, first 20 words": "flatten_first_20",
    }
    starts = {
        "learned with the task": ("learned_{}", "imdb"),
        "skip-gram, frozen": ("frozen_{}", "imdb"),
        "skip-gram, fine-tuned": ("fine_tuned_{}", "imdb"),
    }
    return [
        dots(lecture, "imdb", "Reading IMDB", [(t, m, "imdb") for t, m in read.items()]),
        profile(
            lecture,
            "labels",
            "Embeddings brought along, by number of labels",
            starts,
            {f"{n:,} labels": n for n in (200, 2_000, 20_000)},
        ),
    ]


def _lecture_02(lecture):
    imdb = {
        "a mask": "simple_rnn_32",
        "no mask, padding in front": "simple_rnn_32_pads_first",
        "no mask, padding behind": "simple_rnn_32_no_mask",
    }
    reads = {
        "words": ("counting", "reviews"),
        "words and bigrams": ("counting_bigrams", "reviews"),
        "SimpleRNN": ("simple_rnn_32", "reviews"),
    }
    kinds = {kind: kind for kind in PHENOMENA}
    return [
        profile(lecture, "phenomena", "Own reviews, by what decides", reads, kinds, "accuracy"),
        dots(
            lecture,
            "imdb",
            "IMDB: the mask",
            [(text, model, "imdb") for text, model in imdb.items()],
            caption="SimpleRNN(32); each is tested with the padding that it was trained with.",
        ),
    ]


def _lecture_03(lecture):
    imdb = {
        "LSTM(32)": "lstm_32",
        "GRU(32)": "gru_32",
        "bidirectional LSTM": "bidirectional_32",
        "SimpleRNN(32)": "simple_rnn_32",
    }
    cells = ("SimpleRNN", "LSTM, bias 1", "LSTM, bias 3", "GRU, bias 0", "GRU, bias 3")
    far = {
        cell: {
            f"{rate}, {kind}": values(
                lecture, "grid", "reviews", f"{cell}, {rate}, {kind}: validation"
            )
            for rate in (0.001, 0.003, 0.01)
            for kind in ("by length", "mixed")
        }
        for cell in cells
    }
    return [
        Plot(
            "far",
            "Verdicts that lie far back, by learning rate and kind of batches",
            "profile",
            "validation accuracy",
            far,
            caption="Own reviews; batches of similar or of mixed length; bias: at the start, "
            "of the gate that keeps.",
        ),
        dots(lecture, "imdb", "Reading IMDB", [(t, m, "imdb") for t, m in imdb.items()]),
    ]


def _lecture_03c(lecture):
    cells = {"SimpleRNN": "SimpleRNN"}
    cells |= {
        f"{kind}, bias {b}": f"{kind} {b}" for kind in ("LSTM", "GRU") for b in (0, 1, 3, 5)
    }
    return [
        Plot(
            task.replace(" ", "-"),
            title,
            "profile",
            "accuracy",
            {
                text: {
                    f"learning rate {rate}": values(
                        lecture, "grid", "marked_symbols", f"{task}, {cell}, {rate}"
                    )
                    for rate in (0.001, 0.003, 0.01)
                }
                for text, cell in cells.items()
            },
            caption="Chance is 0.25; bias: at the start, of the gate that keeps.",
        )
        for task, title in {
            "random 100": "Recall of a mark at a random place in 100 steps",
            "first 20": "Recall of the first symbol, 20 steps back",
            "first 40": "Recall of the first symbol, 40 steps back",
            "first 80": "Recall of the first symbol, 80 steps back",
        }.items()
    ]


def _lecture_03b(lecture):
    forecasts = {
        "ridge regression and calendar": "ridge_calendar",
        "ridge regression": "ridge",
        "ridge regression on levels": "ridge_levels",
        "linear layer": "linear",
        "convolution": "conv1d",
        "GRU": "gru",
        "LSTM": "lstm",
        "the last value": "last_value",
        "the same hour yesterday": "same_hour_yesterday",
    }
    return [
        dots(
            lecture,
            dataset,
            title,
            [(text, model, dataset) for text, model in forecasts.items()],
            "test mean absolute error, °C",
            "test_mae",
            caption="The spread is that over seeds alone; the test months are one sample.",
        )
        for dataset, title in (
            ("temperature", "Forecasting 24 hours of the course's own weather"),
            ("etth1", "Forecasting 24 hours of ETTh1"),
        )
    ]


def _lecture_04(lecture):
    nets = {
        "width 1": "phrase_1",
        "width 5": "phrase_5",
        "two blocks": "text_convnet",
        "two blocks, dilation 2": "dilated_convnet",
        "dilated": "dilated",
        "convolution + GRU": "conv_gru",
    }
    turn = {
        text: {
            "as they are": values(lecture, model, "reviews", "turn"),
            "neutral text at both edges": values(lecture, model, "framed_reviews", "turn"),
        }
        for text, model in nets.items()
        if text != "width 1"
    }
    motion = {
        "each frame alone": ("motion_frame", "motion"),
        "convolution": ("motion_conv", "motion"),
        "LSTM": ("motion_lstm", "motion"),
    }
    imdb = {
        "convolution + GRU": "conv_gru",
        "two blocks, masked": "slides_network",
        "two blocks, no mask (slides)": "listing",
    }
    kinds = {kind: kind for kind in PHENOMENA}
    series = {text: (model, "reviews") for text, model in nets.items()}
    return [
        profile(
            lecture, "phenomena", "Own reviews, by what decides", series, kinds, "accuracy"
        ),
        Plot("turn", "Reviews that turn, read by their edges", "profile", "accuracy", turn),
        profile(
            lecture,
            "motion",
            "Motion, named frame by frame",
            motion,
            {str(n): f"frame_{n}" for n in range(1, 13)},
            "accuracy",
            xlabel="frame",
        ),
        dots(lecture, "imdb", "Reading IMDB", [(t, m, "imdb") for t, m in imdb.items()]),
        costs(lecture, "time", "Time of a training step by length", "step-time"),
    ]


def _lecture_05(lecture):
    arms = {
        "one fixed vector": "plain",
        "additive (Bahdanau)": "bahdanau",
        "Luong, dot": "dot",
    }
    kinds = ("nouns", "adjectives", "articles")
    return [
        profile(
            lecture,
            "length",
            "Translations without a mistake, by length (own pairs)",
            {text: (model, "english_french") for text, model in arms.items()},
            {words: f"exact {words}" for words in LENGTHS},
            "share of sentences",
            xlabel="words in the source",
        ),
        profile(
            lecture,
            "maps",
            "Does the largest weight lie on the word that is translated?",
            {text: (model, "english_french") for text, model in list(arms.items())[2:]},
            {kind: f"aligned_{kind}" for kind in kinds},
            "share of correct words",
        ),
        *(
            lines(
                lecture,
                f"window{name}",
                f"How far back the gradient reaches, untrained, inputs of size {size}",
                [f"reference-window{name}"],
                "gradient, last word = 1",
                "y",
                xlabel="steps back",
            )
            for name, size in (("", "1"), ("-small", "0.05"))
        ),
    ]


def _lecture_05b(lecture):
    tricks = {
        "one fixed vector": ("05_attention", "plain", "english_french"),
        "fixed, source reversed": (lecture, "reversed", "english_french"),
    }
    real = {"one fixed vector": "plain", "additive (Bahdanau)": "bahdanau", "Luong, dot": "dot"}
    return [
        profile(
            lecture,
            "reversed",
            "Translations without a mistake, by length (own pairs)",
            tricks,
            {words: f"exact {words}" for words in LENGTHS},
            "share of sentences",
            xlabel="words in the source",
            caption="Each arm at its own learning rate, the best of four on validation.",
        ),
        profile(
            lecture,
            "tatoeba",
            "BLEU by length (Tatoeba), greedy",
            {text: (model, "tatoeba_french") for text, model in real.items()},
            {words: f"bleu {words}" for words in ("1–5", "6–9", "10–14", "15–25")},
            "BLEU",
            xlabel="tokens in the source",
            caption="Equal epochs; undertraining is not excluded.",
        ),
    ]


def _lecture_06(lecture):
    kinds = {kind: kind for kind in PHENOMENA}
    encoder = {"Transformer encoder": ("encoder", "reviews")}
    imdb = [("masked", "encoder", "imdb"), ("without a mask", "encoder_unmasked", "imdb")]
    data = {}
    for seed in range(3):
        for row in results.load_table(lecture, f"norm-gradients-{seed}"):
            if row["gradient of"] == "feed-forward, first block":
                for column, value in list(row.items())[2:]:
                    depth = int(column.split()[0])
                    data.setdefault(row["wiring"], {}).setdefault(depth, []).append(value)
    return [
        profile(
            lecture,
            "length",
            "Translations without a mistake, by length of the source",
            {"Transformer": ("transformer", "english_french")},
            {f"{words} words": f"exact {words}" for words in LENGTHS},
            "share of sentences",
        ),
        profile(
            lecture, "phenomena", "Own reviews, by what decides", encoder, kinds, "accuracy"
        ),
        dots(lecture, "imdb", "The encoder on IMDB", imdb),
        costs(lecture, "cost", "Time of a training step by length", "attention-cost"),
        Plot(
            "norms",
            "First gradient of the first block, by depth and wiring",
            "lines",
            "norm of the gradient",
            data,
            "blocks",
            log="y",
        ),
    ]


def _lecture_06b(lecture):
    own = {"masked": "masked", "causal": "causal", "from scratch": "from scratch"}
    own |= {"masked, low rank": "low rank", "masked, head alone": "head alone"}
    own |= {"tf-idf": "tfidf", "LSA": "lsa"}
    real = {"tf-idf": "tfidf", "LSA": "lsa", "from scratch": "scratch"}
    real |= {"frozen": "layer 4", "fine-tuned": "fine-tuned"}
    asked, sizes = {}, {}
    for run in records.runs_of(lecture, "objectives", "short_reviews"):
        found = run["metrics"]
        for key, value in found.items():
            if key.endswith(": test"):
                arm, epochs = key.removesuffix(": test").rsplit(", ", 1)
                place = int(epochs) * found[f"{arm}: predictions"]
                asked.setdefault(arm, {}).setdefault(place, []).append(value)
    for row in results.load_table(lecture, "tokenizers-imdb"):
        points = sizes.setdefault(row["tokenizer"], {})
        points[row["vocabulary"]] = [row["tokens a word"]]

    def few(model, dataset, arms, counts):
        return {
            text: {
                f"{n:,} labels": values(lecture, model, dataset, f"{arm}, {n}: test")
                for n in counts
            }
            for text, arm in arms.items()
        }

    return [
        Plot(
            "objectives",
            "Masked and causal pre-training by number of predictions, 200 labels",
            "lines",
            "test accuracy",
            asked,
            "predictions",
            log="x",
        ),
        Plot(
            "short-reviews",
            "Few labels on own short reviews",
            "profile",
            "test accuracy",
            few("few_labels", "short_reviews", own, (50, 200, 800)),
            caption="Settings chosen on validation reviews, for each arm, seed and draw.",
        ),
        Plot(
            "sst2",
            "Few labels of SST-2: counting, and an encoder pre-trained on IMDB",
            "profile",
            "test accuracy",
            few("few_labels", "sst2", real, (200, 1_000)),
            caption="Every setting chosen on validation sentences, for each arm and draw.",
        ),
        Plot(
            "tokenizers",
            "Tokens a word by size of the vocabulary, IMDB",
            "lines",
            "tokens a word",
            sizes,
            "entries",
            log="x",
        ),
    ]


def _lecture_06c(lecture):
    heads = {
        title: {
            start: values(lecture, f"{head}_{name}", dataset, "exact_match")
            for start, name in {"read first": "pretrained", "from scratch": "scratch"}.items()
        }
        for title, head, dataset in (
            ("answer spans", "span", "questions"),
            ("multiple choice", "choice", "choices"),
        )
    }
    rows = ["base", "base + BiLSTM", "next part", "left to right", "left to right + BiLSTM"]
    rows += ["1 block", "16 channels", "1 head"]
    parts = {row: values(lecture, "ablations", "short_reviews", f"{row}: test") for row in rows}
    title = "BERT's ablations at our size, short reviews, 200 labels"
    return [
        Plot("heads", "Other heads on own questions", "profile", "exact match", heads),
        Plot("ablations", title, "dots", "test accuracy", {"": parts}),
    ]


def _lecture_06d(lecture):
    arms = ("2018", "rotary positions", "RMSNorm", "SwiGLU", "2 key-value heads", "all four")
    found = {arm: values(lecture, "ablation", "reviews", f"{arm}: test") for arm in arms}
    title = "A decoder of 2018 and its parts of today, own reviews"
    return [Plot("ablation", title, "dots", "test perplexity", {"": found})]


def _lecture_07(lecture):
    counts = {f"{n:,} images": n for n in (100, 1_200)}
    digits = {
        "ViT, class token": ("vit_{}", "digits"),
        "ViT, mean": ("vit_mean_{}", "digits"),
        "convolution": ("convnet_{}", "digits"),
    }
    starts = {
        "from scratch": "vit_100",
        "after drawn figures": "vit_after_figures_100",
        "after MNIST": "vit_after_mnist_100",
    }
    order = {"with positions": "vit_1200", "without": "vit_no_positions_1200"}
    cifar = {
        "convolution, augmented": "convnet_augmented",
        "convolution": "convnet",
        "ViT, augmented": "vit_augmented",
        "ViT": "vit",
    }
    return [
        profile(
            lecture,
            "digits",
            "scikit-learn's digits by number of training images",
            digits,
            counts,
            caption="Each network at its own learning rate, chosen on validation from six.",
        ),
        *(
            dots(lecture, name, title, [(text, model, data) for text, model in of.items()])
            for name, title, of, data in (
                ("positions", "Positions, 1,200 digits", order, "digits"),
                ("transfer", "Pre-training, 100 digits", starts, "digits"),
                ("cifar10", "10,000 images of CIFAR-10 (recompressed)", cifar,
                 "cifar10_recompressed"),
            )
        ),
    ]  # fmt: skip


def _lecture_07b(lecture):
    shares = {"attention on the own cell": "mass", "digits right": "digit_accuracy"}
    mnist = {
        text: values(lecture, "vit", "mnist_2x2", metric) for text, metric in shares.items()
    }
    convnets = {
        rate: values(lecture, f"conv_gru_{rate}", "digits_3x3", "val_loss")
        for rate in ("0.001", "0.002", "0.004")
    }
    pairs = {"pairs seen in training": "exact_known_pairs", "pairs not seen": "exact_new_pairs"}
    captions = {
        "": {text: values(lecture, "captioner", "shapes", m) for text, m in pairs.items()}
    }
    return [
        Plot("attention", "Four digits of MNIST, ViT", "dots", "share", {"": mnist}),
        Plot(
            "readers",
            "Nine digits, convolution and one vector, 1,500 batches",
            "dots",
            "validation loss",
            {"": convnets},
            caption="By learning rate. Knowing only that nine digits come gives 2.07.",
        ),
        Plot("captions", "Captions without a mistake", "dots", "exact match", captions),
    ]


def _lecture_08(lecture):
    counts = {f"{n:,} digits": n for n in (100, 1_200)}
    homes = dict.fromkeys(("convnet", "vit"), "07_vision_transformer")
    few = {
        text: (homes.get(model, lecture), f"{model}_{{}}", "digits")
        for text, model in NETWORKS.items()
    }
    gates = {
        "W and b learned": "gmlp_1200",
        "W alone learned": "gmlp_W_1200",
        "b alone learned": "gmlp_b_1200",
        "neither learned": "gmlp_neither_1200",
    }
    return [
        profile(
            lecture,
            "digits",
            "Few labels: scikit-learn's digits",
            few,
            counts,
            caption="Each network at its own learning rate, chosen on validation digits.",
        ),
        dots(
            lecture,
            "gate",
            "What gMLP's gate adds, 1,200 digits",
            [(text, model, "digits") for text, model in gates.items()],
        ),
        costs(lecture, "cost", "Time of a training step by length", "mixing-cost"),
    ]


def _lecture_08b(lecture):
    gates = {
        "split, Toeplitz": "split_toeplitz",
        "split": "split",
        "additive": "additive",
        "multiplicative": "multiplicative",
        "linear": "linear",
    }
    recall = {
        "gMLP": ("gmlp", "recall_{}"),
        "with tiny attention": ("gmlp_tiny", "recall_{}"),
        "Transformer": ("transformer", "recall_{}"),
    }
    tasks = {
        "32 names, third pair": "32_stays",
        "16 names, any pair": "16_moves",
        "32 names, any pair": "32_moves",
    }
    sst2 = {
        "tf-idf of words and pairs": "tfidf_pairs",
        "gMLP from scratch": "scratch",
        "gMLP, frozen contextual embeddings": "contextual",
    }
    leak = {
        text: {
            label: values(lecture, model, "characters", f"future_{part}")
            for label, part in (("future shown", "shown"), ("future hidden", "hidden"))
        }
        for text, model in (("free W", "next_free"), ("causal W", "next_causal"))
    }
    return [
        dots(
            lecture,
            "characters",
            "Gates on Shakespeare's characters",
            [(text, model, "characters") for text, model in gates.items()],
            "test loss of a masked character, nats",
            "test_loss",
            caption="Each gate at its own learning rate, chosen on validation.",
        ),
        Plot("leak", "A free W reads the answer", "profile", "loss, nats", leak),
        profile(
            lecture,
            "recall",
            "Associative recall",
            recall,
            tasks,
            caption="Chance is 0.125. Each arm at its own learning rate, chosen on validation.",
        ),
        dots(lecture, "sst2", "SST-2", [(text, model, "sst2") for text, model in sst2.items()]),
    ]


def _lecture_08c(lecture):
    cifar = {
        "gMLP, 60 epochs": "gmlp_long",
        "Mixer, 60 epochs": "mixer_long",
        "Mixer, zero-initialised": "mixer_long_deaf",
        "Mixer, more augmentation": "mixer_varied",
        "Mixer, both": "mixer_varied_deaf",
        "Mixer, both, 150 epochs": "mixer_varied_deaf_150",
    }
    bug = {
        f"{text}{label}": {
            f"{epochs} epochs": values(
                lecture, f"{model}_{plan}{end}", "cifar10_recompressed", "val_accuracy"
            )
            for epochs, plan in ((20, "short"), (60, "long"))
        }
        for text, model in (("Mixer", "mixer"), ("gMLP", "gmlp"))
        for label, end in (("", ""), (", with the bug", "_one_seed"))
    }
    return [
        dots(
            lecture,
            "cifar10",
            "45,000 images of CIFAR-10 (recompressed), from scratch",
            [(text, model, "cifar10_recompressed") for text, model in cifar.items()],
            caption="Later plans were made with the test accuracies of earlier ones in view.",
        ),
        Plot("bug", "Shift and mirror with one seed", "profile", "validation accuracy", bug),
    ]


PAGES = {
    "01_imdb_embeddings": _lecture_01,
    "02_simple_rnn": _lecture_02,
    "03_lstm_gru": _lecture_03,
    "03b_lab_forecasting": _lecture_03b,
    "03c_lab_memory": _lecture_03c,
    "04_conv1d": _lecture_04,
    "05_attention": _lecture_05,
    "05b_lab_translation": _lecture_05b,
    "06_transformer": _lecture_06,
    "06b_lab_pretraining": _lecture_06b,
    "06c_lab_heads": _lecture_06c,
    "06d_lab_decoder_today": _lecture_06d,
    "07_vision_transformer": _lecture_07,
    "07b_lab_image_to_text": _lecture_07b,
    "08_mixer_gmlp": _lecture_08,
    "08b_lab_gmlp_text": _lecture_08b,
    "08c_lab_recipe": _lecture_08c,
}


def describe(plot):
    """Return the alternative text: what is plotted, with the means (all runs if in groups)."""
    said = []
    for series, categories in plot.data.items():
        points = list(categories.items())
        if plot.kind == "lines" and len(points) > 2:
            points = [points[0], points[-1]]
        shown = ", ".join(f"{category} {spoken(found)}" for category, found in points)
        said.append(f"{series}: {shown}" if series else shown)
    return f"{plot.title}; {plot.label}. {'; '.join(said)}."


def spoken(numbers):
    """Return the mean as text, or all values where the runs fall into groups."""
    shown = sorted(numbers) if in_groups(numbers) else [mean(numbers)]
    return " / ".join(f"{v:.2f}" if 0.1 <= abs(v) < 10 else f"{v:.2g}" for v in shown)


def draw(plot, path):
    """Write a plot as PNG."""
    rows = len(next(iter(plot.data.values())))
    height = 0.95 + 0.34 * rows if plot.kind == "dots" else 3.6
    drawing, axis = plotting.figure(7.5, height)
    DRAWN[plot.kind](axis, plot)
    axis.set_title(plot.title)
    drawing.savefig(path, dpi=110, metadata={"Software": None})


def draw_dots(axis, plot):
    """Draw a row a category: a dot a run, a stroke at the mean unless they fall into groups."""
    (groups,) = plot.data.values()
    for place, found in enumerate(groups.values()):
        axis.plot(found, [place] * len(found), "o", color=plotting.COLOURS[0], alpha=0.6)
        if not in_groups(found):
            axis.plot([mean(found)], [place], "|", color="black", markersize=14)
        where = {"xycoords": ("axes fraction", "data"), "va": "center"}
        axis.annotate(spoken(found), (1.01, place), **where)
    axis.set_yticks(range(len(groups)), groups)
    axis.set_ylim(len(groups) - 0.5, -0.5)
    axis.set_xlabel(f"{plot.label}: a dot a run, a stroke the mean")


def draw_profile(axis, plot):
    """Draw categories side by side: a dot a run; a line, or a stroke each, at the medians."""
    names = list(dict.fromkeys(name for groups in plot.data.values() for name in groups))
    line = (
        "-" if all(map(re.compile(r"\d").search, names)) else "_"
    )  # only numbers have an order
    step = 0.5 / len(plot.data)
    for index, (series, groups) in enumerate(plot.data.items()):
        look = plotting.look(index)
        places = [n + (index - (len(plot.data) - 1) / 2) * step for n in range(len(names))]
        runs = [
            (place, run)
            for place, name in zip(places, names, strict=True)
            for run in groups[name]
        ]
        dots = {"linestyle": "none", "alpha": 0.6, "label": series}
        axis.plot(*zip(*runs, strict=True), **look, **dots)
        middle = [statistics.median(groups[name]) for name in names]
        axis.plot(places, middle, line, markersize=14, color=look["color"])
    crowded = sum(map(len, names)) > 60 or len(names) > 8
    turned = {"rotation": 25, "ha": "right"} if crowded else {}
    axis.set_xticks(range(len(names)), names, **turned)
    axis.set(ylabel=plot.label, xlabel=plot.xlabel)
    axis.legend(loc="center left", bbox_to_anchor=(1.0, 0.5))


def draw_lines(axis, plot):
    """Draw values by a number, a line a run."""
    for index, (series, groups) in enumerate(plot.data.items()):
        look = plotting.look(index)
        for run in range(max(map(len, groups.values()))):
            points = [(x, found[run]) for x, found in groups.items() if run < len(found)]
            label = series if run == 0 else None
            axis.plot(*zip(*points, strict=True), **look, markersize=4, label=label)
    axis.set(ylabel=plot.label, xlabel=plot.xlabel)
    if "x" in plot.log:
        largest = max(x for groups in plot.data.values() for x in groups)
        axis.set_xscale("log", base=2 if largest < 200_000 else 10)
        axis.xaxis.set_major_formatter(
            plotting.matplotlib.ticker.StrMethodFormatter("{x:,.0f}")
        )
    if "y" in plot.log:
        axis.set_yscale("log")
    axis.legend(loc="center left", bbox_to_anchor=(1.0, 0.5))


DRAWN = {"dots": draw_dots, "profile": draw_profile, "lines": draw_lines}

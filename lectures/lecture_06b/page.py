"""What the results page of lab 6b plots, and what its recorded models are called."""

from course_utils import results

TITLE = "Lab: pre-training"
REAL_DATA = [
    "course_utils.data.load_imdb('text')",
    "lectures.lecture_06b.phrases.load_phrases()",
]
MODELS = {
    "few_labels": "few labels: every way to use them, tuned alike",
    "frozen": "logistic regression on the shipped masked encoder's frozen states",
    "largest": "causal language model of width 48, whose loss was predicted",
    "objectives": "masked and causal pre-training, 200 labels by budget",
    "real_masked": "masked language model on IMDB's reviews",
    "sizes": "causal language models of widths 8 to 32",
    "start": "the embeddings' start from counts, probed",
}


def asked():
    """Return the test accuracies of both objectives by number of predictions."""
    found = {}
    for run in results.load("06b_lab_pretraining", "objectives", "short_reviews"):
        metrics = run["metrics"]
        for key in (key for key in metrics if key.endswith(": test")):
            arm, epochs = key.removesuffix(": test").rsplit(", ", 1)
            place = int(epochs) * metrics[f"{arm}: predictions"]
            found.setdefault(arm, {}).setdefault(place, []).append(metrics[key])
    return found


PLOTS = {
    "objectives": {
        "title": "Masked and causal pre-training by number of predictions, 200 labels",
        "data": asked(),
        "xlabel": "predictions",
        "log": "x",
    },
    "short-reviews": {
        "title": "Few labels on own short reviews",
        "runs": "few_labels short_reviews {arm}, {by}: test",
        "arms": {
            "masked": "masked",
            "causal": "causal",
            "from scratch": "from scratch",
            "masked, low rank": "low rank",
            "masked, head alone": "head alone",
            "tf-idf": "tfidf",
            "LSA": "lsa",
        },
        "by": {f"{n} labels": n for n in (50, 200, 800)},
        "caption": "Settings chosen on validation reviews, for each arm, seed and draw.",
    },
    "sst2": {
        "title": "Few labels of SST-2: counting, and an encoder pre-trained on IMDB",
        "runs": "few_labels sst2 {arm}, {by}: test",
        "arms": {
            "tf-idf": "tfidf",
            "LSA": "lsa",
            "from scratch": "scratch",
            "frozen": "layer 4",
            "fine-tuned": "fine-tuned",
        },
        "by": {f"{n:,} labels": n for n in (200, 1_000)},
        "caption": "Every setting chosen on validation sentences, for each arm and draw.",
    },
    "tokenizers": {
        "title": "Tokens a word by size of the vocabulary, IMDB",
        "label": "tokens a word",
        "tables": ["tokenizers-imdb"],
        "columns": ("tokenizer", "vocabulary", "tokens a word"),
        "xlabel": "entries",
        "log": "x",
    },
}

"""What the results page of lecture 6 plots, and what its recorded models are called."""

TITLE = "The Transformer"
REAL_DATA = [
    "lectures.lecture_05.pairs.load_pairs('french')",
    "course_utils.data.load_imdb('text')",
]
MODELS = {
    "encoder": "Transformer encoder, classifier",
    "encoder_unmasked": "Transformer encoder, classifier, without a padding mask",
    "transformer": "Transformer encoder–decoder, two blocks each",
    "leak": "Transformer encoder–decoder with a leak of the next word, two epochs on short "
    "sentences",
    "one_head": "Transformer encoder–decoder, one block each with one head, shortest sentences",
    "one_head_no_scale": "the same, scores not divided by √d_k",
    "one_head_no_positions": "the same, tokens not told their positions",
    "one_head_no_residuals": "the same, without residual connections",
}
PHENOMENA = ["plain", "negation", "turn", "far"]
PLOTS = {
    "length": {
        "title": "Translations without a mistake, by length of the source",
        "label": "share of sentences",
        "runs": "{arm} english_french exact {by}",
        "arms": {
            "Transformer": "transformer",
            "GRU with attention": "05_attention/dot",
            "no network": "05_attention/blocks",
        },
        "by": {f"{words} words": words for words in ("4–8", "9–13", "14–18", "19–25")},
    },
    "phenomena": {
        "title": "Own reviews, by what decides",
        "label": "accuracy",
        "runs": "{arm} reviews {by}",
        "arms": {"Transformer encoder": "encoder"},
        "by": PHENOMENA,
    },
    "imdb": {
        "title": "The encoder on IMDB",
        "runs": "{arm} imdb test_accuracy",
        "arms": {"masked": "encoder", "without a mask": "encoder_unmasked"},
    },
    "cost": {"title": "Time of a training step by length", "costs": "attention-cost"},
    "norms": {
        "title": "First gradient of the first block, by depth and wiring",
        "label": "norm of the gradient",
        "tables": [f"norm-gradients-{seed}" for seed in range(3)],
        "rows": {"gradient of": "feed-forward, first block"},
        "xlabel": "blocks",
        "log": "y",
    },
}
FRONT_PLOTS = {
    "phenomena": {
        "title": "Accuracy by what decides the verdict",
        "label": "accuracy",
        "runs": "{arm} reviews {by}",
        "arms": {
            "bag of words": "02_simple_rnn/counting",
            "SimpleRNN": "02_simple_rnn/simple_rnn_32",
            "LSTM": "03_lstm_gru/lstm_32",
            "Transformer encoder": "encoder",
        },
        "by": PHENOMENA,
    }
}

"""What the results page of lab 8b plots, and what its recorded models are called."""

TITLE = "Lab: gMLP on text"
REAL_DATA = ["lectures.lecture_08b.plays()"]
MODELS = {
    "additive": "gMLP, additive gate",
    "counts_masked": "counts of a masked character's neighbours",
    "counts_next": "counts of the characters before",
    "gmlp": "gMLP",
    "gmlp_tiny": "gMLP with tiny attention",
    "gmlp_wide": "gMLP, one wide block",
    "linear": "gMLP, linear gate",
    "multiplicative": "gMLP, multiplicative gate",
    "next_causal": "next character, causal W",
    "next_free": "next character, free W",
    "pair_amlp": "sentence pairs, gMLP with tiny attention",
    "pair_gmlp": "sentence pairs, gMLP",
    "pair_transformer": "sentence pairs, Transformer encoder",
    "split": "gMLP, split gate",
    "split_toeplitz": "gMLP, split gate, Toeplitz W",
    "transformer": "Transformer, one block",
}
PLOTS = {
    "characters": {
        "title": "Gates on Shakespeare's characters",
        "label": "test loss of a masked character, nats",
        "runs": "{arm} characters test_loss",
        "arms": {
            "split, Toeplitz": "split_toeplitz",
            "split": "split",
            "additive": "additive",
            "multiplicative": "multiplicative",
            "linear": "linear",
            "counting neighbours": "counts_masked",
        },
        "caption": "Each gate at its own learning rate, chosen on validation.",
    },
    "leak": {
        "title": "A free W reads the answer",
        "label": "loss, nats",
        "runs": "next_{arm} characters future_{by}",
        "arms": {"free W": "free", "causal W": "causal"},
        "by": {"future shown": "shown", "future hidden": "hidden"},
    },
    "recall": {
        "title": "Associative recall",
        "runs": "{arm} recall_{by} test_accuracy",
        "arms": {
            "gMLP": "gmlp",
            "with tiny attention": "gmlp_tiny",
            "Transformer": "transformer",
        },
        "by": {
            "32 names, third pair": "32_stays",
            "16 names, any pair": "16_moves",
            "32 names, any pair": "32_moves",
        },
        "caption": "Chance is 0.125. Each arm at its own learning rate, chosen on validation. "
        "One wide gMLP block, trained on the last task alone, is in the table of all runs.",
    },
    "pairs": {
        "title": "Pairs of sentences",
        "runs": "{arm} sentence_pairs {by}",
        "arms": {
            "gMLP": "pair_gmlp",
            "with tiny attention": "pair_amlp",
            "Transformer": "pair_transformer",
        },
        "by": {
            "all": "test_accuracy",
            "negation": "negation",
            "quantity": "quantity",
            "roles": "roles",
            "hypernyms": "hypernyms",
        },
        "caption": "By phenomenon; chance is one in three.",
    },
}
FINDINGS = {
    10: {
        "title": "A leak",
        "sentence": "A gMLP whose W is not triangular reads the character that it should "
        "predict: near zero loss with the future in view, worse than the unigram baseline "
        "without",
        "label": "loss, nats",
        "runs": "next_free characters {arm}",
        "above": {"future hidden": "future_hidden"},
        "below": {"unigram baseline": "unigram_loss", "future shown": "future_shown"},
    }
}

"""What the results page of lecture 5 plots, and what its recorded models are called."""

TITLE = "Attention"
MODELS = {
    "bahdanau": "GRU with additive (Bahdanau) attention",
    "blocks": "no network: aligned blocks, linear choices",
    "classmate": "GRU with Luong attention, dot score, trained without a mask",
    "equal": "GRU with Luong attention, every weight equal",
    "dot": "GRU with Luong attention, dot score",
    "plain": "GRU encoder–decoder, one fixed vector",
    "wide": "GRU, one fixed vector of 143 units, 32 epochs",
}
LENGTHS = ("4–8", "9–13", "14–18", "19–25")
PLOTS = {
    "length": {
        "title": "Translations without a mistake, by length (own pairs)",
        "label": "share of sentences",
        "runs": "{arm} english_french exact {by}",
        "arms": {
            "one fixed vector": "plain",
            "no network": "blocks",
            "additive (Bahdanau)": "bahdanau",
            "Luong, dot": "dot",
        },
        "by": LENGTHS,
        "xlabel": "words in the source",
    },
    "maps": {
        "title": "Does the largest weight lie on the word that is translated?",
        "label": "share of correct words",
        "runs": "{arm} english_french aligned_{by}",
        "arms": {"Luong, dot": "dot"},
        "by": ["nouns", "adjectives", "articles"],
    },
}
FRONT_PLOTS = {
    "translation": {
        "title": "Translations without a mistake, by length of the source",
        "label": "share of sentences",
        "runs": "{arm} english_french exact {by}",
        "arms": {"one fixed vector": "plain", "GRU with attention": "dot"},
        "by": {f"{words} words": words for words in LENGTHS},
    }
}
FINDINGS = {
    7: {
        "title": "Long sentences",
        "sentence": "One fixed vector does not translate long sentences; attention does",
        "label": "exact match, 14 words or more",
        "runs": "{arm} english_french exact_long",
        "above": {
            "Transformer": "06_transformer/transformer",
            "attention, dot score": "dot",
            "additive attention": "bahdanau",
        },
        "below": {"one fixed vector": "plain"},
    }
}

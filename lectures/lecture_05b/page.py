"""What the results page of lab 5b plots, and what its recorded models are called."""

TITLE = "Lab: translation"
REAL_DATA = ["lectures.lecture_05.pairs.load_pairs('french')"]
MODELS = {
    "bahdanau": "GRU with additive (Bahdanau) attention",
    "dot": "GRU with Luong attention, dot score",
    "dot_fed_long": "dot score, input feeding, twice the epochs",
    "linear_zeros": "dot score without the tanh of its attention vector, output bias "
    "initialised to zeros",
    "phrases": "no network: phrases and trigrams, counted",
    "dot_frequencies": "dot score, output bias initialised to log frequencies",
    "dot_zeros": "dot score, output bias initialised to zeros",
    "plain": "GRU encoder–decoder, one fixed vector",
    "plain_frequencies": "fixed vector, output bias initialised to log frequencies",
    "plain_zeros": "fixed vector, output bias initialised to zeros",
    "dot_fed": "GRU encoder–decoder, dot score, input feeding",
    "reversed": "GRU encoder–decoder, one fixed vector, source reversed",
}
PLOTS = {
    "fed": {
        "title": "Translations without a mistake, by length: input feeding (own pairs)",
        "label": "share of sentences",
        "runs": "{arm} english_french exact {by}",
        "arms": {
            "dot score, 8 epochs": "05_attention/dot",
            "input feeding, 8 epochs": "dot_fed",
            "input feeding, 16 epochs": "dot_fed_long",
        },
        "by": ["4–8", "9–13", "14–18", "19–25"],
        "xlabel": "words in the source",
        "caption": "Learning rates: the best of four on validation, one seed, after 12 epochs "
        "for the dot score and 8 for input feeding.",
    },
    "reversed": {
        "title": "Translations without a mistake, by length (own pairs)",
        "label": "share of sentences",
        "runs": "{arm} english_french exact {by}",
        "arms": {
            "one fixed vector": "05_attention/plain",
            "fixed, source reversed": "reversed",
            "no network": "05_attention/blocks",
        },
        "by": ["4–8", "9–13", "14–18", "19–25"],
        "xlabel": "words in the source",
        "caption": "Each network at its own learning rate, the best of four on validation (one "
        "seed), after 12 epochs as it is and 16 reversed.",
    },
    "tatoeba": {
        "title": "BLEU by length (Tatoeba), greedy",
        "label": "BLEU",
        "runs": "{arm} tatoeba_french bleu {by}",
        "arms": {
            "one fixed vector": "plain",
            "additive (Bahdanau)": "bahdanau",
            "Luong, dot": "dot",
            "no network": "phrases",
        },
        "by": ["1–5", "6–9", "10–14", "15–25"],
        "xlabel": "tokens in the source",
        "caption": "The networks had equal epochs; neither learning rate nor dropout was "
        "tuned. Without a network: a beam, and two weights tuned on validation.",
    },
}

"""What the results page of lab 6c plots, and what its recorded models are called."""

TITLE = "Lab: heads and ablations"
REAL_DATA = ["lectures.lecture_06c.load_entities('wnut17')"]
MODELS = {
    "ablations": "pre-trained encoders that differ in one part, 200 labels",
    "choice_pretrained": "multiple choice, pre-trained",
    "choice_scratch": "multiple choice, from scratch",
    "linear": "logistic regressions on words",
    "pair_apart": "sentence pairs, two rows, one encoder",
    "pair_bag": "sentence pairs, all words counted, a network",
    "pair_both": "sentence pairs, one row",
    "pair_hypothesis": "sentence pairs, the hypothesis alone, an encoder",
    "span_pretrained": "answer spans, pre-trained",
    "span_scratch": "answer spans, from scratch",
    "tagger": "token tagger",
}
PLOTS = {
    "heads": {
        "title": "Other heads on own questions",
        "label": "exact match",
        "runs": "{arm} exact_match",
        "arms": {
            "answer spans": "span_{by} questions",
            "multiple choice": "choice_{by} choices",
        },
        "by": {"read first": "pretrained", "from scratch": "scratch"},
    },
    "linear": {
        "title": "Logistic regressions on the same questions",
        "label": "exact match",
        "runs": "linear {arm}",
        "arms": {
            "answer spans, words around a position": "questions window",
            "answer spans, joined with the question": "questions window by question",
            "multiple choice, all pairs of words": "choices pairs",
            "multiple choice, the two adjectives": "choices adjectives",
            "multiple choice, with the negation": "choices verdicts",
        },
        "ordered": True,
    },
    "pairs": {
        "title": "Pairs of sentences",
        "runs": "{arm} sentence_pairs {by}",
        "arms": {
            "all words, a network": "pair_bag",
            "one row, an encoder": "pair_both",
            "two rows, an encoder": "pair_apart",
        },
        "by": {
            "one clause": "clauses 1",
            "two": "clauses 2",
            "three": "clauses 3",
            "all": "test_accuracy",
        },
        "caption": "By the clauses of the premise; chance is 0.33. Each arm at its own "
        "learning rate, chosen on validation.",
    },
    "ablations": {
        "title": "BERT's ablations at our size, short reviews, 200 labels",
        "runs": "ablations short_reviews {arm}: test",
        "arms": [
            "base",
            "next part",
            "left to right",
            "1 block",
            "half as wide",
            "1 head",
        ],
        "ordered": True,
    },
}

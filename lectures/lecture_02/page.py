"""What the results page of lecture 2 plots, and what its recorded models are called."""

TITLE = "The simple recurrent network"
REAL_DATA = ["course_utils.data.load_imdb('text')"]
MODELS = {
    "counting": "logistic regression on which words occur",
    "counting_bigrams": "logistic regression on which words and bigrams occur",
    "counting_trigrams": "logistic regression on which words, bigrams and trigrams occur",
    "counting_last_words": "logistic regression on words and bigrams of the last 30 words",
    "writer": "SimpleRNN(64) that predicts characters",
    "simple_rnn_32": "SimpleRNN(32), masked",
    "simple_rnn_32_film_alone": "SimpleRNN(32), masked; far reviews judge the film alone",
    "simple_rnn_32_at_0_001": "SimpleRNN(32), masked, learning rate 0.001",
    "simple_rnn_32_at_0_01": "SimpleRNN(32), masked, learning rate 0.01",
    "simple_rnn_32_no_mask": "SimpleRNN(32) without a mask, padding behind",
    "simple_rnn_32_pads_first": "SimpleRNN(32) without a mask, padding in front",
}
PLOTS = {
    "phenomena": {
        "title": "Own reviews, by what decides",
        "label": "accuracy",
        "runs": "{arm} reviews {by}",
        "arms": {
            "words": "counting",
            "words and bigrams": "counting_bigrams",
            "and trigrams": "counting_trigrams",
            "bigrams, last 30 words": "counting_last_words",
            "SimpleRNN": "simple_rnn_32",
        },
        "by": ["plain", "negation", "turn", "far"],
    },
    "imdb": {
        "title": "IMDB: the mask",
        "runs": "{arm} imdb test_accuracy",
        "arms": {
            "a mask": "simple_rnn_32",
            "no mask, padding in front": "simple_rnn_32_pads_first",
            "no mask, padding behind": "simple_rnn_32_no_mask",
        },
        "caption": "SimpleRNN(32); each is tested with the padding that it was trained with.",
    },
}
FINDINGS = {
    3: {
        "title": "Negation",
        "sentence": "A bag of words reads negated reviews backwards; bigrams and a recurrent "
        "network read them",
        "label": "accuracy",
        "runs": "{arm} reviews negation",
        "above": {"bigrams": "counting_bigrams", "SimpleRNN": "simple_rnn_32"},
        "below": {"bag of words": "counting"},
    },
    4: {
        "title": "Padding",
        "sentence": "Without a mask, a SimpleRNN with padding behind the text is at chance",
        "runs": "{arm} imdb test_accuracy",
        "above": {"masked": "simple_rnn_32"},
        "below": {"no mask": "simple_rnn_32_no_mask"},
    },
}

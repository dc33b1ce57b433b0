"""What the results page of lecture 3 plots, and what its recorded models are called."""

TITLE = "LSTM and GRU"
REAL_DATA = ["course_utils.data.load_imdb('text')"]
CELLS = {
    "bidirectional_32": "bidirectional LSTM(32)",
    "gru_32": "GRU(32)",
    "lstm_32": "LSTM(32)",
    "simple_rnn_32": "SimpleRNN(32)",
}
TRIED = {  # learning rates besides the chosen one
    "bidirectional_32": ("0.001", "0.002", "0.008"),
    "gru_32": ("0.001", "0.002", "0.004"),
    "lstm_32": ("0.001", "0.002", "0.004"),
    "simple_rnn_32": ("0.0005", "0.002", "0.004", "0.008"),
}
MODELS = {
    "grid": "SimpleRNN, LSTM and GRU by starting bias, learning rate and batches, accuracy on "
    "far clues",
    "counting": "logistic regression on n-grams, accuracy on far clues",
}
MODELS |= CELLS | {
    f"{model}_at_{rate.replace('.', '_')}": f"{CELLS[model]}, learning rate {rate}"
    for model, rates in TRIED.items()
    for rate in rates
}
PLOTS = {
    "far": {
        "title": "Verdicts that lie far back, by learning rate and kind of batches",
        "label": "validation accuracy",
        "runs": "grid reviews {arm}, {by}: validation",
        "arms": ["SimpleRNN", "LSTM, bias 1", "LSTM, bias 3", "GRU, bias 0", "GRU, bias 3"],
        "by": [
            f"{rate}, {kind}"
            for rate in (0.001, 0.003, 0.01)
            for kind in ("by length", "mixed")
        ],
        "caption": "Own reviews; batches of similar or of mixed length; bias: at the start, of "
        "the gate that keeps.",
    },
    "imdb": {
        "title": "Reading IMDB",
        "runs": "{arm} imdb test_accuracy",
        "arms": {
            "LSTM(32)": "lstm_32",
            "GRU(32)": "gru_32",
            "bidirectional LSTM": "bidirectional_32",
            "SimpleRNN(32)": "simple_rnn_32",
        },
    },
}

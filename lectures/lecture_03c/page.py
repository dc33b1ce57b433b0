"""What the results page of lab 3c plots, and what its recorded models are called."""

TITLE = "Lab: memory"
MODELS = {
    "grid": "SimpleRNN, LSTM and GRU by starting bias, learning rate and distance, accuracy of "
    "recall"
}
CELLS = {"SimpleRNN": "SimpleRNN"} | {
    f"{kind}, bias {bias}": f"{kind} {bias}"
    for kind in ("LSTM", "GRU")
    for bias in (0, 1, 3, 5)
}
PLOTS = {
    task.replace(" ", "-"): {
        "title": f"Recall of {what}",
        "label": "accuracy",
        "runs": f"grid marked_symbols {task}, {{arm}}, {{by}}",
        "arms": CELLS,
        "by": {f"learning rate {rate}": rate for rate in (0.001, 0.003, 0.01)},
        "caption": "Chance is 0.25; bias: at the start, of the gate that keeps.",
    }
    for task, what in {
        "random 100": "a mark at a random place in 100 steps",
        "first 20": "the first symbol, 20 steps back",
        "first 40": "the first symbol, 40 steps back",
        "first 80": "the first symbol, 80 steps back",
    }.items()
}
FINDINGS = {
    5: {
        "title": "Recall over 100 steps",
        "sentence": "Gated cells recall a marked symbol anywhere in 100 steps; a SimpleRNN "
        "does not",
        "label": "accuracy",
        "runs": "grid marked_symbols random 100, {arm}, 0.01",
        "above": {"GRU": "GRU 0", "LSTM, forget bias 3": "LSTM 3"},
        "below": {"SimpleRNN": "SimpleRNN"},
    }
}

"""What the results page of lab 3c plots, and what its recorded models are called."""

TITLE = "Lab: memory"
MODELS = {
    "grid": "SimpleRNN, LSTM and GRU by starting bias, learning rate and distance, accuracy of "
    "recall",
    "moved": "Keras' default LSTM and GRU, the mark at the first of 41 steps; in a quarter of "
    "the training sequences moved to the first ten or the last ten",
    "rivals": "logistic regressions without a state, 8,000 sequences",
    "variants_random_100": "LSTMs by the starting bias of two gates, coupled, peephole cells, "
    "a simple RNN that starts as the identity; a mark at a random place in 100 steps",
    "variants_first_80": "the same, the first symbol, 80 steps back",
}
RATES = {f"learning rate {rate}": rate for rate in (0.001, 0.003, 0.01)}
CELLS = {"SimpleRNN": "SimpleRNN"} | {
    f"{kind}, bias {bias}": f"{kind} {bias}"
    for kind in ("LSTM", "GRU")
    for bias in (0, 1, 3, 5)
}
STARTS = {f"LSTM, bias {bias}": f"LSTM {bias}" for bias in (1, 3, 5)}
STARTS |= {"LSTM, bias 5, input gate −5": "LSTM 5, input -5", "LSTM, chrono": "LSTM chrono"}
STARTS |= {f"coupled, bias {bias}": f"coupled {bias}" for bias in (1, 3, 5)}
STARTS |= {"peephole, bias 3": "peephole 3", "SimpleRNN, identity": "SimpleRNN identity"}
TASKS = {
    "random 100": "a mark at a random place in 100 steps",
    "first 20": "the first symbol, 20 steps back",
    "first 40": "the first symbol, 40 steps back",
    "first 80": "the first symbol, 80 steps back",
}
ACCURACY = {"label": "accuracy", "by": RATES}
ACCURACY |= {"caption": "Chance is 0.25; bias: at the start, of the gate that keeps."}
PLOTS = {
    task.replace(" ", "-"): ACCURACY
    | {
        "title": f"Recall of {what}",
        "runs": f"grid marked_symbols {task}, {{arm}}, {{by}}",
        "arms": CELLS,
    }
    for task, what in TASKS.items()
}
PLOTS |= {
    f"variants-{task.replace(' ', '-')}": ACCURACY
    | {
        "title": f"Recall, {task} steps: other starts and cells",
        "runs": f"variants_{task.replace(' ', '_')} marked_symbols {{arm}}, {{by}}",
        "arms": STARTS,
    }
    for task in ("random 100", "first 80")
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

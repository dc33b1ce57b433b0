"""What the results page of lab 8d plots, and what its recorded models are called."""

TITLE = "Lab: back to recurrence"
MODELS = {
    "marks": "one block by its mixing layer and learning rate, one marked symbol of a hundred",
    "pairs": "one block by its mixing layer, learning rate and pairs, recall of one value",
    "states": "a selective state of N numbers a channel by learning rate, one of 16 pairs",
    "readers": "one or two blocks on the course's reviews, test accuracy by phenomenon",
}
ARMS = {arm: arm for arm in ("LSTM", "GRU", "minGRU", "selective", "attention")}
RATES = {f"learning rate {rate}": rate for rate in (0.001, 0.003, 0.01)}
PLOTS = {
    "marks": {
        "title": "Recall of one marked symbol of a hundred",
        "label": "accuracy",
        "runs": "marks marked_symbols {arm}, {by}",
        "arms": ARMS,
        "by": RATES,
        "caption": "One block of 32 channels, 500 batches; chance is one in four.",
    },
    "pairs": {
        "title": "Recall of one of many pairs",
        "label": "accuracy",
        "runs": "pairs key_values {by} pairs, {arm}, 0.01",
        "arms": ARMS,
        "by": {f"{pairs} pairs": pairs for pairs in (4, 8, 16)},
        "caption": "One block of 32 channels, 1,000 batches at a learning rate of 0.01; 32 "
        "values. The lab also shows 0.003.",
    },
    "states": {
        "title": "Recall of one of 16 pairs by the size of a selective state",
        "label": "accuracy",
        "runs": "states key_values {arm}, {by}",
        "arms": {f"N = {N}": N for N in (1, 2, 4, 8, 16)},
        "by": {f"learning rate {rate}": rate for rate in (0.003, 0.01)},
        "caption": "Only N was varied, and with it the length of keys and queries, their "
        "weights, and how fast the added columns forget at first. N = 4 at 0.01 repeats the "
        "runs above; with one seed the two differ by a few hundredths.",
    },
}

"""What the results page of lecture 4 plots, and what its recorded models are called."""

TITLE = "Convolution over time"
REAL_DATA = ["course_utils.data.load_imdb('text')"]
MODELS = {
    "conv_gru": "convolution, then GRU",
    "dilated_convnet": "two-block convolutional network, masked, dilation 2 in the second "
    "block",
    "listing": "the slides' two-block network, no mask",
    "motion_conv": "motion by frame: causal convolution over frames",
    "motion_frame": "motion by frame: each frame alone",
    "motion_lstm": "motion by frame: LSTM over frames",
    "phrase_1": "Conv1D of width 1, global maximum",
    "phrase_5": "Conv1D of width 5, global maximum",
    "slides_network": "two-block convolutional network, masked, dropout",
    "text_convnet": "two-block convolutional network, masked",
}
WIDER = {
    "width 5": "phrase_5",
    "two blocks": "text_convnet",
    "two blocks, dilation 2": "dilated_convnet",
    "convolution + GRU": "conv_gru",
}
PLOTS = {
    "phenomena": {
        "title": "Own reviews, by what decides",
        "label": "accuracy",
        "runs": "{arm} reviews {by}",
        "arms": {"width 1": "phrase_1"} | WIDER,
        "by": ["plain", "negation", "turn", "far"],
    },
    "turn": {
        "title": "Reviews that turn, read by their edges",
        "label": "accuracy",
        "runs": "{arm} {by} turn",
        "arms": WIDER,
        "by": {"as they are": "reviews", "neutral text at both edges": "framed_reviews"},
    },
    "motion": {
        "title": "For a project: motion, named frame by frame",
        "label": "accuracy",
        "runs": "motion_{arm} motion frame_{by}",
        "arms": {"each frame alone": "frame", "convolution": "conv", "LSTM": "lstm"},
        "by": range(1, 13),
        "xlabel": "frame",
    },
    "imdb": {
        "title": "Reading IMDB",
        "runs": "{arm} imdb test_accuracy",
        "arms": {
            "convolution + GRU": "conv_gru",
            "two blocks, masked": "slides_network",
            "two blocks, no mask (slides)": "listing",
        },
    },
    "time": {"title": "Time of a training step by length", "costs": "step-time"},
}
FINDINGS = {
    6: {
        "title": "Reviews that turn",
        "sentence": "Narrow convolutions seem to read order but read it off the edges: with "
        "neutral text at both edges they fall to chance; those that see both verdicts do not",
        "label": "accuracy",
        "runs": "{arm} framed_reviews turn",
        "above": {
            "convolution + GRU": "conv_gru",
            "two blocks, dilation 2": "dilated_convnet",
        },
        "below": {"two blocks": "text_convnet", "width 5": "phrase_5"},
    }
}

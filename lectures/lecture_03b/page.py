"""What the results page of lab 3b plots, and what its recorded models are called."""

TITLE = "Lab: forecasting"
REAL_DATA = ["lectures.lecture_03b.series.load_series('etth1')"]
MODELS = {
    "conv1d": "causal convolutional forecaster",
    "gru": "GRU(32)",
    "last_value": "baseline: the last value",
    "linear": "linear layer",
    "lstm": "LSTM(32)",
    "ridge": "ridge regression",
    "ridge_calendar": "ridge regression with calendar inputs",
    "ridge_level": "ridge regression with calendar and level",
    "ridge_levels": "ridge regression on levels, with a constant",
    "same_hour_yesterday": "baseline: the same hour yesterday",
}
FORECASTS = {
    "ridge regression, calendar, level": "ridge_level",
    "ridge regression and calendar": "ridge_calendar",
    "ridge regression": "ridge",
    "ridge regression on levels": "ridge_levels",
    "linear layer": "linear",
    "convolution": "conv1d",
    "GRU": "gru",
    "LSTM": "lstm",
    "the last value": "last_value",
    "the same hour yesterday": "same_hour_yesterday",
}
PLOTS = {
    name: {
        "title": f"Forecasting 24 hours of {series}",
        "label": "test mean absolute error, °C",
        "runs": f"{{arm}} {name} test_mae",
        "arms": FORECASTS,
        "caption": "The spread is that over seeds alone; the test months are one sample.",
    }
    for name, series in (("temperature", "the course's own weather"), ("etth1", "ETTh1"))
}

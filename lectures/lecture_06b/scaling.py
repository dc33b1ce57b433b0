"""Scaling laws: a power law fitted to the losses of small models, and extrapolated."""

import numpy as np

PREDICTED = 1.827  # loss of width 48, by the fit to widths 8 to 32, before it was trained


def extrapolate(parameters, losses, larger):
    """Fit the power law loss = k · parameters^(−α), and predict the loss of another model.

    In logarithms it is a straight line, log loss = log k − α · log parameters, which least
    squares fits to all the points.

    Args:
        parameters: array (models,), the number of parameters of each model.
        losses: array (models,), the loss of each.
        larger: number of parameters of the model to predict.

    Returns:
        k, α (above zero where larger models have lower losses) and the predicted loss.
    """
    slope, intercept = np.polyfit(np.log(parameters), np.log(losses), 1)
    k, alpha = np.exp(intercept), -slope
    return k, alpha, k * larger**-alpha

"""The mistakes that a GRU step invites, alone and together, for the check of exercise 03.3."""

from itertools import product

import numpy as np

from course_utils.numpy_ref.lstm import sigmoid

_SAID = {
    "writes": "in this exercise z = 1 keeps the old state, as in Keras and Cho; you used the "
    "form in which z = 1 writes",
    "before": "Keras multiplies first and resets afterwards: r times (h U + b₁), not (r·h) U",
    "no reset": "the reset gate is used nowhere: it scales what the candidate takes from h",
    "outside": "the recurrent bias b₁ sits inside the reset: r times (h U + b₁)",
    "both": "the reset scales only what comes from h, not x W + b₀",
    "bare": "the recurrent bias b₁ is missing in the candidate: r times (h U + b₁)",
    "no row 1": "the recurrent bias is missing: row 1 of b belongs to h U",
    "no row 0": "the bias of the input is missing: row 0 of b belongs to x W",
    "rows exchanged": "row 0 of b belongs to x W and row 1 to h U; yours are exchanged",
    "r, z": "the columns are in the order z, r, candidate; yours are r, z, candidate",
    "sigmoid": "the candidate is squashed by tanh: it has to be able to lower the state",
    "no tanh": "the candidate has to be squashed by tanh",
    "no 1-z": "the candidate has to be scaled by 1 - z",
    "all new": "the old state is missing: the new one is z·h + (1 - z)·candidate",
}


def mistakes(x, h, W, U, b):
    """Yield pairs (wrong new state, explanation) of the default GRU, single mistakes first."""
    choices = product(
        ("", "writes", "all new", "no 1-z"),
        ("", "before", "no reset", "outside", "bare", "both"),
        ("", "no row 1", "no row 0", "rows exchanged"),
        ("", "r, z", "sigmoid", "no tanh"),
    )
    _, *wrong = sorted(choices, key=lambda choice: sum(map(bool, choice)))
    for made in wrong:
        said = "; and ".join(_SAID[name] for name in made if name)
        yield _step(x, h, W, U, b, made), said


def _step(x, h, W, U, b, made):
    units = len(U)
    b = b * [["no row 0" not in made], ["no row 1" not in made]]
    b = b[::-1] if "rows exchanged" in made else b
    from_x, from_h = x @ W + b[0], h @ U + b[1]
    z, r = np.split(sigmoid(from_x + from_h)[:, : 2 * units], 2, axis=-1)
    z, r = (r, z) if "r, z" in made else (z, r)
    own = slice(2 * units, 3 * units)
    recurrent = r * from_h[:, own]
    if "before" in made:
        recurrent = (r * h) @ U[:, own] + b[1, own]
    elif "no reset" in made:
        recurrent = from_h[:, own]
    elif "outside" in made or "bare" in made:
        recurrent = r * (h @ U)[:, own] + ("outside" in made) * b[1, own]
    squash = {"sigmoid": sigmoid, "no tanh": np.asarray}.get(made[3], np.tanh)
    inner = from_x[:, own] * (r if "both" in made else 1) + recurrent
    candidate = squash(inner)
    if "no 1-z" in made:
        return z * h + candidate
    if "writes" in made:
        return (1 - z) * h + z * candidate
    return (1 - z) * candidate + ("all new" not in made) * z * h

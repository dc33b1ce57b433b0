"""What the checks share: reading an answer as numbers, and comparing it with the truth."""

import numpy as np

from course_utils.checks import require


def close(answer, truth):
    """Say whether two arrays are equal, with room for an answer computed in float32."""
    return answer.shape == truth.shape and np.allclose(answer, truth, rtol=1e-4, atol=1e-5)


def array(answer, shape, hint=""):
    """Return an answer (array, list, tensor) as float64, refused unless it has this shape."""
    try:
        answer = np.asarray(answer, dtype=float)
    except Exception:  # a tensor of any library raises its own kind
        require(False, f"{hint}the result should be an array of numbers, shape {shape}")
    require(
        answer.shape == shape,
        f"{hint}the result should have the shape {shape}, not {answer.shape}",
    )
    return answer


def number(answer):
    """Return an answer as one float, refused where it is none."""
    try:
        return float(answer)
    except Exception:  # a tensor of any library raises its own kind
        require(False, f"the result should be one number, not {answer!r}")


def refuse(answer, mistakes, same=close):
    """Refuse an answer that is a known mistake.

    Args:
        mistakes: pairs (wrong answers, explanation), the likeliest first.
        same: function of the answer and a wrong one.
    """
    for wrongs, explanation in mistakes:
        require(not any(same(answer, wrong) for wrong in wrongs), explanation)

"""Exercises of the sample lecture: a mean over words."""

import numpy as np

from course_utils.exercises import exercise
from lectures import lecture_09


@exercise(
    "09.1",
    lecture_09.masked_mean,
    mistakes=[
        ("lengths(kept)[:, None]", "x.shape[1]", "divide by the words, not by all places"),
        ("x * kept[:, :, None]", "x", "padding is added up, too"),
    ],
    takes=7,
    level=1,
    hints=["Multiply by `kept` before the sum.", "Divide by the sum of `kept`."],
    reasoning="A place that is multiplied by 0 adds nothing, and is not counted either.",
    solved="A mean that ignores padding does not change when a batch gets longer.",
)
def padded_texts(draw):
    """Draw batches of texts, the longest of which fills all places."""
    for batch, places, channels in ((3, 5, 2), (4, 7, 3)):
        kept = draw.permutation(places)[:, None] < places - 1
        words = (kept.T * np.ones((batch, 1))).astype("float64")
        words[0] = 1
        yield draw.normal(size=(batch, places, channels)), words

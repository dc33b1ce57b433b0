"""Long texts cut into rows of one length, and a rate that rises, stays and falls."""

import keras
import numpy as np
from keras import ops

from course_utils.data.arguments import share as check_share
from course_utils.data.arguments import whole_number
from course_utils.tokenizers import START

SHORTEST = 8


def windows(tokenizer, texts, length):
    """Rows of `length` ids out of long texts: int32 (rows, length), 0 behind the last token.

    Each row starts with <sos> and goes on where the row before it stopped; no row holds two
    texts. What is left of a text is dropped where it has fewer than 8 tokens, unless it is the
    whole text.

    tokenizer: one of `course_utils.tokenizers`. Raises ValueError for a length under 2.
    """
    whole_number("length", length, at_least=2)
    step, rows = length - 1, []
    for text in texts:
        ids = tokenizer.ids(str(text))
        starts = range(0, max(1, len(ids) - SHORTEST), step)
        rows += [[START, *ids[start : start + step]] for start in starts]
    filled = np.zeros((len(rows), length), "int32")
    for row, ids in zip(filled, rows, strict=True):
        row[: len(ids)] = ids
    return filled


@keras.saving.register_keras_serializable(package="course_utils")
class RiseStayFall(keras.optimizers.schedules.LearningRateSchedule):
    """From 0 to `rate` in `warm_up` steps, level, and to 0 over the last share `falling`.

    Where a budget is not known beforehand, the level part can simply go on: a snapshot taken
    there needs only a short fall of its own.

    rate: the highest one. Raises ValueError for steps or warm_up that are no whole number from
    1 on, or a share outside of 0 to 1.

    Source: Hägele et al., "Scaling laws and compute-optimal training beyond fixed training
    durations" (2024).
    """

    def __init__(self, rate, steps, warm_up=400, falling=0.3):
        whole_number("steps", steps, at_least=1)
        whole_number("warm_up", warm_up, at_least=1)
        check_share("falling", falling)
        self.settings = {"rate": rate, "steps": steps, "warm_up": warm_up, "falling": falling}

    def __call__(self, step):
        step = ops.cast(step, "float32")
        rate, steps, warm_up, falling = self.settings.values()
        rising = (step + 1) / warm_up
        left = (steps - step) / max(falling * steps, 1)
        return rate * ops.minimum(1.0, ops.minimum(rising, ops.maximum(left, 0.0)))

    def get_config(self):
        return self.settings

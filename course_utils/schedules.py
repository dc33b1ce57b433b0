"""Learning rates that rise first: the schedules of lectures 5 to 8b.

Each is one formula without a branch. Keras evaluates a schedule once for every weight of the
model, and with TensorFlow a branch costs more there than a small layer does.
"""

import math

import keras
from keras import ops

from course_utils.data.arguments import share as check_share
from course_utils.data.arguments import whole_number


@keras.saving.register_keras_serializable(package="course_utils")
class WarmUpCosine(keras.optimizers.schedules.LearningRateSchedule):
    """From 0 to `rate` in `warm_up` steps, then to 0 at step `steps` along a cosine.

    The values are those of `keras.optimizers.schedules.CosineDecay` with a warm-up.

    rate: the highest one. Raises ValueError for a warm_up that is no whole number from 0 on, or
    steps that are not more than it.

    Source: Loshchilov and Hutter, "SGDR: stochastic gradient descent with warm restarts"
    (2017), eq. 5; the linear rise: Goyal et al., "Accurate, large minibatch SGD" (2017), §2.2.
    """

    def __init__(self, rate, steps, warm_up=100):
        whole_number("warm_up", warm_up, at_least=0)
        whole_number("steps", steps, at_least=warm_up + 1)
        self.settings = {"rate": rate, "steps": steps, "warm_up": warm_up}

    def __call__(self, step):
        step = ops.cast(step, "float32")
        rate, steps, warm_up = self.settings.values()
        rising = step / warm_up if warm_up else 1.0
        done = ops.clip((step - warm_up) / (steps - warm_up), 0.0, 1.0)
        return rate * ops.minimum(rising, (1 + ops.cos(math.pi * done)) / 2)

    def get_config(self):
        return self.settings


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

"""A learning rate that rises first: the schedule of lectures 5 to 8c.

It is one formula without a branch. Keras evaluates a schedule once for every weight of the
model; with TensorFlow and sixty small weights, the branch in its own CosineDecay still made a
step a quarter slower (Keras 3.13).
"""

import math

import keras
from keras import ops

from course_utils.data.base import not_negative, whole_number


@keras.saving.register_keras_serializable(package="course_utils")
class WarmupCosine(keras.optimizers.schedules.LearningRateSchedule):
    """From 0 to `learning_rate` in `warmup_steps`, then to 0 at step `steps` along a cosine.

    The values are those of `keras.optimizers.schedules.CosineDecay` with a warm-up.

    learning_rate: the highest one. Raises ValueError for one under 0, a warmup_steps that is no
    whole number from 0 on, or steps that are not more than it.

    Source: Loshchilov and Hutter, "SGDR: stochastic gradient descent with warm restarts"
    (2017), eq. 5; the linear rise: Goyal et al., "Accurate, large minibatch SGD" (2017), §2.2.
    """

    def __init__(self, learning_rate, steps, warmup_steps=100):
        learning_rate = not_negative("learning_rate", learning_rate)
        warmup_steps = whole_number("warmup_steps", warmup_steps, at_least=0)
        steps = whole_number("steps", steps, at_least=1)
        if steps <= warmup_steps:
            raise ValueError(
                f"steps={steps} end within the warm-up of {warmup_steps}: take more steps or "
                "a smaller warmup_steps"
            )
        self.settings = {"learning_rate": learning_rate, "steps": steps}
        self.settings |= {"warmup_steps": warmup_steps}

    def __call__(self, step):
        step = ops.cast(step, "float32")
        learning_rate, steps, warmup_steps = self.settings.values()
        rising = step / warmup_steps if warmup_steps else 1.0
        done = ops.clip((step - warmup_steps) / (steps - warmup_steps), 0.0, 1.0)
        return learning_rate * ops.minimum(rising, (1 + ops.cos(math.pi * done)) / 2)

    def get_config(self):
        return self.settings

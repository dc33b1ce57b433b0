"""Why a model that mixes tokens by learned weights takes one size only, said as an error."""

import keras

REASON = (
    "the weights that mix tokens belong to places, one row for each: there are none for "
    "further ones, and to leave some out is not what was trained. Cut, pad or resize the "
    "input, or build a model of the new size"
)


def tokens_of(shape):
    """S of a shape (batch, S, channels). Raises ValueError where it is not known."""
    if len(shape) != 3 or shape[1] is None:
        raise ValueError(
            "mixing over tokens needs a shape (batch, tokens, channels) with a fixed number of "
            f"tokens, got {tuple(shape)}"
        )
    return shape[1]


def check_tokens(built, x):
    """Raise ValueError where x (batch, tokens, channels) has another number of tokens."""
    if isinstance(x.shape[1], int) and x.shape[1] != built:
        raise ValueError(
            f"this layer was built for {built} tokens and cannot take {x.shape[1]}: {REASON}"
        )


@keras.saving.register_keras_serializable(package="course_utils")
class FixedSize(keras.layers.Layer):
    """Hands its input on, if it has the one size that the model behind it can take.

    Call: x (batch, *size) → the same. size: (tokens,) for ids, (height, width, channels) for
    images.

    Raises ValueError for another size, and says why it cannot be taken.
    """

    def __init__(self, size, **kwargs):
        super().__init__(**kwargs)
        self.size = tuple(size)
        self.supports_masking = True

    def check(self, shape):
        """Raise ValueError unless shape, (batch, …), fits; unknown sides are let through."""
        got = tuple(shape)[1:]
        if len(got) != len(self.size) or any(
            isinstance(have, int) and have != want
            for have, want in zip(got, self.size, strict=True)
        ):
            reason = REASON
            if len(got) == 3 and got[:2] == self.size[:2]:
                reason = "the patches' matrix has one row for each number of a patch"
            raise ValueError(
                f"this model was built for {times(self.size)} and cannot take {times(got)}: "
                f"{reason}"
            )

    def call(self, x):
        self.check(x.shape)
        return keras.ops.reshape(x, (keras.ops.shape(x)[0], *self.size))

    def compute_output_shape(self, shape):
        self.check(shape)
        return (shape[0], *self.size)

    def get_config(self):
        return {**super().get_config(), "size": list(self.size)}


def times(size):
    """A size in words: 64 tokens, or 32 × 32 × 3."""
    sides = " × ".join(str(side) for side in size)
    return f"{sides} tokens" if len(size) == 1 else f"images of {sides}"

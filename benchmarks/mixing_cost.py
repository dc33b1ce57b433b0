"""Time a training step of four ways to mix tokens against S.

    python -m benchmarks.mixing_cost

A step is forward, backward and update (plain SGD, the cheapest) of one layer with a classifier
on top, on a batch of random vectors. The lengths of one layer are measured in turn, one round
after the other.
"""

import keras
from keras import layers

import course_utils as cu
from benchmarks import attention_cost
from benchmarks.attention_cost import BATCH, CHANNELS, HEADS, look_around
from benchmarks.timing import record_by_length

LECTURE = "08_mixer_gmlp"
FIXED = 256
LENGTHS = (64, 256, 512, 1024, 2048)


def mlp_over_tokens(x, mlp_dim):
    """Mixer's token mixing, as `MixerBlock` has it: transpose, two Dense layers, transpose."""
    turned = layers.Permute((2, 1))(x)
    turned = layers.Dense(mlp_dim, activation="gelu")(turned)
    return layers.Permute((2, 1))(layers.Dense(x.shape[1])(turned))


def gate(x):
    """The split gate on four times the channels, as many as a block's `U` makes."""
    return cu.layers.SpatialGatingUnit()(layers.Concatenate()([x] * 4))


LAYERS = {
    f"attention({CHANNELS}, {HEADS} heads)": look_around,
    f"token mixing, D_S = {FIXED}": lambda x: mlp_over_tokens(x, FIXED),
    "token mixing, D_S = 2 S": lambda x: mlp_over_tokens(x, 2 * x.shape[1]),
    "gate, one S × S matrix": gate,
}


def step(layer, length):
    """Return a function that takes one training step on `length` tokens."""
    return attention_cost.step(layer, length, keras.optimizers.SGD(0.1))


def main(repeats=15):
    """Measure, print and record."""
    of = f"batch of {BATCH}, {CHANNELS} channels"
    record_by_length(LECTURE, "mixing-cost", LAYERS, step, LENGTHS, of, repeats)


if __name__ == "__main__":
    main()

"""Time a training step of four ways to mix tokens against S, and token mixing in four forms.

    python -m benchmarks.mixing_cost

A step is forward, backward and update (plain SGD, the cheapest) of one layer with a classifier
on top, on a batch of random vectors. The lengths of one layer, and the forms of one length, are
measured in turn, one round after the other.
"""

import keras
from keras import layers, ops

import course_utils as cu
from benchmarks import attention_cost
from benchmarks.attention_cost import BATCH, CHANNELS, HEADS, look_around
from benchmarks.timing import interleaved

LECTURE = "08_mixer_gmlp"
FIXED = 256
LENGTHS = (64, 256, 512, 1024, 2048)
FORM_LENGTHS = (64, 256)
FORM_BATCH = 64


def mlp_over_tokens(x, mlp_dim):
    """Mixer's token mixing, as `MixerBlock` has it: turn, two Dense layers, turn back."""
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


class TokenProduct(layers.Layer):
    """Wᵀ x along the tokens, without turning x: by `matmul` or by `einsum`; no bias."""

    def __init__(self, units, form, **kwargs):
        super().__init__(**kwargs)
        self.units, self.form = units, form

    def build(self, x_shape):
        self.W = self.add_weight(shape=(x_shape[1], self.units), name="W")

    def call(self, x):
        if self.form == "einsum":
            return ops.einsum("btc,ts->bsc", x, self.W)
        return ops.matmul(ops.transpose(self.W), x)


def by_product(form):
    """Token mixing whose two maps multiply from the left."""

    def mix(x):
        hidden = keras.activations.gelu(TokenProduct(FIXED, form)(x))
        return TokenProduct(x.shape[1], form)(hidden)

    return mix


def by_convolution(x):
    """Token mixing as two convolutions of width 1 over the turned tokens."""
    turned = layers.Permute((2, 1))(x)
    turned = layers.Conv1D(FIXED, 1, activation="gelu")(turned)
    return layers.Permute((2, 1))(layers.Conv1D(x.shape[1], 1)(turned))


FORMS = {
    "turn, Dense (the layer's)": lambda x: mlp_over_tokens(x, FIXED),
    "matmul from the left": by_product("matmul"),
    "einsum": by_product("einsum"),
    "turn, Conv1D of width 1": by_convolution,
}


def step(layer, length, batch=BATCH):
    """Return a function that takes one training step on `length` tokens."""
    return attention_cost.step(layer, length, batch, keras.optimizers.SGD(0.1))


def main(repeats=15):
    """Measure, print and record both tables."""
    session = cu.start(seed=0)
    suffix = "" if session.backend == "tensorflow" else f"-{session.backend}"
    rows = []
    for name, make in LAYERS.items():
        taken = interleaved({length: step(make, length) for length in LENGTHS}, repeats)
        for length, seconds in taken.items():
            rows.append({"layer": name, "length": length, "milliseconds": seconds * 1000})
            print(f"{name:28} {length:5} {seconds * 1000:8.1f} ms", flush=True)
    note = (
        f"milliseconds a training step with {session.backend}: batch of {BATCH}, {CHANNELS} "
        f"channels, median of {repeats}"
    )
    cu.results.record_table(LECTURE, f"mixing-cost{suffix}", rows, note)
    rows = []
    for length in FORM_LENGTHS:
        cases = {form: step(make, length, FORM_BATCH) for form, make in FORMS.items()}
        taken = interleaved(cases, repeats)
        first = next(iter(taken.values()))
        rows += [
            {"form": form, "length": length, "ratio": seconds / first}
            for form, seconds in taken.items()
        ]
    note = (
        f"a training step with {session.backend}, the layer's form = 1: batch of {FORM_BATCH}, "
        f"{CHANNELS} channels, D_S {FIXED}, median of {repeats}"
    )
    cu.results.record_table(LECTURE, f"token-mixing-forms{suffix}", rows, note)
    for row in rows:
        print(f"{row['form']:28} {row['length']:5} {row['ratio']:8.2f}", flush=True)


if __name__ == "__main__":
    main()

"""Recurrent layers whose step is linear in the state, so that a scan computes all at once.

Source of minGRU: Feng et al., "Were RNNs all we needed?" (2024), section 3.1.
"""

import keras
import numpy as np
from keras import layers, ops

from course_utils.data.base import whole_number


def combine(earlier, later):
    """Two steps of the form h → a ⊙ h + b as one step: first `earlier`, then `later`.

    earlier, later: pairs (a, b) of tensors of one shape.
    Returns the pair (a, b) of the one step.
    """
    a_earlier, b_earlier = earlier
    a_later, b_later = later
    return a_later * a_earlier, a_later * b_earlier + b_later


def doubling_scan(kept, written, combine=combine):
    """All states of h_t = kept_t ⊙ h_{t−1} + written_t from h_{−1} = 0, in log₂ S passes.

    The first pass combines each step with the step before it, the second with the two before
    those, then four, eight, …: the dilations of lecture 4.

    kept, written: (batch, S, …). Returns the states (batch, S, …).
    Source: Hillis and Steele, "Data parallel algorithms" (1986).
    """
    reach, steps = 1, written.shape[1]
    while reach < steps:
        shift = [[0, 0], [reach, 0]] + [[0, 0]] * (len(written.shape) - 2)
        # Before the first step stands the step 1·h + 0.
        a = ops.pad(kept[:, :-reach], shift, constant_values=1)
        b = ops.pad(written[:, :-reach], shift)
        kept, written = combine((a, b), (kept, written))
        reach *= 2
    return written


def linear_scan(kept, written):
    """The states of `doubling_scan`, by Keras' own scan where it works: about 2·S combinations.

    In TensorFlow, Keras 3.15's `associative_scan` needs a batch size that is known beforehand.
    """
    if keras.backend.backend() == "tensorflow":
        return doubling_scan(kept, written)
    return ops.associative_scan(combine, (kept, written), axis=1)[1]


def starting_at(values):
    """An initializer that starts a weight at `values`, which broadcast to its shape."""
    return lambda shape, dtype=None: ops.cast(np.broadcast_to(values, shape), dtype)


class MinGRUGates(layers.Layer):
    """The gate and the candidate of minGRU, a GRU in which both read the input alone.

        z_t = σ(x_t W_z + b_z)    g_t = x_t W_g + b_g

    b_z starts at −3: a new layer keeps 0.95 a step.
    """

    def __init__(self, units, **kwargs):
        super().__init__(**kwargs)
        whole_number("units", units, at_least=1)
        self.units = self.state_size = self.output_size = units

    def build(self, inputs_shape):
        start = np.repeat([-3.0, 0.0], self.units)
        self.kernel = self.add_weight(shape=(inputs_shape[-1], 2 * self.units), name="kernel")
        self.bias = self.add_weight(
            shape=start.shape, initializer=starting_at(start), name="bias"
        )

    def gates(self, inputs):
        """The two parts of the step h_t = kept_t ⊙ h_{t−1} + written_t, which do not need h.

        In `self.kernel` (channels, 2·units) and `self.bias` (2·units,) the columns of z come
        first, then those of g.

        inputs: (…, channels): one token, or all at once.
        Returns the pair kept, written: (…, units) each.
        """
        z, g = ops.split(ops.matmul(inputs, self.kernel) + self.bias, 2, axis=-1)
        z = ops.sigmoid(z)
        return 1 - z, z * g

    def get_config(self):
        return super().get_config() | {"units": self.units}


@keras.saving.register_keras_serializable(package="course_utils")
class MinGRUCell(MinGRUGates):
    """One step of minGRU, h_t = (1 − z_t) ⊙ h_{t−1} + z_t ⊙ g_t.

    For `keras.layers.RNN`, which computes the states as a loop, or for `ScannedRNN`.
    """

    def call(self, inputs, states):
        """Read one more token, as `keras.layers.RNN` asks it of a cell.

        `self.gates(inputs)` gives kept_t and written_t.

        Args:
            inputs: the token x_t (batch, channels).
            states: a list of one state, [h_{t−1}], (batch, units).

        Returns:
            The output, which is h_t, and the list of the new state, [h_t].
        """
        kept, written = self.gates(inputs)
        h = kept * states[0] + written
        return h, [h]


@keras.saving.register_keras_serializable(package="course_utils")
class ScannedRNN(layers.RNN):
    """`keras.layers.RNN` for a cell that is linear in its state: all steps at once, by a scan.

    cell: a layer with `gates(inputs)`, such as `MinGRUCell(32)`. All else is as in Keras:
    `return_sequences`, `go_backwards`, `initial_state`, masks, and `Bidirectional` around it.
    Raises ValueError for a sequence of no step.
    """

    def call(self, sequences, initial_state=None, mask=None, training=False):
        if sequences.shape[1] == 0:
            raise ValueError(f"{self.name} got a sequence of no step: {tuple(sequences.shape)}")
        return super().call(sequences, initial_state, mask, training)

    def inner_loop(self, sequences, initial_state, mask, training=False):
        """Compute all states at once; Keras calls this in the place of its loop.

        `self.cell.gates(sequences)` gives kept and written, (batch, S, units) each;
        `linear_scan(kept, written)` computes h_t = kept_t ⊙ h_{t−1} + written_t for all t, with
        h = 0 before the first step.

        Args:
            sequences: (batch, S, channels), to be read from the end if `self.go_backwards`
                is True; the states then come in the order in which they were computed.
            initial_state: a list of one state before the first step (batch, units).
            mask: None, or (batch, S), True = a real token. A hidden step leaves h as it is.

        Returns:
            Three things: the last state (batch, units), all states (batch, S, units), and the
            list of the last state.
        """
        kept, written = self.cell.gates(sequences)
        if mask is not None:
            real = ops.cast(mask, "bool")[..., None]
            kept, written = ops.where(real, kept, 1), ops.where(real, written, 0)
        if self.go_backwards:
            kept, written = ops.flip(kept, axis=1), ops.flip(written, axis=1)
        first = written[:, :1] + kept[:, :1] * initial_state[0][:, None]
        states = linear_scan(kept, ops.concatenate([first, written[:, 1:]], axis=1))
        return states[:, -1], states, [states[:, -1]]


@keras.saving.register_keras_serializable(package="course_utils")
class SelectiveState(layers.Layer):
    """The selective state of Mamba: N numbers of state a unit, written and read by the input.

        u_t = x_t W_u    Δ_t = softplus(x_t W_Δ + b_Δ)    k_t = x_t W_k    q_t = x_t W_q
        H_t = exp(−Δ_t ⊙ A) ⊙ H_{t−1} + (Δ_t ⊙ u_t) ⊗ k_t       y_t = H_t q_t + D ⊙ u_t

    u, Δ (units,); k, q (N,), which the paper calls B and C; H, A (units, N). A starts at
    1, …, N in every row, b_Δ at −3, D at 1. Left out of Mamba's block: the widening and the
    short convolution before it, the gate and the projection after it, the low rank of W_Δ.
    Other than in the paper's algorithm: written is Δ ⊙ u ⊗ k instead of the zero-order hold,
    as in the authors' code, and b_Δ starts at one value for all units.

    Call: inputs (batch, S, channels); mask (batch, S), True = a real token: a hidden step
    leaves H as it is. Returns y (batch, S, units).

    Source: Gu and Dao, "Mamba: linear-time sequence modeling with selective state spaces"
    (2023), algorithm 2.
    """

    def __init__(self, units, state=4, **kwargs):
        super().__init__(**kwargs)
        self.units, self.state, self.supports_masking = units, state, True

    def build(self, inputs_shape):
        wide, rates = inputs_shape[-1], np.log(np.arange(1, self.state + 1))
        self.W_u = self.add_weight(shape=(wide, self.units), name="W_u")
        self.W_delta = self.add_weight(shape=(wide, self.units), name="W_delta")
        self.b_delta = self.add_weight(
            shape=(self.units,), initializer=starting_at(-3.0), name="b_delta"
        )
        self.W_k = self.add_weight(shape=(wide, self.state), name="W_k")
        self.W_q = self.add_weight(shape=(wide, self.state), name="W_q")
        self.log_A = self.add_weight(
            shape=(self.units, self.state), initializer=starting_at(rates), name="log_A"
        )
        self.D = self.add_weight(shape=(self.units,), initializer="ones", name="D")

    def call(self, inputs, mask=None):
        u, delta = inputs @ self.W_u, ops.softplus(inputs @ self.W_delta + self.b_delta)
        if mask is not None:
            real = ops.cast(mask, "bool")[..., None]
            u, delta = ops.where(real, u, 0), ops.where(real, delta, 0)
        k, q = ((inputs @ W)[..., None, :] for W in (self.W_k, self.W_q))
        H = linear_scan(
            ops.exp(-delta[..., None] * ops.exp(self.log_A)), (delta * u)[..., None] * k
        )
        return ops.sum(H * q, axis=-1) + self.D * u

    def get_config(self):
        return super().get_config() | {"units": self.units, "state": self.state}

    def compute_output_shape(self, inputs_shape):
        return (*inputs_shape[:-1], self.units)

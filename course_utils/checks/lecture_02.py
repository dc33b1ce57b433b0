"""Checks of lecture 02: the simple recurrent network."""

import numpy as np

from course_utils.checks import call, exercise, require
from course_utils.checks.answers import array, close, number
from course_utils.numpy_ref import simple_rnn


@exercise(
    "02.1",
    solved="Nearly all of it is embedding; the loop costs the same for 5 words and for 500.",
)
def parameters(answer):
    """Parameters of an embedding, a SimpleRNN and one output neuron."""
    for vocab_size, size, units in [(10_000, 32, 10), (500, 7, 3), (90, 4, 6)]:
        got = number(call(answer, vocab_size, size, units))
        loop = units**2 + units * size + units
        neuron = units + 1
        truth = vocab_size * size + loop + neuron
        rest = vocab_size * size + neuron
        why = f"for ({vocab_size}, {size}, {units}) it is {truth:,}, and you have {got:,.10g}"
        require(
            got not in (rest + 2 * units**2 + units, rest + 2 * units**2),
            f"{why}: W is not (units, units); it has as many rows as the vector of a word",
        )
        require(
            got != truth - units,
            f"{why}: the loop's bias is missing, one number a unit (or the neuron's weights)",
        )
        require(got != truth - 1, f"{why}: the output neuron has a bias too")
        require(got != truth - neuron, f"{why}: the output neuron is missing")
        require(got != loop + neuron, f"{why}: the embedding is missing, one vector a word")
        require(got == truth, f"{why}: add up embedding, W, U, b, and the neuron's weights")


@exercise(
    "02.2", solved="One line, and all of the network: put it in a loop and it reads any text."
)
def one_step(answer):
    """One step of the loop for a batch."""
    generator = np.random.default_rng(0)
    x, h = generator.normal(size=(4, 3)), generator.normal(size=(4, 5))
    W, U, b = (generator.normal(size=shape) for shape in [(3, 5), (5, 5), (5,)])
    got = array(call(answer, *(part.copy() for part in (x, h, W, U, b))), (4, 5))
    require(
        not close(got, np.tanh(x @ W + h @ U.T + b)),
        "no transpose: the state is a row and is multiplied from the left, h @ U; "
        "U.T runs too, because U is square, but it is another network",
    )
    require(
        not any(
            close(got, wrong)
            for wrong in (
                np.tanh(x @ W) + h @ U + b,
                x @ W + np.tanh(h @ U) + b,
                np.tanh(x @ W + b) + h @ U,
                x @ W + np.tanh(h @ U + b),
                np.tanh(x @ W) + np.tanh(h @ U) + b,
                np.tanh(x @ W + h @ U) + b,
            )
        ),
        "squash the whole sum: the tanh goes around all three terms",
    )
    require(not close(got, x @ W + h @ U + b), "the tanh is missing: squash the sum")
    require(not close(got, np.tanh(x @ W + h @ U)), "the bias b is missing")
    require(
        close(got, simple_rnn.step(x, h, W, U, b)), "it should be tanh(x_t W + h_before U + b)"
    )


@exercise("02.3", solved="A mask does this for you, at every step, and batches of any lengths.")
def last_real_state(answer):
    """The state after each text's last real word."""
    states = np.random.default_rng(0).normal(size=(4, 6, 3))
    lengths = np.array([6, 4, 1, 5])
    texts = np.arange(4)
    # The first text has no pads: its length as an index would raise before it explains.
    got = array(
        call(answer, states[1:].copy(), lengths[1:].copy()), (3, 3), "one state a text: "
    )
    require(
        not close(got, states[1:][:, -1]),
        "that is the state after the pads: without a mask the loop has gone on over them",
    )
    require(
        not close(got, states[texts[1:], lengths[1:]]),
        "off by one: steps are counted from 0, so a text of 4 words ends at step 3",
    )
    got = array(call(answer, states.copy(), lengths.copy()), (4, 3))
    require(
        close(got, states[texts, lengths - 1]),
        "some text's state is not the one after its last word: for a text of n words take "
        "step n - 1 of that text",
    )


@exercise("02.4", solved="Every matrix gets what it met, times the error behind it.")
def gradient_of_U(answer):
    """∇U from all states and what reaches them."""
    generator = np.random.default_rng(0)
    states = np.tanh(generator.normal(size=(7, 4)))
    reaching = generator.normal(size=(7, 4))
    inner = (1 - states**2) * reaching
    before = np.concatenate([np.zeros((1, 4)), states[:-1]])
    got = array(call(answer, states.copy(), reaching.copy()), (4, 4))
    require(
        not close(got, states.T @ inner),
        "U met the previous state: at step t it was multiplied by h_(t-1), not by h_t",
    )
    require(
        not close(got, before.T @ reaching),
        "the gradient passes through the tanh first: multiply what reaches the state by 1 - h²",
    )
    require(
        not close(got, states.T @ reaching),
        "two things: U met the previous state h_(t-1), and the gradient passes the tanh",
    )
    require(
        not close(got, np.roll(states, 1, axis=0).T @ inner),
        "at the first step U met h_0 = 0, not the last state of the text",
    )
    require(
        not close(got, before.T @ ((1 - before**2) * reaching)),
        "the slope of tanh at step t is 1 - h_t²: of the state that the step made",
    )
    require(
        not close(got, inner.T @ before),
        "transposed: rows belong to the state that U met, columns to the units behind it",
    )
    require(close(got, before.T @ inner), "it should be the sum of h_(t-1)ᵀ a_t over all steps")


@exercise("02.5", solved="The state goes on from chunk to chunk; only the gradient stops.")
def truncated_gradient_of_U(answer):
    """∇U with the gradient stopped at every multiple of k steps."""
    generator = np.random.default_rng(0)
    states = np.tanh(generator.normal(size=(11, 4)))
    errors = generator.normal(size=(11, 5))
    U, V = generator.normal(size=(4, 4)), generator.normal(size=(4, 5))

    def got(k):
        return array(call(answer, states.copy(), errors.copy(), U.copy(), V.copy(), k), (4, 4))

    mine = got(3)
    require(
        not close(mine, _truncated(states, errors, U, V, 3, fresh_states=True)),
        "the state goes on: at the first step of a chunk U still met the state before it; only "
        "the gradient stops there",
    )
    require(
        not any(
            close(mine, _truncated(states, errors * kept[:, None], U, V, 3))
            for kept in (np.arange(11) >= 9, np.arange(11) >= 8, np.arange(11) == 10)
        ),
        "the early losses are missing: every step's error counts, each within its own chunk",
    )
    require(
        not close(mine, _truncated(states, errors, U, V, 11)),
        "nothing is cut: between chunks what is carried back has to become zero",
    )
    require(
        not any(close(mine, _truncated(states, errors, U, V, 3, at=at)) for at in (1, 2)),
        "cut at the wrong step: counted from 0, chunks begin at t = 0, k, 2k, …, and what "
        "is carried out of such a step is dropped",
    )
    require(
        not close(mine, _truncated(states, errors, U, V, 3, slope=False)),
        "the gradient passes through the tanh first: multiply what reaches the state by 1 - h²",
    )
    require(
        not close(mine, _truncated(states, errors, U, V, 3).T),
        "transposed: rows belong to the state that U met, columns to the units behind it",
    )
    require(
        close(mine, _truncated(states, errors, U, V, 3)),
        "not the truncated gradient yet: try k as long as the text, where it has to give the "
        "whole gradient",
    )
    for k in (1, 4, 11):
        require(
            close(got(k), _truncated(states, errors, U, V, k)),
            f"right for chunks of 3 steps, wrong for chunks of {k}",
        )


def _truncated(states, errors, U, V, k, fresh_states=False, at=0, slope=True):
    gradient, carried = np.zeros_like(U), np.zeros(len(U))
    for t in reversed(range(len(states))):
        inner = (1 - slope * states[t] ** 2) * (errors[t] @ V.T + carried)
        if t > 0 and not (fresh_states and t % k == 0):
            gradient += np.outer(states[t - 1], inner)
        carried = np.zeros(len(U)) if t % k == at else inner @ U.T
    return gradient

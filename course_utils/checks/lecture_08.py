"""Checks of lecture 08: token mixing, counting a Mixer, the gate and how it starts."""

import numpy as np

from course_utils.checks import call, exercise, require
from course_utils.checks.answers import array, close, number, refuse
from course_utils.lectures.lecture_06 import layer_norm
from course_utils.models.mlp import MLP_SIZES
from course_utils.numpy_ref.gmlp import spatial
from course_utils.numpy_ref.mixer import gelu, gelu_tanh
from course_utils.numpy_ref.mlp_cost import mixer_parameters


def _norm(x):
    return layer_norm(x, 1.0, 0.0)


@exercise("08.1", solved="Two turns, and a network for channels has become one for tokens.")
def token_mixing(answer):
    """x plus the two maps along its tokens."""
    draw = np.random.default_rng(0)
    for tokens, channels in [(5, 5), (4, 6)]:
        x = draw.normal(size=(tokens, channels))
        W_1, W_2 = draw.normal(size=(tokens, 3)), draw.normal(size=(3, tokens))
        got = array(
            call(answer, x.copy(), W_1.copy(), W_2.copy()),
            x.shape,
            "as many tokens and channels come out as go in; is the turn back missing? ",
        )

        def mixed(x, activation=gelu, W_1=W_1, W_2=W_2):
            return (activation(x.T @ W_1) @ W_2).T

        truth = x + mixed(_norm(x))
        over_tokens = "normalise each token over its channels first, and turn then"
        mistakes = [
            ([mixed(_norm(x))], "x is missing: what is mixed is added to what came in"),
            (
                [_norm(x) + mixed(_norm(x))],
                "the norm was added: the road past the block carries x as it came",
            ),
            ([x + mixed(x)], "the norm is missing: only what is mixed is normalised"),
            ([x + mixed(_norm(x.T).T)], f"the norm went over the tokens: {over_tokens}"),
            ([x + mixed(_norm(x), lambda y: y)], "without σ two maps are only one: GELU"),
            ([x + mixed(_norm(x), lambda y: np.maximum(y, 0))], "that is ReLU: take GELU"),
            ([x + mixed(_norm(x), gelu_tanh)], "close: that is GELU by tanh; take x Φ(x)"),
        ]
        if tokens == channels:
            by_channels = gelu(_norm(x) @ W_1) @ W_2
            unturned = mixed(_norm(x)).T
            mistakes.append(([unturned, x + unturned], "the turn back is missing: (…)ᵀ again"))
            mistakes.append(
                (
                    [x + by_channels, by_channels, x + by_channels.T],
                    "the channels were mixed: nothing was turned, S appears nowhere in your "
                    "products (here S equals C, so no shape complained)",
                )
            )
        refuse(got, mistakes)
        require(close(got, truth), "x + (GELU(norm(x)ᵀ W_1) W_2)ᵀ, the norm over the channels")


@exercise(
    "08.2",
    solved="More tokens are not more weights: the stem shrinks by more than W_1, W_2 grow.",
)
def count_mixer(answer):
    """A Mixer's number of weights."""
    for size in ("S/32", "S/16", "B/16"):
        settings = MLP_SIZES["mixer"][size]
        got = number(call(answer, *settings.values()))
        truth = sum(mixer_parameters(**settings).values())
        short = truth - got
        patch, C = settings["patch"], settings["embed_dim"]
        D_S, D_C = settings["token_mlp_dim"], settings["channel_mlp_dim"]
        blocks, S = settings["num_layers"], (224 // patch) ** 2
        why = f"{size} has {truth:,}, and you have {got:,.0f}"
        grown = dict(settings, token_mlp_dim=D_S * S // 49)
        biases = blocks * (D_S + S + D_C + C)
        mistakes = [
            (2 * C * blocks, f"{2 * C * blocks:,} short: two norms a block, not one"),
            (4 * C * blocks, "the blocks' norms are missing: two, with gain and shift each"),
            (2 * C, f"{2 * C:,} short: the norm behind the last block"),
            (2 * C * blocks + 2 * C, "one norm a block, and one behind the last, are missing"),
            (C * 1000 + 1000, "the head is missing: C · 1,000 + 1,000"),
            (1000, "1,000 short: the head's bias"),
            (C, f"{C} short: the bias of the patches' projection"),
            (2 * patch**2 * C, "a patch has patch · patch · 3 numbers: the three colours"),
            (biases, "the biases of the two networks are missing"),
            (biases + C + 1000, "all biases are missing"),
            (
                truth - sum(mixer_parameters(**grown).values()),
                "D_S has grown with S: it is chosen apart, and is the same for both sizes",
            ),
            (-S * C, "those are positions: a Mixer has none"),
            (-(C + S * C), "those are a class token and positions: a Mixer has neither"),
        ]
        for missing, explanation in mistakes:
            require(missing == 0 or abs(short - missing) > 0.5, f"{why}: {explanation}")
        require(
            abs(short) < 0.5,
            f"{why}: projection, then a block's two norms and four maps with their biases, "
            "the last norm, the head",
        )


@exercise("08.3", solved="A fresh gate is open and deaf; learning W is learning to listen.")
def gate(answer):
    """The split gate, and how it starts."""
    require(
        isinstance(answer, (tuple, list)) and len(answer) == 2,
        "hand over both functions: (gate, fresh)",
    )
    unit, fresh = answer
    draw = np.random.default_rng(1)
    for tokens, width in [(4, 4), (3, 5)]:
        z = draw.normal(size=(tokens, 2 * width))
        W, b = draw.normal(size=(tokens, tokens)), draw.normal(size=tokens)
        got = array(
            call(unit, z.copy(), W.copy(), b.copy()),
            (tokens, width),
            "half as many channels come out as go in: ",
        )
        z_1, z_2 = z[:, :width], z[:, width:]
        truth = z_1 * spatial(_norm(z_2), W, b)
        whole = _norm(z)[:, width:]
        mistakes = [
            ([spatial(_norm(z_2), W, b)], "nothing is gated: multiply by the first half"),
            (
                [z_2 * spatial(_norm(z_2), W, b), z_1 * spatial(_norm(z_1), W, b)],
                "both factors come from one half: one half gates the other",
            ),
            (
                [z_2 * spatial(_norm(z_1), W, b)],
                "the halves are swapped: the second one is normed and mixed",
            ),
            ([z_1 + spatial(_norm(z_2), W, b)], "that is a sum: a gate multiplies"),
            ([z_1 * spatial(z_2, W, b)], "the norm of the second half is missing"),
            ([z_1 * spatial(whole, W, b)], "split first: the norm belongs to the second half"),
            ([_norm(z_1) * spatial(_norm(z_2), W, b)], "the first half goes in as it is"),
            ([z_1 * spatial(_norm(z_2), W.T, b)], "Wᵀ is used: row i of W is output token i"),
            ([z_1 * (W @ _norm(z_2))], "b is missing"),
        ]
        if tokens == width:
            along = z_1 * (W @ _norm(z_2) + b)
            mistakes.append(([along], "b has one number a token: b[:, None]"))
        refuse(got, mistakes)
        require(close(got, truth), "z_1 · (W norm(z_2) + b), where b has one number a token")
    for tokens in (4, 16):
        start = call(fresh, tokens)
        require(isinstance(start, (tuple, list)) and len(start) == 2, "fresh returns (W, b)")
        W = array(start[0], (tokens, tokens), "W: ")
        b = array(start[1], (tokens,), "b: ")
        require(
            np.abs(b).max() > 0,
            "b is zero: then the gate is shut, and the block returns its input; a fresh block "
            "should be a feed-forward network",
        )
        require(np.allclose(b, 1, atol=1e-3), "b has to be 1, so that z_1 passes as it is")
        require(
            np.abs(W).max() < 1e-3,
            "W has to be near zero: so large a W mixes tokens before it has learned whom to "
            "listen to",
        )

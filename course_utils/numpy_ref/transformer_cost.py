"""What a Transformer costs, by formula: parameters, operations of training, of one layer.

Source: Vaswani et al., "Attention is all you need" (2017): table 1 (a layer's operations),
table 2 (training cost), table 3 (sizes), section 5 (batches, steps, hours).
"""

import math

from course_utils.data.base import one_of
from course_utils.models import SIZES

WORDS = 37_000  # section 5.1: one byte-pair vocabulary for both languages

# "printed": what the paper's tables say; the rest of a row is where the formulas start.
RUNS = {
    "base": {
        "steps": 100_000,
        "hours": 12,
        "printed": {"parameters": 65e6, "operations": 3.3e18},
    },
    "big": {
        "steps": 300_000,
        "hours": 84,
        "printed": {"parameters": 213e6, "operations": 2.3e19},
    },
}
PAPER = {size: SIZES["transformer"][size] | run for size, run in RUNS.items()}


def parameters(
    embed_dim, mlp_dim, num_layers, vocab_size=WORDS, shared=True, attention_bias=False
):
    """Count an encoder–decoder's weights, part by part; their sum is the whole.

    Args:
        embed_dim, mlp_dim: widths of a token's vector and of the feed-forward network.
        num_layers: how many in the encoder, and as many in the decoder.
        vocab_size: entries of the one vocabulary.
        shared: one table for source, target and output, as published; else three.
        attention_bias: whether W^Q, W^K, W^V and W^O have biases; published: no.

    Returns:
        A dictionary from a part's name to its number of weights. Norms stand behind each part
        of a block (post-norm), with none at the ends.
    """
    attention = 4 * (embed_dim * embed_dim + attention_bias * embed_dim)
    feed_forward = 2 * embed_dim * mlp_dim + mlp_dim + embed_dim
    return {
        "embeddings": vocab_size * embed_dim * (1 if shared else 2),
        "encoder attention": num_layers * attention,
        "encoder feed-forward": num_layers * feed_forward,
        "decoder attention": num_layers * attention,
        "decoder cross-attention": num_layers * attention,
        "decoder feed-forward": num_layers * feed_forward,
        "norms": num_layers * (2 + 3) * 2 * embed_dim,
        "output": 0 if shared else vocab_size * embed_dim,
    }


def training_operations(
    embed_dim, mlp_dim, num_layers, steps, vocab_size=WORDS, tokens=25_000, length=30
):
    """Count the additions and multiplications of a training run, part by part.

    A weight that a token passes costs 6: one multiplication and one addition forwards, twice
    as many backwards. Looking a word up costs nothing; the output table is multiplied in full.
    Scores and averages have no weights: forwards 4·d for each pair of tokens, 12·d in all.

    Args:
        tokens: in a batch, of the source; as many of the target.
        length: tokens of a sentence, for the pairs (our assumption; the paper says nothing).

    Returns:
        A dictionary: "encoder", "decoder" and "output" by 6 · weights · tokens, and "pairs",
        the attention's S² term, with nothing saved for the causal mask.
    """
    count = parameters(embed_dim, mlp_dim, num_layers, vocab_size)
    passes = 6 * tokens * steps
    return {
        "encoder": passes * (count["encoder attention"] + count["encoder feed-forward"]),
        "decoder": passes
        * sum(count[f"decoder {x}"] for x in ("attention", "cross-attention", "feed-forward")),
        "output": passes * vocab_size * embed_dim,
        "pairs": 3 * num_layers * 12 * embed_dim * length * tokens * steps,
    }


def machine_operations(hours, machines=8, each_second=9.5e12):
    """The paper's own estimate: how long, on how many GPUs, how many operations each sustains.

    It bounds from above what was computed; 9.5e12 is the paper's figure for a P100.
    """
    return hours * 3600 * machines * each_second


LAYERS = ("attention", "recurrent", "convolution", "restricted attention")


def layer_cost(kind, length, embed_dim, kernel=3, reach=None):
    """Return a row of the paper's table 1: what one layer costs over `length` tokens.

    Args:
        kind: "attention", "recurrent", "convolution" or "restricted attention".
        kernel: width of the convolution.
        reach: how many neighbours restricted attention looks at; all, if None.

    Returns:
        "operations" (orders, without their constants), "in turn" (how many of them have to
        wait for each other) and "path" (the longest way from one token to another, in steps;
        for a convolution, that of a dilated stack).

    Raises:
        ValueError: for another kind.
    """
    one_of("kind", kind, LAYERS)
    reach = min(reach or length, length)
    operations, in_turn, path = {
        "attention": (length**2 * embed_dim, 1, 1),
        "recurrent": (length * embed_dim**2, length, length),
        "convolution": (
            kernel * length * embed_dim**2,
            1,
            max(1, math.log(length, max(kernel, 2))),
        ),
        "restricted attention": (reach * length * embed_dim, 1, length / reach),
    }[kind]
    return {"operations": operations, "in turn": in_turn, "path": path}

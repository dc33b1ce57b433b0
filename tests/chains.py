"""Models whose words are known beforehand, and decoding without a cache."""

import numpy as np
from keras import ops

PAD, START, END = 0, 2, 3
WORDS = 12
SIZES = {"embed_dim": 8, "num_heads": 2, "mlp_dim": 12, "num_layers": 2, "max_length": 40}


class Chain:
    """A model on paper: the next word hangs on the last one alone; it counts its steps.

    chances: {word: {next word: chance}}; whoever is not named goes to <eos>.
    """

    variables = ()

    def __init__(self, chances, words=8):
        table = np.full((words, words), -np.inf, "float32")
        table[:, END] = 0.0
        for word, behind in chances.items():
            table[word, END] = -np.inf
            for following, chance in behind.items():
                table[word, following] = np.log(chance)
        self.table, self.steps = table, 0

    def start(self, source, length):
        batch = source if isinstance(source, int) else source.shape[0]
        return {"nothing": ops.zeros((batch, 1))}

    def step(self, tokens, position, state):
        self.steps += 1
        return ops.take(ops.convert_to_tensor(self.table), tokens, axis=0), state


def without_pads(logits):
    """The logits with <pad>, which no text has inside, as unlikely as can be."""
    logits = np.array(logits, float)
    logits[..., PAD] = -np.inf
    return logits


def rerun(ask, tokens, length):
    """Greedy without a cache: the whole beginning through the whole model at each step."""
    while tokens.shape[1] < length:
        following = without_pads(ask(tokens))[:, -1].argmax(axis=-1)
        tokens = np.concatenate([tokens, following[:, None]], axis=1)
    ended = np.cumsum(tokens == END, axis=1) - (tokens == END)
    return np.where(ended > 0, PAD, tokens)

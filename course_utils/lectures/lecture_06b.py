"""Lab 06b: pre-training."""

import numpy as np


def tokens_per_word(ids, texts):
    """Return how many tokens a tokenizer needs per word, over all texts together.

    Args:
        ids: int (texts, length), 0 behind the end of each text; no other id is padding.
        texts: the same texts as list of str; words are what `str.split` gives.
    """
    return (ids != 0).sum() / sum(len(text.split()) for text in texts)


def hide_tokens(ids, special, mask_id, chance, noise):
    """Hide tokens for a masked language model; `chance` and `noise` are drawn beforehand.

    A position is chosen where chance < 0.15 and its id is not in `special`. A chosen one is
    replaced by `mask_id` where chance < 0.12 and by its id in `noise` where 0.12 <= chance <
    0.135; otherwise it stays as it is.

    Args:
        ids: int (batch, length).
        special: ids that are never chosen. mask_id: the id of the mask.
        chance: float (batch, length) from 0 to 1. noise: int (batch, length).

    Returns:
        Two arrays like ids: the inputs, and the targets, which hold the old id at all chosen
        positions and -1 elsewhere.
    """
    chosen = (chance < 0.15) & ~np.isin(ids, special)
    inputs = np.where(chosen & (chance < 0.135), noise, ids)
    inputs = np.where(chosen & (chance < 0.12), mask_id, inputs)
    return inputs, np.where(chosen, ids, -1)


def compare_arms(arms, labels, count, seed):
    """Compare ways to train ("arms") on the same few labelled examples.

    Args:
        arms: dict from a name to a function `train(rows)`, which returns {"val_accuracy":
            list, "test_accuracy": list}, a number an epoch each. Every arm is trained once.
        labels: int (examples,), 0 or 1; rows are positions in it.
        count: how many different rows to draw from `np.random.default_rng(seed)`, half of
            each label, the same for all arms: an int array (count,).

    Returns:
        dict from a name to the test accuracy of the epoch with the best validation accuracy.
    """
    generator = np.random.default_rng(seed)
    groups = [np.flatnonzero(labels == label) for label in (0, 1)]
    rows = [generator.choice(group, count // 2, replace=False) for group in groups]
    table = {}
    for name, train in arms.items():
        history = train(np.concatenate(rows))
        table[name] = history["test_accuracy"][int(np.argmax(history["val_accuracy"]))]
    return table

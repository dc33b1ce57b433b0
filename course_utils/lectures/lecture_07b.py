"""Lab 07b, image to text."""

import numpy as np


def inputs_and_targets(tokens):
    """Return what a decoder reads and what it should write, one step apart.

    Args:
        tokens: int (texts, k): ids of words, 4 or more, with the pad 0 after a text's last.

    Returns:
        (ids, targets), int32 (texts, k + 1) each: <sos> (2) and the words; the words and <eos>
        (3). All that follows is 0.
    """
    ids = np.pad(tokens, ((0, 0), (1, 0)), constant_values=2)
    targets = np.pad(tokens, ((0, 0), (0, 1)))
    targets[np.arange(len(tokens)), (tokens != 0).sum(axis=1)] = 3
    return ids.astype("int32"), targets.astype("int32")


def exact_match(written, targets):
    """Return the share of texts that are written without any mistake.

    Args:
        written: int (texts, T), the ids that a model wrote. What follows its <eos> (3) is
            arbitrary and does not count.
        targets: int (texts, T), the right ids, <eos> (3) after the last, then 0.

    Returns:
        A number from 0 to 1. A text is right if all its tokens are, <eos> included.
    """
    return ((written == targets) | (targets == 0)).all(axis=1).mean()


def read_out(logits_of, max_length):
    """Let a model write by itself, always choosing the token with the largest logit.

    Args:
        logits_of: function of ids, int (1, max_length), 0 after what is known, which returns
            logits (1, max_length, vocab_size): those at position k are about the token after id k.
        max_length: how many tokens are written at most.

    Returns:
        The list of the written ids, without <sos> (2), which comes first in `ids`, and without
        <eos> (3), which ends the text.
    """
    ids = np.zeros((1, max_length), int)
    token, written = 2, []
    for step in range(max_length):
        ids[0, step] = token
        token = int(np.argmax(logits_of(ids)[0, step]))
        if token == 3:
            break
        written.append(token)
    return written


def caption_settings(pictures, targets, vocabulary):
    """Return the settings of `ImageToText` that other images and other texts change.

    Args:
        pictures: (texts, height, width, channels).
        targets: int (texts, T), a text's ids, <eos> included, then 0.
        vocabulary: list of all words that can be written, <pad> and the like included.

    Returns:
        A dictionary {"image": (height, width), "channels": …, "vocab_size": …, "max_length": …}: how
        many different tokens there are, and how many steps a text takes at most.
    """
    return {
        "image": pictures.shape[1:3],
        "channels": pictures.shape[3],
        "vocab_size": len(vocabulary),
        "max_length": targets.shape[1],
    }

"""Checks of lab 06b: tokenizers and masking. `lecture_06b_scores` has those of the scores."""

import numpy as np

from course_utils.checks import call, exercise, require
from course_utils.checks.answers import array, number
from course_utils.numpy_ref import byte_pairs


@exercise("06b.1", solved="Sums first, then one division: so it is the same for any batching.")
def tokens_a_word(answer):
    """Tokens a word, of padded ids."""
    texts = ["The ending was unforgettable.", "We saw it.", "Dull"]
    ids = np.array([[2, 9, 7, 31, 1, 33, 8], [5, 11, 9, 8, 0, 0, 0], [6, 9, 0, 0, 0, 0, 0]])
    lengths = (ids != 0).sum(axis=1)
    words = np.array([len(text.split()) for text in texts])
    got = number(call(answer, ids.copy(), list(texts)))
    truth = lengths.sum() / words.sum()
    why = f"13 tokens for 8 words are {truth:.3f}, and you have {got:.3f}"

    def is_near(value):
        return abs(got - value) < 1e-3

    letters = sum(map(len, texts)), sum(len(text.replace(" ", "")) for text in texts)
    require(
        not any(is_near(tokens / sum_) for sum_ in letters for tokens in (13, ids.size)),
        f"{why}: divide by the number of words, not of characters",
    )
    require(
        not is_near(ids.size / words.sum()),
        f"{why}: padding (id 0) is no token: count only ids that are not 0",
    )
    require(
        not is_near((lengths / words).mean()),
        f"{why}: a mean of the texts' shares lets a short text count as much as a long one: "
        "add up all tokens and all words, then divide",
    )
    require(not is_near(words.sum() / 13), f"{why}: that is words a token")
    require(
        not any(is_near(total / len(texts)) for total in (13, ids.size)),
        f"{why}: that is tokens a text: divide by the words of all texts",
    )
    require(
        not any(is_near((ids > special).sum() / words.sum()) for special in range(1, 5)),
        f"{why}: only 0 is padding; <unknown> (1) and <sos> (2) are tokens like any other",
    )
    distinct = len(np.unique(ids[ids != 0]))
    require(
        not is_near(distinct / words.sum()),
        f"{why}: a token that occurs twice is two tokens",
    )
    require(is_near(truth), f"{why}: all ids that are not 0, divided by all words")


@exercise("06b.2", solved="A tokenizer is this merge, some thousand times.")
def merge_once(answer):
    """One merge of byte pair encoding."""
    cases = [
        (["l", "o", "w", "e", "r"], "l", "o"),
        (["l", "o", "l", "o"], "l", "o"),
        (["w", "id", "e", "s", "t"], "e", "s"),
        (["lo", "w", "l", "ow"], "lo", "w"),
        (["ab", "c", "b", "c"], "b", "c"),
        (["a", "a", "a"], "a", "a"),
        (["a", "a", "a", "a", "a"], "a", "a"),
        (["n", "e", "w"], "x", "y"),
        (["a"], "a", "a"),
    ]
    for pieces, left, right in cases:
        got = call(answer, list(pieces), left, right)
        require(
            not isinstance(got, str),
            "the result is a list of pieces: one string has forgotten where they end",
        )
        try:
            got = [str(piece) for piece in got]
        except TypeError:
            require(False, f"the result should be a list of pieces, not {got!r}")
        truth = byte_pairs.merge(pieces, left, right)
        why = f"{pieces} with {left!r} and {right!r} joined is {truth}, and you have {got}"
        if left == right and len(pieces) > 2 and got != truth:
            require(
                got.count(left + right) <= truth.count(left + right),
                f"{why}: a piece was used twice: move on by two places after a merge",
            )
        boundaries = _joined_inside(pieces, left, right)
        require(
            got == truth or got not in boundaries,
            f"{why}: only whole pieces may be joined: the end of one piece and the start of "
            "the next are no pieces themselves, so do not replace inside of strings",
        )
        require(
            "".join(got) == "".join(pieces),
            f"{why}: the letters have to stay the same: what is not joined is kept as it is",
        )
        require(
            got == truth or truth.count(left + right) <= got.count(left + right),
            f"{why}: every place where the pair stands is joined, not only the first",
        )
        require(got == truth, f"{why}: go through the pieces from left to right")


def _joined_inside(pieces, left, right):
    """What comes of replacing in the text of the pieces, with blanks between or without."""
    spaced = " ".join(pieces).replace(f"{left} {right}", left + right).split(" ")
    text = "".join(pieces).replace(left + right, f" {left + right} ").split()
    single = [part for run in text for part in ([run] if run == left + right else list(run))]
    return [spaced, text, single]


@exercise(
    "06b.3", solved="One chosen place in ten is asked for although nothing was hidden there."
)
def mask_tokens(answer):
    """Masking with 80/10/10."""
    special, mask_id = (0, 1, 2, 3), 4
    draw = np.random.default_rng(0)
    ids = draw.integers(5, 60, (6, 40))
    ids[:, 0], ids[::2, 30:], ids[1::2, -1] = 2, 0, 3
    noise = draw.integers(60, 99, ids.shape)  # none of them stands in ids
    chance = np.round(draw.random(ids.shape) * 0.4, 3) + 0.0005  # more are chosen than usual
    given = ids.copy(), special, mask_id, chance.copy(), noise.copy()
    got = call(answer, *given)
    require(
        isinstance(got, (tuple, list)) and len(got) == 2,
        "return two arrays: what the model reads, and what it is asked",
    )
    inputs = array(got[0], ids.shape, "the inputs: ")
    targets = array(got[1], ids.shape, "the targets: ")
    ordinary = ~np.isin(ids, special)
    chosen = (chance < 0.15) & ordinary
    masked, other = chosen & (chance < 0.12), chosen & (chance >= 0.12) & (chance < 0.135)
    changed = inputs != ids
    require(
        not (changed & ~ordinary).any()
        and not (targets[~ordinary] != -1).any()
        or (targets != -1).all(),
        "padding, first token and separators are never chosen: keep those in `special` out",
    )
    require(
        not (targets == ids).all(),
        "the targets are the ids at the chosen places and -1 elsewhere: with a loss "
        "everywhere, the model earns most by copying what it sees",
    )
    require(
        not (targets[masked] == mask_id).any(),
        "the targets hold the mask: read them before anything is replaced (and copy `ids`, so "
        "that replacing does not reach them), or the answer is always the mask",
    )
    require(
        not (targets[other] == noise[other]).any(),
        "the targets hold the random words: they are what stood there before",
    )
    stays = chosen & ~masked & ~other
    require(
        not (targets[stays] == -1).all(),
        "places that stay as they are were chosen, too: they have a target, or the model "
        "learns that what it can read is never asked",
    )
    require(not (changed & ~chosen).any(), "a place that was not chosen has been replaced")
    require(
        not (inputs[chosen] == mask_id).all(),
        "all chosen places are masked: only those with chance < 0.12 are; the next ones "
        "(< 0.135) get the word of `noise`, the rest stays",
    )
    require(
        (inputs[masked] == mask_id).all(),
        "80 % of the chosen places, those with chance < 0.12 = 0.8 · 0.15, become the mask",
    )
    require(
        (inputs[other] == noise[other]).all(),
        "chosen places with 0.12 <= chance < 0.135 get the word of `noise` at the same place",
    )
    require(
        (inputs[stays] == ids[stays]).all(),
        "chosen places with chance >= 0.135 stay as they are",
    )
    require(
        (targets[chosen] == ids[chosen]).all(),
        "the target of a chosen place is its id in `ids`",
    )
    require((targets[~chosen] == -1).all(), "the target is -1 wherever nothing is asked")

"""Check of lab 07b's reading loop: one picture, one token a step, without a cache."""

import numpy as np

from course_utils.checks import call, exercise, require
from course_utils.data.base import END, PAD, START


@exercise("07b.3", solved="Its own words in, logits at the step that was just filled, a bound.")
def read(answer):
    """Greedy reading of one canvas with arrays of one fixed length."""
    script = [8, 5, 8, 4, END, 6]
    got, fed = _read(answer, script, max_length=6)
    require(bool(fed), "logits_of was never called")
    require(
        all(ids.shape == (1, 6) for ids in fed),
        f"ids has to have the shape (1, length) at every call, yours has {fed[0].shape}: one "
        "shape means that it is compiled once",
    )
    require(
        all(ids[0, 0] == START for ids in fed),
        "the first id has to be <sos>, 2, at every step",
    )
    require(bool(got), "the list is empty: append each token that you choose")
    require(
        got != [6] * len(got),
        "a position was read whose tokens are not all written yet: at step k read position "
        "k, what stands behind it is padding",
    )
    for step, ids in enumerate(fed):
        own = ids[0, 1 : step + 1].tolist()
        require(
            own == script[:step],
            f"before step {step} it wrote {script[:step]}, and ids holds {own}: put its own "
            "tokens behind <sos>, one a step (true digits: teacher forcing), and at step "
            "k read the logits of position k",
        )
        require(
            (ids[0, step + 1 :] == PAD).all(),
            "behind the tokens written so far ids has to be 0",
        )
    require(got != script[:5], "<eos> is a signal, not a digit: leave it out")
    require(got != script[:6], "it goes on behind <eos>, 3: stop there")
    require(got == script[:4], f"the digits {script[:4]} stood before <eos>, you have {got}")
    require(len(fed) <= 5, "stop at <eos>: the steps behind it are wasted")
    got, fed = _read(answer, [5] * 9, max_length=4)
    require(
        got == [5] * 4,
        f"a model that never says <eos> writes length = 4 tokens at most, you have {got}: step "
        "k writes behind position k, and the last token needs no place in ids",
    )
    got, _ = _read(answer, [END] * 4, max_length=4)
    require(got == [], f"<eos> at once is an empty list, and you have {got}")


def _read(answer, script, max_length):
    """What the answer returns for a model that says the script, and the ids it was given."""
    fed = []

    def logits_of(ids):
        ids = np.array(ids)
        if len(fed) > 50:
            raise RuntimeError("it does not stop: bound the loop, whatever the model says")
        fed.append(ids.astype(int))
        logits = np.zeros((1, ids.shape[-1], 12))
        for place in range(ids.shape[-1]):
            # Behind what has been written, padding is read, and nonsense comes out.
            known = place == 0 or (ids[0, 1 : place + 1] != PAD).all()
            logits[0, place, script[place] if known else 6] = 5.0
        return logits

    written = call(answer, logits_of, max_length)
    try:
        return [int(token) for token in written], fed
    except (TypeError, ValueError):
        require(False, f"return a list of token ids, not {written!r}")

"""Short summaries of made reviews: what was good and what was bad.

A review judges two to four things about the film, some by a denial ("never dull"), between
sentences that judge nothing, or judge popcorn and seats. The summary names what belongs to the
film, in the order of the review, as good or bad: "acting good , plot bad".
"""

from course_utils.data import reviews
from tools.make_data import write_table
from tools.make_data.drawing import Drawer, parts

SIZES = {"train": 4_000, "val": 300, "test": 500}
VERDICTS = (2, 4)
FILLER = 0.5  # the chance of a sentence that judges nothing before each verdict
DISTRACTORS = 0.3  # the chance that it judges something else than the film


def make() -> list[tuple]:
    """Rows (split, review, summary)."""
    draw = Drawer(0)
    return parts(SIZES, lambda part: _example(draw))


def _example(draw: Drawer) -> tuple[str, str]:
    """A review and its summary."""
    few, many = VERDICTS
    subjects = list(reviews.FILM_SUBJECTS)
    sentences, told = [], []
    for _ in range(few + int(draw.random() * (many - few + 1))):
        if draw.random() < FILLER:
            sentences.append(_filler(draw))
        subject = subjects.pop(int(draw.random() * len(subjects)))
        good, negated = draw.random() < 0.5, draw.random() < 0.3
        sentences.append(f"the {subject} was {draw.verdict(good, negated)}")
        told.append(f"{subject} {'good' if good else 'bad'}")
    if draw.random() < FILLER:
        sentences.append(_filler(draw))
    review = " ".join(f"{sentence[0].upper()}{sentence[1:]}." for sentence in sentences)
    return review, " , ".join(told)


def _filler(draw: Drawer) -> str:
    if draw.random() < DISTRACTORS:
        subject = draw.choose(reviews.OTHER_SUBJECTS)
        return f"the {subject} was {draw.choose(reviews.PRAISING + reviews.DAMNING)}"
    slots = {slot: draw.choose(words) for slot, words in reviews.SLOTS.items()}
    return draw.choose(reviews.NEUTRAL).format(**slots)


if __name__ == "__main__":
    write_table("summaries.csv.xz", ("split", "text", "summary"), make())

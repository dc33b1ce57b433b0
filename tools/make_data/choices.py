"""Multiple choice: a short review and four endings, of which one fits.

The review judges four things about the film; each ending says of another one of them what was
found, in other adjectives: three endings contradict the review. Which one fits is drawn after
the endings and before the review's verdicts, so that the endings alone tell nothing, and every
ending shares exactly one content word with the review, so that counting common words tells
nothing either. To choose, one has to join a subject with its verdict, know which adjectives
praise, and heed "never".
"""

from course_utils.data.reviews import DAMNING, FILM_SUBJECTS, PRAISING, SLOTS
from tools.make_data import write_table
from tools.make_data.drawing import Drawer, parts
from tools.make_data.questions import FILLER

SIZES = {"train": 8_000, "val": 300, "test": 500}
ENDINGS = 4


def make() -> list[tuple]:
    """Rows (split, review, endings, the place of the ending that fits, from 0 on)."""
    draw = Drawer(0)
    return parts(SIZES, lambda part: _example(draw))


def _example(draw: Drawer):
    """The review, its four endings with | between, and which one fits."""
    subjects = draw.sample(FILM_SUBJECTS, ENDINGS)
    praised = [draw.random() < 0.5 for _ in subjects]
    adjectives = [draw.choose(PRAISING if good else DAMNING) for good in praised]
    endings = [
        f"so we found the {subject} {adjective}"
        for subject, adjective in zip(subjects, adjectives, strict=True)
    ]
    target = int(draw.random() * ENDINGS)
    sentences = []
    for place, subject in enumerate(subjects):
        good = praised[place] == (place == target)
        verdict = draw.verdict(good, draw.random() < 0.3, adjectives)
        sentences.append(f"the {subject} was {verdict}")
    if draw.random() < 0.5:
        line = draw.choose(FILLER).format(number=draw.choose(SLOTS["number"]))
        sentences.append(line.lower())
    text = " ".join(f"{sentence} ." for sentence in draw.sample(sentences, len(sentences)))
    return text, "|".join(endings), target


if __name__ == "__main__":
    write_table("choices.csv.xz", ("split", "text", "endings", "fits"), make())

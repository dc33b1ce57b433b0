"""Multiple choice: a short review and four endings, of which one fits.

The review judges four things about the film; each ending says of another one of them what was
found, in other adjectives: three endings contradict the review. Which one fits is drawn after
the endings and before the review's verdicts, so that the endings alone tell nothing, and every
ending shares exactly one content word with the review, so that counting common words tells
nothing either. To choose, one has to join a subject with its verdict, know which adjectives
praise, and heed "never".
"""

from __future__ import annotations

from random import Random

import numpy as np

from course_utils.data.base import Dataset, Split
from course_utils.data.entities import rows_of
from course_utils.data.entities_grammar import Namer, check_sizes
from course_utils.data.made import assemble
from course_utils.data.questions import FILLER
from course_utils.data.reviews import DAMNING, FILM_SUBJECTS, NEGATORS, PRAISING, SLOTS

SIZES = {"train": 8_000, "val": 300, "test": 500}
ENDINGS = 4
SEED = 0


def load_choices(sizes: dict[str, int] = SIZES, seed: int = SEED) -> Dataset:
    """Reviews with four endings each; the target is the place of the one that fits.

    Each part: inputs {"text": object array of lists of str, "endings": object array
    (reviews, 4) of lists of str}, lower case, a full stop being a word of its own; targets
    int32 (reviews,) from 0 to 3. Reviews have 22 to 35 words, endings 6.

    Raises ValueError for other parts than train, val and test, or sizes and seeds that are no
    whole numbers.
    """
    check_sizes(sizes, seed)
    write = Namer(Random(seed))
    made: set[str] = set()
    # The test part first, so that it is the same for any size of the others.
    splits = {part: _split(write, sizes[part], made) for part in reversed(SIZES)}
    return assemble("choices", splits, f"{ENDINGS} endings each")


def baselines(dataset: Dataset) -> dict[str, float]:
    """Test accuracies without understanding; chance is 0.25.

    "position": the place that is right most often in training. "overlap": the ending that
    shares most different words with the review, a tie counting by its share. "endings": the
    words of right and wrong endings counted in training, then the ending with the best ones.
    """
    train, test = dataset.train, dataset.test
    common = np.bincount(train.targets, minlength=ENDINGS).argmax()
    scores: dict[str, float] = {}
    for endings, right in zip(train.inputs["endings"], train.targets, strict=True):
        for place, ending in enumerate(endings):
            for word in ending:
                scores[word] = scores.get(word, 0) + (1 if place == right else -1 / 3)
    overlap = by_endings = 0.0
    for text, endings, right in zip(
        test.inputs["text"], test.inputs["endings"], test.targets, strict=True
    ):
        shared = [len(set(text) & set(ending)) for ending in endings]
        best = [place for place in range(ENDINGS) if shared[place] == max(shared)]
        overlap += (right in best) / len(best)
        sums = [sum(scores.get(word, 0) for word in ending) for ending in endings]
        by_endings += int(np.argmax(sums)) == right
    return {
        "position": float((test.targets == common).mean()),
        "overlap": float(overlap / len(test)),
        "endings": float(by_endings / len(test)),
    }


def _split(write: Namer, size: int, made: set[str]) -> Split:
    texts, choices, targets = [], [], []
    while len(texts) < size:
        text, endings, target = _example(write)
        if " ".join(text) in made:
            continue
        made.add(" ".join(text))
        texts.append(text)
        choices += endings
        targets.append(target)
    endings = rows_of(choices).reshape(size, ENDINGS)
    return Split({"text": rows_of(texts), "endings": endings}, np.array(targets, "int32"))


def _example(write: Namer) -> tuple[list[str], list[list[str]], int]:
    """Words of the review, of the four endings, and which one fits."""
    subjects = write.sample(FILM_SUBJECTS, ENDINGS)
    praised = [write.random() < 0.5 for _ in subjects]
    adjectives = [write.choose(PRAISING if good else DAMNING) for good in praised]
    endings = [
        f"so we found the {subject} {adjective}".split()
        for subject, adjective in zip(subjects, adjectives, strict=True)
    ]
    target = int(write.random() * ENDINGS)
    sentences = []
    for place, subject in enumerate(subjects):
        good = praised[place] == (place == target)
        negated = write.random() < 0.3
        words = PRAISING if good != negated else DAMNING
        adjective = write.choose([word for word in words if word not in adjectives])
        denial = f"{write.choose(NEGATORS)} " if negated else ""
        sentences.append(f"the {subject} was {denial}{adjective}")
    if write.random() < 0.5:
        line = write.choose(FILLER).format(number=write.choose(SLOTS["number"]))
        sentences.append(line.lower())
    text = " ".join(f"{sentence} ." for sentence in write.sample(sentences, len(sentences)))
    return text.split(), endings, target

"""Lab 06c's sentence pairs: frozen, balanced, without shortcuts; MNLI, RTE on made records."""

from collections import Counter, defaultdict

import numpy as np
import pytest
from sklearn.feature_extraction.text import TfidfVectorizer
from sklearn.linear_model import LogisticRegression

from course_utils.data.base import read_table, tokenize
from lectures.lecture_06b import PARTS
from lectures.lecture_06c import pairs
from tools.make_data import sentence_pairs as maker


@pytest.fixture(scope="module")
def own():
    return pairs.load_sentence_pairs()


def test_the_kept_pairs_are_what_their_maker_makes(own):
    rows = read_table(
        "sentence_pairs.csv.xz", lambda table: list(zip(*table.values(), strict=True))
    )
    assert rows == [tuple(map(str, row)) for row in maker.make()]
    assert {part: len(own.split(part)) for part in PARTS} == maker.SIZES
    assert own.licence == "CC0" and own.class_names == pairs.LABELS
    first = own.train.take([0])
    assert first.inputs["premise"][0] == rows[2_400][1]
    assert own.class_names[first.targets[0]] == rows[2_400][3]


def test_no_premise_stands_in_two_parts_and_no_pair_comes_twice(own):
    pairs_of = [set(zip(*own.split(part).inputs.values(), strict=True)) for part in PARTS]
    assert [len(found) for found in pairs_of] == [maker.SIZES[part] for part in PARTS]
    premises = [{premise for premise, _ in found} for found in pairs_of]
    assert len(set.union(*premises)) == sum(map(len, premises))


def test_every_hypothesis_has_each_label_equally_often(own):
    for part in PARTS:
        split = own.split(part)
        labels = defaultdict(Counter)
        for hypothesis, label in zip(split.inputs["hypothesis"], split.targets, strict=True):
            labels[hypothesis][label] += 1
        assert all(
            len(set(found.values())) == 1 and len(found) == 3 for found in labels.values()
        )
        phenomena = Counter(split.columns["phenomenon"])
        assert set(phenomena) == set(maker.PHENOMENA) and len(set(phenomena.values())) == 1
        for label in range(3):
            distances = split.columns["distance"][split.targets == label]
            assert abs(distances.mean() - split.columns["distance"].mean()) < 0.7


def test_the_hypothesis_alone_is_at_chance(own):
    words = TfidfVectorizer(ngram_range=(1, 3))
    known = words.fit_transform(own.train.inputs["hypothesis"])
    model = LogisticRegression(C=10, max_iter=300).fit(known, own.train.targets)
    alone = words.transform(own.test.inputs["hypothesis"])
    assert model.score(alone, own.test.targets) < 1 / 3 + 0.05


def test_premises_of_three_clauses_consist_of_the_same_words():
    write = maker._Writer(1)
    for phenomenon in list(maker.PHENOMENA) * 40:
        triple = write.triple(phenomenon, 3)
        assert [row[2] for row in triple] == list(maker.LABELS)
        assert len({row[1] for row in triple}) == 1
        assert len({" ".join(sorted(tokenize(premise))) for premise, *_ in triple}) == 1


VALUES = {word: number for number, word in enumerate(maker.NUMBERS, start=2)}


def possible(told):
    """The counts, of 0 to 20, that "at least seven" allows."""
    *bound, number = told.split()
    number = VALUES[number]
    if bound in (["at", "least"], ["more", "than"]):
        return set(range(number + (bound[0] == "more"), 21))
    if bound in (["at", "most"], ["fewer", "than"]):
        return set(range(number + (bound[0] == "at")))
    return {number}


def test_numbers_follow_by_arithmetic():
    write = maker._Writer(2)
    for _ in range(500):
        claim, said = write.numbers()
        claimed = possible(claim)
        found = []
        for one in map(possible, said):
            inside, outside = one & claimed, one - claimed
            found.append("neither" if inside and outside else
                         "entails" if inside else "contradicts")  # fmt: skip
        assert found == list(maker.LABELS), (claim, said)


def glue(premises, labels, names=("premise", "hypothesis")):
    """A batch as TFDS gives GLUE's pairs, as bytes; of each premise two hypotheses."""
    texts = [(f"{one} ", f"{one} is {k}") for one in premises for k in range(2)]
    columns = [
        np.array([text.encode() for text in side], object) for side in zip(*texts, strict=True)
    ]
    batch = dict(zip(names, columns, strict=True))
    return batch | {"label": np.array(labels), "idx": np.arange(len(texts), dtype="int32")}


@pytest.mark.parametrize("source", ["mnli", "rte"])
def test_published_pairs_are_cut_by_premise(source, tfds, monkeypatch):
    task = pairs.PUBLISHED[source]._replace(train=40, test=6, held_out=7)
    monkeypatch.setitem(pairs.PUBLISHED, source, task)
    classes = len(task.labels)
    train = [f"Premise {number}" for number in range(20)]
    batches = {
        "train": [glue(train, np.arange(40) % classes, task.features)],
        task.tested: [
            glue(["new", "premise 3", "other"], np.arange(6) % classes, task.features)
        ],
    }
    builder = tfds(batches)
    made = pairs.load_sentence_pairs(source)
    assert builder.parts_read == ["train", task.tested]
    assert len(made.test) == 6 and len(made.val) == 8  # whole premises, so one more than 7
    assert len(made.train) == 40 - 2 - 8  # premise 3 is one of the test's, in other letters
    sides = [{x.lower() for x in made.split(part).inputs["premise"]} for part in PARTS]
    assert not sides[0] & sides[1] and not (sides[0] | sides[1]) & sides[2]
    assert made.class_names == task.labels and made.test.targets.dtype == np.int32
    batches["train"] = [glue(train, np.full(40, -1), task.features)]
    tfds(batches)
    with pytest.raises(ValueError, match=r"label -1; the labels are 0 \(entails\)"):
        pairs.load_sentence_pairs(source)


def test_what_is_no_pair_is_refused(monkeypatch):
    with pytest.raises(ValueError, match="'embedded', 'mnli', 'rte'"):
        pairs.load_sentence_pairs("snli")
    table = {"split": ("train",), "premise": ("Tom sang.",), "hypothesis": (" ",)}
    table |= {"label": ("neither",), "phenomenon": ("roles",)}
    table |= {"clauses": ("1",), "distance": ("0",)}
    monkeypatch.setattr(pairs, "read_table", lambda name, arrange: arrange(table))
    with pytest.raises(ValueError, match="pair 0 has an empty hypothesis"):
        pairs.load_sentence_pairs()
    table |= {"hypothesis": ("Tom sang.",), "label": ("maybe",)}
    with pytest.raises(ValueError, match="unknown label 'maybe'"):
        pairs.load_sentence_pairs()


def test_without_a_network_the_error_names_what_was_tried(tfds, no_network):
    tfds({}, prepared=False)
    with pytest.raises(ConnectionError, match="MNLI.zip"):
        pairs.load_sentence_pairs("mnli")

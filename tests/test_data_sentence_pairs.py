"""Sentence pairs: what the grammar promises, read by an oracle of its own; RTE's cut."""

import re
from collections import Counter

import numpy as np
import pytest

from course_utils import data
from course_utils.data.reviews import DAMNING, NEGATORS, PRAISING
from course_utils.lectures import lecture_08b as sentence_pairs
from course_utils.lectures.lecture_08b import BAD, GOOD, KINDS, VERBS, controls, overlap

PARTS = ("train", "val", "test")
SMALL = {"train": 1_600}


@pytest.fixture(scope="module")
def pairs():
    return sentence_pairs.load_sentence_pairs(**SMALL)


def rows(split):
    inputs, columns = split.inputs, split.columns
    return zip(
        *(inputs["first"], inputs["second"], split.targets, columns["kind"], columns["four"]),
        strict=True,
    )


# An oracle that knows no more than English: who did what, and which thing was what.

VERB = "|".join(VERBS)
NO = "|".join(NEGATORS)


def event(text):
    """(agent, verb, patient) of the only event in the text."""
    active = rf"the (\w+) (?:who )?({VERB}) the (\w+)"
    passive = rf"the (\w+) (?:who )?was ({VERB}) by the (\w+)"
    found = re.findall(active, text)
    found += [(agent, verb, patient) for patient, verb, agent in re.findall(passive, text)]
    assert len(found) == 1, text
    return found[0]


def clauses(text):
    """What the text says was what: {subject: (denied, what)}."""
    text = re.sub(r"what was ([\w ]+?) was the (\w+)", r"the \2 was \1", text)
    text = text.replace("that was", "was")
    found = re.findall(rf"the (\w+) was ((?:{NO}) )?((?:a )?\w+)", text)
    return {subject: (bool(no), what) for subject, no, what in found}


def follows(first, second, kind, clauses_told=2):
    first, second = first.lower(), second.lower()
    if kind == "roles":
        return event(first) == event(second)
    said, (asked,) = clauses(first), clauses(second).items()
    assert len(said) == clauses_told, first
    subject, (denied, what) = asked
    if subject not in said:
        return False
    if kind == "verdict":
        good = what in GOOD
        assert good != (what in BAD) and said[subject][1] in PRAISING + DAMNING
        return (good != denied) == (said[subject][1] in PRAISING)
    return said[subject] == (denied, what)


def test_an_oracle_agrees_with_every_label(pairs):
    for part in PARTS:
        for first, second, target, kind, _ in rows(pairs.split(part)):
            assert follows(first, second, kind) == bool(target), (first, second, kind)


def test_parts_and_kinds_are_balanced(pairs):
    assert [len(pairs.split(part)) for part in PARTS] == [1_600, 480, 1_920]
    for part in PARTS:
        kinds = pairs.split(part).columns["kind"]
        assert Counter(kinds) == dict.fromkeys(KINDS, len(kinds) // 4)
        assert set(kinds[:60]) == set(KINDS), "mixed, or a batch would hold one kind"
    assert pairs.train.targets.dtype == np.int32 and pairs.class_names[1] == "follows"


def test_a_four_has_two_bags_of_words_and_every_answer(pairs):
    for part in PARTS:
        fours = {}
        for first, second, target, kind, four in rows(pairs.split(part)):
            fours.setdefault(four, []).append((first, second, target, kind))
        assert sorted(fours) == list(range(len(pairs.split(part)) // 4))
        for four in fours.values():
            firsts, seconds, targets, kinds = zip(*four, strict=True)
            assert len(four) == 4 and len(set(kinds)) == 1 and sum(targets) == 2
            assert len({tuple(sorted(data.tokenize(first))) for first in firsts}) == 1
            for texts in (firsts, seconds):
                assert len(set(texts)) == 2
                seen = Counter(zip(texts, targets, strict=True))
                assert set(seen.values()) == {1}


def test_no_first_sentence_is_in_two_parts_or_fours(pairs):
    homes = {}
    for part in PARTS:
        for first, _, _, kind, four in rows(pairs.split(part)):
            homes.setdefault(first, set()).add((part, kind, four))
    assert all(len(home) == 1 for home in homes.values())


def test_easier_pairs_are_for_training_alone_and_words_in_common_tell(pairs):
    made = sentence_pairs.load_sentence_pairs(**SMALL, easier=1_200)
    for part in ("val", "test"):
        assert list(rows(made.split(part))) == list(rows(pairs.split(part)))
    known = {row[0] for row in rows(pairs.train)}
    new = [row for row in rows(made.train) if row[0] not in known]
    assert len(made.train) == 2_800 and len(new) == 1_200
    assert Counter(row[3] for row in new) == dict.fromkeys(KINDS[1:], 400)
    assert sorted(set(made.train.columns["four"])) == list(range(700))
    for first, second, target, kind, _ in new:
        assert follows(first, second, kind, clauses_told=1) == bool(target), (first, second)
        if kind == "clause":
            (said,) = clauses(first.lower()).items()
            words = set(data.tokenize(first)) & set(data.tokenize(second)) - {"the", "was"}
            in_common = {said[0], said[1][1]} & words
            assert (len(in_common) == 2) == bool(target)
    # What is learned, there or without them, does not help those who read too little.
    for dataset in (pairs, made):
        found = controls(dataset)
        assert list(found) == ["majority", "second alone", "bag of both", "overlap and lengths"]
        assert set(found.values()) == {0.5}


def test_words_move_from_place_to_place(pairs):
    places = {(kind, part): set() for kind in KINDS for part in (0, 1)}
    for *texts, _, kind, _ in rows(pairs.train):
        for part, text in enumerate(texts):
            words = [word for word in data.tokenize(text) if word not in NEGATORS]
            verbs = [place for place, word in enumerate(words) if word in ("was", *VERBS)]
            places[kind, part].add((len(words), *verbs))
    assert min(map(len, places.values())) > 2


def test_the_vocabulary_is_small_and_texts_are_texts(pairs):
    words = Counter()
    for part in PARTS:
        for first, second, *_ in rows(pairs.split(part)):
            words.update(data.tokenize(first) + data.tokenize(second))
            assert len(data.tokenize(first)) <= 18 and len(data.tokenize(second)) <= 10
            for text in (first, second):
                assert re.fullmatch(r"[A-Z][\w ,]+\.", text), text
                assert "  " not in text and " ," not in text and " a a" not in text
    assert 100 < len(words) < 300


def test_the_controls_find_what_is_there():
    """On pairs whose second text gives itself away, or shares more words, they say so."""
    texts = [f"the {noun} was {word}" for noun in ("plot", "cast", "hall") for word in "abcdef"]
    first = np.array(texts * 4, object)
    target = np.arange(len(first)) % 2
    by_word = [("yes it was", "no it was")[y] for y in target]
    by_overlap = [("so be it", text)[y] for text, y in zip(first, target, strict=True)]
    for texts, name in ((by_word, "second alone"), (by_overlap, "overlap and lengths")):
        inputs = {"first": first, "second": np.array(texts, object)}
        split = data.Split(inputs, target.astype("int32"))
        found = controls(data.Dataset("made", split, split, split))
        assert found[name] == 1 and found["bag of both"] == 1 and found["majority"] == 0.5
    assert overlap(split)[1].tolist() == [4, 1, 1, np.log1p(4), np.log1p(4)]


def test_the_same_arguments_give_the_same_pairs(pairs):
    again = sentence_pairs.load_sentence_pairs(**SMALL)
    few = sentence_pairs.load_sentence_pairs(train=160)
    one = sentence_pairs.load_sentence_pairs(kinds=["negation"], train=400)
    for part in PARTS:
        assert list(rows(pairs.split(part))) == list(rows(again.split(part)))
    for part in ("val", "test"):
        assert list(rows(pairs.split(part))) == list(rows(few.split(part)))
    negations = {row[:2] for row in rows(pairs.test) if row[3] == "negation"}
    assert negations < {row[:2] for row in rows(one.test)} and len(one.test) == 1_920


@pytest.mark.parametrize(
    ("wrong", "said"),
    [
        ({"kinds": ["role"]}, "'roles', 'clause', 'verdict', 'negation'"),
        ({"kinds": "roles"}, "'roles', 'clause', 'verdict', 'negation'"),
        ({"kinds": []}, "none"),
        ({"train": 1_000}, "multiple of 4"),
        ({"train": 0}, "at least 1"),
        ({"easier": 100}, "clause, verdict, negation"),
        ({"kinds": ["roles"], "easier": 4}, "none"),
        ({"easier": -12}, "easier"),
    ],
)
def test_wrong_arguments_are_named(wrong, said):
    with pytest.raises(ValueError, match=said):
        sentence_pairs.load_sentence_pairs(**wrong)


# RTE, with a stand-in for TensorFlow Datasets.

TRAIN = [(f"Premise {n % 40} of  the news.", f"Hypothesis {n}.", n % 2) for n in range(120)]
TEST = [(f"premise {n} of the News.", f"Question {n}.", n % 2) for n in (3, 8, 50, 51)]


@pytest.fixture
def builder(tfds, monkeypatch):
    monkeypatch.setattr(sentence_pairs, "RTE_PAIRS", {"train": 120, "validation": 4})
    monkeypatch.setattr(sentence_pairs, "RTE_VALIDATION", 20)
    batches = {}
    for part, rows in (("train", TRAIN), ("validation", TEST)):
        *texts, label = zip(*rows, strict=True)
        texts = [np.array([text.encode() for text in column], object) for column in texts]
        names = ("sentence1", "sentence2", "label")
        batches[part] = [dict(zip(names, (*texts, np.array(label)), strict=True))]
    return tfds(batches)


def test_rte_is_cut_by_premise(builder):
    made = sentence_pairs.load_rte()
    firsts = [made.split(part).inputs["first"] for part in PARTS]
    premises = [{" ".join(text.lower().split()) for text in texts} for texts in firsts]
    assert len(set.union(*premises)) == sum(map(len, premises))
    # Three pairs a premise; those of two premises of the test part are left out of 120.
    assert [len(made.split(part)) for part in PARTS] == [120 - 6 - 21, 21, 4]
    assert set(made.test.columns["kind"]) == {"rte"} and made.source and made.licence
    # GLUE's 0, entailment, is 1 here.
    labels = {second: label for _, second, label in TRAIN + TEST}
    for part in PARTS:
        assert all(row[2] == 1 - labels[row[1]] for row in rows(made.split(part)))


def test_without_rte_it_is_said_what_to_do(tfds, no_network):
    tfds({}, prepared=False)
    with pytest.raises(ConnectionError, match="Name or service not known") as refused:
        sentence_pairs.load_rte()
    assert sentence_pairs.RTE_ARCHIVE in str(refused.value)


def test_missing_records_are_no_network_fault(builder, monkeypatch):
    monkeypatch.setitem(sentence_pairs.RTE_PAIRS, "validation", 5)
    with pytest.raises(RuntimeError, match="holds 4 records"):
        sentence_pairs.load_rte()

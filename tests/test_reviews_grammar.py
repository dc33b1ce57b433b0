"""The grammar of the embedded reviews: structure, distances, arguments, the kept file."""

import re

import numpy as np
import pytest

from course_utils.data import reviews_file, tokenize
from course_utils.data.reviews import (
    DAMNING,
    FILM_SUBJECTS,
    NEGATORS,
    OTHER_SUBJECTS,
    PHENOMENA,
    PRAISING,
    make_reviews,
)

VERDICT = re.compile(
    rf"\b(?:{'|'.join(FILM_SUBJECTS)}) was "
    rf"((?:{'|'.join(NEGATORS)}) )?({'|'.join(PRAISING + DAMNING)})\b"
)


def verdicts(text: str) -> list[tuple[bool, bool, int]]:
    """Of each verdict on the film: negated, a praising word, words after it."""
    return [
        (bool(hit[1]), hit[2] in PRAISING, len(tokenize(text[hit.end() :])))
        for hit in VERDICT.finditer(text)
    ]


def of_kind(phenomenon: str, count: int = 300, **settings):
    reviews = make_reviews(count, 0, mixture={phenomenon: 1.0}, **settings)
    assert set(reviews.phenomena) == {phenomenon}
    return zip(reviews.texts, reviews.labels, strict=True)


def test_plain_reviews_hold_three_verdicts_that_agree():
    for text, label in of_kind("plain"):
        found = verdicts(text)
        assert len(found) == 3
        assert all(not negated and praising == label for negated, praising, _ in found)


def test_negated_reviews_deny_the_opposite_twice():
    for text, label in of_kind("negation"):
        found = verdicts(text)
        assert len(found) == 2
        assert all(negated and praising != label for negated, praising, _ in found)


def test_turned_reviews_hold_two_verdicts_and_the_later_counts():
    for text, label in of_kind("turn", turn=(20, 30), after_turn=(5, 9)):
        (first_negated, first, first_after), (second_negated, second, after) = verdicts(text)
        assert not first_negated and not second_negated
        assert second == label and first != label
        assert 5 <= after <= 9 + 13
        assert 20 <= first_after - after - 4 <= 30 + 13 + 2


def test_far_reviews_begin_with_their_only_verdict():
    for text, label in of_kind("far", far=(40, 50)):
        [(negated, praising, after)] = verdicts(text)
        assert not negated and praising == label
        assert 40 <= after <= 50 + 13
        assert VERDICT.search(text.split(".")[0])


def test_distractors_judge_what_is_no_part_of_the_film():
    def sentences(share):
        texts = [text for text, _ in of_kind("far", distractors=share)]
        filler = [part for text in texts for part in text.split(".")[1:-1]]
        others = "|".join(OTHER_SUBJECTS)
        return np.mean([bool(re.match(rf" The (?:{others}) was", part)) for part in filler])

    assert sentences(0.0) == 0
    assert sentences(1.0) == 1
    assert abs(sentences(0.35) - 0.35) < 0.03


def test_filler_does_not_repeat_itself():
    for text, _ in of_kind("far", distractors=0.0, far=(60, 80)):
        sentences = text.split(". ")
        templates = {re.sub(r"Monday|Tuesday|Friday", "", sentence) for sentence in sentences}
        assert len(templates) == len(sentences)


def test_same_arguments_same_reviews_another_seed_others():
    one, same, other = make_reviews(50, 3), make_reviews(50, 3), make_reviews(50, 4)
    assert one.texts.tolist() == same.texts.tolist()
    assert one.labels.tolist() == same.labels.tolist()
    assert one.texts.tolist() != other.texts.tolist()


def test_no_text_twice_and_both_labels_alike():
    reviews = make_reviews(3_000, 0)
    assert len(set(reviews.texts)) == 3_000
    assert abs(reviews.labels.mean() - 0.5) < 0.03
    assert reviews.labels.dtype == np.int32


def test_mixture_is_kept():
    reviews = make_reviews(3_000, 0, mixture={"plain": 0.1, "turn": 0.9})
    assert abs((reviews.phenomena == "turn").mean() - 0.9) < 0.03
    assert set(reviews.phenomena) == {"plain", "turn"}


def test_a_negator_alone_gives_nothing_away():
    reviews = make_reviews(3_000, 0)
    negated = np.array([bool({*NEGATORS} & {*tokenize(text)}) for text in reviews.texts])
    for kind in PHENOMENA:
        assert negated[reviews.phenomena == kind].mean() > 0.2


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"mixture": {"plain": 0.5, "negation": 0.4}}, "sum to 1"),
        ({"mixture": {"plain": 1.5, "negation": -0.5}}, "between 0 and 1"),
        ({"mixture": {"irony": 1.0}}, "plain, negation, turn, far"),
        ({"mixture": (0.4, 0.2, 0.2, 0.2)}, "has to be a dict"),
        ({"mixture": {}}, "has to be a dict"),
        ({"far": (-5, 10)}, "far .*0 <= fewest <= most"),
        ({"far": (20, 10)}, "far .*0 <= fewest <= most"),
        ({"turn": 30}, "turn has to be a pair"),
        ({"turn": (1, 2, 3)}, "turn has to be a pair"),
        ({"before": (0.5, 3)}, "before"),
        ({"after": None}, "after"),
        ({"after_turn": (True, 3)}, "after_turn"),
        ({"distractors": 1.2}, "distractors .*between 0 and 1"),
        ({"distractors_elsewhere": -0.1}, "distractors_elsewhere .*between 0 and 1"),
        ({"distractors": "many"}, "distractors"),
        ({"distractors": float("nan")}, "distractors"),
        ({"count": 0}, "count"),
        ({"seed": -1}, "seed"),
        ({"seed": 0.5}, "seed"),
    ],
)
def test_wrong_arguments(settings, message):
    with pytest.raises(ValueError, match=message):
        make_reviews(**{"count": 10, "seed": 0, **settings})


def test_a_grammar_too_small_for_the_count_says_so():
    small = {"mixture": {"far": 1.0}, "far": (0, 0)}
    with pytest.raises(ValueError, match="too few different reviews"):
        make_reviews(5_000, 0, **small)


def test_the_kept_file_is_what_the_generator_makes():
    made, kept = reviews_file.generate(), reviews_file.read()
    assert list(made) == list(kept)
    for name in made:
        assert made[name].tolist() == kept[name].tolist()


def test_writing_gives_the_same_file_again(tmp_path, monkeypatch):
    monkeypatch.setattr("course_utils.data.folders.DATA", tmp_path)
    reviews_file.write()
    first = (tmp_path / reviews_file.NAME).read_bytes()
    reviews_file.write()
    assert (tmp_path / reviews_file.NAME).read_bytes() == first

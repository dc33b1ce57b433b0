"""The course's own reviews: what the loader gives, and what the grammar makes."""

import re
import sys

import numpy as np
import pytest

from course_utils.data import PAD, UNKNOWN, load_imdb, load_reviews, reviews, tokenize
from course_utils.data.reviews import DAMNING, FILM_SUBJECTS, NEGATORS, PRAISING
from lectures.lecture_06b.texts import unlabelled_reviews

WORDS = "|".join(PRAISING + DAMNING)
VERDICT = re.compile(
    rf"\b(?:{'|'.join(FILM_SUBJECTS)}) was ((?:{'|'.join(NEGATORS)}) )?({WORDS})\b"
)


def verdicts(text: str) -> list[tuple[bool, bool, int]]:
    """Of each verdict on the film: negated, a praising word, words after it."""
    return [
        (bool(hit[1]), hit[2] in PRAISING, len(tokenize(text[hit.end() :])))
        for hit in VERDICT.finditer(text)
    ]


def of_kind(phenomenon: str, count: int = 300, **settings):
    made = reviews.make_reviews(count, 0, mixture={phenomenon: 1.0}, **settings)
    assert set(made["phenomenon"]) == {phenomenon}
    return zip(made["text"], made["label"], strict=True)


def test_turned_reviews_hold_two_verdicts_and_the_later_counts():
    for text, label in of_kind("turn", after_turn=(5, 9)):
        (first_negated, first, first_after), (second_negated, second, after) = verdicts(text)
        assert not first_negated and not second_negated
        assert second == label and first != label
        assert 5 <= after <= 9 + 13
        assert 40 <= first_after - after - 4 <= 55 + 13 + 2


def test_far_reviews_begin_with_their_only_verdict():
    for text, label in of_kind("far", far=(40, 50), distractors=0.9):
        [(negated, praising, after)] = verdicts(text)
        assert not negated and praising == label
        assert 40 <= after <= 50 + 13
        assert VERDICT.search(text.split(".")[0])
        aside = re.findall(rf"The (\w+) was (?:{WORDS})\b", text)[1:]
        assert set(aside) <= set(reviews.OTHER_SUBJECTS) and len(aside) > 4


def test_reviews_differ_and_hold_labels_and_phenomena_in_their_shares():
    made = reviews.make_reviews(3_000, 0, mixture={"plain": 0.1, "turn": 0.9})
    assert len(set(made["text"])) == 3_000 and made["label"].dtype == np.int32
    assert abs(made["label"].mean() - 0.5) < 0.03
    assert abs((made["phenomenon"] == "turn").mean() - 0.9) < 0.03
    assert set(made["phenomenon"]) == {"plain", "turn"}
    first, other = (reviews.make_reviews(50, seed)["text"].tolist() for seed in (3, 4))
    assert first != other


def test_unlabelled_texts_are_none_that_are_held_out(monkeypatch):
    texts = unlabelled_reviews(5_000)
    assert len(set(texts)) == 5_000
    assert (unlabelled_reviews(300) == texts[:300]).all()
    kept = {"text": texts[:2], "split": np.array(["train", "test"])}
    monkeypatch.setattr("lectures.lecture_06b.texts.read_reviews", lambda: kept)
    assert unlabelled_reviews(3).tolist() == [texts[0], *texts[2:4]]
    for wrong, told in (({"count": 0}, "count"), ({"count": 5, "colour": 1}, "'mixture'")):
        with pytest.raises(ValueError, match=told):
            unlabelled_reviews(**wrong)


def test_ids_and_text_are_the_same_reviews(capsys):
    ids, text = load_reviews(), load_reviews(form="text")
    assert "4,000 / 400 / 2,000" in capsys.readouterr().out
    for part, size in (("train", 4_000), ("val", 400), ("test", 2_000)):
        numbers, words = ids.split(part), text.split(part)
        assert len(numbers) == len(words) == size
        assert numbers.inputs.dtype == np.int32 and words.inputs.dtype == object
        assert numbers.targets.dtype == np.int32 and set(numbers.targets) == {0, 1}
        assert (numbers.targets == words.targets).all()
        assert (numbers.columns["phenomenon"] == words.columns["phenomenon"]).all()
        assert ids.vocabulary.decode(numbers.inputs[7]) == " ".join(tokenize(words.inputs[7]))
        assert ((numbers.inputs[:, 1:] == PAD) >= (numbers.inputs[:, :-1] == PAD)).all()
    longest = max(len(tokenize(review)) for review in text.train.inputs)
    assert ids.train.inputs.shape[1] == ids.test.inputs.shape[1] == longest
    assert ids.class_names == ("negative", "positive")
    assert load_reviews(vocab_size=20).vocabulary.words == ids.vocabulary.words[:20]


def test_a_word_of_the_test_part_alone_is_unknown(monkeypatch):
    table = reviews.read_reviews()
    place = np.flatnonzero(table["split"] == "test")[0]
    table["text"][place] = "Zebra " + table["text"][place]
    monkeypatch.setattr(reviews, "read_reviews", lambda: table)
    found = load_reviews(keep="first")
    assert "zebra" not in found.vocabulary
    assert found.test.inputs[0, 0] == UNKNOWN


def test_another_grammar_makes_other_reviews():
    far = load_reviews(mixture={"far": np.float32(1)}, far=(np.int64(10), 20))
    assert set(far.train.columns["phenomenon"]) == {"far"}
    assert far.train.inputs.shape[1] < 45
    with pytest.raises(ValueError, match="too few"):
        load_reviews(mixture={"far": 1.0}, far=(0, 0))


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"form": "letters"}, "'ids', 'text'"),
        ({"keep": "middle"}, "'last', 'first'"),
        ({"vocab_size": 2}, "vocab_size"),
        ({"length": 0}, "length"),
        ({"form": "text", "length": 20}, "length"),
    ],
)
@pytest.mark.parametrize("load", [load_reviews, load_imdb])
def test_wrong_arguments_before_anything_slow(load, arguments, message, monkeypatch):
    monkeypatch.setitem(sys.modules, "tensorflow_datasets", None)
    with pytest.raises(ValueError, match=message):
        load(**{"length": 10, **arguments})


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"irony": 0.5}, "'mixture'"),
        ({"mixture": {"plain": 0.5, "negation": 0.4}}, "sum to 1"),
        ({"mixture": {"plain": 1.5, "negation": -0.5}}, "plain"),
        ({"mixture": {"irony": 1.0}}, "negation"),
        ({"far": (-5, 10)}, "far"),
        ({"after_turn": 30}, "after_turn"),
        ({"before": (0.5, 3)}, "before"),
        ({"after": (20, 10)}, "after"),
        ({"distractors": 1.5}, "distractors"),
    ],
)
def test_wrong_settings_of_the_grammar(settings, message):
    with pytest.raises(ValueError, match=message):
        load_reviews(**settings)

"""Lab 06b's own sets: entities, questions, choices, summaries, unlabelled reviews."""

import re

import numpy as np
import pytest

from course_utils import data
from course_utils.data import choices, entities_grammar, entities_wnut17, questions
from course_utils.data.reviews import DAMNING, FILM_SUBJECTS, NEGATORS, PRAISING
from course_utils.numpy_ref.spans import span_f1, spans

SMALL = {"train": 60, "val": 20, "test": 30}
LOADERS = [data.load_entities, data.load_questions, data.load_choices, data.load_summaries]
PARTS = ("train", "val", "test")


def texts_of(split):
    inputs = split.inputs["text"] if isinstance(split.inputs, dict) else split.inputs
    return [text if isinstance(text, str) else " ".join(text) for text in inputs]


@pytest.mark.parametrize("load", LOADERS)
def test_made_sets_have_their_sizes_repeat_nothing_and_come_out_the_same(load, capsys):
    first, second, other = load(sizes=SMALL), load(sizes=SMALL), load(sizes=SMALL, seed=1)
    everything = [text for part in PARTS for text in texts_of(first.split(part))]
    assert len(everything) == len(set(everything)) == 110
    for part in PARTS:
        assert texts_of(first.split(part)) == texts_of(second.split(part))
        mine, again = (list(made.split(part).targets) for made in (first, second))
        assert np.array_equal(np.array(mine, object), np.array(again, object))
    assert texts_of(first.train) != texts_of(other.train)
    assert "60 / 20 / 30" in capsys.readouterr().out and first.licence == "CC0"


@pytest.mark.parametrize("load", LOADERS)
def test_more_training_data_leave_the_test_part_as_it_is(load):
    few, many = load(sizes=SMALL), load(sizes={**SMALL, "train": 90})
    for part in ("val", "test"):
        assert texts_of(few.split(part)) == texts_of(many.split(part))


@pytest.mark.parametrize("load", LOADERS)
@pytest.mark.parametrize(
    ("given", "telling"),
    [
        ({"sizes": {"train": 5}}, "'train', 'val', 'test'"),
        ({"sizes": {**SMALL, "val": 0}}, "at least 1"),
        ({"sizes": [5, 5, 5]}, "sizes has to be a dict"),
        ({"seed": -1}, "seed"),
    ],
)
def test_wrong_arguments_are_refused(load, given, telling):
    with pytest.raises(ValueError, match=telling):
        load(**given)


@pytest.fixture(scope="module")
def entities():
    return data.load_entities()


def named(dataset, rows):
    return [[dataset.class_names[tag] for tag in row] for row in rows]


def test_entities_have_a_tag_a_word_and_a_type_for_each_span(entities):
    assert [len(entities.split(part)) for part in PARTS] == [2_000, 300, 500]
    assert entities.class_names[0] == "O" and len(entities.class_names) == 9
    kinds = set()
    for words, tags in zip(
        entities.train.inputs, named(entities, entities.train.targets), strict=True
    ):
        assert len(words) == len(tags)
        for start, end, kind in spans(tags):
            assert words[start][0].isupper() and words[end][0].isupper()
            kinds.add(kind)
    assert kinds == set(entities_grammar.TYPES)


def test_new_names_occur_in_no_training_sentence(entities):
    known = {word for words in entities.train.inputs for word in words}
    for part in ("val", "test"):
        split = entities.split(part)
        unknown = [any(word not in known for word in words) for words in split.inputs]
        assert unknown == split.columns["new"].tolist()
        assert 0.5 < np.mean(unknown) < 0.9
    assert not entities.train.columns["new"].any()
    held = data.load_entities(sizes=SMALL, new=0.0)
    assert not held.test.columns["new"].any()
    with pytest.raises(ValueError, match="share"):
        data.load_entities(new=2)


def test_most_names_have_several_types_so_looking_words_up_is_not_enough(entities):
    types = {}
    for words, tags in zip(
        entities.train.inputs, named(entities, entities.train.targets), strict=True
    ):
        for word, tag in zip(words, tags, strict=True):
            if tag[0] == "B" and word not in ("The", "Letters", "Nights", "A"):
                types.setdefault(word, set()).add(tag[2:])
    assert np.mean([len(found) >= 3 for found in types.values()]) > 0.8
    guess = data.look_up_tags(entities.train, entities.test.inputs)
    truth, guess = (named(entities, rows) for rows in (entities.test.targets, guess))
    assert span_f1(truth, guess) < 0.3


def test_the_context_tells_the_type(entities):
    """With its names blotted out, no training sentence is tagged in two ways."""
    seen = {}
    for words, tags in zip(
        entities.train.inputs, named(entities, entities.train.targets), strict=True
    ):
        context = [
            word if tag == "O" else tag[0] for word, tag in zip(words, tags, strict=True)
        ]
        kinds = [tag for tag in tags if tag != "O"]
        assert seen.setdefault(" ".join(context), kinds) == kinds


def test_only_the_first_piece_of_a_word_carries_its_tag():
    assert data.align_tags([3, 0, 4], [None, 0, 0, 1, 2, 2, 2, None, None]) == [
        *(-1, 3, -1, 0, 4, -1, -1, -1, -1)
    ]
    assert data.align_tags([], [None]) == [-1] and data.IGNORE == -1


def test_rows_of_one_length_stay_lists():
    split = data.load_entities(sizes={"train": 1, "val": 1, "test": 1}).train
    assert split.inputs.shape == (1,) and isinstance(split.inputs[0], list)


CONLL = "Ada\tB-person\nLo\tI-person\nwrote\tO\n\nIn\tO\nRio\tB-location\n\t\n"


def test_wnut17_is_read_by_line():
    (first, tags), second = entities_wnut17.parse(CONLL + "a\tO")[:2]
    assert first == ["Ada", "Lo", "wrote"] and tags == ["B-person", "I-person", "O"]
    assert second[0] == ["In", "Rio"]
    assert entities_wnut17.parse("\n\n") == []
    for damaged in ("Ada\n", "Ada\tB-animal\n", "Ada\tO\tO\n"):
        with pytest.raises(ValueError, match="line 1"):
            entities_wnut17.parse(damaged)


def test_without_wnut17_it_is_said_what_to_do(monkeypatch, tmp_path):
    def fail(*given, **settings):
        raise OSError("nobody answers")

    monkeypatch.setattr("keras.utils.get_file", fail)
    monkeypatch.setenv("KERAS_HOME", str(tmp_path))
    with pytest.raises(ConnectionError, match="nobody answers") as refused:
        data.load_entities("wnut17")
    said = str(refused.value)
    assert str(tmp_path) in said and entities_wnut17.HOME in said and "embedded" in said
    with pytest.raises(ValueError, match="'embedded', 'wnut17'"):
        data.load_entities("conll")


def test_wnut17_comes_from_its_files(monkeypatch, tmp_path):
    def put(address, sha256, *where):
        path = tmp_path / address.rsplit("/", 1)[1]
        path.write_text(CONLL)
        return path

    monkeypatch.setattr(entities_wnut17, "download", put)
    dataset = data.load_entities("wnut17")
    assert len(dataset.test) == 2 and named(dataset, dataset.test.targets)[1] == [
        *("O", "B-location")
    ]


@pytest.fixture(scope="module")
def asked():
    return data.load_questions()


def test_the_answer_stands_in_the_review_and_answers_the_question(asked):
    for part in PARTS:
        split = asked.split(part)
        for text, question, (start, end), answer in zip(
            split.inputs["text"],
            split.inputs["question"],
            split.targets,
            split.columns["answer"],
            strict=True,
        ):
            assert 0 <= start <= end < len(text) and text[start : end + 1] == answer.split()
            assert 20 <= len(text) <= 45 and 3 <= len(question) <= 6 and text[-1] == "."
            before, behind = " ".join(text[:start]), " ".join(text[end + 1 :])
            wanted = question[-1]
            if question[:2] == ["what", "was"]:
                assert behind.startswith(" ".join(question[1:]) + " .")
            elif question[:2] == ["how", "was"]:
                assert before.endswith(f"the {wanted} was") and behind.startswith(".")
            elif question[0] == "who" and question[1] != "came":
                verb = question[1]
                by = {"directed": "directed by", "wrote": "written by", "plays": "played by"}
                assert behind.startswith(verb) or before.endswith(by.get(verb, "…"))


def test_neither_place_nor_frequency_gives_answers_away(asked):
    found = questions.baselines(asked)
    assert found["position"] < 0.2 and found["word"] < 0.45
    starts = np.bincount(asked.train.targets[:, 0])
    assert starts.max() / starts.sum() < 0.1


def test_spans_in_pieces():
    words = [None, 0, 1, 1, 2, 3, 3, None, None]
    assert data.token_span((1, 3), words) == (2, 6)
    assert data.token_span(np.array([0, 0]), words) == (1, 1)
    with pytest.raises(ValueError, match="words 3 to 4"):
        data.token_span((3, 4), words)


def test_one_ending_fits_and_three_contradict():
    made = data.load_choices(sizes=SMALL)
    verdict = re.compile(rf"the (\w+) was ((?:{'|'.join(NEGATORS)}) )?(\w+) \.")
    for text, endings, target in zip(
        made.train.inputs["text"], made.train.inputs["endings"], made.train.targets, strict=True
    ):
        found = verdict.findall(" ".join(text))
        praised = {subject: (word in PRAISING) != bool(no) for subject, no, word in found}
        fits = [praised[ending[4]] == (ending[5] in PRAISING) for ending in endings]
        assert np.flatnonzero(fits).tolist() == [target]
        assert len({ending[4] for ending in endings}) == 4
        assert not {ending[5] for ending in endings} & set(text)


def test_choosing_without_reading_is_chance():
    made = data.load_choices()
    assert made.train.inputs["endings"].shape == (8_000, 4)
    for share in choices.baselines(made).values():
        assert abs(share - 0.25) < 0.05


def test_a_summary_says_what_the_review_says():
    made = data.load_summaries(sizes=SMALL)
    subjects, no = "|".join(FILM_SUBJECTS), "|".join(NEGATORS)
    verdict = re.compile(
        rf"[Tt]he ({subjects}) was ((?:{no}) )?({'|'.join(PRAISING + DAMNING)})"
    )
    for text, summary, count, negated in zip(
        made.train.inputs,
        made.train.targets,
        made.train.columns["verdicts"],
        made.train.columns["negated"],
        strict=True,
    ):
        found = verdict.findall(text)
        said = [
            f"{s} {'good' if (word in PRAISING) != bool(n) else 'bad'}" for s, n, word in found
        ]
        assert summary == " , ".join(said) and len(said) == count
        assert negated == any(n for _, n, _ in found)


def test_unlabelled_reviews_hold_no_text_of_validation_or_test():
    made = data.unlabelled_reviews(300)
    assert made.shape == (300,) and len(set(made)) == 300
    assert (made == data.unlabelled_reviews(300)).all()
    reviews = data.load_reviews(form="text")
    held_out = {*reviews.val.inputs, *reviews.test.inputs}
    assert not held_out & set(made)
    # The seed of the kept reviews would give those of validation and test.
    assert not held_out & set(data.unlabelled_reviews(4_500, seed=0))
    with pytest.raises(ValueError, match="count"):
        data.unlabelled_reviews(0)

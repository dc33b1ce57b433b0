"""Lab 06c's own sets: frozen as their makers make them, and free of shortcuts."""

import numpy as np
import pytest

from course_utils.data.base import read_table
from lectures import lecture_06c as tasks
from lectures.lecture_06c import rivals
from tools.make_data import choices, entities, questions

MAKERS = {"entities": entities, "questions": questions, "choices": choices}


@pytest.fixture(scope="module")
def sets():
    return {name: getattr(tasks, f"load_{name}")() for name in MAKERS}


@pytest.mark.parametrize("name", MAKERS)
def test_the_kept_files_are_what_their_makers_make_and_repeat_nothing(name, sets):
    maker = MAKERS[name]
    rows = read_table(f"{name}.csv.xz", lambda table: list(zip(*table.values(), strict=True)))
    assert rows == [tuple(map(str, row)) for row in maker.make()]
    assert len({row[1] for row in rows}) == len(rows)
    made = sets[name]
    assert {part: len(made.split(part)) for part in tasks.PARTS} == maker.SIZES
    assert made.licence == "CC0" and made.name == name


def named(dataset, rows):
    return [[dataset.class_names[tag] for tag in row] for row in rows]


def test_new_names_occur_in_no_training_sentence_and_looking_words_up_is_not_enough(sets):
    made = sets["entities"]
    assert made.class_names[0] == "O" and len(made.class_names) == 9
    known = {word for words in made.train.inputs for word in words}
    for part in ("val", "test"):
        split = made.split(part)
        unknown = [any(word not in known for word in words) for words in split.inputs]
        assert unknown == split.columns["new"].tolist() and 0.5 < np.mean(unknown) < 0.9
    assert not made.train.columns["new"].any()
    guess = tasks.look_up_tags(made.train, made.test.inputs)
    assert tasks.span_f1(named(made, made.test.targets), named(made, guess)) < 0.3


def test_only_the_first_piece_of_a_word_carries_its_tag():
    aligned = tasks.align_tags([3, 0, 4], [None, 0, 0, 1, 2, 2, 2, None, None])
    assert aligned == [-1, 3, -1, 0, 4, -1, -1, -1, -1]


CONLL = "Ada\tB-person\nLo\tI-person\nwrote\tO\n\nIn\tO\nRio\tB-location\n\t\n"
TAGS = ("O", "B-person", "I-person", "B-location")


def test_wnut17_is_read_by_line_from_its_files(monkeypatch, tmp_path):
    words, tags = tasks.read_conll(CONLL + "a\tO", TAGS)
    assert words == [["Ada", "Lo", "wrote"], ["In", "Rio"], ["a"]]
    assert tags[0] == ["B-person", "I-person", "O"]
    assert tasks.read_conll("\n\n", TAGS) == ([], [])
    for damaged in ("Ada\n", "Ada\tB-animal\n", "Ada\tO\tO\n"):
        with pytest.raises(ValueError, match="line 1"):
            tasks.read_conll(damaged, TAGS)

    def put(address, sha256, *where):
        path = tmp_path / address.rsplit("/", 1)[1]
        path.write_text(CONLL, encoding="utf-8")
        return path

    monkeypatch.setattr(tasks, "download", put)
    made = tasks.load_entities("wnut17")
    assert len(made.test) == 2 and named(made, made.test.targets)[1] == ["O", "B-location"]
    with pytest.raises(ValueError, match="'embedded', 'wnut17'"):
        tasks.load_entities("conll")


def test_neither_position_nor_frequency_gives_answers_away(sets):
    assert tasks.frequent_answers(sets["questions"]) < 0.45
    starts = np.bincount(sets["questions"].train.targets[:, 0])
    assert starts.max() / starts.sum() < 0.1


def test_endings_without_their_review_are_chance(sets):
    assert abs(tasks.endings_alone(sets["choices"]) - 0.25) < 0.05
    assert np.allclose(np.bincount(sets["choices"].train.targets) / 8_000, 0.25, atol=0.02)


def test_features_of_the_rivals():
    assert [rivals.shape(word) for word in ("Velmora", "1990", "@ab-C", "")] == [
        "Xx", "d", "@x-X", "",
    ]  # fmt: skip
    found = rivals.window("we saw Velmora twice".split(), 2)
    assert {"-1 saw", "0 velmora", "0 Xx", "1 twice", "2 ", "starts vel", "ends ra"} <= {*found}
    text = "the plot was never dull . the cast was weak .".split()
    ending = "so we found the plot superb".split()
    assert rivals.adjectives(text, ending) == ["dull superb"]
    assert rivals.verdicts(text, ending) == ["never dull superb"]
    asked = rivals.span_features("it was by ann".split(), "who wrote it".split(), 3)
    assert "-3 it" in asked and "-3 True" in asked and "who wrote: 0 ann" in asked

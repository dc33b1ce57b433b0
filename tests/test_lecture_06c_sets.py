"""Lab 06c's own sets: frozen as their makers make them, and free of shortcuts."""

import re

import numpy as np
import pytest

from course_utils.data.base import read_table
from course_utils.data.reviews import DAMNING, FILM_SUBJECTS, NEGATORS, PRAISING
from lectures import lecture_06c as tasks
from tools.make_data import choices, entities, questions, summaries

MAKERS = {"entities": entities, "questions": questions, "choices": choices}
MAKERS["summaries"] = summaries


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


def test_entities_have_a_tag_a_word_and_new_names_occur_in_no_training_sentence(sets):
    made = sets["entities"]
    assert made.class_names[0] == "O" and len(made.class_names) == 9
    contexts, types = {}, {}
    for words, tags in zip(made.train.inputs, named(made, made.train.targets), strict=True):
        assert len(words) == len(tags)
        for start, end, _ in tasks.spans(tags):
            assert words[start][0].isupper() and words[end][0].isupper()
        # With its names blotted out, no training sentence is tagged in two ways.
        context = " ".join(w if t == "O" else t[0] for w, t in zip(words, tags, strict=True))
        assert contexts.setdefault(context, tags) == tags
        for word, tag in zip(words, tags, strict=True):
            if tag[0] == "B" and word not in ("The", "Letters", "Nights", "A"):
                types.setdefault(word, set()).add(tag[2:])
    known = {word for words in made.train.inputs for word in words}
    for part in ("val", "test"):
        split = made.split(part)
        unknown = [any(word not in known for word in words) for words in split.inputs]
        assert unknown == split.columns["new"].tolist() and 0.5 < np.mean(unknown) < 0.9
    assert not made.train.columns["new"].any()
    # Most names have several types, so looking words up is not enough.
    assert np.mean([len(found) >= 3 for found in types.values()]) > 0.8
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


def test_the_answer_stands_in_the_review_and_answers_the_question(sets):
    for part in tasks.PARTS:
        split = sets["questions"].split(part)
        rows = split.inputs["text"], split.inputs["question"], split.targets
        for text, question, (start, end) in zip(*rows, strict=True):
            assert 0 <= start <= end < len(text) and text[-1] == "."
            assert 20 <= len(text) <= 45 and 3 <= len(question) <= 6
            before, behind = " ".join(text[:start]), " ".join(text[end + 1 :])
            if question[:2] == ["what", "was"]:
                assert behind.startswith(" ".join(question[1:]) + " .")
            elif question[:2] == ["how", "was"]:
                assert before.endswith(f"the {question[-1]} was") and behind.startswith(".")
            elif question[0] == "who" and question[1] != "came":
                verb = question[1]
                by = {"directed": "directed by", "wrote": "written by", "plays": "played by"}
                assert behind.startswith(verb) or before.endswith(by.get(verb, "…"))


def test_neither_position_nor_frequency_gives_answers_away(sets):
    assert tasks.frequent_answers(sets["questions"]) < 0.45
    starts = np.bincount(sets["questions"].train.targets[:, 0])
    assert starts.max() / starts.sum() < 0.1


def verdicts(text):
    """What a text says of the parts of the film: [(part, whether it praises it)]."""
    parts, no, words = map("|".join, (FILM_SUBJECTS, NEGATORS, PRAISING + DAMNING))
    found = re.findall(rf"[Tt]he ({parts}) was ((?:{no}) )?({words})\b", text)
    return [(part, (word in PRAISING) != bool(denied)) for part, denied, word in found]


def test_one_ending_fits_and_three_contradict_and_without_reading_it_is_chance(sets):
    made = sets["choices"]
    rows = made.test.inputs["text"], made.test.inputs["endings"], made.test.targets
    for text, endings, target in zip(*rows, strict=True):
        praised = dict(verdicts(" ".join(text)))
        fits = [praised[ending[4]] == (ending[5] in PRAISING) for ending in endings]
        assert np.flatnonzero(fits).tolist() == [target]
        assert len({ending[4] for ending in endings}) == 4
        assert len({len(set(text) & set(ending)) for ending in endings}) == 1
    assert abs(tasks.endings_alone(made) - 0.25) < 0.05
    assert np.allclose(np.bincount(made.train.targets) / 8_000, 0.25, atol=0.02)


def test_a_summary_says_what_the_review_says(sets):
    made = sets["summaries"].test
    for text, summary in zip(made.inputs, made.targets, strict=True):
        said = [f"{part} {'good' if good else 'bad'}" for part, good in verdicts(text)]
        assert summary == " , ".join(said) and 2 <= len(said) <= 4

"""The translator without a network: alignment, blocks, choices."""

import numpy as np

from course_utils.data.base import END, Split
from lectures.lecture_05.pairs import load_pairs
from lectures.lecture_05.windows import WindowTranslator, align, blocks, training_blocks


def test_blocks_are_the_smallest_runs_in_order():
    # the black cat sleeps: le chat noir dort
    assert blocks([0, 2, 1, 3], 4) == [((0, 1), (0, 1)), ((1, 3), (1, 3)), ((3, 4), (3, 4))]
    assert blocks([0], 3) == [((0, 3), (0, 1))]


def test_counting_aligns_the_courses_pairs():
    pairs = load_pairs()
    some = pairs.train.take(np.arange(1_000))
    target = np.where(some.targets == END, 0, some.targets)
    right = align(some.inputs["source"], target) == some.columns["alignment"]
    assert right[target != 0].mean() > 0.98


def test_a_choice_hangs_on_the_words_around():
    pairs = load_pairs()
    the, cat, cow = pairs.vocabulary["source"].encode(["the", "cat", "cow"])
    le, la, chat, vache = pairs.vocabulary["target"].encode(["le", "la", "chat", "vache"])
    source = np.array([[the, cat], [the, cow]] * 8)
    targets = np.array([[le, chat, END], [la, vache, END]] * 8)
    found = training_blocks(Split({"source": source}, targets, None, {}))
    model = WindowTranslator(1, 0.1, pairs.vocabulary).fit(found)
    assert model.translate(source[:2]) == ["le chat", "la vache"]

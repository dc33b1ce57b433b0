"""What the full profile of lecture 05 records: its translators, and one without a network."""

import numpy as np

from course_utils import models, results
from lectures.lecture_05 import (
    BINS,
    CLASSMATES,
    FIXED,
    LECTURE,
    LONG,
    OWN,
    TRANSLATORS,
    WIDE,
    aligned,
    by_length,
    judge,
    on_pads,
    translation,
    translator,
    tune,
)
from lectures.lecture_05.pairs import load_pairs
from lectures.lecture_05.windows import WindowTranslator, training_blocks

SHIPPED = ("plain", "dot", "classmate")  # seed 0's weights come with the course


def record_all(seed):
    """Train and record what the lecture shows as recorded."""
    tune_and_record(TRANSLATORS, seed)
    if not seed:
        record_blocks()


def tune_and_record(names, seed, lecture=LECTURE, kinds=TRANSLATORS):
    """Train translators on the own pairs; judge them once on the test part, and record them."""
    pairs = load_pairs()
    for name in names:
        settings = OWN if "attention" in kinds[name] else FIXED
        settings = {"wide": WIDE, "classmate": CLASSMATES}.get(name, settings)

        def build(name=name, settings=settings):
            return translator(name, pairs, settings, kinds)

        model, run, _ = tune(name, build, pairs, settings, seed, lecture)
        found = judge(model, pairs, beams=name != "classmate")
        if name == "classmate":
            found |= on_pads(model, pairs)
        elif model.attention:
            found |= aligned(model, pairs)
        run.record(lecture, name, pairs.name, **found)
        if name in SHIPPED and seed == 0:
            arrays = {f"{number:02}": array for number, array in enumerate(model.get_weights())}
            made_by = f"{lecture}/{name}-{pairs.name}-seed0"
            models.save_pretrained(f"translator_{name}", arrays, made_by, **run.settings)


def record_blocks():
    """Record the translator without a network, its two settings chosen on validation."""
    pairs, tried = load_pairs(), {}
    blocks = training_blocks(pairs.train)
    for width in (2, 3, 4):
        for strength in (0.1, 1.0, 10.0):
            model = WindowTranslator(width, strength, pairs.vocabulary).fit(blocks)
            texts = model.translate(pairs.val.inputs["source"])
            right = translation.exact_match(texts, pairs.val.columns["references"])
            tried.setdefault(right, model)
    best, split = tried[max(tried)], pairs.test
    texts = best.translate(split.inputs["source"])
    references, words = split.columns["references"], split.columns["words"]
    long = words > LONG
    found = {
        "validation": max(tried),
        "exact_match": translation.exact_match(texts, references),
        "exact_long": translation.exact_match(np.array(texts)[long], references[long]),
    }
    for row in by_length(texts, references, words, BINS):
        found[f"exact {row['words']}"] = row["exact_match"]
    settings = {"width": best.width, "strength": best.strength}
    settings |= {"one_seed_because": "nothing in it is random"}
    results.record(LECTURE, "blocks", pairs.name, found, seed=0, settings=settings)

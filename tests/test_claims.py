"""What the lectures say of recorded runs holds in `results/`; no figure lacks its claim."""

import numpy as np
import pytest

from course_utils import results
from tools import claims, figures
from tools.source import lectures

SOURCES = [*lectures(), *figures.PAGES]


@pytest.mark.slow
@pytest.mark.parametrize("source", SOURCES, ids=lambda path: path.stem)
def test_every_claim_holds_and_every_figure_has_one(source):
    faults = list(claims.faults(source))
    assert not faults, "\n".join(faults)


def test_every_lecture_with_records_makes_claims():
    made = {
        path.stem for path in lectures() if any(one.claims for one in figures.in_text(path))
    }
    recorded = {path.stem for path in lectures() if (results.RESULTS / path.stem).is_dir()}
    assert made == recorded


def test_a_page_asks_for_the_runs_of_a_lecture_and_compares_them_in_pairs():
    asked = claims.Records("report")
    assert (
        asked.about("gmlp_100", "digits", "parameters", lecture="08_mixer_gmlp") == [59322] * 5
    )
    first, second = np.array([0.5, 0.5, 0.75, 0.5]), np.array([0.25, 0.25, 0.25, 0.75])
    # Of 16 ways to choose the signs 8 give a sum of 0.75 or more either way.
    assert claims.p_value(first, second) == 8 / 16
    # Single precision: 13 images more and 13 less are equal but for the last digits.
    gains = np.array([18, 15, -13 + 3e-7, 15, 13 + 1e-7]) / 397
    assert claims.p_value(gains, 0 * gains) == 6 / 32
    assert np.allclose(claims.spread([1.0, 2.0, 3.0]), [2, 1])


@pytest.mark.parametrize(
    ("said", "proof", "other"),
    [
        ("an accuracy of 0.86 with Adam", "near(x, 0.86, 0.005)", "near(x, 0.87, 0.86)"),
        ("reads 86 % of them", "x.min() > 0.86", "x.min() > 0.85"),
        ("69 to 82 % are exact", "near(ends(x), [0.69, 0.82], 0.005)", "x.max() < 0.82"),
        ("a dot is one of five\nrandom seeds", "len(x) == 5", "len(x) == 6"),
        ("39 of 40 runs", "(x > 0.9).sum() == 39 and x.size == 40", "(x > 0.9).sum() == 39"),
        ("nine in ten words", "near(x, 9 / 10, 0.05)", "near(x, 8 / 10, 0.05)"),
        ("three to five times as long", "near(ends(x), [3, 5], 0.5)", "x.max() < 5"),
        ("two and a half points more", "near(x, 0.025, 0.005)", "near(x, 0.02, 0.005)"),
        ("less than half of its BLEU", "x < 1 / 2", "x < 1 / 3"),
        ("two thirds of the adjectives", "near(x, 2 / 3, 0.01)", "near(x, 0.6, 0.01)"),
        ("a perplexity of 12", "near(x, 12, 0.5)", "near(x, 11, 12)"),
        ("a learning rate of 0.001", "given(0.001)", "given(0.01)"),
        ("134,000 predictions", "near(x, 134_000, 500)", "near(x, 13_400, 500)"),
    ],
)
def test_a_figure_without_its_number_is_found(said, proof, other):
    section = figures.Section("", said, figures.figures(said), [proof])
    assert section.figures and not section.unproved()
    section.claims = [other]
    assert section.unproved()


def test_what_claims_are_near_stands_as_often_in_the_prose():
    text = "It reads 86 to 88 %, the other 86 %, one point less than four networks."
    section = figures.Section("", text)
    section.claims = ["near(x, [0.86, 0.88], 0.005)", "near(y, [0.86, 4, 0.01], 0.005)"]
    assert not section.unsaid()
    section.prose = text.replace("other 86", "other 87")
    assert section.unsaid() == section.claims[1:]


@pytest.mark.parametrize(
    "said",
    [
        "In exercise 03.2 of lecture 3, two blocks of 64 channels (2017)",
        "`learning_rate=0.5`, $0.94^{60}$ and [a link](0.5.md)\n```python\nx = 0.5\n```",
        "(4 points) one of them; the two reasons; half an hour",
    ],
)
def test_settings_names_and_formulas_are_no_figures(said):
    assert not figures.figures(said)


def test_a_figure_is_named_by_its_line(tmp_path):
    source = tmp_path / "01_one.py"
    text = "# %% [markdown]\n# # One\n#\n# It has\n# 0.86.\n\n# %% [raw]\n# given({})\n"
    source.write_text(text.format(0.5), encoding="utf-8")
    [one] = [figure for section in figures.in_text(source) for figure in section.unproved()]
    assert (one.line, one.said) == (5, "0.86")


@pytest.mark.parametrize(
    ("claim", "complaint"),
    [
        ("recorded('counting', 'reviews', 'plain')", "neither"),
        ("recorded('nothing', 'reviews').min() > 0", "nothing"),
        ("recorded('counting', 'imdb').min() > 0", "imdb"),
        ("cell('reach-0', 'nothing', '80 words') > 0", "no table"),
    ],
)
def test_claims_that_say_nothing_are_refused(claim, complaint):
    with pytest.raises(ValueError, match=complaint):
        claims.holds("02_simple_rnn", claim)


def test_false_claims_are_found_and_claims_on_code_refused(tmp_path):
    false = "recorded('counting', 'reviews', 'plain').max() < 0"
    assert not claims.holds("02_simple_rnn", false)
    source = tmp_path / "sample.py"
    source.write_text("# %%\nx = 1\n\n# %% [raw]\n# recorded(1, 2) > 0\n", encoding="utf-8")
    with pytest.raises(ValueError, match="below text"):
        figures.in_text(source)

"""What the lectures say about recorded runs holds in `results/`."""

import pytest

from course_utils import results
from tools import claims
from tools.source import lectures

CLAIMS = [
    pytest.param(path.stem, claim, id=f"{path.stem}-{number}")
    for path in lectures()
    for number, claim in enumerate(claims.claims(path), 1)
]


@pytest.mark.parametrize(("lecture", "claim"), CLAIMS)
def test_claim_holds(lecture, claim):
    assert claims.holds(lecture, claim), claim


def test_every_lecture_with_records_makes_claims():
    recorded = {path.stem for path in lectures() if (results.RESULTS / path.stem).is_dir()}
    assert {claim.values[0] for claim in CLAIMS} == recorded


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
        list(claims.claims(source))

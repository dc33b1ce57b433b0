"""What lab 08b says about its recorded runs."""

import numpy as np
import pytest

from course_utils import results

LECTURE = "08b_lab_gmlp_text"


def recorded(model, dataset, metric="test_loss"):
    return [run["metrics"][metric] for run in results.load(LECTURE, model, dataset)]


def test_on_characters_the_gates_have_an_order_and_their_ranges_lie_apart():
    order = ("split_toeplitz", "split", "additive", "multiplicative", "linear")
    for better, worse in zip(order, order[1:], strict=False):
        assert max(recorded(better, "characters")) < min(recorded(worse, "characters"))


def test_the_multiplicative_gate_leaves_the_plateau_later_than_the_additive_one():
    leaves = {
        name: sorted(recorded(name, "characters", "leaves"))
        for name in ("additive", "multiplicative")
    }
    assert sum(leaves["multiplicative"]) > sum(leaves["additive"])


def test_a_toeplitz_gate_is_smaller_and_tiny_attention_brings_nothing():
    sizes = {
        name: results.load(LECTURE, name, "characters")[0]["parameters"]
        for name in ("split", "split_toeplitz")
    }
    assert 11_500 < sizes["split"] - sizes["split_toeplitz"] < 12_500
    assert min(recorded("split_tiny", "characters")) > min(recorded("split", "characters"))
    assert sum(recorded("split_tiny", "characters")) > sum(recorded("split", "characters"))


def test_a_free_W_reads_the_next_character_and_knows_nothing_without_it():
    shown, hidden, guess = (
        recorded("next_split", "characters", metric)
        for metric in ("future_shown", "future_hidden", "guess")
    )
    assert max(shown) < 0.001 and np.exp(np.mean(shown)) == pytest.approx(1.0004, abs=0.0001)
    assert all(value > by_frequency for value, by_frequency in zip(hidden, guess, strict=True))
    causal = [recorded("next_causal", "characters", f"future_{x}") for x in ("shown", "hidden")]
    assert causal[0] == causal[1] and max(causal[0]) < 2


def test_on_phrases_no_network_is_above_counted_words_and_pairs():
    means = {
        name: np.mean(recorded(name, "sst2", "test_accuracy"))
        for name in ("scratch", "toeplitz", "tiny", "tfidf_pairs")
    }
    assert means["scratch"] >= 0.804
    assert abs(means["scratch"] - means["toeplitz"]) < 0.002
    assert means["scratch"] - means["tiny"] == pytest.approx(0.01, abs=0.004)
    assert means["tfidf_pairs"] == pytest.approx(0.82, abs=0.005)
    assert means["tfidf_pairs"] > max(means["scratch"], means["toeplitz"])

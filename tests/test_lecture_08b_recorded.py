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


def test_on_word_pieces_additive_leads_the_free_gates_and_neighbours_touch():
    free = ("additive", "linear", "split", "multiplicative")
    found = {name: recorded(name, "pieces") for name in (*free, "split_toeplitz", "split_tiny")}
    assert sorted(free, key=lambda name: np.mean(found[name])) == list(free)
    assert max(found["additive"]) < min(min(found[name]) for name in free[1:])
    for one, next_one in zip(free[1:], free[2:], strict=False):
        assert max(found[one]) > min(found[next_one]) - 0.001
    ranges = [value for name in free for value in (min(found[name]), max(found[name]))]
    assert ranges == pytest.approx([3.12, 3.15, 3.21, 3.36, 3.33, 3.45, 3.45, 3.50], abs=0.006)
    assert np.mean(found["split_toeplitz"]) == min(map(np.mean, found.values()))
    assert max(found["split_tiny"]) < min(found["split"])
    gain = np.mean(found["split"]) - np.mean(found["split_tiny"])
    assert gain < np.ptp(found["split"])


def test_on_word_pieces_only_toeplitz_has_left_after_500_batches():
    def after_500(name):
        return [run["history"]["val_loss"][9] for run in results.load(LECTURE, name, "pieces")]

    free = ("linear", "additive", "multiplicative", "split", "split_tiny")
    lines = np.array([after_500(name) for name in free]).ravel()
    assert sorted(lines)[0] == min(after_500("split_tiny")) < 5.2
    assert np.ptp(sorted(lines)[1:]) < 0.12 and np.mean(sorted(lines)[1:]) == pytest.approx(
        5.6, abs=0.05
    )
    assert np.mean(after_500("split_toeplitz")) == pytest.approx(4.3, abs=0.05)
    for kind in ("characters", "pieces"):
        first = max(recorded("split_toeplitz", kind, "leaves"))
        assert all(first <= min(recorded(name, kind, "leaves")) for name in free)


def test_by_depth_gmlp_is_ahead_in_each_pair():
    pairs = [(f"depth_transformer_{n}", f"depth_gmlp_{2 * n}") for n in (1, 2, 4)]
    means = [[np.mean(recorded(name, "characters")) for name in pair] for pair in pairs]
    leads = [transformer - gmlp for transformer, gmlp in means]
    assert (min(leads), max(leads)) == pytest.approx((0.34, 0.43), abs=0.005)
    for pair in pairs:
        sizes = [results.load(LECTURE, name, "characters")[0]["parameters"] for name in pair]
        assert sizes[1] / sizes[0] == pytest.approx(1.08, abs=0.005)
    (one, two), (three, four), (five, six) = means
    assert one - three > 0.05 and abs(three - five) < 0.01 and two > four + 0.05 > six + 0.1


KINDS = ("roles", "clause", "verdict", "negation")
ALONE, TINY = "gmlp", "gmlp_tiny"


def on_pairs(model, task):
    return recorded(model, f"pairs_{task}", "test_accuracy")


@pytest.mark.parametrize("task", [*KINDS, "all_kinds"])
def test_on_made_pairs_every_control_is_at_chance(task):
    for run in results.load(LECTURE, "controls", f"pairs_{task}"):
        assert all(value == 0.5 for value in run["metrics"].values())


def test_W_alone_reads_made_pairs_and_tiny_attention_adds_nothing():
    for task in ("roles", "clause", "negation"):
        assert min(on_pairs(ALONE, task)) > 0.99 and min(on_pairs(TINY, task)) > 0.99
    assert sum(value > 0.98 for value in on_pairs(ALONE, "verdict")) == 2
    assert all(value < 0.75 for value in on_pairs(TINY, "verdict"))
    together = sorted(on_pairs(ALONE, "all_kinds"))
    assert min(together[1:]) > 0.97 and together[0] == pytest.approx(0.76, abs=0.005)
    for task in (*KINDS, "all_kinds"):
        assert np.mean(on_pairs(TINY, task)) < np.mean(on_pairs(ALONE, task)) + 0.002


def test_without_easier_pairs_two_comparisons_at_once_are_not_even_learned_by_heart():
    for model in (ALONE, TINY):
        assert all(abs(value - 0.5) < 0.01 for value in on_pairs(model, "two_clauses"))
        for run in results.load(LECTURE, model, "pairs_two_clauses"):
            assert 0.485 < run["history"]["accuracy"][-1] < 0.525


def test_two_thousand_real_pairs_teach_neither_network_anything():
    standard_error = 0.03
    [control] = {
        run["metrics"]["overlap_and_lengths"]
        for run in results.load(LECTURE, "controls", "pairs_rte")
    }
    for model in (ALONE, TINY):
        assert np.mean(on_pairs(model, "rte")) < min(control, 0.527 + standard_error)
    for prefix, least in (("", 0.49), ("contextual_", 0.53)):
        found = [value for model in (ALONE, TINY) for value in on_pairs(prefix + model, "rte")]
        assert (min(found), max(found)) == pytest.approx((least, 0.56), abs=0.005)
        assert max(found) < control


def test_on_frozen_contexts_every_network_loses_on_phrases_and_underfits():
    lost = []
    for name in ("scratch", "toeplitz", "tiny"):
        plain, contexts = (
            results.load(LECTURE, kind, "sst2") for kind in (name, f"contextual_{name}")
        )
        right = [[run["metrics"]["test_accuracy"] for run in of] for of in (plain, contexts)]
        assert max(right[1]) < min(right[0])
        lost.append(np.mean(right[0]) - np.mean(right[1]))
        known = [[run["history"]["accuracy"][-1] for run in of] for of in (plain, contexts)]
        assert all(0.865 < value < 0.885 for value in known[0])
        assert all(0.685 < value < 0.705 for value in known[1])
    assert min(lost) > 0.035 and max(lost) < 0.055

"""What the lectures claim about real reviews holds in the recorded runs."""

import pytest

from course_utils import results

READERS = [
    ("03_lstm_gru", "lstm_32"),
    ("03_lstm_gru", "gru_32"),
    ("03_lstm_gru", "bidirectional_32"),
    ("04_conv1d", "slides_network"),
    ("04_conv1d", "conv_gru"),
]


def mean(lecture, model, metric):
    return results.mean(results.load(lecture, model, "imdb"), metric)[0]


@pytest.mark.parametrize(("lecture", "model"), READERS)
def test_networks_reach_88_percent_of_the_test_set(lecture, model):
    assert mean(lecture, model, "test_accuracy") >= 0.88


def test_gates_pass_the_simple_loop_and_the_bag_of_words_but_not_the_word_pairs():
    bag = mean("01_imdb_embeddings", "multi_hot_10k", "test_accuracy")
    pairs = mean("01_imdb_embeddings", "bigrams_200k_log_ratios", "test_accuracy")
    loop = mean("03_lstm_gru", "simple_rnn_32", "test_accuracy")
    for model in ("lstm_32", "gru_32"):
        assert max(bag, loop) < mean("03_lstm_gru", model, "test_accuracy") < pairs


def test_validation_prefers_rare_words_and_the_test_set_does_not():
    few, many = "lstm_32", "lstm_32_10k_words"
    lecture = "03_lstm_gru"
    assert mean(lecture, many, "val_accuracy") > mean(lecture, few, "val_accuracy")
    assert mean(lecture, many, "test_accuracy") < mean(lecture, few, "test_accuracy")


def test_pads_move_the_listing_and_none_of_the_masked_networks():
    for model in ("slides_network", "conv_gru"):
        runs = results.load("04_conv1d", model, "imdb")
        assert max(run["metrics"]["moved_by_pads"] for run in runs) < 1e-5
    listing = results.load("04_conv1d", "listing", "imdb")
    assert min(run["metrics"]["moved_by_pads"] for run in listing) > 1e-5

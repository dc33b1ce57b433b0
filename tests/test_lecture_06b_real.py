"""Lab 06b on real text: windows, the rate, batches that go on, a head that is fitted first."""

import numpy as np
import pytest

from course_utils.tokenizers import START

pytestmark = pytest.mark.slow

LENGTH, WORDS = 12, 60


class Letters:
    """A stand-in for a tokenizer: one id a letter, the first letter 5."""

    def ids(self, text):
        return [5 + ord(letter) - ord("a") for letter in text]


def test_windows_hold_each_text_in_order_and_drop_short_ends():
    from course_utils.pretraining_windows import SHORTEST, windows

    rows = windows(Letters(), ["abc", "abcdefghijklmnopqrstuvwxyz", ""], LENGTH)
    assert rows.dtype == np.int32 and rows.shape == (4, LENGTH) and (rows[:, 0] == START).all()
    assert rows[0].tolist() == [START, 5, 6, 7] + [0] * 8
    # 26 letters: 11 and 11; the last four are fewer than SHORTEST and are dropped.
    assert rows[1, 1:].tolist() == list(range(5, 16))
    assert rows[2, 1:].tolist() == list(range(16, 27))
    assert not rows[3, 1:].any() and SHORTEST == 8
    long = windows(Letters(), ["abcdefghijklmnopqrst"], LENGTH)
    assert long.shape == (2, LENGTH) and np.count_nonzero(long[1]) == 10
    with pytest.raises(ValueError, match="at least 2"):
        windows(Letters(), ["abc"], 1)


def test_an_epoch_of_some_batches_goes_on_where_the_last_one_stopped():
    from course_utils.pretraining import PretrainingBatches

    ids = np.full((12, 6), 9, "int32")
    ids[:, 0], ids[:, 1] = START, np.arange(20, 32)  # the second token names the row
    data = PretrainingBatches(ids, WORDS, "causal", None, batch_size=4, steps=2)
    seen = []
    for _ in range(3):  # three epochs of two batches: twice all three batches
        seen += [data[number][0]["ids"][:, 1] for number in range(len(data))]
        data.on_epoch_end()
    for lap in (seen[:3], seen[3:]):
        assert sorted(np.concatenate(lap)) == list(range(20, 32))
    assert not np.array_equal(np.concatenate(seen[:3]), np.concatenate(seen[3:]))


def classifier(classes=2):
    import keras

    from course_utils.models import heads, transformer_encoder

    keras.utils.set_random_seed(0)
    encoder = transformer_encoder(WORDS, 16, 2, 32, 2, LENGTH)
    return heads.sequence_classifier(encoder, classes, pool="mean"), encoder


def test_a_fitted_head_tells_labels_apart_and_leaves_the_encoder_alone():
    from course_utils.fine_tuning import init_head_by_probe

    model, encoder = classifier()
    draw = np.random.default_rng(0)
    labels = np.arange(60) % 2
    ids = draw.integers(5, 30, (60, LENGTH)).astype("int32") + 25 * labels[:, None]
    before = encoder.get_weights()
    init_head_by_probe(model, ids.astype("int32"), labels)
    assert (model.predict(ids, verbose=0).argmax(-1) == labels).mean() > 0.95
    for left, right in zip(before, encoder.get_weights(), strict=True):
        assert np.array_equal(left, right)
    with pytest.raises(ValueError, match="2 units"):
        init_head_by_probe(classifier(3)[0], ids, labels)

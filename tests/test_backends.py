"""Every model and layer: finite, pads, no leak of the future, steps, empty rows, reloading."""

import keras
import pytest

from benchmarks import backends
from course_utils import full_precision

CASES = backends.all_cases()
POOLING = (
    "01 averaging", "04 text_convnet", "04 phrase_5", "04 dilated", "06 review_reader",
    "06b classifier mean", "06c bi-LSTM", "06c span", "05 general", "08b contexts",
)  # fmt: skip


@pytest.mark.parametrize("name", POOLING)
def test_a_row_without_a_real_token_spoils_no_output_and_no_gradient(name):
    keras.utils.set_random_seed(0)
    with full_precision():
        model, inputs = CASES[name].make(), CASES[name].inputs()
        outputs = backends.ask(model, inputs)
        assert list(backends.spoilt_by_an_empty_row(model, inputs, outputs)) == []


@pytest.mark.slow
@pytest.mark.parametrize("name", CASES)
def test_a_model_holds_what_is_asked_of_every_model(name, tmp_path, monkeypatch):
    monkeypatch.setattr(backends, "FOLDER", tmp_path)
    (tmp_path / keras.backend.backend()).mkdir()
    with full_precision():
        assert list(backends.faults(name, CASES[name])) == []

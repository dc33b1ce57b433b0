"""Every model and layer: finite, pads, no leak of the future, steps, reloading."""

import keras
import pytest

from benchmarks import backends
from course_utils import full_precision

CASES = backends.all_cases()


@pytest.mark.slow
@pytest.mark.parametrize("name", CASES)
def test_a_model_holds_what_is_asked_of_every_model(name, tmp_path, monkeypatch):
    monkeypatch.setattr(backends, "FOLDER", tmp_path)
    (tmp_path / keras.backend.backend()).mkdir()
    with full_precision():
        assert list(backends.faults(name, CASES[name])) == []

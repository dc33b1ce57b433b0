import numpy as np
import pytest

from tools import slides_npm


@pytest.fixture(scope="session")
def npm():
    """Have reveal.js and MathJax from npm at hand; skip, and say why, where they are not."""
    try:
        slides_npm.modules()
    except slides_npm.MissingTools as error:
        pytest.skip(f"decks need reveal.js and MathJax from npm: {error}")


@pytest.fixture(autouse=True)
def not_strict(monkeypatch):
    """Whoever runs the tests may have COURSE_STRICT set, which turns refusals into errors."""
    monkeypatch.delenv("COURSE_STRICT", raising=False)


@pytest.fixture
def texts():
    """Six texts of 1 to 20 words, ids from 2 to 49 with pads behind: int32 (6, 20)."""
    generator = np.random.default_rng(0)
    ids = generator.integers(2, 50, size=(6, 20)).astype("int32")
    lengths = np.array([20, 17, 11, 5, 2, 1])
    return ids * (np.arange(20) < lengths[:, None])

import pytest

from tools import slides_npm


@pytest.fixture(scope="session")
def npm():
    """Have reveal.js and MathJax from npm at hand; skip, and say why, where they are not."""
    try:
        slides_npm.modules()
    except slides_npm.MissingTools as error:
        pytest.skip(f"decks need reveal.js and MathJax from npm: {error}")

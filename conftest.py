import os
import sys
from types import SimpleNamespace

import numpy as np
import pytest

from tools import lint_slides, slides_npm

collect_ignore = ["tests/sample_lecture"]  # tested where it is copied to


@pytest.fixture(scope="session")
def npm():
    """Have reveal.js and MathJax from npm at hand; skip, and say why, where they are not."""
    try:
        slides_npm.modules()
    except slides_npm.MissingTools as error:
        pytest.skip(f"decks need reveal.js and MathJax from npm: {error}")


@pytest.fixture(scope="module")
def browser():
    """Start Chromium once, where there is one."""
    try:
        with lint_slides.browser() as running:
            yield running
    except lint_slides.NoBrowser as error:
        pytest.skip(f"pages are looked at in a browser: {error}")


@pytest.fixture(scope="session")
def axe(npm):
    """Return a function that names what axe-core finds wrong with a page in the browser."""
    script = slides_npm.modules() / "axe-core" / "axe.min.js"

    def violations(page, inside="html"):
        page.add_style_tag(content=lint_slides.STILL)
        page.add_script_tag(path=script)
        run = "inside => axe.run(inside, { resultTypes: ['violations'] })"
        found = page.evaluate(run, inside)["violations"]
        return [f"{one['id']}: {node['html'][:200]}" for one in found for node in one["nodes"]]

    return violations


@pytest.fixture(autouse=True)
def own_environment(monkeypatch):
    """Commands set the environment for themselves (a backend, threads), not for other tests.

    Whoever runs the tests may have COURSE_STRICT set, which turns refusals into errors.
    """
    before = dict(os.environ)
    monkeypatch.delenv("COURSE_STRICT", raising=False)
    yield
    os.environ.clear()
    os.environ.update(before)


@pytest.fixture(autouse=True)
def registered():
    """An answer's layer must not stay where a saved model looks for the course's own."""
    keras = sys.modules.get("keras")
    before = dict(keras.saving.get_custom_objects()) if keras else {}
    yield
    if before:
        keras.saving.get_custom_objects().update(before)


@pytest.fixture
def texts():
    """Six texts of 1 to 20 words, ids from 2 to 49 with pads after them: int32 (6, 20)."""
    generator = np.random.default_rng(0)
    ids = generator.integers(2, 50, size=(6, 20)).astype("int32")
    lengths = np.array([20, 17, 11, 5, 2, 1])
    return ids * (np.arange(20) < lengths[:, None])


@pytest.fixture
def tfds(tmp_path, monkeypatch):
    """Install a stand-in for TensorFlow Datasets: call it with the batches of each part."""

    def install(batches, class_names=(), prepared=True):
        folder = tmp_path / "tfds" / "name" / "config" / "1.0.0"
        if prepared:
            folder.mkdir(parents=True, exist_ok=True)
        builder = SimpleNamespace(
            data_dir=str(folder),
            info=SimpleNamespace(features={"label": SimpleNamespace(names=class_names)}),
            parts_read=[],
            download_and_prepare=lambda: None,
        )

        def as_dataset(split, batch_size, shuffle_files):
            assert not shuffle_files
            builder.parts_read.append(split)
            return batches[split]

        builder.as_dataset = as_dataset
        module = SimpleNamespace(builder=lambda name: builder, as_numpy=lambda given: given)
        monkeypatch.setitem(sys.modules, "tensorflow_datasets", module)
        return builder

    return install


@pytest.fixture
def no_network(monkeypatch):
    """Nobody answers where a loader asks whether its archive can be had."""

    def nobody_answers(*given, **settings):
        raise OSError("Name or service not known")

    monkeypatch.setattr("course_utils.data.download.urlopen", nobody_answers)

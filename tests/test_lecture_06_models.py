"""The models of lecture 06: pads, time, cache, reloading."""

import ast
from pathlib import Path

import numpy as np
import pytest

import course_utils as cu

LECTURE = "06_transformer"
SOURCE = Path(__file__).resolve().parent.parent / "lectures" / f"{LECTURE}.py"
WORDS = 50
PADS = (1, 2, 3, 7, 50)
STEPS = 48


@pytest.fixture(scope="module")
def lecture():
    """The functions and settings that the lecture's source defines at its top level."""
    import keras
    from keras import layers, ops

    from course_utils.layers import (
        MultiHeadAttention,
        TransformerDecoderBlock,
        TransformerEncoderBlock,
    )

    def kept(node):
        settings = isinstance(node, ast.Assign | ast.AugAssign) and (
            getattr(node.targets[0] if hasattr(node, "targets") else node.target, "id", "")
        ) in ("READER", "IMDB", "EMBEDDED", "REAL", "WRITER")
        return settings or isinstance(node, ast.FunctionDef)

    tree = ast.parse(SOURCE.read_text(encoding="utf-8"))
    names = {"keras": keras, "layers": layers, "ops": ops, "np": np, "cu": cu}
    names |= {
        "MultiHeadAttention": MultiHeadAttention,
        "TransformerDecoderBlock": TransformerDecoderBlock,
        "TransformerEncoderBlock": TransformerEncoderBlock,
    }
    body = [node for node in tree.body if kept(node)]
    exec(compile(ast.Module(body, []), str(SOURCE), "exec"), names)
    return names


@pytest.fixture(params=["the reviews' reader", "IMDB's reader"])
def reader(request, lecture):
    import keras

    keras.utils.set_random_seed(0)
    shape = lecture["READER" if "reviews" in request.param else "IMDB"]
    return lecture["review_reader"](WORDS, **shape)


@pytest.fixture
def translator(lecture):
    import keras

    keras.utils.set_random_seed(0)
    sides = dict.fromkeys(("source", "target"), range(WORDS))
    pairs = cu.data.Dataset("pairs", None, None, None, vocabulary=sides, source="tests")
    model = lecture["translator"](pairs, lecture["EMBEDDED"])
    model.build()
    return model


@pytest.fixture
def writer(lecture):
    import keras

    keras.utils.set_random_seed(0)
    model = cu.models.LanguageModel(WORDS, **lecture["WRITER"])
    model.build()
    return model


def texts(least=2):
    draw = np.random.default_rng(0)
    lengths = np.append(draw.integers(1, STEPS, size=14), [STEPS, 1])
    ids = draw.integers(least, WORDS, size=(16, STEPS)).astype("int32")
    return ids * (np.arange(STEPS) < lengths[:, None])


def targets(count=16, width=20):
    """Rows that begin with <sos> and have no pads: int32 (count, width)."""
    ids = np.random.default_rng(1).integers(4, WORDS, size=(count, width)).astype("int32")
    ids[:, 0] = cu.data.START
    return ids


def array(tensor):
    import keras

    return keras.ops.convert_to_numpy(tensor)


def moved(model, ids):
    """Largest change of a verdict for each number of pads added."""
    longer = [np.pad(ids, ((0, 0), (0, pads))) for pads in (0, *PADS)]
    before, *after = [array(model(rows)) for rows in longer]
    return [np.abs(chances - before).max() for chances in after]


def test_pads_change_no_verdict(reader):
    assert max(moved(reader, texts())) < 1e-5


def test_without_masks_every_number_of_pads_changes_verdicts(lecture):
    unmasked = lecture["review_reader"](WORDS, **lecture["READER"], masked=False)
    assert min(moved(unmasked, texts())) > 1e-4


def test_pads_change_no_logits_of_the_translator(translator):
    source, target = texts(), targets()
    before = array(translator({"source": source, "target": target}))
    wider = np.pad(source, ((0, 0), (0, 7))), np.pad(target, ((0, 0), (0, 3)))
    after = array(translator({"source": wider[0], "target": wider[1]}))
    assert np.abs(after[:, :20] - before).max() < 1e-4


def test_a_later_word_changes_no_earlier_logits(translator, writer):
    source, target = texts(4)[:4], targets(4)
    changed = target.copy()
    changed[:, 9] = 5 + (target[:, 9] == 5)
    for run in (lambda ids: translator({"source": source, "target": ids}), writer):
        before, after = array(run(target)), array(run(changed))
        assert np.abs(before[:, :9] - after[:, :9]).max() < 1e-5
        assert np.abs(before[:, 9:] - after[:, 9:]).max(axis=-1).min() > 1e-6


@pytest.mark.slow
def test_writing_with_and_without_the_cache_gives_the_same_words(lecture, translator):
    source = texts(4)
    cached = lecture["write_cached"](translator, source, 20)
    again = lecture["write_again"](translator, source, 20)
    assert cached.shape == again.shape == (16, 20)
    assert np.array_equal(cached, again)
    assert len(np.unique(cached)) > 3


def test_the_writer_steps_to_the_same_logits(writer):
    ids = targets(2, 12)
    whole, state = array(writer(ids)), writer.start(2, 12)
    for position in range(12):
        logits, state = writer.step(ids[:, position], position, state)
        assert np.abs(array(logits) - whole[:, position]).max() < 1e-4


@pytest.mark.slow
def test_saved_models_reload_with_equal_outputs(reader, translator, writer, tmp_path):
    import keras

    pair = {"source": texts(), "target": targets()}
    for name, model, given in [
        ("r", reader, texts()),
        ("t", translator, pair),
        ("w", writer, texts()),
    ]:
        before = array(model(given))
        model.save(tmp_path / f"{name}.keras")
        again = keras.models.load_model(tmp_path / f"{name}.keras")
        assert np.array_equal(array(again(given)), before)


@pytest.mark.slow
def test_gradients_are_read_off_one_step_of_descent(lecture):
    import keras

    keras.utils.set_random_seed(0)
    ids = texts()
    found = {
        wiring: lecture["gradient_norms"](WORDS, ids, 6, wiring)
        for wiring in ("no residual", "residual", "pre-norm", "post-norm")
    }
    first = {wiring: norms["feed-forward, first block"] for wiring, norms in found.items()}
    assert first["no residual"] < first["pre-norm"] < first["residual"]


@pytest.mark.slow
def test_benchmarks_write_the_same_words_in_all_three_ways(monkeypatch):
    from benchmarks import attention_cost, cached_decoding

    monkeypatch.setattr(cached_decoding, "LENGTH", 8)
    source = targets(3, 8)
    model = cached_decoding.translator(16, 1)
    written = [way() for way in cached_decoding.ways(model, source).values()]
    assert all(np.array_equal(words, written[0]) for words in written)
    assert written[0].shape == (3, 8)
    for make in attention_cost.LAYERS.values():
        step = attention_cost.step(make, 16)
        losses = [float(np.asarray(step())) for _ in range(8)]
        assert losses[-1] < losses[0]


def test_real_pairs_are_the_same_task_with_the_same_budget_as_in_lecture_5(lecture):
    tree = ast.parse(SOURCE.with_name("05_attention.py").read_text(encoding="utf-8"))
    settings = {
        node.targets[0].id: ast.literal_eval(node.value)
        for node in tree.body
        if isinstance(node, ast.Assign) and getattr(node.targets[0], "id", "") == "REAL"
    }["REAL"]
    for name in ("pairs", "vocab_size", "epochs"):
        assert lecture["REAL"][name] == settings[name]


def test_tokens_grow_alike_in_post_norm(lecture):
    from course_utils.numpy_ref import transformer
    from course_utils.numpy_ref.positions import sinusoidal_positions

    lecture |= {"transformer": transformer, "layer_norm": transformer.layer_norm}
    lecture["sinusoidal_positions"] = sinusoidal_positions
    likeness = lecture["likeness"]
    assert likeness("post", 24) > 0.99
    assert likeness("pre", 24) < 0.9
    assert likeness("post", 2) < 0.7


def test_the_shipped_translator_translates(lecture):
    pairs = cu.data.load_pairs()
    lecture["pairs"] = pairs
    model = lecture["shipped_translator"]()
    some = pairs.test.take(slice(100))
    found = cu.translation.translate(model, some.inputs["source"], pairs.vocabulary, 40)
    assert cu.translation.exact_match(found, some.columns["references"]) > 0.9

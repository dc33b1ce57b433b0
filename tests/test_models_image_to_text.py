"""Pictures in, tokens out: no leak, no difference with a cache, or when loaded anew."""

import numpy as np
import pytest
from redrawn import scrambled

from course_utils import decoding, models, translation
from course_utils.data.base import Vocabulary

pytestmark = pytest.mark.slow

START, END = 2, 3
WORDS, LENGTH = 14, 6
IMAGE, CHANNELS = (8, 12), 1
SMALL = {"patch": 4, "embed_dim": 8, "num_heads": 2, "mlp_dim": 12, "max_length": 8}
KINDS = ["vit", "two blocks", "no positions", "plain", "bahdanau", "general"]
RECURRENT = {"plain": None, "bahdanau": "bahdanau", "general": "general"}


def make(kind):
    """A small model with all weights drawn anew."""
    import keras

    keras.utils.set_random_seed(0)
    if kind in RECURRENT:
        sizes = {"filters": (4, 6), "embed_dim": 5, "units": 8}
        model = models.ConvnetToText(IMAGE, CHANNELS, WORDS, attention=RECURRENT[kind], **sizes)
    else:
        more = {"two blocks": {"num_decoder_layers": 2}, "no positions": {"positions": "none"}}
        model = models.ImageToText(IMAGE, CHANNELS, WORDS, **SMALL, **more.get(kind, {}))
    model(inputs())
    return scrambled(model)


@pytest.fixture(params=KINDS)
def model(request):
    return make(request.param)


def inputs():
    draw = np.random.default_rng(0)
    ids = draw.integers(4, WORDS, size=(3, 5)).astype("int32")
    ids[:, 0] = START
    return {"image": pictures(), "ids": ids}


def pictures(count=3):
    shape = (count, *IMAGE, CHANNELS)
    return np.random.default_rng(1).random(shape).astype("float32")


def array(tensor):
    from keras import ops

    return ops.convert_to_numpy(tensor)


def test_a_later_token_changes_no_earlier_logits(model):
    given = inputs()
    changed = given["ids"].copy()
    changed[:, 3] = changed[:, 3] % (WORDS - 5) + 4
    before, after = array(model(given)), array(model(given | {"ids": changed}))
    assert before.shape == (3, 5, WORDS)
    assert np.array_equal(before[:, :3], after[:, :3])
    assert np.abs(before[:, 3:] - after[:, 3:]).max() > 1e-3


def test_pads_behind_the_text_change_no_real_logits(model):
    given = inputs()
    more = given | {"ids": np.pad(given["ids"], ((0, 0), (0, 3)))}
    assert np.abs(array(model(more))[:, :5] - array(model(given))).max() < 1e-5


def test_every_corner_of_the_picture_counts(model):
    given = inputs()
    before = array(model(given))
    for row in (0, IMAGE[0] - 1):
        for column in (0, IMAGE[1] - 1):
            image = given["image"].copy()
            image[:, row, column] += 1
            after = array(model(given | {"image": image}))
            assert np.abs(after - before).max(axis=(1, 2)).min() > 1e-6


def test_one_token_at_a_time_gives_the_same_logits(model):
    given = inputs()
    together = array(model(given))
    state = model.start(given["image"], LENGTH)
    for place in range(given["ids"].shape[1]):
        logits, state = model.step(given["ids"][:, place], place, state)
        assert np.abs(array(logits) - together[:, place]).max() < 1e-5


def reread(model, images, length):
    """Greedy without a cache: the whole beginning through the whole model at each step."""
    ids = np.full((len(images), 1), START, "int32")
    for _ in range(length):
        logits = array(model({"image": images, "ids": ids}))[:, -1].copy()
        logits[:, 0] = -np.inf  # no text has <pad> inside
        ids = np.concatenate([ids, logits.argmax(axis=-1)[:, None].astype("int32")], axis=1)
    ids = ids[:, 1:]
    ended = np.cumsum(ids == END, axis=1) - (ids == END)
    return np.where(ended > 0, 0, ids)


def test_greedy_is_the_same_with_and_without_a_cache(model):
    images = pictures(5)
    cached = decoding.greedy(model, images, LENGTH)
    rerun = reread(model, images, LENGTH)
    assert np.array_equal(np.pad(cached, ((0, 0), (0, LENGTH - cached.shape[1]))), rerun)
    assert len({tuple(row) for row in cached}) > 1 or len({tuple(row) for row in rerun}) == 1


def test_one_beam_is_greedy_and_four_are_no_worse(model):
    images = pictures(5)
    tokens, scores = decoding.beam_search(
        model, images, LENGTH, num_beams=1, length_penalty=0.0, step=model.step
    )
    assert np.array_equal(tokens, decoding.greedy(model, images, LENGTH, step=model.step))
    _, wider = decoding.beam_search(
        model, images, LENGTH, num_beams=14, length_penalty=0.0, step=model.step
    )
    assert (wider >= scores - 1e-4).all()


def test_a_saved_model_reloads_with_equal_outputs(model, tmp_path):
    import keras

    model.save(tmp_path / "model.keras")
    again = keras.models.load_model(tmp_path / "model.keras")
    assert np.array_equal(array(model(inputs())), array(again(inputs())))


@pytest.mark.parametrize("kind", ["vit", "two blocks"])
def test_cross_attention_is_a_mean_over_all_patches(kind):
    given = inputs()
    weights = array(make(kind).alignment(given["image"], given["ids"]))
    assert weights.shape == (3, SMALL["num_heads"], 5, 6)
    assert np.abs(weights.sum(axis=-1) - 1).max() < 1e-5
    assert weights.min() > 0


def test_a_convnets_attention_is_a_mean_over_the_feature_map():
    given = inputs()
    weights = array(make("bahdanau").weights_for(given["image"], given["ids"]))
    assert weights.shape == (3, 5, 6)
    assert np.abs(weights.sum(axis=-1) - 1).max() < 1e-5
    assert make("plain").weights_for(given["image"], given["ids"]) is None


def swapped(images):
    """The same patches, the left third and the right third of the picture exchanged."""
    return np.concatenate([images[:, :, 8:], images[:, :, 4:8], images[:, :, :4]], axis=2)


@pytest.mark.parametrize(("kind", "moves"), [("vit", True), ("no positions", False)])
def test_only_positions_tell_the_patches_order(kind, moves):
    model, given = make(kind), inputs()
    other = given | {"image": swapped(given["image"])}
    gap = np.abs(array(model(given)) - array(model(other))).max()
    assert gap > 1e-2 if moves else gap < 1e-5


def test_the_decoder_is_the_translators_own():
    """What lecture 06 and lecture 05 decode with is inherited, not written again."""
    for name in ("embed", "logits", "start", "step", "alignment"):
        assert getattr(models.ImageToText, name) is getattr(models.Transformer, name)
    for name in ("decode", "start", "step", "weights_for"):
        assert getattr(models.ConvnetToText, name) is getattr(models.RecurrentTranslator, name)


def test_translate_reads_pictures_and_needs_a_length():
    words = Vocabulary(["<sos>", "<eos>", *"0123456789"])
    model, images = make("vit"), pictures(5)
    texts = translation.translate(model, images, {"target": words}, LENGTH, batch_size=2)
    rows = decoding.greedy(model, images, LENGTH)
    assert texts == [words.decode(_written(row)) for row in rows]
    with pytest.raises(ValueError, match="max_length"):
        translation.translate(model, images, {"target": words})


def _written(row):
    for token in row:
        if token == END:
            return
        if token != START:
            yield token


def test_pictures_of_another_size_are_refused(model):
    with pytest.raises(ValueError, match="pictures of the shape"):
        model({"image": np.zeros((2, 12, 12, 1), "float32"), "ids": inputs()["ids"]})
    with pytest.raises(ValueError, match="grey pictures"):
        model({"image": np.zeros((2, 8, 12), "float32"), "ids": inputs()["ids"]})


@pytest.mark.parametrize(
    ("kind", "settings", "telling"),
    [
        ("ImageToText", {"patch": 5}, "cannot be cut"),
        ("ImageToText", {"positions": "sinusoidal"}, "'learned', 'none'"),
        ("ImageToText", {"embed_dim": 9, "num_heads": 2}, "divisible"),
        ("ImageToText", {"num_decoder_layers": 0}, "num_decoder_layers"),
        ("ImageToText", {"vocab_size": 0}, "vocab_size"),
        ("ConvnetToText", {"attention": "soft"}, "bahdanau"),
        ("ConvnetToText", {"filters": ()}, "filters"),
        ("ConvnetToText", {"filters": (2, 3, 4)}, "cannot be cut"),
        ("ConvnetToText", {"units": 0}, "units"),
    ],
)
def test_wrong_settings_are_refused(kind, settings, telling):
    given = {"image": IMAGE, "channels": CHANNELS, "vocab_size": WORDS} | settings
    with pytest.raises(ValueError, match=telling):
        getattr(models, kind)(**given)


def test_more_tokens_than_the_model_was_built_for_are_refused():
    with pytest.raises(ValueError, match="8 positions|length"):
        decoding.greedy(make("vit"), pictures(), 9)

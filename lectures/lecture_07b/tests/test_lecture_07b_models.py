"""Lab 07b: texts say what is drawn; models see all of an image; judged rightly."""

from itertools import pairwise
from types import SimpleNamespace

import keras
import numpy as np
import pytest
from redrawn import scrambled

from course_utils import data, decoding
from course_utils.data import END, PAD, START
from lectures import lecture_07b
from lectures.lecture_05 import translation
from lectures.lecture_05.pairs import decode_sentence
from lectures.lecture_07b import (
    CanvasEncoder,
    ConvnetToText,
    ImageToText,
    edit_table,
)
from lectures.lecture_07b.images import (
    COLOURS,
    HELD_OUT,
    OBJECTS,
    PARTS,
    RELATIONS,
    FreshCanvases,
    cells_of,
    draw_scenes,
    load_canvases,
    load_shapes,
    make_canvases,
)
from lectures.lecture_07b.record import (
    WithoutPositions,
    mass_of_best_head,
    mass_on_cell,
    slots_of,
    true_of,
)
from tools.shows import built

# One plain image a digit: every pixel says which digit it is, and where in the digit it lies.
PLAIN = (np.arange(1, 17).reshape(1, 4, 4, 1) + 20 * np.arange(10)[:, None, None, None]).astype(
    "uint8"
)
TEN = np.arange(10)


@pytest.fixture(scope="module")
def canvases():
    return load_canvases(count=500)


@pytest.fixture(scope="module")
def shapes():
    return load_shapes(count=1_000)


def squares_of(images, grid=2):
    """(canvases, grid², side, side), row by row."""
    side = images.shape[1] // grid
    return cells_of(images, grid).reshape(len(images), grid**2, side, side)


@pytest.mark.parametrize("grid", [1, 2, 3])
def test_the_answer_reads_the_cells_row_by_row(grid):
    images, answers = make_canvases(PLAIN, TEN, 50, grid=grid)
    assert images.shape == (50, 4 * grid, 4 * grid, 1) and images.dtype == np.uint8
    for row, answer in zip(squares_of(images, grid), answers, strict=True):
        assert answer == " ".join(str(cell[0, 0] // 20) for cell in row)
        assert all((cell == PLAIN[cell[0, 0] // 20, ..., 0]).all() for cell in row)
    assert set("".join(answers)) >= set("0123456789")


def test_shifted_digits_stay_in_their_cells():
    images, answers = make_canvases(PLAIN, TEN, 300, shift=1)
    framed = np.pad(PLAIN[..., 0], ((0, 0), (1, 1), (1, 1)))
    seen = set()
    for row, answer in zip(squares_of(images), answers, strict=True):
        for cell, digit in zip(row, answer.split(), strict=True):
            windows = np.lib.stride_tricks.sliding_window_view(framed[int(digit)], (4, 4))
            [match] = map(tuple, np.argwhere((windows == cell).all(axis=(2, 3))))
            seen.add(match)
    assert len(seen) == 9


def test_the_canvases_parts_and_what_a_decoder_reads_and_writes(canvases):
    assert [len(canvases.split(part)) for part in PARTS] == [500, 500, 1_000]
    words = canvases.vocabulary.words
    assert words == ["<pad>", "<unknown>", "<sos>", "<eos>", *"0123456789"]
    part = canvases.test
    image, ids = part.inputs["image"], part.inputs["ids"]
    assert image.shape == (1_000, 16, 16, 1) and image.dtype == np.float32
    assert ids.dtype == part.targets.dtype == np.int32
    assert (ids[:, 0] == START).all() and (part.targets[:, -1] == END).all()
    assert np.array_equal(ids[:, 1:], part.targets[:, :-1])
    for row in range(20):
        assert canvases.vocabulary.decode(part.targets[row, :4]) == part.columns["answer"][row]


def test_a_test_canvas_holds_no_digit_that_was_trained_on():
    dataset, digits = load_canvases(count=500, shift=0), data.load_digits()
    given = {}
    for part in PARTS:
        given[part] = {digit.tobytes() for digit in digits.split(part).inputs}
        seen = cells_of(dataset.split(part).inputs["image"], 2).reshape(-1, 8, 8)
        assert {cell.tobytes() for cell in seen} <= given[part]
    assert not given["train"] & given["test"] and not given["val"] & given["test"]


def test_the_seed_decides(canvases, shapes):
    again, other = load_canvases(count=100), load_canvases(count=100, seed=1)
    assert np.array_equal(again.val.targets, canvases.val.targets)
    assert not np.array_equal(other.val.targets, canvases.val.targets)
    again, other = load_shapes(count=50), load_shapes(count=50, seed=1)
    assert np.array_equal(again.test.inputs["image"], shapes.test.inputs["image"])
    assert list(other.test.columns["caption"]) != list(shapes.test.columns["caption"])


def test_mnist_is_asked_for_as_bytes_and_comes_as_floats(monkeypatch):
    asked = {}

    def load_images(name, **settings):
        asked.update(settings, name=name)
        part = SimpleNamespace(inputs=PLAIN.repeat(7, 1).repeat(7, 2), targets=TEN)
        return SimpleNamespace(
            split=lambda name: part, class_names=[*"0123456789"], source="X", licence="L"
        )

    monkeypatch.setattr("lectures.lecture_07b.images.load_images", load_images)
    dataset = load_canvases("mnist", count=30)
    assert asked == {"name": "mnist", "dtype": "uint8"}
    images = dataset.train.inputs["image"]
    assert images.shape == (30, 56, 56, 1) and images.dtype == np.float32
    assert 0.7 < images.max() <= 196 / 255 + 1e-6 and dataset.licence == "L"


@pytest.mark.parametrize(
    ("load", "wrong"),
    [
        *((load_canvases, {name: 0}) for name in ("count", "grid")),
        *((load_canvases, {name: -1}) for name in ("shift", "seed")),
        (load_canvases, {"source": "letters"}),
        *((load_shapes, wrong) for wrong in ({"count": 0}, {"seed": -1})),
    ],
)
def test_a_wrong_argument_is_refused_by_name(load, wrong):
    with pytest.raises(ValueError, match=next(iter(wrong))):
        load(**wrong)


def test_every_epoch_has_other_canvases(canvases):
    fresh = FreshCanvases(data.load_digits().train, canvases.vocabulary, 3, seed=1)
    inputs, targets = fresh[2]
    assert len(fresh) == 3 and inputs["image"].shape == (64, 16, 16, 1)
    assert np.array_equal(inputs["ids"][:, 1:], targets[:, :-1])
    fresh.on_epoch_end()
    assert not np.array_equal(fresh[2][0]["image"], inputs["image"])


def parsed(caption):
    """The two objects and the relation between them."""
    [relation] = [relation for relation in RELATIONS if f" {relation} " in caption]
    first, second = caption.split(f" {relation} ")
    return first.removeprefix("a "), relation, second.removeprefix("a ")


def scene(shape, colour, relation=0, count=50):
    """Images of two objects of this shape and colour."""
    objects = np.full((count, 2), OBJECTS.index(f"{colour} {shape}"))
    draw = np.random.default_rng(0)
    return draw_scenes(objects, np.full(count, relation), draw)


def test_the_shapes_parts(shapes):
    part = shapes.train
    image, ids = part.inputs["image"], part.inputs["ids"]
    assert image.shape == (1_000, 32, 32, 3) and image.dtype == np.float32
    assert image.min() >= 0 and image.max() == 1
    assert ids.shape == part.targets.shape == (1_000, 9) and (ids[:, 0] == START).all()
    decoded = [decode_sentence(row, shapes.vocabulary) for row in part.targets]
    assert decoded == list(part.columns["caption"])
    ended = np.where(part.targets == END, PAD, part.targets)
    assert np.array_equal(ids[:, 1:], ended[:, :-1])


def test_both_captions_are_true(shapes):
    """Colours are found in the pixels; of two objects of one colour nothing is said here."""
    palette = np.array(list(COLOURS.values()))
    opposite = dict(zip(RELATIONS, ("right of", "left of", "below", "above"), strict=True))
    part, checked = shapes.test, 0
    for row, (caption, other) in enumerate(part.columns["references"]):
        first, relation, second = parsed(caption)
        assert caption == part.columns["caption"][row] and first < second
        assert parsed(other) == (second, opposite[relation], first)
        near = np.abs(part.inputs["image"][row][:, :, None] - palette).max(axis=-1) < 0.01
        colours = [list(COLOURS).index(name.split()[0]) for name in (first, second)]
        assert set(np.flatnonzero(near.sum(axis=(0, 1)))) == set(colours)
        if colours[0] != colours[1]:
            middles = [np.argwhere(near[..., colour]).mean(axis=0) for colour in colours]
            down, right = middles[0] - middles[1]
            said = ("above", "below") if abs(down) > abs(right) else ("left of", "right of")
            assert relation == said[int((down if said[0] == "above" else right) > 0)]
            checked += 1
    assert checked > 600


@pytest.mark.parametrize(
    ("shape", "least", "most"),
    [("square", 0.95, 1.05), ("circle", 0.75, 0.85), ("triangle", 0.5, 0.72)],
)
def test_the_shapes_can_be_told_apart_and_nothing_overlaps(shape, least, most):
    """By how much of its bounding box a shape fills."""
    for relation in range(4):
        images = scene(shape, "black", relation)
        covered = (1 - images[..., 2]) / (1 - COLOURS["black"][2])
        for row in covered.max(axis=2 if relation > 1 else 1) > 0.6:
            assert (np.diff(row.astype(int)) == 1).sum() + row[0] == 2
    for image in scene(shape, "blue"):
        covered = (1 - image[..., 2]) / (1 - COLOURS["blue"][2])
        left = covered[:, : 9 + covered[:, 9:25].sum(axis=0).argmin()]
        assert least < left.sum() / (left.sum(axis=0).max() * left.sum(axis=1).max()) < most


def test_held_out_objects_are_in_half_of_the_test_and_nowhere_else(shapes):
    for part in (shapes.train, shapes.val):
        assert not part.columns["held_out"].any()
        assert not any(name in text for name in HELD_OUT for text in part.columns["caption"])
    named = [any(name in text for name in HELD_OUT) for text in shapes.test.columns["caption"]]
    assert np.array_equal(named, shapes.test.columns["held_out"]) and sum(named) == 500
    train = [parsed(text) for text in shapes.train.columns["caption"]]
    objects = [name for first, _, second in train for name in (first, second)]
    assert min(objects.count(name) for name in set(OBJECTS) - set(HELD_OUT)) > 140


def test_colours_differ_in_brightness():
    brightness = sorted(np.array(list(COLOURS.values())) @ [0.299, 0.587, 0.114])
    assert all(b - a > 0.05 for a, b in pairwise([*brightness, 1.0]))


VOCAB_SIZE, LENGTH = 14, 6
ENCODER = {"side": 8, "patch": 4, "embed_dim": 8, "num_heads": 2, "mlp_dim": 12}
KINDS = ("vit", "two blocks", "no positions", "plain", "attention")


def make(kind):
    """A small model with all weights drawn again."""
    keras.utils.set_random_seed(0)
    if kind in ("plain", "attention"):
        model = ConvnetToText(VOCAB_SIZE, kind == "attention", (4, 6), 5, 8)
    else:
        encoder = (WithoutPositions if kind == "no positions" else CanvasEncoder)(**ENCODER)
        model = ImageToText(encoder, VOCAB_SIZE, 8, 2 if kind == "two blocks" else 1)
    model(inputs())
    return scrambled(model)


@pytest.fixture(scope="module", params=KINDS)
def model(request):
    return make(request.param)


def inputs():
    ids = np.random.default_rng(0).integers(4, VOCAB_SIZE, size=(3, 5)).astype("int32")
    ids[:, 0] = START
    return {"image": images(), "ids": ids}


def images(count=3):
    return np.random.default_rng(1).random((count, 8, 8, 1)).astype("float32")


def array(tensor):
    return keras.ops.convert_to_numpy(tensor)


@pytest.mark.slow
def test_every_corner_of_the_image_counts(model):
    given = inputs()
    before = array(model(given))
    for row, column in np.ndindex(2, 2):
        image = given["image"].copy()
        image[:, -row, -column] += 1
        after = array(model(given | {"image": image}))
        assert np.abs(after - before).max(axis=(1, 2)).min() > 1e-6


@pytest.mark.slow
def test_the_cache_and_greedy_without_it_write_the_same(model):
    given = inputs()
    together = array(model(given))
    state = model.start(given["image"], LENGTH)
    for place in range(given["ids"].shape[1]):
        logits, state = model.step(given["ids"][:, place], place, state)
        assert np.abs(array(logits) - together[:, place]).max() < 1e-5
    cached = decoding.greedy(model, images(5), LENGTH, step=model.step)
    logits_of = lecture_07b.logits_for(model, images(5))

    def real_words(ids):  # the library writes no <pad> inside a text
        logits = np.array(logits_of(ids))
        logits[..., 0] = -np.inf
        return logits

    written = lecture_07b.greedy(real_words, 5, LENGTH)
    assert np.array_equal(written[:, : cached.shape[1]], cached)


def test_attention_is_a_mean_over_all_patches_or_the_feature_map():
    given = inputs()
    for kind in ("vit", "two blocks", "attention"):
        weights = lecture_07b.cross_attention(make(kind), given)
        assert weights.shape == (3, 5, 4) and weights.min() > 0
        assert np.abs(weights.sum(axis=-1) - 1).max() < 1e-5


def test_the_best_head_has_no_less_than_the_mean_of_heads():
    model, given = make("vit"), inputs()
    mean = mass_on_cell(lecture_07b.cross_attention(model, given), 2)["mass"]
    assert mean < mass_of_best_head(model, given, 2) < 1


def test_five_choices_make_a_true_caption(shapes):
    choices = slots_of(shapes.test.columns["caption"])
    assert choices.shape == (1_000, 5) and true_of(choices, shapes.test).all()
    assert not true_of(np.roll(choices, 1, axis=0), shapes.test).all()


@pytest.mark.parametrize(("kind", "moves"), [("vit", True), ("no positions", False)])
def test_only_positions_tell_the_patches_order(kind, moves):
    model, given = make(kind), inputs()
    other = given | {"image": np.roll(given["image"], 4, axis=2)}
    gap = np.abs(array(model(given)) - array(model(other))).max()
    assert gap > 1e-2 if moves else gap < 1e-5


@pytest.mark.slow
def test_the_shipped_captioner_reads_known_pairs_and_sees_the_new_ones(shapes):
    model, test = lecture_07b.shipped_captioner(), shapes.test
    known = test.take(~test.columns["held_out"]).take(slice(100))
    assert lecture_07b.captioned(model, known, shapes.vocabulary).mean() > 0.9
    first = np.array([" ".join(text.split()[1:3]) for text in test.columns["caption"]])
    red, yellow, circle = shapes.vocabulary.encode(["red", "yellow", "circle"])
    for pair, familiar in (("red circle", yellow), ("blue triangle", red)):
        new = test.take(first == pair)
        logits_of, ids = lecture_07b.logits_for(model, new.inputs["image"]), new.inputs["ids"]
        assert lecture_07b.share_after(logits_of, ids, 2) < 0.15
        assert lecture_07b.share_after(logits_of, ids, 2, familiar) > 0.7
    ids = np.where(np.arange(ids.shape[1]) == 2, yellow, ids)  # of the blue triangles
    assert (logits_of(ids)[:, 2].argmax(axis=-1) == circle).mean() < 0.5


@pytest.mark.parametrize("settings", [{"num_layers": 0}, {"patch": 5}, {"num_heads": 3}])
def test_wrong_settings_are_refused(settings):
    with pytest.raises(ValueError):
        ImageToText(CanvasEncoder(**ENCODER | settings), 14, 5)(inputs())


@pytest.mark.parametrize(("grid", "side"), [(2, 4), (2, 8), (3, 6)])
def test_a_patch_counts_for_the_cell_it_lies_in(grid, side):
    found = lecture_07b.weights_by_cell(np.eye(side**2), grid)
    row, column = np.divmod(np.arange(side**2), side) // np.array(side // grid)
    assert np.array_equal(found, np.eye(grid**2)[row * grid + column])
    even = mass_on_cell(np.full((2, grid**2 + 1, side**2), 1 / side**2), grid)
    assert even["mass"] == pytest.approx(1 / grid**2)


@pytest.mark.parametrize(
    ("written", "true", "edits"),
    [
        *[("3141", "3141", 0), ("341", "3141", 1), ("1314", "3141", 2), ("", "3141", 4)],
        ("kitten", "sitting", 3),
    ],
)
def test_edits_counted_by_hand(written, true, edits):
    assert edit_table(written, true)[-1, -1] == edits == edit_table(true, written)[-1, -1]


def test_canvases_digits_and_edits_are_judged():
    targets = np.array([[7, 5, 8, 3], [9, 3, 0, 0]])
    found = lecture_07b.judged(np.array([[5, 8, 3, 0], [9, 3, 0, 0]]), targets)
    assert found["exact_match"] == 0.5 and found["digit_error_rate"] == pytest.approx(1 / 4)
    assert found["digit_accuracy"] == pytest.approx(1 / 4)


@pytest.mark.slow
def test_the_rest_runs_on_what_a_student_builds():
    """A right encoder of another make is called by the reader, and trains."""
    calls = []

    class Another(lecture_07b.EncoderSettings):
        def make_layers(self):
            self.inside = CanvasEncoder(self.side, self.patch, self.embed_dim, 2, 12, 2)

        def call(self, images):
            calls.append(images.shape)
            return self.inside(images)

    scope = {"CanvasEncoder": Another, **vars(lecture_07b)}
    registered = dict(keras.saving.get_custom_objects())
    exec(built("lectures.lecture_07b.ImageToText", solved=True), scope)
    keras.saving.get_custom_objects().update(registered)
    model = scope["ImageToText"](Another(**ENCODER), VOCAB_SIZE, 8)
    lecture_07b.compile_reader(model, 120)
    model.run_eagerly = True  # less time than tracing
    before = model.evaluate(inputs(), inputs()["ids"], verbose=0)
    model.fit(inputs(), inputs()["ids"], epochs=5, verbose=0)
    assert calls and model.evaluate(inputs(), inputs()["ids"], verbose=0) < before


def test_images_are_translated_with_a_given_length():
    words, model = data.Vocabulary(list("PUSE0123456789")), make("vit")
    texts = translation.translate(model, images(5), {"target": words}, LENGTH)
    rows = decoding.greedy(model, images(5), LENGTH)
    assert texts == [decode_sentence(row, words) for row in rows]

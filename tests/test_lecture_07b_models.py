"""Lab 07b: texts say what is drawn; models leak nothing and reload equal; judged rightly."""

from itertools import pairwise
from types import SimpleNamespace

import keras
import numpy as np
import pytest
from redrawn import scrambled

from course_utils import data, decoding, models, translation
from course_utils.data import END, PAD, START
from course_utils.lectures import lecture_07b
from course_utils.lectures.lecture_07b import (
    COLOURS,
    HELD_OUT,
    OBJECTS,
    RELATIONS,
    SHAPES,
    ConvnetToText,
    ImageToText,
    edit_table,
    error_rate,
    load_canvases,
    load_shapes,
    make_canvases,
)

# One plain image a digit: every pixel says which digit it is, and where in the digit it lies.
PLAIN = (np.arange(1, 17).reshape(1, 4, 4, 1) + 20 * np.arange(10)[:, None, None, None]).astype(
    "uint8"
)
TEN = np.arange(10)


@pytest.fixture(scope="module")
def canvases():
    return load_canvases(count=2_000)


@pytest.fixture(scope="module")
def shapes():
    return load_shapes(count=2_000)


def cells_of(images, grid=2):
    """(canvases, grid², side, side), row by row."""
    count, side = len(images), images.shape[1] // grid
    cut = images.reshape(count, grid, side, grid, side).swapaxes(2, 3)
    return cut.reshape(count, grid**2, side, side)


@pytest.mark.parametrize("grid", [1, 2, 3])
def test_the_answer_reads_the_cells_row_by_row(grid):
    images, answers, _ = make_canvases(PLAIN, TEN, 50, grid=grid)
    assert images.shape == (50, 4 * grid, 4 * grid, 1) and images.dtype == np.uint8
    for row, answer in zip(cells_of(images, grid), answers, strict=True):
        assert answer == " ".join(str(cell[0, 0] // 20) for cell in row)
        assert all((cell == PLAIN[cell[0, 0] // 20, ..., 0]).all() for cell in row)
    assert set("".join(answers)) >= set("0123456789")


def test_shifted_digits_stay_in_their_cells():
    images, answers, _ = make_canvases(PLAIN, TEN, 300, shift=1)
    framed = np.pad(PLAIN[..., 0], ((0, 0), (1, 1), (1, 1)))
    seen = set()
    for row, answer in zip(cells_of(images), answers, strict=True):
        for cell, digit in zip(row, answer.split(), strict=True):
            windows = np.lib.stride_tricks.sliding_window_view(framed[int(digit)], (4, 4))
            [match] = map(tuple, np.argwhere((windows == cell).all(axis=(2, 3))))
            seen.add(match)
    assert len(seen) == 9


def test_scattered_digits_are_whole_and_anywhere_in_their_cells():
    images, answers, places = make_canvases(PLAIN, TEN, 500, scattered=True)
    numbers, corners, filled = set(), set(), set()
    for row, answer, own in zip(cells_of(images), answers, places, strict=True):
        found = [(place, cell) for place, cell in enumerate(row) if cell.any()]
        assert own.tolist() == [place for place, _ in found] + [-1] * (4 - len(found))
        for (place, cell), digit in zip(found, answer.split(), strict=True):
            top, left = (values.min() for values in np.nonzero(cell))
            image = np.zeros_like(cell)
            image[top : top + 4, left : left + 4] = PLAIN[int(digit), ..., 0]
            assert (image == cell).all()
            corners.add((top, left))
            if len(found) == 1:
                filled.add(place)
        numbers.add(len(found))
    assert numbers == {1, 2, 3, 4} and len(corners) == 25 and filled == {0, 1, 2, 3}


def test_scattered_cells_are_larger():
    for side, cell in ((8, 12), (28, 36)):
        digits = np.ones((2, side, side, 1), "uint8")
        images = make_canvases(digits, np.arange(2), 1, scattered=True)[0]
        assert images.shape[1] == 2 * cell


def test_the_canvases_parts_and_what_a_decoder_reads_and_writes(canvases):
    assert [len(canvases.split(part)) for part in lecture_07b.PARTS] == [2_000, 500, 1_000]
    words = canvases.vocabulary.words
    assert words == ["<pad>", "<unknown>", "<sos>", "<eos>", *"0123456789"]
    assert (words.index("<sos>"), words.index("<eos>")) == (START, END)
    part = canvases.test
    image, ids = part.inputs["image"], part.inputs["ids"]
    assert image.shape == (1_000, 16, 16, 1) and image.dtype == np.float32
    assert ids.shape == part.targets.shape == (1_000, 5)
    assert ids.dtype == part.targets.dtype == np.int32
    assert (ids[:, 0] == START).all() and (part.targets[:, -1] == END).all()
    assert np.array_equal(ids[:, 1:], part.targets[:, :-1])
    for row in range(20):
        assert canvases.vocabulary.decode(part.targets[row, :4]) == part.columns["answer"][row]
    assert part.columns["alignment"].tolist() == [[0, 1, 2, 3, -1]] * 1_000


def test_scattered_answers_are_padded_after_their_end():
    part = load_canvases(count=300, scattered=True).train
    said = np.array([len(answer.split()) for answer in part.columns["answer"]])
    assert set(said) == {1, 2, 3, 4}
    assert np.array_equal((part.targets != PAD).sum(axis=1), said + 1)
    assert (part.targets[np.arange(300), said] == END).all()
    assert np.array_equal((part.inputs["ids"] != PAD).sum(axis=1), said + 1)
    cells = cells_of(part.inputs["image"])
    for row, places in zip(cells, part.columns["alignment"], strict=True):
        assert np.flatnonzero(row.any(axis=(1, 2))).tolist() == places[places >= 0].tolist()


def test_a_test_canvas_holds_no_digit_that_was_trained_on():
    dataset, digits = load_canvases(count=500, shift=0), data.load_digits()
    given = {}
    for part in lecture_07b.PARTS:
        given[part] = {digit.tobytes() for digit in digits.split(part).inputs}
        seen = cells_of(dataset.split(part).inputs["image"]).reshape(-1, 8, 8)
        assert {cell.tobytes() for cell in seen} <= given[part]
    assert not given["train"] & given["test"] and not given["val"] & given["test"]


def test_the_seed_decides(canvases, shapes):
    again, other = load_canvases(count=100), load_canvases(count=100, seed=1)
    assert np.array_equal(again.val.targets, canvases.val.targets)
    assert not np.array_equal(other.val.targets, canvases.val.targets)
    assert not np.array_equal(canvases.train.targets[:500], canvases.val.targets)
    again, other = load_shapes(count=50), load_shapes(count=50, seed=1)
    assert np.array_equal(again.test.inputs["image"], shapes.test.inputs["image"])
    assert list(other.test.columns["caption"]) != list(shapes.test.columns["caption"])


def test_mnist_is_asked_for_as_bytes_and_comes_as_floats(monkeypatch):
    asked = {}

    def load_images(name, **settings):
        asked.update(settings, name=name)
        part = SimpleNamespace(inputs=PLAIN.repeat(7, 1).repeat(7, 2), targets=TEN)
        names, source = tuple("0123456789"), "where MNIST is from"
        return SimpleNamespace(
            split=lambda name: part, class_names=names, source=source, licence="its licence"
        )

    monkeypatch.setattr(lecture_07b.data, "load_images", load_images, raising=False)
    dataset = load_canvases("mnist", count=30)
    assert asked == {"name": "mnist", "dtype": "uint8"}
    images = dataset.train.inputs["image"]
    assert images.shape == (30, 56, 56, 1) and images.dtype == np.float32
    assert 0.7 < images.max() <= 196 / 255 + 1e-6
    assert "where MNIST is from" in dataset.source and dataset.licence == "its licence"


@pytest.mark.parametrize(
    ("load", "wrong"),
    [
        *((load_canvases, {name: 0}) for name in ("count", "grid")),
        *((load_canvases, {name: -1}) for name in ("shift", "seed")),
        *((load_canvases, {name: "letters"}) for name in ("source", "scattered")),
        *((load_shapes, wrong) for wrong in ({"count": 0}, {"seed": -1})),
    ],
)
def test_a_wrong_argument_is_refused_by_name(load, wrong):
    with pytest.raises(ValueError, match=next(iter(wrong))):
        load(**wrong)


def parsed(caption):
    """The two objects and the relation between them."""
    [relation] = [relation for relation in RELATIONS if f" {relation} " in caption]
    first, second = caption.split(f" {relation} ")
    return first.removeprefix("a "), relation, second.removeprefix("a ")


def scene(shape, colour, relation=0, count=50):
    """Images of two objects of this shape and colour."""
    shapes = np.full((count, 2), SHAPES.index(shape))
    colours = np.full((count, 2), list(COLOURS).index(colour))
    draw = np.random.default_rng(0)
    return lecture_07b.draw_scenes(shapes, colours, np.full(count, relation), draw)


def test_the_shapes_parts(shapes):
    assert [len(shapes.split(part)) for part in lecture_07b.PARTS] == [2_000, 500, 1_000]
    part = shapes.train
    image, ids = part.inputs["image"], part.inputs["ids"]
    assert image.shape == (2_000, 32, 32, 3) and image.dtype == np.float32
    assert image.min() >= 0 and image.max() == 1
    assert ids.shape == part.targets.shape == (2_000, 9) and (ids[:, 0] == START).all()
    assert ((part.targets == END).sum(axis=1) == 1).all()
    decoded = [data.decode_sentence(row, shapes.vocabulary) for row in part.targets]
    assert decoded == list(part.columns["caption"])
    ended = np.where(part.targets == END, PAD, part.targets)
    assert np.array_equal(ids[:, 1:], ended[:, :-1])
    assert shapes.licence == "CC0" and len(shapes.vocabulary) == 4 + 13


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


@pytest.mark.parametrize("colour", COLOURS)
@pytest.mark.parametrize(
    ("shape", "least", "most"),
    [("square", 0.95, 1.05), ("circle", 0.75, 0.85), ("triangle", 0.5, 0.72)],
)
def test_the_shapes_can_be_told_apart(shape, least, most, colour):
    """By how much of its bounding box a shape fills."""
    for image in scene(shape, colour):
        covered = (1 - image[..., 2]) / (1 - COLOURS[colour][2])
        left = covered[:, : 9 + covered[:, 9:25].sum(axis=0).argmin()]
        assert least < left.sum() / (left.sum(axis=0).max() * left.sum(axis=1).max()) < most


AREAS = {"circle": np.pi, "square": 4 * lecture_07b.SQUARE**2}
AREAS["triangle"] = 3 * 3**0.5 * lecture_07b.TRIANGLE**2


@pytest.mark.parametrize("relation", range(4))
@pytest.mark.parametrize(("shape", "area"), AREAS.items())
def test_nothing_overlaps_or_is_cut_off(shape, area, relation):
    covered = (1 - scene(shape, "black", relation, 300)[..., 0]) / (1 - COLOURS["black"][0])
    areas = covered.sum(axis=(1, 2))
    assert areas.min() > 2 * area * 3.8**2 * 0.95 and areas.max() < 2 * area * 5.2**2 * 1.05
    for row in covered.max(axis=2 if relation > 1 else 1) > 0.6:
        assert (np.diff(row.astype(int)) == 1).sum() + row[0] == 2


def test_held_out_objects_are_in_half_of_the_test_and_nowhere_else(shapes):
    for part in (shapes.train, shapes.val):
        assert not part.columns["held_out"].any()
        assert not any(name in text for name in HELD_OUT for text in part.columns["caption"])
    named = [any(name in text for name in HELD_OUT) for text in shapes.test.columns["caption"]]
    assert np.array_equal(named, shapes.test.columns["held_out"]) and sum(named) == 500
    train = [parsed(text) for text in shapes.train.columns["caption"]]
    objects = [name for first, _, second in train for name in (first, second)]
    assert min(objects.count(name) for name in set(OBJECTS) - set(HELD_OUT)) > 300
    assert min(sum(r == said for _, said, _ in train) for r in RELATIONS) > 400


def test_colours_differ_in_brightness():
    brightness = sorted(np.array(list(COLOURS.values())) @ [0.299, 0.587, 0.114])
    assert all(b - a > 0.05 for a, b in pairwise([*brightness, 1.0]))


VOCAB_SIZE, LENGTH = 14, 6
IMAGE, CHANNELS = (8, 12), 1
SMALL = {"patch": 4, "embed_dim": 8, "num_heads": 2, "mlp_dim": 12, "max_length": 8}
MORE = {"two blocks": {"num_decoder_layers": 2}, "no positions": {"positions": "none"}}
RECURRENT = {"plain": None, "bahdanau": "bahdanau", "general": "general"}


def make(kind):
    """A small model with all weights drawn anew."""
    keras.utils.set_random_seed(0)
    if kind in RECURRENT:
        sizes = {"filters": (4, 6), "embed_dim": 5, "units": 8, "attention": RECURRENT[kind]}
        model = ConvnetToText(IMAGE, CHANNELS, VOCAB_SIZE, **sizes)
    else:
        model = ImageToText(IMAGE, CHANNELS, VOCAB_SIZE, **SMALL, **MORE.get(kind, {}))
    model(inputs())
    return scrambled(model)


@pytest.fixture(scope="module", params=["vit", *MORE, *RECURRENT])
def model(request):
    return make(request.param)


def inputs():
    ids = np.random.default_rng(0).integers(4, VOCAB_SIZE, size=(3, 5)).astype("int32")
    ids[:, 0] = START
    return {"image": images(), "ids": ids}


def images(count=3):
    return np.random.default_rng(1).random((count, *IMAGE, CHANNELS)).astype("float32")


def array(tensor):
    return keras.ops.convert_to_numpy(tensor)


def test_a_later_token_changes_no_earlier_logits(model):
    given = inputs()
    changed = given["ids"].copy()
    changed[:, 3] = changed[:, 3] % (VOCAB_SIZE - 5) + 4
    before, after = array(model(given)), array(model(given | {"ids": changed}))
    assert before.shape == (3, 5, VOCAB_SIZE)
    assert np.array_equal(before[:, :3], after[:, :3])
    assert np.abs(before[:, 3:] - after[:, 3:]).max() > 1e-3


def test_pads_after_the_text_change_no_real_logits(model):
    given = inputs()
    more = given | {"ids": np.pad(given["ids"], ((0, 0), (0, 3)))}
    assert np.abs(array(model(more))[:, :5] - array(model(given))).max() < 1e-5


def test_every_corner_of_the_image_counts(model):
    given = inputs()
    before = array(model(given))
    for row, column in np.ndindex(2, 2):
        image = given["image"].copy()
        image[:, -row, -column] += 1
        after = array(model(given | {"image": image}))
        assert np.abs(after - before).max(axis=(1, 2)).min() > 1e-6


def test_one_token_at_a_time_gives_the_same_logits(model):
    given = inputs()
    together = array(model(given))
    state = model.start(given["image"], LENGTH)
    for place in range(given["ids"].shape[1]):
        logits, state = model.step(given["ids"][:, place], place, state)
        assert np.abs(array(logits) - together[:, place]).max() < 1e-5


@pytest.mark.slow
def test_one_beam_is_greedy_and_fourteen_are_no_worse(model):
    how = {"length_penalty": 0.0, "step": model.step}
    one, many = (
        decoding.beam_search(model, images(5), LENGTH, num_beams=beams, **how)
        for beams in (1, 14)
    )
    assert np.array_equal(one[0], decoding.greedy(model, images(5), LENGTH, step=model.step))
    assert (many[1] >= one[1] - 1e-4).all()


@pytest.mark.slow
def test_a_saved_model_reloads_with_equal_outputs(model, tmp_path):
    model.save(tmp_path / "model.keras")
    again = keras.models.load_model(tmp_path / "model.keras")
    assert np.array_equal(array(model(inputs())), array(again(inputs())))


@pytest.mark.slow
def test_attention_is_a_mean_over_all_patches_or_the_feature_map():
    given = inputs()
    of_heads = array(make("two blocks").alignment(given["image"], given["ids"]))
    assert of_heads.shape == (3, SMALL["num_heads"], 5, 6)
    for kind in ("vit", "bahdanau", "general"):
        weights = lecture_07b.cross_attention(make(kind), given)
        assert weights.shape == (3, 5, 6) and weights.min() > 0
        assert np.abs(weights.sum(axis=-1) - 1).max() < 1e-5
    assert lecture_07b.cross_attention(make("plain"), given) is None


@pytest.mark.parametrize(("kind", "moves"), [("vit", True), ("no positions", False)])
def test_only_positions_tell_the_patches_order(kind, moves):
    model, given = make(kind), inputs()
    image = given["image"]  # the left third and the right third exchanged
    other = np.concatenate([image[:, :, 8:], image[:, :, 4:8], image[:, :, :4]], axis=2)
    gap = np.abs(array(model(given)) - array(model(given | {"image": other}))).max()
    assert gap > 1e-2 if moves else gap < 1e-5


@pytest.mark.slow
def test_the_shipped_captioner_fits_and_reads(shapes):
    arrays, few = models.load_pretrained("captioner"), shapes.test.take(slice(40))
    given = few.inputs["image"], few.targets, shapes.vocabulary.words
    model = ImageToText(**lecture_07b.caption_settings(*given))
    model(few.inputs)
    assert [w.shape for w in model.weights] == [arrays[key].shape for key in sorted(arrays)]
    model.set_weights([arrays[key] for key in sorted(arrays)])
    known = few.take(~few.columns["held_out"])
    written = lecture_07b.read(model, known.inputs["image"], shapes.vocabulary, 9)
    assert translation.exact_match(written, known.columns["references"]) > 0.8


def test_images_are_translated_with_a_given_length():
    words, model = lecture_07b.caption_vocabulary("0123456789"), make("vit")
    texts = translation.translate(model, images(5), {"target": words}, LENGTH)
    rows = decoding.greedy(model, images(5), LENGTH)
    assert texts == [data.decode_sentence(row, words) for row in rows]
    assert np.array_equal(rows, decoding.greedy(model, images(5), LENGTH, step=model.step))
    with pytest.raises(ValueError, match="length"):
        translation.translate(model, images(5), {"target": words})
    with pytest.raises(ValueError, match="8 positions|length"):
        decoding.greedy(model, images(), 9)


def test_images_of_another_size_are_refused(model):
    for shape, telling in (((2, 12, 12, 1), "12, 12, 1"), ((2, 8, 12), "grey")):
        with pytest.raises(ValueError, match=telling):
            model({"image": np.zeros(shape, "float32"), "ids": inputs()["ids"]})


@pytest.mark.parametrize(
    ("kind", "settings", "telling"),
    [
        (ImageToText, {"patch": 5}, "5×5"),
        (ImageToText, {"positions": "sinusoidal"}, "'learned', 'none'"),
        (ImageToText, {"embed_dim": 9, "num_heads": 2}, "divisible"),
        (ImageToText, {"num_decoder_layers": 0}, "num_decoder_layers"),
        (ImageToText, {"vocab_size": 0}, "vocab_size"),
        (ConvnetToText, {"attention": "soft"}, "bahdanau"),
        (ConvnetToText, {"filters": ()}, "filters"),
        (ConvnetToText, {"filters": (2, 3, 4)}, "8×8"),
        (ConvnetToText, {"units": 0}, "units"),
    ],
)
def test_wrong_settings_are_refused(kind, settings, telling):
    with pytest.raises(ValueError, match=telling):
        kind(**{"image": IMAGE, "channels": CHANNELS, "vocab_size": VOCAB_SIZE} | settings)


def fresh(inputs, turn=0):
    """Batches of canvases of the training digits."""
    split = data.Split(inputs, data.load_digits().train.targets)
    words, canvas = lecture_07b.caption_vocabulary("0123456789"), {"grid": 2, "shift": 1}
    return lecture_07b.FreshCanvases(split, words, 3, seed=1, turn=turn, **canvas)


@pytest.mark.parametrize("turn", [0, 20])
def test_every_epoch_has_other_canvases(turn):
    digits = data.load_digits().train.inputs
    batches, upright, before = fresh(digits, turn), fresh(digits), digits.copy()
    inputs, targets = batches[0]
    assert len(batches) == 3 and inputs["image"].shape == (64, 16, 16, 1)
    np.testing.assert_array_equal(inputs["ids"][:, 1:], targets[:, :-1])
    np.testing.assert_array_equal(targets, upright[0][1])
    moved = np.abs(inputs["image"] - upright[0][0]["image"]).mean()
    assert 0.01 < moved < 0.15 if turn else moved == 0
    batches.on_epoch_end()
    assert not np.array_equal(batches[0][0]["image"], inputs["image"])
    np.testing.assert_array_equal(batches.digits.inputs, before)


def test_bytes_become_numbers_from_0_to_1():
    image = fresh((data.load_digits().train.inputs * 255).astype("uint8"))[2][0]["image"]
    assert image.dtype == "float32" and 0.5 < image.max() <= 1


def test_evaluate_counts_canvases_digits_and_edits(canvases, monkeypatch):
    four = canvases.test.take(slice(4))
    true = [text.split() for text in four.columns["answer"]]
    wrong = str((int(true[0][0]) + 1) % 10)
    written = [" ".join(said) for said in ([wrong, *true[0][1:]], true[1][:3], *true[2:])]
    monkeypatch.setattr(lecture_07b, "read", lambda *arguments: written)
    monkeypatch.setattr(lecture_07b, "cross_attention", lambda *arguments: None)
    monkeypatch.setattr(translation, "next_word_accuracy", lambda *arguments: np.ones(4))
    found = lecture_07b.evaluate(None, four, None, 2)
    assert found["exact_match"] == found["exact_4_digits"] == 0.5
    assert found["digit_accuracy"] == pytest.approx(14 / 16)
    assert found["digit_error_rate"] == pytest.approx(2 / 16)


def test_attention_by_cell_is_summed_in_float32_where_the_model_computes_in_bfloat16():
    class Even:
        def weights_for(self, image, ids):
            return keras.ops.full((2_000, 2, 64), 1 / 64, dtype="bfloat16")

    inputs = dict.fromkeys(("image", "ids"), np.zeros(2_000))
    columns = {"alignment": np.zeros((2_000, 2), int)}
    split = data.Split(inputs, np.zeros((2_000, 2)), columns=columns)
    assert lecture_07b.mass_on_cell(Even(), split, 2)["mass"] == pytest.approx(0.25)


@pytest.mark.parametrize(("grid", "side"), [(2, 4), (2, 8), (3, 6)])
def test_a_patch_counts_for_the_cell_it_lies_in(grid, side):
    found = lecture_07b.weights_by_cell(np.eye(side**2), grid)
    row, column = np.divmod(np.arange(side**2), side) // np.array(side // grid)
    assert np.array_equal(found, np.eye(grid**2)[row * grid + column])


@pytest.mark.parametrize(
    ("written", "true", "edits"),
    [
        *[("3141", "3141", 0), ("341", "3141", 1), ("1314", "3141", 2), ("", "3141", 4)],
        ("kitten", "sitting", 3),
    ],
)
def test_edits_counted_by_hand(written, true, edits):
    assert edit_table(written, true)[-1, -1] == edits == edit_table(true, written)[-1, -1]


def test_the_error_rate_weighs_tokens_and_can_exceed_one():
    assert error_rate(["3 4 1", "7"], ["3 1 4 1", "7"]) == pytest.approx(1 / 5)
    assert error_rate(["1 2 3 4"], ["9"]) == 4
    assert error_rate([""], ["1 2"]) == 1
    for written, true in (("3", ["3"]), (["3"], []), ([""], [""]), ([], [])):
        with pytest.raises(ValueError, match="true token"):
            error_rate(written, true)

"""Lecture 07 in NumPy: Keras' patches, stripes, the published counts; what its figures show."""

import numpy as np
import pytest

from course_utils import plotting
from course_utils.lectures import lecture_07
from course_utils.lectures.lecture_07 import published_parameters, to_patches


@pytest.mark.parametrize(("side", "patch", "channels"), [(8, 2, 1), (12, 3, 3), (12, 4, 2)])
def test_patches_are_those_of_keras(side, patch, channels):
    from keras import ops

    images = np.random.default_rng(0).normal(size=(2, side, side, channels)).astype("float32")
    theirs = np.array(ops.image.extract_patches(images, patch))
    ours = to_patches(images, patch)
    assert np.array_equal(theirs.reshape(ours.shape), ours)


def test_a_direct_reshape_gives_stripes():
    pixels = np.arange(64).reshape(1, 8, 8, 1)
    rows = {value // 8 for value in pixels.reshape(16, 4)[0]}
    of_square = {value // 8 for value in to_patches(pixels, 2)[0, 0]}
    assert rows == {0} and of_square == {0, 1}


def test_the_parts_of_the_lectures_table():
    count = published_parameters("L/16")
    assert count["projection"] == 787_456
    assert count["class token"] + count["positions"] == 202_752
    assert count["attention"] == 24 * 4_198_400
    assert count["feed-forward"] == 24 * 8_393_728
    assert count["norms"] + count["head"] == 24 * 4_096 + 1_027_048
    assert sum(count.values()) == 304_326_632


def test_only_positions_depend_on_the_size_of_the_image():
    sizes = {"patch": 16, "embed_dim": 768, "mlp_dim": 3072, "num_layers": 12, "classes": 1000}
    small, large = (lecture_07.vit_parameters(side, 3, **sizes) for side in (224, 384))
    assert {part for part in small if small[part] != large[part]} == {"positions"}
    assert sum(large.values()) == lecture_07.parameters_of_b16() == 86_859_496


@pytest.fixture
def shown(monkeypatch):
    """The figures that are shown, with their alternative texts."""
    found = []
    monkeypatch.setattr(plotting, "show", lambda *figure_and_alt: found.append(figure_and_alt))
    return found


def shown_arrays(drawing):
    return [np.array(image.get_array()) for axis in drawing.axes for image in axis.images]


def test_the_patches_stand_row_by_row_beside_the_image(shown):
    image = np.arange(16.0).reshape(4, 4, 1) / 16
    lecture_07.show_patches(image, 2, "an image and its patches")
    [(drawing, alt)] = shown
    whole, *patches = shown_arrays(drawing)
    assert np.array_equal(whole, image[..., 0]) and len(patches) == 4
    assert np.array_equal(patches[1], image[:2, 2:, 0])
    assert np.array_equal(patches[2], image[2:, :2, 0])
    assert alt == "an image and its patches"


def test_a_map_lies_over_the_whole_image(shown):
    values = np.arange(4.0).reshape(2, 2)
    lecture_07.show_over(np.zeros((8, 8, 1)), [values, values * 0], ["one", "none"], "alt")
    [(drawing, _)] = shown
    overlay = drawing.axes[1].images[1]
    assert overlay.get_extent() == [-0.5, 7.5, 7.5, -0.5]
    strength = np.asarray(overlay.get_alpha())
    assert strength[0, 0] == 0 and strength[1, 1] == strength.max() > 0.5
    assert np.asarray(drawing.axes[2].images[1].get_alpha()).max() == 0


def test_maps_stand_at_their_places_with_one_scale(shown):
    maps = np.linspace(-1, 1, 2 * 3 * 2 * 3).reshape(2, 3, 2, 3)
    lecture_07.show_maps(maps, "alt", "title")
    [(drawing, _)] = shown
    drawn = shown_arrays(drawing)[:6]
    assert np.array_equal(np.array(drawn).reshape(maps.shape), maps)
    assert {axis.images[0].get_clim() for axis in drawing.axes[:6]} == {(-1, 1)}


def test_images_stand_under_their_titles_as_they_are(shown):
    colours = np.random.default_rng(0).random((4, 4, 3))
    plotting.show_images([np.eye(4)[..., None], colours], ["a", "b"], "alt")
    [(drawing, _)] = shown
    assert [axis.get_title() for axis in drawing.axes] == ["a", "b"]
    for found, image in zip(shown_arrays(drawing), (np.eye(4), colours), strict=True):
        assert np.array_equal(found, image)
    with pytest.raises(ValueError, match="zip"):
        plotting.show_images([np.eye(4), np.eye(4)], ["a"], "alt")

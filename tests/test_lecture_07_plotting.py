"""Pictures of patches and maps: shown with alternative text, wrong ones refused."""

import numpy as np
import pytest

from course_utils import plotting_vision


@pytest.fixture
def shown(monkeypatch):
    """The figures that are shown, with their alternative texts."""
    found = []

    def show(drawing, alt):
        found.append((drawing, alt))

    monkeypatch.setattr(plotting_vision, "show", show)
    return found


def shown_arrays(drawing):
    return [np.array(image.get_array()) for axis in drawing.axes for image in axis.images]


def test_the_patches_stand_row_by_row_beside_the_picture(shown):
    picture = np.arange(16.0).reshape(4, 4) / 16
    plotting_vision.show_patches(picture, 2)
    [(drawing, alt)] = shown
    whole, *patches = shown_arrays(drawing)
    assert np.array_equal(whole, picture) and len(patches) == 4
    assert np.array_equal(patches[1], picture[:2, 2:])
    assert np.array_equal(patches[2], picture[2:, :2])
    assert "2 by 2 patches" in alt


def test_colours_stay_colours(shown):
    plotting_vision.show_patches(np.ones((4, 8, 3)) / 2, 2)
    [(drawing, _)] = shown
    assert [array.shape for array in shown_arrays(drawing)] == [(4, 8, 3)] + 8 * [(2, 2, 3)]


def test_a_map_lies_over_the_whole_picture(shown):
    values = np.arange(4.0).reshape(2, 2)
    plotting_vision.show_over(np.zeros((8, 8, 1)), [values, values * 0], ["one", "none"], "alt")
    [(drawing, _)] = shown
    overlay = drawing.axes[1].images[1]
    assert overlay.get_extent() == [-0.5, 7.5, 7.5, -0.5]
    strength = np.asarray(overlay.get_alpha())
    assert strength[0, 0] == 0 and strength[1, 1] == strength.max() > 0.5
    assert np.asarray(drawing.axes[2].images[1].get_alpha()).max() == 0


def test_maps_stand_at_their_places_with_one_scale(shown):
    maps = np.linspace(-1, 1, 2 * 3 * 2 * 3).reshape(2, 3, 2, 3)
    plotting_vision.show_maps(maps, "alt", "title")
    [(drawing, _)] = shown
    drawn = shown_arrays(drawing)[:6]
    assert np.array_equal(np.array(drawn).reshape(maps.shape), maps)
    assert {axis.images[0].get_clim() for axis in drawing.axes[:6]} == {(-1, 1)}


def test_pictures_stand_under_their_titles_as_they_are(shown):
    pictures = [np.eye(4), np.ones((4, 4, 1))]
    plotting_vision.show_images(pictures, ["a", "b"], "a diagonal and a square")
    [(drawing, alt)] = shown
    assert [axis.get_title() for axis in drawing.axes] == ["a", "b"]
    assert np.array_equal(shown_arrays(drawing)[0], np.eye(4))
    assert alt == "a diagonal and a square"


@pytest.mark.parametrize(
    ("draw", "told"),
    [
        (lambda: plotting_vision.show_patches(np.zeros((5, 4)), 2), "not divisible"),
        (lambda: plotting_vision.show_images([], [], "alt"), "0 titles"),
        (lambda: plotting_vision.show_images([np.eye(2)], ["a", "b"], "alt"), "2 titles"),
        (lambda: plotting_vision.show_over(np.eye(4), [], [], "alt"), "0 titles"),
    ],
)
def test_what_does_not_fit_is_refused(draw, told):
    with pytest.raises(ValueError, match=told):
        draw()

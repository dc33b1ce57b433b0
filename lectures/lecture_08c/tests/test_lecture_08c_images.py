"""Changed images: shifted, mirrored, turned, stretched, recoloured, mixed."""

import numpy as np
import pytest
from textures import textures

from lectures.lecture_07.augment import random_flip, random_translate
from lectures.lecture_08c.record import color_jitter, cutmix, random_affine


@pytest.mark.parametrize("channels", [(), (3,)])
def test_a_shifted_picture_is_the_same_one_elsewhere(channels):
    pictures = np.random.default_rng(0).integers(1, 256, size=(200, 6, 5, *channels))
    pictures = pictures.astype("uint8")
    moved = random_translate(pictures, pixels=2)
    framed = np.pad(pictures, [(0, 0), (2, 2), (2, 2)] + [(0, 0)] * len(channels))
    windows = np.lib.stride_tricks.sliding_window_view(framed, (6, 5), axis=(1, 2))
    windows = np.moveaxis(windows, (-2, -1), (3, 4))
    same = (windows == moved[:, None, None]).reshape(200, 25, -1).all(axis=-1)
    assert (same.sum(axis=1) == 1).all() and same.any(axis=0).all()


@pytest.mark.parametrize(
    "change",
    [
        lambda images, seed: random_translate(images, 1, seed),
        lambda images, seed: random_affine(images, 20, 0.2, seed),
        lambda images, seed: color_jitter(images, 0.5, seed),
    ],
)
def test_a_seed_decides_and_shape_and_dtype_stay(change):
    pictures = textures(40, side=8)
    new, again, other = (change(pictures, seed) for seed in (0, 0, 1))
    assert np.array_equal(new, again) and not np.array_equal(new, other)
    assert (new.shape, new.dtype) == (pictures.shape, pictures.dtype)


def test_about_half_are_mirrored_and_the_given_ones_stay():
    pictures = textures(400, side=8)
    before = pictures.copy()
    mirrored = random_flip(pictures)
    same = (mirrored == pictures).all(axis=(1, 2, 3))
    assert np.array_equal(mirrored[~same], pictures[~same][:, :, ::-1])
    assert 160 < same.sum() < 240
    assert np.array_equal(pictures, before)


def test_turned_bars_lean_both_ways_up_to_the_limit():
    degrees = 20
    bars = np.zeros((1_500, 21, 21), "float32")
    bars[:, 3:18, 9:12] = 1
    turned = random_affine(bars, degrees, 0, 0)
    assert turned.sum(axis=(1, 2)) == pytest.approx(45, rel=0.15)
    halves = turned[:, :10], turned[:, 11:]  # whose middles are eight rows apart
    top, bottom = (
        (half @ np.arange(21)).sum(axis=1) / half.sum(axis=(1, 2)) for half in halves
    )
    lean = np.rad2deg(np.arctan((top - bottom) / 8))
    assert lean.min() < -0.85 * degrees and lean.max() > 0.85 * degrees
    assert np.abs(lean).max() < 1.15 * degrees and abs(lean.mean()) < 1


def test_a_quarter_turn_is_exact_and_a_stretch_reaches_its_limits(monkeypatch):
    pictures = textures(20, side=7)
    assert np.array_equal(random_affine(pictures, 0, 0, 0), pictures)
    generator = type("", (), {"uniform": lambda self, low, high, size: np.full(size, high)})
    with monkeypatch.context() as patch:
        patch.setattr(np.random, "default_rng", lambda seed: generator())
        turned = random_affine(pictures, 90, 0, 0)
        assert np.array_equal(turned, np.rot90(pictures, axes=(1, 2)))
    bars = np.zeros((2_000, 41, 41), "uint8")
    bars[:, 20, 10:31] = 1
    lengths = random_affine(bars, 0, 0.2, 0)[:, 20].sum(axis=1)
    assert lengths.min() in (16, 17) and lengths.max() in (25, 26)
    assert lengths.mean() == pytest.approx(21, abs=0.3)


def test_recoloured_pictures_keep_what_they_show_and_change_both_ways():
    pictures = textures(500, side=8)
    assert np.array_equal(color_jitter(pictures, 0, 0), pictures)
    grey = np.repeat(pictures[..., :1], 3, axis=-1)
    assert np.ptp(color_jitter(grey, 1, 0).astype(int), axis=-1).max() <= 1, "grey stays grey"
    plain = np.full((500, 4, 4, 3), 100, "uint8")
    shades = color_jitter(plain, 0.5, 0)
    assert np.array_equal(shades, np.broadcast_to(shades[:, :1, :1, :1], plain.shape))
    assert (shades.min(), shades.max()) == pytest.approx((50, 150), abs=1)
    assert shades[:, 0, 0, 0].mean() == pytest.approx(100, abs=4)


def test_every_other_batch_is_mixed_and_shares_follow_the_area():
    own = np.eye(4, dtype="float32")
    pictures = np.broadcast_to(np.arange(4.0)[:, None, None, None], (4, 16, 16, 3))
    unmixed, areas = 0, []
    for seed in range(300):
        mixed, shares = cutmix(pictures, own, seed)
        assert shares.dtype == own.dtype and shares.sum(axis=1) == pytest.approx(1)
        if np.array_equal(mixed, pictures):
            unmixed += 1
            assert np.array_equal(shares, own)
            continue
        changed = mixed != pictures
        assert np.array_equal(mixed[changed], pictures[::-1][changed])
        share = changed[0, :, :, 0].mean()
        rows, columns = (changed[0, :, :, 0].any(axis=axis).sum() for axis in (1, 0))
        assert rows == columns and rows * columns == changed[0, :, :, 0].sum()
        assert np.diag(shares) == pytest.approx(1 - share)
        assert np.diag(shares[:, ::-1]) == pytest.approx(share)
        areas.append(share)
    assert 115 < unmixed < 185
    assert np.mean(areas) == pytest.approx(0.5, abs=0.08) and max(areas) > 0.9
    assert np.array_equal(own, np.eye(4))


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (lambda: random_flip(np.zeros((8, 8))), "height"),
        (lambda: random_translate(np.zeros((4, 8, 8)), pixels=-1), "pixels"),
    ],
)
def test_a_wrong_argument_is_refused(change, said):
    with pytest.raises(ValueError, match=said):
        change()

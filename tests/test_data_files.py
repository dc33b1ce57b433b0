"""Damaged bytes in archives and tables: a ValueError that names the file, nothing else."""

import lzma
import random
import zipfile

import numpy as np
import pytest

from course_utils.data import base, imdb
from lectures.lecture_03b import series
from lectures.lecture_05 import pairs


def damaged_copies(whole, seed, count=150):
    """Copies with a few bits flipped, a piece left out, or cut short; first the ends of it."""
    draw = random.Random(seed)
    yield from (whole[:-1], whole[1:], whole[: len(whole) // 2], b"", whole + b"?")
    for number in range(count):
        copy, place = bytearray(whole), draw.randrange(len(whole))
        if number % 3 == 0:
            for _ in range(draw.randrange(1, 4)):
                copy[draw.randrange(len(whole))] ^= 1 << draw.randrange(8)
        elif number % 3 == 1:
            copy[place : place + draw.randrange(1, 9)] = draw.randbytes(4)
        else:
            del copy[place : place + draw.randrange(1, 40)]
        yield bytes(copy)


def sentences(folder, monkeypatch):
    path = folder / "spa-eng.zip"
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("spa.txt", "\n".join(f"good {k}\tbueno {k}" for k in range(60)))
        archive.writestr("_about.txt", "2017-09-29")
    monkeypatch.setattr(pairs, "AT_LEAST", 10)
    monkeypatch.setattr(pairs, "download", lambda *address, **more: path)
    return path, lambda: pairs._read_archive("spanish")[0]


def weather(folder, monkeypatch):
    path = folder / "jena.zip"
    rows = [f"01.01.2009 {k // 6:02}:{k % 6}0:00" + f",{k}.5" * 14 for k in range(48)]
    text = "\n".join(["Date Time," + ",".join(series.JENA_COLUMNS), *rows])
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("jena_climate_2009_2016.csv", text)
    monkeypatch.setattr(series, "JENA_ROWS", 10)
    monkeypatch.setattr(series, "download", lambda address: path)
    return path, series._read_jena


def table(folder, monkeypatch):
    path = folder / "english_french.csv.xz"
    rows = "\n".join(f"{part},a cat,un chat,0 1" for part in ("train", "val", "test"))
    path.write_bytes(lzma.compress(f"split,english,french,alignment\n{rows}".encode()))
    monkeypatch.setattr(base, "DATA", folder)
    return path, pairs._own_pairs


@pytest.mark.parametrize("make", [sentences, weather, table])
def test_damaged_archives_are_named(make, tmp_path, monkeypatch):
    path, read = make(tmp_path, monkeypatch)
    whole, expected = path.read_bytes(), repr(read())
    refused = 0
    for damaged in damaged_copies(whole, seed=0):
        path.write_bytes(damaged)
        try:
            assert repr(read()) == expected
        except ValueError as error:
            assert str(path) in str(error), error
            refused += 1
    assert refused > 75


@pytest.mark.parametrize(
    ("place", "value", "told"), [(8, 99, "NotImplementedError"), (6, 1, "RuntimeError")]
)
def test_unknown_compression_and_encryption_are_damage(
    place, value, told, tmp_path, monkeypatch
):
    path, read = sentences(tmp_path, monkeypatch)
    whole = bytearray(path.read_bytes())
    whole[place] = whole[whole.index(b"PK\x01\x02") + place + 2] = value
    path.write_bytes(whole)
    with pytest.raises(ValueError, match=f"damaged .{told}.*Delete it and run again"):
        read()


def test_a_damaged_cache_is_made_again(tmp_path, monkeypatch, capsys):
    monkeypatch.setattr(imdb, "CACHE", tmp_path)
    monkeypatch.setattr(imdb, "SIZES", {"train": 2})
    texts = np.array(["good film", "a film"], object), np.array([1, 0], "int32")
    monkeypatch.setattr(imdb, "read", lambda part: texts)
    expected = repr(imdb.tokens("train"))
    (path,) = tmp_path.glob("*.npz")
    whole = path.read_bytes()
    for damaged in damaged_copies(whole, seed=1, count=90):
        path.write_bytes(damaged)
        assert repr(imdb.tokens("train")) == expected
    assert "is damaged" in capsys.readouterr().out

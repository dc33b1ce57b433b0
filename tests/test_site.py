"""The site's pages: their links, the library's reference, notation."""

import pytest

from tools import glossary, site
from tools.source import lectures

NUMBERS = {source.stem.partition("_")[0]: source for source in lectures()}


@pytest.fixture(scope="module")
def pages(tmp_path_factory):
    folder = tmp_path_factory.mktemp("pages")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(site, "PAGES", folder)
        site.write_pages()
    return folder


def test_every_link_and_picture_of_a_page_is_there(pages):
    broken = [
        f"{path.name}: {address}"
        for path in pages.rglob("*.md")
        for _, _, address in site.LINK.findall(path.read_text(encoding="utf-8"))
        if "://" not in address and not address.startswith("#")
        if not (path.parent / address.partition("#")[0]).exists()
    ]
    assert broken == []


def test_an_old_notebook_makes_no_page(tmp_path):
    changed = tmp_path / lectures()[0].name
    changed.write_text(
        lectures()[0].read_text(encoding="utf-8").replace("# # ", "# # New: "), encoding="utf-8"
    )
    with pytest.raises(ValueError, match=f"New: .*make notebook LECTURE={changed.stem}"):
        site.as_new(changed)


def test_every_lecture_and_module_has_its_pages(pages):
    for source in lectures():
        for folder, ending in (("lectures", "ipynb"), ("sheets", "md"), ("results", "md")):
            assert (pages / folder / f"{source.stem}.{ending}").is_file()
    reference = (pages / "library" / "course_utils.layers.attention.md").read_text(
        encoding="utf-8"
    )
    assert "## MultiHeadAttention\n" in reference and "(batch, " in reference


def test_symbols_belong_to_lectures():
    rows = glossary.csv_rows("notation")
    assert {row["lecture"] for row in rows} <= set(NUMBERS)
    pairs = [(row["symbol"], row["lecture"], row["meaning"]) for row in rows]
    assert len(set(pairs)) == len(pairs)

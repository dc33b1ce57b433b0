"""Whoever is cited can be read: a link to the paper, where it is first named and at the end."""

import re

import pytest

from tools.source import assemble, lectures

NAME = r"\w*[A-Z][\w’'-]*"
CITED = re.compile(
    rf"({NAME})(?:(?:, {NAME})* and {NAME}| et al\.)?(?:, | \()((?:19|20)\d\d)(?=[):;,])"
)
LINK = re.compile(r"\[[^\[\]]+\]\(https://[^\s()]+\)")
TITLE = re.compile(r"(?<!\*)\*[^*]+\*(?!\*)")


def texts(source):
    """The cells of text that students read, each on one line."""
    for cell in assemble(source).cells:
        if cell.cell_type == "markdown":
            yield " ".join(cell.source.split())


def unlinked(cells):
    """Yield the citations and titles of papers that have no link."""
    seen = set()
    for text in cells:
        links = [range(*link.span()) for link in LINK.finditer(text)]

        def linked(found, links=links):
            return any(found.start() in link for link in links)

        if re.match(r"\*\*Papers\.\*\*|### Papers", text):
            yield from (one[0] for one in TITLE.finditer(text) if not linked(one))
            entries = re.split(r" · | - (?=[A-Zv])", text.removeprefix("### Papers"))
            yield from (one for one in filter(str.strip, entries) if not LINK.search(one))
            continue
        for found in CITED.finditer(text):
            if found.groups() not in seen and not linked(found):
                yield found[0]
            seen.add(found.groups())


@pytest.mark.parametrize("source", lectures(), ids=lambda path: path.stem)
def test_every_paper_has_its_link(source):
    assert list(unlinked(list(texts(source)))) == []


@pytest.mark.parametrize(
    "text",
    [
        "As Liu et al. (2021) show.",
        "It is old (Gers and Schmidhuber, 2000).",
        "**Papers.** Kim, *Convolutional networks* (2014)",
        "### Papers - [Kim](https://a.b) - Nie and others (2023), PatchTST.",
    ],
)
def test_a_paper_without_a_link_is_found(text):
    assert list(unlinked([text]))

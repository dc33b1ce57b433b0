"""The question bank, read back from each format as its program reads it."""

import csv
import re
import sqlite3
import zipfile
from html import unescape
from xml.etree import ElementTree

import pytest

from tools import bank, glossary, sheets
from tools.source import lectures, number

QUESTIONS = {
    f"{number(source)}-{part}-{place:02}": one
    for source in lectures()
    for part, asked in bank.parts(sheets.read(source)).items()
    for place, one in enumerate(asked, start=1)
}
TYPESET = str.maketrans({"’": "'", "‘": "'", "“": '"', "”": '"', "–": "--", "…": "..."})


@pytest.fixture(scope="module")
def written(tmp_path_factory):
    folder = tmp_path_factory.mktemp("bank")
    bank.main(["--into", str(folder)])
    return folder


def plain(markdown):
    """What is left of Markdown without its marks, links, spaces and kinds of quotes."""
    markdown = re.sub(r"\[([^]]*)\]\(http[^)]*\)", r"\1", markdown)
    text = re.sub(r"^```\w*$|^\|[ |:-]+\|$", "", markdown, flags=re.MULTILINE)
    return re.sub(r"[\s*`$|]", "", unescape(text).translate(TYPESET))


def shown(html):
    """The same of HTML with formulas in TeX."""
    html = re.sub(r'<img class="equation_image" title="([^"]*)".*?>', r"\1", html)
    return plain(re.sub(r"\\[()\[\]]|</?[a-z][^>]*>", "", html))


def test_moodle_gets_every_question_with_one_right_choice_or_what_graders_need(written):
    found, category = {}, ""
    for question in ElementTree.parse(written / "moodle.xml").getroot():
        if question.get("type") == "category":
            category = question.findtext("category/text")
            continue
        name = question.findtext("idnumber")
        found[name] = one = QUESTIONS[name]
        assert category.startswith("$course$/top/") and category.split("/")[3][:2] == name[:2]
        assert shown(question.findtext("questiontext/text")) == plain(one.stem), name
        answers = question.findall("answer")
        assert [shown(each.findtext("text")) for each in answers] == [
            plain(choice) for choice in one.choices.values()
        ], name
        right = [place for place, each in enumerate(answers) if each.get("fraction") == "100"]
        assert [[*one.choices][place] for place in right] == ([one.right] if answers else [])
        told = "generalfeedback" if answers else "graderinfo"
        assert shown(question.findtext(f"{told}/text")) == plain(one.answer), name
        assert question.findtext("defaultgrade") == str(one.points or 1)
        assert question.get("type") == ("multichoice" if answers else "essay")
    assert found == QUESTIONS


def test_canvas_gets_every_question_with_one_right_choice(written):
    found = {}
    for path in sorted((written / "canvas").glob("*.zip")):
        with zipfile.ZipFile(path) as package:
            [name] = [one for one in package.namelist() if re.fullmatch(r"(.+)/\1\.xml", one)]
            quiz = ElementTree.fromstring(package.read(name))
        lecture, part = path.stem.split("_")[0], path.stem.split("-", 1)[1]
        for place, item in enumerate(quiz.iterfind(".//{*}item"), start=1):
            key = f"{lecture}-{part}-{place:02}"
            found[key] = one = QUESTIONS[key]
            texts = [shown(text.text) for text in item.iterfind(".//{*}mattext")]
            kept = [one.stem, *one.choices.values()]
            kept += [one.answer] if one.choices else []  # an exam's is not for students
            assert texts == [*map(plain, kept)], key
            labels = [label.get("ident") for label in item.iterfind(".//{*}response_label")]
            scoring = [
                condition.findtext("{*}conditionvar/{*}varequal")
                for condition in item.iterfind(".//{*}respcondition")
                if condition.findtext("{*}setvar") == "100"
            ]
            right = [letter for letter in one.choices if letter == one.right]
            assert [[*one.choices][labels.index(label)] for label in scoring] == right, key
    assert found == QUESTIONS


def test_a_table_has_every_question(written):
    with (written / "questions.csv").open(encoding="utf-8-sig", newline="") as file:
        rows = {row["id"]: row for row in csv.DictReader(file)}
    assert rows.keys() == QUESTIONS.keys()
    for name, one in QUESTIONS.items():
        row = rows[name]
        assert row["right"] == one.right
        for column, text in (("question", one.stem), ("answer", one.answer)):
            assert row[column].split() == text.split()
        assert {letter: row[letter] for letter in "abcd" if row[letter]} == one.choices
        assert row["points"] == str(one.points or 1)


def test_a_paragraph_of_the_table_is_one_line():
    code = "```python\na = 1\nb = 2\n```"
    text = (
        f"One\ntwo:\n\n{code}\n\n- an item\n  goes on\n- another\n\n| a |\n| - |\n\nEnd\nof it."
    )
    assert bank.unwrapped(text) == text.replace("One\ntwo", "One two").replace(
        "item\n  goes", "item goes"
    ).replace("End\nof", "End of")


def cards(path, folder):
    """Return the cards of an Anki package by their guid: (type, fields)."""
    with zipfile.ZipFile(path) as package:
        package.extract("collection.anki2", folder)
    with sqlite3.connect(folder / "collection.anki2") as collection:
        rows = collection.execute("select guid, mid, flds from notes").fetchall()
    return {guid: (kind, fields.split("\x1f")) for guid, kind, fields in rows}


def test_anki_gets_every_term_and_the_whole_of_each_summary(written, tmp_path):
    found = [fields for _, fields in cards(written / "anki.apkg", tmp_path).values()]
    terms = {row["term"]: row for row in glossary.csv_rows("glossary")}
    backs = {unescape(front): back for front, back in found if unescape(front) in terms}
    for term, row in terms.items():
        assert f'<p dir="rtl" lang="fa">{row["persian"]}</p>' in backs[term]
        assert shown(backs[term].split("</p>", 1)[1]) == plain(row["meaning"])
    summaries = [pair for pair in found if "·" in pair[0] and pair[0].startswith("<p>")]
    assert len(summaries) + len(terms) == len(found)
    for source in lectures():
        texts = [shown(back) for front, back in summaries if f"<p>{number(source)} ·" in front]
        summary = re.sub(r"^\d+\. |^- ", "", sheets.read(source).summary, flags=re.MULTILINE)
        assert "".join(texts) == plain(summary), source.stem


def test_an_import_of_changed_cards_updates_them(written, tmp_path, monkeypatch):
    before = cards(written / "anki.apkg", tmp_path)
    rows = glossary.csv_rows("glossary")
    rows[0] = rows[0] | {"meaning": "Something else."}
    monkeypatch.setattr(glossary, "csv_rows", lambda name: rows[::-1])
    bank.anki(lectures()).write_to_file(tmp_path / "changed.apkg")
    after = cards(tmp_path / "changed.apkg", tmp_path)
    assert after.keys() == before.keys()
    [changed] = [guid for guid in after if after[guid] != before[guid]]
    assert after[changed][0] == before[changed][0]
    assert after[changed][1][0] == rows[0]["term"]

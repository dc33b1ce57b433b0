"""Words in every script: whole, and the same however the text is encoded."""

import unicodedata

import pytest

from course_utils.data import tokenize
from course_utils.data.words import plain
from lectures.lecture_05.pairs import tokenize_sentence

WORDS = [
    ("naïve Amélie", "naïve amélie"),
    ("İstanbul ISTANBUL", "istanbul istanbul"),
    ("می\u200cخواهم کِتاب", "می\u200cخواهم کِتاب"),
    ("هم\u200c \u200cکتاب", "هم کتاب"),  # joiners at the ends of words
    ("हिन्दी क्\u200dष", "हिन्दी क्\u200dष"),
    ("العَرَبِيَّة", "العَرَبِيَّة"),
    ("ภาษาไทย น้ำ", "ภาษาไทย น้ำ"),
    ("שָׁלוֹם", "שָׁלוֹם"),
    ("ΟΔΟΣ", "οδος"),
    ("don’t donʼt don＇t", "don't don't don't"),
    ("Ｆｉｌｍ ﬁlm", "ｆｉｌｍ ﬁlm"),
    ("½ ٣٤ १२३", "½ ٣٤ १२३"),
    ("co\u00adoperate", "cooperate"),
    ("\ufefffilm \u200fאב\u200e a\u2060b", "film אב ab"),
    ("ein\u200bwort", "ein wort"),
    ("a\u20dd 葛\U000e0100城", "a\u20dd 葛城"),  # enclosed; a variant of a character
    ("e\u00ad\u0301te", "éte"),
]


@pytest.mark.parametrize("form", ["NFC", "NFD"])
@pytest.mark.parametrize(("text", "words"), WORDS)
def test_words_stay_whole_in_both_tokenizers(text, words, form):
    text = unicodedata.normalize(form, text)
    expected = [unicodedata.normalize("NFC", word) for word in words.split(" ")]
    assert tokenize(text) == tokenize_sentence(text) == expected
    assert tokenize(" ".join(expected)) == expected


PICTURES = "❤️ 👍🏽 👨\u200d👩\u200d👧 🇫🇷 1️⃣ #️⃣ 🏴\U000e0067\U000e007f".split()
ASTRAY = ["\u0301", "\u200d", "\ufe0f", "\u200c\u0301", "\ud800", "?\u0301"]


@pytest.mark.parametrize("text", [*PICTURES, *ASTRAY])
def test_what_is_no_word_gives_none_and_cuts_the_words_beside_it(text):
    assert tokenize(text) == []
    assert tokenize(f"good {text} film") == ["good", "film"]
    tokens = tokenize_sentence(f"good {text} film")
    assert [token for token in tokens if token.isalnum()] == ["good", "film"]


def test_marks_do_not_end_what_french_elides_or_joins():
    assert tokenize_sentence("vois-le l'arbre") == ["vois", "-le", "l'", "arbre"]
    strange = "vois-le\u0331x l\u0302'arbre"
    assert tokenize_sentence(strange) == strange.split()


@pytest.mark.parametrize("text", [None, b"film", ["film"], 3.0])
def test_what_is_no_text_is_refused(text):
    with pytest.raises(ValueError, match="a text has to be a str"):
        plain(text)

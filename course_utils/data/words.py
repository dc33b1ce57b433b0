"""What a word is in any script: the form in which texts are compared, and how words are found.

Both `tokenize` and `tokenize_sentence` look for their patterns in `plain(text)`.
"""

from __future__ import annotations

import re
import unicodedata

# Planes 0, 1 and 14 hold all marks and format characters.
_CHARACTERS = [chr(code) for code in (*range(0x20000), *range(0xE0000, 0xE0200))]
_MARKS = [one for one in _CHARACTERS if unicodedata.category(one)[0] == "M"]
_FORMAT = [one for one in _CHARACTERS if unicodedata.category(one) == "Cf"]
_JOINERS = "\u200c\u200d"
_SELECTORS = re.compile("[\u034f\u180b-\u180d\u180f\ufe00-\ufe0f\U000e0100-\U000e01ef]")

_FORMS = {ord(one): None for one in _FORMAT if one not in _JOINERS}
_FORMS |= {ord(one): None for one in _MARKS if _SELECTORS.match(one)}
_FORMS |= str.maketrans("’‘ʼ＇‐‑\u200b", "''''-- ")
_REFORMED = frozenset(map(chr, _FORMS))
_DOTTED = "i\u0307"  # what `lower` makes of the Turkish İ
_KEYCAP = re.compile("[0-9#*]\u20e3")

# A pattern is matched on a text in which one character stands for all marks: a class of 2,400
# characters makes it ten times slower.
_ATTACHED = frozenset([*_MARKS, *_JOINERS])
_AS_LETTERS = str.maketrans(dict.fromkeys(_ATTACHED, "ª"))  # a letter that no pattern names
_AS_TWO = str.maketrans(dict.fromkeys(_MARKS, "\u0300") | dict.fromkeys(_JOINERS, "\u200c"))
_ASTRAY = re.compile(
    "(?<![^\\W_])(?<![\u0300\u200c])[\u0300\u200c]+"  # belongs to no letter
    "|\u200c+(?![^\\W_]|[\u0300\u200c])"  # a joiner at the end of a word
)


def plain(text: str) -> str:
    """A text in lower case and in the one form in which its words are compared.

    It is in NFC, so that texts which Unicode calls equal become equal; İ and I become i.
    - A combining mark belongs to the letter or digit before it; one without is removed.
    - The joiners ZWNJ and ZWJ stay inside a word, as Persian writes them, and are removed
      elsewhere.
    - All other format characters (soft hyphen, byte order mark, signs of direction, word
      joiner) and variation selectors are removed. A zero-width space is a blank.
    - An apostrophe is ', a hyphen -. A keycap such as "1️⃣" is a picture, not a digit: a blank.
    Full-width letters and ligatures stay what they are.

    Raises ValueError for what is not a str.
    """
    if not isinstance(text, str):
        raise ValueError(f"a text has to be a str, got {text!r}")
    if text.isascii():
        return text.lower()
    text = unicodedata.normalize("NFC", text).lower()
    if not _REFORMED.isdisjoint(text):  # `translate` alone would take longer than all the rest
        text = text.translate(_FORMS)
    text = unicodedata.normalize("NFC", text.replace(_DOTTED, "i"))
    if _ATTACHED.isdisjoint(text):
        return text
    text = _KEYCAP.sub(" ", text)
    kept, start = [], 0
    for astray in _ASTRAY.finditer(text.translate(_AS_TWO)):
        kept.append(text[start : astray.start()])
        start = astray.end()
    return "".join([*kept, text[start:]])


def find_words(pattern: re.Pattern, text: str) -> list[str]:
    """All matches of a pattern in a plain text, in which marks and joiners count as letters."""
    if text.isascii() or _ATTACHED.isdisjoint(text):
        return pattern.findall(text)
    return [
        text[slice(*match.span())] for match in pattern.finditer(text.translate(_AS_LETTERS))
    ]

"""Normal forms of text: spaces, dashes, quotation marks, ligatures, accents."""

import re
import unicodedata
from array import array

DROPPED = "\u00ad\u200c\u200d\u2060\ufeff"
"""Invisible characters."""

_ALIKE = {
    **dict.fromkeys("“”„‟«»″", '"'),
    **dict.fromkeys("‘’‚‛′`´ʼ", "'"),
    **dict.fromkeys("‐‑‒–—―−", "-"),
    **dict.fromkeys(DROPPED, ""),
    "\u200b": " ",
}
_TRANSLATION = str.maketrans(_ALIKE)
_MARKER = re.compile(r"\[\d{1,3}(?:-\d{1,3})?\]|(?<=\d)\s?\[[a-z*†‡§]\]")
_FOOTNOTE = re.compile(r"(?<=[^\s\[])\s?\[\d{1,3}\]")
"""A mark after a word that a quote may omit."""
_EMPHASIS = re.compile(
    r"(?<![\w*`_])[*`_]{1,3}(?=[^\s*`_])|(?<=[^\s*`_])[*`_]{1,3}(?![\w*`_])|\[\^[^\]\s]{1,20}\]"
)
"""Marks of Markdown around a word, and its footnotes' marks."""
_HIDDEN = re.compile(f"{_FOOTNOTE.pattern}|{_EMPHASIS.pattern}")
_RAISED = "⁰¹²³⁴⁵⁶⁷⁸⁹⁻⁺"
_PLAIN = str.maketrans(_RAISED, "0123456789-+")
_POWER_OF_TEN = re.compile(rf"(?<![\d.,])10([{_RAISED}]{{1,4}})")
_RAISED_MARK = re.compile(rf"(?<=\d)[{_RAISED}]{{1,9}}")
_CHINESE_DIGITS = str.maketrans("〇零一二三四五六七八九", "00123456789")
_CHINESE_YEAR = re.compile(r"[一二][〇零一二三四五六七八九]{3}(?=年)")
_DOTTED = re.compile(r"(?<!\w)(?:[A-Z]\.){2,}")
_SPACES = re.compile(r"\s++")


def normalize(text: str) -> str:
    """Return a text composed and on one line, with `U.S.` as `US`, plain digits and no footnote marks."""
    composed = read_digits(unicodedata.normalize("NFC", text).translate(_TRANSLATION))
    if not composed.isascii():
        composed = _POWER_OF_TEN.sub(lambda found: f"10^{found[1].translate(_PLAIN)}", composed)
        composed = _RAISED_MARK.sub("", composed)
        composed = _CHINESE_YEAR.sub(lambda year: year[0].translate(_CHINESE_DIGITS), composed)
    bare = _DOTTED.sub(
        lambda match: match.group().replace(".", ""), _EMPHASIS.sub("", _MARKER.sub("", composed))
    )
    return _SPACES.sub(" ", bare).strip()


class _DigitTable(dict[int, int | str]):
    """Digits of all scripts, and the separators of Arabic figures, each by one character."""

    def __missing__(self, code: int) -> int | str:
        digit = unicodedata.decimal(chr(code), None)
        return self.setdefault(code, code if digit is None else str(digit))


_DIGITS = _DigitTable({0x066B: ".", 0x066C: ",", 0xFF0E: "."})


def read_digits(text: str) -> str:
    """Return a text of the same length with the digits of every script as 0 to 9."""
    return text if text.isascii() else text.translate(_DIGITS)


def spell_words(text: str) -> str:
    """Return a text's words in lower case, for comparison with other texts."""
    return " ".join(re.findall(r"\w+", text.casefold()))


class _FoldTable(dict[str, str]):
    """Foldings of characters, computed once each."""

    def __missing__(self, char: str) -> str:
        alike = _ALIKE.get(char, char)
        folded = " " if alike.isspace() else unicodedata.normalize("NFKD", alike)
        return self.setdefault(char, folded)


def fold(text: str) -> tuple[str, "array[int]"]:
    """Return the folded text, without emphasis and footnotes' marks, and each of its characters' place in the original."""
    folds, folded, places = _FoldTable(), [], array("I")
    last = ""
    marks = _HIDDEN.finditer(text)
    mark = next(marks, None)
    for place, char in enumerate(text):
        while mark and place >= mark.end():
            mark = next(marks, None)
        if mark and place >= mark.start():
            continue
        # A superscript digit after a figure is a footnote mark: `12.5¹` is not `12.51`.
        for part in char if char in _RAISED and last.isdecimal() else folds[char]:
            if part != " " or last != " ":
                folded.append(part)
                places.append(place)
            last = part
    return "".join(folded), places

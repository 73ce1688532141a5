"""The letters of a PDF: DejaVu's, and for Chinese, Japanese and Korean those of its reader."""

import unicodedata
from collections.abc import Iterator
from functools import cache
from importlib.util import find_spec
from itertools import groupby
from pathlib import Path
from typing import Any

from reportlab.pdfbase import pdfmetrics
from reportlab.pdfbase.cidfonts import UnicodeCIDFont
from reportlab.pdfbase.ttfonts import TTFont

BODY = "Body"
FACES = {"": "", "-Bold": "-Bold", "-Italic": "-Oblique", "-Both": "-BoldOblique"}
CHINESE, JAPANESE, KOREAN = "STSong-Light", "HeiseiMin-W3", "HYSMyeongJo-Medium"
"""Named and not held: readers of PDFs have letters of their own for these three."""

BOX = "\u25a1"
"""What a letter that no font has is shown as."""

LAST = 0xFFFF
"""The last code point used of the body's font: those beyond could be seen and not be searched."""


def folder() -> Path:
    """Return where DejaVu's files are, without a load of the typesetter they are packed for."""
    found = find_spec("rinoh_typeface_dejavusans")
    assert found
    assert found.origin
    return Path(found.origin).parent


@cache
def _drawn() -> Any:
    """Register the fonts, once, and return what the body's can draw, by code point."""
    for face, file in FACES.items():
        path = folder() / f"DejaVuSansCondensed{file}.ttf"
        pdfmetrics.registerFont(TTFont(f"{BODY}{face}", path))
    pdfmetrics.registerFontFamily(BODY, *(f"{BODY}{face}" for face in FACES))
    for name in (CHINESE, JAPANESE, KOREAN):
        pdfmetrics.registerFont(UnicodeCIDFont(name))
        pdfmetrics.registerFontFamily(name, *[name] * len(FACES))  # they have one face
    return pdfmetrics.getFont(BODY).face.charToGlyph


class Letters:
    """Which font draws which letter of one document."""

    def __init__(self, text: str) -> None:
        self._drawn = _drawn()
        used = set(text)
        scripts = {_script(char) for char in used}
        self._han = next((font for font in (JAPANESE, KOREAN) if font in scripts), CHINESE)
        self.missing = any(not self._font(char) for char in used if not _is_silent(char))
        """Whether a letter has no font."""
        self.turned = any(unicodedata.bidirectional(char) in {"R", "AL"} for char in used)
        """Whether some of it is written from right to left."""

    def runs(self, text: str) -> Iterator[tuple[str, str]]:
        """Yield the text in parts, each behind the font that draws it."""
        shown = (char for char in text if not _is_silent(char))
        for font, chars in groupby(shown, self._font):
            part = "".join(chars)
            yield (font, part) if font else (BODY, BOX * len(part))

    def slant(self, text: str) -> bool:
        """Tell whether all of a text has italic letters: Arabic has none."""
        slanted = pdfmetrics.getFont(f"{BODY}-Italic").face.charToGlyph
        return all(ord(char) in slanted for char in text if self._font(char) == BODY)

    def _font(self, char: str) -> str:
        if char.isspace() or (ord(char) in self._drawn and ord(char) <= LAST):
            return BODY
        script = _script(char)
        return self._han if script == CHINESE else script


def _is_silent(char: str) -> bool:
    """Tell whether a character only says how others are joined."""
    return unicodedata.category(char) == "Cf" or "\ufe00" <= char <= "\ufe0f"


def _script(char: str) -> str:
    """Return the font of a letter's script, Chinese for what the three share, else nothing."""
    name = unicodedata.name(char, "") if char <= chr(LAST) else ""
    if "HIRAGANA" in name or "KATAKANA" in name:
        return JAPANESE
    if "HANGUL" in name:
        return KOREAN
    shared = ("CJK ", "FULLWIDTH ", "IDEOGRAPHIC ")
    return CHINESE if name.startswith(shared) or "\u3000" <= char <= "\u303f" else ""

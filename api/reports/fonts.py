"""Fonts of a PDF: DejaVu, and for Chinese, Japanese and Korean the fonts of the PDF reader."""

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
"""CID fonts, which are named and not embedded: PDF readers bring them."""

MISSING_GLYPH = "\u25a1"
"""Replacement for a character that no font has."""

LAST_CODE_POINT = 0xFFFF
"""Last code point taken from the body font: text beyond it would show but could not be searched."""


def find_font_folder() -> Path:
    """Return the folder of DejaVu's files, without importing the package that holds them."""
    spec = find_spec("rinoh_typeface_dejavusans")
    assert spec
    assert spec.origin
    return Path(spec.origin).parent


@cache
def _register_fonts() -> Any:
    """Register the fonts, once; return the glyphs of the body font by code point."""
    for face, file in FACES.items():
        path = find_font_folder() / f"DejaVuSansCondensed{file}.ttf"
        pdfmetrics.registerFont(TTFont(f"{BODY}{face}", path))
    pdfmetrics.registerFontFamily(BODY, *(f"{BODY}{face}" for face in FACES))
    for name in (CHINESE, JAPANESE, KOREAN):
        pdfmetrics.registerFont(UnicodeCIDFont(name))
        pdfmetrics.registerFontFamily(name, *[name] * len(FACES))  # which has one face
    return pdfmetrics.getFont(BODY).face.charToGlyph


class FontSelector:
    """Chooses the font of each character of a document."""

    def __init__(self, text: str) -> None:
        self._glyphs = _register_fonts()
        used = set(text)
        scripts = {_cjk_font(char) for char in used}
        self._han = next((font for font in (JAPANESE, KOREAN) if font in scripts), CHINESE)
        self.has_missing = any(not self._font(char) for char in used if not _is_invisible(char))
        """Whether some character has no font."""
        self.has_right_to_left = any(
            unicodedata.bidirectional(char) in {"R", "AL"} for char in used
        )
        """Whether some text is written from right to left."""

    def split_runs(self, text: str) -> Iterator[tuple[str, str]]:
        """Yield the text in parts of one font: (font, part)."""
        visible = (char for char in text if not _is_invisible(char))
        for font, chars in groupby(visible, self._font):
            part = "".join(chars)
            yield (font, part) if font else (BODY, MISSING_GLYPH * len(part))

    def has_italics(self, text: str) -> bool:
        """Tell whether the body font has italics for all of a text: Arabic has none."""
        italics = pdfmetrics.getFont(f"{BODY}-Italic").face.charToGlyph
        return all(ord(char) in italics for char in text if self._font(char) == BODY)

    def _font(self, char: str) -> str:
        if char.isspace() or (ord(char) in self._glyphs and ord(char) <= LAST_CODE_POINT):
            return BODY
        script = _cjk_font(char)
        return self._han if script == CHINESE else script


def _is_invisible(char: str) -> bool:
    """Tell whether a character only controls how its neighbours are joined."""
    return unicodedata.category(char) == "Cf" or "\ufe00" <= char <= "\ufe0f"


def _cjk_font(char: str) -> str:
    """Return the CID font of a character, Chinese if shared by all three, or an empty string."""
    name = unicodedata.name(char, "") if char <= chr(LAST_CODE_POINT) else ""
    if "HIRAGANA" in name or "KATAKANA" in name:
        return JAPANESE
    if "HANGUL" in name:
        return KOREAN
    shared = ("CJK ", "FULLWIDTH ", "IDEOGRAPHIC ")
    return CHINESE if name.startswith(shared) or "\u3000" <= char <= "\u303f" else ""

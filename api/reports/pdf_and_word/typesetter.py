"""Typst, restricted to one folder with fonts and charts, and without network access."""

import re
import unicodedata
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from typing import Literal

import font_source_serif_pro
import typst

FACES = (
    *("FiraGO_Regular", "FiraGO_Bold", "FiraGO_Italic", "FiraGO_BoldItalic"),
    *("FiraMono_Regular", "NotoSansMath_Regular", "NotoSansSymbols2_Regular"),
)
_TEMPLATE = Path(__file__).with_name("report.typ")
_CHART = Path(__file__).with_name("chart.typ")


class Typesetter:
    """Sets reports as PDF and charts as PNG, with charts from its folder."""

    def __init__(self, folder: Path) -> None:
        self._root = folder / "report"
        self._root.mkdir()
        for face in FACES:
            font = import_module(f"pymupdf_fonts.{face}").fontbuffer
            (folder / f"{face}.ttf").write_bytes(font)
        asian = find_spec("noto_cjk_sans_otc")
        assert asian
        assert asian.origin
        serif = Path(font_source_serif_pro.font_directory)
        paths = [folder, serif, Path(asian.origin).parent]
        self._fonts = typst.Fonts(include_system_fonts=False, font_paths=paths)

    def draw(self, name: str, svg: str) -> bytes | None:
        """Store a chart and return it as PNG; None if typst cannot read it."""
        chart = self._root / name
        chart.write_text(svg, "utf-8")
        template = _CHART.read_bytes().replace(b"chart", name.encode())
        try:
            return self._compile(template, "png", {})
        except typst.TypstError:
            return None

    def set_pdf(self, text: str, title: str, language: str) -> bytes:
        """Compile typst markup to a PDF."""
        template = _TEMPLATE.read_text("utf-8")
        about = {
            "title": title,
            "lang": language,
            "cjk": _choose_cjk(text),
            "dir": _find_direction(title),
        }
        return self._compile(f"{template}\n{text}".encode(), "pdf", about)

    def _compile(
        self, source: bytes, format: Literal["pdf", "png"], inputs: dict[str, str]
    ) -> bytes:
        nowhere = self._root / "packages"
        compiler = typst.Compiler(
            source,
            root=self._root,
            font_paths=self._fonts,
            sys_inputs=inputs,
            package_path=nowhere,
            package_cache_path=nowhere,
        )
        made = compiler.compile(format=format)
        assert isinstance(made, bytes)
        return made


def _choose_cjk(text: str) -> str:
    """Return the country whose glyphs to use for a text's Chinese characters."""
    if re.search("[\u3040-\u30ff]", text):
        return "JP"
    return "KR" if re.search("[\uac00-\ud7a3]", text) else "SC"


def _find_direction(title: str) -> str:
    strong = (unicodedata.bidirectional(char) for char in title)
    return "ltr" if next((d for d in strong if d in {"L", "R", "AL"}), "L") == "L" else "rtl"

"""Charts as pictures, for documents that take no SVG."""

import math
import re

from resvg_py import svg_to_bytes

from api.reports.fonts import folder

SHARPEST = 2
"""Pixels to a point: enough for print over the width of a page."""
MAX_PIXELS = 8_000_000
"""What is larger is drawn coarser: its rasteriser would take the memory, or the process, down."""
_SIZE = re.compile(r'<svg [^>]*viewBox="0 0 ([1-9][0-9]{0,4}) ([1-9][0-9]{0,4})"')
_IMAGE = re.compile(r"<(\w+:)?image\b")


def png(svg: str) -> bytes | None:
    """Return a chart as PNG; None where it cannot be drawn."""
    found = _SIZE.search(svg)
    if found is None or _IMAGE.search(svg):  # none of ours: it could show files of this machine
        return None
    width, height = int(found[1]), int(found[2])
    zoom = min(SHARPEST, math.sqrt(MAX_PIXELS / (width * height)))
    try:
        return svg_to_bytes(
            svg_string=svg,
            width=math.ceil(width * zoom),
            height=math.ceil(height * zoom),
            background="white",
            skip_system_fonts=True,
            font_files=[str(folder() / f"DejaVuSans{face}.ttf") for face in ("", "-Bold")],
        )
    except ValueError:
        return None

"""Charts as PNG, for documents that cannot show SVG."""

import math
import re

from resvg_py import svg_to_bytes

from api.reports.fonts import find_font_folder

MAX_ZOOM = 2
"""Pixels a point: enough to print a chart over the width of a page."""
MAX_PIXELS = 8_000_000
"""Limit of the image; a larger chart is scaled down, or the rasteriser would run out of memory."""
_SIZE = re.compile(r'<svg [^>]*viewBox="0 0 ([1-9][0-9]{0,4}) ([1-9][0-9]{0,4})"')
_IMAGE = re.compile(r"<(\w+:)?image\b")


def render_png(svg: str) -> bytes | None:
    """Render a chart; None unless it is a valid SVG as Greenlight draws them."""
    size = _SIZE.search(svg)
    if size is None or _IMAGE.search(svg):  # an image could show a file of this machine
        return None
    width, height = int(size[1]), int(size[2])
    zoom = min(MAX_ZOOM, math.sqrt(MAX_PIXELS / (width * height)))
    try:
        return svg_to_bytes(
            svg_string=svg,
            width=math.ceil(width * zoom),
            height=math.ceil(height * zoom),
            background="white",
            skip_system_fonts=True,
            font_files=[
                str(find_font_folder() / f"DejaVuSans{face}.ttf") for face in ("", "-Bold")
            ],
        )
    except ValueError:
        return None

"""Calls of PDFium's that are made for each word or object: without checks of types, three times as fast."""

import ctypes
from array import array
from collections import deque
from collections.abc import Sequence
from itertools import repeat
from operator import sub
from typing import Any

import pypdfium2.raw as pdfium


class Handle(ctypes.c_void_p):
    """A handle of PDFium's, as these calls take and return it."""


def _unchecked(call: Any, result: Any = None) -> Any:
    return ctypes.PYFUNCTYPE(result)(ctypes.cast(call, ctypes.c_void_p).value or 0)


get_origin = _unchecked(pdfium.FPDFText_GetCharOrigin)
get_loose_box = _unchecked(pdfium.FPDFText_GetLooseCharBox)
get_box = _unchecked(pdfium.FPDFText_GetCharBox)
get_fill_color = _unchecked(pdfium.FPDFText_GetFillColor)
get_font_info = _unchecked(pdfium.FPDFText_GetFontInfo, ctypes.c_ulong)
get_text_object = _unchecked(pdfium.FPDFText_GetTextObject, Handle)
get_render_mode = _unchecked(pdfium.FPDFTextObj_GetTextRenderMode, ctypes.c_int)
count_marks = _unchecked(pdfium.FPDFPageObj_CountMarks, ctypes.c_int)
get_object = _unchecked(pdfium.FPDFPage_GetObject, Handle)
get_type = _unchecked(pdfium.FPDFPageObj_GetType, ctypes.c_int)
get_bounds = _unchecked(pdfium.FPDFPageObj_GetBounds)

_BATCH = 1_024
_XS, _YS = array("d", bytes(8 * _BATCH)), array("d", bytes(8 * _BATCH))
_BOXES = array("f", bytes(16 * _BATCH))


def _point(values: "array[float]", kind: Any, size: int) -> list[Any]:
    """Return pointers to an array's values, which are `size` bytes each."""
    start, _ = values.buffer_info()
    return [ctypes.byref(kind.from_address(start + size * n)) for n in range(_BATCH)]


_XS_AT, _YS_AT = _point(_XS, ctypes.c_double, 8), _point(_YS, ctypes.c_double, 8)
_BOXES_AT = _point(_BOXES, ctypes.c_float, 16)


def to_pointer(handle: Any) -> Any:
    """Return a handle of PDFium's as these calls take it fastest."""
    return ctypes.c_void_p.from_param(ctypes.cast(handle, ctypes.c_void_p).value)


def read_places(page: Any, starts: Sequence[int], ends: Sequence[int]) -> list[list[float]]:
    """Return of words the origin of their first character, and right edge, bottom and height of their last one."""
    places: list[list[float]] = [[], [], [], [], []]
    for at in range(0, len(starts), _BATCH):
        firsts, lasts = starts[at : at + _BATCH], map(sub, ends[at : at + _BATCH], repeat(1))
        deque(map(get_origin, repeat(page), firsts, _XS_AT, _YS_AT), 0)
        deque(map(get_loose_box, repeat(page), lasts, _BOXES_AT), 0)
        count = len(firsts)
        boxes = _BOXES[: 4 * count].tolist()
        heights = map(sub, boxes[1::4], boxes[3::4])
        some = (_XS[:count], _YS[:count], boxes[2::4], boxes[3::4], heights)
        for found, more in zip(places, some, strict=True):
            found += more
    return places

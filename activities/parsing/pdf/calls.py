"""Calls of PDFium's that are made for each word or object: without checks of types, three times as fast."""

import ctypes
from typing import Any

import pypdfium2.raw as pdfium


def _unchecked(call: Any, result: Any = None) -> Any:
    return ctypes.PYFUNCTYPE(result)(ctypes.cast(call, ctypes.c_void_p).value or 0)


get_origin = _unchecked(pdfium.FPDFText_GetCharOrigin)
get_loose_box = _unchecked(pdfium.FPDFText_GetLooseCharBox)
get_box = _unchecked(pdfium.FPDFText_GetCharBox)
get_fill_color = _unchecked(pdfium.FPDFText_GetFillColor)
get_font_info = _unchecked(pdfium.FPDFText_GetFontInfo, ctypes.c_ulong)
get_text_object = _unchecked(pdfium.FPDFText_GetTextObject, ctypes.c_void_p)
get_render_mode = _unchecked(pdfium.FPDFTextObj_GetTextRenderMode, ctypes.c_int)
count_marks = _unchecked(pdfium.FPDFPageObj_CountMarks, ctypes.c_int)
get_object = _unchecked(pdfium.FPDFPage_GetObject, ctypes.c_void_p)
get_type = _unchecked(pdfium.FPDFPageObj_GetType, ctypes.c_int)
get_bounds = _unchecked(pdfium.FPDFPageObj_GetBounds)


def to_pointer(handle: Any) -> ctypes.c_void_p:
    """Return a handle of PDFium's as these calls take it."""
    return ctypes.cast(handle, ctypes.c_void_p)

"""Annotations of a page: the values of form fields, and notes in a frame."""

import ctypes
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import pypdfium2.raw as pdfium

from activities.parsing.comments_headers_footers import write_comment
from activities.parsing.pdf.drawings import Rule
from activities.parsing.pdf.lines import Line, make_line

MAX_ANNOTATIONS = 2_000
"""Annotations of a page that are read."""
_MAX_CHARS = 20_000
_HIDDEN = pdfium.FPDF_ANNOT_FLAG_HIDDEN | pdfium.FPDF_ANNOT_FLAG_NOVIEW
_PASSWORD = 1 << 13
_LINE = 12.0
_MAX_NEAR = 2_000
"""Maximum number of lines that are searched for the label of a form field."""
_BUTTONS = (pdfium.FPDF_FORMFIELD_CHECKBOX, pdfium.FPDF_FORMFIELD_RADIOBUTTON)
_LISTS = (pdfium.FPDF_FORMFIELD_COMBOBOX, pdfium.FPDF_FORMFIELD_LISTBOX)
_NOTES = (pdfium.FPDF_ANNOT_FREETEXT, pdfium.FPDF_ANNOT_STAMP)

_COMMENTS = (
    *(pdfium.FPDF_ANNOT_TEXT, pdfium.FPDF_ANNOT_HIGHLIGHT, pdfium.FPDF_ANNOT_UNDERLINE),
    *(pdfium.FPDF_ANNOT_SQUIGGLY, pdfium.FPDF_ANNOT_STRIKEOUT, pdfium.FPDF_ANNOT_CARET),
    *(pdfium.FPDF_ANNOT_LINE, pdfium.FPDF_ANNOT_SQUARE, pdfium.FPDF_ANNOT_CIRCLE),
    *(pdfium.FPDF_ANNOT_POLYGON, pdfium.FPDF_ANNOT_POLYLINE, pdfium.FPDF_ANNOT_INK),
)


def add_annotations(page: Any, form: Any, lines: list[Line], rules: list[Rule]) -> None:
    """Add what annotations show to a page's lines, each in its place, and the lines that strike words out."""
    for at in range(min(pdfium.FPDFPage_GetAnnotCount(page), MAX_ANNOTATIONS)):
        annotation = pdfium.FPDFPage_GetAnnot(page, at)
        if annotation:
            _add(annotation, form, lines, rules)
            pdfium.FPDFPage_CloseAnnot(annotation)


def _add(annotation: Any, form: Any, lines: list[Line], rules: list[Rule]) -> None:
    if pdfium.FPDFAnnot_GetFlags(annotation) & _HIDDEN:
        return
    kind = pdfium.FPDFAnnot_GetSubtype(annotation)
    box = pdfium.FS_RECTF()
    if kind == pdfium.FPDF_ANNOT_WIDGET and form:
        pdfium.FPDFAnnot_GetRect(annotation, box)
        lines += _place(_read_value(annotation, form), box, lines)
    elif kind in _NOTES:
        pdfium.FPDFAnnot_GetRect(annotation, box)
        lines += _place(_read(pdfium.FPDFAnnot_GetStringValue, annotation, b"Contents"), box, [])
    elif kind == pdfium.FPDF_ANNOT_STRIKEOUT:
        rules += _list_strokes(annotation)


def list_comments(page: Any) -> list[str]:
    """Return the notes that readers put on a page, which it shows as marks, where they are opened."""
    found = []
    for at in range(min(pdfium.FPDFPage_GetAnnotCount(page), MAX_ANNOTATIONS)):
        annotation = pdfium.FPDFPage_GetAnnot(page, at)
        if annotation:
            if (
                pdfium.FPDFAnnot_GetSubtype(annotation) in _COMMENTS
                and not pdfium.FPDFAnnot_GetFlags(annotation) & _HIDDEN
            ):
                text, author = (
                    _read(pdfium.FPDFAnnot_GetStringValue, annotation, key)
                    for key in (b"Contents", b"T")
                )
                found.append(write_comment(text, author))
            pdfium.FPDFPage_CloseAnnot(annotation)
    return [*filter(None, found)]


def _place(text: str, box: Any, lines: Sequence[Line]) -> list[Line]:
    """Return the lines of a form field's text within its box; a single line takes the baseline of adjacent words."""
    texts = [each.split() for each in text.splitlines() if each.strip()]
    top, height = -box.top, max(box.top - box.bottom, 1.0)
    if len(texts) == 1 and height < 2.5 * _LINE:
        middle = top + height / 2
        near = [
            p for p in lines[:_MAX_NEAR] if abs(p.y - 0.35 * p.height - middle) < 0.6 * p.height
        ]
        beside = min(near, key=lambda p: abs(p.y - 0.35 * p.height - middle), default=None)
        base, size = (beside.y, beside.height) if beside else (middle + 0.3 * _LINE, _LINE)
        return [make_line(base, size, _spread(texts[0], box), -1)]
    step = min(height / max(len(texts), 1), 1.2 * _LINE)
    return [
        make_line(top + (n + 0.8) * step, step / 1.2, _spread(words, box), -1)
        for n, words in enumerate(texts)
    ]


def _spread(words: Sequence[str], box: Any) -> list[tuple[float, float, str]]:
    return [(box.left, max(box.right, box.left + 1), " ".join(words))]


def _read_value(annotation: Any, form: Any) -> str:
    """Return what a form's field shows: its text, the options chosen, or a box that is checked or not."""
    kind = pdfium.FPDFAnnot_GetFormFieldType(form, annotation)
    if kind in _BUTTONS:
        return "☒" if pdfium.FPDFAnnot_IsChecked(form, annotation) else "☐"
    if kind in _LISTS:
        count = min(max(pdfium.FPDFAnnot_GetOptionCount(form, annotation), 0), MAX_ANNOTATIONS)
        chosen = [n for n in range(count) if pdfium.FPDFAnnot_IsOptionSelected(form, annotation, n)]
        labels = [_read(pdfium.FPDFAnnot_GetOptionLabel, form, annotation, n) for n in chosen]
        if any(labels):
            return ", ".join(filter(None, labels))
    is_secret = pdfium.FPDFAnnot_GetFormFieldFlags(form, annotation) & _PASSWORD
    if kind not in (pdfium.FPDF_FORMFIELD_TEXTFIELD, *_LISTS) or is_secret:
        return ""
    return _read(pdfium.FPDFAnnot_GetFormFieldValue, form, annotation)


def _read(call: Callable[..., int], *args: Any) -> str:
    """Return a text by one of PDFium's calls that fill a buffer with UTF-16 and return its size."""
    size = min(call(*args, None, 0), 2 * _MAX_CHARS)
    if size <= 2:
        return ""
    buffer = (ctypes.c_ushort * (size // 2 + 1))()
    call(*args, buffer, size)
    return bytes(buffer)[: size - 2].decode("utf-16-le", "replace").rstrip("\0")


def _list_strokes(annotation: Any) -> Iterator[Rule]:
    points = pdfium.FS_QUADPOINTSF()
    for at in range(min(pdfium.FPDFAnnot_CountAttachmentPoints(annotation), MAX_ANNOTATIONS)):
        if pdfium.FPDFAnnot_GetAttachmentPoints(annotation, at, points):
            ys = [points.y1, points.y2, points.y3, points.y4]
            xs = [points.x1, points.x2, points.x3, points.x4]
            yield -(min(ys) + 0.4 * (max(ys) - min(ys))), min(xs), max(xs)


def list_attachments(document: Any) -> list[str]:
    """Return the names of the files that a document carries."""
    count = min(max(pdfium.FPDFDoc_GetAttachmentCount(document), 0), MAX_ANNOTATIONS)
    attached = (pdfium.FPDFDoc_GetAttachment(document, at) for at in range(count))
    return [_read(pdfium.FPDFAttachment_GetName, each) for each in attached if each]

"""Recognition of a document's format by its bytes, independent of its media type and its name."""

import io
import re
import zipfile
from contextlib import suppress

from activities.parsing.document import Unreadable
from contracts.evidence.read_failures import FailureCode, FormatName
from contracts.media_types import DOCX, EPUB, ODT, PDF, PPTX, RTF, XLSX

_HEAD_BYTES = 4_096
_PDF_WITHIN = 1_024
"""The PDF signature may start anywhere in this many first bytes; some servers send a line before it."""
_ZIP, _OLE = (b"PK\x03\x04", b"PK\x05\x06", b"PK00PK\x03\x04"), b"\xd0\xcf\x11\xe0"
_PDF = b"%PDF-"
_RTF = b"{\\rtf"
_TYPES = "[Content_Types].xml"
_LARGEST_LIST_BYTES = 1_000_000
"""Maximum size of a content-type list, or of a member with the file's type."""
_OLE_NAMES_BYTES = 4_000_000
"""Bytes of an OLE container searched for stream names."""

_Refusal = tuple[FailureCode, dict[str, str]]


def _picture(name: str) -> _Refusal:
    return "picture", {"name": name}


def _archive(name: str) -> _Refusal:
    return "archive", {"name": name}


def _save(kind: str, suffix: str) -> _Refusal:
    return "save_as", {"kind": kind, "suffix": suffix}


_OFFICE_SUFFIXES = ".docx, .xlsx, .pptx"
_PROGRAM: _Refusal = ("program", {})
_SIGNATURES: dict[bytes, _Refusal] = {
    b"\x89PNG": _picture("PNG"),
    b"\xff\xd8\xff": _picture("JPEG"),
    b"GIF87a": _picture("GIF"),
    b"GIF89a": _picture("GIF"),
    b"BM": _picture("BMP"),
    b"II*\x00": _picture("TIFF"),
    b"MM\x00*": _picture("TIFF"),
    b"8BPS": _picture("Photoshop"),
    b"\x00\x00\x01\x00": _picture("ICO"),
    b"AT&TFORM": _save("djvu", ".pdf"),
    b"%!PS-": _save("postscript", ".pdf"),
    b"\x1f\x8b": _archive("gzip"),
    b"BZh": _archive("bzip2"),
    b"\xfd7zXZ\x00": _archive("xz"),
    b"7z\xbc\xaf'\x1c": _archive("7z"),
    b"Rar!\x1a\x07": _archive("RAR"),
    b"(\xb5/\xfd": _archive("zstd"),
    b"ID3": ("sound", {"name": ".mp3"}),
    b"\xff\xfb": ("sound", {"name": ".mp3"}),
    b"OggS": ("sound", {"name": ".ogg"}),
    b"fLaC": ("sound", {"name": ".flac"}),
    b"\x1aE\xdf\xa3": ("video", {"name": ".mkv, .webm"}),
    b"SQLite format 3\x00": _save("sqlite", ".csv"),
    b"PAR1": _save("parquet", ".csv"),
    b"\x7fELF": _PROGRAM,
    b"MZ": _PROGRAM,
    b"\xca\xfe\xba\xbe": _PROGRAM,
    b"\x00asm": _PROGRAM,
    b"wOFF": ("font", {}),
    b"wOF2": ("font", {}),
    b"OTTO": ("font", {}),
    b"\x00\x01\x00\x00": ("font_or_data", {}),
}
"""Reasons for not reading files with these first bytes; printable signatures only count in binary data."""
_ALWAYS = ("%!PS-", "AT&TFORM", "GIF87a", "GIF89a")
_UNPRINTABLE = tuple(
    each
    for each in _SIGNATURES
    if not (each.isascii() and each.decode().isprintable()) or each.decode() in _ALWAYS
)
"""Those that no text begins with."""
_CONTAINERS: dict[bytes, _Refusal] = {
    b"RIFF....WEBP": _picture("WebP"),
    b"RIFF....WAVE": ("sound", {"name": ".wav"}),
    b"RIFF....AVI ": ("video", {"name": ".avi"}),
    b"....ftyphe": _picture("HEIC"),
    b"....ftypavif": _picture("AVIF"),
    b"....ftypM4A": ("sound", {"name": ".m4a"}),
    b"....ftyp": ("video", {"name": ".mp4, .mov"}),
}
"""The same, with four arbitrary bytes for a size."""

_ENCRYPTED_STREAM = "EncryptedPackage"
_STREAMS: dict[str, _Refusal] = {
    "__properties_version1.0": _save("outlook", ".eml"),
    "WordDocument": _save("old_word", ".docx"),
    "PowerPoint Document": _save("old_slides", ".pptx"),
    "Workbook": _save("old_workbook", ".xlsx"),
    "Book": _save("old_workbook", ".xlsx"),
    "HwpSummaryInformation": _save("hangul", ".docx"),
}
"""Why an OLE container is not read, by the name of a stream."""
_ENCRYPTED: dict[str, FormatName] = {DOCX: "word", XLSX: "workbook", PPTX: "slides"}
"""Formats of encrypted documents by label, because their bytes do not show it."""

_MAIN_PART = re.compile(rb"application/([\w.-]{1,120})\.main\b", re.IGNORECASE)
"""Content type of the part that an Office file begins with."""
_OFFICE: dict[bytes, str] = {
    b"wordprocessingml": DOCX,
    b"ms-word": DOCX,
    b"spreadsheetml": XLSX,
    b"ms-excel": XLSX,
    b"presentationml": PPTX,
    b"ms-powerpoint": PPTX,
}
_UNREAD_OFFICE: dict[bytes, _Refusal] = {
    b"sheet.binary": _save("xlsb", ".xlsx"),
    b"visio": _save("visio", ".pdf"),
}
_DECLARED: dict[bytes, str] = {
    b"application/epub+zip": EPUB,
    b"application/vnd.oasis.opendocument.text": ODT,
}
"""Media types of zip files that declare them in the member `mimetype`."""
_ODF = b"application/vnd.oasis.opendocument."
_UNREAD_DECLARED: dict[bytes, _Refusal] = {
    _ODF + b"spreadsheet": _save("ods", ".xlsx"),
    _ODF + b"presentation": _save("odp", ".pptx"),
    _ODF + b"graphics": _save("odg", ".pdf"),
}
_MEMBERS: dict[str, _Refusal] = {
    "Index/Document.iwa": _save("iwork", _OFFICE_SUFFIXES),
    "AndroidManifest.xml": _archive("Android"),
    "META-INF/MANIFEST.MF": _archive("Java"),
    "FixedDocSeq.fdseq": _save("xps", ".pdf"),
}
_ENCRYPTED_FLAG = 1
_LOST: dict[bytes, FormatName] = {
    b"word/": "word",
    b"xl/": "workbook",
    b"ppt/": "slides",
    b"application/epub+zip": "ebook",
    b"application/vnd.oasis.opendocument.text": "odt",
}
"""Formats of zip files without a directory, recognized by names and types between their members."""


def begins_binary(body: bytes) -> bool:
    """Return whether bytes begin a document, picture or archive, and so are not text."""
    return body.startswith((_PDF, *_ZIP, _OLE, *_UNPRINTABLE))


def recognize(body: bytes, media_type: str) -> str:
    """Return the media type of a document by its bytes; empty for text, for which the label decides.

    Raises:
        Unreadable: The format is not supported; the message names it.
    """
    if _PDF in body[:_PDF_WITHIN]:
        return PDF
    if body.startswith(_RTF):
        return RTF
    if body.startswith(_ZIP):
        return _recognize_zip(body)
    refusal = _name_ole(body, media_type) if body.startswith(_OLE) else _find_signature(body)
    if refusal:
        raise Unreadable(refusal[0], **refusal[1])
    return ""


def _recognize_zip(body: bytes) -> str:
    """Return the media type of a zip file's content."""
    try:
        with zipfile.ZipFile(io.BytesIO(body)) as packed:
            names = set(packed.namelist())
            is_locked = any(each.flag_bits & _ENCRYPTED_FLAG for each in packed.infolist())
            declared = _read_member(packed, "mimetype") if "mimetype" in names else b""
            types = _read_member(packed, _TYPES) if _TYPES in names else b""
    except (zipfile.BadZipFile, ValueError, OverflowError, OSError, EOFError):
        lost = (format for mark, format in _LOST.items() if mark in body)
        raise Unreadable("cut_off", format=next(lost, "zip")) from None
    mains = b" ".join(found[1].lower() for found in _MAIN_PART.finditer(types))
    refusals = [
        *(each for kind, each in _UNREAD_DECLARED.items() if declared.startswith(kind)),
        *(each for kind, each in _UNREAD_OFFICE.items() if kind in mains),
    ]
    read = next((kind for mark, kind in _DECLARED.items() if declared.startswith(mark)), "")
    read = read or next((kind for mark, kind in _OFFICE.items() if mark in mains), "")
    if not read and not refusals and is_locked:
        marks = ((mark.decode(), format) for mark, format in _LOST.items())
        locked = (format for mark, format in marks if any(n.startswith(mark) for n in names))
        raise Unreadable("encrypted", format=next(locked, "zip"))
    if refusals or not read:
        refusals += [each for name, each in _MEMBERS.items() if name in names]
        code, params = next(iter(refusals), _archive("zip"))
        raise Unreadable(code, **params)
    return read


def _read_member(packed: zipfile.ZipFile, name: str) -> bytes:
    with suppress(RuntimeError, NotImplementedError), packed.open(name) as member:  # encrypted, say
        return member.read(_LARGEST_LIST_BYTES)
    return b""


def _name_ole(body: bytes, media_type: str) -> _Refusal:
    """Return why an OLE container cannot be read; none of its formats is supported."""
    names = body[:_OLE_NAMES_BYTES]
    if _ENCRYPTED_STREAM.encode("utf-16-le") in names:
        return "encrypted", {"format": _ENCRYPTED.get(media_type, "office")}
    found = (each for name, each in _STREAMS.items() if name.encode("utf-16-le") in names)
    return next(found, _save("old_office", _OFFICE_SUFFIXES))


def _find_signature(body: bytes) -> _Refusal | None:
    """Return why a file that is not text cannot be read; None for text."""
    is_binary = _is_binary(body[:_HEAD_BYTES])
    for signature, refusal in _SIGNATURES.items():
        if body.startswith(signature) and (is_binary or signature in _UNPRINTABLE):
            return refusal
    if not is_binary:
        return None
    head = body[:12]
    for mask, refusal in _CONTAINERS.items():
        if all(sign in (ord("."), byte) for sign, byte in zip(mask, head, strict=False)):
            return refusal
    return "unknown", {}


_CONTROLS = bytes({*range(32)} - {9, 10, 11, 12, 13, 27})
"""Control characters that no text has; the others are white space and the escape of old encodings."""


def _is_binary(head: bytes) -> bool:
    """Return whether bytes are not text in any encoding, judged by their control characters."""
    controls = len(head) - len(head.translate(None, _CONTROLS))
    if not controls or head.startswith((b"\xff\xfe", b"\xfe\xff", b"\x00\x00\xfe\xff")):
        return False
    zeros = [head[start::2].count(0) for start in (0, 1)]
    is_wide = abs(zeros[0] - zeros[1]) * 5 > len(head) and sum(zeros) > 0.9 * controls
    is_utf8 = head.decode("utf-8", "replace").count("\ufffd") < 4
    return not is_wide and controls * (3 if is_utf8 else 50) > len(head)

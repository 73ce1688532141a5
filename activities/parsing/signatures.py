"""Recognition of a document's format by its bytes, whatever its label or its name says."""

import io
import re
import zipfile
from contextlib import suppress

from activities.parsing.document import Unreadable
from contracts.media_types import DOCX, EPUB, ODT, PDF, PPTX, RTF, XLSX

_HEAD_BYTES = 4_096
_PDF_WITHIN = 1_024
"""Readers of PDF look for its mark in so many first bytes; some servers send a line before it."""
_ZIP, _OLE = (b"PK\x03\x04", b"PK\x05\x06", b"PK00PK\x03\x04"), b"\xd0\xcf\x11\xe0"
_PDF = b"%PDF-"
_RTF = b"{\\rtf"
_TYPES = "[Content_Types].xml"
_LARGEST_LIST_BYTES = 1_000_000
"""A list of content types, or a member that holds the file's own type, is smaller."""
_OLE_NAMES_BYTES = 4_000_000
"""How much of an OLE container is searched for names of its streams."""

_PICTURE, _SOUND, _VIDEO = "picture; pictures are not read", "sound recording", "video"
_UNPACK = "unpack it, and give the files in it"
_ARCHIVE = f"a zip archive; {_UNPACK}"
_SIGNATURES: dict[bytes, str] = {
    b"\x89PNG": f"a PNG {_PICTURE}",
    b"\xff\xd8\xff": f"a JPEG {_PICTURE}",
    b"GIF87a": f"a GIF {_PICTURE}",
    b"GIF89a": f"a GIF {_PICTURE}",
    b"BM": f"a BMP {_PICTURE}",
    b"II*\x00": f"a TIFF {_PICTURE}",
    b"MM\x00*": f"a TIFF {_PICTURE}",
    b"8BPS": f"a Photoshop {_PICTURE}",
    b"\x00\x00\x01\x00": f"an icon, a {_PICTURE}",
    b"AT&TFORM": "a DjVu document; save it as .pdf",
    b"%!PS-": "a PostScript document; save it as .pdf",
    b"\x1f\x8b": f"a gzip archive; {_UNPACK}",
    b"BZh": f"a bzip2 archive; {_UNPACK}",
    b"\xfd7zXZ\x00": f"an xz archive; {_UNPACK}",
    b"7z\xbc\xaf'\x1c": f"a 7z archive; {_UNPACK}",
    b"Rar!\x1a\x07": f"a RAR archive; {_UNPACK}",
    b"(\xb5/\xfd": f"a zstd archive; {_UNPACK}",
    b"ID3": f"a {_SOUND} (.mp3)",
    b"\xff\xfb": f"a {_SOUND} (.mp3)",
    b"OggS": f"a {_SOUND} (.ogg)",
    b"fLaC": f"a {_SOUND} (.flac)",
    b"\x1aE\xdf\xa3": f"a {_VIDEO} (.mkv or .webm)",
    b"SQLite format 3\x00": "an SQLite database; export its tables as .csv",
    b"PAR1": "a Parquet table; save it as .csv",
    b"\x7fELF": "a program",
    b"MZ": "a program",
    b"\xca\xfe\xba\xbe": "a program",
    b"\x00asm": "a program",
    b"wOFF": "a font",
    b"wOF2": "a font",
    b"OTTO": "a font",
    b"\x00\x01\x00\x00": "a font or a database",
}
"""What a file is that begins so. Printable ones begin texts, too: they count before binary data alone."""
_ALWAYS = ("%!PS-", "AT&TFORM", "GIF87a", "GIF89a")
_UNPRINTABLE = tuple(
    each
    for each in _SIGNATURES
    if not (each.isascii() and each.decode().isprintable()) or each.decode() in _ALWAYS
)
"""Those that no text begins with."""
_CONTAINERS: dict[bytes, str] = {
    b"RIFF....WEBP": f"a WebP {_PICTURE}",
    b"RIFF....WAVE": f"a {_SOUND} (.wav)",
    b"RIFF....AVI ": f"a {_VIDEO} (.avi)",
    b"....ftyphe": f"a HEIC {_PICTURE}",
    b"....ftypavif": f"an AVIF {_PICTURE}",
    b"....ftypM4A": f"a {_SOUND} (.m4a)",
    b"....ftyp": f"a {_VIDEO} (.mp4 or .mov)",
}
"""The same, where any four bytes stand for a size."""

_STREAMS: dict[str, str] = {
    "EncryptedPackage": "an encrypted Office document; it opens with a password only",
    "__properties_version1.0": "an Outlook message (.msg); save it as .eml",
    "WordDocument": "an old Word document (.doc); save it as .docx",
    "PowerPoint Document": "an old PowerPoint file (.ppt); save it as .pptx",
    "Workbook": "an old workbook (.xls); save it as .xlsx",
    "Book": "an old workbook (.xls); save it as .xlsx",
    "HwpSummaryInformation": "a Hangul document (.hwp); save it as .docx",
}
"""Kinds of OLE containers, by the name of a stream."""
_ENCRYPTED: dict[str, str] = {
    DOCX: "an encrypted Word document",
    XLSX: "an encrypted workbook",
    PPTX: "an encrypted presentation",
}
"""What an encrypted document is by its label: its bytes do not say."""

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
_UNREAD_OFFICE: dict[bytes, str] = {
    b"sheet.binary": "a binary workbook (.xlsb); save it as .xlsx",
    b"visio": "a Visio drawing; save it as .pdf",
}
_DECLARED: dict[bytes, str] = {
    b"application/epub+zip": EPUB,
    b"application/vnd.oasis.opendocument.text": ODT,
}
"""Media types of zip files that hold their own in the member `mimetype`."""
_ODF = b"application/vnd.oasis.opendocument."
_UNREAD_DECLARED: dict[bytes, str] = {
    _ODF + b"spreadsheet": "an OpenDocument spreadsheet (.ods); save it as .xlsx",
    _ODF + b"presentation": "an OpenDocument presentation (.odp); save it as .pptx",
    _ODF + b"graphics": "an OpenDocument drawing (.odg); save it as .pdf",
}
_MEMBERS: dict[str, str] = {
    "Index/Document.iwa": "an Apple Pages, Numbers or Keynote document; export it to an Office format",
    "AndroidManifest.xml": "an Android app",
    "META-INF/MANIFEST.MF": "a Java archive",
    "FixedDocSeq.fdseq": "an XPS document; save it as .pdf",
}
_ENCRYPTED_FLAG = 1
_LOST: dict[bytes, str] = {b"word/": "Word document", b"xl/": "workbook", b"ppt/": "presentation"}
"""What a zip file is, whose list of members is lost, by names that stand between its members."""


def begins_binary(body: bytes) -> bool:
    """Tell whether bytes begin as a document, a picture or an archive, and so are no text whatever they are called."""
    return body.startswith((_PDF, *_ZIP, _OLE, *_UNPRINTABLE))


def recognize(body: bytes, media_type: str) -> str:
    """Return the media type of a document by its bytes; empty of a text, where its label decides.

    Raises:
        Unreadable: It is of a format that is not read; the message names it.
    """
    if _PDF in body[:_PDF_WITHIN]:
        return PDF
    if body.startswith(_RTF):
        return RTF
    if body.startswith(_ZIP):
        return _recognize_zip(body)
    what = _name_ole(body, media_type) if body.startswith(_OLE) else _find_signature(body)
    if what:
        raise Unreadable(f"is {what}")
    return ""


def _recognize_zip(body: bytes) -> str:
    """Return the media type of what is packed."""
    try:
        with zipfile.ZipFile(io.BytesIO(body)) as packed:
            names = set(packed.namelist())
            is_locked = any(each.flag_bits & _ENCRYPTED_FLAG for each in packed.infolist())
            declared = _read_member(packed, "mimetype") if "mimetype" in names else b""
            types = _read_member(packed, _TYPES) if _TYPES in names else b""
    except (zipfile.BadZipFile, ValueError, OverflowError, OSError, EOFError):
        noun = next((noun for mark, noun in _LOST.items() if mark in body), "zip archive")
        raise Unreadable(f"is a broken {noun}: it is cut off or damaged") from None
    mains = b" ".join(found[1].lower() for found in _MAIN_PART.finditer(types))
    what = next((what for kind, what in _UNREAD_DECLARED.items() if declared.startswith(kind)), "")
    what = what or next((what for kind, what in _UNREAD_OFFICE.items() if kind in mains), "")
    read = next((kind for mark, kind in _DECLARED.items() if declared.startswith(mark)), "")
    read = read or next((kind for mark, kind in _OFFICE.items() if mark in mains), "")
    if not read and not what and is_locked:
        nouns = (
            noun for mark, noun in _LOST.items() if any(n.encode().startswith(mark) for n in names)
        )
        raise Unreadable(
            f"is an encrypted {next(nouns, 'zip archive')}; it opens with a password only"
        )
    if what or not read:
        named = next((what for name, what in _MEMBERS.items() if name in names), "")
        raise Unreadable(f"is {what or named or _ARCHIVE}")
    return read


def _read_member(packed: zipfile.ZipFile, name: str) -> bytes:
    with suppress(RuntimeError, NotImplementedError), packed.open(name) as member:  # encrypted, say
        return member.read(_LARGEST_LIST_BYTES)
    return b""


def _name_ole(body: bytes, media_type: str) -> str:
    """Return what an OLE container is: nothing of that kind is read."""
    names = body[:_OLE_NAMES_BYTES]
    found = (what for name, what in _STREAMS.items() if name.encode("utf-16-le") in names)
    what = next(found, "an old Office file; save it in a format of today")
    if what == _STREAMS["EncryptedPackage"] and media_type in _ENCRYPTED:
        return f"{_ENCRYPTED[media_type]}; it opens with a password only"
    return what


def _find_signature(body: bytes) -> str:
    """Return what a file is that is neither a text nor read; empty of a text."""
    is_binary = _is_binary(body[:_HEAD_BYTES])
    for signature, what in _SIGNATURES.items():
        if body.startswith(signature) and (is_binary or signature in _UNPRINTABLE):
            return what
    if not is_binary:
        return ""
    head = body[:12]
    for mask, what in _CONTAINERS.items():
        if all(sign in (ord("."), byte) for sign, byte in zip(mask, head, strict=False)):
            return what
    return "binary data of an unknown kind"


_CONTROLS = bytes({*range(32)} - {9, 10, 11, 12, 13, 27})
"""Control characters that no text has; the others are white space and the escape of old encodings."""


def _is_binary(head: bytes) -> bool:
    """Tell whether bytes are no text in any encoding: control characters, but not those of UTF-16 or UTF-32."""
    controls = len(head) - len(head.translate(None, _CONTROLS))
    if not controls or head.startswith((b"\xff\xfe", b"\xfe\xff", b"\x00\x00\xfe\xff")):
        return False
    zeros = [head[start::2].count(0) for start in (0, 1)]
    is_wide = abs(zeros[0] - zeros[1]) * 5 > len(head) and sum(zeros) > 0.9 * controls
    is_utf8 = head.decode("utf-8", "replace").count("\ufffd") < 4
    return not is_wide and controls * (3 if is_utf8 else 50) > len(head)

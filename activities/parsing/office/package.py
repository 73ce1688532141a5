"""Packages of XML parts in a zip file, as Office, OpenDocument and EPUB documents are: bounded and safe to parse."""

import io
import posixpath
import re
import zipfile
import zlib
from dataclasses import dataclass
from functools import cached_property
from typing import Any
from urllib.parse import unquote

from lxml import etree

from activities.parsing.document import Unreadable
from contracts.evidence.read_failures import FailureCode, FormatName

MAX_PART_BYTES = 40_000_000
MAX_UNPACKED_BYTES = 100_000_000
"""Limit of all parts that are read, unpacked."""
MAX_PARTS = 20_000
_ENCRYPTED_FLAG = 1
_STRICT = re.compile(
    rb"""(xmlns(?::[\w.-]+)?\s*=\s*["'])http://purl\.oclc\.org/ooxml/(\w+)/(\w+)"""
)
"""Namespaces of the ISO's strict variant of Office documents."""
_TRANSITIONAL = {
    b"wordprocessingml/main": b"wordprocessingml/2006/main",
    b"spreadsheetml/main": b"spreadsheetml/2006/main",
    b"presentationml/main": b"presentationml/2006/main",
    b"officeDocument/relationships": b"officeDocument/2006/relationships",
    b"officeDocument/math": b"officeDocument/2006/math",
    b"drawingml/main": b"drawingml/2006/main",
    b"drawingml/chart": b"drawingml/2006/chart",
    b"drawingml/diagram": b"drawingml/2006/diagram",
    b"drawingml/picture": b"drawingml/2006/picture",
    b"drawingml/wordprocessingDrawing": b"drawingml/2006/wordprocessingDrawing",
    b"drawingml/spreadsheetDrawing": b"drawingml/2006/spreadsheetDrawing",
}
RELATION_ID = "{http://schemas.openxmlformats.org/officeDocument/2006/relationships}"
_DUBLIN, _TERMS = "{http://purl.org/dc/elements/1.1/}", "{http://purl.org/dc/terms/}"
_OFF = frozenset(["", "0", "false", "off", "none"])
_DAY = re.compile(r"\d{4}-\d\d-\d\d")


def read_day(*texts: str | None) -> str | None:
    """Return the day that the first of some texts begins with, as in 2024-05-03."""
    day = _DAY.match(next(filter(None, texts), ""))
    return day.group() if day else None


@dataclass(frozen=True)
class Relation:
    """A relationship from one part of a package to another."""

    kind: str
    """The last segment of its type, such as `styles`."""
    target: str
    """The name of a part; empty for external targets."""


class Package:
    """The parts of a document of a format, by name."""

    def __init__(self, body: bytes, format: FormatName) -> None:
        self.format = format
        self._zip = zipfile.ZipFile(io.BytesIO(body))
        self._members = {each.filename.lstrip("/"): each for each in self._zip.infolist()}
        self._left = MAX_UNPACKED_BYTES
        if len(self._members) > MAX_PARTS:
            raise Unreadable("parts_many", format=format, most=MAX_PARTS)
        self._relations: dict[str, dict[str, Relation]] = {}
        self._by_folded = {name.casefold(): name for name in self._members}

    def __contains__(self, name: str) -> bool:
        return name.casefold() in self._by_folded

    def read(self, name: str) -> bytes:
        """Return a part's bytes.

        Raises:
            Unreadable: The part is missing, encrypted, broken or too large; the message names it.
        """
        member = self._members.get(self._by_folded.get(name.casefold(), ""))
        if member is None:
            raise Unreadable("part_missing", format=self.format, part=name)
        if member.flag_bits & _ENCRYPTED_FLAG:
            raise Unreadable("encrypted", format=self.format)
        if member.file_size > MAX_PART_BYTES:
            size, most = member.file_size // 10**6, MAX_PART_BYTES // 10**6
            raise Unreadable("part_large", format=self.format, part=name, size=size, most=most)
        self._left -= member.file_size
        if self._left < 0:
            most = MAX_UNPACKED_BYTES // 10**6
            raise Unreadable("unpacks_large", format=self.format, most=most)
        try:
            return self._zip.read(member)
        except (zipfile.BadZipFile, zlib.error, NotImplementedError, EOFError, OSError):
            raise Unreadable("part_damaged", format=self.format, part=name) from None

    def parse(self, name: str) -> Any:
        """Return the root of an XML part; raises like `read`."""
        body = self.read(name)
        if b"purl.oclc.org/ooxml" in body:
            body = _STRICT.sub(_rename_namespace, body)
        parser = etree.XMLParser(resolve_entities=False, no_network=True, load_dtd=False)
        try:
            root = etree.fromstring(body, parser)
        except etree.XMLSyntaxError as error:
            is_deep = "depth" in str(error).lower()
            code: FailureCode = "part_nested" if is_deep else "part_not_xml"
            raise Unreadable(code, format=self.format, part=name) from None
        if root.getroottree().docinfo.internalDTD is not None:
            raise Unreadable("part_entities", format=self.format, part=name)
        return root

    def relate(self, name: str) -> dict[str, Relation]:
        """Return a part's relationships by id; those of the package for an empty name."""
        if name in self._relations:
            return self._relations[name]
        folder, base = posixpath.split(name)
        rels = posixpath.join(folder, "_rels", f"{base}.rels")
        found = self._relations[name] = {}
        for each in self.parse(rels) if rels in self else ():
            if isinstance(each.tag, str) and each.get("Id"):
                kind = (each.get("Type") or "").rpartition("/")[2]
                found[each.get("Id")] = Relation(kind, self._resolve(folder, each))
        return found

    def find(self, name: str, kind: str) -> str:
        """Return the part related to another by `kind`; empty if there is none in the package."""
        found = (each.target for each in self.relate(name).values() if each.kind == kind)
        return next((target for target in found if target in self), "")

    def _resolve(self, folder: str, relation: Any) -> str:
        target = unquote((relation.get("Target") or "").partition("#")[0])
        if relation.get("TargetMode") == "External" or not target:
            return ""
        path = posixpath.normpath(posixpath.join("/", folder, target)).lstrip("/")
        return self._by_folded.get(path.casefold(), path)

    @cached_property
    def core(self) -> dict[str, str]:
        """Title, author and the day it was last saved, from the core properties."""
        part = self.find("", "core-properties")
        if not part:
            return {}
        root = self.parse(part)
        return {
            "title": root.findtext(f"{_DUBLIN}title") or "",
            "author": root.findtext(f"{_DUBLIN}creator") or "",
            "published": read_day(*(root.findtext(_TERMS + n) for n in ("modified", "created")))
            or "",
        }


def _rename_namespace(match: re.Match[bytes]) -> bytes:
    kind = match[2] + b"/" + match[3]
    known = _TRANSITIONAL.get(kind)
    return match[1] + b"http://schemas.openxmlformats.org/" + known if known else match.group()


def pack(parts: dict[str, bytes]) -> bytes:
    """Return a zip file of parts."""
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_STORED) as made:
        for name, body in parts.items():
            made.writestr(name, body)
    return buffer.getvalue()


def remove(element: Any) -> None:
    """Remove an element with all that it holds; at once, lxml takes a time that grows with the square of it."""
    if (parent := element.getparent()) is not None:
        for each in [*element.iter("*")][::-1]:  # innermost first
            each.clear()
        parent.remove(element)


def read_int(text: str | None, default: int = 0) -> int:
    """Return a whole number of at most twelve digits."""
    return int(text) if text and re.fullmatch(r"[-+]?[0-9]{1,12}", text) else default


def is_on(value: str | None, *, missing: bool = True) -> bool:
    """Return whether a property that is switched is on; one without a value is."""
    return missing if value is None else value.lower() not in _OFF

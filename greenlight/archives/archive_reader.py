"""Reads archive files from untrusted sources, with limits on names, sizes and memory."""

import hashlib
import struct
import zipfile
import zlib
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, BinaryIO, Self

from pydantic import ValidationError
from pydantic_core import from_json

from api.archives.archive_writer import SEAL_CHARS
from contracts.archive import (
    ENTRY,
    MANIFEST,
    SIGNATURE,
    VERSION,
    ArchiveEntry,
    ArchiveSignature,
    Manifest,
)
from contracts.notices import Notice
from contracts.words import Param
from greenlight.errors import CommandError
from greenlight.unprintable import escape_unprintable

MAX_ENTRIES = 20_000
MAX_UNPACKED_BYTES = 4_000_000_000
MAX_HELD_BYTES = 200_000_000
"""Limit of an entry that is read as a whole."""
MAX_JSON_BYTES, MAX_JSON_VALUES = 20_000_000, 1_000_000
"""Limits of an entry that is one JSON value, and of a line of the others; real ones have 24 bytes a value."""
MAX_COUNTED_ERRORS, MAX_REASON_CHARS = 1_000, 200
MAX_MANIFEST_BYTES = 10_000_000
CHUNK = 1_000_000
DAMAGE = (
    *(zipfile.BadZipFile, zipfile.LargeZipFile, EOFError, NotImplementedError, RuntimeError),
    *(zlib.error, struct.error, ValueError, OSError, OverflowError),
)
"""Exceptions of zipfile and zlib for files that are not zip files, or damaged."""


class ArchiveError(CommandError):
    """The file is not an archive, or one of its entries cannot be read."""

    notice: Notice

    @classmethod
    def of(cls, code: str, /, **params: Param) -> Self:
        """Return the error of a code, and keep the code."""
        error = super().of(code, **params)
        error.notice = Notice(code=code, params=params, severity="error")  # type: ignore[arg-type]
        return error

    def __str__(self) -> str:
        """Return the words, which may quote the file, for a terminal."""
        return escape_unprintable(super().__str__())


@dataclass
class Archive:
    """An open archive."""

    file: zipfile.ZipFile
    manifest: Manifest
    digest: str
    """The archive's hash: the sha256 of its manifest."""
    signature: ArchiveSignature | None
    is_sealed: bool
    """Whether every byte of the file is as it was written."""
    entries: dict[str, ArchiveEntry] = field(init=False)

    def __post_init__(self) -> None:
        self.entries = {entry.name: entry for entry in self.manifest.entries}

    def has(self, name: str) -> bool:
        """Return whether the archive has an entry."""
        return name in self.entries

    def read(self, name: str) -> bytes:
        """Return a whole entry.

        Raises:
            ArchiveError: The entry does not exist, is too large, or cannot be read.
        """
        with self._open(name) as file:
            content = file.read(MAX_HELD_BYTES + 1)
        if len(content) > MAX_HELD_BYTES:
            raise ArchiveError.of("archive-large", name=name, most=MAX_HELD_BYTES)
        return content

    def read_lines(self, name: str) -> Iterator[bytes]:
        """Yield the lines of an entry.

        Raises:
            ArchiveError: The entry does not exist, cannot be read, or has a line that is too long.
        """
        with self._open(name) as file:
            while line := file.readline(MAX_JSON_BYTES + 1):
                if len(line) > MAX_JSON_BYTES:
                    raise ArchiveError.of("archive-large", name=name, most=MAX_JSON_BYTES)
                yield line.removesuffix(b"\n")

    def measure(self, entry: ArchiveEntry) -> tuple[int, str]:
        """Return the length of an entry and its sha256."""
        digest, size = hashlib.sha256(), 0
        with self._open(entry.name) as file:
            while part := file.read(CHUNK):
                digest.update(part)
                size += len(part)
        return size, digest.hexdigest()

    @contextmanager
    def _open(self, name: str) -> Iterator[BinaryIO]:
        try:
            with self.file.open(name) as file:
                yield file  # type: ignore[misc]
        except KeyError:
            raise ArchiveError.of("archive-lacks", name=name) from None
        except DAMAGE as error:
            raise ArchiveError.of("archive-entry-broken", name=name, reason=str(error)) from error


@contextmanager
def open_archive(path: Path) -> Iterator[Archive]:
    """Open an archive.

    Raises:
        ArchiveError: The file does not exist, is not an archive, is truncated, or has another format.
    """
    try:
        sealed = _check_seal(path)
        file = zipfile.ZipFile(path)
    except DAMAGE as error:
        raise ArchiveError.of("archive-unreadable", file=str(path), reason=str(error)) from error
    with file:
        yield _read_manifest(file, path, sealed)


def parse_json(name: str, content: bytes) -> Any:
    """Parse the JSON of an entry, or one of its lines, limiting the number of values.

    Raises:
        ArchiveError: The text is too large.
        ValueError: It is not JSON.
    """
    if len(content) > MAX_JSON_BYTES:
        raise ArchiveError.of("archive-large", name=name, most=MAX_JSON_BYTES)
    if (n := sum(map(content.count, (b",", b"[", b"{")))) > MAX_JSON_VALUES:
        raise ArchiveError.of("archive-values", name=name, n=n, most=MAX_JSON_VALUES)
    return from_json(content)


def describe_error(error: Exception) -> str:
    """Return why a value is refused, without the value and without all that is wrong with it."""
    if not isinstance(error, ValidationError):
        return f"{type(error).__name__}: {error}"[:MAX_REASON_CHARS]
    if (n := error.error_count()) > MAX_COUNTED_ERRORS:
        return f"{n} errors"
    first = error.errors(include_input=False, include_url=False, include_context=False)[0]
    return f"{'.'.join(map(str, first['loc']))}: {first['msg']}"[:MAX_REASON_CHARS]


def _check_seal(path: Path) -> bool:
    """Return whether the last characters of a file are the sha256 of all bytes before them."""
    left, digest = path.stat().st_size - SEAL_CHARS, hashlib.sha256()
    with path.open("rb") as file:
        while left > 0 and (part := file.read(min(CHUNK, left))):
            digest.update(part)
            left -= len(part)
        return file.read() == digest.hexdigest().encode()


def _read_manifest(file: zipfile.ZipFile, path: Path, sealed: bool) -> Archive:
    names = [entry.filename for entry in file.infolist()]
    if len(names) > MAX_ENTRIES:
        raise ArchiveError.of("archive-many", n=len(names), most=MAX_ENTRIES)
    if twice := [name for name, n in Counter(names).items() if n > 1]:
        raise ArchiveError.of("archive-twice", name=twice[0][:MAX_REASON_CHARS])
    if MANIFEST not in names:
        raise ArchiveError.of("archive-no-manifest", file=str(path))
    if odd := [n for n in names if not (n in {MANIFEST, SIGNATURE} or ENTRY.fullmatch(n))]:
        raise ArchiveError.of("archive-odd-name", name=odd[0][:MAX_REASON_CHARS])
    told = _read_bounded(file, MANIFEST)
    try:
        manifest = Manifest.model_validate(parse_json(MANIFEST, told))
        signed = _read_bounded(file, SIGNATURE) if SIGNATURE in names else None
        signature = (
            ArchiveSignature.model_validate(parse_json(SIGNATURE, signed)) if signed else None
        )
    except ValueError as error:
        raise ArchiveError.of("archive-other-format", reason=describe_error(error)) from error
    if manifest.version != VERSION:
        raise ArchiveError.of("archive-other-version", version=manifest.version, known=VERSION)
    _check_listed(file, manifest)
    return Archive(file, manifest, hashlib.sha256(told).hexdigest(), signature, sealed)


def _check_listed(file: zipfile.ZipFile, manifest: Manifest) -> None:
    """Refuse an archive whose entries differ from its list in name or length."""
    listed = [entry.name for entry in manifest.entries]
    if {*listed} != {*file.namelist()} - {MANIFEST, SIGNATURE} or len(listed) != len({*listed}):
        raise ArchiveError.of("archive-unlisted")
    if (size := sum(entry.bytes for entry in manifest.entries)) > MAX_UNPACKED_BYTES:
        raise ArchiveError.of("archive-unpacked", n=size, most=MAX_UNPACKED_BYTES)
    for entry in manifest.entries:  # the zip's own sizes limit what is read
        if file.getinfo(entry.name).file_size != entry.bytes:
            raise ArchiveError.of("archive-entry-altered", name=entry.name)


def _read_bounded(file: zipfile.ZipFile, name: str) -> bytes:
    try:
        with file.open(name) as entry:
            content = entry.read(MAX_MANIFEST_BYTES + 1)
    except DAMAGE as error:
        raise ArchiveError.of("archive-entry-broken", name=name, reason=str(error)) from error
    if len(content) > MAX_MANIFEST_BYTES:
        raise ArchiveError.of("archive-large", name=name, most=MAX_MANIFEST_BYTES)
    return content

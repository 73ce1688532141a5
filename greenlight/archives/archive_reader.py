"""Reads the file of an archive, whoever wrote it: names, sizes and memory are bounded."""

import hashlib
import struct
import zipfile
import zlib
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import BinaryIO, Self

from pydantic import ValidationError

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

MAX_ENTRIES = 20_000
MAX_UNPACKED_BYTES = 4_000_000_000
MAX_HELD_BYTES = 200_000_000
"""Limit of an entry that is read as a whole, and of a line of the others."""
MAX_MANIFEST_BYTES = 10_000_000
CHUNK = 1_000_000
DAMAGE = (
    *(zipfile.BadZipFile, zipfile.LargeZipFile, EOFError, NotImplementedError, RuntimeError),
    *(zlib.error, struct.error, ValueError, OSError, OverflowError),
)
"""What zipfile and zlib raise of a file that is none, or no more."""


class ArchiveError(CommandError):
    """The file is no archive, or an entry of it cannot be read."""

    notice: Notice

    @classmethod
    def of(cls, code: str, /, **params: Param) -> Self:
        """Return the error of a code, and keep the code."""
        error = super().of(code, **params)
        error.notice = Notice(code=code, params=params, severity="error")  # type: ignore[arg-type]
        return error


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
        """Tell whether there is such an entry."""
        return name in self.entries

    def read(self, name: str) -> bytes:
        """Return a whole entry.

        Raises:
            ArchiveError: It is not there, is too large, or cannot be read.
        """
        with self._open(name) as file:
            content = file.read(MAX_HELD_BYTES + 1)
        if len(content) > MAX_HELD_BYTES:
            raise ArchiveError.of("archive-large", name=name, most=MAX_HELD_BYTES)
        return content

    def read_lines(self, name: str) -> Iterator[bytes]:
        """Yield the lines of an entry."""
        with self._open(name) as file:
            while line := file.readline(MAX_HELD_BYTES):
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
        ArchiveError: The file is not there, is no archive, is cut off, or is of another format.
    """
    try:
        sealed = _check_seal(path)
        file = zipfile.ZipFile(path)
    except DAMAGE as error:
        raise ArchiveError.of("archive-unreadable", file=str(path), reason=str(error)) from error
    with file:
        yield _read_manifest(file, path, sealed)


def _check_seal(path: Path) -> bool:
    """Tell whether the last characters of a file are the sha256 of all bytes before them."""
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
        raise ArchiveError.of("archive-twice", name=_show(twice[0]))
    if MANIFEST not in names:
        raise ArchiveError.of("archive-no-manifest", file=str(path))
    if odd := [n for n in names if not (n in {MANIFEST, SIGNATURE} or ENTRY.fullmatch(n))]:
        raise ArchiveError.of("archive-odd-name", name=_show(odd[0]))
    told = _read_bounded(file, MANIFEST)
    try:
        manifest = Manifest.model_validate_json(told)
        signed = _read_bounded(file, SIGNATURE) if SIGNATURE in names else None
        signature = ArchiveSignature.model_validate_json(signed) if signed is not None else None
    except ValidationError as error:
        reason = error.errors()[0]["msg"]
        raise ArchiveError.of("archive-other-format", reason=reason) from error
    if manifest.version != VERSION:
        raise ArchiveError.of("archive-other-version", version=manifest.version, known=VERSION)
    _check_listed(file, manifest)
    return Archive(file, manifest, hashlib.sha256(told).hexdigest(), signature, sealed)


def _check_listed(file: zipfile.ZipFile, manifest: Manifest) -> None:
    """Refuse an archive whose entries are others than it lists, or have other lengths."""
    listed = [entry.name for entry in manifest.entries]
    if {*listed} != {*file.namelist()} - {MANIFEST, SIGNATURE} or len(listed) != len({*listed}):
        raise ArchiveError.of("archive-unlisted")
    if (size := sum(entry.bytes for entry in manifest.entries)) > MAX_UNPACKED_BYTES:
        raise ArchiveError.of("archive-unpacked", n=size, most=MAX_UNPACKED_BYTES)
    for entry in manifest.entries:  # no more is read of one than the zip says that it has
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


def _show(name: str) -> str:
    return ascii(name)[1:-1][:100]

"""Writes an archive in pieces: a zip file whose comment is the sha256 of all bytes before it."""

import hashlib
import zipfile
from collections.abc import Iterator
from contextlib import contextmanager

from api.reports.zip_writer import describe_entry
from contracts.archive import MANIFEST, SIGNATURE, ArchiveEntry, ArchiveSignature, Manifest

SEAL_CHARS = 64
"""Length of the comment that ends the file."""


class _Sink:
    """Buffers written bytes until they are taken; without `tell`, so that zipfile writes sequentially."""

    def __init__(self) -> None:
        self.held = bytearray()

    def write(self, data: bytes) -> int:
        self.held += data
        return len(data)

    def flush(self) -> None:
        """Do nothing, because the buffer is taken explicitly."""

    def take(self) -> bytes:
        taken, self.held = bytes(self.held), bytearray()
        return taken


class EntryWriter:
    """Writes one entry, and counts and hashes it."""

    def __init__(self, file: zipfile.ZipExtFile) -> None:  # zipfile's writer has no public type
        self._file = file
        self._digest = hashlib.sha256()
        self._bytes = 0

    def write(self, data: bytes) -> None:
        """Write the next bytes."""
        self._file.write(data)
        self._digest.update(data)
        self._bytes += len(data)

    def describe(self, name: str) -> ArchiveEntry:
        """Return what the manifest says of the entry."""
        return ArchiveEntry(name=name, bytes=self._bytes, sha256=self._digest.hexdigest())


class ArchiveWriter:
    """Writes entries sequentially; its buffer is taken in between to save memory."""

    def __init__(self) -> None:
        self.entries: list[ArchiveEntry] = []
        self._sink = _Sink()
        self._zip = zipfile.ZipFile(self._sink, "w")  # type: ignore[call-overload] # it needs no more
        self._seal = hashlib.sha256()

    @contextmanager
    def open(self, name: str) -> Iterator[EntryWriter]:
        """Yield the writer of an entry."""
        with self._zip.open(describe_entry(name), "w") as file:
            yield (writer := EntryWriter(file))
        self.entries.append(writer.describe(name))

    def add(self, name: str, content: bytes) -> None:
        """Write a whole entry."""
        with self.open(name) as entry:
            entry.write(content)

    def take(self) -> bytes:
        """Return the bytes of the file that have been written since this was called last."""
        taken = self._sink.take()
        self._seal.update(taken)
        return taken

    def finish(self, manifest: Manifest, secret_mac: str) -> bytes:
        """Write the manifest, its signature if there is one, and the seal; return the file's last bytes."""
        self.add(MANIFEST, encode_manifest(manifest))
        if secret_mac:
            self.add(SIGNATURE, ArchiveSignature(mac=secret_mac).model_dump_json().encode())
        self._zip.comment = b"0" * SEAL_CHARS
        self._zip.close()
        end = self._sink.take()[:-SEAL_CHARS]
        self._seal.update(end)
        return end + self._seal.hexdigest().encode()


def encode_manifest(manifest: Manifest) -> bytes:
    """Serialize a manifest to the bytes that the archive's hash covers."""
    return manifest.model_dump_json(indent=2).encode()

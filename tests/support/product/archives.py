"""Archives as somebody alters them who also puts every hash right that the file itself has."""

import hashlib
import json
import zipfile
from collections.abc import Mapping
from io import BytesIO
from pathlib import Path
from typing import Any

from api.archives.archive_writer import ArchiveWriter
from contracts.archive import MANIFEST, SIGNATURE, Manifest
from contracts.notices import Notice
from greenlight.archives.archive_reader import open_archive
from greenlight.archives.archive_verification import verify

Files = dict[str, bytes]


def read_files(path: Path) -> Files:
    """Return the entries of an archive, its manifest among them."""
    with zipfile.ZipFile(path) as file:
        return {name: file.read(name) for name in file.namelist()}


def write_sealed(path: Path, files: Mapping[str, bytes], **manifest: Any) -> Path:
    """Write an archive of files, with a manifest and a seal that fit them; `manifest` changes its fields."""
    writer = ArchiveWriter()
    for name, content in files.items():
        if name not in {MANIFEST, SIGNATURE}:
            writer.add(name, content)
    known = Manifest.model_validate_json(files[MANIFEST])
    changed = known.model_copy(update={"entries": writer.entries} | manifest)
    path.write_bytes(writer.take() + writer.finish(changed, ""))
    return path


def write_zip(path: Path, entries: list[tuple[str, bytes]]) -> Path:
    """Write a zip with a seal, with any names of entries."""
    held = BytesIO()
    with zipfile.ZipFile(held, "w", zipfile.ZIP_DEFLATED) as file:
        for name, content in entries:
            file.writestr(zipfile.ZipInfo(name), content, zipfile.ZIP_DEFLATED)
        file.comment = b"0" * 64
    told = held.getvalue()[:-64]
    path.write_bytes(told + hashlib.sha256(told).hexdigest().encode())
    return path


def edit(files: Files, name: str, **changes: Any) -> Files:
    """Return the files with fields of a JSON entry changed."""
    return {**files, name: json.dumps({**json.loads(files[name]), **changes}).encode()}


def find(path: Path, **given: str) -> list[Notice]:
    """Return an archive's faults."""
    with open_archive(path) as archive:
        return verify(archive, **given).findings


def find_codes(path: Path, **given: str) -> set[str]:
    """Return the codes of an archive's faults."""
    return {finding.code for finding in find(path, **given)}

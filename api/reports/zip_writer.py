"""Zip files that hold the same bytes whenever and wherever they are written."""

import io
import zipfile
from collections.abc import Mapping


def describe_entry(name: str) -> zipfile.ZipInfo:
    """Return a zip entry's header without timestamp and system."""
    entry = zipfile.ZipInfo(name)
    entry.compress_type = zipfile.ZIP_DEFLATED
    entry.create_system = 3
    entry.external_attr = 0o644 << 16
    return entry


def write_zip(files: Mapping[str, bytes]) -> bytes:
    """Return a zip of files by their paths."""
    written = io.BytesIO()
    with zipfile.ZipFile(written, "w") as archive:
        for path, content in files.items():
            archive.writestr(describe_entry(path), content)
    return written.getvalue()

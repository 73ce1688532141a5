"""What a folder holds: its documents, the files that are not read and why, and what could not be listed."""

import hashlib
import os
import re
import stat
from dataclasses import dataclass, field
from pathlib import Path
from typing import NamedTuple

from contracts.collections import MAX_PATH_CHARS, normalize_path
from contracts.evidence.read_failures import describe_failure
from contracts.media_types import SUFFIXES
from contracts.notices import Notice

MAX_NAMED = 20
"""Maximum number of unlisted parts that a notice names."""
MAX_SUFFIX_CHARS = 20
_FACTS = re.compile(r"(?:submissions-)?CIK\d{1,10}\.json")
"""Files with a company's EDGAR data, which are not documents."""
_SAVED_AS = {
    ".doc": ("old_word", ".docx"),
    ".xls": ("old_workbook", ".xlsx"),
    ".ppt": ("old_slides", ".pptx"),
    ".msg": ("outlook", ".eml"),
    ".xlsb": ("xlsb", ".xlsx"),
    ".ods": ("ods", ".xlsx"),
    ".odp": ("odp", ".pptx"),
}
"""Formats that are not read: their kind, and the ending to save them as."""
_REFUSED = "refused "
"""Prefix of the stamps of refused files, which are read once a later version knows their format."""


class FolderFile(NamedTuple):
    """A file of a folder."""

    path: Path
    stamp: str
    """When it was written, and its size."""
    refusal: Notice | None = None
    """Why it is not read."""


@dataclass
class FolderListing:
    """The files of a folder by the names that they have in a collection."""

    files: dict[str, FolderFile] = field(default_factory=dict)
    unlisted: dict[str, Notice] = field(default_factory=dict)
    """Files and folders that could not be looked at, with the reason; the empty path is the whole folder."""
    identity: str = ""
    """The folder itself: another one at its place has another identity."""
    is_empty: bool = True

    def hides(self, name: str) -> bool:
        """Return whether a file that is not listed may still be there."""
        parts = name.split("/")
        return any("/".join(parts[:n]) in self.unlisted for n in range(len(parts) + 1))

    def describe(self, collection: str) -> list[Notice]:
        """Return the notices of what could not be compared with what was read before."""
        if not self.unlisted:
            return []
        if whole := self.unlisted.get(""):
            return [Notice.of("folder-unlisted", collection=collection, reason=whole)]
        named: list[str | Notice] = [
            Notice.of("named-failure", name=name, reason=reason)
            for name, reason in sorted(self.unlisted.items())[:MAX_NAMED]
        ]
        n = len(self.unlisted)
        names = [*named, *([f"… (+{n - MAX_NAMED})"] if n > MAX_NAMED else [])]
        return [Notice.of("folder-parts-unlisted", collection=collection, n=n, names=names)]


def list_folder(root: Path) -> FolderListing:
    """List the files of a folder and those below it, except hidden ones and companies' EDGAR data.

    Files of unknown formats, links that lead out of the folder and unusable names are listed with a refusal.
    """
    listing, failed, found = FolderListing(), list[OSError](), list[Path]()
    for folder, folders, files in os.walk(root, onerror=failed.append):
        listing.is_empty = listing.is_empty and not (folders or files)
        links = [name for name in folders if os.path.islink(os.path.join(folder, name))]
        folders[:] = sorted(name for name in folders if not name.startswith("."))
        for path in (Path(folder, name) for name in sorted([*files, *links])):
            if not path.name.startswith(".") and not _FACTS.fullmatch(path.name):
                found.append(path)
    for path in sorted(found, key=lambda path: not _is_exact(_get_relative(root, path))):
        _list_file(listing, root, path)
    for error in failed:
        name, _ = _name_file(_get_relative(root, Path(str(error.filename or root))))
        listing.unlisted[name] = describe_unopened(error)
    if "" not in listing.unlisted:
        listing.identity = str(root.stat().st_ino)
    return listing


def _list_file(listing: FolderListing, root: Path, path: Path) -> None:
    name, refusal = _name_file(own := _get_relative(root, path))
    while name in listing.files or name in listing.unlisted:
        # the name of another file, which may differ in blanks or the composition of letters
        name = own = _quote(own)
        refusal = describe_failure("name_unusable")
    is_within = Path(os.path.realpath(path)).is_relative_to(root)
    try:
        status = path.stat() if is_within else path.lstat()
    except OSError as error:
        listing.unlisted[name] = describe_unopened(error)
        return
    if is_within and stat.S_ISDIR(status.st_mode):
        return  # a link to a folder whose files are listed at their place
    if not is_within:
        refusal = describe_failure("linked_outside")
    elif not stat.S_ISREG(status.st_mode):
        refusal = describe_failure("no_file")
    refusal = refusal or _refuse_format(path.suffix)
    stamp = f"{status.st_mtime_ns}-{status.st_size}"
    listing.files[name] = FolderFile(path, f"{_REFUSED}{stamp}" if refusal else stamp, refusal)


def describe_unopened(error: OSError) -> Notice:
    """Return why a file or folder cannot be opened."""
    return describe_failure("unopened", reason=error.strerror or type(error).__name__)


def _get_relative(root: Path, path: Path) -> str:
    return "" if path == root else path.relative_to(root).as_posix()


def _name_file(relative: str) -> tuple[str, Notice | None]:
    """Return a file's name in a collection; of a name that no document may have, a likeness and the refusal."""
    try:
        return (normalize_path(relative) if relative else ""), None
    except ValueError:
        return _quote(relative), describe_failure("name_unusable")


def _is_exact(relative: str) -> bool:
    """Return whether a file has the very name that it gets in a collection."""
    return _name_file(relative)[0] == relative


def _quote(name: str) -> str:
    """Return a name that can be stored and shown, with a digest of what it quotes."""
    digest = hashlib.sha256(os.fsencode(name)).hexdigest()[:8]
    shown = "".join(letter if letter.isprintable() else "\ufffd" for letter in name)
    return f"{shown[: MAX_PATH_CHARS - 12]} ({digest})"


def _refuse_format(suffix: str) -> Notice | None:
    """Return why files that end so are not read; None of those that are."""
    suffix = suffix.lower()
    if suffix in SUFFIXES:
        return None
    if known := _SAVED_AS.get(suffix):
        return describe_failure("save_as", kind=known[0], suffix=known[1])
    ending = suffix[:MAX_SUFFIX_CHARS]
    return describe_failure("format_unread", **({"suffix": ending} if ending else {}))

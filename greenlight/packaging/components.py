"""Third-party packages in a release with their licences: those of the lock, and those in the built page."""

import json
import re
from collections.abc import Iterator
from importlib.metadata import PackageMetadata, PackageNotFoundError, metadata
from pathlib import Path
from typing import NamedTuple

from boolean.boolean import Expression
from license_expression import ExpressionError, get_spdx_licensing

from activities.late_packages import LATER
from greenlight.bootstrap import RUNTIME
from greenlight.stack.page import LOCK as PAGE_LOCK

PERMISSIVE = {
    *("0BSD", "Apache-2.0", "BSD-2-Clause", "BSD-3-Clause", "CC0-1.0", "CNRI-Python", "ISC"),
    *("MIT", "MIT-0", "OFL-1.1", "PSF-2.0", "PostgreSQL", "Python-2.0", "Unlicense", "Zlib"),
    *("MPL-1.1", "MPL-2.0"),  # only affect changes to their own files
}
"""Licences without conditions for our own code."""
BUILD_TOOLS = {"@vitejs/plugin-react", "subset-font", "vite"}
"""The page's dependencies that only build it, and are not part of it."""
CLASSIFIERS = {
    "Apache Software License": "Apache-2.0",
    "MIT License": "MIT",
    "Mozilla Public License 2.0 (MPL 2.0)": "MPL-2.0",
    "GNU Lesser General Public License v3 or later (LGPLv3+)": "LGPL-3.0-or-later",
}
OURS = json.loads(Path(__file__).with_name("licences.json").read_text("utf-8"))
"""Licences that no metadata names as SPDX does, and why a licence that is not permissive is accepted."""
SPDX = get_spdx_licensing()


class Component(NamedTuple):
    """A package of others at a version."""

    kind: str
    """`pypi` or `npm`."""
    name: str
    version: str
    licence: str
    """SPDX expression; empty: unknown."""
    hashes: tuple[str, ...] = ()
    """SHA-256 of its files, as the lock has them."""
    features: tuple[str, ...] = ()
    """Features that it is installed for when they are first used."""


def list_components() -> list[Component]:
    """Return the packages of the lock, then those in the page, by name."""
    return [*sorted(_list_locked()), *sorted(_list_bundled())]


def find_problems(components: list[Component]) -> list[str]:
    """Return the problems with licences: unknown ones, and copyleft that was not accepted."""
    problems = []
    for found in components:
        if not found.licence:
            problems.append(f"{found.name}: its licence is unknown")
        elif not _is_permissive(found.licence) and found.name not in OURS["accepted"]:
            problems.append(f"{found.name}: {found.licence} may bind us")
    return problems


def _list_locked() -> Iterator[Component]:
    later: dict[str, list[str]] = json.loads(LATER.read_text("ascii"))
    for entry in re.findall(r"^\S.*\n(?: .*\n)*", RUNTIME.read_text("ascii"), re.MULTILINE):
        name, version = re.split(r"[ ;\\\n]", entry)[0].split("==")
        features = tuple(feature for feature, names in later.items() if name in names)
        hashes = tuple(re.findall(r"sha256:([0-9a-f]{64})", entry))
        yield Component("pypi", name, version, _find_licence(name), hashes, features)


def _list_bundled() -> Iterator[Component]:
    """Yield the packages in the built page, including transitive dependencies."""
    locked = json.loads(PAGE_LOCK.read_text("utf-8"))["packages"]
    todo = sorted(locked[""]["dependencies"].keys() - BUILD_TOOLS)
    seen: set[str] = set()
    while todo:
        name = todo.pop()
        if name not in seen:
            seen.add(name)
            package = locked[f"node_modules/{name}"]
            todo += package.get("dependencies", {})
            yield Component("npm", name, package["version"], package.get("license", ""))


def _find_licence(name: str) -> str:
    """Return a package's licence as an SPDX expression, from our own list or its metadata."""
    if named := OURS["named"].get(name):
        return str(named)
    try:
        stated = metadata(name)
    except PackageNotFoundError:
        return ""
    return next(filter(_is_spdx, _list_statements(stated)), "")


def _list_statements(stated: PackageMetadata) -> Iterator[str]:
    yield from (stated[key] for key in ("License-Expression", "License") if key in stated)
    for classifier in stated.get_all("Classifier", []):
        yield CLASSIFIERS.get(classifier.rpartition(" :: ")[2], "")


def _is_spdx(text: str) -> bool:
    try:
        return bool(text) and SPDX.parse(text, validate=True) is not None
    except ExpressionError:
        return False


def _is_permissive(licence: str) -> bool:
    """Return whether an SPDX expression lets us choose only permissive licences."""
    return _holds(SPDX.parse(licence))


def _holds(expression: Expression) -> bool:
    if isinstance(expression, SPDX.OR):
        return any(map(_holds, expression.args))
    if isinstance(expression, SPDX.AND):
        return all(map(_holds, expression.args))
    return str(expression) in PERMISSIVE

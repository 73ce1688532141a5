"""Runs every pattern of the product over texts of one repeated token, and finds those with superlinear time."""

import ast
import importlib
import re
from collections.abc import Callable, Iterator
from pathlib import Path

from tests.growth.measure import find_growth

ROOT = Path(__file__).parents[2]
PACKAGES = ("contracts", "domain", "workflows", "activities", "store", "temporal", "api", "offline")
HOLDS_PATTERNS = re.compile(r"^import re$|Pattern", re.MULTILINE)
METHODS = ("search", "match", "fullmatch", "finditer", "findall", "sub", "split")
_USE = re.compile(rf"\b(\w+)(?:\[\w+\])?\.({'|'.join(METHODS)})\b")
CHARS = 2_500
Pattern = re.Pattern[str] | re.Pattern[bytes]


def find_patterns() -> dict[str, tuple[Pattern, frozenset[str]]]:
    """Return each pattern by its location, with the methods called on it."""
    sources = {
        path.relative_to(ROOT): path.read_text("utf-8")
        for name in PACKAGES
        for path in (ROOT / name).rglob("*.py")
    }
    uses: dict[str, set[str]] = {}
    for path, text in sources.items():
        module = _name(path)
        for found in _USE.finditer(text):
            own = f"{module}:" if found[1].startswith("_") else ""
            uses.setdefault(f"{own}{found[1]}", set()).add(found[2])
    holders = {path: text for path, text in sources.items() if HOLDS_PATTERNS.search(text)}
    patterns: dict[Pattern, tuple[str, frozenset[str]]] = {}
    for name in map(_name, holders):
        for place, pattern in _walk(name, vars(importlib.import_module(name)), 2):
            variable = re.sub(r"\[.*", "", place.rpartition(":")[2])
            key = f"{name}:{variable}" if variable.startswith("_") else variable
            called = uses.get(key) or {"search", "finditer"}
            patterns.setdefault(pattern, (place, frozenset(called)))
    for path, text in holders.items():
        for node in ast.walk(ast.parse(text)):
            if inline := _read_inline(node):
                place = f"{path}:{node.lineno}"  # type: ignore[attr-defined]
                patterns.setdefault(inline[0], (place, frozenset({inline[1]})))
    return {place: (pattern, called) for pattern, (place, called) in patterns.items()}


def _name(path: Path) -> str:
    return ".".join(path.with_suffix("").parts).removesuffix(".__init__")


def _walk(place: str, value: object, depth: int) -> Iterator[tuple[str, Pattern]]:
    """Yield the patterns among the values of a module, of its containers and classes."""
    if isinstance(value, re.Pattern):
        yield place, value
    elif depth and isinstance(value, dict):
        for name, each in list(value.items()):
            if not str(name).startswith("__"):
                yield from _walk(
                    f"{place}:{name}" if depth == 2 else f"{place}[{name}]", each, depth - 1
                )
    elif depth and isinstance(value, list | tuple | set | frozenset):
        for each in value:
            yield from _walk(f"{place}[]", each, depth - 1)
    elif depth and isinstance(value, type) and value.__module__.partition(".")[0] in PACKAGES:
        yield from _walk(place, dict(vars(value)), depth - 1)


def _read_inline(node: ast.AST) -> tuple[Pattern, str] | None:
    """Return the pattern of a call such as `re.sub(r"…", …)`, and the method."""
    if not (isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.args):
        return None
    is_re = isinstance(node.func.value, ast.Name) and node.func.value.id == "re"
    first = node.args[0]
    text = first.value if isinstance(first, ast.Constant) else None
    if is_re and node.func.attr in METHODS and isinstance(text, str | bytes):
        return re.compile(text), node.func.attr
    return None


def _call(pattern: Pattern, method: str) -> Callable[[str], object]:
    """Return a function that runs a pattern's method over a whole text."""
    function = getattr(pattern, method)

    def run(text: str) -> object:
        given = text.encode() if isinstance(pattern.pattern, bytes) else text
        if method == "sub":
            return function(given[:0], given)
        found = function(given)
        return sum(1 for _ in found) if method == "finditer" else found

    return run


def find_grown_patterns(tokens: tuple[str, ...]) -> tuple[int, list[tuple[str, str, str, float]]]:
    """Return how many patterns there are, and place, method, token and ratio of each that grows."""
    patterns = find_patterns()
    grown = []
    for place, (pattern, called) in sorted(patterns.items()):
        for method in sorted(called):
            for token in tokens:
                if ratio := find_growth(_call(pattern, method), token, CHARS):
                    grown.append((place, method, token, round(ratio, 1)))
                    break
    return len(patterns), grown

"""No code reads words of the catalogues, in Python, SQL and TypeScript: it goes by codes."""

import ast
import re
from collections.abc import Iterator

import pytest

from contracts.words import CATALOGUES
from greenlight.bootstrap import ROOT
from tests.support.product.trees import parse, walk

ROOMS = ("contracts", "domain", "store", "temporal", "activities", "workflows", "api", "greenlight")
SEARCHES = {"startswith", "endswith", "removeprefix", "removesuffix", "find", "index", "partition"}
WORDED = {"say", "say_told", "join_notices", "join_reasons"}
MIN_CHARS = 12
"""Shorter texts, such as `free`, are words of any code."""
_GAPS = re.compile(r"\{\w+(?::[,a$])?\}|\{\w+, plural, one |\} other \{|[\[\]{}#]")
"""Separators between the phrases of a text: placeholders, brackets and plurals."""
PHRASES = {
    phrase.strip()
    for catalogue in CATALOGUES.values()
    for text in catalogue.values()
    for phrase in _GAPS.split(text)
    if len(phrase.strip()) >= MIN_CHARS and " " in phrase.strip()
}
"""The phrases of the catalogues, without their placeholders."""
SEARCHED = re.compile(
    r"\b(?:message|detail|reason)\??\.(?:includes|startsWith|endsWith|indexOf|match|search|replace|split)\("
    r"|\b(?:say|t)\([^()]*\)\s*(?:[!=]==|\.(?:includes|startsWith|endsWith|indexOf|match|search)\()"
    r"|\b(?:message|detail|reason)\s*[!=]==\s*[\"'`]\w+ "
)
"""How TypeScript searches in, or compares, what the gateway or a catalogue says."""


def is_worded(text: str) -> bool:
    """Return whether a text is words of a catalogue."""
    text = text.strip()
    return len(text) >= MIN_CHARS and " " in text and any(text in each for each in PHRASES)


def reads_words(node: ast.expr) -> bool:
    """Return whether an expression is words of a catalogue: rendered, or written out."""
    if isinstance(node, ast.Constant):
        return isinstance(node.value, str) and is_worded(node.value)
    if isinstance(node, ast.Attribute):
        return node.attr == "warnings"
    if not isinstance(node, ast.Call):
        return False
    name = node.func.attr if isinstance(node.func, ast.Attribute) else getattr(node.func, "id", "")
    return name in WORDED


def _is_searched(loop: ast.GeneratorExp) -> bool:
    """Return whether a loop checks for each text whether it contains another text."""
    return isinstance(loop.elt, ast.Compare) and isinstance(loop.elt.ops[0], ast.In)


def list_faults(tree: ast.AST) -> Iterator[int]:
    """Yield the lines that compare words, search in them, or look at how they begin or end."""
    for node in walk(tree):
        if isinstance(node, ast.Compare):
            operands = [node.left, *node.comparators]
        elif isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
            is_search = node.func.attr in SEARCHES
            operands = [node.func.value, *node.args] if is_search else []
        elif isinstance(node, ast.GeneratorExp) and _is_searched(node):
            operands = [each.iter for each in node.generators]
        else:
            continue
        if any(map(reads_words, operands)):
            yield node.lineno


def test_what_compares_words_is_found() -> None:
    lines = [
        'if say("en", "no-report") == told: pass',
        'notice.say("en").startswith("Not")',
        'any(word in state.warnings for word in ("late",))',
        "any(note in told for told in state.warnings)",
        f"told == {min(PHRASES)!r}",
    ]
    assert all(list(list_faults(ast.parse(line))) for line in lines)
    assert not list(list_faults(ast.parse('notice.code == "no-report"')))


def test_the_product_compares_and_searches_no_words() -> None:
    files = [file for room in ROOMS for file in (ROOT / room).rglob("*.py")]
    faults = [
        f"{file.relative_to(ROOT)}:{line}" for file in files for line in list_faults(parse(file))
    ]
    assert not faults


def list_page() -> Iterator[tuple[str, str]]:
    """Yield the page's source files by name, without catalogues and generated files."""
    for file in (ROOT / "web" / "src").rglob("*.ts*"):
        if file.parent.name != "strings" and file.name != "schema.ts":
            yield file.name, file.read_text("utf-8")


def test_the_page_searches_in_no_words() -> None:
    assert SEARCHED.search('error.message.includes("unknown")')
    assert SEARCHED.search('say(notice) === "done"')
    assert not [name for name, text in list_page() if SEARCHED.search(text)]


@pytest.mark.parametrize("room", ["web", "store"])
def test_neither_the_page_nor_sql_holds_words_of_the_catalogues(room: str) -> None:
    sql = ((file.name, file.read_text("utf-8")) for file in (ROOT / room).rglob("*.sql"))
    texts = list_page() if room == "web" else sql
    quoted = re.compile(r"[\"'`]([^\"'`\n]{12,})[\"'`]")
    faults = [
        (name, said) for name, text in texts for said in quoted.findall(text) if said in PHRASES
    ]
    assert not faults

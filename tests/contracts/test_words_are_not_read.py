"""No code reads words of the catalogues: it goes by codes."""

import ast
from collections.abc import Iterator
from pathlib import Path

from contracts.words import CATALOGUES
from greenlight.bootstrap import ROOT

ROOMS = ("contracts", "domain", "store", "temporal", "activities", "workflows", "api", "greenlight")
SEARCHES = {"startswith", "endswith", "removeprefix", "removesuffix", "find", "index", "partition"}
WORDED = {"say", "say_told", "join_notices", "join_reasons"}
MIN_CHARS = 12
"""Shorter texts, such as `free`, are words of any code."""
SENTENCES = {
    text
    for catalogue in CATALOGUES.values()
    for text in catalogue.values()
    if len(text) >= MIN_CHARS and " " in text and "{" not in text
}


def reads_words(node: ast.expr) -> bool:
    """Tell whether an expression is words of a catalogue: rendered, or written out."""
    if isinstance(node, ast.Constant):
        return node.value in SENTENCES
    if isinstance(node, ast.Attribute):
        return node.attr == "warnings"
    if not isinstance(node, ast.Call):
        return False
    name = node.func.attr if isinstance(node.func, ast.Attribute) else getattr(node.func, "id", "")
    return name in WORDED


def _is_searched(loop: ast.GeneratorExp) -> bool:
    """Tell whether a loop asks of each text whether another one stands in it."""
    return isinstance(loop.elt, ast.Compare) and isinstance(loop.elt.ops[0], ast.In)


def list_faults(tree: ast.AST) -> Iterator[int]:
    """Yield the lines that compare words, search in them, or look at how they begin or end."""
    for node in ast.walk(tree):
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
        f"told == {min(SENTENCES)!r}",
    ]
    assert all(list(list_faults(ast.parse(line))) for line in lines)
    assert not list(list_faults(ast.parse('notice.code == "no-report"')))


def test_the_product_compares_and_searches_no_words() -> None:
    files = [file for room in ROOMS for file in (ROOT / room).rglob("*.py")]
    faults = [
        f"{file.relative_to(ROOT)}:{line}"
        for file in files
        for line in list_faults(ast.parse(file.read_text("utf-8")))
    ]
    assert not faults


def test_the_page_holds_no_words_of_the_catalogues() -> None:
    folder = ROOT / "web" / "src"
    files = [f for f in folder.rglob("*.ts*") if f.parent.name not in ("strings", "api")]
    texts: dict[Path, str] = {file: file.read_text("utf-8") for file in files}
    faults = [
        (file.name, sentence)
        for file, text in texts.items()
        for sentence in SENTENCES
        if f'"{sentence}"' in text
    ]
    assert not faults

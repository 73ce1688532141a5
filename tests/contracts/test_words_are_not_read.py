"""No code reads words of the catalogues, in Python, SQL and TypeScript: it goes by codes."""

import ast
import re
from collections.abc import Iterable, Iterator, Mapping, Set

import pytest

from contracts.words import CATALOGUES
from greenlight.bootstrap import ROOT
from tests.support.product.trees import parse, walk

Function = ast.FunctionDef | ast.AsyncFunctionDef
ROOMS = ("contracts", "domain", "store", "temporal", "activities", "workflows", "api", "greenlight")
SEARCHES = {"startswith", "endswith", "removeprefix", "removesuffix", "find", "index", "partition"}
MENDS = {"replace", "count", "split", "rpartition", "rfind"}
"""Methods that look for what they are given; what they are called on may be words."""
WORDED = {"say", "say_told", "join_notices", "join_reasons"}
KEEPERS = {"spell_words", "str", "casefold", "lower", "strip"}
"""Functions and methods whose result is words if what they are given is."""
READERS = {"api/chat/message_history.py": "said.casefold() in"}
"""The one place that compares a person's own words, with the choices that they were shown."""
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


def name_called(call: ast.Call) -> str:
    """Return the name of the function or method that is called."""
    return call.func.attr if isinstance(call.func, ast.Attribute) else getattr(call.func, "id", "")


def reads_words(node: ast.expr, names: Set[str] = frozenset()) -> bool:
    """Return whether an expression is words of a catalogue: written out, rendered, or a name for such words."""
    match node:
        case ast.Constant(value=str(text)):
            return is_worded(text)
        case ast.Name(id=name):
            return name in names
        case ast.Attribute(attr="warnings"):
            return True
        case ast.Call():
            given = [*node.args, getattr(node.func, "value", None)]
            is_kept = any(each and reads_words(each, names) for each in given)
            return name_called(node) in WORDED or (name_called(node) in KEEPERS and is_kept)
        case ast.JoinedStr(values=parts):
            values = [part.value for part in parts if isinstance(part, ast.FormattedValue)]
        case ast.Tuple(elts=values) | ast.Set(elts=values) | ast.List(elts=values):
            pass
        case ast.BinOp(left=left, right=right) | ast.IfExp(body=left, orelse=right):
            values = [left, right]
        case _:
            return False
    return any(reads_words(each, names) for each in values)


def _is_searched(loop: ast.GeneratorExp) -> bool:
    """Return whether a loop checks for each text whether it contains another text."""
    return isinstance(loop.elt, ast.Compare) and isinstance(loop.elt.ops[0], ast.In)


def _list_worded(tree: ast.AST) -> Mapping[str, set[int | str]]:
    """Return which parameters of functions are given words in this module, by the functions' names."""
    given: dict[str, set[int | str]] = {}
    for call in (node for node in walk(tree) if isinstance(node, ast.Call)):
        places: dict[int | str, ast.expr] = {k.arg: k.value for k in call.keywords if k.arg}
        places |= enumerate(call.args)
        worded = {place for place, value in places.items() if reads_words(value)}
        given.setdefault(name_called(call), set()).update(worded)
    return given


def _list_names(function: Function, given: set[int | str]) -> set[str]:
    """Return the names of a function that are words: parameters that are given some, and what is made of words."""
    places = [each.arg for each in function.args.args if each.arg not in ("self", "cls")]
    names = {
        p if isinstance(p, str) else places[p]
        for p in given
        if p in range(len(places)) or isinstance(p, str)
    }
    for node in walk(function):
        if isinstance(node, ast.Assign) and reads_words(node.value, names):
            names |= {target.id for target in node.targets if isinstance(target, ast.Name)}
    return names


def _list_operands(node: ast.AST) -> Iterable[ast.expr]:
    """Return what an expression compares or looks for, and what it looks in."""
    if isinstance(node, ast.Compare):
        return [node.left, *node.comparators]
    if isinstance(node, ast.GeneratorExp) and _is_searched(node):
        return [each.iter for each in node.generators]
    if not isinstance(node, ast.Call) or not isinstance(node.func, ast.Attribute):
        return []
    if node.func.attr in SEARCHES and not all(map(_is_sign, node.args)):
        return [node.func.value, *node.args]
    return node.args if node.func.attr in MENDS else []


def _is_sign(node: ast.expr) -> bool:
    """Return whether an expression is signs without a letter, such as the full stop that a text may lack."""
    texts = node.elts if isinstance(node, ast.Tuple) else [node]
    values = [getattr(each, "value", None) for each in texts]
    return all(isinstance(v, str) and not any(map(str.isalpha, v)) for v in values)


def list_faults(tree: ast.AST) -> Iterator[int]:
    """Yield the lines that compare words, search in them, or look at how they begin or end."""
    given = _list_worded(tree)
    functions = [n for n in walk(tree) if isinstance(n, (ast.FunctionDef, ast.AsyncFunctionDef))]
    named: list[tuple[ast.AST, Set[str]]] = [(tree, frozenset())]
    named += [(each, _list_names(each, given.get(each.name, set()))) for each in functions]
    for place, names in named:
        for node in walk(place):
            if any(reads_words(each, names) for each in _list_operands(node)):
                yield getattr(node, "lineno", 0)


def test_what_compares_words_is_found() -> None:
    lines = [
        'if say("en", "no-report") == told: pass',
        'notice.say("en").startswith("Not")',
        'any(word in state.warnings for word in ("late",))',
        "any(note in told for told in state.warnings)",
        f"told == {min(PHRASES)!r}",
        "def look(told):\n    mark = say('en', 'no-report')\n    return mark in told",
        "def look(told, mark):\n    return told.heading == mark\nlook(told, say('en', 'no-report'))",
        "told.replace(f' {spell_words(say(language, code))} ', ' ')",
        "told.casefold() in {choice, say('en', 'no-report').casefold()}",
    ]
    assert all(list(list_faults(ast.parse(line))) for line in lines)
    for line in ('notice.code == "no-report"', 'say("en", "no-report").endswith((".", "!"))'):
        assert not list(list_faults(ast.parse(line)))


def test_the_product_compares_and_searches_no_words() -> None:
    files = [file for room in ROOMS for file in (ROOT / room).rglob("*.py")]
    faults = set[tuple[str, str]]()
    for file in files:
        lines = file.read_text("utf-8").splitlines()
        name = file.relative_to(ROOT).as_posix()
        told = {(name, lines[number - 1].strip()) for number in list_faults(parse(file))}
        faults |= {(name, line) for name, line in told if READERS.get(name, "\0") not in line}
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

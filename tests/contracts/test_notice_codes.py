"""The codes of notices: the product uses each code of the catalogues, with its parameters, and no other."""

import ast
import re
from collections.abc import Iterator
from pathlib import Path

from contracts.words import CATALOGUES
from greenlight.bootstrap import ROOT
from tests.contracts.test_words import list_holes
from tests.support.product.trees import parse, walk
from workflows.phases import PHASES

ROOMS = ("contracts", "domain", "store", "temporal", "activities", "workflows", "api", "greenlight")
CODE_AT = {"of": 0, "at": 1, "say": 1, "_say": 0, "Wrong": 0, "Notice": -1}
"""Where calls that make a notice have its code among their arguments; -1: by name."""


def list_trees() -> Iterator[tuple[str, ast.AST]]:
    """Yield the syntax trees of the product's modules, by path."""
    for file in [*(f for room in ROOMS for f in (ROOT / room).rglob("*.py")), ROOT / "settings.py"]:
        yield str(file.relative_to(ROOT)), parse(file)


def find_code(call: ast.Call) -> ast.expr | None:
    """Return the argument with a notice's code; None if the call creates no notice."""
    function = call.func
    name = function.attr if isinstance(function, ast.Attribute) else getattr(function, "id", "")
    if name not in CODE_AT:
        return None
    if CODE_AT[name] < 0:
        return next((given.value for given in call.keywords if given.arg == "code"), None)
    return call.args[CODE_AT[name]] if len(call.args) > CODE_AT[name] else None


def list_required(text: str) -> set[str]:
    """Return the holes of a text that must be filled: those outside of brackets."""
    return {hole.rstrip(":,$") for hole in list_holes(re.sub(r"\[[^\[\]]*\]", "", text))}


def list_faults(path: str, tree: ast.AST) -> Iterator[str]:
    """Yield the notices of a module whose code has no text, or whose text needs parameters that are missing."""
    for node in walk(tree):
        code = find_code(node) if isinstance(node, ast.Call) else None
        if not isinstance(node, ast.Call) or not isinstance(code, ast.Constant):
            continue
        name = str(code.value)
        if (words := CATALOGUES["en"].get(name)) is None:
            if re.fullmatch(r"[a-z]+(-[a-z]+)+", name):
                yield f"{path}:{node.lineno}: {name} has no words"
            continue
        given = {keyword.arg for keyword in node.keywords}
        if None not in given and "params" not in given and (lack := list_required(words) - given):
            yield f"{path}:{node.lineno}: {name} lacks {sorted(lack)}"


def list_names() -> Iterator[str]:
    """Yield each text that may name a code, in Python, in data and on the page."""
    for _, tree in list_trees():
        for node in walk(tree):
            if isinstance(node, ast.Constant) and isinstance(node.value, str):
                yield node.value
    for file in [ROOT / "contracts" / "preset_definitions.json", *list_page()]:
        yield from re.findall(r'"([a-z][\w.-]+)"', file.read_text("utf-8"))


def list_families() -> Iterator[str]:
    """Yield patterns of the codes that are put together, such as `unread-.+`."""
    yield from (
        "amount(-.+)?",
        "metric-.+",
    )  # used by functions in `domain/company/figures`
    for _, tree in list_trees():
        for node in walk(tree):
            code = find_code(node) if isinstance(node, ast.Call) else None
            for part in ast.walk(code) if code else ():
                if isinstance(part, ast.JoinedStr):
                    told = (p.value if isinstance(p, ast.Constant) else None for p in part.values)
                    yield "".join(".+" if t is None else re.escape(str(t)) for t in told)
    for file in list_page():
        for code in re.findall(r"\bcode: `([^`]+)`", file.read_text("utf-8")):
            yield re.sub(r"\$\{[^}]*\}", ".+", code)


def list_page() -> Iterator[Path]:
    """Yield the page's own files."""
    yield from (file for file in (ROOT / "web" / "src").rglob("*.ts*") if file.name != "schema.ts")


def test_a_code_without_words_and_a_parameter_that_lacks_are_found() -> None:
    lines = ['Notice.of("no-such-code")', 'Problem.at("only", "phase-unknown", name="x")']
    assert [len(list(list_faults("x.py", ast.parse(line)))) for line in lines] == [1, 1]
    assert not list(list_faults("x.py", ast.parse('Problem.at("x", "phase-unknown", **told)')))


def test_each_notice_has_words_and_what_they_name() -> None:
    assert not [fault for path, tree in list_trees() for fault in list_faults(path, tree)]


def test_each_code_of_the_catalogues_is_used() -> None:
    named = set(list_names())
    families = re.compile("|".join(sorted(set(list_families()))))
    assert not [c for c in CATALOGUES["en"] if c not in named and not families.fullmatch(c)]


def test_the_page_names_codes_that_have_words() -> None:
    named = [
        code
        for file in list_page()
        for code in re.findall(r'\bcode: "([\w.-]+)"', file.read_text("utf-8"))
    ]
    assert named
    assert {*named} <= CATALOGUES["en"].keys()


def test_only_texts_of_others_are_notices_without_words_of_their_own() -> None:
    """Our own failures have codes: `text` carries what a human, a library or Temporal wrote."""
    users = {
        path
        for path, tree in list_trees()
        for node in walk(tree)
        if isinstance(node, ast.Call)
        and isinstance(code := find_code(node), ast.Constant)
        and code.value == "text"
    }
    assert users == {
        "contracts/errors.py",  # an exception of somebody else's
        "contracts/problems.py",  # pydantic
        "workflows/message_parser.py",
        "workflows/phases/hitl_checkpoint.py",  # a definition's own message
        "api/errors.py",  # Starlette
        "settings.py",  # an operator's name for the searched library
    }


UNDRAWN = {"config", "title_code"}
"""Fields that no form draws: one holds the others, one is the presets' own."""


def list_form_words() -> Iterator[str]:
    """Yield the codes of names in forms: fields of kinds, their values, their roles, and the needs of phases."""
    for kind in PHASES.values():
        yield from (f"gives-{value}" for value in kind.input.list_needs())
        schema = kind.phase.model_json_schema()
        for part in (schema, *schema.get("$defs", {}).values()):
            for name, field in part.get("properties", {}).items():
                if name in UNDRAWN:
                    continue
                yield f"field-{name}"
                roles = field.get("propertyNames", {}) if name == "models" else {}
                yield from (
                    f"role-{role}" for role in roles.get("enum", [roles.get("const")]) if role
                )
                for form in (field, field.get("items", {}), *field.get("anyOf", [])):
                    yield from (f"pick-{value}" for value in form.get("enum", []))


def test_each_field_of_a_kind_has_words() -> None:
    named = set(list_form_words())
    assert {"field-max_sources", "role-synthesizer", "role-summarizer"} <= named
    assert not [code for code in sorted(named) if code not in CATALOGUES["en"]]

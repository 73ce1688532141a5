"""Small faults put into the core one at a time: the share that the tests which import the changed module notice.

`python -m bench.mutants --seed 1 --mutants 140`. They are put into a clone, so that
neither the working tree nor what is not committed in it matters.
"""

import argparse
import ast
import difflib
import os
import random
import signal
import subprocess
import sys
import tempfile
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from itertools import accumulate, islice
from pathlib import Path

ROOT = Path(__file__).parents[1]
CORE = ("domain", "workflows", "activities/claims", "activities/calls", "store")
SLOW = {"page", "e2e", "chaos", "packaging", "observe", "deploy", "replay"}
"""Folders of tests that start whole stacks or browsers."""
MOST_STEPS = 4
COMPARISONS: dict[type[ast.cmpop], str] = {
    ast.Lt: "<=",
    ast.LtE: "<",
    ast.Gt: ">=",
    ast.GtE: ">",
    ast.Eq: "!=",
    ast.NotEq: "==",
    ast.Is: "is not",
    ast.IsNot: "is",
    ast.In: "not in",
    ast.NotIn: "in",
}
NAMES = {"min": "max", "max": "min", "any": "all", "all": "any"}


@dataclass(frozen=True)
class Replacement:
    """Bytes of a file, and what may replace them."""

    path: Path
    begin: int
    end: int
    new: str


@dataclass(frozen=True)
class Mutant:
    """A file with one place of it replaced."""

    path: Path
    text: str
    mutated: str

    @property
    def diff(self) -> str:
        """Return what differs from the file."""
        return "\n".join(
            difflib.unified_diff(
                *(self.text.splitlines(), self.mutated.splitlines()),
                *(str(self.path), str(self.path)),
                lineterm="",
                n=1,
            )
        )


def list_places(path: Path, root: Path = ROOT) -> Iterator[Replacement]:
    """Yield every place of a file with what may replace it; annotations and what only a type checker reads have none."""
    text = (root / path).read_text(encoding="utf-8")
    starts = list(accumulate((len(line) for line in text.encode().splitlines(True)), initial=0))
    for node in _walk(ast.parse(text)):
        for mutate in (_mutate_condition, _mutate_value, _mutate_statement):
            for replaced, new in mutate(node):
                begin = starts[replaced.lineno - 1] + replaced.col_offset
                end = starts[(replaced.end_lineno or 0) - 1] + (replaced.end_col_offset or 0)
                yield Replacement(path, begin, end, new)


def mutate(place: Replacement, root: Path = ROOT) -> Mutant | None:
    """Return a file with a place replaced, or nothing if the code is then the same or none."""
    text = (root / place.path).read_text(encoding="utf-8")
    raw = text.encode()
    mutated = (raw[: place.begin] + place.new.encode() + raw[place.end :]).decode()
    with suppress(SyntaxError):
        if ast.dump(ast.parse(mutated)) != ast.dump(ast.parse(text)):
            return Mutant(place.path, text, mutated)
    return None


def _walk(node: ast.AST) -> Iterator[ast.AST]:
    yield node
    for name, value in ast.iter_fields(node):
        if name in {"annotation", "returns", "decorator_list"}:
            continue
        for child in value if isinstance(value, list) else [value]:
            guards_types = isinstance(child, ast.If) and ast.unparse(child.test) == "TYPE_CHECKING"
            if isinstance(child, ast.AST) and not guards_types:
                yield from _walk(child)


Replacements = Iterator[tuple[ast.expr | ast.stmt, str]]


def _mutate_condition(node: ast.AST) -> Replacements:
    """Yield what replaces a condition, or a part of one."""
    match node:
        case ast.Compare(left=left, ops=[op], comparators=[right]):
            yield node, f"({ast.unparse(left)} {COMPARISONS[type(op)]} {ast.unparse(right)})"
        case ast.BoolOp(op=op, values=values):
            word, other = (" and ", " or ") if isinstance(op, ast.And) else (" or ", " and ")
            parts = [f"({ast.unparse(each)})" for each in values]
            yield node, f"({other.join(parts)})"
            for n in range(len(parts)):
                yield node, f"({word.join(parts[:n] + parts[n + 1 :])})"
        case ast.UnaryOp(op=ast.Not(), operand=operand):
            yield node, f"({ast.unparse(operand)})"
        case ast.If(test=test) | ast.IfExp(test=test):
            yield test, f"(not ({ast.unparse(test)}))"
        case _:
            pass


def _mutate_value(node: ast.AST) -> Replacements:
    """Yield what replaces a number, a truth value, a sum or a function of several values."""
    match node:
        case ast.BinOp(left=left, op=ast.Add() | ast.Sub() as op, right=right):
            sign = "-" if isinstance(op, ast.Add) else "+"
            yield node, f"({ast.unparse(left)} {sign} {ast.unparse(right)})"
        case ast.Constant(value=bool(value)):
            yield node, str(not value)
        case ast.Constant(value=int(value) | float(value)):
            yield node, str(value + 1)
        case ast.Call(func=ast.Name(id=name) as called) if name in NAMES:
            yield called, NAMES[name]
        case _:
            pass


def _mutate_statement(node: ast.AST) -> Replacements:
    """Yield what replaces a statement that does something, or what a function returns."""
    match node:
        case ast.Expr(value=ast.Call() | ast.Await()) | ast.Raise():
            yield node, "pass"
        case ast.Return(value=ast.expr() as value) if not isinstance(value, ast.Constant):
            yield value, "None"
        case _:
            pass


def draw(seed: int, count: int, parts: Sequence[str] = CORE, root: Path = ROOT) -> list[Mutant]:
    """Return mutants of these folders; each place of them is equally likely."""
    paths = sorted(path for part in parts for path in (root / part).rglob("*.py"))
    places = [place for path in paths for place in list_places(path.relative_to(root), root)]
    random.Random(seed).shuffle(places)  # noqa: S311 - a sample, no secret
    mutants = (made for place in places if (made := mutate(place, root)))
    return list(islice(mutants, count))


class Imports:
    """Which tests import a module, directly or through one other."""

    def __init__(self, root: Path = ROOT) -> None:
        listed = subprocess.run(
            ["git", "ls-files", "*.py"], cwd=root, capture_output=True, text=True, check=True
        )
        self._imported = {
            Path(name): {*_list_imported(root / name)} for name in listed.stdout.split()
        }

    def list_tests(self, path: Path) -> list[Path]:
        """Return the test files of a module: its namesake, those that import it, those of its folder, and those through one other module.

        A module that none of these has is tested by those that reach it in as few steps as there are. Tests of workflows
        import a harness, and not the module.
        """
        reached, seen = [path], {path}
        kept: list[Path] = []
        folder = [each for each in sorted(self._imported) if each.parent == "tests" / path.parent]
        for step in range(MOST_STEPS):
            if step >= 2 and kept:
                break
            reached = [each for each in self._list_importers(reached) if each not in seen]
            seen.update(reached)
            kept += [each for each in reached if _is_quick_test(each)]
            kept += [each for each in folder if _is_quick_test(each) and step == 0]
        return sorted(dict.fromkeys(kept), key=lambda each: each.name != f"test_{path.stem}.py")

    def _list_importers(self, paths: Sequence[Path]) -> list[Path]:
        modules = {".".join(each.with_suffix("").parts).removesuffix(".__init__") for each in paths}
        return sorted(each for each, names in self._imported.items() if names & modules)


def _is_quick_test(path: Path) -> bool:
    return path.name.startswith("test_") and not SLOW & {*path.parts}


def _list_imported(path: Path) -> Iterator[str]:
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.ImportFrom) and node.module:
            yield node.module
            yield from (f"{node.module}.{alias.name}" for alias in node.names)
        elif isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)


def judge(mutant: Mutant, tests: Sequence[Path], tree: Path, seconds: float) -> str:
    """Return what a mutant comes to in a copy of the tree: killed, killed by time, survived, or not tested."""
    if not tests:
        return "not tested"
    place = tree / mutant.path
    place.write_text(mutant.mutated, encoding="utf-8")
    command = [sys.executable, "-m", "pytest", "-qx", "-p", "no:cacheprovider", "-m", "not full"]
    process = subprocess.Popen(
        [*command, *map(str, tests)],
        cwd=tree,
        env=os.environ | {"PYTHONDONTWRITEBYTECODE": "1"},
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        start_new_session=True,
    )
    try:
        told, _ = process.communicate(timeout=seconds)
    except subprocess.TimeoutExpired:
        with suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGTERM)
        process.communicate()
        return "killed by time"
    finally:
        place.write_text(mutant.text, encoding="utf-8")
    noticed = next((line for line in told.splitlines() if line.startswith(("FAILED", "ERROR"))), "")
    return "survived" if process.returncode == 0 else f"killed: {noticed[:150]}"


def main(words: Sequence[str]) -> int:
    """Judge mutants and print each, with the diff of those that nothing noticed; return an exit code."""
    parser = argparse.ArgumentParser(prog="python -m bench.mutants", description=__doc__)
    parser.add_argument(
        "parts", nargs="*", metavar="FOLDER", help="of the core; default: all of it"
    )
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--mutants", type=int, default=20, metavar="N", help="how many to draw")
    parser.add_argument("--skip", type=int, default=0, metavar="N", help="how many were judged")
    parser.add_argument("--files", type=int, default=12, metavar="N", help="of tests for a mutant")
    parser.add_argument("--seconds", type=float, default=900, help="that its tests may take")
    told = parser.parse_args(words)
    drawn, imports = draw(told.seed, told.mutants, told.parts or CORE), Imports()
    fates: Counter[str] = Counter()
    with tempfile.TemporaryDirectory(prefix="greenlight-mutants-") as folder:
        tree = Path(folder) / "tree"
        subprocess.run(["git", "clone", "--quiet", "--shared", ROOT, tree], check=True)
        for installed in (".venv", "web/node_modules"):
            if (ROOT / installed).exists():
                (tree / installed).symlink_to((ROOT / installed).resolve())
        for number, mutant in enumerate(drawn[told.skip :], told.skip):
            tests = imports.list_tests(mutant.path)[: told.files]
            fate = judge(mutant, tests, tree, told.seconds)
            fates[fate.partition(":")[0]] += 1
            line = f"{number} {mutant.path}: {fate} ({len(tests)} files)"
            if not fate.startswith("killed"):
                line += f"\n{mutant.diff}"
            sys.stdout.write(f"{line}\n")
            sys.stdout.flush()
    sys.stdout.write(f"{dict(fates)}\n")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

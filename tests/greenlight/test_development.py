"""Development commands: failed tests are run again, and the project can be imported from any folder."""

import json
import re
import subprocess
import time
import venv
from pathlib import Path

import pytest

from greenlight import bootstrap, development
from greenlight.bootstrap import ROOT

FLAKY = """
from pathlib import Path

def test_passes_the_second_time():
    seen = Path(__file__).with_name("seen")
    was_there = seen.exists()
    seen.touch()
    assert was_there

def test_passes():
    pass
"""
BROKEN = "import pytest\n\n@pytest.mark.parametrize('n', range({count}))\ndef test_fails(n):\n    assert n < 0\n"

IN_TWO_PROCESSES = """
import pytest
from tests.greenlight.forks import run_in_forks

def pytest_runtestloop(session):
    run_in_forks(session, [session.items[:3], session.items[3:]], 2, {session.items[1]})
    return True

@pytest.fixture(scope="session")
def process(tmp_path_factory):
    yield
    (tmp_path_factory.getbasetemp().parent / "left").touch()
"""
ONE_DIES = """
import os
import warnings
from pathlib import Path

def test_warns(process):
    warnings.warn("careful")

def test_fails(process):
    raise AssertionError

def test_comes_after_the_end_of_fixtures(process):
    assert Path(__file__).with_name("base").joinpath("left").exists()

def test_kills_its_process():
    os._exit(0)

def test_is_after_it():
    pass
"""
ONE_HANGS = """
import time
from pathlib import Path

def test_fails(process):
    raise AssertionError

def test_hangs():
    Path(__file__).with_name("hangs").touch()
    time.sleep(60)
"""

ONE_NEVER_ENDS = """
import time
import pytest
from tests.greenlight import forks

forks.GRACE_SECONDS = 2

@pytest.fixture(scope="session")
def endless():
    yield
    time.sleep(600)

def test_passes():
    pass

def test_has_an_endless_fixture(endless):
    pass
"""


def remember(root: Path, *failed: str) -> None:
    """Write pytest's cache of failed tests."""
    cache = root / ".pytest_cache" / "v" / "cache"
    cache.mkdir(parents=True)
    (cache / "lastfailed").write_text(json.dumps(dict.fromkeys(failed, True)))
    (root / "pytest.ini").write_text("[pytest]\n")


def write_forked_tests(root: Path, tests: str) -> list[str]:
    """Write tests that run in two processes, and return the command that runs them."""
    (root / "conftest.py").write_text(IN_TWO_PROCESSES)
    (root / "test_some.py").write_text(tests)
    (root / "pytest.ini").write_text("[pytest]\n")
    options = ("-p", "no:schemathesis", f"--basetemp={root / 'base'}", f"--rootdir={root}")
    return [*development.PYTEST, *options, str(root)]


@pytest.mark.full
def test_test_that_passes_alone_is_named_as_flaky(
    tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "test_flaky.py").write_text(FLAKY)
    (tmp_path / "seen").touch()
    remember(tmp_path, "test_flaky.py::test_passes_the_second_time")
    assert development.rerun_failed(tmp_path) == 0
    assert "FLAKY test_flaky.py::test_passes_the_second_time\n" in capfd.readouterr().out


def test_test_that_fails_twice_fails_the_run(
    tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "test_flaky.py").write_text(FLAKY)
    (tmp_path / "test_broken.py").write_text(BROKEN.format(count=1))
    (tmp_path / "seen").touch()
    flaky = "test_flaky.py::test_passes_the_second_time"
    remember(tmp_path, flaky, "test_broken.py::test_fails[0]")
    assert development.rerun_failed(tmp_path) == development.TESTS_FAILED
    said = capfd.readouterr().out
    assert "FLAKY test_flaky.py" in said
    assert "FLAKY test_broken.py" not in said


def test_many_failures_are_not_run_again(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    count = development.MOST_RERUN + 1
    (tmp_path / "test_broken.py").write_text(BROKEN.format(count=count))
    remember(tmp_path, *(f"test_broken.py::test_fails[{n}]" for n in range(count)))
    assert development.rerun_failed(tmp_path) == development.TESTS_FAILED
    assert not capfd.readouterr().out


def test_each_test_of_several_processes_is_reported_or_failed(tmp_path: Path) -> None:
    argv = write_forked_tests(tmp_path, ONE_DIES)
    done = subprocess.run(argv, cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == development.TESTS_FAILED
    assert "3 failed, 2 passed, 1 warning" in done.stdout, done.stdout
    assert "careful" in done.stdout
    assert (tmp_path / "base" / "left").exists(), "what tests share is torn down"
    remembered = development._list_failed(tmp_path)
    failed = ("test_fails", "test_kills_its_process", "test_is_after_it")
    assert remembered == {f"test_some.py::{name}" for name in failed}


def test_process_that_does_not_end_is_ended_and_fails_its_last_test(tmp_path: Path) -> None:
    argv = write_forked_tests(tmp_path, ONE_NEVER_ENDS)
    done = subprocess.run(argv, cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == development.TESTS_FAILED
    assert "1 failed, 2 passed" in done.stdout, done.stdout
    assert "in endless" in done.stderr, done.stderr


def test_interrupted_processes_print_what_failed_so_far(tmp_path: Path) -> None:
    argv = write_forked_tests(tmp_path, ONE_HANGS)
    with subprocess.Popen(argv, cwd=ROOT, stdout=subprocess.PIPE, text=True) as run:
        while not (tmp_path / "hangs").exists():
            assert run.poll() is None
            time.sleep(0.05)
        run.terminate()
        said, _ = run.communicate(timeout=20)
    assert run.returncode == pytest.ExitCode.INTERRUPTED
    assert re.search(r"^FAILED .*test_some.py::test_fails\b", said, re.MULTILINE), said
    assert development._list_failed(tmp_path) == {"test_some.py::test_fails"}
    assert (tmp_path / "base" / "left").exists(), "what tests share is torn down"


def test_project_is_importable_from_any_folder(tmp_path: Path) -> None:
    venv.create(tmp_path / "venv", symlinks=True)
    python = tmp_path / "venv" / "bin" / "python"
    found = [str(python), "-c", "import greenlight.errors as e; print(e.__file__)"]

    def look() -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            found, cwd=tmp_path, env={}, capture_output=True, text=True, check=False
        )

    assert "No module named" in look().stderr
    for _ in range(2):
        bootstrap.make_importable(tmp_path / "venv", bootstrap.ROOT)
    assert Path(look().stdout.strip()) == bootstrap.ROOT / "greenlight" / "errors.py"

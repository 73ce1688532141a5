"""Development commands: failed tests run once more, and the project is importable from any folder."""

import json
import subprocess
import venv
from pathlib import Path

import pytest

from greenlight import bootstrap, development

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


def remember(root: Path, *failed: str) -> None:
    """Leave behind what a run of pytest does in which these tests failed."""
    cache = root / ".pytest_cache" / "v" / "cache"
    cache.mkdir(parents=True)
    (cache / "lastfailed").write_text(json.dumps(dict.fromkeys(failed, True)))
    (root / "pytest.ini").write_text("[pytest]\n")


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

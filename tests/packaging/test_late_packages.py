"""Packages that are installed when first used: by uv or pip, whole, by one process at a time."""

import base64
import ensurepip
import hashlib
import subprocess
import sys
import sysconfig
import venv
import zipfile
from pathlib import Path

import pytest

from activities import late_packages
from activities.late_packages import InstallFailed, install_pins, is_installed, select_pins
from greenlight.bootstrap import RUNTIME
from tests.packaging.conftest import UV

NAME = "small-package"


@pytest.fixture
def index(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder that uv and pip take for the only index, with one wheel in it."""
    folder = tmp_path / "index"
    folder.mkdir()
    monkeypatch.setenv("PIP_NO_INDEX", "1")
    monkeypatch.setenv("PIP_FIND_LINKS", str(folder))
    monkeypatch.setenv("UV_OFFLINE", "1")
    monkeypatch.setenv("UV_FIND_LINKS", str(folder))
    monkeypatch.setenv("UV_CACHE_DIR", str(tmp_path / "cache"))
    write_wheel(folder / "small_package-1.0-py3-none-any.whl")
    return folder


def write_wheel(path: Path) -> None:
    files = {
        "small_package.py": b"SMALL = True\n",
        "small_package-1.0.dist-info/METADATA": b"Metadata-Version: 2.1\nName: small-package\nVersion: 1.0\n",
        "small_package-1.0.dist-info/WHEEL": b"Wheel-Version: 1.0\nGenerator: us\nRoot-Is-Purelib: true\nTag: py3-none-any\n",
    }
    record = "".join(
        f"{name},sha256={base64.urlsafe_b64encode(hashlib.sha256(text).digest()).rstrip(b'=').decode()},{len(text)}\n"
        for name, text in files.items()
    )
    with zipfile.ZipFile(path, "w") as wheel:
        for name, text in files.items():
            wheel.writestr(name, text)
        wheel.writestr("small_package-1.0.dist-info/RECORD", record)


def pin(index: Path) -> str:
    [wheel] = index.iterdir()
    return f"{NAME}==1.0 \\\n    --hash=sha256:{hashlib.sha256(wheel.read_bytes()).hexdigest()}\n"


def make_environment(folder: Path) -> Path:
    venv.create(folder, symlinks=True)
    return folder / "bin" / "python"


def add_pip(environment: Path) -> None:
    """Let an environment import pip from Python's own wheel: to install it takes five seconds of processor time."""
    wheels = sysconfig.get_config_var("WHEEL_PKG_DIR")  # where a distribution, as Debian, has them
    folder = Path(wheels) if wheels else Path(ensurepip.__file__).parent / "_bundled"
    [wheel] = folder.glob("pip-*.whl")
    [packages] = environment.glob("lib/python*/site-packages")
    (packages / "pip.pth").write_text(f"{wheel}\n", "utf-8")


def imports(python: Path) -> bool:
    code = "import small_package"
    return not subprocess.run([python, "-c", code], capture_output=True, check=False).returncode


def test_uv_installs_where_there_is_one(
    index: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("UV", str(UV))
    python = make_environment(tmp_path / "bare")
    assert not imports(python)
    install_pins(pin(index), python, print)
    assert imports(python)


@pytest.mark.parametrize("has_broken_uv", [True, pytest.param(False, marks=pytest.mark.full)])
def test_pip_installs_where_no_uv_can(
    index: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    has_broken_uv: bool,
) -> None:
    broken = tmp_path / "uv"
    broken.write_text("#!/bin/sh\nexit 2\n", "ascii")
    broken.chmod(0o700)
    monkeypatch.setenv("UV", str(broken) if has_broken_uv else "")
    monkeypatch.setenv("PATH", "/usr/bin:/bin")
    python = make_environment(tmp_path / "ordinary")
    add_pip(tmp_path / "ordinary")
    said: list[str] = []
    install_pins(pin(index), python, said.append)
    assert imports(python)
    assert any("trying pip" in line for line in said) is has_broken_uv


def test_another_file_than_the_lock_s_is_not_installed(
    index: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("UV", str(UV))
    monkeypatch.setattr(late_packages, "find_spec", lambda _: None)  # this process has a pip, too
    expected = pin(index)
    [wheel] = index.iterdir()
    with zipfile.ZipFile(wheel, "a") as changed:
        changed.writestr("more.py", b"")
    python = make_environment(tmp_path / "bare")
    with pytest.raises(InstallFailed, match="Hash mismatch"):
        install_pins(expected, python, print)
    assert not imports(python)


def test_a_feature_whose_installation_was_cut_off_or_is_outdated_is_installed_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sys, "prefix", str(tmp_path))
    assert is_installed("exports")
    (tmp_path / "greenlight-exports.unfinished").touch()
    assert not is_installed("exports")
    (tmp_path / "greenlight-exports.unfinished").unlink()
    lock = tmp_path / "lock"
    lock.write_text("typst==0.0.1 \\\n    --hash=sha256:0\n", "ascii")
    monkeypatch.setattr(late_packages, "LOCK", lock)
    assert not is_installed("exports")


def test_first_run_and_features_together_are_the_whole_lock() -> None:
    first = select_pins(RUNTIME)
    assert "\ntypst==" not in first
    later = [select_pins(RUNTIME, [feature]) for feature in late_packages.FEATURES]
    lines = {line for part in (first, *later) for line in part.splitlines()}
    assert lines == {*RUNTIME.read_text("ascii").splitlines()}

"""The wheel: what is in it, that it is reproducible, and that it runs without a clone and without an index."""

import json
import os
import re
import shutil
import subprocess
import tomllib
import zipfile
from pathlib import Path

import httpx
import pytest

from activities.late_packages import FEATURES, LATER
from greenlight.bootstrap import ROOT, RUNTIME
from greenlight.cli import DEVELOPERS
from greenlight.packaging.wheel import FOLDER, build_wheel, list_requirements
from tests.packaging.conftest import UV, Installation
from tests.support.documents import read_blocks
from tests.support.words import en

DATA = (".json", ".gz", ".csv", ".md", ".sql", ".typ", ".lua", ".css", ".docx", ".openxml", ".txt")
QUESTION = "How much irrigated land do Kenya and Ethiopia have, and how does it compare with their population?"


def test_two_builds_are_equal_byte_for_byte(
    wheel: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SOURCE_DATE_EPOCH", "1700000000")
    first, second = (build_wheel(tmp_path / name).read_bytes() for name in ("first", "second"))
    assert first == second
    assert zipfile.ZipFile(tmp_path / "first" / wheel.name).infolist()[0].date_time[0] == 2023


def test_nothing_of_the_wheel_shadows_a_name_of_an_environment(wheel: Path) -> None:
    names = {name.partition("/")[0] for name in zipfile.ZipFile(wheel).namelist()}
    version = wheel.name.split("-")[1]
    assert names == {FOLDER, "greenlight.pth", f"greenlight-{version}.dist-info"}


def test_wheel_holds_every_room_its_data_and_the_page(wheel: Path) -> None:
    names = {
        name.removeprefix(f"{FOLDER}/")
        for name in zipfile.ZipFile(wheel).namelist()
        if name.startswith(f"{FOLDER}/")
    }
    linter = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["tool"]["importlinter"]
    rooms = {*linter["root_packages"]} - {"bench"}
    assert {*rooms, "web", "worker.py", "settings.py", RUNTIME.name, LATER.name} == {
        name.partition("/")[0] for name in names
    }
    data = {
        path.relative_to(ROOT).as_posix()
        for room in rooms
        for path in (ROOT / room).rglob("*")
        if path.suffix in DATA and path.parent != ROOT / "greenlight" / "packaging"
    }
    assert data <= names
    page = {
        path.relative_to(ROOT).as_posix()
        for path in (ROOT / "web" / "dist" / "assets").iterdir()
        if path.is_file()
    }
    assert page
    assert {*page, "web/dist/index.html"} <= names
    assert not [
        name for name in names if re.search(r"__pycache__|\.env|\btests\b|node_modules", name)
    ]


def test_the_wheel_requires_the_pins_of_the_lock_and_no_features(wheel: Path) -> None:
    with zipfile.ZipFile(wheel) as packed:
        [metadata] = [name for name in packed.namelist() if name.endswith("/METADATA")]
        text = packed.read(metadata).decode()
    required = re.findall(r"^Requires-Dist: ([^=;]+)==([^ ;\n]+)", text, re.MULTILINE)
    assert len(required) == text.count("Requires-Dist:") == len(list_requirements())
    lock = RUNTIME.read_text("ascii")
    assert all(f"\n{name}=={version} " in f"\n{lock}" for name, version in required)
    later = json.loads(LATER.read_text("ascii"))
    assert not {name for name, _ in required} & {name for names in later.values() for name in names}
    assert {package for package, _, _ in FEATURES.values()} <= {
        n for ns in later.values() for n in ns
    }


@pytest.mark.full
@pytest.mark.timeout(300)
def test_an_installed_one_answers_in_another_project_s_folder_and_says_what_an_export_lacks(
    installation: Installation,
) -> None:
    before = _list_files(installation.packages)
    work = installation.folder / "work"
    for name in ("worker.py", "settings.py", "offline.py", "api.py"):
        (work / name).write_text("raise SystemExit('another project')\n", "ascii")
    (work / ".env").write_text("DATABASE_URL=postgresql://another@127.0.0.1:9/project\n", "ascii")
    theirs = {*work.iterdir()}
    with installation.start("up", "--json", "--no-browser") as up:
        assert up.stdout
        assert up.stderr
        gateway = json.loads(up.stdout.readline())["gateway"]
        page = httpx.get(gateway).text
        [script] = re.findall(r'src="(/assets/[^"]+)"', page)
        assert httpx.get(gateway + script).status_code == 200
        run = installation.run("run", "--yes", "--definition", "web_answer", QUESTION)
        refused = installation.run("report", "last", "--format", "pdf", "--out", "report.pdf")
        told = iter(up.stderr.readline, "")
        assert any("installing what PDF and Word files need: about 56 MB, once" in t for t in told)
        up.terminate()
    assert run.returncode == 0, run.stderr
    assert "4 sources read" in run.stdout
    assert "greenlight watch run-" in run.stderr
    assert refused.returncode == 1
    assert en("exports-packages", reason="…").split("…")[0] in refused.stderr
    assert "127.0.0.1:9" in refused.stderr, "the installer's own reason"
    assert (installation.folder / "state" / "greenlight" / "stack.lock").exists()
    assert {*work.iterdir()} == theirs
    for path in theirs:
        path.unlink()
    assert _list_files(installation.packages) == before, "a file was written beside the packages"


def test_an_installed_one_knows_its_version_and_what_needs_a_clone(
    installation: Installation,
) -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
    assert installation.run("--version").stdout == f"greenlight {project['version']}\n"
    assert "greenlight run" in installation.run("--help").stdout
    assert "screenshots" not in installation.run("--help").stdout
    for name in DEVELOPERS:
        refused = installation.run(name)
        assert refused.returncode == 1
        assert en("cli-needs-clone", command=name) in refused.stderr


@pytest.mark.parametrize("feature", FEATURES)
def test_without_an_index_a_feature_is_not_installed(
    installation: Installation, feature: str
) -> None:
    code = f"""
from activities.late_packages import InstallFailed, install, is_installed
assert not is_installed({feature!r})
try:
    install({feature!r}, print)
except InstallFailed as error:
    print("failed:", error)
assert not is_installed({feature!r})
"""
    done = installation.evaluate(code)
    assert done.returncode == 0, done.stderr
    assert "failed: " in done.stdout
    listed = installation.run("features").stdout
    assert feature == "page" or re.search(
        rf"^{feature} .* MB, when first used$", listed, re.MULTILINE
    )
    bare = installation.evaluate(code, UV="")
    assert "neither uv nor pip" in bare.stdout, bare.stderr


def test_without_an_index_crews_are_tried_again_and_recall_goes_on_without(
    installation: Installation,
) -> None:
    code = """
import asyncio
from pathlib import Path
from activities.integrations.crewai_env import LateKickoff
from activities.integrations.embedder import LocalEmbedder
from contracts.errors import EmbeddingFailed, PackagesMissing
try:
    LateKickoff(Path("scratch"), installs=True).load()
except PackagesMissing as error:
    print(error.words.code)
try:
    asyncio.run(LocalEmbedder(installs=True).embed("a question"))
except EmbeddingFailed as error:
    print(error.words.code)
"""
    done = installation.evaluate(code)
    assert done.stdout.split() == ["crew-packages", "embed-missing"], done.stderr


def _list_files(folder: Path) -> set[str]:
    """Return the files below a folder; bytecode is Python's own."""
    return {
        os.path.join(place, name)
        for place, _, names in os.walk(folder)
        for name in names
        if not name.endswith(".pyc")
    }


@pytest.mark.full
@pytest.mark.timeout(600)
def test_uvx_runs_the_readme_s_command_and_installs_what_an_export_needs(
    wheel: Path, tmp_path: Path
) -> None:
    """It takes a package index."""
    [command] = (b.text for b in read_blocks(ROOT / "README.md") if b.heading == "One command")
    assert wheel.name in command
    shutil.copy(wheel, tmp_path)
    told = {k: v for k, v in os.environ.items() if not k.startswith("GREENLIGHT_")}
    told |= {"HOME": str(tmp_path), "XDG_STATE_HOME": str(tmp_path / "state")}
    told["PATH"] = f"{UV.parent}:{told['PATH']}"

    def run(line: str) -> str:
        done = subprocess.run(
            ["bash", "-ec", line],
            env=told,
            cwd=tmp_path,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            check=False,
        )
        assert done.returncode == 0, done.stderr
        return done.stdout + done.stderr

    assert "Start in Cambodia" in run(command.replace("greenlight run", "greenlight run --yes"))
    uvx = command.partition(" greenlight run")[0]
    assert "installed what PDF and Word files need" in run(
        f"{uvx} greenlight report last --out r.pdf"
    )
    assert (tmp_path / "r.pdf").read_bytes().startswith(b"%PDF-")

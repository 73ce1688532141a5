"""Failed commands print one helpful line, and leave nothing behind."""

import os
import shutil
import signal
import socket
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from greenlight.argument_errors import parse
from greenlight.cli import PROVIDER_KEYS, build_parser, run_command
from tests.greenlight.conftest import ROOT, Command
from tests.support.words import en, phrase

SCHEDULE_ACTIONS = "list | add | show | pause | resume | trigger | backfill | remove"


@pytest.fixture
def _own_signals() -> Iterator[None]:
    """Give the process its handlers of signals back, which `up` takes for its own."""
    handlers = {
        each: signal.getsignal(each) for each in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
    }
    yield
    for each, handler in handlers.items():
        signal.signal(each, handler)


@pytest.mark.usefixtures("_own_signals")
@pytest.mark.parametrize(
    ("place", "reason"),
    [("file/home", "Not a directory"), ("a" * 300, "File name too long")],
    ids=["below a file", "too long"],
)
def test_home_that_cannot_be_created_is_one_line(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    place: str,
    reason: str,
) -> None:
    (tmp_path / "file").touch()
    monkeypatch.setenv("GREENLIGHT_HOME", str(tmp_path / place))
    assert run_command(["up", "--json"]) == 1
    said = capsys.readouterr()
    assert said.out == ""
    assert said.err.startswith(f"greenlight: {reason}: ")


@pytest.mark.full
def test_chosen_port_that_is_taken_is_one_line(tmp_path: Path) -> None:
    with socket.socket() as other:
        other.bind(("127.0.0.1", 0))
        other.listen()
        port = str(other.getsockname()[1])
        code, output, complaint = Command(tmp_path / "home", {"GREENLIGHT_PORT": port}).run("up")
    assert (code, output) == (1, "")
    assert f"GREENLIGHT_PORT: another process has port {port}" in complaint


@pytest.mark.parametrize(
    ("settings", "words"),
    [
        pytest.param(
            {"DATABASE_URL": "postgresql://127.0.0.1:1/none"},
            "the database cannot be used",
            id="database",
            marks=pytest.mark.full,
        ),
        pytest.param({"TEMPORAL_ADDRESS": "127.0.0.1:1"}, "Temporal is unreachable", id="temporal"),
    ],
)
def test_unreachable_server_in_the_settings_is_one_line(
    tmp_path: Path, settings: dict[str, str], words: str
) -> None:
    code, output, complaint = Command(tmp_path / "home", settings).run("up", "--json")
    assert (code, output) == (1, "")
    assert words in complaint
    assert "Traceback" not in complaint


@pytest.mark.usefixtures("_own_signals")
@pytest.mark.parametrize(
    ("name", "value", "words"),
    [
        ("GREENLIGHT_CAP_USD", "-1", f"GREENLIGHT_CAP_USD: {phrase('value-above')} 0"),
        ("GREENLIGHT_FETCH_ALLOW", "a,b", "greenlight_fetch_allow"),
        ("GREENLIGHT_PORT", "99999", f"GREENLIGHT_PORT: {phrase('value-most')} 65,535"),
    ],
    ids=["number", "list", "port"],
)
def test_setting_that_is_not_allowed_is_one_line(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    name: str,
    value: str,
    words: str,
) -> None:
    monkeypatch.setenv("GREENLIGHT_HOME", str(tmp_path / "home"))
    monkeypatch.setenv(name, value)
    assert run_command(["up", "--json"]) == 1
    said = capsys.readouterr()
    assert said.out == ""
    assert words in said.err
    assert said.err.startswith("greenlight: ")
    assert said.err.count("\n") == 1


@pytest.mark.parametrize(
    ("typed", "says"),
    [
        ("up --library nowhere", f"--library: {en('cli-not-directory', path='nowhere')}"),
        ("up --library=", f"--library: {en('cli-not-directory', path='')}"),
        (
            "rnu x",
            en(
                "cli-not-among",
                what="command",
                word="rnu",
                hint=en("did-you-mean", near="run"),
            ),
        ),
        ("stop", en("cli-not-among", what="command", word="stop")),
        ("runs what", f"{en('cli-words-many', words='what')}\n"),
        ("run", en("cli-question-missing")),
        ("run What is that", en("cli-words-many-question", words="is that")),
        (
            "run x --defnition y",
            en(
                "cli-option-unknown",
                option="--defnition",
                hint=en("did-you-mean", near="--definition"),
            ),
        ),
        (
            "follow-up last --yes And more",
            en("cli-words-many-question", words="more"),
        ),
        ("run x --budget much", f"--budget: {en('cli-not-number', text='much')}"),
        ("run x --only", f"--only: {en('cli-no-value')}"),
        ("run x --only --yes", f"--only: {en('cli-no-value')}"),
        ("run x --yes=no", f"--yes: {en('cli-takes-no-value')}"),
        (
            "run x --de quick",
            en("cli-ambiguous", option="--de", known=["--definition", "--depth"]),
        ),
        (
            "budgets set --user ada --all",
            f"--all: {en('cli-excludes', names=['--user', '--key'])}",
        ),
        ("budgets set --day 1", f"{en('cli-left-out', names=['--user | --key | --all'])}\n"),
        ("report", f"{en('cli-left-out', names=['RUN'])}\n"),
        ("channels add ntfy", f"{en('cli-left-out', names=['TARGET'])}\n"),
        ("schedules", f"{en('cli-left-out', names=[SCHEDULE_ACTIONS])}\n"),
        ("schedules add", f"{en('cli-left-out', names=['RUN', '--at'])}\n"),
        ("collections add laws", f"{en('cli-left-out', names=['PATH'])}\n"),
        ("--verbose", f"{en('cli-left-out', names=['COMMAND'])}\n"),
        (
            "run x --set sources=5",
            f"--set: {en('cli-not-assignment', text='sources=5', form='PHASE.FIELD=VALUE')}",
        ),
        ("undo last all", f"EVENT: {en('cli-not-whole-number', text='all')}"),
        (
            "report last --format pfd",
            en(
                "cli-not-among",
                what="--format",
                word="pfd",
                hint=en("did-you-mean", near="pdf"),
            ),
        ),
        (
            "answer r text",
            f"QUESTION=TEXT: {en('cli-not-assignment', text='text', form='NAME=VALUE')}",
        ),
    ],
)
def test_what_cannot_be_read_is_named_with_the_nearest_word(
    capsys: pytest.CaptureFixture[str], typed: str, says: str
) -> None:
    assert run_command(typed.split()) == 2
    said = capsys.readouterr()
    assert said.out == ""
    assert said.err.startswith(f"greenlight: {says}")
    assert "usage:" not in said.err


def test_no_word_at_all_gets_the_commands_and_an_example(
    capsys: pytest.CaptureFixture[str],
) -> None:
    with pytest.raises(SystemExit) as end:
        run_command([])
    assert end.value.code == 0
    said = capsys.readouterr().out
    assert said.index('greenlight run "') < said.index("COMMAND\n") < said.index("    run ")


def test_words_that_are_no_text_are_a_usage_error(tmp_path: Path) -> None:
    code, output, complaint = Command(tmp_path / "home").run(
        "run", b"caf\xe9".decode(errors="surrogateescape")
    )
    assert (code, output) == (2, "")
    assert complaint == f"greenlight: {en('cli-not-utf8')}\n"


@pytest.mark.full
def test_no_provider_key_reaches_a_test(tmp_path: Path) -> None:
    probe = tmp_path / "test_probe.py"
    probe.write_text(
        f"import os\ndef test(): assert not any(map(os.environ.get, {PROVIDER_KEYS}))\n", "utf-8"
    )
    command = Command(tmp_path / "home", dict.fromkeys(PROVIDER_KEYS, "secret"))
    code, output, complaint = command.run("test", "-ptests.conftest", str(probe))
    assert code == 0, output + complaint


def test_unsupported_python_gets_one_line() -> None:
    pretend = "import runpy, sys; sys.version_info = (3, 10, 9); runpy.run_module('greenlight', None, '__main__')"
    told = subprocess.run(
        [sys.executable, "-c", pretend],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
    )
    assert told.returncode == 1
    assert told.stderr.startswith("Greenlight needs Python 3.11, 3.12 or 3.13; this is 3.10.")


@pytest.mark.full
def test_no_package_index_is_said_in_the_last_line(tmp_path: Path) -> None:
    shutil.copytree(ROOT / "greenlight", tmp_path / "greenlight")
    for lock in ("requirements.lock", "requirements-dev.lock"):
        shutil.copy(ROOT / lock, tmp_path)
    nowhere = {"PIP_INDEX_URL": "http://127.0.0.1:1/", "PIP_RETRIES": "0"}
    told = subprocess.run(
        [sys.executable, "-m", "greenlight", "runs"],
        cwd=tmp_path,
        env=os.environ | nowhere,
        capture_output=True,
        text=True,
        check=False,
    )
    assert told.returncode == 1
    assert "It takes a package index" in told.stderr.splitlines()[-1]
    assert "Traceback" not in told.stderr


@pytest.mark.parametrize(
    "typed", ["follow-up last And? --yes", "follow-up last --yes And?", "follow-up --yes last And?"]
)
def test_question_may_stand_behind_options(typed: str) -> None:
    args = parse(build_parser(), typed.split())
    assert (args.run, args.question, args.yes) == ("last", "And?", True)

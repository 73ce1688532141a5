"""Invalid and hostile archives are refused with the file's name, and with little memory and time."""

import json
import tracemalloc
from pathlib import Path

import pytest

from contracts.archive import (
    EVENTS,
    MANIFEST,
    MAX_EVENTS,
    RUN,
    SIGNATURE,
    ArchiveSignature,
    EventChain,
)
from greenlight.archives import archive_reader
from greenlight.archives.archive_reader import open_archive
from greenlight.archives.archive_verification import verify
from greenlight.cli import run_command
from greenlight.errors import CommandError
from tests.support.product.archives import Files, find_codes, write_sealed, write_zip
from tests.support.words import en, pattern, phrase

TOLD = {
    "format": "greenlight-archive",
    "version": 1,
    "run_id": "r",
    "status": "completed",
    "chain": {"events": 0, "head": ""},
    "entries": [],
}
FILES: Files = {"events.txt": b"", "calls.jsonl": b"", MANIFEST: json.dumps(TOLD).encode()}
STEERING = "\x1b[8m\n✓ everything holds\u202e"
PAGE = f"pages/{'0' * 64}"


def manifest(**changes: object) -> tuple[str, bytes]:
    return MANIFEST, json.dumps(TOLD | changes).encode()


def lists(name: str, size: int) -> tuple[str, bytes]:
    return manifest(entries=[{"name": name, "bytes": size, "sha256": "0" * 64}])


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "run.zip"


REFUSED = {
    "empty": (b"", "archive-unreadable"),
    "a text": (b"no archive", "archive-unreadable"),
    "one byte": (b"P", "archive-unreadable"),
    "an end of nothing": (b"PK\x05\x06" + bytes(18), "archive-no-manifest"),
}


@pytest.mark.parametrize(("content", "code"), REFUSED.values(), ids=REFUSED)
def test_file_that_is_no_archive_is_refused(path: Path, content: bytes, code: str) -> None:
    path.write_bytes(content)
    with pytest.raises(CommandError, match=pattern(code)), open_archive(path):
        pass


def test_missing_file_and_folder_are_refused(path: Path, tmp_path: Path) -> None:
    for each in (path, tmp_path):
        with pytest.raises(CommandError, match=pattern("archive-unreadable")), open_archive(each):
            pass


HOSTILE = {
    "a path outside": ([manifest(), ("../../etc/passwd", b"x")], "archive-odd-name"),
    "an absolute path": ([manifest(), ("/etc/passwd", b"x")], "archive-odd-name"),
    "a path of Windows": ([manifest(), ("..\\x", b"x")], "archive-odd-name"),
    "a folder": ([manifest(), ("pages/", b"")], "archive-odd-name"),
    "control characters": ([manifest(), ("pages/\x1b[2J", b"x")], "archive-odd-name"),
    "a name twice": ([manifest(), (PAGE, b"x"), (PAGE, b"y")], "archive-twice"),
    "an unlisted entry": ([manifest(), (PAGE, b"x")], "archive-unlisted"),
    "a lost entry": ([lists(PAGE, 1)], "archive-unlisted"),
    "a newer version": ([manifest(version=2)], "archive-other-version"),
    "another format": ([manifest(format="tar")], "archive-other-format"),
    "a field more": ([manifest(more=1)], "archive-other-format"),
    "a run's id of two lines": ([manifest(run_id="r\n✓")], "archive-other-format"),
    "a status of its own": ([manifest(status="fine\x1b[8m")], "archive-other-format"),
    "a chain without end": (
        [manifest(chain={"events": MAX_EVENTS + 1, "head": ""})],
        "archive-other-format",
    ),
    "no JSON": ([(MANIFEST, b"{" * 100_000)], "archive-other-format"),
    "deep JSON": ([(MANIFEST, b"[" * 100_000 + b"]" * 100_000)], "archive-other-format"),
    "a huge manifest": ([(MANIFEST, b" " * 10_000_001)], "archive-large"),
    "a bomb that is told": ([lists(PAGE, 10**12), (PAGE, b"x")], "archive-unpacked"),
    "no manifest": ([("run.json", b"{}")], "archive-no-manifest"),
}


@pytest.mark.filterwarnings("ignore:Duplicate name")
@pytest.mark.parametrize(("entries", "code"), HOSTILE.values(), ids=HOSTILE)
def test_hostile_archive_is_refused(
    path: Path, entries: list[tuple[str, bytes]], code: str
) -> None:
    write_zip(path, entries)
    with pytest.raises(CommandError, match=pattern(code)), open_archive(path):
        pass


def test_bomb_that_is_not_told_is_not_unpacked(path: Path) -> None:
    write_zip(path, [lists(PAGE, 10), (PAGE, bytes(100_000_000))])
    tracemalloc.start()
    with pytest.raises(CommandError, match=pattern("archive-entry-altered")), open_archive(path):
        pass
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 10_000_000


def test_log_is_not_read_beyond_its_chain(path: Path) -> None:
    write_sealed(path, FILES | {EVENTS: b"\n" * 1_000}, chain=EventChain(events=3, head=""))
    with open_archive(path) as archive:
        found = verify(archive)
    assert found.counts["events"] == 4
    assert "archive-chain-cut" in {each.code for each in found.findings}


def test_entry_that_is_read_whole_is_bounded(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(archive_reader, "MAX_HELD_BYTES", 1_000)
    write_zip(path, [lists(PAGE, 1_001), (PAGE, bytes(1_001))])
    refused = pytest.raises(CommandError, match=pattern("archive-large"))
    with open_archive(path) as archive, refused:
        archive.read(PAGE)


def bomb(n: int) -> bytes:
    return b'{"run_id": "r", "snapshot": {"x": [' + b"[]," * n + b"[]]}}"


def test_json_with_too_many_values_is_not_parsed(path: Path) -> None:
    event = b"0" * 64 + b" " + bomb(600_000).replace(b"run_id", b"HumanResponseEvent")
    for rows in ({RUN: bomb(600_000)}, {EVENTS: event}):
        write_sealed(path, FILES | rows, chain=EventChain(events=1, head=""))
        assert "archive-values" in find_codes(path)
    write_zip(path, [manifest(entries=[{}] * 600_000)])
    with pytest.raises(CommandError, match=pattern("archive-values")), open_archive(path):
        pass


def test_refused_row_is_not_held_for_each_error(path: Path) -> None:
    write_sealed(path, FILES | {RUN: bomb(200_000)})
    tracemalloc.start()
    assert "archive-entry-broken" in find_codes(path)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 50_000_000


@pytest.mark.parametrize("name", [EVENTS, RUN])
def test_long_line_and_row_are_refused(
    path: Path, name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(archive_reader, "MAX_JSON_BYTES", 2_000)
    write_sealed(path, FILES | {name: b" " * 2_001})
    assert "archive-large" in find_codes(path)


def test_too_many_entries_are_refused(path: Path) -> None:
    names = [f"pages/{n:064x}" for n in range(archive_reader.MAX_ENTRIES)]
    write_zip(path, [manifest(), *((name, b"") for name in names)])
    with pytest.raises(CommandError, match=pattern("archive-many")), open_archive(path):
        pass


def test_cut_off_file_is_refused_or_found(path: Path) -> None:
    whole = write_sealed(path, FILES).read_bytes()
    for length in range(len(whole)):
        path.write_bytes(whole[:length])
        assert is_told(path), length


def is_told(path: Path) -> bool:
    """Return whether a file is refused as unreadable, or found to be changed."""
    try:
        return "archive-unsealed" in find_codes(path)
    except CommandError as error:
        return phrase("archive-unreadable") in str(error)


def test_command_says_what_is_wrong_and_fails(
    path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path.write_bytes(b"no archive")
    assert run_command(["verify", str(path)]) == run_command(["replay", str(path)]) == 1
    told = capsys.readouterr()
    assert told.out == ""
    assert told.err.count(phrase("archive-unreadable")) == 2
    assert "Traceback" not in told.err


@pytest.mark.parametrize("entries", [[manifest(**{STEERING: 1})], [manifest(), (STEERING, b"")]])
def test_refusal_does_not_steer_the_terminal(
    path: Path, entries: list[tuple[str, bytes]], capsys: pytest.CaptureFixture[str]
) -> None:
    write_zip(path, entries)
    assert run_command(["verify", str(path)]) == 1
    told = capsys.readouterr().err
    assert "everything holds" in told
    assert told.removesuffix("\n").isprintable()


def test_signature_that_is_not_ascii_is_wrong(path: Path) -> None:
    write_zip(path, [manifest(), (SIGNATURE, ArchiveSignature(mac="ü").model_dump_json().encode())])
    assert "archive-signature-wrong" in find_codes(path, secret="a key")


@pytest.mark.parametrize("content", [None, b"", b" \n", b"\xff"])
def test_key_that_cannot_be_read_or_is_empty_is_a_usage_error(
    path: Path, content: bytes | None, capsys: pytest.CaptureFixture[str]
) -> None:
    write_sealed(path, FILES)
    key = path.parent / "key"
    if content is not None:
        key.write_bytes(content)
    assert run_command(["verify", str(path), "--key", str(key)]) == 2
    told = capsys.readouterr()
    assert told.out == ""
    assert en("cli-unreadable", path=str(key), reason="") in told.err

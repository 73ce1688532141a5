"""A real run as one file: it verifies and replays offline, and reveals every change."""

import asyncio
import filecmp
import hashlib
import json
import os
import random
import re
import zipfile
from collections.abc import Callable
from dataclasses import replace
from io import BytesIO
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import pytest

from api.reports.report_history import is_patch
from contracts.archive import CALLS, EVENTS, MANIFEST, PHASES, REPORTS, RUN
from contracts.report.report import Report
from greenlight.archives import archived_run
from greenlight.archives.archive_reader import open_archive
from greenlight.archives.archive_verification import verify
from greenlight.archives.archived_run import read_run
from greenlight.archives.replay import replay
from greenlight.cli import run_command
from greenlight.errors import CommandError
from store.blobs import BlobStore
from tests.e2e.conftest import TypeIn
from tests.support.product.archives import Files, edit, find, find_codes, read_files, write_sealed
from tests.support.stack import Undisturbed, Whole
from tests.support.words import phrase

SAMPLES = pytest.mark.parametrize("samples", [40, pytest.param(200, marks=pytest.mark.full)])
MUTATIONS = pytest.mark.parametrize("mutations", [12, pytest.param(40, marks=pytest.mark.full)])


@pytest.fixture(scope="module")
def kept(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Where the archive of a finished run is kept, once it was made."""
    return tmp_path_factory.mktemp("archive") / "run.zip"


@pytest.fixture
async def path(kept: Path, whole: Whole, undisturbed: Undisturbed) -> Path:
    """The archive of a finished run."""
    if not await asyncio.to_thread(kept.exists):
        await save(whole, undisturbed.run.id, kept)
    return kept


async def save(whole: Whole, run_id: str, path: Path) -> None:
    """Save the archive of a run."""
    answer = await whole.http.get(f"/v1/runs/{run_id}/archive")
    await asyncio.to_thread(path.write_bytes, answer.raise_for_status().content)


@pytest.fixture
def files(path: Path) -> Files:
    return read_files(path)


@pytest.fixture
def changed(tmp_path: Path) -> Path:
    return tmp_path / "changed.zip"


def read_signing_key(whole: Whole) -> str:
    return (Path(whole.stack.addresses.home) / "signing.key").read_text("utf-8").strip()


def rewrite_rows(files: Files, name: str, change: Callable[[Any], Any]) -> Files:
    return {**files, name: json.dumps(change(json.loads(files[name]))).encode()}


async def test_whole_archive_holds(path: Path, undisturbed: Undisturbed) -> None:
    with open_archive(path) as archive:
        found = verify(archive)
        assert found.findings == []
        assert archive.manifest.run_id == undisturbed.run.id
    assert found.counts["events"] == len(undisturbed.watched)
    assert found.counts["quotes"] > 0
    assert found.counts["decisions"] == len(undisturbed.state.decisions) > 0
    assert found.counts["calls"] >= len(undisturbed.paid)


async def test_same_run_gives_the_same_file(
    path: Path, changed: Path, whole: Whole, undisturbed: Undisturbed
) -> None:
    await save(whole, undisturbed.run.id, changed)
    assert filecmp.cmp(path, changed, shallow=False)


async def test_replay_makes_the_report_that_is_served(
    path: Path, whole: Whole, undisturbed: Undisturbed
) -> None:
    with open_archive(path) as archive:
        made = {each.name: each for each in replay(archive)}
    assert made.keys() == {*REPORTS.values()}
    for format, name in REPORTS.items():
        served = await whole.http.get(
            f"/v1/runs/{undisturbed.run.id}/report", params={"format": format}
        )
        assert made[name].content == served.content
        assert made[name].is_same


def test_replay_is_made_of_the_rows_and_says_where_it_differs(files: Files, changed: Path) -> None:
    text = files[PHASES].decode()
    word = re.search(r'"text": ?"(\w{5,})', text)
    assert word
    write_sealed(changed, {**files, PHASES: text.replace(word[1], "Zorblax").encode()})
    with open_archive(changed) as archive:
        made = [*replay(archive)]
    assert not any(each.is_same for each in made)
    line, archived, own = made[0].find_difference()
    assert archived != own
    assert own.startswith("Zorblax")
    assert files["report.md"].decode().splitlines()[line - 1].find(archived.splitlines()[0]) >= 0


@SAMPLES
def test_each_change_of_a_byte_is_found(path: Path, changed: Path, samples: int) -> None:
    whole, chance = path.read_bytes(), random.Random(53)
    every = len(whole) / samples
    ends = [0, 4, 10, len(whole) - 65, len(whole) - 64, len(whole) - 1, len(whole) - 70]
    places = [int(every * (n + chance.random())) for n in range(samples)] + ends
    for place in places:
        other = bytes([whole[place] ^ chance.randrange(1, 256)])
        changed.write_bytes(whole[:place] + other + whole[place + 1 :])
        try:
            assert find(changed), place
        except CommandError:
            continue


def test_change_is_found_where_the_manifest_is_made_to_fit(files: Files, changed: Path) -> None:
    """The hash chain reveals changes of events, pages and decisions even if manifest and seal fit."""
    events = files[EVENTS].replace(b"completed", b"cOmpleted", 1)
    assert find_codes(write_sealed(changed, {**files, EVENTS: events})) == {"archive-event-altered"}
    lines = files[EVENTS].splitlines(keepends=True)
    without = b"".join(lines[:3] + lines[4:])
    assert find_codes(write_sealed(changed, {**files, EVENTS: without})) == {
        "archive-event-altered",
        "archive-chain-cut",
    }
    assert find_codes(write_sealed(changed, {**files, EVENTS: b"".join(lines[:-1])})) == {
        "archive-chain-cut"
    }
    page = next(name for name in files if name.startswith("pages/"))
    shorter = {**files, page: files[page][1:]}
    assert {"archive-entry-altered"} <= find_codes(write_sealed(changed, shorter))


def test_quote_that_does_not_stand_in_its_page_is_found(files: Files, changed: Path) -> None:
    def move(value: Any) -> Any:
        if isinstance(value, dict):
            place = (
                {"start": value["start"] + 1}
                if value.get("start", -1) >= 0 and "quote" in value
                else {}
            )
            return {key: move(item) for key, item in value.items()} | place
        return [*map(move, value)] if isinstance(value, list) else value

    write_sealed(changed, rewrite_rows(files, PHASES, move))
    assert find_codes(changed) == {"archive-quote-wrong"}


def test_sum_that_gives_something_else_is_found(files: Files, changed: Path) -> None:
    claim = {"text": "Three.", "citations": [], "expression": "1 + 1", "working": "1 + 1 = 3"}

    def add(phases: list[Any]) -> list[Any]:
        phases[-1]["output"]["more"] = [claim, claim | {"working": "1 + 1 = 2"}]
        return phases

    found = find(write_sealed(changed, rewrite_rows(files, PHASES, add)))
    assert [each.code for each in found] == ["archive-sum-wrong"]


def test_finding_does_not_steer_the_terminal(
    files: Files, changed: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    claim = {
        "text": "x",
        "citations": [],
        "expression": "1 + 1",
        "working": "\x1b[8m\n✓ everything holds",
    }

    def add(phases: list[Any]) -> list[Any]:
        phases[-1]["output"]["more"] = [claim]
        return phases

    write_sealed(changed, rewrite_rows(files, PHASES, add))
    assert run_command(["verify", str(changed)]) == 1
    lines = capsys.readouterr().out.splitlines()
    assert all(line.isprintable() for line in lines)
    assert [line[0] for line in lines if "everything holds" in line] == ["✗"]


def test_decision_that_was_not_logged_or_is_of_another_plan_is_found(
    files: Files, changed: Path
) -> None:
    row = json.loads(files[RUN])
    snapshot = row["snapshot"]
    other = [decision | {"plan_hash": "0" * 64} for decision in snapshot["decisions"]]
    write_sealed(changed, edit(files, RUN, snapshot=snapshot | {"decisions": other}))
    assert find_codes(changed) == {"archive-decision-unlogged", "archive-unapproved"}
    write_sealed(changed, edit(files, RUN, snapshot=snapshot | {"decisions": []}))
    assert find_codes(changed) == {"archive-unapproved"}
    dearer = snapshot["plan"] | {"title": "Another plan"}
    write_sealed(changed, edit(files, RUN, snapshot=snapshot | {"plan": dearer}))
    assert find_codes(changed) == {"archive-plan-altered", "archive-unapproved"}


def test_rows_of_another_run_are_found(files: Files, changed: Path) -> None:
    write_sealed(changed, edit(files, RUN, run_id="run-other"))
    assert find_codes(changed) == {"archive-rows-differ"}


def test_rows_that_are_none_are_told(files: Files, changed: Path) -> None:
    for name in (RUN, PHASES, CALLS):
        write_sealed(changed, {**files, name: b"no JSON\n"})
        [told] = find(changed)
        assert name in told.text


@MUTATIONS
def test_rows_of_any_other_shape_are_told_without_a_traceback(
    files: Files, changed: Path, capsys: pytest.CaptureFixture[str], mutations: int
) -> None:
    chance = random.Random(53)
    codes = set()
    for _ in range(mutations):
        name = chance.choice([RUN, PHASES, "sources.json", "artifacts.json"])
        row = json.loads(files[name])
        mutate(row, chance)
        write_sealed(changed, {**files, name: json.dumps(row).encode()})
        codes |= {run_command([command, str(changed)]) for command in ("verify", "replay")}
        assert "Traceback" not in capsys.readouterr().err
    assert codes == {0, 1}


def test_report_without_its_parts_is_told_without_a_traceback(
    files: Files, changed: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    def spoil(phases: list[Any]) -> list[Any]:
        for phase in phases:
            if "report" in (phase["output"] or {}):
                phase["output"]["report"]["sections"] = None
        return phases

    write_sealed(changed, rewrite_rows(files, PHASES, spoil))
    assert run_command(["replay", str(changed)]) == 1
    assert PHASES in capsys.readouterr().err


def mutate(row: Any, chance: random.Random) -> None:
    """Put something else into one place of a value."""
    while True:
        keys = [*row] if isinstance(row, dict) else [*range(len(row))]
        if not keys:
            return
        key = chance.choice(keys)
        if not isinstance(row[key], dict | list) or chance.random() < 0.2:
            row[key] = chance.choice([None, [], {}, "x", "", -1, 10**30, True, [[]], {"a": {}}])
            return
        row = row[key]


def test_hostile_event_is_told(files: Files, changed: Path) -> None:
    payloads: list[Any] = [
        [],
        {"action": []},
        {"tool_output": []},
        {"tool_output": {"raw_output": {"patch": 1}}},
    ]
    for payload in payloads:
        event = {"type": "HumanResponseEvent", "payload": payload, "patch": "patch", "at": "x"}
        events = files[EVENTS] + b"0" * 64 + b" " + json.dumps(event).encode() + b"\n"
        assert "archive-event-altered" in find_codes(
            write_sealed(changed, {**files, EVENTS: events})
        )


def test_changes_of_the_report_are_bounded_in_all(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(archived_run, "MAX_PATCH_BYTES", 1_000)
    assert find_codes(path) == {"archive-large"}


async def test_draft_is_folded_from_the_log(
    path: Path, whole: Whole, undisturbed: Undisturbed
) -> None:
    """A run that ended without a finished report is served with its draft."""
    with open_archive(path) as archive:
        run = read_run(archive)
    phases = [phase.model_copy(update={"output": None}) for phase in run.phases]
    draft = replace(run, phases=phases).build_report().report
    last = max(event.seq for event in undisturbed.watched if is_patch(event))
    query: dict[str, str | int] = {"format": "json", "at": last}
    served = await whole.http.get(f"/v1/runs/{undisturbed.run.id}/report", params=query)
    assert draft.sections == Report.model_validate(served.json()).sections
    assert any(section.claims for section in draft.sections)


async def test_hash_that_is_expected_and_key_that_signed_are_checked(
    path: Path, whole: Whole
) -> None:
    digest = hashlib.sha256(read_files(path)[MANIFEST]).hexdigest()
    assert find_codes(path, expect=digest) == find_codes(path, expect=digest[:12]) == set()
    assert find_codes(path, expect="0" * 64) == {"archive-unexpected"}
    assert find_codes(path, secret=read_signing_key(whole)) == set()
    assert find_codes(path, secret="another") == {"archive-signature-wrong"}


def test_archive_without_signature_is_told_where_a_key_is_given(
    files: Files, changed: Path
) -> None:
    assert find_codes(write_sealed(changed, files), secret="a key") == {"archive-unsigned"}


async def test_page_that_was_removed_is_told_and_the_rest_holds(
    whole: Whole, changed: Path
) -> None:
    run = await whole.start()
    await run.finish()
    blobs = BlobStore((Path(whole.stack.addresses.home) / "blobs").as_uri())
    keys = await blobs.list_keys("default", run.id)
    cited = next(s for s in (await run.get("/sources")).json()["items"])
    texts = {key: await blobs.get("default", key) for key in keys}
    [key] = [
        key for key, text in texts.items() if len(text.decode(errors="replace")) == cited["chars"]
    ][:1]
    await blobs.delete("default", [key])
    await save(whole, run.id, changed)
    with open_archive(changed) as archive:
        found = verify(archive)
        assert archive.manifest.missing == [f"pages/{key.rpartition('/')[2]}"]
    assert found.findings == []
    assert found.counts["unchecked"] > 0


def test_no_secret_of_the_installation_stands_in_it(files: Files, whole: Whole) -> None:
    secrets = [read_signing_key(whole), urlsplit(whole.stack.addresses.database).password or ""]
    held = b"".join(files.values())
    assert all(secrets)
    assert not [secret for secret in secrets if secret.encode() in held]


async def test_running_run_is_refused(whole: Whole) -> None:
    run = await whole.planned()
    refused = await whole.http.get(f"/v1/runs/{run.id}/archive")
    assert (refused.status_code, refused.json()["code"]) == (409, "archive-live")


async def test_run_that_was_rejected_is_archived(whole: Whole, changed: Path) -> None:
    run = await whole.planned()
    await run.post("/decision", {"action": "reject"})
    await run.ended()
    await save(whole, run.id, changed)
    assert find_codes(changed) == set()
    with open_archive(changed) as archive:
        assert all(each.is_same for each in replay(archive))
    served = await run.get("/report")
    assert read_files(changed)["report.md"] == served.content


async def test_commands_write_verify_and_replay(
    type_in: TypeIn, undisturbed: Undisturbed, tmp_path: Path
) -> None:
    file, folder = tmp_path / "run.zip", tmp_path / "again"
    made = await type_in("archive", undisturbed.run.id, "-o", str(file))
    assert (made.code, os.listdir(tmp_path)) == (0, [file.name])
    digest = made.out.split()[-1]
    held = await type_in("verify", str(file), "--expect", digest)
    assert (held.code, held.err) == (0, "")
    assert digest in held.out
    again = await type_in("replay", str(file), "--out", str(folder))
    assert (again.code, {*os.listdir(folder)}) == (0, {*REPORTS.values()})
    other = await type_in("verify", str(file), "--expect", "0" * 64)
    assert other.code == 1
    assert phrase("archive-unexpected") in other.out
    unknown = await type_in("archive", "run-unknown", "-o", str(tmp_path / "none.zip"))
    assert unknown.code == 1
    assert {*os.listdir(tmp_path)} == {file.name, folder.name}


async def test_terminal_writes_references_and_a_folder(
    type_in: TypeIn, undisturbed: Undisturbed, tmp_path: Path
) -> None:
    begins = {"refs.bib": b"@", "refs.ris": b"TY  - ", "refs.json": b"[", "folder.zip": b"PK"}
    for name, first in begins.items():
        words = ["--format", "csl"] if name == "refs.json" else []
        file = tmp_path / name
        made = await type_in("report", undisturbed.run.id, "--out", str(file), *words)
        assert made.code == 0, made.err
        assert (await asyncio.to_thread(file.read_bytes)).startswith(first)


def test_other_programs_read_the_file(path: Path) -> None:
    with zipfile.ZipFile(BytesIO(path.read_bytes())) as file:
        assert file.testzip() is None

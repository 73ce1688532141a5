"""Output of commands: lists, comparisons, reports, files."""

import json
import os
import re
import shlex
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from contracts.archive import MANIFEST, EventChain, Manifest
from contracts.base import Json
from domain.report.claims.report_claims import list_claims
from greenlight.bootstrap import COMMAND
from greenlight.stack.home import Home
from tests.greenlight.terminal.conftest import CommandLine
from tests.greenlight.terminal.fake_gateway import FakeGateway
from tests.greenlight.terminal.pty_terminal import ROOT, Terminal
from tests.greenlight.terminal.samples import AT, REPORT, RUN, SOURCE
from tests.support.product.archives import write_sealed
from tests.support.words import en


def test_out_writes_report_sources_and_state(
    gateway: FakeGateway, type_in: CommandLine, tmp_path: Path
) -> None:
    out = tmp_path / "a" / "b"
    assert type_in("run", "Which?", "--yes", "--out", str(out)).code == 0
    told = (out / "report.md").read_text(encoding="utf-8")
    assert told == REPORT.markdown.replace("(artifacts/a1)", "(artifacts/a1.svg)")
    assert (out / "artifacts" / "a1.svg").read_bytes() == b"<svg/>"
    assert (out / "report.pdf").read_bytes() == b"the pdf"
    assert (out / "report.docx").read_bytes() == b"the docx"
    assert json.loads((out / "report.json").read_bytes())["claims_total"] == 2
    assert json.loads((out / "sources.json").read_bytes())[0]["title"] == "Kenya"
    assert json.loads((out / "state.json").read_bytes())["status"] == "completed"


def test_what_would_change_a_decision_is_a_follow_up_to_paste(
    gateway: FakeGateway, type_in: CommandLine
) -> None:
    changes: Any = ["Apple's revenue falls.", *(f"It loses ${n}." for n in range(5))]
    action: Json = {"action": "hold AAPL", "company": "AAPL", "horizon": "until May"}
    action |= {"confidence": 0.5, "rationale": [], "risks": []}
    gateway.results = {"decision": {**action, "what_would_change": changes}}
    said = type_in("run", "Which?", "--yes").err
    assert "hold AAPL: until May" in said
    lines = re.findall(r"follow-up .*", re.sub(r"\s+", " ", said.partition("go on")[2]))
    words = shlex.split(lines[0])
    assert words[:2] == ["follow-up", RUN]
    assert words[2].endswith("what follows for the decision: Apple's revenue falls.")
    assert said.count("greenlight follow-up") == 3


def test_a_run_without_a_report_is_gone_on_from_and_not_followed_up(
    gateway: FakeGateway, type_in: CommandLine
) -> None:
    gateway.has_report = False
    said = re.sub(r"\s+", " ", type_in("run", "Which?", "--yes").err)
    assert f"run --from-run {RUN}" in said
    assert "follow-up" not in said


def unwritable(path: Path) -> str:
    return en("cli-out-unwritable", path=str(path), reason="Not a directory")


def test_unwritable_folder_is_refused_before_the_run(
    gateway: FakeGateway, type_in: CommandLine, tmp_path: Path
) -> None:
    file = tmp_path / "file"
    file.touch()
    said = type_in("run", "Which?", "--yes", "--out", str(file / "out"))
    assert said.code == 2
    assert said.err == f"greenlight: {unwritable(file / 'out')}\n"
    assert gateway.started == []


def test_runs_are_listed(gateway: FakeGateway, type_in: CommandLine) -> None:
    listed = type_in("runs").out
    assert RUN in listed
    assert "$0.00" in listed
    assert "(about $0.03)" in listed
    assert not [line for line in listed.splitlines() if line.endswith(" ")]
    gateway.offline = False
    assert "about" not in type_in("runs").out
    assert json.loads(type_in("runs", "--json").out)[0]["run_id"] == RUN


@pytest.mark.parametrize("columns", [60, pytest.param(100, marks=pytest.mark.full)])
def test_a_long_question_is_cut_in_the_list_and_an_id_is_whole(
    gateway: FakeGateway, terminal: type[Terminal], columns: int
) -> None:
    gateway.query = "a long question " * 250
    gateway.others = [f"run-{'0' * 36}"]
    here = terminal("runs", columns=columns)
    assert here.exit_code() == 0
    lines = here.seen.splitlines()
    assert [line.split()[-1] for line in lines if "run-0" in line] == gateway.others
    told = [line.rstrip() for line in lines if "question" in line]
    assert len(told) == 4
    assert sum(line.endswith("…") for line in told) == 2


def test_the_header_cuts_a_long_question_and_says_where_it_is_whole(
    gateway: FakeGateway, type_in: CommandLine
) -> None:
    gateway.query = "a long question " * 250
    gateway._end("completed")
    said = type_in("watch", RUN).err
    assert sum("a long question" in line for line in said.splitlines()) == 4
    assert f"…\n  whole: {COMMAND} runs --json\n" in said


def test_the_header_of_a_stand_ins_run_names_the_samples_that_have_recorded_answers(
    gateway: FakeGateway, type_in: CommandLine
) -> None:
    gateway.samples = [{"definition": "web_answer", "query": "How dry?"}]
    said = re.sub(r"\s+", " ", type_in("run", "Which?", "--yes").err)
    assert "run --definition web_answer 'How dry?'" in said


def test_two_runs_are_compared(gateway: FakeGateway, type_in: CommandLine) -> None:
    printed = type_in("compare", RUN, "another").out
    lines = {" ".join(line.split()) for line in printed.splitlines()}
    assert {
        f"run_id {RUN} → another",
        "status completed → failed",
        "way to research deep_research 1",
        "only in a http://127.0.0.1:1/kenya",
        "budget 2",
        "+A new line.",
        "… and 3 more differences",
        "… and 1,200 more lines",
    } <= lines
    assert "Configuration" not in printed


def test_a_report_is_printed_as_it_is_or_as_json(
    gateway: FakeGateway, type_in: CommandLine
) -> None:
    gateway._end("completed")
    assert type_in("report", RUN).out == REPORT.markdown + "\n"
    assert json.loads(type_in("report", RUN, "--format", "json").out)["title"] == "Solar pumps"
    assert type_in("report", RUN, "--at", "1").out == "# As of 1[2J\n"
    assert type_in("report", RUN, "--at", "1", "--format", "json").code == 2
    for at in ("0", "2", "-1"):
        said = type_in("report", RUN, "--at", at)
        told = f"greenlight: {en('cli-no-event', at=at, last=1)}\n"
        assert (said.code, said.out, said.err) == (2, "", told)


FORMATS = ("md", "json", "html", "pdf", "docx", "bib", "ris", "csl", "zip")


@pytest.mark.parametrize(
    ("words", "says"),
    [
        (["r.xyz"], en("cli-out-unknown", name="r.xyz", known=[f".{name}" for name in FORMATS])),
        (
            ["r.csl", "--format", "bib"],
            en("cli-out-differs", name="r.csl", ending="csl", format="bib"),
        ),
        (
            ["r.pdf", "--format", "md"],
            en("cli-out-differs", name="r.pdf", ending="pdf", format="md"),
        ),
    ],
)
def test_a_file_that_is_named_unlike_its_format_is_refused(
    gateway: FakeGateway, type_in: CommandLine, tmp_path: Path, words: list[str], says: str
) -> None:
    gateway._end("completed")
    name, *others = words
    said = type_in("report", RUN, "--out", str(tmp_path / name), *others)
    assert (said.code, said.err) == (2, f"greenlight: {says}\n")
    assert not list(tmp_path.glob("r.*"))


def test_a_file_s_ending_counts_in_any_case_and_none_is_markdown(
    gateway: FakeGateway, type_in: CommandLine, tmp_path: Path
) -> None:
    gateway._end("completed")
    for name, words, content in (
        ("r.PDF", [], "the pdf"),
        ("r", [], REPORT.markdown),
        ("r.txt", ["--format", "md"], REPORT.markdown),
        ("r.csl", ["--format", "csl"], "the csl"),
        ("r.csl.json", ["--format", "csl"], "the csl"),
    ):
        assert type_in("report", RUN, "--out", str(tmp_path / name), *words).code == 0
        assert (tmp_path / name).read_text("utf-8") == content


def test_archive_that_was_cut_off_leaves_no_file(
    gateway: FakeGateway, type_in: CommandLine, tmp_path: Path
) -> None:
    gateway._end("completed")
    folder, out = tmp_path / "archives", tmp_path / "archives" / "run.zip"
    folder.mkdir()
    manifest = Manifest(
        run_id=RUN, status="completed", chain=EventChain(events=0, head=""), entries=[]
    )
    whole = write_sealed(out, {MANIFEST: manifest.model_dump_json().encode()}).read_bytes()
    out.unlink()
    for length in (0, len(whole) // 2, len(whole) - 1):
        gateway.archive = whole[:length]
        assert type_in("archive", RUN, "-o", str(out)).code == 1
        assert [*folder.iterdir()] == []
    gateway.archive = whole
    assert type_in("archive", RUN, "-o", str(out)).code == 0
    assert out.read_bytes() == whole
    assert [*folder.iterdir()] == [out]


def test_a_change_of_the_report_is_taken_back(gateway: FakeGateway, type_in: CommandLine) -> None:
    gateway.emit("step_start", "research")
    patch: Json = {"section": "Market", "added": [{}, {}]}
    written: Json = {"raw_output": {"patch": patch}, "is_error": False}
    gateway.emit("ToolCallResult", "research", tool_output=written)
    said = type_in("undo", RUN, "2", "--by", "ann")
    assert (said.code, gateway.heard) == (0, [{"seq": 2, "by": "ann"}])
    assert f"report {RUN}" in said.out
    unknown = "EVENT: event 3 is no patch of the report"
    for words, why in (([], en("cli-event-missing")), (["3"], unknown)):
        said = type_in("undo", RUN, *words)
        there = en("cli-patches", why=why, rows="\n  2  Market  +2")
        assert (said.code, said.err) == (2, f"greenlight: {there}\n")
    gateway.status = "completed"
    go_on = f"{COMMAND} run --from-run {RUN}"
    ended = en("cli-run-ended", status=en("status-completed"), command=go_on)
    assert type_in("undo", RUN, "2").err == f"greenlight: {ended}\n"


def test_a_sentence_is_edited_by_its_beginning(gateway: FakeGateway, type_in: CommandLine) -> None:
    gateway._end("completed")
    former = list_claims(REPORT)[0].text
    after: Json = {"text": "New.", "citations": [], "verdict": "not_shown", "reason": "No."}
    after |= {"edit": {"by": "ann", "at": AT, "former": {"text": former}}}
    gateway.outputs = {"edit": {"sentence": after}}
    said = type_in("edit", RUN, former[: len(former) // 2].upper(), "New.")
    assert said.code == 0, said.err
    edit: Json = {"sentence": 1, "former": former, "text": "New."}
    assert gateway.heard == [{"edit": edit}]
    assert [start["inputs"] for start in gateway.estimated] == [edit]
    assert en("cli-edit-price", price="$0.04") in said.err
    assert f"{en('mark-not_shown')} (No.): New." in said.out
    for words in ("", "No such"):
        unknown = en("cli-no-sentence", n=0 if words else 2)
        assert type_in("edit", RUN, words, "x").err == f"greenlight: {unknown}\n"


def test_what_the_stand_in_answered_adds_nothing_to_what_was_spent(
    gateway: FakeGateway, type_in: CommandLine
) -> None:
    row: Json = {"day": "2026-01-31", "definition_id": "web_answer", "model": "claude", "runs": 1}
    row |= {"calls": 4, "input_tokens": 900, "output_tokens": 100}
    gateway.spent = [row | {"offline": True, "usd": 0.25}, row | {"offline": False, "usd": 0.5}]
    *_, stand_in, paid, total = type_in("spend").out.splitlines()
    assert "not billed $0.2500" in stand_in
    assert [line.split()[-1] for line in (stand_in, paid, total)] == ["0.0000", "0.5000", "0.5000"]


@pytest.mark.parametrize("format", ["html", "pdf", "docx"])
def test_a_report_is_written_into_a_file_or_a_pipe(
    gateway: FakeGateway, type_in: CommandLine, tmp_path: Path, format: str
) -> None:
    gateway._end("completed")
    file = tmp_path / f"kept.{format}"
    said = type_in("report", RUN, "--out", str(file))
    assert (said.code, said.out, said.err) == (0, "", f"{en('cli-saved', path=str(file))}\n")
    assert file.read_bytes() == f"the {format}".encode()
    assert type_in("report", RUN, "--format", format).out == f"the {format}"
    lost = type_in("report", RUN, "--format", format, "--out", str(file / "x"))
    assert lost.err == f"greenlight: {unwritable(file / 'x')}\n"
    assert lost.code == 2


def test_a_report_is_utf_8_whatever_the_locale_says(gateway: FakeGateway, home: Home) -> None:
    gateway._end("completed")
    said = subprocess.run(
        [sys.executable, "-c", "from greenlight.cli import main; main()", "report", RUN],
        env=os.environ | {"PYTHONIOENCODING": "latin-1", "PYTHONPATH": str(ROOT)},
        capture_output=True,
        check=False,
    )
    assert (said.returncode, said.stderr) == (0, b"")
    assert said.stdout.decode("utf-8") == REPORT.markdown + "\n"


@pytest.mark.full
def test_lines_of_a_wide_terminal_are_no_longer_than_one_can_read(
    gateway: FakeGateway, terminal: type[Terminal]
) -> None:
    gateway.query = "word " * 100
    gateway._end("completed")
    here = terminal("watch", RUN, columns=200)
    assert here.exit_code() == 0
    assert "word word" in here.seen
    assert max(map(len, here.seen.splitlines())) <= 120


def test_listings_are_tables_or_json(gateway: FakeGateway, type_in: CommandLine) -> None:
    gateway._end("completed")
    assert "1   Kenya" in type_in("sources", RUN).out
    assert json.loads(type_in("sources", RUN, "--json").out)[0]["url"] == SOURCE["url"]
    assert "deep_research" in type_in("definitions").out
    assert "max_sources=20" in type_in("definitions", "deep_research").out
    assert type_in("startups").out == "nothing yet\n"

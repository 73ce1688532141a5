"""Commands in a script: plain text, no question that nobody can answer."""

import json
import re
from pathlib import Path

import pytest

from contracts.base import Json
from contracts.human.approvers import Poll
from contracts.human.messages import Choice
from contracts.planning.startup_company import Startup
from greenlight.bootstrap import COMMAND
from greenlight.cli import DEVELOPERS
from tests.greenlight.terminal.conftest import CommandLine
from tests.greenlight.terminal.fake_gateway import FakeGateway
from tests.greenlight.terminal.samples import PLAN, REPORT, RUN, TITLES
from tests.support.words import en, opening, phrase

ESC = "\x1b"


def test_yes_decides_and_prints_the_report_alone_on_stdout(
    gateway: FakeGateway, type_in: CommandLine
) -> None:
    said = type_in("run", "Which?", "--yes")
    assert said.code == 0
    assert said.out == REPORT.markdown + "\n"
    assert ESC not in said.out + said.err
    assert [body.get("answers", body.get("action")) for body in gateway.heard] == [
        {"q1": None, "q2": None},
        "approve",
    ]
    assert gateway.heard[1]["plan_hash"] == PLAN.hash


def test_progress_prints_each_search_page_and_phase_once(
    gateway: FakeGateway, type_in: CommandLine
) -> None:
    said = type_in("run", "Which?", "--yes")
    assert said.err.count("search “solar”  3 results") == 1
    assert said.err.count("read 127.0.0.1:1/kenya  Kenya") == 1
    assert said.err.count(f"{TITLES[4]}: completed (2 turns · 1 search · 1 page)") == 1
    assert "2 claims, 1 quote from 1 source; 1 unsupported" in said.err
    assert "$0.00" in said.err
    assert "at most $0.12 on claude-haiku" in said.err


def test_interrupted_stream_shows_every_event_once(
    gateway: FakeGateway, type_in: CommandLine
) -> None:
    type_in("run", "Which?", "--yes")
    whole = [event.seq for event in gateway.events]
    gateway.cuts = [1, 3, 0, 4, 2]
    said = type_in("watch", RUN)
    assert said.code == 0
    assert said.err.count("connection lost") == 5
    assert said.err.count("search “solar”") == said.err.count("Write: completed") == 1
    assert gateway.resumed_from[-6:] == [0, 1, 4, 4, 8, 10]
    assert whole[-1] > 10


def test_control_characters_from_the_web_are_removed(
    gateway: FakeGateway, type_in: CommandLine
) -> None:
    said = type_in("run", "Which?", "--yes")
    assert "odd page: [2J2J" in said.err


def test_503_is_retried(gateway: FakeGateway, type_in: CommandLine) -> None:
    gateway.away = 3
    assert type_in("run", "Which?", "--yes").code == 0
    assert gateway.away == 0


def test_run_without_a_keyboard_prints_the_next_commands(
    gateway: FakeGateway, type_in: CommandLine
) -> None:
    said = type_in("run", "Which?")
    assert said.code == 3
    assert "Who is the first customer?" in said.err
    assert f"python3 -m greenlight answer {RUN} q1='…' q2='…'" in said.err
    assert gateway.heard == []


def test_printed_commands_work(gateway: FakeGateway, type_in: CommandLine) -> None:
    type_in("run", "Which?")
    assert type_in("answer", RUN, "q1=cooperatives", "q2=", "--by", "ada").code == 0
    said = type_in("watch", RUN)
    assert said.code == 3
    assert "Solar pumps in East Africa" in said.err
    line = next(line.split() for line in said.err.splitlines() if " approve " in line)
    assert type_in(*line[3:]).code == 0
    assert type_in("watch", RUN).out == REPORT.markdown + "\n"
    assert gateway.heard[0]["answers"] == {"q1": "cooperatives", "q2": None}
    assert gateway.heard[0]["by"] == "ada"


@pytest.mark.parametrize(
    ("told", "answers"),
    [
        ({"q1": "farms"}, {"q1": "farms", "q2": None}),
        ({"*": "any"}, {"q1": "any", "q2": "any"}),
        ({"*": "any", "q2": None}, {"q1": "any", "q2": None}),
        ([None, "2027"], {"q1": None, "q2": "2027"}),
    ],
)
def test_answers_come_from_a_file(
    gateway: FakeGateway,
    type_in: CommandLine,
    tmp_path: Path,
    told: object,
    answers: dict[str, str | None],
) -> None:
    file = tmp_path / "answers.json"
    file.write_text(json.dumps(told), encoding="utf-8")
    said = type_in("run", "Which?", "--answers", str(file))
    assert gateway.heard[0]["answers"] == answers
    assert said.code == 3, "a file of answers approves nothing"


def test_answers_to_unknown_questions_are_refused(
    gateway: FakeGateway, type_in: CommandLine, tmp_path: Path
) -> None:
    file = tmp_path / "answers.json"
    file.write_text('{"q1": "farms", "q7": "x", "who": null}', encoding="utf-8")
    said = type_in("run", "Which?", "--answers", str(file))
    assert said.code == 2
    unknown = en("cli-question-unknown", names="q7, who", known="q1, q2")
    assert unknown.removesuffix(".") in said.err
    assert f"{COMMAND} watch {RUN}" in said.err, "the run is kept"
    assert type_in("answer", RUN, "--file", str(file)).code == 2
    assert gateway.heard == []


@pytest.mark.parametrize("text", ["{", "[1]", '"q1"'])
def test_a_bad_answers_file_starts_nothing(
    gateway: FakeGateway, type_in: CommandLine, tmp_path: Path, text: str
) -> None:
    file = tmp_path / "answers.json"
    file.write_text(text, encoding="utf-8")
    assert type_in("run", "Which?", "--answers", str(file)).code == 2
    assert gateway.started == []


def test_files_are_uploaded_and_named_in_the_start(
    gateway: FakeGateway, type_in: CommandLine, tmp_path: Path
) -> None:
    notes, table = tmp_path / "notes.md", tmp_path / "table.xlsx"
    for file in (notes, table):
        file.write_text("Pumps", encoding="utf-8")
    type_in("run", "Which?", "--file", str(notes))
    assert gateway.started == [{"query": "Which?", "files": ["file-of-5-bytes"]}]
    for bad, reason in (
        (table, "is of a kind that cannot be read"),
        (tmp_path / "no.md", "No such"),
    ):
        refused = type_in("run", "Which?", "--file", str(bad))
        assert (refused.code, len(gateway.started)) == (2, 1)
        assert f"--file: {bad}: " in refused.err
        assert reason in refused.err


def test_unread_parts_of_a_file_are_told_when_it_is_given(
    gateway: FakeGateway, type_in: CommandLine, tmp_path: Path
) -> None:
    (scan := tmp_path / "scan.md").write_bytes(b"Pumps")
    gateway.unread = [{"code": "pages_without_text", "count": 3, "of": 40}]
    said = type_in("run", "Which?", "--file", str(scan))
    assert en("unread-pages-without-text", name="scan.md", n=3, of=40) in said.err


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ([], {}),
        (["--startup", "startup-1"], {"startup_id": "startup-1"}),
        (["--startup", "sun pumps"], {"startup_id": "startup-1"}),
        (["--startup", "none"], {"startup_id": "none"}),
        (["--save-startup"], {"save_startup": True}),
        (["--no-save-startup"], {"save_startup": False}),
        (["--fresh"], {"fresh": True}),
        (["--batch"], {"batch": True}),
        (["--temp"], {"temp_workflow": True}),
        (["--user", "ada", "--budget", "0.5"], {"user_id": "ada", "budget": 0.5}),
        (["--search", "brave, searxng"], {"search": ["brave", "searxng"]}),
        (["--input", "ticker=ACME"], {"inputs": {"ticker": "ACME"}}),
    ],
)
def test_start_options_reach_the_gateway(
    gateway: FakeGateway, type_in: CommandLine, words: list[str], said: Json
) -> None:
    gateway.startups = [{"id": "startup-1", "name": "Sun pumps"}]
    type_in("run", "Which?", *words)
    assert gateway.started == [{"query": "Which?", **said}]


def test_startup_of_a_run_is_in_its_header_plan_and_summary(
    gateway: FakeGateway, type_in: CommandLine
) -> None:
    gateway.startup = Startup(id="startup-1", name="Sun pumps")
    lines = [line.split() for line in type_in("run", "Which?", "--yes").err.splitlines()]
    told = [" ".join(line[1:]) for line in lines if line[:1] == ["startup"]]
    assert told == ["Sun pumps", "Sun pumps", "Sun pumps (startup-1)"]


def test_header_names_model_and_price_before_anything_of_the_run(
    gateway: FakeGateway, type_in: CommandLine
) -> None:
    gateway.offline = False
    said = type_in("run", "Which?", "--yes").err
    header = said[: said.index(TITLES[0])]
    lines = {line.split()[0]: line.split()[1:] for line in header.splitlines() if line.split()}
    assert lines["model"] == ["claude-haiku"]
    assert " ".join(lines["price"]).startswith("about $0.04, at most $0.12")


def test_unknown_startup_is_said_with_those_there_are(
    gateway: FakeGateway, type_in: CommandLine
) -> None:
    gateway.startups = [{"id": "startup-1", "name": "Sun pumps"}]
    refused = type_in("run", "Which?", "--startup", "Sea")
    assert (refused.code, gateway.started) == (2, [])
    assert (
        en("cli-startup-unknown", name="Sea", hint=en("there-are", known=["none", "Sun pumps"]))
        in refused.err
    )


def test_an_answer_may_be_corrected_while_another_is_open(
    gateway: FakeGateway, type_in: CommandLine
) -> None:
    gateway.begin()
    asked = gateway.pending[0]
    first, *others = asked.questions
    changes = {"questions": others, "answered": [first]}
    gateway.pending = [asked.model_copy(update=changes)]
    assert type_in("answer", RUN, "q1=cooperatives").code == 0
    assert gateway.heard[0]["answers"] == {"q1": "cooperatives"}


@pytest.mark.parametrize(
    ("typed", "keeps"), [([], None), (["--keep-startup"], True), (["--no-keep-startup"], False)]
)
def test_approve_says_whether_to_keep_the_plan_as_a_startup(
    gateway: FakeGateway, type_in: CommandLine, typed: list[str], keeps: bool | None
) -> None:
    gateway._draft()
    assert type_in("approve", RUN, *typed).code == 0
    assert gateway.heard[-1]["keep_startup"] is keeps


def test_single_answers_leave_the_other_questions_open(
    gateway: FakeGateway, type_in: CommandLine
) -> None:
    type_in("run", "Which?")
    said = type_in("answer", RUN, "q1=cooperatives")
    assert gateway.heard[0]["answers"] == {"q1": "cooperatives"}
    assert en("cli-still-open", names=["q2"]) in said.out


@pytest.mark.parametrize(
    ("words", "definition"),
    [([], "default"), (["--definition", "deep_research"], "deep_research")],
)
def test_the_default_is_run_unless_another_is_named(
    gateway: FakeGateway, type_in: CommandLine, words: list[str], definition: str
) -> None:
    type_in("run", "Which?", "--yes", *words)
    assert gateway.definitions == [definition]


@pytest.mark.parametrize(
    ("words", "code", "says"),
    [
        (["run", " "], 2, f"QUESTION: {en('value-short', n=1)}"),
        (["run", "Which\x1b?"], 2, f"QUESTION: {en('value-control')}"),
        (
            ["run", "Which?", "--startup", "a b"],
            2,
            en("cli-startup-unknown", name="a b", hint=en("there-are", known="none")),
        ),
        (
            ["run", "Which?", "--definition", "depe_research"],
            2,
            en("did-you-mean", near="deep_research"),
        ),
        (["run", "Which?", "--set", "research.timeout_seconds=-1"], 2, "--set research.timeout"),
        (["watch", "run-9"], 1, phrase("cli-no-run")),
        (["test", "tests/nope.py"], 2, "there is no 'tests/nope.py' among the tests"),
        (["pause", "o"], 1, phrase("cli-no-run")),
        (["steer", RUN, ""], 2, "greenlight: TEXT: must not be empty"),
        (["follow-up", RUN, ""], 2, "greenlight: QUESTION: must not be empty"),
        (["reject", RUN, "--feedback", "\x1b"], 2, f"--feedback: {en('value-control')}"),
        (["report", ""], 1, phrase("cli-no-run")),
        (["undo", RUN, "3"], 2, "EVENT: event 3 is no patch of the report"),
        (["answer", RUN, "q1=x"], 1, en("cli-no-answer-open", status=en("status-running"))),
        (["approve", RUN], 1, en("cli-no-decision-open", status=en("status-running"))),
        (["reject", RUN], 1, "no decision is awaited now"),
        (["report", RUN], 1, "has no report: it is running"),
        (["report", RUN, "--format", "json"], 1, en("cli-no-report", status=en("status-running"))),
    ],
)
def test_error_is_one_line(
    gateway: FakeGateway, type_in: CommandLine, words: list[str], code: int, says: str
) -> None:
    said = type_in(*words)
    assert (said.code, said.out) == (code, "")
    assert says in said.err
    assert len(said.err.splitlines()) == 1


def test_who_decides_too_early_hears_what_is_awaited(
    gateway: FakeGateway, type_in: CommandLine
) -> None:
    gateway.begin()
    said = type_in("approve", RUN).err
    assert f"{phrase('cli-answers-open')} python3 -m greenlight watch run-1" in said


def test_a_choice_is_refused_with_those_that_there_are(
    gateway: FakeGateway, type_in: CommandLine
) -> None:
    gateway._draft()
    said = type_in("approve", RUN, "--choice", "foo")
    told = en("cli-choice-unknown", choice="foo", hint=en("cli-no-choices"))
    assert (said.code, said.err) == (2, f"greenlight: {told}\n")
    choices = [Choice(label="Pumps", action="approve"), Choice(label="Wells", action="approve")]
    gateway.pending = [gateway.pending[0].model_copy(update={"choices": choices})]
    said = type_in("approve", RUN, "--choice", "pump")
    hint = en("did-you-mean", near="Pumps")
    assert en("cli-choice-unknown", choice="pump", hint=hint) in said.err
    assert gateway.heard == []


@pytest.mark.parametrize(
    ("typed", "answer"), [("q1=2", "cooperatives"), ("1=2", "cooperatives"), ("q1=2030", "2030")]
)
def test_a_choice_is_typed_by_its_number_as_at_the_prompt(
    gateway: FakeGateway, type_in: CommandLine, typed: str, answer: str
) -> None:
    gateway.begin()
    assert type_in("answer", RUN, typed).code == 0
    assert gateway.heard[0]["answers"] == {"q1": answer}


@pytest.mark.parametrize("typed", ["99", "-1", "0"])
def test_the_number_of_no_choice_is_refused_as_at_the_prompt(
    gateway: FakeGateway, type_in: CommandLine, typed: str
) -> None:
    gateway.begin()
    said = type_in("answer", RUN, f"q1={typed}")
    told = en("cli-no-choice", id="q1", answer=typed, hint=en("cli-number-or-words", n=2))
    assert (said.code, said.err, gateway.heard) == (2, f"greenlight: {told}\n", [])


def test_approve_takes_the_beginning_of_the_hash(
    gateway: FakeGateway, type_in: CommandLine
) -> None:
    gateway._draft()
    assert type_in("approve", RUN, "--plan-hash", "0000").code == 1
    assert type_in("approve", RUN, "--plan-hash", PLAN.hash[:8]).code == 0


def test_approve_with_changes_is_a_modification(
    gateway: FakeGateway, type_in: CommandLine, tmp_path: Path
) -> None:
    gateway._draft()
    file = tmp_path / "changes.json"
    file.write_text('{"colour": "blue"}', encoding="utf-8")
    refused = type_in("approve", RUN, "--modifications", str(file))
    assert (refused.code, "--modifications colour: " in refused.err) == (2, True)
    file.write_text('{"title": "Pumps"}', encoding="utf-8")
    assert type_in("approve", RUN, "--modifications", str(file)).code == 0
    assert gateway.heard[-1]["modifications"] == {"title": "Pumps"}


def test_failed_run_exits_with_1(gateway: FakeGateway, type_in: CommandLine) -> None:
    gateway.ending = "failed"
    said = type_in("run", "Which?", "--yes")
    assert said.code == 1
    assert "the key is not valid" in said.err


def test_a_rejected_run_ends_with_4(gateway: FakeGateway, type_in: CommandLine) -> None:
    gateway._draft()
    assert type_in("reject", RUN, "--feedback", "too dear").code == 0
    assert gateway.heard[-1]["feedback"] == "too dear"
    assert type_in("watch", RUN).code == 4


def test_another_library_than_the_running_stacks_is_refused(
    gateway: FakeGateway, type_in: CommandLine, tmp_path: Path
) -> None:
    said = type_in("run", "Which?", "--library", str(tmp_path))
    assert said.code == 2
    assert en("searched-sample") in said.err
    assert gateway.started == []


def test_a_pace_beside_a_running_stack_is_said_to_change_nothing(
    gateway: FakeGateway, type_in: CommandLine
) -> None:
    gateway._end("completed")
    said = type_in("watch", RUN, "--pace", "0")
    assert phrase("cli-pace-kept") in said.err
    assert said.code == 0
    assert "--pace" not in type_in("watch", RUN).err


@pytest.mark.parametrize("key", ["ANTHROPIC_API_KEY", "BRAVE_API_KEY"])
def test_a_key_beside_a_stack_without_one_is_said_not_to_be_used(
    gateway: FakeGateway, type_in: CommandLine, monkeypatch: pytest.MonkeyPatch, key: str
) -> None:
    gateway._end("completed")
    assert phrase("cli-key-unused") not in type_in("watch", RUN).err
    monkeypatch.setenv(key, "a-secret")
    said = type_in("watch", RUN).err
    assert opening("cli-key-unused", "key", key=key) in said
    assert phrase("cli-key-unused") in said
    assert "a-secret" not in said


def test_first_help_lists_what_its_user_types_and_names_the_rest(type_in: CommandLine) -> None:
    with pytest.raises(SystemExit):
        type_in("--help")
    told = type_in.capture.readouterr().out
    listed = re.findall(r"(?m)^    ([a-z][\w-]*)  ", told)
    assert {"run", "watch", "report", "up"} <= set(listed)
    assert not set(listed) & set(DEVELOPERS)
    assert f"Of its developers: {', '.join(DEVELOPERS)}" in told


@pytest.mark.parametrize("typed", [RUN, "1", "last"])
def test_a_run_is_named_by_its_beginning_or_as_the_last(
    gateway: FakeGateway, type_in: CommandLine, typed: str
) -> None:
    gateway._end("completed")
    assert type_in("delete", typed).code == 0
    assert gateway.heard == [{"deleted": RUN}]


def test_a_beginning_of_several_runs_names_none(gateway: FakeGateway, type_in: CommandLine) -> None:
    gateway.others = ["run-10", "run-2"]
    said = type_in("pause", "run")
    assert (said.code, said.out, gateway.heard) == (1, "", [])
    assert (
        said.err
        == f"greenlight: {en('cli-several-runs', run='run', ids=['run-1', 'run-10', 'run-2'])}\n"
    )
    gateway._end("completed")
    assert type_in("delete", RUN).code == 0


def test_messages_are_sent_with_who_says_so(gateway: FakeGateway, type_in: CommandLine) -> None:
    gateway.begin()
    for words in (
        ["steer", "last", "Look at roads", "--by", "ada"],
        ["pause", "last"],
        ["resume", "last"],
        ["cancel", "last", "--after-phase"],
        ["cancel", "last"],
    ):
        said = type_in(*words)
        assert (said.code, said.err) == (0, "")
        assert f"{COMMAND} " in said.out
        assert RUN in said.out
    assert gateway.heard == [
        {"steer": {"text": "Look at roads", "by": "ada"}},
        {"pause": {"by": ""}},
        {"resume": {"by": ""}},
        {"cancel": {"mode": "after_phase", "by": ""}},
        {"cancel": {"mode": "now", "by": ""}},
    ]


def test_a_pause_and_its_end_say_what_was_so_before(
    gateway: FakeGateway, type_in: CommandLine
) -> None:
    gateway.emit("step_start", "research")
    assert (
        type_in("resume", RUN).out == f"{en('cli-not-paused', command=f'{COMMAND} watch {RUN}')}\n"
    )
    type_in("pause", RUN)
    again = type_in("pause", RUN)
    assert again.code == 0
    assert again.out == f"{en('cli-paused-before', command=f'{COMMAND} resume {RUN}')}\n"
    assert type_in("resume", RUN).out == f"{en('cli-resumed', command=f'{COMMAND} watch {RUN}')}\n"
    assert [*map(list, gateway.heard)] == [["pause"], ["resume"]]


def test_a_cancelled_run_names_its_report_if_it_has_one(
    gateway: FakeGateway, type_in: CommandLine
) -> None:
    gateway.emit("step_start", "research")
    done, again = en("cli-cancelled"), f"{COMMAND} run --from-run {RUN}"
    assert type_in("cancel", RUN).out == f"{en('cli-go-on-from', done=done, command=again)}\n"
    gateway._end("partial")
    so_far = en("cli-so-far", done=done, command=f"{COMMAND} report {RUN}")
    assert so_far in type_in("cancel", RUN).out


def test_version_is_printed(type_in: CommandLine) -> None:
    with pytest.raises(SystemExit) as left:
        type_in("--version")
    assert not left.value.code
    assert re.fullmatch(r"greenlight \d+\.\d+\.\d+\n", type_in.capture.readouterr().out)


def test_parts_and_settings_of_a_definition_are_chosen(
    gateway: FakeGateway, type_in: CommandLine
) -> None:
    chosen = ("--only", "recall, planning", "--until", "planning")
    changed = ("--set", "planning.max_plan_steps=2", "--set", "planning.plan_instructions=short")
    type_in("run", "Which?", "--yes", *chosen, *changed, "--set", "recall.enabled=false")
    [start] = gateway.started
    assert (start["only"], start["until"]) == (["recall", "planning"], "planning")
    assert start["config_overrides"] == {
        "planning": {"config": {"max_plan_steps": 2, "plan_instructions": "short"}},
        "recall": {"enabled": False},
    }


def test_phases_are_named_by_the_titles_that_the_screen_shows(
    gateway: FakeGateway, type_in: CommandLine
) -> None:
    redo = (
        "--from-run",
        "last",
        "--redo",
        f"{en('kind-synthesis').lower()},{en('kind-research').upper()}",
        "--until",
        en("kind-summary"),
        "--yes",
    )
    type_in("run", *redo, "--set", f"{en('kind-planning')}.max_plan_steps=2")
    [start] = gateway.started
    assert (start["redo"], start["until"]) == (["synthesis", "research"], "summary")
    assert start["config_overrides"] == {"planning": {"config": {"max_plan_steps": 2}}}


def test_a_run_goes_on_from_another_with_its_question(
    gateway: FakeGateway, type_in: CommandLine
) -> None:
    type_in("run", "--from-run", "last", "--redo", "research", "--yes")
    [start] = gateway.started
    assert gateway.definitions == ["deep_research"]
    assert start == {
        "query": gateway.state().query,
        "from_run": RUN,
        "redo": ["research"],
    }


def test_decision_of_named_approvers_needs_a_human(
    gateway: FakeGateway, type_in: CommandLine, monkeypatch: pytest.MonkeyPatch
) -> None:
    gateway.poll = Poll(asked=["ben", "cy"], roles=["board"], needed=2, rejects_needed=1, missing=2)
    said = type_in("run", "Which?", "--yes")
    assert said.code == 3
    asked = "2 of 2 approvals missing, asked: ben, cy, anyone with the role board"
    assert asked in " ".join(said.err.split())
    assert f"approve {RUN}" in said.err
    monkeypatch.setenv("GREENLIGHT_API_KEY", "gl_ben")
    assert type_in("approve", RUN).code == 0
    assert gateway.keys == ["Bearer gl_ben"]

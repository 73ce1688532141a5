"""Commands with a person at the keyboard."""

import json
import time
from pathlib import Path

import pytest

from contracts.agents.steps import StepResult
from contracts.human.checkpoint_subjects import PlanSubject, StepFailure, StepSubject
from contracts.human.checkpoints import Checkpoint
from contracts.human.messages import AnswerQuestions, Decide
from contracts.planning.plan import PlanStep
from domain.planning.plan_changes import label_field
from greenlight.terminal.dialog.decision_menu import list_options
from tests.greenlight.terminal.fake_gateway import FakeGateway
from tests.greenlight.terminal.pty_terminal import Terminal
from tests.greenlight.terminal.samples import PLAN, RUN, TITLES
from tests.support.words import en, phrase

CLEAR = "\x15"  # Ctrl-U clears the line


@pytest.fixture
def editor(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An editor that copies a file's content, and that file."""
    typed, program = tmp_path / "typed", tmp_path / "editor"
    program.write_text(f'#!/bin/sh\ncp "$1" {tmp_path}/shown\ncp {typed} "$1"\n', "utf-8")
    program.chmod(0o755)
    monkeypatch.setenv("VISUAL", str(program))
    return typed


@pytest.fixture
def here(gateway: FakeGateway, terminal: type[Terminal]) -> Terminal:
    """A terminal in which a plan is shown, and waits."""
    gateway._draft()
    here = terminal("watch", RUN)
    here.expect(en("cli-does-approve"))
    return here


def test_a_plan_is_changed_in_the_users_own_editor(
    gateway: FakeGateway, editor: Path, here: Terminal
) -> None:
    editor.write_text('{"titel": "Pumps"}', "utf-8")
    here.type("e")
    hint = en("did-you-mean", near="title")
    here.expect(f"titel: {en('plan-no-field', hint=hint)}")
    here.expect(en("cli-open-again"))
    editor.write_text('{"title": "Pumps", "focus_areas": ["roads"]}', "utf-8")
    here.type("y")
    here.expect(en("cli-approve-changed"))
    here.type("")
    here.expect(en("cli-type-y-n"))
    here.type("y")
    assert here.exit_code() == 0
    assert gateway.heard[0]["action"] == "modify"
    assert gateway.heard[0]["modifications"] == {"title": "Pumps", "focus_areas": ["roads"]}
    shown = json.loads(editor.with_name("shown").read_bytes())
    assert shown == {"titel": "Pumps"}


def test_refused_changes_are_kept_and_not_left_out_unasked(
    gateway: FakeGateway, editor: Path, here: Terminal
) -> None:
    editor.write_text('{"focus_areas": ["roads"]}', "utf-8")
    here.type("e")
    here.expect(en("cli-approve-changed"))
    here.type("y")
    here.expect(en("cli-not-taken", reason="modifications.colour"))
    here.expect(en("cli-does-approve"))
    here.type("a")
    here.expect(en("cli-drop-changes-approve"))
    here.type("n")
    here.expect(en("cli-does-approve"))
    editor.write_text('{"title": "Pumps"}', "utf-8")
    here.type("e")
    here.expect("roads")
    here.expect(en("cli-approve-changed"))
    here.type("n")
    here.expect(en("cli-not-sent"))
    here.type("v")
    here.expect(en("cli-drop-changes-revise"))
    here.type("n")
    here.type("e")
    here.expect("Pumps")
    here.expect(en("cli-approve-changed"))
    here.type("y")
    assert here.exit_code() == 0
    assert gateway.heard[1]["modifications"] == {"title": "Pumps", "focus_areas": ["roads"]}


def test_a_whole_run_by_hand(gateway: FakeGateway, terminal: type[Terminal]) -> None:
    here = terminal("run", "Which?")
    here.expect("Who is the first customer?")
    here.expect("Smallholders and cooperatives buy differently.")
    here.type("9")
    here.expect(en("cli-number-or-words", n="2"))
    here.type("2, 1")
    here.expect("Which year do you enter?")
    here.type("")
    here.expect("at most $0.12 on claude-haiku")
    here.expect(en("cli-does-approve"))
    here.type("x")
    here.expect(en("cli-type-key", keys=list("avmer"), last="s"))
    here.type("v")
    here.expect(en("cli-ask-change"))
    here.leave(en("cli-step-back"))
    here.expect(en("cli-does-approve"))
    here.type("a")
    here.expect(f"✓ {TITLES[4]}")
    here.expect("Solar pumps")
    here.expect("1 unsupported")
    assert here.exit_code() == 0
    assert gateway.heard[0]["answers"] == {"q1": "cooperatives; smallholders", "q2": None}
    assert gateway.heard[1]["plan_hash"] == PLAN.hash


def test_a_key_pressed_too_early_approves_nothing(
    gateway: FakeGateway, terminal: type[Terminal]
) -> None:
    gateway._draft()
    gateway.pause = 0.1
    here = terminal("watch", RUN)
    here.expect("Greenlight")
    here.type("a")
    here.expect(en("cli-does-approve"))
    here.expect("›")
    time.sleep(0.5)
    assert gateway.heard == []
    here.type("a")
    assert here.exit_code() == 0
    assert len(gateway.heard) == 1


@pytest.mark.full
def test_a_revised_plan_is_shown_with_what_changed(gateway: FakeGateway, here: Terminal) -> None:
    here.type("look at roads")
    here.expect(en("cli-revise-so"))
    here.type("y")
    here.expect("changed since the plan before:")
    here.expect("+ look at roads")
    here.expect(en("cli-does-approve"))
    here.type("reject")
    here.expect(en("cli-ask-why"))
    here.type("no money")
    assert here.exit_code() == 4
    assert [(h["action"], h["feedback"]) for h in gateway.heard] == [
        ("revise", "look at roads"),
        ("reject", "no money"),
    ]


@pytest.mark.full
def test_an_option_does_what_it_says(gateway: FakeGateway, terminal: type[Terminal]) -> None:
    gateway._wait(
        "approval",
        "decision",
        options=["Go", "No", "revise"],
        choices=[{"label": "Go", "action": "approve"}, {"label": "No", "action": "reject"}],
        message="Shall we spend?",
        subject=PlanSubject(plan=PLAN),
        plan_hash=PLAN.hash,
    )
    here = terminal("watch", RUN)
    here.expect("Go")
    here.expect(en("cli-does-reject"))
    here.expect(en("cli-does-revise"))
    here.type("2")
    here.expect(en("cli-ask-why"))
    here.type("too dear")
    assert here.exit_code() == 4
    [said] = gateway.heard
    assert (said["action"], said["choice"]) == ("reject", "No")


def test_a_step_gate_shows_the_result_and_the_plan_on_request(
    gateway: FakeGateway, terminal: type[Terminal]
) -> None:
    gateway._wait(
        "research",
        "decision",
        options=["approve", "reject", "modify", "revise"],
        message="Step 1 is done. Go on?",
        subject=StepSubject(step=None, text="Pumps **sell**. [1]", next=PLAN.steps[1], plan=PLAN),
        plan_hash=PLAN.hash,
    )
    here = terminal("watch", RUN)
    here.expect("Pumps sell. [1]")
    here.expect("Step 1 is done. Go on?")
    assert PLAN.title not in here.seen
    here.type("s")
    here.expect(PLAN.title)
    here.type("r")
    here.expect(en("cli-ask-why"))
    here.type("")
    assert here.exit_code() == 4


DONE = StepResult(number=1, name="Size", agent_role="researcher", summary="Pumps sell.")
REJECTED = DONE.model_copy(update={"objections": ["no price"]})
AFTER = ["approve", "reject", "modify", "revise"]


def step_gate(step: StepResult, following: PlanStep | None, options: list[str]) -> Checkpoint:
    failure: StepFailure | None = "rejected" if step.objections else None
    subject = StepSubject(
        step=step, step_failure=failure, text="Pumps sell.", next=following, plan=PLAN
    )
    return Checkpoint(
        checkpoint_id="after-1",
        phase_id="research",
        kind="decision",
        message="Go on?",
        options=options,
        subject=subject,
        plan_hash=PLAN.hash,
        deadline="2026-06-01T00:00:00+00:00",
    )


@pytest.mark.parametrize(
    ("step", "following", "options", "label"),
    [
        (DONE, PLAN.steps[1], AFTER, en("cli-does-next-step", step=PLAN.steps[1].name)),
        (DONE, None, AFTER, en("cli-does-finish")),
        (REJECTED, PLAN.steps[1], AFTER, en("cli-does-accept-step")),
    ],
)
def test_a_step_gate_says_what_an_approval_does(
    step: StepResult, following: PlanStep | None, options: list[str], label: str
) -> None:
    hints = {o.action: o.hint for o in list_options(step_gate(step, following, options))}
    assert hints["approve"] == label
    assert hints["modify"] == en("cli-does-modify-rest")
    assert hints.keys() >= {*options}


@pytest.mark.full
def test_fields_are_changed_by_hand(gateway: FakeGateway, here: Terminal) -> None:
    here.type("m")
    for prompt, typed in (
        (en("cli-ask-field"), "1"),
        (en("cli-ask-text"), f"{CLEAR}Pumps"),
        (en("cli-ask-field"), "4"),
        (en("cli-ask-steps"), "2"),
        (en("cli-ask-field"), "focus"),
        (en("cli-ask-list"), f"{CLEAR}roads; water "),
        (en("cli-ask-field"), "searches"),
        (en("cli-ask-list"), f"{CLEAR}solar Kenya"),
        (en("cli-ask-field"), "assumptions"),
        (en("cli-ask-list"), f"{CLEAR}Year: left to us.; Dry land."),
        (en("cli-ask-field"), ""),
        (en("cli-approve-changed"), "y"),
    ):
        here.expect(prompt)
        here.type(typed)
    assert here.exit_code() == 0
    assert gateway.heard[0]["action"] == "modify"
    assert gateway.heard[0]["modifications"] == {
        "title": "Pumps",
        "steps": [PLAN.steps[1].model_dump()],
        "focus_areas": ["roads", "water"],
        "search_terms": ["solar Kenya"],
        "expanded_queries": [],
        "assumptions": [PLAN.assumptions[0].model_dump(), "Dry land."],
    }


@pytest.mark.full
def test_a_value_of_the_wrong_type_is_refused_where_it_is_typed(
    gateway: FakeGateway, editor: Path, terminal: type[Terminal]
) -> None:
    gateway.plan = PLAN.model_copy(update={"max_age_days": 365})
    gateway._draft()
    here = terminal("watch", RUN)
    here.expect(en("cli-does-approve"))
    here.type("m")
    for prompt, typed in (
        (en("cli-ask-field"), "max_age_days"),
        (en("cli-ask-number"), "two years"),
        (
            en("cli-field-kept", field=label_field("max_age_days"), problem=en("value-whole")),
            "max_age_days",
        ),
        (en("cli-ask-number"), "0"),
        (en("value-least", n=1), "max_age_days"),
        (en("cli-ask-number"), "730"),
        (en("cli-ask-field"), "title"),
        (en("cli-ask-text"), "\x1b[A!"),
        (en("cli-ask-field"), ""),
        (en("cli-approve-changed"), "n"),
    ):
        here.expect(prompt)
        here.type(typed)
    here.expect(en("cli-not-sent"))
    editor.write_text('{"max_age_days": "old", "outline": ["A", 2]}', "utf-8")
    here.type("e")
    here.expect(f"outline: 2 {en('value-text')}")
    here.expect(f"max_age_days: {en('value-whole')}")
    here.expect(en("cli-open-again"))
    editor.write_text('{"title": "Pumps"}', "utf-8")
    here.type("y")
    here.expect(en("cli-approve-changed"))
    here.type("y")
    assert here.exit_code() == 0
    assert gateway.heard[0]["modifications"] == {"title": "Pumps", "max_age_days": 730}
    assert f"{PLAN.title}!" in here.seen


@pytest.mark.full
def test_a_plan_that_changed_meanwhile_is_not_approved(
    gateway: FakeGateway, here: Terminal
) -> None:
    gateway.attempt, gateway.plan = 2, PLAN.model_copy(update={"title": "Another plan"})
    gateway._draft()
    here.type("a")
    here.expect("the plan shown now is")
    here.expect("Another plan")
    here.type("a")
    assert here.exit_code() == 0


def _not_taken_as_faster(who: str, action: str) -> str:
    done = en("cli-faster", who=who, done=en(f"decided-{action}"))
    return en("cli-not-taken", reason=done)


@pytest.mark.full
def test_earlier_decision_of_another_person_is_named(gateway: FakeGateway, here: Terminal) -> None:
    gateway.decided(Decide(action="reject", by="ada"))
    here.type("a")
    here.expect(_not_taken_as_faster("ada", "reject"))
    assert here.exit_code() == 4


@pytest.mark.full
def test_questions_answered_elsewhere_are_not_asked_again(
    gateway: FakeGateway, terminal: type[Terminal]
) -> None:
    here = terminal("run", "Which?")
    here.expect("Who is the first customer?")
    gateway.answered(AnswerQuestions(answers={}))
    here.type("1")
    here.expect("Which year do you enter?")
    here.type("")
    here.expect(_not_taken_as_faster(en("cli-somebody"), "answer"))
    here.expect(en("cli-does-approve"))
    here.type("a")
    assert here.exit_code() == 0


@pytest.mark.full
def test_what_the_run_is_told_elsewhere_stays_on_the_screen(
    gateway: FakeGateway, terminal: type[Terminal]
) -> None:
    gateway.emit("step_start", "research")
    here = terminal("watch", RUN)
    here.expect("Research")
    for told, line in (
        ({"steer": "Look at roads", "by": "ada"}, "guidance: Look at roads by ada"),
        ({"undo": 3}, "patch 3 of the report taken back"),
        ({"paused": True}, "paused"),
    ):
        gateway.emit("HumanResponseEvent", **told)
        here.expect(line)
    here.expect("‖ Research")
    gateway.emit("HumanResponseEvent", paused=False)
    here.expect("resumed")
    gateway._end("completed")
    assert here.exit_code() == 0
    assert here.seen.count("guidance: Look at roads") == 1


@pytest.mark.parametrize("at", ["a question", pytest.param("work", marks=pytest.mark.full)])
def test_ctrl_c_leaves_the_run_and_says_how_to_come_back(
    gateway: FakeGateway, terminal: type[Terminal], at: str
) -> None:
    gateway.pause = 0.1
    here = terminal("run", "Which?", *(["--yes"] if at == "work" else []))
    here.expect("Research" if at == "work" else "›")
    here.leave(phrase("cli-left"))
    here.expect(f"python3 -m greenlight watch {RUN}")
    assert here.exit_code() == 130


@pytest.mark.full
@pytest.mark.parametrize(
    ("waits", "says", "others"),
    [
        pytest.param(
            "for answers",
            "waits for your word",
            "answer, steer, pause, cancel",
            marks=pytest.mark.full,
        ),
        ("for a decision", "waits for your word", "approve, revise, reject, steer, pause, cancel"),
        pytest.param(
            "for its end",
            "goes on until it needs your word",
            "steer, pause, cancel",
            marks=pytest.mark.full,
        ),
        ("paused", "paused until you resume it", "resume, steer, cancel"),
    ],
)
def test_what_ctrl_c_says_fits_what_the_run_does(
    gateway: FakeGateway, terminal: type[Terminal], waits: str, says: str, others: str
) -> None:
    if waits == "for answers":
        gateway.begin()
    elif waits == "for a decision":
        gateway._draft()
    else:
        gateway.emit("step_start", "research")
        gateway.paused = waits == "paused"
    here = terminal("watch", RUN)
    here.expect("›" if gateway.pending else "Research")
    here.leave(phrase("cli-left"))
    here.expect(says)
    here.expect(f"in place of watch: {others}, report")


@pytest.mark.full
def test_who_leaves_after_the_stack_hears_that_the_run_goes_on_at_the_next_start(
    gateway: FakeGateway, terminal: type[Terminal]
) -> None:
    gateway._draft()
    here = terminal("watch", RUN)
    here.expect("›")
    gateway.away = 1
    here.leave("goes on at the next start")
    here.expect(f"watch {RUN}")
    assert "in place of watch" not in here.seen


@pytest.mark.full
def test_a_round_that_was_left_half_way_goes_on_with_what_is_open(
    gateway: FakeGateway, terminal: type[Terminal]
) -> None:
    here = terminal("run", "Which?")
    here.expect("Who is the first customer?")
    here.type("2")
    here.expect("Which year do you enter?")
    here.leave(en("cli-kept-open", answers=1, questions=1))
    here.expect(f"python3 -m greenlight watch {RUN}")
    assert here.exit_code() == 130
    again = terminal("watch", RUN)
    again.expect("Who is the first customer?  cooperatives")
    again.expect(en("cli-questions-before", n=1))
    again.expect("Which year do you enter?")
    again.type("2027")
    again.expect(en("cli-does-approve"))
    assert [said["answers"] for said in gateway.heard] == [{"q1": "cooperatives"}, {"q2": "2027"}]


@pytest.mark.full
def test_a_pdf_is_not_written_onto_a_terminal(
    gateway: FakeGateway, terminal: type[Terminal]
) -> None:
    gateway._end("completed")
    here = terminal("report", RUN, "--format", "pdf")
    here.expect("--format pdf is nothing to read here: name a file, as --out report.pdf")
    assert here.exit_code() == 2

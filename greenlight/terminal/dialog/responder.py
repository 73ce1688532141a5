"""Human side of a run: answers from a file and `--yes`, else the person at the keyboard."""

import contextlib
import re
import sys
from collections.abc import Iterator

from pydantic import TypeAdapter, ValidationError
from rich.console import Console, RenderableType
from rich.text import Text

from contracts.base import Json
from contracts.human.checkpoint_subjects import (
    FINISH,
    RAISE,
    BudgetSubject,
    PlanSubject,
)
from contracts.human.checkpoints import Checkpoint, OpenQuestion
from contracts.human.messages import AnswerQuestions, Decide
from contracts.notices import Notice
from contracts.planning.plan import PlanDraft
from contracts.words import Param, say
from domain.planning.plan_changes import list_plan_changes
from domain.report.subject_text import render_subject
from greenlight.errors import NeedsHuman, UsageError
from greenlight.terminal.dialog.decision_menu import Option, list_options
from greenlight.terminal.dialog.plan_editor import PlanEditor
from greenlight.terminal.display import plan, widgets
from workflows.checkpoints.decision_checks import list_offered_choices

try:
    import readline
except ImportError:  # not available on every platform; without it lines cannot be edited
    readline = None  # type: ignore[assignment]

Answers = dict[str, str | None] | list[str | None]
"""Answers by question id (`*` for all others), or in order; None leaves a question to the agents."""
_ANSWERS: TypeAdapter[Answers] = TypeAdapter(Answers)
_SEVERAL = re.compile(r"\d{1,2}(\s*[,;+ &]\s*\d{1,2})+")
"""Numbers of several choices, as in `1, 4`."""
_NUMBER = re.compile(r"-?\d{1,2}")  # longer numbers, such as years or amounts, are answers


WITHOUT_CHANGES = {"approve": "cli-drop-changes-approve", "revise": "cli-drop-changes-revise"}
"""The question before an action that drops a person's own changes, by code."""


class Responder:
    """Answers and decides; prepared answers are used once per checkpoint, then a person is asked."""

    def __init__(
        self, console: Console, answers: Answers | None = None, *, yes: bool = False
    ) -> None:
        self._console = console
        self._by_id = answers if isinstance(answers, dict) else {}
        self._queue = iter(answers if isinstance(answers, list) else [])
        self._has_answers = yes or answers is not None
        self._yes = yes
        self._seen: set[str] = set()
        self._question_ids: list[str] = []
        self._editor = PlanEditor(console, self._read)
        self._changes: dict[str | None, Json] = {}
        """Changes by plan hash, so that refused ones need not be typed again."""

    def answer(self, checkpoint: Checkpoint) -> AnswerQuestions:
        """Answer open questions; those without a prepared answer are left to the agents.

        If a person leaves half-way, return the answers so far.

        Raises:
            UsageError: A prepared answer names no question, or no valid choice.
            NeedsHuman: A required question has no answer, or nobody can answer interactively.
            KeyboardInterrupt, EOFError: A person leaves before the first answer.
        """
        questions = checkpoint.questions
        if self._has_answers and checkpoint.checkpoint_id not in self._seen:
            self._seen.add(checkpoint.checkpoint_id)
            answers = self._take_prepared(questions)
        else:
            self._require_person("cli-awaited-answers")
            title = Text(
                f"\n{say('en', 'cli-questions-before', n=len(questions))}   ", style="bold"
            )
            hint = say("en", "cli-how-to-answer")
            self._console.print(title.append(hint, style="not bold dim"))
            answers = {}
            try:
                for n, asked in enumerate(questions, 1):
                    answers[asked.id] = self._ask(asked, f"{n}/{len(questions)}")
                    if answers[asked.id] in asked.closing:
                        break
            except (KeyboardInterrupt, EOFError):
                if not answers:
                    raise
        return AnswerQuestions(answers=answers, checkpoint_id=checkpoint.checkpoint_id)

    def decide(self, checkpoint: Checkpoint) -> Decide:
        """Approve with `--yes`, or finish within a reached cap; a person chooses between several approving options.

        Raises:
            NeedsHuman: Nobody can answer interactively.
        """
        if self.is_approved(checkpoint):
            self._seen.add(checkpoint.checkpoint_id)
            about_budget = isinstance(checkpoint.subject, BudgetSubject)
            return Decide(
                action="approve",
                choice=FINISH if about_budget else None,
                plan_hash=checkpoint.plan_hash,
                checkpoint_id=checkpoint.checkpoint_id,
            )
        self._require_person("cli-awaited-decision")
        menu = list_options(checkpoint)
        while True:
            self._console.print(widgets.draw_menu([option[:3] for option in menu]))
            option, words = self._pick(menu)
            with _step_back(self._console):
                if decision := self._complete(option, words, checkpoint):
                    return decision

    def is_approved(self, checkpoint: Checkpoint) -> bool:
        """Return whether `--yes` approves a checkpoint, once, unless it has several choices or approvers.

        At a reached cap, it lets the run finish within the cap.
        """
        is_plain = len(list_offered_choices(checkpoint)) <= 1
        is_plain |= isinstance(checkpoint.subject, BudgetSubject)
        is_plain &= checkpoint.poll is None
        return self._yes and is_plain and checkpoint.checkpoint_id not in self._seen

    def _require_person(self, what: str) -> None:
        if not (self._console.is_terminal and sys.stdin.isatty()):
            raise NeedsHuman.of("cli-nobody-there", what=Notice.of(what))

    def _take_prepared(self, questions: list[OpenQuestion]) -> dict[str, str | None]:
        self._question_ids += [question.id for question in questions]
        if unknown := set(self._by_id).difference(self._question_ids, "*"):
            known = list(dict.fromkeys(self._question_ids))
            raise UsageError.of("cli-question-unknown", names=sorted(unknown), known=known)
        answers: dict[str, str | None] = {}
        for asked in questions:
            other = None if asked.strict else self._by_id.get("*")
            prepared = next(self._queue, self._by_id.get(asked.id, other))
            try:
                answers[asked.id] = _parse_answer(asked, prepared or "")
            except ValueError as wrong:
                told = {"id": asked.id, "answer": prepared or "", "hint": str(wrong)}
                raise UsageError.of("cli-no-choice", **told) from wrong
            if asked.required and not answers[asked.id]:
                raise NeedsHuman.of("cli-answer-needed", question=asked.question, id=asked.id)
        return answers

    def _ask(self, question: OpenQuestion, number: str) -> str | None:
        self._console.print(widgets.draw_question(question, number))
        while True:
            try:
                answer = _parse_answer(question, self._read("  › "))
            except ValueError as wrong:
                self._editor.hint(str(wrong))
                continue
            if answer is not None or not question.required:
                return answer
            self._editor.hint(say("en", "cli-needs-answer"))

    def _pick(self, menu: list[Option]) -> tuple[Option, str]:
        """Return what was picked; a sentence in place of a key asks for another version in its words."""
        by_input = {key: option for option in menu for key in (option.key, option.label.lower())}
        revise = next((option for option in menu if option.action == "revise"), None)
        while True:
            typed = self._read("  › ")
            if option := by_input.get(typed.lower()):
                return option, ""
            if revise and " " in typed and self._editor.confirm(say("en", "cli-revise-so")):
                return revise, typed
            *others, last = (option.key for option in menu)
            self._editor.hint(say("en", "cli-type-key", keys=others, last=last))

    def _complete(self, option: Option, words: str, checkpoint: Checkpoint) -> Decide | None:
        """Ask for the rest of a decision; None returns to the menu."""
        feedback, changes = words, None
        if not self._may_drop_changes(option, checkpoint):
            return None
        match option.action:
            case "show":
                self._console.print(_draw_rest(checkpoint))
                return None
            case "reject":
                feedback = self._ask_for("cli-ask-why")
            case "revise":
                feedback = words or self._ask_for("cli-ask-change")
                if not feedback:
                    return None
            case "modify" | "edit":
                if not (changes := self._change_plan(checkpoint, option)):
                    return None
            case "approve":
                pass
        action = "modify" if option.action == "edit" else option.action
        keep = None
        if checkpoint.keep_startup is not None and action in ("approve", "modify"):
            keep = self._editor.confirm(say("en", "cli-ask-startup"))
        return Decide(
            action=action,
            plan_hash=checkpoint.plan_hash,
            feedback=feedback,
            modifications=changes,
            choice=option.choice,
            keep_startup=keep,
            cap_usd=self._ask_cap(option, checkpoint),
            checkpoint_id=checkpoint.checkpoint_id,
        )

    def _ask_cap(self, option: Option, checkpoint: Checkpoint) -> float | None:
        """Ask for the run's new cap, by default the offered one; None if the choice is not a raise."""
        subject = checkpoint.subject
        if option.choice != RAISE or not isinstance(subject, BudgetSubject):
            return None
        while typed := self._ask_for("cli-ask-cap", offered=subject.offered_usd):
            with contextlib.suppress(ValueError):
                cap_usd = float(typed.strip("$ "))
                if subject.cap_usd < cap_usd <= subject.most_usd:
                    return cap_usd
            self._editor.hint(
                say("en", "cli-cap-range", cap=subject.cap_usd, most=subject.most_usd)
            )
        return subject.offered_usd

    def _may_drop_changes(self, option: Option, checkpoint: Checkpoint) -> bool:
        """Before a decision that would discard unsent changes, ask whether to discard them."""
        code = WITHOUT_CHANGES.get(option.action)
        if code is None or not self._changes.get(checkpoint.plan_hash):
            return True
        return self._editor.confirm(say("en", code))

    def _change_plan(self, checkpoint: Checkpoint, option: Option) -> Json:
        """Ask for changes on top of unsent or refused ones; empty if nothing is decided yet."""
        changes = self._changes.setdefault(checkpoint.plan_hash, {})
        shown = checkpoint.plan
        assert shown
        own = shown.model_dump(mode="json", include={*PlanDraft.model_fields})
        editor = self._editor
        edit = editor.edit_in_editor if option.action == "edit" else editor.edit_fields
        assumed = {each.say("en"): each.model_dump(mode="json") for each in shown.assumptions}
        changes |= edit({**own, "assumptions": [*assumed], **changes})
        if not changes:
            return {}
        wanted: Json = dict(changes)
        if isinstance(rows := changes.get("assumptions"), list):
            wanted["assumptions"] = [assumed.get(str(row), row) for row in rows]
        drafts = (PlanDraft.model_validate(each) for each in (own, {**own, **wanted}))
        self._console.print(plan.draw_changes(list_plan_changes(*drafts)))
        if editor.confirm(say("en", "cli-approve-changed")):
            return wanted
        self._console.print(f"  {say('en', 'cli-not-sent')}")
        return {}

    def _ask_for(self, code: str, **params: Param) -> str:
        """Read a line in answer to a question of the catalogue."""
        return self._read(f"  {say('en', code, **params)} › ")

    def _read(self, prompt: str, text: str = "") -> str:
        """Read a line; ↑ inserts `text` if lines can be edited."""
        if readline is not None:
            readline.clear_history()
            if text:
                readline.add_history(text)
        with contextlib.redirect_stdout(self._console.file):  # input() prompts there
            return input(prompt).strip()


@contextlib.contextmanager
def _step_back(console: Console) -> Iterator[None]:
    """Let Ctrl-C cancel the current question, not the command."""
    try:
        yield
    except KeyboardInterrupt:
        console.print(f"\n  {say('en', 'cli-step-back')}", style="yellow")


def _draw_rest(checkpoint: Checkpoint) -> RenderableType:
    """Draw what the checkpoint omits at first: a plan's searches, or at other checkpoints the plan."""
    assert checkpoint.plan
    if isinstance(checkpoint.subject, PlanSubject):
        return widgets.draw_numbered(checkpoint.plan.searches)
    return widgets.draw_markdown(render_subject(PlanSubject(plan=checkpoint.plan)))


def _parse_answer(question: OpenQuestion, typed: str) -> str | None:
    """Return the choices whose numbers were typed, or the typed text; None for an empty line.

    Raises:
        ValueError: There is no choice with this number, or text was typed where a choice is required.
    """
    choices = {str(n): choice for n, choice in enumerate(question.choices, 1)}
    numbers = re.findall(r"\d+", typed) if _SEVERAL.fullmatch(typed) else []
    answer = choices.get(typed, typed)
    if not question.strict and numbers and choices.keys() >= {*numbers}:
        answer = "; ".join(choices[n] for n in dict.fromkeys(numbers))
    if _is_typo(answer, question):
        code = "cli-number" if question.strict else "cli-number-or-words"
        raise ValueError(say("en", code, n=len(choices)))
    return answer or None


def _is_typo(answer: str, question: OpenQuestion) -> bool:
    """Return whether an answer is the number of no choice, or text where a choice is required."""
    if not answer or not question.choices or answer in question.choices:
        return False
    return question.strict or _NUMBER.fullmatch(answer) is not None


def parse_answers(value: object) -> Answers:
    """Return the answers in a file of JSON."""
    try:
        return _ANSWERS.validate_python(value)
    except ValidationError as error:
        wanted = '{"q1": "text", "*": null} or ["text", null]'
        raise UsageError.of("cli-answers-file", wanted=wanted) from error

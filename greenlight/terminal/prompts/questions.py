"""Asking the person at the keyboard: questions one by one, then a decision."""

import contextlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from rich.console import Console

from contracts.human.messages import Action, AnswerQuestions, Decide
from contracts.report.research import Plan
from contracts.runs.state import Checkpoint, OpenQuestion
from greenlight.terminal.display import plan
from greenlight.terminal.display import run as show
from greenlight.terminal.prompts import plan_editor as edit

with contextlib.suppress(ImportError):  # not on every platform; without it lines cannot be edited
    import readline  # noqa: F401


@dataclass(frozen=True)
class Option:
    """One thing a person may decide."""

    key: str
    action: Action | Literal["show"]
    label: str
    hint: str = ""
    choice: str | None = None


FIRST_LONG_NUMBER = 3  # digits: a year or an amount is an answer, "9" is a slip of the finger
SHOW = Option("s", "show", "show", "list all searches")
ACTIONS = (
    Option("a", "approve", "approve", "start the work"),
    Option("v", "revise", "revise", "say what to change and see a new plan"),
    Option("m", "modify", "modify", "change the plan yourself, then approve it"),
    Option("r", "reject", "reject", "end the run here"),
)


def options(checkpoint: Checkpoint) -> list[Option]:
    """Return what may be decided: numbered choices, then the actions."""
    named = {option.label for option in ACTIONS}
    choices = [label for label in checkpoint.options if label not in named]
    numbered = [Option(str(n), "approve", c, choice=c) for n, c in enumerate(choices, 1)]
    actions = [option for option in ACTIONS if option.label in checkpoint.options]
    if choices:
        actions = [option for option in actions if option.action != "approve"]
    return [*numbered, *actions, *([SHOW] if checkpoint.plan_hash else [])]


class Person:
    """Answers for the human by asking them."""

    def __init__(self, console: Console) -> None:
        self._console = console

    def answers(self, checkpoint: Checkpoint) -> AnswerQuestions:
        """Put the questions one by one; an empty line leaves it to us."""
        count = len(checkpoint.questions)
        self._console.print(show.questions_title(checkpoint))
        given = {
            question.id: self._ask(question, f"{n}/{count}")
            for n, question in enumerate(checkpoint.questions, 1)
        }
        return AnswerQuestions(answers=given, checkpoint_id=checkpoint.checkpoint_id)

    def _ask(self, question: OpenQuestion, place: str) -> str | None:
        self._console.print(show.question(question, place))
        while True:
            answer = chosen(self._read("  › "), question.choices)
            if is_slip(answer, question):
                words = "" if question.strict else ", or an answer in words"
                self._hint(f"Type a number from 1 to {len(question.choices)}{words}.")
            elif question.required and not answer:
                self._hint("This one needs an answer.")
            else:
                return answer or None

    def decision(self, checkpoint: Checkpoint) -> Decide:
        """Ask until one decision is complete."""
        menu = options(checkpoint)
        while True:
            self._console.print(show.menu([(o.key, o.label, o.hint) for o in menu]))
            decision = self._complete(self._pick(menu), checkpoint)
            if decision is not None:
                named = {"checkpoint_id": checkpoint.checkpoint_id}
                return decision.model_copy(update=named)

    def _pick(self, menu: Sequence[Option]) -> Option:
        typed = {key: option for option in menu for key in (option.key, option.label.lower())}
        while True:
            found = typed.get(self._read("  › ").lower())
            if found:
                return found
            *others, last = (option.key for option in menu)
            self._hint(f"Type {', '.join(others)} or {last}.")

    def _complete(self, option: Option, checkpoint: Checkpoint) -> Decide | None:
        if option.action == "show":
            self._console.print(show.lines(plan.searches(Plan.model_validate(checkpoint.subject))))
            return None
        if option.action == "approve":
            shown = checkpoint.plan_hash
            return Decide(action="approve", plan_hash=shown, choice=option.choice)
        if option.action == "reject":
            return Decide(action="reject", feedback=self._read("  Why? (Enter: no reason) › "))
        if option.action == "revise":
            wish = self._read("  What should change? (Enter: back) › ")
            return Decide(action="revise", feedback=wish) if wish else None
        changes = edit.fields(checkpoint.subject or {}, self._console, self._read)
        if not changes or not self._agrees("  Approve the plan with these changes? y/n › "):
            return None
        return Decide(action="modify", plan_hash=checkpoint.plan_hash, modifications=changes)

    def _agrees(self, prompt: str) -> bool:
        return self._read(prompt).lower() in {"y", "yes"}

    def _read(self, prompt: str) -> str:
        with contextlib.redirect_stdout(self._console.file):  # input() prompts on stdout otherwise
            return input(prompt).strip()

    def _hint(self, text: str) -> None:
        self._console.print(f"  [yellow]{text}[/]")


def chosen(typed: str, choices: Sequence[str]) -> str:
    """Return the choice of that number, else what was typed."""
    numbered: Mapping[str, str] = {str(n): choice for n, choice in enumerate(choices, 1)}
    return numbered.get(typed, typed)


def is_slip(answer: str, question: OpenQuestion) -> bool:
    """Tell whether an answer is the number of no choice, or in words where none are taken."""
    if not answer or not question.choices or answer in question.choices:
        return False
    return question.strict or (answer.isdecimal() and len(answer) < FIRST_LONG_NUMBER)

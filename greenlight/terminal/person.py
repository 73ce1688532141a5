"""The person at the keyboard: questions one by one, decisions, and changes to a plan."""

import contextlib
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal

from rich.console import Console

from contracts.base import Json
from contracts.human.messages import Action, AnswerQuestions, Decide
from contracts.report.research import Plan, PlanDraft
from contracts.runs.state import Checkpoint, OpenQuestion
from greenlight.terminal.display import plan, widgets

with contextlib.suppress(ImportError):  # not on every platform; without it lines cannot be edited
    import readline  # noqa: F401


@dataclass(frozen=True)
class Option:
    """An entry of the decision menu."""

    key: str
    action: Action | Literal["show"]
    label: str
    hint: str = ""
    choice: str | None = None


MAX_TYPO_DIGITS = 2  # a longer number, such as a year or an amount, is an answer
SHOW = Option("s", "show", "show", "list all searches")
ACTIONS = (
    Option("a", "approve", "approve", "start the work"),
    Option("v", "revise", "revise", "say what to change and see a new plan"),
    Option("m", "modify", "modify", "change the plan yourself, then approve it"),
    Option("r", "reject", "reject", "end the run here"),
)


def list_options(checkpoint: Checkpoint) -> list[Option]:
    """Return the menu of a decision: numbered choices, then the actions."""
    labels = {option.label for option in ACTIONS}
    choices = [label for label in checkpoint.options if label not in labels]
    numbered = [Option(str(n), "approve", c, choice=c) for n, c in enumerate(choices, 1)]
    actions = [option for option in ACTIONS if option.label in checkpoint.options]
    if choices:
        actions = [option for option in actions if option.action != "approve"]
    return [*numbered, *actions, *([SHOW] if checkpoint.plan_hash else [])]


class Person:
    """Responder that asks the person at the keyboard."""

    def __init__(self, console: Console) -> None:
        self._console = console

    def answer(self, checkpoint: Checkpoint) -> AnswerQuestions:
        """Ask the questions one by one; an empty line leaves one to the agents."""
        count = len(checkpoint.questions)
        self._console.print(widgets.draw_questions_title(checkpoint))
        answers = {
            question.id: self._ask(question, f"{n}/{count}")
            for n, question in enumerate(checkpoint.questions, 1)
        }
        return AnswerQuestions(answers=answers, checkpoint_id=checkpoint.checkpoint_id)

    def _ask(self, question: OpenQuestion, number: str) -> str | None:
        self._console.print(widgets.draw_question(question, number))
        while True:
            answer = self._read("  › ")
            choices = {str(n): choice for n, choice in enumerate(question.choices, 1)}
            answer = choices.get(answer, answer)
            if _is_typo(answer, question):
                words = "" if question.strict else ", or an answer in words"
                self._hint(f"Type a number from 1 to {len(question.choices)}{words}.")
            elif question.required and not answer:
                self._hint("This one needs an answer.")
            else:
                return answer or None

    def decide(self, checkpoint: Checkpoint) -> Decide:
        """Ask until a decision is complete."""
        menu = list_options(checkpoint)
        while True:
            self._console.print(widgets.draw_menu([(o.key, o.label, o.hint) for o in menu]))
            decision = self._complete(self._pick(menu), checkpoint)
            if decision is not None:
                return decision.model_copy(update={"checkpoint_id": checkpoint.checkpoint_id})

    def _pick(self, menu: Sequence[Option]) -> Option:
        by_input = {key: option for option in menu for key in (option.key, option.label.lower())}
        while True:
            if option := by_input.get(self._read("  › ").lower()):
                return option
            *others, last = (option.key for option in menu)
            self._hint(f"Type {', '.join(others)} or {last}.")

    def _complete(self, option: Option, checkpoint: Checkpoint) -> Decide | None:
        """Ask for the rest of a decision; None leads back to the menu."""
        if option.action == "show":
            searches = plan.list_searches(Plan.model_validate(checkpoint.subject))
            self._console.print(widgets.draw_numbered(searches))
            return None
        if option.action == "approve":
            plan_hash = checkpoint.plan_hash
            return Decide(action="approve", plan_hash=plan_hash, choice=option.choice)
        if option.action == "reject":
            return Decide(action="reject", feedback=self._read("  Why? (Enter: no reason) › "))
        if option.action == "revise":
            feedback = self._read("  What should change? (Enter: back) › ")
            return Decide(action="revise", feedback=feedback) if feedback else None
        changes = self._edit_plan(checkpoint.subject or {})
        prompt = "  Approve the plan with these changes? y/n › "
        if not changes or self._read(prompt).lower() not in {"y", "yes"}:
            return None
        return Decide(action="modify", plan_hash=checkpoint.plan_hash, modifications=changes)

    def _edit_plan(self, shown: Json) -> Json:
        """Ask for changed fields until an empty line; return their whole values."""
        names = list(PlanDraft.model_fields)
        changes: Json = {}
        rows = [
            (str(n), plan.format_label(name), plan.format_value(shown.get(name)))
            for n, name in enumerate(names, 1)
        ]
        self._console.print(widgets.draw_menu(rows))
        while typed := self._read("  Which field? (Enter: done) › "):
            if not typed.isdigit() or not 1 <= int(typed) <= len(names):
                self._hint(f"Type a number from 1 to {len(names)}.")
                continue
            name = names[int(typed) - 1]
            value = self._edit_field(name, {**shown, **changes}.get(name))
            if value is not None:
                changes[name] = value
                self._console.print(f"  [green]✓[/] {plan.format_label(name)}")
        return changes

    def _edit_field(self, name: str, value: Any) -> Any:
        """Ask for a field's new value; None keeps the old one."""
        if name == "steps":
            self._console.print(widgets.draw_numbered([step["name"] for step in value]))
            prompt = "  Steps to keep, in their new order, e.g. 2 1 (Enter: keep) › "
            numbers = [int(n) for n in self._read(prompt).split() if n.isdigit()]
            chosen = dict.fromkeys(n for n in numbers if 1 <= n <= len(value))
            return [value[n - 1] for n in chosen] or None
        if isinstance(value, list):
            self._console.print(widgets.draw_numbered(value))
            typed = self._read("  New list, separated by ; (Enter: keep) › ")
            return [item.strip() for item in typed.split(";") if item.strip()] or None
        self._console.print(widgets.draw_numbered([value]))
        return self._read("  New text (Enter: keep) › ") or None

    def _read(self, prompt: str) -> str:
        with contextlib.redirect_stdout(self._console.file):  # input() prompts on stdout otherwise
            return input(prompt).strip()

    def _hint(self, text: str) -> None:
        self._console.print(f"  [yellow]{text}[/]")


def _is_typo(answer: str, question: OpenQuestion) -> bool:
    """Tell whether an answer is the number of no choice, or text where a choice is required."""
    if not answer or not question.choices or answer in question.choices:
        return False
    return question.strict or (answer.isdecimal() and len(answer) <= MAX_TYPO_DIGITS)

"""Manual changes of a plan: field by field, or as a whole in the user's editor."""

import json
import os
import shlex
import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from pydantic import TypeAdapter, ValidationError
from rich.console import Console

from contracts.base import Json
from contracts.notices import Notice
from contracts.planning.plan import SEARCHES, PlanDraft, join_searches
from contracts.problems import explain_error
from contracts.words import say
from domain.planning.plan_changes import describe_value, label_field
from domain.text_matching.suggestions import suggest
from greenlight.terminal.display import widgets

NUMBERS = ("max_age_days",)
_PLAN: TypeAdapter[Json] = TypeAdapter(Json)


def find_editor() -> list[str]:
    """Return the command of the user's editor; an empty list if there is none."""
    words = shlex.split(os.environ.get("VISUAL") or os.environ.get("EDITOR") or "vi")
    return words if words and shutil.which(words[0]) else []


class PlanEditor:
    """Asks for changes of a plan; returns changed fields with their whole values."""

    def __init__(self, console: Console, read: Callable[..., str]) -> None:
        self._console = console
        self._read = read

    def confirm(self, question: str) -> bool:
        """Ask until the answer is yes or no."""
        prompt = f"  {say('en', 'cli-confirm', question=question)} › "
        while (typed := self._read(prompt).lower()) not in {"y", "yes", "n", "no"}:
            self.hint(say("en", "cli-type-y-n"))
        return typed.startswith("y")

    def hint(self, text: str) -> None:
        """Print what was not understood."""
        self._console.print(f"  {text}", style="yellow", markup=False)

    def edit_in_editor(self, shown: Json) -> Json:
        """Open the plan's fields as JSON in the editor, until they are valid."""
        fields = _fill_fields(shown)
        text = json.dumps(fields, indent=2, ensure_ascii=False)
        while True:
            text = _open_editor(text)
            try:
                edited: Json = _PLAN.validate_json(text)
            except ValidationError as error:
                self.hint(say("en", "cli-not-object", reason=error.errors()[0]["msg"]))
            else:
                same = [name for name in fields if name in edited and edited[name] == fields[name]]
                changes = {name: edited[name] for name in edited if name not in same}
                problems = _find_problems(shown, changes)
                if not problems:
                    return changes
                for name, problem in problems:
                    self.hint(f"{name}: {problem}")
            if not self.confirm(say("en", "cli-open-again")):
                return {}

    def edit_fields(self, shown: Json) -> Json:
        """Ask for changed fields until an empty line; all searches are one of them."""
        first, second = SEARCHES
        shown = join_searches(shown)
        names = [name for name in PlanDraft.model_fields if name != second]
        changes: Json = {}
        rows = [
            (str(n), label_field(name), describe_value(shown.get(name, [])))
            for n, name in enumerate(names, 1)
        ]
        self._console.print(widgets.draw_menu(rows))
        by_input = {
            key.lower(): name
            for (n, label, _), name in zip(rows, names, strict=True)
            for key in (n, label, name)
        }
        while typed := self._read(f"  {say('en', 'cli-ask-field')} › "):
            if (name := by_input.get(typed.lower())) is None:
                self.hint(say("en", "cli-number-or-name", n=len(names)))
                continue
            value = self._edit_field(name, {**shown, **changes}.get(name, []))
            if value is None:
                continue
            changed = {name: value, second: []} if name == first else {name: value}
            if problems := _find_problems(shown, changed):
                told = {"field": label_field(name), "problem": problems[0][1]}
                self.hint(say("en", "cli-field-kept", **told))
                continue
            changes |= changed
            self._console.print(f"  [green]✓[/] {label_field(name)}")
        return changes

    def _edit_field(self, name: str, value: Any) -> Any:
        """Ask for a field's new value; None keeps the old one."""
        if name == "steps":
            self._console.print(widgets.draw_numbered([step["name"] for step in value]))
            prompt = f"  {say('en', 'cli-ask-steps')} › "
            numbers = [int(n) for n in self._read(prompt).split() if n.isdigit()]
            chosen = dict.fromkeys(n for n in numbers if 1 <= n <= len(value))
            return [value[n - 1] for n in chosen] or None
        if isinstance(value, list):
            self._console.print(widgets.draw_numbered(value))
            typed = self._read(f"  {say('en', 'cli-ask-list')} › ", "; ".join(value))
            items = [item.strip() for item in typed.split(";") if item.strip()]
            return None if typed == "; ".join(value) else items or None
        before = "" if value is None else str(value)
        self._console.print(widgets.draw_numbered([before or say("en", "cli-nothing-there")]))
        code = "cli-ask-number" if name in NUMBERS else "cli-ask-text"
        typed = self._read(f"  {say('en', code)} › ", before)
        if typed == before or not typed:
            return None
        return int(typed) if name in NUMBERS and typed.isdecimal() else typed


def _fill_fields(shown: Json) -> Json:
    """Return every field of a plan that a human may change; a list that is not there is empty."""
    return {name: shown.get(name, []) for name in PlanDraft.model_fields}


def _find_problems(shown: Json, changes: Json) -> list[tuple[str, str]]:
    """Return of each changed field that a plan cannot have its name, and why."""
    fields = _fill_fields(shown)
    try:
        PlanDraft.model_validate({**fields, **changes})
    except ValidationError as error:
        return [
            _describe_problem(each["loc"], explain_error(each))
            for each in error.errors()
            if each["loc"][0] in changes
        ]
    return []


def _describe_problem(place: tuple[int | str, ...], problem: Notice) -> tuple[str, str]:
    """Return a field and its problem; parts of a list are counted from 1, as they are shown."""
    name, *inner = (str(part + 1) if isinstance(part, int) else part for part in place)
    if name not in PlanDraft.model_fields:
        problem = Notice.of("plan-no-field", hint=suggest(name, PlanDraft.model_fields))
        inner = []
    return name, " ".join([*inner, problem.text])


def _open_editor(text: str) -> str:
    """Return the text as the user leaves it."""
    with TemporaryDirectory() as folder:
        path = Path(folder, "plan.json")
        path.write_text(text, encoding="utf-8")
        subprocess.run([*find_editor(), str(path)], check=False)
        return path.read_text("utf-8", errors="replace")

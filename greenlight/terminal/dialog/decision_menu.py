"""The menu of a decision: what a person may do at a checkpoint, and what each action does there."""

from typing import Literal, NamedTuple

from contracts.human.checkpoint_subjects import (
    BudgetSubject,
    PlanSubject,
    ResultsSubject,
    StepSubject,
)
from contracts.human.checkpoints import Checkpoint
from contracts.human.messages import Action
from contracts.words import say
from greenlight.terminal.dialog.plan_editor import find_editor
from workflows.checkpoints.decision_checks import list_offered_choices


class Option(NamedTuple):
    """An entry of the decision menu: an action, or a choice that implies one."""

    key: str
    label: str
    hint: str
    action: Action | Literal["edit", "show"]
    choice: str | None = None


EDIT = Option("e", "edit", say("en", "cli-does-edit"), "edit")

ACTIONS = (
    Option("a", "approve", say("en", "cli-does-approve"), "approve"),
    Option("v", "revise", say("en", "cli-does-revise"), "revise"),
    Option("m", "modify", say("en", "cli-does-modify"), "modify"),
    Option("r", "reject", say("en", "cli-does-reject"), "reject"),
)

SHOW = Option("s", "show", say("en", "cli-does-show-searches"), "show")

SHOW_PLAN = Option("s", "show", say("en", "cli-does-show-plan"), "show")


def list_options(checkpoint: Checkpoint) -> list[Option]:
    """Return the menu of a decision: numbered choices, then the actions that no choice stands for."""
    hints = {option.label: option.hint for option in ACTIONS} | {"approve": ""}
    menu = [
        Option(str(n), choice.label, hints[choice.action], choice.action, choice.label)
        for n, choice in enumerate(checkpoint.choices, 1)
    ]
    offered = list_offered_choices(checkpoint)
    told = _list_hints(checkpoint)
    actions = [
        option._replace(hint=told.get(option.action, option.hint))
        for option in ACTIONS
        if option.action in checkpoint.options
    ]
    if "modify" in checkpoint.options and find_editor():
        actions.insert(-1, EDIT)
    menu += [option for option in actions if not offered or option.action != "approve"]
    if checkpoint.plan is None:
        return menu
    return [*menu, SHOW if isinstance(checkpoint.subject, PlanSubject) else SHOW_PLAN]


def _list_hints(checkpoint: Checkpoint) -> dict[str, str]:
    """Return by action what it does at a checkpoint that is not about the plan itself."""
    match checkpoint.subject:
        case StepSubject(step_failure=failure, next=following):
            hints = {
                "revise": say("en", "cli-does-revise-step"),
                "modify": say("en", "cli-does-modify-rest"),
            }
            if failure:
                return {**hints, "approve": say("en", "cli-does-accept-step")}
            if following:
                return {**hints, "approve": say("en", "cli-does-next-step", step=following.name)}
            return {**hints, "approve": say("en", "cli-does-finish")}
        case ResultsSubject():
            return {"approve": say("en", "cli-does-accept")}
        case BudgetSubject():
            return {"reject": say("en", "cli-does-reject-budget")}
        case _:
            return {}

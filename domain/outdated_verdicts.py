"""Add unread results to recommended actions, and withhold an action that is too outdated to show."""

from collections.abc import Mapping
from typing import TypeVar

from contracts.phases.typed_answers import NOT_ENOUGH, OPEN, Recommendation, WeighedAction
from contracts.report.unread_results import UnreadResults

Action = TypeVar("Action", bound=WeighedAction)


def add_unread(
    said: Recommendation, unread: Mapping[str, UnreadResults], subject: str
) -> Recommendation:
    """Add to each action the results on its company that were not read, and withhold it where they bar a verdict.

    `subject` is the company of a recommendation that names none.
    """
    first = _add(said, unread.get(said.company or subject))
    others = [_add(one, unread.get(one.company)) for one in said.others]
    is_bare = first.withheld and not others
    return first.model_copy(update={"others": others, "answer": [] if is_bare else said.answer})


def _add(said: Action, unread: UnreadResults | None) -> Action:
    is_barred = unread and unread.bars_verdict and said.action not in OPEN
    barred = {"action": NOT_ENOUGH, "withheld": said.action, "confidence": 0.0}
    return said.model_copy(update={"unread": unread, **(barred if is_barred else {})})

"""A changed plan that costs more than shown: whether it must be approved again, and how its price is shown."""

from contracts.human.checkpoints import Checkpoint
from contracts.notices import Notice
from contracts.runs.run_terms import Terms

DEARER = "ask-price"
"""Code of the question about a price that a change raised."""


def is_dearer(terms: Terms, shown: Checkpoint, changed: Checkpoint) -> bool:
    """Return whether a changed plan needs a new approval, because its price rose beyond the tolerance.

    Prices do not matter if the stand-in answers.
    """
    if shown.plan is None or changed.plan is None or terms.offline:
        return False
    before, after = shown.plan.estimated_cost, changed.plan.estimated_cost
    rise = max(after.top_usd - before.top_usd, after.expected_usd - before.expected_usd)
    return rise > terms.price_tolerance.compute_usd(before.top_usd)


def tell_price(shown: Checkpoint, changed: Checkpoint) -> Checkpoint:
    """Return the checkpoint of a dearer plan with its price before and now ahead of its question."""
    assert shown.plan
    assert changed.plan
    before, after = shown.plan.estimated_cost, changed.plan.estimated_cost
    raised = Notice.of(
        DEARER,
        before=before.expected_usd,
        before_top=before.top_usd,
        after=after.expected_usd,
        after_top=after.top_usd,
    )
    return changed.ask([raised, *forget_price(changed).asks])


def forget_price(shown: Checkpoint) -> Checkpoint:
    """Return the checkpoint with its question alone: somebody has approved its price, or it is another."""
    return shown.ask([asked for asked in shown.asks if asked.code != DEARER])

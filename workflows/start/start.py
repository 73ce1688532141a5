"""Making a start ready: the definition resolved, its phases priced, all of it frozen."""

from contracts.definitions import Definition
from contracts.runs.request import RunRequest
from contracts.runs.start import Opened, ParentRun, RunInput
from contracts.step_cache import Find
from contracts.terms import Terms
from workflows.start.cached_seeds import supplied
from workflows.start.cost_estimate import costs
from workflows.start.resolution import NOTHING, Found, resolve


def open_run(
    request: RunRequest,
    definition: Definition,
    parent: ParentRun | None,
    terms: Terms,
    found: Found = NOTHING,
) -> Opened:
    """Return what the run starts from; raises as `resolve`."""
    resolved = resolve(request, definition, parent, found)
    limited = terms.limited_to(request.model_overrides, request.budget)
    carried = len(resolved.carried.sources) if resolved.carried else 0
    known = costs(resolved.definition, limited, carried)
    return Opened(resolved=resolved, terms=limited, costs=known)


async def open_supplied(
    request: RunInput, definition: Definition, parent: ParentRun | None, terms: Terms, find: Find
) -> Opened:
    """Return what the run starts from, with what `only` leaves out as far as earlier runs gave it.

    A start that leaves something out is resolved twice: to learn what to look for, and with it.
    Raises as `resolve`.
    """
    found = await supplied(request, definition, parent, terms, find)
    return open_run(request, definition, parent, terms, found)

"""Making a start ready: the definition resolved, its phases priced, all of it frozen."""

from contracts.definitions import Definition
from contracts.request import RunRequest
from contracts.run import Opened, ParentRun
from contracts.terms import Terms
from workflows.estimate import costs
from workflows.resolve import resolve


def open_run(
    request: RunRequest, definition: Definition, parent: ParentRun | None, terms: Terms
) -> Opened:
    """Return what the run starts from; raises as `resolve`."""
    resolved = resolve(request, definition, parent)
    limited = terms.limited_to(request.model_overrides, request.budget)
    carried = len(resolved.carried.sources) if resolved.carried else 0
    known = costs(resolved.definition, limited, carried)
    return Opened(resolved=resolved, terms=limited, costs=known)

"""Matches starts to recorded runs, whose answers are then replayed without calling a provider."""

from collections.abc import Sequence

from contracts.runs.samples import Sample
from contracts.runs.start import RunInput


def find_sample(samples: Sequence[Sample], definition: str, start: RunInput) -> Sample | None:
    """Return the recorded run whose start equals this one in everything that its answers depend on, or None."""
    beside = {"definition_id", "version", "tenant_id", "user_id", "fresh", "temp_workflow"}
    query, depth = " ".join(start.query.split()), start.depth if start.depth != "standard" else None
    asked = start.model_copy(update={"query": query, "depth": depth}).model_dump(exclude=beside)
    plain = (RunInput(query=s.query, inputs=s.inputs) for s in samples)
    found = zip(samples, plain, strict=True)
    fits = (
        s
        for s, one in found
        if s.definition == definition and one.model_dump(exclude=beside) == asked
    )
    return next(fits, None)

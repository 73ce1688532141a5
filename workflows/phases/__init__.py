"""One handler per kind, and PHASES, the registry that is read top to bottom."""

from workflows.company import retrieval
from workflows.phase_context.kind import AnyKind
from workflows.phases import (
    analysis,
    clarification,
    crew,
    decision,
    edit,
    hitl_checkpoint,
    idea_generation,
    planning,
    recall,
    research,
    review_and_summary,
    synthesis,
    validation,
)
from workflows.phases.control import kinds as control

PHASES: dict[str, AnyKind] = {
    kind.name: kind.add_words()
    for kind in (
        recall.KIND,
        clarification.KIND,
        idea_generation.KIND,
        planning.KIND,
        hitl_checkpoint.KIND,
        research.KIND,
        synthesis.KIND,
        validation.KIND,
        crew.KIND,
        retrieval.KIND,
        analysis.KIND,
        decision.KIND,
        *review_and_summary.KINDS,
        *control.KINDS,
        edit.KIND,
    )
}
"""Every kind by name, in the order a run usually meets them."""

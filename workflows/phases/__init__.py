"""One handler per kind, and PHASES, the registry that is read top to bottom."""

from contracts.phases import (
    ClarificationPhase,
    CrewPhase,
    HitlCheckpointPhase,
    PlanningPhase,
    RecallPhase,
    ResearchPhase,
    SynthesisPhase,
)
from contracts.research import (
    CheckpointOutput,
    ClarificationOutput,
    CrewOutput,
    PlanningOutput,
    RecallOutput,
    ResearchOutput,
    SynthesisOutput,
)
from workflows.kinds import Kind, Need, Tokens
from workflows.phases import crew, hitl_checkpoint
from workflows.phases.clarification import clarification
from workflows.phases.planning import planning
from workflows.phases.recall import recall
from workflows.phases.research import research
from workflows.phases.synthesis import synthesis

PHASES: dict[str, Kind] = {
    "recall": Kind(
        phase=RecallPhase,
        handler=recall,
        output=RecallOutput,
        title="Recall",
        description="Looks up the startups this user told us about before.",
        category="clarify",
        icon="history",
    ),
    "clarification": Kind(
        phase=ClarificationPhase,
        handler=clarification,
        output=ClarificationOutput,
        title="Clarify",
        description="Asks two or three questions, each with its reason.",
        category="clarify",
        icon="help",
        needs=lambda _: (Need("startup", required=False), Need("startups", required=False)),
        waits=True,
        agents=lambda _: ("clarifier",),
        tokens=lambda _: (Tokens(600, 300, slack=1_500, role="clarifier"),),
    ),
    "planning": Kind(
        phase=PlanningPhase,
        handler=planning,
        output=PlanningOutput,
        title="Plan",
        description="Drafts, reviews and prices the plan a human approves.",
        category="plan",
        icon="list",
        needs=lambda _: (Need("brief", required=False), Need("startup", required=False)),
        agents=lambda _: ("planner", "plan_reviewer"),
        tokens=lambda _: (Tokens(3_000, 1_000, slack=2_500, role="planner"),),
    ),
    "hitl_checkpoint": Kind(
        phase=HitlCheckpointPhase,
        handler=hitl_checkpoint.hitl_checkpoint,
        output=CheckpointOutput,
        title="Approve",
        description="Waits for a human's decision.",
        category="plan",
        icon="hand",
        needs=hitl_checkpoint.needs,
        waits=True,
    ),
    "research": Kind(
        phase=ResearchPhase,
        handler=research,
        output=ResearchOutput,
        title="Research",
        description="An agent searches and reads what the approved plan asks for.",
        category="execute",
        icon="search",
        needs=lambda _: (Need("plan"), Need("brief", required=False)),
        web=lambda _: True,
        agents=lambda _: ("researcher",),
        tokens=lambda _: (Tokens(4_000, 400, 4_300, 60, slack=6_000, role="researcher"),),
    ),
    "synthesis": Kind(
        phase=SynthesisPhase,
        handler=synthesis,
        output=SynthesisOutput,
        title="Write",
        description="Writes the report; code checks every quote, figure, name and date.",
        category="execute",
        icon="edit",
        needs=lambda _: (
            Need("sources"),
            Need("findings", required=False),
            Need("searches", required=False),
            Need("plan", required=False),
            Need("brief", required=False),
        ),
        agents=lambda _: ("synthesizer",),
        tokens=lambda phase: (
            Tokens(
                *(2_500, 900, 500, 95),
                slack=2 * phase.config.max_report_tokens,
                role="synthesizer",
            ),
        ),
    ),
    "crew": Kind(
        phase=CrewPhase,
        handler=crew.crew,
        output=CrewOutput,
        title="Crew",
        description="A crew of agents does the approved plan's steps, each its own part.",
        category="execute",
        icon="users",
        needs=crew.needs,
        web=lambda phase: phase.config.web,
        agents=lambda phase: tuple(agent.id for agent in phase.config.agents),
        tokens=crew.tokens,
    ),
}
"""Every kind by name, in the order a run usually meets them."""

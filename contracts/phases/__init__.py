"""The phase kinds, one module each: config, node of a definition, output."""

from typing import Annotated

from pydantic import Field

from contracts.phases.clarification import ClarificationPhase
from contracts.phases.control import ControlPhase, OneShotPhase
from contracts.phases.crew import CrewPhase
from contracts.phases.edit import EditPhase
from contracts.phases.hitl_checkpoint import HitlCheckpointPhase
from contracts.phases.planning import IdeaGenerationPhase, PlanningPhase
from contracts.phases.recall import RecallPhase
from contracts.phases.research import ResearchPhase, RetrievalPhase
from contracts.phases.synthesis import SynthesisPhase
from contracts.phases.typed_answers import AnalysisPhase, DecisionPhase, ReviewPhase, SummaryPhase
from contracts.phases.validation import ValidationPhase

Phase = Annotated[
    RecallPhase
    | ClarificationPhase
    | IdeaGenerationPhase
    | PlanningPhase
    | HitlCheckpointPhase
    | RetrievalPhase
    | ResearchPhase
    | SynthesisPhase
    | CrewPhase
    | AnalysisPhase
    | DecisionPhase
    | ReviewPhase
    | SummaryPhase
    | ControlPhase
    | OneShotPhase
    | ValidationPhase
    | EditPhase,
    Field(discriminator="kind"),
]
"""One node of a definition."""

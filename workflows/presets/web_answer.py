"""`web_answer`: ask only what is unclear, then search, read, answer and validate at once."""

from contracts.definitions import Definition
from contracts.phases.clarification import ClarificationConfig, ClarificationPhase
from contracts.phases.planning import PlanningPhase
from contracts.phases.recall import RecallConfig, RecallPhase
from contracts.phases.research import ResearchConfig, ResearchPhase
from contracts.phases.synthesis import SynthesisConfig, SynthesisPhase
from contracts.phases.validation import ValidationConfig, ValidationPhase

WEB_ANSWER = Definition(
    id="web_answer",
    title="Web answer",
    description="Answers a question from the web at once; starting it is the consent to search.",
    is_preset=True,
    consent="searches the web and reads at most 8 pages for this question",
    phases=[
        RecallPhase(config=RecallConfig(reuse="at_once")),
        ClarificationPhase(config=ClarificationConfig(mode="when_ambiguous")),
        PlanningPhase(),
        ResearchPhase(config=ResearchConfig(max_sources=8, max_turns=6)),
        SynthesisPhase(config=SynthesisConfig(form="text", judge=True, max_report_tokens=2_000)),
        ValidationPhase(config=ValidationConfig(check_outline=False)),
    ],
)

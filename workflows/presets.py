"""The definitions that ship with Greenlight, as data; see docs/definitions.md for their fields."""

from contracts.definitions import Definition
from contracts.phases import Phase
from contracts.phases.clarification import ClarificationConfig, ClarificationPhase
from contracts.phases.control import ControlConfig, ControlPhase, OneShotPhase
from contracts.phases.crew import CrewPhase
from contracts.phases.generate import (
    AnalysisConfig,
    AnalysisPhase,
    DecisionConfig,
    DecisionPhase,
    SummaryConfig,
    SummaryPhase,
)
from contracts.phases.hitl_checkpoint import HitlCheckpointConfig, HitlCheckpointPhase
from contracts.phases.idea_generation import IdeaGenerationPhase
from contracts.phases.planning import PlanningConfig, PlanningPhase
from contracts.phases.recall import RecallConfig, RecallPhase
from contracts.phases.research import ResearchConfig, ResearchPhase
from contracts.phases.retrieval import RetrievalPhase
from contracts.phases.synthesis import SynthesisConfig, SynthesisPhase
from contracts.phases.validation import ValidationConfig, ValidationPhase

CHECKPOINT = HitlCheckpointPhase(id="checkpoint")
SUMMARY = SummaryPhase(config=SummaryConfig(inputs=["report"]))
INVESTMENT_PHASE_SECONDS = 60


def _build_preset(
    id: str, title: str, description: str, phases: list[Phase], consent: str = ""
) -> Definition:
    return Definition(
        id=id,
        title=title,
        description=description,
        is_preset=True,
        consent=consent,
        phases=phases,
    )


PRESETS: dict[str, Definition] = {
    definition.id: definition
    for definition in (
        _build_preset(
            "deep_research",
            "Deep research",
            "Asks, plans and waits for approval before it reads; every claim shows its quote.",
            [
                RecallPhase(config=RecallConfig(reuse="offer")),
                ClarificationPhase(config=ClarificationConfig(decompose=True)),
                PlanningPhase(config=PlanningConfig(decompose=True)),
                CHECKPOINT,
                ResearchPhase(config=ResearchConfig(living=True)),
                SynthesisPhase(config=SynthesisConfig(living=True, judge=True)),
                ValidationPhase(),
                SUMMARY,
            ],
        ),
        _build_preset(
            "market_analysis",
            "Market analysis",
            "Size, competition, customers and strategy, by a crew that starts when you approve.",
            [
                RecallPhase(config=RecallConfig(save_startup=True)),
                ClarificationPhase(),
                PlanningPhase(config=PlanningConfig(max_plan_steps=4)),
                CHECKPOINT,
                CrewPhase(),
            ],
        ),
        _build_preset(
            "web_answer",
            "Web answer",
            "Answers a question from the web at once; starting it is the consent to search.",
            [
                RecallPhase(config=RecallConfig(reuse="at_once")),
                ClarificationPhase(config=ClarificationConfig(mode="when_ambiguous")),
                PlanningPhase(),
                ResearchPhase(config=ResearchConfig(max_sources=8, max_turns=6)),
                SynthesisPhase(
                    config=SynthesisConfig(form="text", judge=True, max_report_tokens=2_000)
                ),
                ValidationPhase(config=ValidationConfig(check_outline=False)),
            ],
            consent="searches the web and reads at most 8 pages for this question",
        ),
        _build_preset(
            "investment_analysis",
            "Investment analysis",
            "Weighs a listed company's filings and news; starting it is the consent to search.",
            [
                RetrievalPhase(timeout_seconds=INVESTMENT_PHASE_SECONDS),
                AnalysisPhase(
                    id="fundamental",
                    title="Look at the figures",
                    after=["retrieval"],
                    timeout_seconds=INVESTMENT_PHASE_SECONDS,
                    config=AnalysisConfig(lens="fundamentals"),
                ),
                AnalysisPhase(
                    id="news",
                    title="Look at the news",
                    after=["retrieval"],
                    timeout_seconds=INVESTMENT_PHASE_SECONDS,
                    config=AnalysisConfig(lens="news"),
                ),
                SynthesisPhase(
                    id="research",
                    title="Bring both together",
                    after=["fundamental", "news"],
                    timeout_seconds=INVESTMENT_PHASE_SECONDS,
                    config=SynthesisConfig(form="text", at_least=1, max_report_tokens=2_000),
                ),
                DecisionPhase(
                    id="investment",
                    timeout_seconds=INVESTMENT_PHASE_SECONDS,
                    config=DecisionConfig(
                        inputs=["report", "fundamental.analysis", "news.analysis"],
                        actions=["buy", "hold", "sell", "undecided"],
                        disclaimer="Put together by software from filings and news: information, "
                        "not investment advice.",
                    ),
                ),
            ],
            consent="reads this company's filings at the SEC, searches the news on it once and reads at "
            "most 20 articles",
        ),
        _build_preset(
            "deep_research_hitl",
            "Deep research, step by step",
            "Plans, asks you, does the plan step by step.",
            [PlanningPhase(), CHECKPOINT, ControlPhase(), SUMMARY],
        ),
        _build_preset(
            "deep_research_full_hitl",
            "Deep research, with you at each step",
            "Asks you after the plan and after every step.",
            [
                PlanningPhase(),
                CHECKPOINT,
                ControlPhase(config=ControlConfig(checkpoint_after_step=True)),
                SUMMARY,
            ],
        ),
        _build_preset(
            "planning_and_control",
            "Plan and do",
            "Plans and does the plan from what is known, without the web and without a human.",
            [PlanningPhase(), ControlPhase(config=ControlConfig(web=False))],
        ),
        _build_preset(
            "one_shot",
            "Quick task",
            "One agent does it at once: no plan, no web.",
            [OneShotPhase()],
        ),
        _build_preset(
            "idea_generation",
            "Idea generation",
            "Writes ideas, has a critic take them apart, and lets you choose one to pursue.",
            [
                IdeaGenerationPhase(),
                HitlCheckpointPhase(
                    id="checkpoint",
                    title="Select an idea",
                    config=HitlCheckpointConfig(
                        checkpoint_type="custom", custom_message="Select an idea to pursue"
                    ),
                ),
            ],
        ),
        _build_preset(
            "idea_to_execution",
            "From idea to execution",
            "Finds ideas, plans the one you choose, asks you, does the plan step by step.",
            [
                IdeaGenerationPhase(),
                HitlCheckpointPhase(
                    id="choice",
                    title="Select an idea",
                    config=HitlCheckpointConfig(
                        checkpoint_type="custom", custom_message="Select an idea"
                    ),
                ),
                PlanningPhase(config=PlanningConfig(max_plan_steps=5)),
                CHECKPOINT,
                ControlPhase(),
            ],
        ),
    )
}
"""Every preset by id; the first is the default."""

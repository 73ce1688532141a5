"""`analysis`: conclusions from an earlier phase's output, or from a company's figures or news."""

from dataclasses import replace

from contracts.company.inputs import CompanyInputs
from contracts.phases.base import Needs
from contracts.phases.typed_answers import Analysis, AnalysisInput, AnalysisOutput, AnalysisPhase
from workflows.agents.typed_answer import (
    PROMPTS,
    Form,
    adapt_needs,
    build_analysis,
    build_kind,
    estimate_tokens,
    generate,
)
from workflows.company.evidence import count_companies
from workflows.company.lenses import FIGURES, NEWS, analyse_figures, analyse_news
from workflows.phase_context.context import PhaseContext
from workflows.phase_context.expected_tokens import Tokens, Use

GENERAL = Form(
    *("analyst", PROMPTS["analysis"], Analysis),
    Tokens(once=Use(3_000, 750), page=Use(250)),
)


LENSES = {"general": GENERAL, "fundamentals": FIGURES, "news": NEWS}


async def analysis(phase: AnalysisPhase, given: AnalysisInput, run: PhaseContext) -> AnalysisOutput:
    """Look through the lens that the config names."""
    match phase.config.lens:
        case "fundamentals":
            return await analyse_figures(phase, given, run)
        case "news":
            return await analyse_news(phase, given, run)
        case "general":
            said = await generate(GENERAL, phase, given, run)
            return build_analysis(run, said, said.get("gaps"), said)


def _adapt_needs(phase: AnalysisPhase, needs: Needs) -> Needs:
    """Return the values that the lens reads; a company's can also be gathered by the phase itself.

    News is shown with the prices that come with the figures.
    """
    lens = phase.config.lens
    if lens == "general":
        return adapt_needs(phase, needs)
    taken = {name: needs[name] for name in (lens, "plan", "brief")}
    if lens == "news":
        taken["fundamentals"] = replace(needs["fundamentals"], absence="harmless")
    return taken


def _looks_at_company(phase: AnalysisPhase) -> bool:
    return phase.config.lens != "general"


KIND = replace(
    build_kind(
        analysis,
        *LENSES.values(),
        icon="chart",
    ),
    adapt_needs=_adapt_needs,
    tokens=lambda phase: estimate_tokens(LENSES[phase.config.lens], phase),
    subjects=count_companies,
    inputs=lambda phase: CompanyInputs if _looks_at_company(phase) else None,
    web=_looks_at_company,
    filings=lambda phase: phase.config.lens == "fundamentals",
)

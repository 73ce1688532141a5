"""`analysis`: what follows from what an earlier phase gave, or from a company's figures or news."""

from contracts.company.inputs import CompanyInputs
from contracts.phases.generate import Analysis, AnalysisOutput, AnalysisPhase, GenerateOutput
from workflows.agents.typed_answer import (
    PROMPTS,
    Form,
    ask_typed,
    build_analysis,
    build_kind,
    estimate_tokens,
    list_needs,
    read_inputs,
)
from workflows.company.evidence import count_companies
from workflows.company.lenses import FIGURES, NEWS, analyse_figures, analyse_news
from workflows.runtime.context import PhaseContext
from workflows.runtime.kind import Need, Tokens, optional

GENERAL = Form(
    *(AnalysisPhase, "analyst", PROMPTS["analysis"], Analysis, AnalysisOutput),
    Tokens(input=3_000, output=750, search_input=500),
)


LENSES = {"general": GENERAL, "fundamentals": FIGURES, "news": NEWS}


async def analysis(phase: AnalysisPhase, run: PhaseContext) -> GenerateOutput:
    """Look through the lens that the config names."""
    match phase.config.lens:
        case "fundamentals":
            return await analyse_figures(phase, run)
        case "news":
            return await analyse_news(phase, run)
        case "general":
            said = await ask_typed(GENERAL, run, read_inputs(phase.config, run))
            return build_analysis(run, said, said.get("gaps"), said)


def _list_analysis_needs(phase: AnalysisPhase) -> tuple[Need, ...]:
    """Return the values that its lens looks at; those of a company it can gather itself.

    News stand beside the prices that came with the figures.
    """
    lens = phase.config.lens
    if lens == "general":
        return list_needs(phase)
    gathered = Need(lens, required=False, absence="gathered")
    beside = Need("fundamentals", required=False, absence="harmless")
    return (gathered, *([beside] if lens == "news" else []), *optional("plan", "brief"))


def _looks_at_company(phase: AnalysisPhase) -> bool:
    return phase.config.lens != "general"


KIND = build_kind(
    *LENSES.values(),
    title="Analyse",
    description="Says what follows from what an earlier phase gave, or from a company's figures or news.",
    icon="chart",
    handler=analysis,
    needs=_list_analysis_needs,
    tokens=lambda phase: estimate_tokens(LENSES[phase.config.lens], phase),
    subjects=count_companies,
    inputs=lambda phase: CompanyInputs if _looks_at_company(phase) else None,
    web=_looks_at_company,
    filings=lambda phase: phase.config.lens == "fundamentals",
)

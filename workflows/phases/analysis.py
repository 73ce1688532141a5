"""`analysis`: what follows from what earlier phases gave, or from a company's figures or news."""

from contracts.evidence.company import Article, CompanyInputs, Fundamentals
from contracts.evidence.sources import Claim
from contracts.phases.analysis import Analysis, AnalysisOutput, AnalysisPhase
from contracts.phases.generate import GenerateOutput
from contracts.report.drafts import DraftAnalysis, DraftPoints, DraftSentiment
from domain.news import build_sentiment_chart, report_no_news, summarize_scores
from workflows.company import add_chart, collect_fundamentals, collect_news
from workflows.phases import generate as shared
from workflows.phases.generate import (
    Form,
    answered,
    asked,
    found,
    given,
    kind_of,
    pages_of,
)
from workflows.prompts import generate as prompts
from workflows.runtime.context import PhaseContext
from workflows.runtime.kind import Need

ROLE = "analyst"
GENERAL = Form(AnalysisPhase, ROLE, prompts.ANALYSIS, DraftAnalysis, AnalysisOutput)
FIGURES = Form(AnalysisPhase, ROLE, prompts.FIGURES, DraftPoints, AnalysisOutput)
NEWS = Form(AnalysisPhase, ROLE, prompts.NEWS, DraftSentiment, AnalysisOutput)
FORMS = (GENERAL, FIGURES, NEWS)
IN_SHORT = 3
"""How many of its points make up an analysis in short."""


async def analysis(phase: AnalysisPhase, run: PhaseContext) -> GenerateOutput:
    """Look through the lens that the config names; every statement shows its quote."""
    match phase.config.lens:
        case "fundamentals":
            return await _figures(phase, run)
        case "news":
            return await _news(phase, run)
        case "general":
            said, claims = await answered(GENERAL, phase, run, given(phase.config, run))
            return _output(run, said, claims)


async def _figures(phase: AnalysisPhase, run: PhaseContext) -> AnalysisOutput:
    """Explain the figures; one that is not in their table makes its sentence unsupported."""
    figures = run.need_as("fundamentals", Fundamentals) or await collect_fundamentals(run)
    page = {figures.source: run.page(figures.source)}
    inputs = [*asked(run), *pages_of(page, phase.config.max_input_chars)]
    said, claims = await answered(FIGURES, phase, run, inputs)
    _flag(run, claims)
    supported = [f"{c.text.rstrip('.')}." for c in claims if c.verdict == "supported"]
    made = Analysis(
        text=" ".join(supported[:IN_SHORT]),
        points=claims,
        gaps=DraftPoints.model_validate({**said, "points": []}).gaps,
    )
    return _output(run, made, claims)


async def _news(phase: AnalysisPhase, run: PhaseContext) -> AnalysisOutput:
    """Score each article by a passage of its own; their spread is computed."""
    if run.need("news") is None:
        articles, _ = await collect_news(run, phase.config.news_limit)
    else:
        articles = run.need_list("news", Article)
    name = run.inputs(CompanyInputs).company_name or run.inputs(CompanyInputs).ticker
    if not articles:
        run.note(f"no news on {name} was found")
        return _output(run, report_no_news(name), [])
    pages = {article.source: run.page(article.source) for article in articles}
    inputs = [*asked(run), *pages_of(pages, phase.config.max_input_chars)]
    said, claims = await answered(NEWS, phase, run, inputs)
    _flag(run, claims)
    made = summarize_scores(articles, said, claims)
    if chart := build_sentiment_chart(made, name):
        await add_chart(run, "chart", chart)
    return _output(run, made, claims)


def _flag(run: PhaseContext, claims: list[Claim]) -> None:
    """Warn of what does not stand in what it cites; it is shown as such and built on by nobody."""
    if wrong := [claim for claim in claims if claim.verdict != "supported"]:
        run.note(f"statements that do not stand in what they cite: {len(wrong)} of {len(claims)}")


def _output(run: PhaseContext, made: object, claims: list[Claim]) -> AnalysisOutput:
    return AnalysisOutput.model_validate(
        {
            "analysis": made,
            "findings": found(claims),
            "sources": list(run.state.sources),
            "artifacts": list(run.state.artifacts),
        }
    )


def needs(phase: AnalysisPhase) -> tuple[Need, ...]:
    """Return what its lens looks at; a company's it gathers itself where nobody did."""
    if phase.config.lens == "general":
        return shared.needs(phase)
    return (
        Need(phase.config.lens, required=False),
        Need("plan", required=False),
        Need("brief", required=False),
    )


def _looks_at_company(phase: AnalysisPhase) -> bool:
    return phase.config.lens != "general"


KIND = kind_of(
    GENERAL,
    "Analyse",
    "Says what follows from what an earlier phase gave, or from a company's figures or news.",
    "chart",
    handler=analysis,
    needs=needs,
    inputs=lambda phase: CompanyInputs if _looks_at_company(phase) else None,
    web=_looks_at_company,
    prompts=tuple(form.prompt for form in FORMS),
    drafts=tuple(form.draft for form in FORMS),
)

"""`analysis`, `decision`, `review` and `summary`: a typed call over named inputs, its claims verified."""

import copy
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

from pydantic import JsonValue

from contracts.base import Contract, Json, get_answer_schema
from contracts.company.figures import Fundamentals
from contracts.company.inputs import CompanyInputs
from contracts.company.news import Article, Sentiment
from contracts.company.valuation import Peer
from contracts.errors import KeyRejected, ModelRejected
from contracts.evidence.claims import Claim
from contracts.evidence.sources import Source
from contracts.models.call import Input, build_message, to_input
from contracts.phases.base import PhaseBase
from contracts.phases.generate import (
    OPEN,
    Analysis,
    AnalysisOutput,
    AnalysisPhase,
    CompanyAction,
    CompanyActions,
    DecisionOutput,
    DecisionPhase,
    GenerateConfig,
    GenerateOutput,
    Recommendation,
    Review,
    ReviewOutput,
    ReviewPhase,
    Summary,
    SummaryOutput,
    SummaryPhase,
)
from contracts.report.drafts import DraftSentiment
from contracts.report.research import Report, Search
from domain.company.figures.notes import describe_basis
from domain.company.filings.passages import build_sections
from domain.company.news import (
    build_news_table,
    build_sentiment_chart,
    report_no_news,
    summarize_scores,
)
from domain.decision import (
    UNKNOWN,
    add_recommendation,
    list_beyond,
    mark_unfounded,
    weigh_each,
    weigh_reasons,
)
from domain.evidence.claims import find_claims, leave_out_marks, list_texts, list_told
from domain.lost_inputs import describe_lost_input
from domain.prompts import load_prompts
from domain.report.answer import split_opening
from domain.report.report_claims import list_claims
from domain.source_registry import build_page_inputs
from workflows.agents.report_check import CHECK, check_report
from workflows.agents.report_editor import finish_report
from workflows.checkpoints.approval import find_output, find_output_as
from workflows.company.gathering import (
    Exhibit,
    add_exhibits,
    begin_name,
    collect_fundamentals,
    collect_news,
    find_figures,
    find_lost_articles,
    find_repeated,
    group_articles,
    list_companies,
    wait_for_all,
)
from workflows.runtime.context import NO_ANSWER, PhaseContext
from workflows.runtime.kind import Kind, Need, Tokens, optional
from workflows.runtime.truncation import truncate

PROMPTS = load_prompts("workflows.prompts", "generate")

NEAREST = "input"
"""The need that takes the nearest output, whatever its kind."""
PAGES = "sources"
TWINS = {"markdown"}
"""Fields that repeat a report in another form."""
MAX_OPENING = 7
"""Claims of a report's own summary; more of them would have to be summed up."""
Known = Fundamentals | Peer | None
"""What is known of a company."""
POINTS_IN_SHORT = 3
"""Number of points in a text, where a report does not compare more: nothing is said there that is not verified."""
UNJUDGED = " (not judged)"
"""Marks a sentence of a short text that the judge should have judged and did not."""


def _find_report(run: PhaseContext) -> Report:
    """Return the run's report; one without text where there is none."""
    found = find_output_as(run.state, "report", Report)
    return found or Report(title=run.brief.query[:200], sections=[])


def _quote_opening(run: PhaseContext) -> Summary | None:
    """Return as a summary the claims that open the report; None if none of them stands."""
    opening, _ = split_opening(_find_report(run))
    return _sum_up([c for c in (opening.claims if opening else ()) if _stands(c)], run)


def _sum_up(claims: list[Claim], run: PhaseContext) -> Summary | None:
    return Summary(text=_shorten(claims, run), key_points=claims) if claims else None


def _find_answer(phase: Any, run: PhaseContext) -> list[Claim]:
    """Return the claims of the summary with which the report to be summed up opens.

    None where it has no conclusion that stands, is no summary by its length, has what did not hold, or
    where another one is asked for.
    """
    config: GenerateConfig = phase.config
    nearest = run.state.phase(run.provider(NEAREST) or run.me.id).output or {}
    report = run.need("report") if config.inputs == ["report"] else nearest.get("report")
    is_asked = config.instructions or config.output_schema or run.me.feedback
    if is_asked or not report:
        return []
    opening, _ = split_opening(Report.model_validate(report))
    claims = opening.claims if opening else []
    concludes = any(claim.kind == "concluded" and _stands(claim) for claim in claims)
    is_usable = len(claims) <= MAX_OPENING and all(claim.is_usable for claim in claims)
    return claims if concludes and is_usable else []


def _shorten(points: Iterable[Claim], run: PhaseContext) -> str:
    """Return the first of the points that stand, as a text: as many as the report compares things."""
    compared = _find_report(run).comparison
    most = min(max(POINTS_IN_SHORT, len(compared.columns) if compared else 0), MAX_OPENING)
    is_judged = not run.state.terms.offline
    told = [
        f"{claim.text.rstrip('.')}{UNJUDGED if is_judged and claim.verdict is None else ''}."
        for claim in points
        if _stands(claim)
    ]
    return " ".join(told[:most])


def _stands(claim: Claim) -> bool:
    return claim.verdict in {None, "supported"}


@dataclass(frozen=True)
class Form:
    """The differences between these kinds."""

    phase: type[PhaseBase]
    role: str
    prompt: str
    draft: type[Contract]
    output: type[GenerateOutput]
    tokens: Tokens
    fallback: Callable[[PhaseContext], Contract | None] = lambda _: None
    """What code says where the model gives no answer; None: the phase fails."""


GENERAL = Form(
    *(AnalysisPhase, "analyst", PROMPTS["analysis"], Analysis, AnalysisOutput),
    Tokens(input=3_000, output=750, search_input=500),
)
FIGURES = Form(
    *(AnalysisPhase, "analyst", PROMPTS["figures"], Analysis, AnalysisOutput),
    Tokens(input=4_400, output=750, company_input=4_000, company_output=900),
    fallback=lambda _: Analysis(points=[], gaps=["what the figures mean"]),
)
NEWS = Form(
    *(AnalysisPhase, "analyst", PROMPTS["news"], DraftSentiment, AnalysisOutput),
    # A further company has a call of its own, with its judge's.
    Tokens(input=3_000, output=750, company_input=4_900, company_output=450),
    fallback=lambda _: DraftSentiment(articles=[]),
)
LENSES = {"general": GENERAL, "fundamentals": FIGURES, "news": NEWS}
DECISION = Form(
    *(DecisionPhase, "decider", PROMPTS["decision"], Recommendation, DecisionOutput),
    Tokens(input=5_500, output=550, search_input=500, company_input=4_000, company_output=1_300),
)
DECISIONS = replace(DECISION, draft=CompanyActions)
REVIEW = Form(
    *(ReviewPhase, "reviewer", PROMPTS["review"], Review, ReviewOutput),
    Tokens(input=3_000, output=150, search_input=500),
)
SUMMARY = Form(
    *(SummaryPhase, "summarizer", PROMPTS["summary"], Summary, SummaryOutput),
    # A report that opens with its conclusion takes nothing, another four times this.
    Tokens(input=300, output=60, search_input=60),
    fallback=_quote_opening,
)


async def generate(form: Form, phase: Any, run: PhaseContext) -> GenerateOutput:
    """Ask once; the findings are the answer's supported claims."""
    said = await _call_model(form, run, _read_inputs(phase.config, run))
    return form.output.model_validate({phase.kind: said, "findings": _select_supported(said)})


async def summary(phase: SummaryPhase, run: PhaseContext) -> GenerateOutput:
    """Return the summary with which a report opens; ask for one where it has none, or another is wanted."""
    quoted = _sum_up(_find_answer(phase, run), run)
    if quoted is None:
        return await generate(SUMMARY, phase, run)
    return SummaryOutput(summary=quoted, findings=quoted.key_points)


async def _call_model(
    form: Form,
    run: PhaseContext,
    inputs: list[Input],
    schema: Json | None = None,
    ticker: str = "",
) -> Json:
    """Return the answer over inputs, its claims verified, or what code can say in its place.

    `ticker` is that of the company that it is on, where each has a call of its own.
    """
    phase: Any = run.phase
    config: GenerateConfig = phase.config
    try:
        answer = await run.ask_model(
            f"{begin_name(run, ticker)}{phase.kind}",
            form.role,
            "\n".join(filter(None, (form.prompt, config.instructions))),
            lambda: [build_message(inputs, run.read_steering())],
            output_schema=config.output_schema or schema or get_answer_schema(form.draft),
            pages=run.list_citable_pages(),
            max_tokens=config.max_tokens,
        )
    except NO_ANSWER as error:
        fallback = None if config.output_schema else form.fallback(run)
        is_rejected = run.describe_failure(error).type in {KeyRejected.type(), ModelRejected.type()}
        if fallback is None or (is_rejected and phase.kind == "analysis"):  # others go on without
            raise
        lost = f"the {form.role} gave no answer{f' on {ticker}' if ticker else ''}"
        run.go_on(error, lost, phase.kind)
        return fallback.model_dump(mode="json")
    said = answer.output or {}
    if schema is None and config.output_schema is None and form.draft in {Analysis, Summary}:
        said |= {"text": _shorten(find_claims(said), run)}
    return said


def _select_supported(said: Json) -> list[Claim]:
    return [claim for claim in find_claims(said) if claim.is_usable]


def _read_inputs(config: GenerateConfig, run: PhaseContext) -> list[Input]:
    """Return the question and the values that are named, or the output of the nearest phase.

    None takes more than its share of the room that is left.
    """
    output = run.state.phase(run.provider(NEAREST) or run.me.id).output or {}
    values: Json = {name: value for name, value in output.items() if value and name != PAGES}
    if config.inputs:
        values = {name: run.need(name) for name in config.inputs}
    pages = values.pop(PAGES, None)
    sources = [Source.model_validate(s) for s in pages] if isinstance(pages, list) else []
    room = config.max_input_chars // (2 if sources and values else 1)
    shown = [*build_page_inputs(dict(enumerate(sources, 1)), room, shown=run.state.shown)]
    inputs = run.build_inputs()
    for n, (name, value) in enumerate(values.items()):
        if isinstance(value, dict):
            value = {key: part for key, part in value.items() if key not in TWINS}
        value = leave_out_marks(value)
        inputs.append(to_input(name, truncate(value, room // (len(values) - n))))
        room = max(room - len(inputs[-1].text), 0)
    return inputs + shown


async def analysis(phase: AnalysisPhase, run: PhaseContext) -> GenerateOutput:
    """Look through the lens that the config names."""
    match phase.config.lens:
        case "fundamentals":
            return await _analyse_figures(phase, run)
        case "news":
            return await _analyse_news(phase, run)
        case "general":
            said = await _call_model(GENERAL, run, _read_inputs(phase.config, run))
            return _build_analysis(run, said, said)


async def _analyse_figures(phase: AnalysisPhase, run: PhaseContext) -> AnalysisOutput:
    """Explain the figures; one that is not in their table makes its sentence unsupported."""
    figures = run.need_as("fundamentals", Fundamentals) or await collect_fundamentals(run)
    numbers = dict.fromkeys([figures.source, *(peer.source for peer in figures.peers)])
    pages = {number: run.page(number) for number in numbers}
    inputs = [*run.build_inputs(), *build_page_inputs(pages, phase.config.max_input_chars)]
    said = await _call_model(FIGURES, run, inputs)
    _warn_of_unsupported(run, said)
    return _build_analysis(run, said, said)


async def _analyse_news(phase: AnalysisPhase, run: PhaseContext) -> AnalysisOutput:
    """Score each article by a passage of its own; their spread is computed."""
    figures = run.need_as("fundamentals", Fundamentals)
    if run.need("news") is None:
        articles = await collect_news(run, phase.config.news_limit, figures)
    else:
        articles = run.need_list("news", Article)
    companies = list_companies(run, figures)
    by_ticker = group_articles(run, articles, companies, figures)
    known = {each.company.ticker: each for each in figures.every} if figures else {}
    most_chars = phase.config.max_input_chars
    scored = await wait_for_all(
        *(
            _score_news(run, each, by_ticker[each[0]], known.get(each[0]), most_chars)
            for each in companies.items()
        )
    )
    said: Json = {"companies": [answer for _, answer, _ in scored]}
    _warn_of_unsupported(run, said)
    await add_exhibits(run, {n: shown for *_, exhibits in scored for n, shown in exhibits.items()})
    made = [sentiment for sentiment, *_ in scored]
    gaps = [gap for sentiment in made for gap in sentiment.gaps]
    text = " ".join(f"{each.company}: {each.text}" if made[1:] else each.text for each in made)
    whole = made[0].model_copy(update={"text": text, "others": made[1:], "gaps": gaps})
    return _build_analysis(run, whole, said)


async def _score_news(
    run: PhaseContext,
    company: tuple[str, str],
    articles: list[Article],
    known: Known,
    most_chars: int,
) -> tuple[Sentiment, Json, dict[str, Exhibit]]:
    """Return the scores of one company's articles, the answer that they are from, and what shows them."""
    ticker, name = company
    name = name or ticker
    if not articles:
        if lost := find_lost_articles(run, ticker):
            return report_no_news(name, describe_lost_input(lost)), {}, {}
        run.note(f"no news on {name} was found")
        return report_no_news(name), {}, {}
    repeated = await find_repeated(run, ticker, articles, known.passages if known else [])
    own = [article for article in articles if article not in repeated]
    said: Json = {"articles": []}
    if own:
        pages = {article.source: run.page(article.source) for article in own}
        about = run.build_inputs(company=f"{name} ({ticker})")
        inputs = [*about, *build_page_inputs(pages, most_chars)]
        said = await _call_model(NEWS, run, inputs, ticker=ticker)
    sentiment = summarize_scores(own, DraftSentiment.model_validate(said), repeated, name)
    chart = build_sentiment_chart(sentiment, name)
    table = build_news_table(articles, sentiment, known.closes if known else {}, name)
    prefix = begin_name(run, ticker)
    drawn: dict[str, Exhibit] = {f"{prefix}chart": chart} if chart else {}
    return sentiment, said, drawn | {f"{prefix}table": table}


def _warn_of_unsupported(run: PhaseContext, said: Json) -> None:
    """Warn of unsupported claims; they are shown as such, and no phase builds on them."""
    claims = list(find_claims(said))
    if wrong := sum(not claim.is_usable for claim in claims):
        run.note(f"statements that do not stand in what they cite: {wrong} of {len(claims)}")


def _build_analysis(
    run: PhaseContext, made: Analysis | Sentiment | Json, said: Json
) -> AnalysisOutput:
    gaps: JsonValue = made.get("gaps") if isinstance(made, dict) else [*made.gaps]
    return AnalysisOutput.model_validate(
        {
            "analysis": made,
            "findings": _select_supported(said),
            "gaps": list_texts(gaps or []),
            "sources": list(run.state.sources),
            "artifacts": list(run.state.artifacts),
        }
    )


async def decision(phase: DecisionPhase, run: PhaseContext) -> DecisionOutput:
    """Decide once; code weighs the reasons, adds earlier phases' warnings, and opens the report with it."""
    config = phase.config
    figures = find_figures(run)
    companies = [each.company.ticker for each in figures.every] if figures else []
    form = DECISIONS if len(companies) > 1 else DECISION
    schema = _build_choices(form, config.actions, companies)
    basis = list(describe_basis(figures, run.now()[:10])) if figures else None
    inputs = [*_read_inputs(config, run), *([to_input("basis", basis)] if basis else [])]
    said = await _call_model(form, run, inputs, schema)
    report = _find_report(run)
    expected = [
        section
        for each in (figures.every if figures else ())
        for section in build_sections(each.passages, each.company.name)
    ]
    if config.output_schema is None:
        givers = {i for ids in run.state.resolved.bindings[run.me.id].values() for i in ids}
        warnings = (w for p in run.state.phases if p.id in givers for w in p.warnings)
        told: Json = {"caveats": [*dict.fromkeys(warnings)], "disclaimer": config.disclaimer}
        weighed = (
            weigh_each(CompanyActions.model_validate(said), companies)
            if form is DECISIONS
            else weigh_reasons(Recommendation.model_validate(said))
        )
        claims = [
            each for part in (said, *_list_analyses(config, run)) for each in find_claims(part)
        ]
        known = [*run.list_asked(), *list_told([*list_claims(report), *claims]), *(basis or [])]
        weighed = mark_unfounded(weighed, known).model_copy(update=told)
        report = add_recommendation(weighed, report)
        said = weighed.model_dump(mode="json")
    searches = [Search.model_validate(each) for each in find_output(run.state, "searches") or ()]
    beyond = list_beyond(_list_analyses(config, run), report)
    report = report.model_copy(update={"sections": [*report.sections, *beyond, *expected]})
    report = await check_report(run, report, {UNKNOWN})
    return DecisionOutput(
        decision=said,
        findings=_select_supported(said),
        report=finish_report(run, report, run.state.sources, searches),
    )


def _list_analyses(config: GenerateConfig, run: PhaseContext) -> list[Json]:
    """Return the analyses that the inputs name."""
    named = (run.need(name) for name in config.inputs if name.rpartition(".")[2] == "analysis")
    return [said for said in named if isinstance(said, dict)]


def _build_choices(form: Form, actions: Sequence[str], companies: list[str]) -> Json:
    """Return the schema of a decision: the actions to choose from, and which companies to rank."""
    schema: Any = copy.deepcopy(get_answer_schema(form.draft))
    one = schema
    if form is DECISIONS:
        one = schema["$defs"][CompanyAction.__name__]
        one["properties"]["company"]["enum"] = companies
        schema["properties"]["ranking"]["items"]["enum"] = companies
    elif companies:
        actions = [f"{action} {companies[0]}" for action in actions]
    if actions:
        one["properties"]["action"]["enum"] = [*dict.fromkeys([*actions, *OPEN])]
    return dict(schema)


def list_needs(phase: Any) -> tuple[Need, ...]:
    """Return the inputs that are named, else the nearest output; the clarified question besides."""
    names: list[str] = phase.config.inputs
    named = [Need(name, path=f"config.inputs[{n}]") for n, name in enumerate(names)]
    brief = () if "brief" in names else optional("brief")
    return (*(named or [Need(NEAREST, anything=True)]), *brief)


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


def _estimate_tokens(form: Form, phase: Any) -> tuple[Tokens, ...]:
    expected = LENSES.get(getattr(phase.config, "lens", ""), form).tokens
    tokens = replace(expected, slack=phase.config.max_tokens, role=form.role).verified()
    return (*tokens, CHECK) if form is DECISION else tokens


def _build_kind(*forms: Form, **line: Any) -> Kind:
    """Return the registry's line for one of these kinds; `line` has what is its own."""
    form = forms[0]
    usual: dict[str, Any] = {"handler": partial(generate, form), "needs": list_needs}
    return Kind(
        phase=form.phase,
        output=form.output,
        category="execute",
        agents=lambda _: (form.role,),
        cacheable=lambda _: True,
        prompts=tuple(each.prompt for each in forms),
        drafts=tuple(each.draft for each in forms),
        tokens=partial(_estimate_tokens, form),
        **(usual | line),
    )


KINDS = (
    _build_kind(
        *LENSES.values(),
        title="Analyse",
        description="Says what follows from what an earlier phase gave, or from a company's figures or news.",
        icon="chart",
        handler=analysis,
        needs=_list_analysis_needs,
        inputs=lambda phase: CompanyInputs if _looks_at_company(phase) else None,
        web=_looks_at_company,
        filings=lambda phase: phase.config.lens == "fundamentals",
    ),
    _build_kind(
        *(DECISION, DECISIONS),
        title="Decide",
        description="Says what to do about what earlier phases gave, and what would change that.",
        icon="scale",
        handler=decision,
    ),
    _build_kind(
        REVIEW,
        title="Review",
        description="Says whether what an earlier phase gave will do, and what to change.",
        icon="check",
    ),
    _build_kind(
        SUMMARY,
        title="Sum up",
        description="Says what an earlier phase gave in short; its points show their quotes.",
        icon="align-left",
        handler=summary,
    ),
)

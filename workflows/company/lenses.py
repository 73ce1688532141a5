"""The lenses through which an `analysis` looks at a company: its figures, and the news on it."""

from contracts.base import Json
from contracts.company.figures import Fundamentals
from contracts.company.news import Article, Sentiment
from contracts.models.model_drafts import DraftSentiment
from contracts.notices import Notice
from contracts.phases.typed_answers import (
    Analysis,
    AnalysisInput,
    AnalysisOutput,
    AnalysisPhase,
    UnheededDay,
)
from contracts.words import say
from domain.company.exhibits import Exhibit
from domain.company.news import (
    build_news_table,
    build_sentiment_chart,
    report_no_news,
    summarize_scores,
)
from domain.evidence.claims import find_claims
from domain.lost_inputs import explain_loss
from domain.sources.page_inputs import build_page_inputs
from workflows.agents.typed_answer import PROMPTS, Form, Material, Topic, ask_typed, build_analysis
from workflows.company.evidence import (
    add_exhibits,
    begin_name,
    collect_fundamentals,
    collect_news,
    find_lost_articles,
    find_past_prices,
    find_repeated,
    group_articles,
    list_companies,
    reads_later,
    wait_for_all,
)
from workflows.phase_context.context import PhaseContext
from workflows.phase_context.expected_tokens import Tokens, Use

FIGURES = Form(
    *("analyst", PROMPTS["figures"], Analysis),
    Tokens(once=Use(7_500, 2_200), subject=Use(6_500, 1_900)),
    fallback=lambda run: Analysis(points=[], gaps=[say(run.language, "gap-figures-meaning")]),
)


NEWS = Form(
    *("analyst", PROMPTS["news"], DraftSentiment),
    # each further company takes a call and its judge's
    Tokens(once=Use(3_000, 750), subject=Use(4_900, 450)),
    fallback=lambda _: DraftSentiment(articles=[]),
)


async def analyse_figures(
    phase: AnalysisPhase, given: AnalysisInput, run: PhaseContext
) -> AnalysisOutput:
    """Explain the figures; one that is not in their table makes its sentence unsupported."""
    figures = given.fundamentals or await collect_fundamentals(run)
    pages = {each.source: run.page(each.source) for each in figures.every}
    inputs = [*run.build_inputs(), *build_page_inputs(pages, phase.config.max_input_chars)]
    said = await ask_typed(FIGURES, phase, run, Material(inputs))
    _warn_of_unsupported(run, said)
    asked = str(said.get("asked_day") or "").strip()
    if asked and reads_later(figures, asked):
        prices = await find_past_prices(run, figures, asked)
        unheeded = UnheededDay(day=asked, prices=prices)
        run.log.note(unheeded.tell())
        said |= {"unheeded": unheeded.model_dump(mode="json")}
    return build_analysis(run, said, said.get("gaps"), said)


async def analyse_news(
    phase: AnalysisPhase, given: AnalysisInput, run: PhaseContext
) -> AnalysisOutput:
    """Score each article by one of its passages, and compute the spread of the scores."""
    figures, articles = given.fundamentals, given.news
    if articles is None:
        articles = await collect_news(run, phase.config.news_limit, figures)
    companies = list_companies(run, figures)
    by_ticker = group_articles(run, articles, companies, figures)
    known = {each.company.ticker: each for each in figures.every} if figures else {}
    scored = await wait_for_all(
        *(
            _score_news(phase, run, each, by_ticker[each[0]], known.get(each[0]))
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
    return build_analysis(run, whole, [*whole.gaps], said)


async def _score_news(
    phase: AnalysisPhase,
    run: PhaseContext,
    company: tuple[str, str],
    articles: list[Article],
    known: Fundamentals | None,
) -> tuple[Sentiment, Json, dict[str, Exhibit]]:
    """Return the scores of one company's articles, the answer that they are from, and what shows them."""
    ticker, name = company
    name, prefix = name or ticker, begin_name(run, ticker)
    if not articles:
        none, lost = Notice.of("news-none", company=name), find_lost_articles(run, ticker)
        return report_no_news(name, run.language, explain_loss(lost) if lost else none), {}, {}
    repeated = await find_repeated(run, ticker, articles, known.passages if known else [])
    own = [article for article in articles if article not in repeated]
    said: Json = {"articles": []}
    if own:
        pages = {article.source: run.page(article.source) for article in own}
        about = run.build_inputs(company=f"{name} ({ticker})")
        inputs = [*about, *build_page_inputs(pages, phase.config.max_input_chars)]
        said = await ask_typed(NEWS, phase, run, Material(inputs), Topic(ticker, prefix))
    sentiment = summarize_scores(
        own, DraftSentiment.model_validate(said), repeated, name, run.language
    )
    chart = build_sentiment_chart(sentiment, name, run.language)
    table = build_news_table(articles, sentiment, known.closes if known else {}, name, run.language)
    drawn: dict[str, Exhibit] = {f"{prefix}chart": chart} if chart else {}
    return sentiment, said, drawn | {f"{prefix}table": table}


def _warn_of_unsupported(run: PhaseContext, said: Json) -> None:
    """Warn of unsupported claims by their texts; they are shown as such and not used by later phases."""
    claims = [*find_claims(said)]
    if wrong := [claim for claim in claims if not claim.is_usable]:
        names = [Notice.of("quoted", "info", text=claim.text) for claim in wrong]
        counts = {"n": len(wrong), "of": len(claims)}
        run.log.note(Notice.of("statements-unsupported", names=names, **counts))

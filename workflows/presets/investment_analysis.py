"""`investment_analysis`: filings and news of a company, both looked at, weighed, decided on."""

from contracts.definitions import Definition
from contracts.phases.analysis import AnalysisConfig, AnalysisPhase
from contracts.phases.decision import DecisionConfig, DecisionPhase
from contracts.phases.retrieval import RetrievalPhase
from contracts.phases.synthesis import SynthesisConfig, SynthesisPhase

SECONDS = 60

INVESTMENT_ANALYSIS = Definition(
    id="investment_analysis",
    title="Investment analysis",
    description="Weighs a listed company's filings and news; starting it is the consent to search.",
    is_preset=True,
    consent="reads this company's filings at the SEC, searches the news on it once and reads at "
    "most 20 articles",
    phases=[
        RetrievalPhase(timeout_seconds=SECONDS),
        AnalysisPhase(
            id="fundamental",
            title="Look at the figures",
            after=["retrieval"],
            timeout_seconds=SECONDS,
            config=AnalysisConfig(lens="fundamentals"),
        ),
        AnalysisPhase(
            id="news",
            title="Look at the news",
            after=["retrieval"],
            timeout_seconds=SECONDS,
            config=AnalysisConfig(lens="news"),
        ),
        SynthesisPhase(
            id="research",
            title="Bring both together",
            after=["fundamental", "news"],
            timeout_seconds=SECONDS,
            config=SynthesisConfig(form="text", at_least=1, max_report_tokens=2_000),
        ),
        DecisionPhase(
            id="investment",
            timeout_seconds=SECONDS,
            config=DecisionConfig(
                inputs=["report", "fundamental.analysis", "news.analysis"],
                actions=["buy", "hold", "sell", "undecided"],
                disclaimer="Put together by software from filings and news: information, "
                "not investment advice.",
            ),
        ),
    ],
)

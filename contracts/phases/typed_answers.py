"""`analysis`, `decision`, `review` and `summary`: a typed answer over named inputs."""

from typing import Annotated, Any, Literal

from pydantic import (
    ConfigDict,
    Field,
    PositiveInt,
    ValidationInfo,
    field_validator,
    model_validator,
)

from contracts.agents.calculations_and_charts import Artifact
from contracts.base import Contract, Json, Name, Note, Text, Wrong
from contracts.company.figures import Fundamentals
from contracts.company.news import Article, Sentiment
from contracts.company.valuation import PastPrice
from contracts.evidence.claims import Claim
from contracts.evidence.sources import Source
from contracts.models.answer_json_schema import code_fills
from contracts.models.user_json_schema import ObjectSchema
from contracts.notices import Notice, Told
from contracts.phases.base import ROLE_MODELS, Config, Need, PhaseBase, PhaseInput, require_once
from contracts.planning.brief import Brief
from contracts.planning.plan import Plan
from contracts.report.price_table import Yardstick
from contracts.report.report import Report
from contracts.report.unread_results import UnreadResults


class GenerateConfig(Config):
    """Settings of one model call over the outputs of earlier phases."""

    instructions: Note = Field(default="", description="instructions beside the kind's own")
    inputs: list[Name] = Field(
        default=[],
        max_length=20,
        description="names of values that earlier phases provide; `sources` "
        "are the pages themselves; left out: the output of the nearest phase of any kind",
    )
    optional: list[Name] = Field(
        default=[],
        max_length=20,
        description="those of `inputs` that it goes on without, as `partial`, if they give nothing",
    )
    max_input_chars: PositiveInt = Field(
        default=40_000, le=400_000, description="of all inputs together; the rest is truncated"
    )
    output_schema: ObjectSchema | None = Field(
        default=None, description="JSON Schema of an object; left out: the kind's own"
    )
    max_tokens: int = Field(default=2_000, ge=200, le=16_000, description="limit of the answer")

    @field_validator("inputs", "optional")
    @classmethod
    def _require_unique(cls, names: list[str]) -> list[str]:
        require_once(names)
        return names

    @field_validator("optional")
    @classmethod
    def _require_named(cls, names: list[str], info: ValidationInfo) -> list[str]:
        if unknown := [name for name in names if name not in info.data.get("inputs", names)]:
            raise Wrong("not-an-input", name=unknown[0], inputs=info.data["inputs"])
        return names


class GenerateOutput(Contract):
    """Output common to all four kinds."""

    findings: list[Claim] = Field(default=[], description="claims quoted from the run's sources")


class GenerateInput(PhaseInput):
    """Input of these kinds: the values named by the config, else the output of the nearest phase."""

    brief: Brief | None = None
    input: Annotated[dict[str, Json], Need(anything=True)] = {}

    @property
    def nearest(self) -> Json:
        """The output of the nearest phase; empty if the config names its inputs.

        If several phases are equally near, all their values by `phase.value`.
        """
        if len(self.input) == 1:
            return next(iter(self.input.values()))
        outputs = self.input.items()
        return {f"{name}.{value}": given for name, out in outputs for value, given in out.items()}


class AnalysisInput(GenerateInput):
    """`analysis` through the lens of a company also takes its figures and news, or gathers them itself."""

    fundamentals: Annotated[Fundamentals | None, Need(absence="gathered")] = None
    news: Annotated[list[Article] | None, Need(absence="gathered")] = None
    plan: Plan | None = None


class AnalysisConfig(GenerateConfig):
    """`analysis`: conclusions from the output of earlier phases."""

    lens: Literal["general", "fundamentals", "news"] = Field(
        default="general",
        description="what it reads: its `inputs`, or a company's figures or news, which it collects "
        "itself if no earlier phase provides them",
    )
    news_limit: int = Field(default=8, ge=0, le=20, description="articles, if it collects news")
    models: dict[Literal["analyst"], str] = ROLE_MODELS
    max_tokens: int = Field(default=4_000, ge=200, le=16_000, description="limit of the answer")

    @model_validator(mode="after")
    def _check_lens(self) -> "AnalysisConfig":
        if self.lens != "general" and (self.inputs or self.output_schema):
            raise Wrong("lens-alone", at="lens", lens=self.lens)
        return self


class AnalysisPhase(PhaseBase):
    """A node of kind `analysis`."""

    kind: Literal["analysis"] = "analysis"
    config: AnalysisConfig = AnalysisConfig()


class UnheededDay(Contract):
    """The past day as of which a request asks although later filings were read, and what shares cost then."""

    day: Text
    prices: list[PastPrice] = []

    def tell(self) -> Notice:
        """Return the day, and each company's price of it or that it is not known."""
        prices = [each.tell() for each in self.prices]
        return Notice.of("company-asked-as-of", day=self.day, prices=prices or None)


class Analysis(Contract):
    """The answer, point by point, and the gaps."""

    text: str = code_fills("", "the first of its points that stand")
    points: list[Claim] = Field(description="one sentence each, what matters most first")
    gaps: list[str] = Field(description="what would have to be known and is not")
    asked_day: Text | None = Field(
        default=None,
        description="the last day of the past time as of which the request asks, as 2010-06-30 for “as of June 2010”;"
        " null: it asks about now",
    )
    unheeded: UnheededDay | None = code_fills(
        None, "the same, where filings of after that day were read all the same"
    )


class AnalysisOutput(GenerateOutput):
    """`analysis` provides `analysis`, its supported claims as `findings`, and its `gaps`."""

    analysis: Analysis | Sentiment | Json = Field(description="of `config.output_schema`, if given")
    gaps: list[str] = Field(default=[], description="missing knowledge")
    sources: list[Source] = Field(default=[], description="the run's sources so far")
    artifacts: list[Artifact] = Field(default=[], description="the run's artifacts so far")


NOT_ENOUGH = "not enough to say"
"""The action that every decision may end in."""

NOT_YET = "not yet"
"""The action of waiting for decisive information."""

OPEN = (NOT_YET, NOT_ENOUGH)


class DecisionConfig(GenerateConfig):
    """`decision`: a recommendation on the output of earlier phases."""

    actions: list[Name] = Field(
        default=[],
        max_length=20,
        description=f"choices beside `{NOT_YET}` and `{NOT_ENOUGH}`, each of the company that the run "
        "is about; left out: any",
    )
    disclaimer: Note = Field(
        default="",
        description="text added to every decision; left out: on listed companies, that it is no advice",
    )
    models: dict[Literal["decider"], str] = ROLE_MODELS


class DecisionPhase(PhaseBase):
    """A node of kind `decision`."""

    kind: Literal["decision"] = "decision"
    config: DecisionConfig = DecisionConfig()


class OwnNumber(Contract):
    """A sentence with numbers of the decider's own."""

    text: str
    figures: list[str]
    id: str = Field(default="", exclude_if=lambda name: not name)


class WeighedAction(Contract):
    """An action, how sure it is, and what speaks for and against it; its reasons' support settles both."""

    company: str = code_fills("", "ticker of the one it is on, where several are compared")
    action: str = Field(description=f"what to do, in a few words; or `{NOT_YET}`, `{NOT_ENOUGH}`")
    confidence: float = Field(ge=0, le=1, description="how well the inputs support it")
    horizon: str = Field(description="for how long it holds, or by when to act")
    rationale: list[Claim] = Field(description="reasons for it, most important first")
    risks: list[Claim] = Field(description="reasons against it")
    what_would_change: list[str] = Field(
        description=f"facts that would call for another action; of `{NOT_YET}` what is waited for"
    )
    yardstick: str = Field(
        default="",
        description="the id of the cell of `price_table` by which the price is judged, or `none`",
        json_schema_extra={"readOnly": True},
    )
    yardstick_reason: list[Claim] = Field(
        default=[],
        description="one or two conclusions: why this required return and this rate suit the company, or why no cell"
        " does; it names them as the table does, and rests on reasons above",
        json_schema_extra={"readOnly": True},
    )
    measured: Yardstick | None = code_fills(None, "that cell, as code words it")
    yardstick_doubt: Notice | None = code_fills(
        None, "that no cell was picked, or no reason that holds was given for the choice"
    )
    own_numbers: list[OwnNumber] = code_fills(
        [], "sentences that were left out, as their numbers are in no filing and no table"
    )
    stated_confidence: float = code_fills(0.0, "the decider's own; its reasons may carry less")
    withheld: str = code_fills(
        "", "the decider's action, where its reasons or the age of the figures do not carry it"
    )
    unread: UnreadResults | None = code_fills(
        None, "results on the company that are out or due and were not read"
    )

    @property
    def is_outdated(self) -> bool:
        """Whether the figures are too old for any action: results of several periods were not read."""
        return self.unread is not None and self.unread.bars_verdict


class CompanyAction(WeighedAction):
    """The action on one of several companies, for reasons of its own."""

    company: str = Field(description="ticker")


class CompanyActions(Contract):
    """An answer on several companies: the action on each."""

    companies: list[CompanyAction] = Field(description="each once")
    ranking: list[str] = Field(description="all of them, best for the request first")
    answer: list[Claim] = Field(
        description="one or two conclusions: which is first by the request and why, from reasons above"
    )


def _ask_for_an_answer(schema: dict[str, Any]) -> None:
    """Require of a model what older decisions lack."""
    schema["required"] = [*schema["required"], "answer"]


class Recommendation(WeighedAction):
    """What a decision says; of several companies what it says of the one that ranks first, with the others."""

    model_config = ConfigDict(json_schema_extra=_ask_for_an_answer)

    ranking: list[str] = Field(
        default=[], description="what is compared, all of it, best for the request first"
    )
    answer: list[Claim] = Field(
        default=[],
        description="one or two conclusions: what to do and the one reason that decides, from reasons above",
    )
    others: list[CompanyAction] = code_fills([], "on the companies beside it, as they rank")
    caveats: list[Told] = code_fills([], "notices of the phases it builds on")
    disclaimer: str = code_fills("", "text added to every decision")


class DecisionOutput(GenerateOutput):
    """`decision` provides `decision`, the `report` that opens with it, and supported claims as `findings`."""

    decision: Recommendation | Json = Field(description="of `config.output_schema`, if given")
    report: Report


class ReviewConfig(GenerateConfig):
    """`review`: a verdict on the output of an earlier phase."""

    models: dict[Literal["reviewer"], str] = ROLE_MODELS


class ReviewPhase(PhaseBase):
    """A node of kind `review`."""

    kind: Literal["review"] = "review"
    config: ReviewConfig = ReviewConfig()


class Review(Contract):
    """A verdict, and what to change."""

    accepted: bool
    issues: list[str] = Field(description="what to change, most important first")


class ReviewOutput(GenerateOutput):
    """`review` provides `review`, and its supported claims as `findings`."""

    review: Review | Json = Field(description="of `config.output_schema`, if given")


class SummaryConfig(GenerateConfig):
    """`summary`: the output of an earlier phase, in short."""

    models: dict[Literal["summarizer"], str] = ROLE_MODELS


class SummaryPhase(PhaseBase):
    """A node of kind `summary`."""

    kind: Literal["summary"] = "summary"
    config: SummaryConfig = SummaryConfig()


class Summary(Contract):
    """A summary in a few sentences, with its main points."""

    text: str = code_fills("", "the first of its points that stand")
    unmarked: str = code_fills(
        "", "the same without marks of what nobody judged; empty: it has none"
    )
    key_points: list[Claim] = Field(description="the answer, then the main points")


class SummaryOutput(GenerateOutput):
    """`summary` provides `summary`, and its supported claims as `findings`."""

    summary: Summary | Json = Field(description="of `config.output_schema`, if given")


GeneratePhase = AnalysisPhase | DecisionPhase | ReviewPhase | SummaryPhase
"""A node of one of these kinds."""

"""`analysis`, `decision`, `review`, `summary`: one typed call of a model over named inputs."""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import partial
from typing import Any

from activities.citations import CitationActivities
from contracts.base import Contract, Json, schema_of
from contracts.drafts import DraftAnalysis, DraftDecision, DraftSummary
from contracts.inputs import ask, data
from contracts.models import BlobRef, Input
from contracts.phases.analysis import AnalysisOutput, AnalysisPhase
from contracts.phases.base import PhaseBase
from contracts.phases.decision import DecisionOutput, DecisionPhase
from contracts.phases.generate import GenerateConfig, GenerateOutput
from contracts.phases.review import Review, ReviewOutput, ReviewPhase
from contracts.phases.summary import SummaryOutput, SummaryPhase
from contracts.web import CheckRequest, Claim, Source
from workflows import statements
from workflows.context import PhaseContext
from workflows.kinds import Kind, Need, Tokens
from workflows.prompts import generate as prompts
from workflows.shortened import shortened

NEAREST = "input"
"""What the need is called that takes the nearest output, whatever its kind."""
PAGES = "sources"
TWINS = {"markdown"}
"""What says a report once more, in another form."""


@dataclass(frozen=True)
class Form:
    """What tells one of these kinds from the others."""

    phase: type[PhaseBase]
    role: str
    prompt: str
    draft: type[Contract]
    output: type[GenerateOutput]


async def generate(form: Form, phase: Any, run: PhaseContext) -> GenerateOutput:
    """Ask once, and hold every quote in the answer against the page it names."""
    config: GenerateConfig = phase.config
    inputs = _inputs(config, run)
    answer = await run.ask_model(
        phase.kind,
        form.role,
        "\n".join(filter(None, (form.prompt, config.instructions))),
        lambda: [ask(inputs, run.steering())],
        output_schema=config.output_schema or schema_of(form.draft),
        max_tokens=config.max_tokens,
    )
    said = answer.output or {}
    claims = await _checked(run, list(statements.stated(said)))
    supported = [claim for claim in claims if claim.verdict == "supported"]
    made = {phase.kind: statements.marked(said, iter(claims))}
    return form.output.model_validate({**made, "findings": statements.findings(supported)})


async def _checked(run: PhaseContext, claims: list[Claim]) -> list[Claim]:
    """Return the claims with their verdicts; where nothing was read, there is nothing to cite."""
    sources = list(run.state.sources)
    if not sources:
        return [claim.model_copy(update={"citations": []}) for claim in claims]
    request = CheckRequest(scope=run.scope("check"), claims=claims, sources=sources)
    return (await run.call("check", CitationActivities.check, request)).claims


def _inputs(config: GenerateConfig, run: PhaseContext) -> list[Input]:
    brief = run.brief
    inputs = [data("question", brief.query), data("answers", brief.answers)]
    if run.me.feedback:
        inputs.append(data("feedback", "\n".join(run.me.feedback)))
    given = _given(config, run)
    pages = given.pop(PAGES, None)
    sources = [Source.model_validate(s) for s in pages] if isinstance(pages, list) else []
    room = config.max_input_chars // (2 if sources and given else 1)
    return [*inputs, *_values(given, room), *_pages(sources, room)]


def _given(config: GenerateConfig, run: PhaseContext) -> Json:
    """Return what it reads, by name: what was asked for, or all that the nearest phase gave."""
    if config.inputs:
        return {name: run.need(name) for name in config.inputs}
    output = run.state.phase(run.provider(NEAREST) or run.me.id).output or {}
    return {name: value for name, value in output.items() if value and name != PAGES}


def _values(given: Json, room: int) -> Iterator[Input]:
    """Yield values as inputs, none of which takes more than its share of the room left."""
    for n, (name, value) in enumerate(given.items()):
        if isinstance(value, dict):
            value = {key: part for key, part in value.items() if key not in TWINS}
        item = data(name, shortened(value, room // (len(given) - n)))
        room = max(room - len(item.text), 0)
        yield item


def _pages(sources: list[Source], room: int) -> Iterator[Input]:
    for number, source in enumerate(sources, start=1):
        page = BlobRef(key=source.text_key, chars=max(room // len(sources), 1))
        yield Input(name=f"source-{number}", text=f"{source.title}\n\n", blob=page)


def needs(phase: Any) -> tuple[Need, ...]:
    """Return the inputs that are named, else the nearest output; the clarified question besides."""
    names: list[str] = phase.config.inputs
    named = [Need(name, path=f"config.inputs[{n}]") for n, name in enumerate(names)]
    brief = [] if "brief" in names else [Need("brief", required=False)]
    return (*(named or [Need(NEAREST, anything=True)]), *brief)


def _kind(form: Form, title: str, description: str, icon: str) -> Kind:
    return Kind(
        phase=form.phase,
        handler=partial(generate, form),
        output=form.output,
        title=title,
        description=description,
        category="execute",
        icon=icon,
        needs=needs,
        agents=lambda _: (form.role,),
        tokens=lambda phase: (
            Tokens(2_000, 500, 400, 20, slack=phase.config.max_tokens, role=form.role),
        ),
    )


KINDS = (
    _kind(
        Form(AnalysisPhase, "analyst", prompts.ANALYSIS, DraftAnalysis, AnalysisOutput),
        "Analyse",
        "Says what follows from what an earlier phase gave.",
        "chart",
    ),
    _kind(
        Form(DecisionPhase, "decider", prompts.DECISION, DraftDecision, DecisionOutput),
        "Decide",
        "Says what to do about what earlier phases gave, and what would change that.",
        "scale",
    ),
    _kind(
        Form(ReviewPhase, "reviewer", prompts.REVIEW, Review, ReviewOutput),
        "Review",
        "Says whether what an earlier phase gave will do, and what to change.",
        "check",
    ),
    _kind(
        Form(SummaryPhase, "summarizer", prompts.SUMMARY, DraftSummary, SummaryOutput),
        "Sum up",
        "Says what an earlier phase gave in short; its points show their quotes.",
        "align-left",
    ),
)

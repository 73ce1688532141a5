"""`review`, `summary`, and what `analysis` and `decision` share: a typed call over named inputs."""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import partial
from typing import Any

from activities.citations import CitationActivities
from contracts.base import Contract, Json, schema_of
from contracts.evidence.sources import CheckRequest, Claim, Source
from contracts.models.call import BlobRef, Input
from contracts.models.inputs import ask, data
from contracts.phase import PhaseBase
from contracts.phases.generate import GenerateConfig, GenerateOutput
from contracts.phases.review import Review, ReviewOutput, ReviewPhase
from contracts.phases.summary import SummaryOutput, SummaryPhase
from contracts.report.drafts import DraftSummary
from contracts.report.research import Finding
from domain.evidence import statements
from workflows.prompts import generate as prompts
from workflows.runtime.context import PhaseContext
from workflows.runtime.kind import Kind, Need, Tokens
from workflows.runtime.truncation import shortened
from workflows.runtime.verdict_cache import citable

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
    said, claims = await answered(form, phase, run, given(phase.config, run))
    return form.output.model_validate({phase.kind: said, "findings": found(claims)})


async def answered(
    form: Form, phase: Any, run: PhaseContext, inputs: list[Input], schema: Json | None = None
) -> tuple[Json, list[Claim]]:
    """Return the answer over inputs, its statements marked, and these as checked claims."""
    config: GenerateConfig = phase.config
    answer = await run.ask_model(
        phase.kind,
        form.role,
        "\n".join(filter(None, (form.prompt, config.instructions))),
        lambda: [ask(inputs, run.steering())],
        output_schema=config.output_schema or schema or schema_of(form.draft),
        pages=citable(run.state),
        max_tokens=config.max_tokens,
    )
    said = answer.output or {}
    claims = await _checked(run, list(statements.stated(said)))
    marked = statements.marked(said, iter(claims))
    assert isinstance(marked, dict)
    return marked, claims


def found(claims: list[Claim]) -> list[Finding]:
    """Return what of an answer is quoted, for the phases that build on it."""
    return statements.findings([claim for claim in claims if claim.verdict == "supported"])


async def _checked(run: PhaseContext, claims: list[Claim]) -> list[Claim]:
    """Return the claims with their verdicts; where nothing was read, there is nothing to cite."""
    sources = list(run.state.sources)
    if not sources:
        return [claim.model_copy(update={"citations": []}) for claim in claims]
    if checked := run.verdicts.of(claims):
        return checked
    request = CheckRequest(scope=run.scope("check"), claims=claims, sources=sources)
    return (await run.execute_activity("check", CitationActivities.check, request)).claims


def given(config: GenerateConfig, run: PhaseContext) -> list[Input]:
    """Return what a phase reads: the question, and what earlier phases gave."""
    values = _values_of(config, run)
    pages = values.pop(PAGES, None)
    sources = [Source.model_validate(s) for s in pages] if isinstance(pages, list) else []
    room = config.max_input_chars // (2 if sources and values else 1)
    return [*asked(run), *_values(values, room), *pages_of(dict(enumerate(sources, 1)), room)]


def asked(run: PhaseContext) -> list[Input]:
    """Return the question, what was clarified, and what a human wants changed."""
    brief = run.brief
    inputs = [data("question", brief.query), data("answers", brief.answers)]
    if run.me.feedback:
        inputs.append(data("feedback", "\n".join(run.me.feedback)))
    return inputs


def _values_of(config: GenerateConfig, run: PhaseContext) -> Json:
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


def pages_of(sources: dict[int, Source], room: int) -> Iterator[Input]:
    """Yield pages under their numbers, each with its share of the room."""
    for number, source in sources.items():
        page = BlobRef(key=source.text_key, chars=max(room // len(sources), 1))
        yield Input(name=f"source-{number}", text=f"{source.title}\n\n", blob=page)


def needs(phase: Any) -> tuple[Need, ...]:
    """Return the inputs that are named, else the nearest output; the clarified question besides."""
    names: list[str] = phase.config.inputs
    named = [Need(name, path=f"config.inputs[{n}]") for n, name in enumerate(names)]
    brief = [] if "brief" in names else [Need("brief", required=False)]
    return (*(named or [Need(NEAREST, anything=True)]), *brief)


def kind_of(form: Form, title: str, description: str, icon: str, **more: Any) -> Kind:
    """Return the registry's line for one of these kinds."""
    line: dict[str, Any] = {
        "handler": partial(generate, form),
        "needs": needs,
        "prompts": (form.prompt,),
        "drafts": (form.draft,),
    }
    return Kind(
        phase=form.phase,
        output=form.output,
        title=title,
        description=description,
        category="execute",
        icon=icon,
        agents=lambda _: (form.role,),
        cacheable=lambda _: True,
        tokens=lambda phase: (
            Tokens(2_000, 500, 400, 20, slack=phase.config.max_tokens, role=form.role),
        ),
        **(line | more),
    )


KINDS = (
    kind_of(
        Form(ReviewPhase, "reviewer", prompts.REVIEW, Review, ReviewOutput),
        "Review",
        "Says whether what an earlier phase gave will do, and what to change.",
        "check",
    ),
    kind_of(
        Form(SummaryPhase, "summarizer", prompts.SUMMARY, DraftSummary, SummaryOutput),
        "Sum up",
        "Says what an earlier phase gave in short; its points show their quotes.",
        "align-left",
    ),
)

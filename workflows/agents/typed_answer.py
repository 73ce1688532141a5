"""A typed call over named inputs whose claims are verified, shared by `analysis`, `decision`, `review` and `summary`."""

from collections.abc import Awaitable, Callable, Iterable, Mapping
from dataclasses import dataclass, field, replace
from functools import partial
from itertools import starmap
from typing import Any, NamedTuple, TypeVar

from pydantic import JsonValue

from contracts.base import Contract, Json
from contracts.definitions import Definition
from contracts.errors import KeyRejected, ModelRejected
from contracts.evidence.claims import Claim
from contracts.evidence.sources import Source
from contracts.models.answer_json_schema import get_answer_schema
from contracts.models.call import Input, build_message, to_input
from contracts.notices import Notice
from contracts.phases.base import Need, Needs
from contracts.phases.typed_answers import (
    Analysis,
    AnalysisOutput,
    GenerateConfig,
    GenerateInput,
    GeneratePhase,
    Summary,
)
from contracts.report.report import Report
from contracts.words import say
from domain.evidence.claims import (
    find_claims,
    leave_out_grounds,
    leave_out_marks,
    list_by_id,
    list_texts,
    name_claims,
    number_shared_ids,
)
from domain.evidence.conclusions import cite_repeated
from domain.evidence.sentences import end_sentence
from domain.prompts import load_prompts
from domain.report.claims.shown_inputs import show_inputs
from domain.run_outputs import find_output_as
from domain.sources.page_inputs import build_page_inputs
from workflows.phase_context.context import PhaseContext
from workflows.phase_context.expected_tokens import Tokens
from workflows.phase_context.kind import I, Kind, O
from workflows.runtime.failures import describe_failure
from workflows.verification.answer_verification import NO_ANSWER

G = TypeVar("G", bound=GeneratePhase)
PROMPTS = load_prompts("workflows.prompts", "typed_answers")


NEAREST = "input"
"""The need that takes the nearest output of any kind."""


PAGES = "sources"


UNREAD = {"markdown", "document", "head", "searches", "exhibits"}
"""Fields of a report that repeat it in another form, or are not about its subject."""


MAX_OPENING = 7
"""A longer opening is not used as a summary."""


POINTS_IN_SHORT = 3
"""Number of points in a text, unless a report compares more."""


def find_report(run: PhaseContext) -> Report:
    """Return the run's report, or an empty one."""
    found = find_output_as(run.state, "report", Report)
    return found or Report(title=run.brief.query[:200], sections=[])


class MarkedText(NamedTuple):
    """Sentences as text, with marks of those that are unjudged, and without; the latter is empty if there are none."""

    text: str
    unmarked: str


def shorten(points: Iterable[Claim], run: PhaseContext, least: int = POINTS_IN_SHORT) -> MarkedText:
    """Return the first valid points as text.

    Return as many as the report compares items, or at least `least`.
    """
    compared = find_report(run).comparison
    most = min(max(least, len(compared.columns) if compared else 0), MAX_OPENING)
    is_judged = not run.state.terms.by_rule
    unjudged = f" ({say(run.language, 'mark-not_judged')})"
    told = [claim for claim in points if stands(claim)][:most]
    marks = [unjudged if is_judged and claim.verdict is None else "" for claim in told]
    marked = (end_sentence(claim.text, mark) for claim, mark in zip(told, marks, strict=True))
    plain = (end_sentence(claim.text) for claim in told) if any(marks) else ()
    return MarkedText(" ".join(marked), " ".join(plain))


def stands(claim: Claim) -> bool:
    """Return whether a claim is supported or unjudged."""
    return claim.verdict in {None, "supported"}


@dataclass(frozen=True)
class Form:
    """The differences between these kinds."""

    role: str
    prompt: str
    draft: type[Contract]
    tokens: Tokens
    fallback: Callable[[PhaseContext], Contract | None] = lambda _: None
    """Builds the answer to use when the model gives no usable one; if it returns None, the phase fails."""
    schema: Json | None = None
    """JSON Schema of the answer; None selects the schema of `draft`."""
    repeats: bool = False
    """Whether the answer only repeats its inputs, which are then given as sentences with ids, without quotes."""


@dataclass(frozen=True)
class Topic:
    """The subject of a call in a phase with several."""

    name: str = ""
    prefix: str = ""
    """Begins the call's name."""


WHOLE = Topic()
"""The only call of its phase."""


@dataclass(frozen=True)
class Material:
    """The inputs of a call."""

    inputs: list[Input]
    known: Mapping[str, Claim] = field(default_factory=dict)
    """Sentences of the inputs by id: conclusions may rest on them, and repetitions cite what they cite."""
    choices: str = ""
    """What code says of the figures, and those that the answer may choose from."""


async def generate(
    form: Form, phase: GeneratePhase, given: GenerateInput, run: PhaseContext
) -> Json:
    """Ask once over what earlier phases gave."""
    return await ask_typed(form, phase, run, read_material(form, phase.config, given, run))


async def ask_typed(
    form: Form,
    phase: GeneratePhase,
    run: PhaseContext,
    material: Material,
    topic: Topic = WHOLE,
) -> Json:
    """Return the answer over some material, its claims verified, or what code can say in its place."""
    config: GenerateConfig = phase.config
    try:
        answer = await run.calls.ask_model(
            f"{topic.prefix}{phase.kind}",
            form.role,
            "\n".join(filter(None, (form.prompt, config.instructions))),
            lambda: [build_message(material.inputs, run.humans.read_steering())],
            output_schema=config.output_schema or form.schema or get_answer_schema(form.draft),
            pages=run.list_citable_pages(),
            max_tokens=config.max_tokens,
            known={name: claim.as_premise for name, claim in material.known.items()},
            choices=material.choices,
        )
    except NO_ANSWER as error:
        fallback = None if config.output_schema else form.fallback(run)
        is_rejected = describe_failure(error).type in {KeyRejected.type(), ModelRejected.type()}
        if fallback is None or (
            is_rejected and phase.kind == "analysis"
        ):  # other kinds continue without it
            raise
        about = {"subject": topic.name} if topic.name else {}
        lost = Notice(code="answer-missing", params={"role": form.role, **about})
        run.losses.go_on(error, lost, phase.kind)
        return fallback.model_dump(mode="json")
    said: Json = cite_repeated(answer.output or {}, material.known)  # type: ignore[assignment]
    if form.schema is None and config.output_schema is None and form.draft in {Analysis, Summary}:
        short = shorten(find_claims(said), run)
        said |= short._asdict() if form.draft is Summary else {"text": short.text}
    return said


def select_supported(said: Json) -> list[Claim]:
    """Return the claims of an answer on which later phases may build."""
    return [claim for claim in find_claims(said) if claim.is_usable]


def _select_values(config: GenerateConfig, given: GenerateInput) -> Json:
    """Return the values that are named, or those of the nearest phase without its pages."""
    if config.inputs:
        return dict(given.named)
    return {
        name: value for name, value in given.nearest.items() if value and not _names_pages(name)
    }


def _names_pages(name: str) -> bool:
    return name.rpartition(".")[2] == PAGES


def read_material(
    form: Form, config: GenerateConfig, given: GenerateInput, run: PhaseContext
) -> Material:
    """Return what a call is asked over: the question, and the values that its config names."""
    repeats = form.repeats and not config.output_schema
    values: Any = (name_claims if repeats else number_shared_ids)(_select_values(config, given))
    shown: Any = leave_out_marks(values)
    shown = leave_out_grounds(shown) if repeats else shown
    return Material(_build_inputs(config, shown, run), list_by_id(values))


def _build_inputs(config: GenerateConfig, values: Json, run: PhaseContext) -> list[Input]:
    """Return the question and the values as inputs, which share the room that is left beside the pages."""
    lists = [values.pop(name) for name in [*values] if _names_pages(name)]
    pages: list[JsonValue] = max(
        (each for each in lists if isinstance(each, list)), key=len, default=[]
    )
    sources = [Source.model_validate(page) for page in pages]
    room = config.max_input_chars // (2 if sources and values else 1)
    shown = [*build_page_inputs(dict(enumerate(sources, 1)), room, shown=run.state.shown)]
    read = show_inputs({name: _leave_out_unread(value) for name, value in values.items()})
    told = run.shorten(read, room)
    return [*run.build_inputs(), *starmap(to_input, told.items()), *shown]


def _leave_out_unread(value: JsonValue) -> JsonValue:
    if not isinstance(value, dict):
        return value
    return {key: part for key, part in value.items() if key not in UNREAD}


def build_analysis(
    run: PhaseContext, made: Contract | Json, gaps: JsonValue, said: Json
) -> AnalysisOutput:
    """Build the output of an analysis from its result `made`; supported claims of the answer become findings."""
    return AnalysisOutput.model_validate(
        {
            "analysis": made,
            "findings": select_supported(said),
            "gaps": list_texts(gaps or []),
            "sources": list(run.state.sources),
            "artifacts": list(run.state.artifacts),
        }
    )


def adapt_needs(phase: GeneratePhase, needs: Needs) -> Needs:
    """Return the named inputs, else the nearest output, and the clarified question."""
    named = {
        name: Need(name, required=name not in phase.config.optional, path=f"config.inputs[{n}]")
        for n, name in enumerate(phase.config.inputs)
    }
    taken = named or {NEAREST: replace(needs[NEAREST], required=True)}
    taken.setdefault("brief", needs["brief"])
    return taken


def estimate_tokens(form: Form, phase: GeneratePhase) -> tuple[Tokens, ...]:
    """Return the expected tokens of such a call, including its judge's."""
    return replace(form.tokens, slack=phase.config.max_tokens, role=form.role).verified()


def build_kind(
    handler: Callable[[G, I, PhaseContext], Awaitable[O]],
    *forms: Form,
    icon: str,
    costs_nothing: Callable[[G, Definition], bool] = lambda _, __: False,
) -> Kind[G, I, O]:
    """Return the registry's line for one of these kinds; the first form is the usual one."""
    form = forms[0]
    return Kind(
        handler=handler,
        icon=icon,
        category="execute",
        adapt_needs=adapt_needs,
        agents=lambda _: (form.role,),
        tokens=partial(estimate_tokens, form),
        costs_nothing=costs_nothing,
        cacheable=lambda _: True,
        prompts=tuple(each.prompt for each in forms),
        drafts=tuple(each.draft for each in forms),
    )

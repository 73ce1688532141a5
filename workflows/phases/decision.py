"""`decision`: recommends an action based on earlier phases; code weighs its reasons."""

import copy
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from pydantic import JsonValue

from contracts.base import Json
from contracts.models.answer_json_schema import get_answer_schema
from contracts.models.call import to_input
from contracts.notices import Notice, list_once, say_told
from contracts.phases.typed_answers import (
    OPEN,
    CompanyAction,
    CompanyActions,
    DecisionOutput,
    DecisionPhase,
    GenerateInput,
    Recommendation,
)
from contracts.report.additions import ReportAdditions
from contracts.report.report import Search
from contracts.words import say
from domain.evidence.claims import find_claims, list_told
from domain.recommendation import (
    add_recommendation,
    list_beyond,
    mark_unfounded,
    weigh_each,
    weigh_one,
)
from domain.report.report_claims import list_claims
from domain.run_outputs import find_output, find_output_as
from workflows.agents.report_check import CHECK, check_report
from workflows.agents.report_editor import finish_report
from workflows.agents.typed_answer import (
    PROMPTS,
    Form,
    ask_typed,
    build_kind,
    estimate_tokens,
    find_report,
    read_material,
    select_supported,
)
from workflows.phase_context.context import PhaseContext
from workflows.phase_context.expected_tokens import Tokens, Use

DECISION = Form(
    *("decider", PROMPTS["decision"], Recommendation),
    Tokens(once=Use(5_500, 550), page=Use(250), subject=Use(4_000, 1_300)),
)


DECISIONS = replace(DECISION, draft=CompanyActions)


async def decision(phase: DecisionPhase, given: GenerateInput, run: PhaseContext) -> DecisionOutput:
    """Decide once; code weighs the reasons, adds earlier phases' warnings, and opens the report with it."""
    config = phase.config
    added = find_output_as(run.state, "additions", ReportAdditions) or ReportAdditions()
    companies = added.subjects
    form = DECISIONS if len(companies) > 1 else DECISION
    form = replace(form, schema=_build_choices(form, config.actions, companies))
    known_before = [say_told(note, "en") for note in added.notes]
    basis = [to_input("basis", known_before)] if known_before else []
    material = read_material(form, config, given, run)
    material = replace(material, inputs=[*material.inputs, *basis])
    said = await ask_typed(form, phase, run, material)
    report = find_report(run)
    if config.output_schema is None:
        givers = {i for ids in run.state.resolved.bindings[run.me.id].values() for i in ids}
        noted = (n for p in run.state.phases if p.id in givers for n in p.notices)
        disclaimer = config.disclaimer or (_disclaim(run, given) if companies else "")
        told = {"caveats": list_once(noted), "disclaimer": disclaimer}
        weighed = (
            weigh_each(CompanyActions.model_validate(said), companies)
            if form.draft is CompanyActions
            else weigh_one(Recommendation.model_validate(said))
        )
        claims = [each for part in (said, *_list_analyses(given)) for each in find_claims(part)]
        known = [*run.list_asked(), *list_told([*list_claims(report), *claims]), *known_before]
        weighed = mark_unfounded(weighed, known, run.language).model_copy(update=told)
        report = add_recommendation(weighed, report, run.language)
        said = weighed.model_dump(mode="json")
    days = dict.fromkeys(str(each.get("unheeded_day") or "") for each in _list_analyses(given))
    late = [Notice.of("company-asked-as-of", day=day) for day in days if day]
    report = report.model_copy(update={"notes": [*late, *report.notes]})
    searches = [Search.model_validate(each) for each in find_output(run.state, "searches") or ()]
    beyond = list_beyond(_list_analyses(given), report, run.language)
    report = report.model_copy(update={"sections": [*report.sections, *beyond, *added.sections]})
    report = await check_report(run, report)
    return DecisionOutput(
        decision=said,
        findings=select_supported(said),
        report=finish_report(run, report, run.state.sources, searches),
    )


def _list_analyses(given: GenerateInput) -> list[Json]:
    """Return the analyses that the config names."""
    named = (value for name, value in given.named.items() if name.rpartition(".")[2] == "analysis")
    return [said for said in named if isinstance(said, dict)]


def _disclaim(run: PhaseContext, given: GenerateInput) -> str:
    """Return that the report is no advice; it names the news only if an analysis scored articles."""
    is_read = any(
        isinstance(sentiment, dict) and sentiment.get("articles")
        for said in _list_analyses(given)
        for sentiment in (said, *_list_others(said))
    )
    return say(run.language, "not-advice" if is_read else "not-advice-filings")


def _list_others(said: Json) -> list[JsonValue]:
    """Return the analyses of all companies but the first, as the phase's input lists them."""
    others = said.get("others")
    return others if isinstance(others, list) else []


def _build_choices(form: Form, actions: Sequence[str], companies: list[str]) -> Json:
    """Return the schema of a decision: the actions to choose from, and which companies to rank."""
    schema: Any = copy.deepcopy(get_answer_schema(form.draft))
    one = schema
    if form.draft is CompanyActions:
        one = schema["$defs"][CompanyAction.__name__]
        one["properties"]["company"]["enum"] = companies
        schema["properties"]["ranking"]["items"]["enum"] = companies
    elif companies:
        actions = [f"{action} {companies[0]}" for action in actions]
    if actions:
        one["properties"]["action"]["enum"] = [*dict.fromkeys([*actions, *OPEN])]
    return dict(schema)


KIND = replace(
    build_kind(
        *(decision, DECISION, DECISIONS),
        icon="scale",
    ),
    tokens=lambda phase: (*estimate_tokens(DECISION, phase), CHECK),
)

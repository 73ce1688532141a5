"""`decision`: recommends an action based on earlier phases; code weighs its reasons."""

import copy
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from pydantic import JsonValue

from contracts.base import Json
from contracts.evidence.claims import Claim
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
    UnheededDay,
    WeighedAction,
)
from contracts.report.additions import ReportAdditions
from contracts.report.report import Search
from contracts.words import say
from domain.evidence.claims import find_claims, list_told
from domain.outdated_verdicts import add_unread
from domain.own_numbers import (
    leave_out_own_numbers,
    list_assumed,
    list_computed,
    list_sourced,
)
from domain.recommendation import (
    add_one_sided,
    add_recommendation,
    leave_out_idle_assumptions,
    list_beyond,
    list_decided,
    mark_unfounded,
    rest_on_what_holds,
    weigh_each,
    weigh_one,
)
from domain.report.claims.brought_bases import bring_bases, join_sections, restore_order
from domain.report.claims.report_claims import list_claims
from domain.run_outputs import find_output, find_output_as
from domain.yardsticks import Tables, add_yardsticks, list_choices, list_known, show_tables
from workflows.agents.gap_check import CHECK, check_report
from workflows.agents.report_editor import finish_report
from workflows.agents.typed_answer import (
    PROMPTS,
    Form,
    Material,
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
    Tokens(once=Use(9_500, 1_500), page=Use(250), subject=Use(5_500, 1_500)),
)


YARDSTICK_FIELDS = ("yardstick", "yardstick_reason")
"""The fields of an action that are asked for beside a table of prices: a cell, and why it."""
DECISIONS = replace(DECISION, draft=CompanyActions)


async def decision(phase: DecisionPhase, given: GenerateInput, run: PhaseContext) -> DecisionOutput:
    """Decide once; code weighs the reasons, adds earlier phases' warnings, and opens the report with it."""
    config = phase.config
    added = find_output_as(run.state, "additions", ReportAdditions) or ReportAdditions()
    companies = added.subjects
    kind = DECISIONS if len(companies) > 1 else DECISION
    tables = added.price_tables
    form = replace(kind, schema=_build_choices(kind, config.actions, companies, tables))
    material = _add_tables(read_material(form, config, given, run), added)
    said = await ask_typed(form, phase, run, material)
    report = find_report(run)
    analyses = _list_analyses(given)
    points = [each for part in analyses for each in find_claims(part)]
    weighed: Recommendation | None = None
    if config.output_schema is None:
        disclaimer = config.disclaimer or (_disclaim(run, given) if companies else "")
        told = {"caveats": _list_caveats(run), "disclaimer": disclaimer}
        earlier = [*list_claims(report), *points]
        weighed = _weigh(form, said, added, earlier, run).model_copy(update=told)
        report = add_recommendation(weighed, report, run.language)
        said = weighed.model_dump(mode="json")
    report = join_sections(report, list_beyond(analyses, report, run.language))
    noted = [*_list_unheeded(analyses), *report.notes, *_list_untabled(added)]
    report = report.model_copy(update={"notes": noted})
    if weighed:
        report = add_one_sided(report, weighed, added.beside)
        report = bring_bases(report, list_decided(weighed), material.known, run.language)
    report = restore_order(report, points)
    report = report.model_copy(update={"sections": [*report.sections, *added.sections]})
    report = rest_on_what_holds(await check_report(run, report), weighed, run.language)
    report = leave_out_idle_assumptions(report) if weighed else report
    return DecisionOutput(
        decision=said,
        findings=select_supported(said),
        report=finish_report(run, report, run.state.sources, _list_searches(run)),
    )


def _add_tables(material: Material, added: ReportAdditions) -> Material:
    """Return the material with what is known of the companies' figures, and the tables to pick a yardstick from."""
    known_before = [say_told(note, "en") for note in (*added.notes, *_list_untabled(added))]
    tables = added.price_tables
    told = [to_input("basis", known_before)] if known_before else []
    told += [to_input("price_table", show_tables(tables))] if tables else []
    return replace(
        material,
        inputs=[*material.inputs, *told],
        choices="\n".join([*known_before, *list_known(tables)]),
    )


def _list_untabled(added: ReportAdditions) -> list[Notice]:
    """Return why the prices of companies are judged by no table, of several companies each with its name."""
    return [
        Notice.of("decision-no-table", company=company if added.subjects[1:] else None, why=why)
        for company, why in added.untabled.items()
    ]


def _weigh(
    form: Form, said: Json, added: ReportAdditions, earlier: Sequence[Claim], run: PhaseContext
) -> Recommendation:
    """Return what was decided, weighed by its reasons and by the results on its companies that were not read.

    On companies, sentences with numbers of the decider's own are left out; elsewhere such numbers are named. `earlier`
    are the claims of what the decision is made from.
    """
    claims = [*earlier, *find_claims(said)]
    tables = added.price_tables
    notes = [say_told(note, "en") for note in added.notes]
    known = [*run.list_given(), *notes, *added.known, *list_known(tables)]
    known += list_assumed(earlier, added.notes)
    subjects, day = added.subjects, run.as_of or run.today
    if form.draft is CompanyActions:
        each = CompanyActions.model_validate(said)
        sourced = [*known, *list_sourced(each.companies, claims)]
        sourced += list_computed(claims, sourced)
        actions, answer = leave_out_own_numbers(each.companies, each.answer, sourced, day)
        drafts = each.model_copy(update={"companies": actions, "answer": answer})
        weighed = weigh_each(drafts, subjects)
    else:
        one = Recommendation.model_validate(said)
        if subjects:
            sourced = [*known, *list_sourced([one], claims)]
            sourced += list_computed(claims, sourced)
            [one], answer = leave_out_own_numbers([one], one.answer, sourced, day)
            one = one.model_copy(update={"answer": answer})
        weighed = weigh_one(one)
    first = next(iter(subjects), "")
    measured = add_yardsticks(add_unread(weighed, added.unread, first), tables, first)
    return mark_unfounded(measured, [*known, *list_told(claims)], run.language, day)


def _list_analyses(given: GenerateInput) -> list[Json]:
    """Return the analyses that the config names."""
    named = (value for name, value in given.named.items() if name.rpartition(".")[2] == "analysis")
    return [said for said in named if isinstance(said, dict)]


def _list_searches(run: PhaseContext) -> list[Search]:
    """Return the searches that the run has made."""
    return [Search.model_validate(each) for each in find_output(run.state, "searches") or ()]


def _list_caveats(run: PhaseContext) -> list[Notice]:
    """Return the notices of the phases that the decision is made from."""
    givers = {i for ids in run.state.resolved.bindings[run.me.id].values() for i in ids}
    return list_once(n for p in run.state.phases if p.id in givers for n in p.notices)


def _list_unheeded(analyses: Sequence[Json]) -> list[Notice]:
    """Return the past days that the request asks about although later filings were read."""
    told = (said["unheeded"] for said in analyses if said.get("unheeded"))
    return list_once(UnheededDay.model_validate(each).tell() for each in told)


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


def _build_choices(
    form: Form, actions: Sequence[str], companies: list[str], tables: Tables
) -> Json:
    """Return the schema of a decision: the actions and yardsticks to choose from, and which companies to rank."""
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
    if tables:
        fields = {n: WeighedAction.model_fields[n].description for n in YARDSTICK_FIELDS}
        choice, reason = fields
        told = {"type": "string", "enum": list_choices(tables)}
        one["properties"][reason] = one["properties"]["rationale"] | {"description": fields[reason]}
        one["properties"][choice] = told | {"description": fields[choice]}
        one["required"] = [*one["required"], *fields]
    return dict(schema)


KIND = replace(
    build_kind(
        *(decision, DECISION, DECISIONS),
        icon="scale",
    ),
    tokens=lambda phase: (*estimate_tokens(DECISION, phase), CHECK),
)

"""`planning`: the plan for a human to approve, reviewed and priced."""

import copy
from collections.abc import Sequence
from typing import Any, TypeVar

from pydantic import JsonValue

from contracts.base import Json
from contracts.models.answer_json_schema import get_answer_schema
from contracts.models.call import Input, build_inputs
from contracts.models.model_drafts import DraftedPlan, PlanReview
from contracts.notices import Notice, Told, list_once
from contracts.phases.clarification import Constraints
from contracts.phases.planning import (
    PlanningConfig,
    PlanningInput,
    PlanningOutput,
    PlanningPhase,
)
from contracts.planning.assumptions import Assumption, number_assumptions
from contracts.planning.brief import Answered
from contracts.planning.plan import Depth, PlanDraft
from contracts.words import Language
from domain.evidence.normal_forms import spell_words
from domain.planning.depth import change_depth
from domain.prompts import fit_rules, list_fields, load_prompts
from domain.report.changes.patches import fold_patches, outline_report
from domain.report.claims.report_claims import take_text
from workflows.agents.tool_servers import list_plan_servers
from workflows.checkpoints.prices.plan_price import fit_depth, price_plan
from workflows.phase_context.context import MAX_EARLIER_CHARS, PhaseContext
from workflows.phase_context.expected_tokens import Tokens, Use
from workflows.phase_context.kind import Kind
from workflows.phases.idea_generation import list_objections

PROMPTS = load_prompts("workflows.prompts", "planning")
Answer = TypeVar("Answer", DraftedPlan, PlanReview)
ASKED = {
    DraftedPlan: ("planner", PROMPTS["plan"]),
    PlanReview: ("plan_reviewer", PROMPTS["review"]),
}
"""The role and the prompt for each kind of answer."""
MOST_ASSUMED = 50
"""The maximum number of assumptions in a plan."""
PARTS = {"expanded_queries", "outline", "assumptions"}
"""Parts into which a question is decomposed."""
MOST_MEASURES = 8
"""The measures that a planner may set: with more, the pages of a subject are used up before the last are read about."""
LONG_MEASURE = 80
"""Characters beyond which a measure is no longer one fact in a few words."""
OPTIONAL = {"geographical_scope", "focus_areas", "wished_usd", "as_of"}
"""Fields of a plan that a model may omit."""


async def planning(phase: PlanningPhase, given: PlanningInput, run: PhaseContext) -> PlanningOutput:
    """Draft a plan, let a reviewer repair violations of the rules for plans as often as configured, and price it."""
    config, inputs = phase.config, _build_inputs(phase, given, run)
    more, kept = [], run.brief.assumptions if run.brief.report_question else []
    if not run.me.earlier:  # a revision starts from the previous plan
        assumed = _word(kept, run.language) or None
        more = build_inputs(decomposition=_take_apart(run, kept) or None, assumed=assumed)
    draft = await _ask(phase, run, "draft", [*inputs, *more], DraftedPlan)
    for number in range(1, min(config.n_plan_reviews, config.max_rounds - 1) + 1):
        if not (faults := list_faults(draft, config)):
            break
        shown = [*inputs, *build_inputs(plan=_show_draft(draft), faults=faults)]
        reviewing = _ask(phase, run, f"review-{number}", shown, PlanReview)
        review = await run.calls.do_without(reviewing, Notice.of("plan-unreviewed"))
        if review is None or review.accepted or review.plan is None:
            break
        draft = review.plan
    # Models cannot estimate durations; the plan's time is computed from its calls.
    told = {"estimated_duration": "", **_name_only_role(run)}
    untimed = [step.model_copy(update=told) for step in draft.steps]
    if left := [step.name for step in draft.steps[config.max_plan_steps :]]:
        most = config.max_plan_steps
        run.log.note(Notice.of("plan-steps-dropped", n=len(left), most=most, names=left))
    if unread := [*draft.measures[MOST_MEASURES:]]:
        most, n = MOST_MEASURES, len(unread)
        run.log.note(Notice.of("plan-measures-dropped", n=n, most=most, names=unread))
    own = {
        "steps": untimed[: config.max_plan_steps],
        "measures": draft.measures[:MOST_MEASURES],
        "depth": _choose_depth(run),
        "as_of": run.find_past_day(run.state.request.inputs.get("as_of"), draft.as_of),
    }
    draft = draft.model_copy(update=own)
    servers = await list_plan_servers(run)
    fitted = fit_depth(run.state, _assume_decided(run, draft, kept), run.me.id, servers)
    plan = price_plan(run.state, fitted, run.me.id, servers=servers)
    run.state.resolved = change_depth(run.state.resolved, plan.depth)
    return PlanningOutput(plan=plan, plan_hash=plan.hash)


def _take_apart(run: PhaseContext, kept: Sequence[Assumption]) -> Json:
    """Return the decomposed question, without assumptions that the plan keeps anyway."""
    assumed = [] if kept else _word(run.brief.assumptions, run.language)
    parts = run.brief.model_dump(include=PARTS) | {"assumptions": assumed}
    return {name: part for name, part in parts.items() if part}


def _word(assumptions: Sequence[Assumption], language: Language) -> list[JsonValue]:
    return [assumed.say(language) for assumed in assumptions]


def _show_draft(draft: DraftedPlan) -> Json:
    """Return a drafted plan as its planner wrote it."""
    return draft.model_dump(mode="json") | {
        "assumptions": [each.text for each in draft.assumptions]
    }


def list_faults(draft: PlanDraft, config: PlanningConfig) -> list[str]:
    """Return how a drafted plan breaks the rules of its prompt, as its reviewer sees it."""
    searches, same_searches = _find_same_words(draft.searches)
    measures, same_measures = _find_same_words(draft.measures)
    counts = {
        "steps": (len(draft.steps), config.max_plan_steps),
        "searches": (searches, config.max_searches),
        "measures": (measures, MOST_MEASURES),
    }
    parts = {name: getattr(draft, name) for name in ("requirements", "searches", "outline")}
    long = [each for each in draft.measures if len(each) > LONG_MEASURE]
    return [
        *(f"{n} {name}, at most {most}" for name, (n, most) in counts.items() if n > most),
        *(f"no {name}" for name, part in parts.items() if not part),
        *(f"another search has the same words: {each}" for each in same_searches),
        *(f"another measure has the same words: {each}" for each in same_measures),
        *(f"a measure of more than {LONG_MEASURE} characters: {each}" for each in long),
    ]


def _find_same_words(texts: Sequence[str]) -> tuple[int, list[str]]:
    """Return how many texts differ in more than the order and case of words, and those that repeat a later one."""
    last = {frozenset(spell_words(text).split()): text for text in texts}
    return len(last), [text for text in texts if text not in last.values()]


def _choose_depth(run: PhaseContext) -> Depth:
    """Return the depth of the start, or the one that a human chose for the plan that is revised."""
    shown = run.state.shown_plan
    if run.me.earlier and shown and shown.wished_usd is None:
        return shown.depth
    return run.state.request.depth or "standard"


def _list_left(run: PhaseContext) -> list[Answered]:
    """Return the questions left to the agents; a revision's plan has what was decided on them."""
    return [] if run.me.earlier else [each for each in run.brief.answers if each.answer is None]


def _assume_decided(
    run: PhaseContext, drafted: DraftedPlan, kept: Sequence[Assumption]
) -> PlanDraft:
    """Add the decision on each question that was left to the agents to a plan's assumptions.

    `kept` are the assumptions of the plan before a follow-up, which still hold.
    """
    texts: list[Told] = [each.text for each in drafted.assumptions if isinstance(each.text, str)]
    for left in _list_left(run):
        if decision := drafted.decided.get(left.id, "").rstrip(". "):
            texts.append(Notice.of("left-and-decided", "info", decision=decision))
        else:
            texts.append(Notice.of("left-to-us", "info", question=left.told))
    known = [assumed.text for assumed in kept]
    new = [Assumption(text=text) for text in list_once(texts) if text not in known]
    assumed = number_assumptions([*kept, *new])[-MOST_ASSUMED:]
    return PlanDraft.model_validate(
        drafted.model_dump(exclude={"decided"}) | {"assumptions": assumed}
    )


async def _ask(
    phase: PlanningPhase, run: PhaseContext, name: str, inputs: list[Input], answer: type[Answer]
) -> Answer:
    """Return an answer whose plan contains every field that a human approves."""
    schema: Any = copy.deepcopy(get_answer_schema(answer))
    parts = schema["$defs"]
    step_schema: Any = parts["PlanStep"]
    roles = run.find_plan_roles()
    if _name_only_role(run):
        del step_schema["properties"]["agent_role"]
    elif roles:  # steps are for the roles of later phases
        role_of_step = {"type": "string", "enum": [known.id for known in roles]}
        step_schema["properties"]["agent_role"] = role_of_step
    del step_schema["properties"]["estimated_duration"]
    works_at_once = any(known.at_once for known in roles)
    if works_at_once:
        step_schema["required"] = [*step_schema["required"], "independent"]
    else:
        del step_schema["properties"]["independent"]
    plan = parts.get("DraftedPlan", schema)
    for field in _list_unasked(run, works_at_once=works_at_once):
        del plan["properties"][field]
    decided = plan["properties"].pop("decided")
    plan["required"] = [name for name in plan["properties"] if name not in OPTIONAL]
    if left := _list_left(run):
        asked = {each.id: {"type": "string", "description": each.question} for each in left}
        only = {"properties": asked, "required": list(asked), "additionalProperties": False}
        plan["properties"]["decided"] = decided | only
        plan["required"].append("decided")
    del plan["properties"]["search_terms"]["maxItems"]  # the prompt says how many
    plan["properties"]["assumptions"]["items"] = parts.pop("Assumption")
    for shown in ("DraftedPlan", "PlanStep") if "DraftedPlan" in parts else ():
        for part in parts[shown]["properties"].values():
            part.pop("description", None)  # a reviewer sees a plan that has them all
    role, prompt = ASKED[answer]
    prompt = fit_rules(prompt, list_fields(schema))
    return await run.calls.generate(
        name, role, prompt, inputs, answer, output_schema=schema, max_tokens=3_500
    )


def _list_unasked(run: PhaseContext, *, works_at_once: bool) -> list[str]:
    """Return the fields that no model writes here: a human chooses the depth, and one list has all searches."""
    unasked = ["expanded_queries", "depth"]
    unasked += [] if works_at_once else ["measures"]
    return unasked if _knows_library(run) else [*unasked, "not_held"]


def _knows_library(run: PhaseContext) -> bool:
    """Return whether the planner is a model that is shown the library searched instead of the web."""
    return bool(run.state.library or run.state.terms.holds) and not run.state.terms.by_rule


def _name_only_role(run: PhaseContext) -> dict[str, str]:
    """Return the role of every step, where later phases have but one: no model needs to write it for each."""
    roles = run.find_plan_roles()
    return {"agent_role": roles[0].id} if len(roles) == 1 else {}


def _build_inputs(phase: PlanningPhase, given: PlanningInput, run: PhaseContext) -> list[Input]:
    patches = run.state.patches
    objections = list_objections(given, offline=run.state.terms.by_rule)
    return run.build_inputs(
        max_plan_steps=str(phase.config.max_plan_steps),
        max_searches=str(phase.config.max_searches),
        max_pages=str(_count_pages(run) or ""),
        constraints=run.inputs(Constraints).model_dump(exclude_defaults=True) or None,
        roles=run.find_plan_roles() or None,
        idea=given.selected_idea,
        objections=objections or None,
        files=_list_files(run) or None,
        collections=_list_collections(run) or None,
        library=run.state.library or None,
        holds=run.state.terms.holds and {"about": run.state.terms.holds.text},
        earlier_report=outline_report(take_text(fold_patches(patches))) if patches else None,
        earlier_version=_show_earlier(run),
        instructions=phase.config.plan_instructions,
        hardware_constraints=phase.config.hardware_constraints,
    )


def _show_earlier(run: PhaseContext) -> JsonValue:
    """Return the plan that a human sent back, in words."""
    if run.me.earlier is None:
        return None
    plan = PlanningOutput.model_validate(run.me.earlier).plan.tell(run.language)
    earlier: Json = {"earlier_version": {**run.me.earlier, "plan": plan}}
    return run.shorten(earlier, MAX_EARLIER_CHARS)["earlier_version"]


def _count_pages(run: PhaseContext) -> int:
    """Return the largest number of pages that a phase may read; 0 if none reads."""
    phases = run.state.resolved.definition.phases
    return max(getattr(phase.config, "max_sources", 0) for phase in phases)


def _list_collections(run: PhaseContext) -> list[Json]:
    """Return the collections searched in addition to the web, each with its documents if they are few."""
    used = [use for use in run.state.collections if not use.replaces_web]
    return [{"name": use.name, "documents": [*use.titles]} for use in used]


def _list_files(run: PhaseContext) -> list[Json]:
    """Return the user's files with their lengths, for the planner."""
    return [
        {"name": file.name, "characters": file.chars} if file.chars else {"name": file.name}
        for file in run.state.files
    ]


KIND = Kind(
    handler=planning,
    category="plan",
    icon="list",
    agents=lambda _: ("planner", "plan_reviewer"),
    tokens=lambda phase: (
        Tokens(Use(1_700, 800), slack=3_500, role="planner"),
        Tokens(
            Use(500 * min(phase.config.n_plan_reviews, 1), 50), slack=3_500, role="plan_reviewer"
        ),
    ),
)

"""Every config field of every kind changes a prompt, a view or an output."""

import json
from itertools import cycle
from typing import Any

import pytest

from contracts.base import Json
from contracts.models.call import Block
from contracts.phases import Phase
from contracts.phases.crew import CrewConfig
from contracts.phases.hitl_checkpoint import HitlCheckpointPhase
from contracts.phases.recall import EarlierQuestion
from contracts.planning.plan import PlanStep
from contracts.tool_servers import ToolServer
from domain.agents.tool_servers import offer_tools, plan_server
from tests.workflows.agents.test_workbench import CHART, TABLE
from tests.workflows.support.fake_activities import Fakes
from tests.workflows.support.phase_harness import NOW, PLAN, Done, work
from workflows.phases import PHASES

Change = Json | tuple[Json, Json]
"""A config that differs from the defaults, or a pair of two different configs."""

CREW: Any = CrewConfig().model_dump(mode="json")
PARTS = PLAN.model_copy(
    update={"steps": [PlanStep(name=name, independent=True) for name in ("Kenya", "Ghana")]}
)
SCHEMA: Json = {
    "title": "Own",
    "type": "object",
    "required": ["lesson"],
    "properties": {"lesson": {"type": "string"}},
}


def agents(**changes: Any) -> Json:
    first, *rest = CREW["agents"]
    return {"agents": [first | changes, *rest]}


def tasks(**changes: Any) -> Json:
    *rest, last = CREW["tasks"]
    return {"tasks": [*rest, last | changes]}


def generated(role: str) -> dict[str, list[Change]]:
    return {
        "instructions": [{"instructions": "Be brief."}],
        "inputs": [{"inputs": ["plan"]}, {"inputs": ["findings", "sources"]}],
        "optional": [(LACKING, {**LACKING, "optional": ["findings"]})],
        "max_input_chars": [{"max_input_chars": 10}],
        "output_schema": [{"output_schema": SCHEMA}],
        "max_tokens": [{"max_tokens": 900}],
        "models": [{"models": {role: "another-model"}}],
    }


LACKING: Json = {"inputs": ["plan", "findings"]}
"""The research that was to give its findings fails."""
WHILE_UNCLEAR: Json = {"mode": "when_ambiguous"}
WHILE_EMPTY: Json = {"mode": "when_empty"}
LATE: Json = {"wait_seconds": 0.5}
BEFORE_STEP: Json = {"checkpoint_before_step": True}
ONCE: Json = {"max_n_attempts": 1}
FIRST_STEP: Json = {"execute_all_steps": False, "step_number": 1}
ALWAYS: Json = {"always": True}
ASK: Json = {**ALWAYS, "on_fail": "ask"}
RULES: Json = {"rules": ["It names a price."]}
PLOTS: Json = {"evaluate_plots": True}
PLOTTED: dict[str, list[Change]] = {
    "evaluate_plots": [PLOTS, (PLOTS, {**PLOTS, "models": {"plot_critic": "another-model"}})],
    "max_n_plot_evals": [(PLOTS, {**PLOTS, "max_n_plot_evals": 2})],
}

LIVING: Json = {"living": True}
NEWS: Json = {"lens": "news"}
SERVER_TOOLS: list[Json] = [
    {
        "name": "look_up",
        "inputSchema": {"type": "object"},
        "annotations": {"readOnlyHint": True},
    }
]
STOCK = ToolServer(name="stock")
OFFERED = offer_tools(STOCK, "https://tools.example/mcp", SERVER_TOOLS)
SERVED = PLAN.model_copy(update={"servers": [plan_server(STOCK, OFFERED)]})
"""A plan that lists a server's tool."""
CHANGES: dict[str, dict[str, list[Change]]] = {
    "recall": {
        "max_startups": [{"max_startups": 1}],
        "save_startup": [{"save_startup": True}],
        "reuse": [{"reuse": "offer"}],
        "reuse_hours": [({"reuse": "offer"}, {"reuse": "offer", "reuse_hours": 1})],
        "models": [({"reuse": "offer"}, {"reuse": "offer", "models": {"judge": "another-model"}})],
    },
    "clarification": {
        "mode": [WHILE_UNCLEAR, WHILE_EMPTY],
        "min_questions": [{"min_questions": 3}],
        "max_questions": [{"max_questions": 1}],
        "max_rounds": [(WHILE_UNCLEAR, {**WHILE_UNCLEAR, "max_rounds": 1})],
        "wait_seconds": [LATE],
        "decompose": [{"decompose": True}],
        "models": [{"models": {"clarifier": "another-model"}}],
    },
    "idea_generation": {
        "n_ideas": [{"n_ideas": 1}],
        "n_reviews": [{"n_reviews": 0}, {"n_reviews": 2}],
        "max_rounds": [{"max_rounds": 2}],
        "models": [{"models": {role: "another-model"}} for role in ("idea_maker", "idea_hater")],
    },
    "planning": {
        "max_plan_steps": [{"max_plan_steps": 1}],
        "max_searches": [{"max_searches": 2}],
        "n_plan_reviews": [{"n_plan_reviews": 0}],
        "max_rounds": [{"max_rounds": 1}],
        "plan_instructions": [{"plan_instructions": "Look at prices."}],
        "hardware_constraints": [{"hardware_constraints": "No GPU."}],
        "models": [{"models": {role: "another-model"}} for role in ("planner", "plan_reviewer")],
    },
    "hitl_checkpoint": {
        "checkpoint_type": [
            {"checkpoint_type": kind} for kind in ("before_execution", "after_execution", "custom")
        ],
        "require_approval": [{"require_approval": False}],
        "wait_seconds": [LATE],
        "default_on_timeout": [(LATE, {**LATE, "default_on_timeout": "approve"})],
        "show_plan": [{"show_plan": False}],
        "show_context": [
            {"show_context": True},
            ({"show_plan": False}, {"show_plan": False, "show_context": True}),
        ],
        "custom_message": [{"custom_message": "Well?"}],
        "options": [{"options": ["approve"]}],
        "approvers": [{"approvers": {"of": ["ann", "bob"], "needed": 2}}],
    },
    "research": {
        "max_sources": [{"max_sources": 1}],
        "max_search_results_per_query": [{"max_search_results_per_query": 2}],
        "search": [{"search": ["exa"]}],
        "max_turns": [{"max_turns": 2}],
        "servers": [{"servers": ["stock"]}],
        "max_agents": [({"max_agents": 2}, {"max_agents": 1})],
        "living": [LIVING],
        "answers": [{"answers": True}],
        "max_report_update_size": [(LIVING, {**LIVING, "max_report_update_size": 5})],
        "models": [{"models": {"researcher": "another-model"}}],
    },
    "synthesis": {
        "living": [LIVING],
        "max_report_update_size": [(LIVING, {**LIVING, "max_report_update_size": 5})],
        "max_turns": [(LIVING, {**LIVING, "max_turns": 1})],
        "form": [{"form": "text"}],
        "at_least": [{"at_least": 2}],
        "instructions": [{"instructions": "Be brief."}],
        "max_report_tokens": [{"max_report_tokens": 900}],
        "draft_thinking_tokens": [(LIVING, {**LIVING, "draft_thinking_tokens": 2_000})],
        "models": [
            {"models": {"synthesizer": "another-model"}},
            {"models": {"judge": "another-model"}},
        ],
    },
    "crew": {
        "agents": [
            *(agents(**{name: "Another"}) for name in ("role", "goal", "backstory")),
            agents(tools=["web_search"]),
            agents(works_as="strategist"),
        ],
        "tasks": [
            *(tasks(**{name: "Another"}) for name in ("description", "expected_output")),
            tasks(output_schema=None),
            tasks(context=["customers"]),
            tasks(title="Another"),
            tasks(agent="customers") | {"agents": CREW["agents"][:3]},
            {"tasks": CREW["tasks"][::-1]},
        ],
        "max_sources": [{"max_sources": 2}],
        "max_search_results_per_query": [{"max_search_results_per_query": 2}],
        "search": [{"search": ["exa"]}],
        "max_turns": [{"max_turns": 3}],
        "max_answer_tokens": [{"max_answer_tokens": 900}],
        "models": [{"models": {"strategy": "another-model"}}],
    },
    "control": {
        "max_rounds": [{"max_rounds": 1}],
        "max_n_attempts": [{"max_n_attempts": 1}],
        "models": [
            {"models": {role: "another-model"}}
            for role in ("researcher", "engineer", "step_reviewer")
        ],
        **PLOTTED,
        "execute_all_steps": [FIRST_STEP],
        "step_number": [(FIRST_STEP, {**FIRST_STEP, "step_number": 2})],
        "web": [{"web": False}],
        "servers": [{"servers": ["stock"]}],
        "max_sources": [{"max_sources": 1}],
        "max_search_results_per_query": [{"max_search_results_per_query": 2}],
        "search": [{"search": ["exa"]}],
        "checkpoint_before_step": [BEFORE_STEP],
        "on_step_failure": [(ONCE, {**ONCE, "on_step_failure": "fail"})],
        "checkpoint_after_step": [{"checkpoint_after_step": True}],
        "wait_seconds": [(BEFORE_STEP, {**BEFORE_STEP, **LATE})],
        "default_on_timeout": [
            ({**BEFORE_STEP, **LATE}, {**BEFORE_STEP, **LATE, "default_on_timeout": "approve"})
        ],
        "engineer_instructions": [{"engineer_instructions": "Round nothing."}],
        "researcher_instructions": [{"researcher_instructions": "Read reports."}],
    },
    "one_shot": {
        "max_rounds": [{"max_rounds": 1}],
        "max_n_attempts": [{"max_n_attempts": 1}],
        "models": [{"models": {role: "another-model"}} for role in ("engineer", "step_reviewer")],
        **PLOTTED,
        "agent": [{"agent": "researcher"}],
    },
    "validation": {
        "always": [ALWAYS],
        "min_sources": [(ALWAYS, {**ALWAYS, "min_sources": 1})],
        "min_publishers": [(ALWAYS, {**ALWAYS, "min_publishers": 1})],
        "max_age_days": [(ALWAYS, {**ALWAYS, "max_age_days": 1})],
        "check_outline": [{"check_outline": False}],
        "rules": [RULES],
        "on_fail": [(ALWAYS, ASK)],
        "wait_seconds": [(ASK, {**ASK, **LATE})],
        "models": [(RULES, {**RULES, "models": {"validator": "another-model"}})],
    },
    "retrieval": {
        "gather": [{"gather": ["news"]}, {"gather": ["fundamentals"]}],
        "news_limit": [{"news_limit": 1}],
        "search": [{"search": ["exa"]}],
    },
    "analysis": {
        **generated("analyst"),
        "lens": [{"lens": "fundamentals"}, NEWS],
        "news_limit": [(NEWS, {**NEWS, "news_limit": 1})],
    },
    "decision": {
        **generated("decider"),
        "actions": [{"actions": ["enter", "wait"]}],
        "disclaimer": [{"disclaimer": "No advice."}],
    },
    "review": generated("reviewer"),
    "summary": generated("summarizer"),
}
AFTER: dict[str, list[Phase]] = {"recall": [HitlCheckpointPhase(id="after")]}
"""Phases in which a field takes effect later."""

FIELDS = [
    (kind, field)
    for kind, registered in PHASES.items()
    for field in type(registered.phase.model_fields["config"].get_default()).model_fields
]


_BEFORE: dict[str, Done] = {}


async def done_before(kind: str, config: Json) -> Done:
    """Return an outcome that several are held against; the same config always has the same."""
    told = json.dumps([kind, config])
    if told not in _BEFORE:
        _BEFORE[told] = await done(kind, config)
    return _BEFORE[told]


async def done(kind: str, config: Json, now: str = NOW) -> Done:
    fakes = Fakes()
    fakes.making = [Block(type="tool_use", id="t", name="table", input=TABLE)]
    fakes.making_next = [Block(type="tool_use", id="c", name="chart", input=CHART)]
    fakes.answers["plot_critic"] = {"accepted": False, "issues": ["No unit."]}
    passed: Json = {"accepted": True, "issues": []}
    reviews = cycle([{"accepted": False, "issues": ["Thin."]}, passed, passed])
    fakes.answers["step_reviewer"] = lambda _: next(reviews)
    fakes.answers["DraftVerdict"] = {"met": False, "quote": "", "reason": "None."}
    fakes.answers["Own"] = {"lesson": "Pumps sell."}
    fakes.answers["PlanDraft"] = {**fakes.answers["PlanDraft"], "steps": [{"name": "a"}] * 3}
    fakes.candidates = [EarlierQuestion(run_id="before", query="Who sold pumps?")]
    fakes.answers["SameQuestion"] = {"difference": "Its year.", "number": 0}
    fakes.turn_size = 2
    phase: Any = PHASES[kind].phase.model_validate({"id": "it", "config": config})
    fakes.server_tools = SERVER_TOOLS
    plan = PARTS if "max_agents" in config else SERVED if "servers" in config else PLAN
    failed = ["research"] if config.get("inputs") == LACKING["inputs"] else []
    return await work(fakes, phase, *AFTER.get(kind, []), plan=plan, failed=failed, now=now)


FIRST = {field: kind for kind, field in reversed(FIELDS)}
"""The kind that a field is tried on in the default run; the same field of others in a complete one."""


@pytest.mark.parametrize(
    ("kind", "field"),
    [
        pytest.param(kind, field, marks=() if FIRST[field] == kind else pytest.mark.full)
        for kind, field in FIELDS
    ],
    ids=lambda name: name,
)
async def test_configured_field_changes_the_outcome(kind: str, field: str) -> None:
    changes = CHANGES.get(kind, {}).get(field)
    assert changes, f"say in CHANGES how {field!r} of {kind!r} may be set"
    for change in changes:
        before, after = change if isinstance(change, tuple) else ({}, change)
        assert field in after
        assert await done_before(kind, before) != await done(kind, after), json.dumps(after)


async def test_default_config_keeps_the_outcome() -> None:
    for kind in CHANGES:
        assert await done(kind, {}) == await done(kind, {})


@pytest.mark.parametrize("kind", CHANGES)
async def test_phase_that_goes_on_after_midnight_makes_the_same_calls(kind: str) -> None:
    """Else an answer that was paid before midnight would be paid again, for its prompt names another day."""
    begun, late = await done_before(kind, {}), await done(kind, {}, "2026-01-02T00:00:01+00:00")
    asked, asked_late = (
        [(name, request) for name, request in each.asked if name != "probe"]
        for each in (begun, late)
    )
    assert asked == asked_late


def test_every_config_field_has_a_case() -> None:
    named = {(kind, field) for kind, fields in CHANGES.items() for field in fields}
    assert named == set(FIELDS)

"""A definition is checked before anything runs: all problems at once, each with its path."""

import time

import pytest
from pydantic import TypeAdapter, ValidationError

from contracts.base import Json
from contracts.definitions import Definition, PhaseOverride
from contracts.errors import Conflict, InvalidInput
from contracts.models.prices import Price
from contracts.notices import Notice
from contracts.phases import Phase
from contracts.preset_definitions import PRESETS
from contracts.problems import MAX_PROBLEMS, Problem, list_problems
from contracts.runs.request import RunRequest, Seed
from contracts.runs.start import ParentRun
from contracts.search import KEYS, SERVICES, SearchTerms, ServiceName, name_service
from tests.support.refusals import refused
from tests.support.words import en, pattern, phrase
from tests.workflows.support.fake_activities import TERMS
from workflows.start.inputs import apply_overrides
from workflows.start.resolution import open_run, resolve, validate_definition

LONG_REPORT: Json = {"title": "T", "sections": [], "markdown": "x" * 100_001}
DEEP = PRESETS["deep_research"]
PLAN = Notice.of("need-value", value="plan")
PHASE_LIST: TypeAdapter[list[Phase]] = TypeAdapter(list[Phase])


def definition(*phases: dict[str, object]) -> Definition:
    return Definition(id="d", phases=PHASE_LIST.validate_python(list(phases)))


def problems(made: Definition, request: RunRequest | None = None) -> dict[str, str]:
    with pytest.raises(InvalidInput) as refused:
        resolve(request or RunRequest(query="?"), made, None)
    return {p.path: p.message for p in refused.value.problems}


def test_the_preset_binds_each_need_to_its_nearest_provider() -> None:
    bound = validate_definition(DEEP)
    told = ("startup", "startups", "finished")
    assert bound["clarification"] == {name: ["recall"] for name in told}
    assert bound["planning"] == {"brief": ["clarification"], "startup": ["clarification"]}
    assert bound["research"] == {"plan": ["planning"], "brief": ["clarification"]}
    assert bound["synthesis"]["sources"] == ["research"]


def test_every_problem_of_shape_is_told_at_once() -> None:
    made = definition(
        {"kind": "planning"},
        {"kind": "planning"},
        {"kind": "hitl_checkpoint", "id": "ok", "after": ["nobody"], "bind": {"plan": "none"}},
    )
    assert set(problems(made)) == {"phases[1].id", "phases[2].after[0]", "phases[2].bind.plan"}


def test_a_cycle_is_told() -> None:
    made = definition(
        {"kind": "planning", "after": ["clarification"]},
        {"kind": "clarification", "after": ["planning"]},
    )
    assert problems(made)["phases[0].after"] == en("phase-cycle", id="planning")


def test_only_those_on_a_cycle_are_told_beside_all_else() -> None:
    made = definition(
        {"kind": "planning", "id": "before", "after": []},
        {"kind": "planning", "id": "a", "after": ["b", "before"]},
        {"kind": "planning", "id": "b", "after": ["c"]},
        {"kind": "planning", "id": "c", "after": ["a"]},
        {"kind": "planning", "id": "between", "after": ["c"]},
        {"kind": "planning", "id": "itself", "after": ["itself", "between"]},
        {"kind": "planning", "id": "behind", "after": ["itself", "nobody"]},
    )
    places = [*(f"phases[{i}].after" for i in (1, 2, 3, 5)), "phases[6].after[1]"]
    assert list(problems(made)) == places


@pytest.mark.full
def test_a_thousand_phases_are_validated_at_once() -> None:
    head: list[dict[str, object]] = [{"kind": "planning"}, {"kind": "hitl_checkpoint"}]
    chain: list[dict[str, object]] = [{"kind": "research", "id": f"r{i}"} for i in range(998)]
    dense: list[dict[str, object]] = [
        {**phase, "after": ["hitl_checkpoint", *(f"r{j}" for j in range(max(0, i - 100), i))]}
        for i, phase in enumerate(chain)
    ]
    circle: list[dict[str, object]] = [
        {"kind": "planning", "id": f"p{i}", "after": [f"p{(i + 1) % 1000}"]} for i in range(1000)
    ]
    started = time.process_time()
    for phases in (chain, dense):
        bound = validate_definition(definition(*head, *phases))
        assert bound["r997"]["plan"] == ["planning"]
    told = problems(definition(*circle))
    assert (len(told), told[""]) == (MAX_PROBLEMS + 1, en("more-problems", n=950))
    assert time.process_time() - started < 5


def test_what_a_definition_cannot_run_with_is_its_own_problem() -> None:
    made = definition({"kind": "planning", "enabled": False}, {"kind": "hitl_checkpoint"})
    with pytest.raises(InvalidInput) as refused:
        validate_definition(made)
    [problem] = refused.value.problems
    assert problem.path == "phases[1].bind.plan"
    assert phrase("need-unmet") in problem.message
    enabled = {"planning": PhaseOverride(enabled=True)}
    resolve(RunRequest(query="?", config_overrides=enabled), made, None)


def test_of_many_providers_equally_near_some_are_named() -> None:
    plans: list[dict[str, object]] = [
        {"kind": "planning", "id": f"p{i}", "after": []} for i in range(9)
    ]
    gate: dict[str, object] = {"kind": "hitl_checkpoint", "after": [f"p{i}" for i in range(9)]}
    with pytest.raises(InvalidInput) as refused:
        resolve(RunRequest(query="?"), definition(*plans, gate), None)
    named: list[str | Notice] = ["p0", "p1", "p2", "p3", "p4", Notice.of("and-more", n=4)]
    told = Problem.at("phases[9].bind.plan", "providers-near", names=named, need=PLAN)
    assert refused.value.problems == [told]


def test_a_need_nobody_provides_and_a_locked_web_phase_are_told() -> None:
    assert set(problems(definition({"kind": "research"}))) == {"phases[0].bind.plan", "phases[0]"}


def test_two_providers_equally_near_want_a_bind() -> None:
    plans: list[dict[str, object]] = [
        {"kind": "planning", "id": "a", "after": []},
        {"kind": "planning", "id": "b", "after": []},
    ]
    gate: dict[str, object] = {"kind": "hitl_checkpoint", "after": ["a", "b"]}
    with pytest.raises(InvalidInput) as refused:
        resolve(RunRequest(query="?"), definition(*plans, gate), None)
    told = Problem.at("phases[2].bind.plan", "providers-near", names=["a", "b"], need=PLAN)
    assert refused.value.problems == [told]
    bound = validate_definition(definition(*plans, {**gate, "bind": {"plan": "b"}}))
    assert bound["hitl_checkpoint"] == {"plan": ["b"]}


def test_of_two_in_a_row_the_nearer_is_bound() -> None:
    made = definition(
        {"kind": "planning", "id": "a"},
        {"kind": "planning", "id": "b"},
        {"kind": "hitl_checkpoint"},
    )
    assert validate_definition(made)["hitl_checkpoint"] == {"plan": ["b"]}


@pytest.mark.parametrize(
    ("request_", "path"),
    [
        (RunRequest(query="?", only=["nothing"]), "only"),
        (RunRequest(query="?", only=["planning", "recall"]), "only"),
        (RunRequest(query="?", only=[]), "only"),
        (RunRequest(query="?", inputs={"ticker": "AAPL"}), "inputs.ticker"),
        (RunRequest(query="?", model_overrides={"poet": "m"}), "model_overrides.poet"),
        (RunRequest(query="?", until="nothing"), "until"),
        (RunRequest(query="?", save_startup=True, only=["planning"]), "save_startup"),
        (
            RunRequest(
                query="?",
                save_startup=True,
                config_overrides={"recall": PhaseOverride(enabled=False)},
            ),
            "save_startup",
        ),
        (RunRequest(query="?", redo=["research"]), "redo"),
        (RunRequest(query="?", given={"nobody": {}}), "given.nobody"),
        (RunRequest(query="?", given={"planning": {"plan": {}}}), "given.planning.plan.title"),
        (
            RunRequest(query="?", given={"synthesis": {"report": LONG_REPORT}}),
            "given.synthesis.report.markdown",
        ),
        (
            RunRequest(query="?", config_overrides={"nobody": PhaseOverride()}),
            "config_overrides.nobody",
        ),
        (
            RunRequest(
                query="?",
                config_overrides={"planning": PhaseOverride(config={"max_plan_steps": 0})},
            ),
            "config_overrides.planning.config.max_plan_steps",
        ),
        (
            RunRequest(query="?", config_overrides={"planning": PhaseOverride(config={"max": 1})}),
            "config_overrides.planning.config.max",
        ),
    ],
)
def test_a_start_that_does_not_fit_names_the_field(request_: RunRequest, path: str) -> None:
    assert path in problems(DEEP, request_)


def test_only_a_definition_with_recall_can_keep_a_startup() -> None:
    made = definition({"kind": "planning"}, {"kind": "hitl_checkpoint"})
    assert set(problems(made, RunRequest(query="?", save_startup=True))) == {"save_startup"}
    for said in (None, False):
        assert resolve(RunRequest(query="?", save_startup=said), made, None).selected
    known: dict[str, Json] = {"recall": {}}
    seeded = RunRequest(query="?", save_startup=True, given=known, only=["planning"])
    assert list(resolve(seeded, DEEP, None).seeds) == ["recall"]


def test_until_leaves_the_rest_out() -> None:
    resolved = resolve(RunRequest(query="?", until="planning"), DEEP, None)
    assert resolved.selected == ["recall", "clarification", "planning"]


def test_an_unmet_need_of_a_chosen_phase_is_a_conflict_that_names_it() -> None:
    with refused(Conflict, "needs-unmet") as found:
        resolve(RunRequest(query="?", only=["checkpoint"]), DEEP, None)
    need = Notice.of("need-value", value="plan")
    unmet = Notice.of("need-unmet", "error", phase="checkpoint", need=need)
    assert found.value.notice.params["needs"] == [unmet]


def test_values_of_one_name_are_told_apart_by_their_phases() -> None:
    asked = RunRequest(query="?", inputs={"ticker": "AAPL"}, only=["investment"])
    preset = PRESETS["investment_analysis"].model_dump(mode="json")
    preset["phases"][-1]["config"]["optional"] = []
    made = Definition.model_validate(preset)
    with pytest.raises(Conflict) as raised:
        resolve(asked, made, None)
    for phase in ("fundamental", "news"):
        value = en("need-value-of", value=en("need-value", value="analysis"), provider=phase)
        assert en("need-unmet", phase="investment", need=value) in str(raised.value)


def test_a_given_output_meets_a_need() -> None:
    plan: Json = {"title": "t", "steps": [{"name": "s"}]}
    given: dict[str, Json] = {"planning": {"plan": plan}}
    resolved = resolve(RunRequest(query="?", given=given, only=["checkpoint"]), DEEP, None)
    assert resolved.bindings["checkpoint"] == {"plan": ["planning"]}


def test_a_thousand_phases_are_checked_quickly() -> None:
    phases: list[dict[str, object]] = [{"kind": "planning", "id": f"p{n}"} for n in range(1_000)]
    assert len(validate_definition(definition(*phases))) == 1_000


def test_a_model_without_a_price_is_named_where_it_is_chosen() -> None:
    made = definition(
        {"kind": "planning", "config": {"models": {"planner": "dear"}}}, {"kind": "summary"}
    )
    terms = TERMS.model_copy(
        update={
            "model": "priced",
            "roles": {"summarizer": "dearest"},
            "prices": {"priced": Price(input_usd=1, output_usd=5)},
        }
    )
    asked = RunRequest(query="?", model_overrides={"plan_reviewer": "dearer"})
    with pytest.raises(InvalidInput) as refused:
        open_run(asked, made, None, terms)
    told = {problem.path: problem.message for problem in refused.value.problems}
    assert told == {
        "phases[0].config.models.planner": en("model-unpriced", model="dear"),
        "model_overrides.plan_reviewer": en("model-unpriced", model="dearer"),
        "GREENLIGHT_MODELS.summarizer": en("model-unpriced", model="dearest"),
    }


def test_search_service_that_is_not_configured_is_named_where_it_is_chosen() -> None:
    made = definition(
        {"kind": "planning"},
        {"kind": "hitl_checkpoint"},
        {"kind": "research", "config": {"search": ["exa"]}},
    )
    search = SearchTerms(usual=["brave"], usd={"brave": 0.005, "searxng": 0})
    terms = TERMS.model_copy(update={"search": search})
    known = [name_service("brave"), name_service("searxng")]
    cases: list[tuple[RunRequest, str, ServiceName]] = [
        (RunRequest(query="?"), "phases[2].config.search", "exa"),
        (RunRequest(query="?", search=["searxng", "tavily"]), "search", "tavily"),
    ]
    for start, path, name in cases:
        with pytest.raises(InvalidInput) as raised:
            open_run(start, made, None, terms)
        [problem] = raised.value.problems
        service, setting = name_service(name), KEYS[name]
        told = en("search-unconfigured", service=service, setting=setting, known=known)
        assert (problem.path, problem.message) == (path, told)
    opened = open_run(RunRequest(query="?", search=["searxng"]), made, None, terms)
    assert opened.terms.search.choose(["exa"]) == ["searxng"], "the start's come before the phase's"
    unknown = TERMS.model_copy(update={"search": SearchTerms()})
    assert open_run(RunRequest(query="?"), made, None, unknown).terms.search.choose(["exa"])


def test_unknown_search_service_is_refused_with_those_allowed() -> None:
    with pytest.raises(ValidationError) as raised:
        RunRequest.model_validate({"query": "?", "search": ["gogle"]})
    [problem] = list_problems(raised.value.errors())
    assert (problem.path, problem.message) == ("search.0", en("value-choice", allowed=SERVICES))


def rounds(most: int) -> dict[str, PhaseOverride]:
    return {"b": PhaseOverride(config={"max_rounds": most})}


def _before() -> tuple[Definition, ParentRun]:
    """Return a definition of four phases and a run of it that completed, with a setting of its own."""
    told: list[dict[str, object]] = [{"kind": "one_shot", "id": name} for name in "abc"]
    made = definition({"kind": "clarification", "id": "q"}, *told)
    seeds = {name: Seed(output={"answer": name}, origin="parent") for name in ("q", *"abc")}
    run = RunRequest(query="?", config_overrides=rounds(3))
    was = apply_overrides(made, run)
    return made, ParentRun(run_id="before", definition=was, seeds=seeds, query="?", cap_usd=1)


def test_a_setting_of_a_phase_that_is_taken_over_is_refused() -> None:
    made, parent = _before()
    asked = RunRequest(query="?", from_run="before", config_overrides=rounds(5))
    with pytest.raises(Conflict) as refused:
        resolve(asked, made, parent)
    [problem] = refused.value.problems
    assert (problem.path, problem.code) == ("config_overrides.b.config.max_rounds", "carried-read")
    assert problem.params["differs"] == Notice.of("differs", then="3", now="5")
    assert problem.params["names"] == ["b", "c"]
    assert problem.params["again"] == ["b"]
    again = resolve(asked.model_copy(update={"redo": ["b"]}), made, parent)
    assert again.selected == ["b", "c"]
    same = RunRequest(query="?", from_run="before", config_overrides=rounds(3))
    assert resolve(same, made, parent).selected == []


def test_nothing_is_taken_over_from_behind_the_last_phase_that_was_asked_for() -> None:
    made, parent = _before()
    resolved = resolve(RunRequest(query="?", from_run="before", until="a"), made, parent)
    assert (resolved.selected, [*resolved.seeds]) == ([], ["q", "a"])


def test_a_phase_that_is_to_run_again_must_be_among_those_that_run() -> None:
    made, parent = _before()
    with pytest.raises(InvalidInput, match=pattern("redo-not-run")):
        resolve(RunRequest(query="?", from_run="before", redo=["c"], only=["a"]), made, parent)


def test_what_read_a_phase_that_runs_again_is_made_anew() -> None:
    """A parent's `b` ended without a whole output, and `c`, which had read what there was, completed."""
    told: list[dict[str, object]] = [{"kind": "one_shot", "id": name} for name in ("a", "b", "c")]
    made = definition(*told, {"kind": "one_shot", "id": "aside", "after": ["a"]})
    seeds = {name: Seed(output={"answer": name}, origin="parent") for name in ("a", "c", "aside")}
    parent = ParentRun(run_id="before", definition=made, seeds=seeds, query="?", cap_usd=1)
    resolved = resolve(RunRequest(query="?", from_run="before"), made, parent)
    assert resolved.selected == ["b", "c"]
    assert sorted(resolved.seeds) == ["a", "aside"]

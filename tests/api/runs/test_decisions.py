"""Decisions over HTTP: only the seen plan is approved, a rejection is final, and no message is lost."""

import asyncio
from collections.abc import AsyncIterator, Callable, Sequence
from typing import Any

import httpx
import pytest

from contracts.alerts import ChannelRef, NewAlert
from contracts.base import Json
from contracts.models.call import ModelRequest
from contracts.runs.records import Batch
from tests.api.conftest import Site
from tests.api.test_validation_errors import told
from tests.support.words import opening, phrase

ALL = "/v1/workflows"
YES_OR_NO: list[Json] = [
    {"label": "Yes, go", "action": "approve"},
    {"label": "No", "action": "reject"},
    {"label": "Not like this", "action": "revise"},
]
STEPS: list[Json] = [{"name": name, "description": f"{name}."} for name in ("Look", "Ask", "Count")]


def checkpoint(name: str, **config: Any) -> Json:
    return {"kind": "hitl_checkpoint", "id": name, "config": config}


@pytest.fixture(scope="module")
def site(dev_site: Site) -> Site:
    return dev_site


@pytest.fixture
def definition(request: pytest.FixtureRequest) -> str:
    return f"d{abs(hash(request.node.name))}"


class Decisions:
    """Runs of one test's definitions, and their decisions."""

    def __init__(self, site: Site, definition: str) -> None:
        self.site, self.definition = site, definition

    async def start(self, *phases: Json, **more: Any) -> str:
        body = {"id": self.definition, "phases": list(phases)}
        saved = await self.site.post(ALL, body)
        assert saved.status_code == 201, saved.text
        return await self.site.start(self.definition, **more)

    async def say(self, run: str, action: str | None = None, **more: Any) -> httpx.Response:
        body = {**({"action": action} if action else {}), **more}
        return await self.site.post(f"{run}/decision", body)

    async def pending(self, run: str, phase: str) -> dict[str, Any]:
        state = await self.site.until(run, phase)
        return next(p for p in state["pending"] if p["phase_id"] == phase)

    async def reopened(self, run: str, phase: str) -> dict[str, Any]:
        """Return a phase's checkpoint once it has been opened a second time."""
        name = f"{phase}-2"
        opened = await self.until(
            run, lambda state: name in {p["checkpoint_id"] for p in state["pending"]}
        )
        return next(p for p in opened["pending"] if p["checkpoint_id"] == name)

    async def until(self, run: str, met: Callable[[dict[str, Any]], bool]) -> dict[str, Any]:
        """Return the state once it is as wanted."""
        async with asyncio.timeout(60):
            while True:
                state = await self.state(run)
                if met(state):
                    return state
                await asyncio.sleep(0.1)

    async def state(self, run: str) -> dict[str, Any]:
        state: dict[str, Any] = (await self.site.get(f"{run}/state")).json()
        return state

    async def ended(self, run: str) -> dict[str, Any]:
        await self.site.follow(run, 0)
        return await self.state(run)

    def told(self, run: str, role: str, name: str) -> list[str]:
        """Return one input of each first call of a role in a run."""
        return [
            "".join(i.text for i in r.messages[0].content[0].inputs if i.name == name)
            for r in self.asked(run, role)
            if len(r.messages) == 1
        ]

    def asked(self, run: str, role: str) -> list[ModelRequest]:
        """Return the calls of a role in a run."""
        name = run.rpartition("/")[2]
        return [r for r in self.site.fakes.requests if (r.scope.run_id, r.role) == (name, role)]


@pytest.fixture
async def decisions(site: Site, definition: str) -> AsyncIterator[Decisions]:
    yield Decisions(site, definition)
    await site.http.delete(f"{ALL}/{definition}", params={"force": True})


PLANNED: list[Json] = [{"kind": "planning"}, checkpoint("gate", options=YES_OR_NO)]


@pytest.mark.parametrize(
    "said", [{"choice": "No"}, pytest.param({"action": "reject"}, marks=pytest.mark.full)]
)
async def test_a_no_rejects_by_its_label_and_by_its_action(decisions: Decisions, said: Any) -> None:
    run = await decisions.start(*PLANNED, {"kind": "control"})
    shown = await decisions.pending(run, "gate")
    assert shown["options"] == ["Yes, go", "No", "Not like this"]
    assert shown["choices"] == YES_OR_NO
    assert (await decisions.say(run, **said)).status_code == 202
    state = await decisions.ended(run)
    assert (state["status"], state["stage"]) == ("rejected", "cancelled")
    assert [p["status"] for p in state["phases"]][-1] == "skipped"
    assert state["decisions"][0]["action"] == "reject"


async def test_an_action_that_its_label_contradicts_is_refused(decisions: Decisions) -> None:
    run = await decisions.start(*PLANNED, {"kind": "control"})
    hash = (await decisions.pending(run, "gate"))["plan_hash"]
    refused = await decisions.say(run, "approve", choice="No", plan_hash=hash)
    contradicted = told(refused, 422, "invalid-input")["params"]
    assert contradicted == {"choice": "No", "meant": "reject", "action": "approve"}
    unknown = await decisions.say(run, choice="Perhaps")
    assert told(unknown, 422, "invalid-input")["params"]["allowed"][:2] == ["Yes, go", "No"]
    unseen = await decisions.say(run, choice="Yes, go")
    assert told(unseen, 422, "invalid-input")["code"] == "plan-hash-missing"
    nothing = await decisions.say(run, plan_hash=hash)
    assert nothing.status_code == 422
    assert (await decisions.say(run, choice="Yes, go", plan_hash=hash)).status_code == 202
    state = await decisions.ended(run)
    assert state["status"] == "completed"
    assert [(d["action"], d["choice"]) for d in state["decisions"]] == [("approve", "Yes, go")]


async def test_a_label_that_revises_takes_feedback_to_the_planner(decisions: Decisions) -> None:
    run = await decisions.start(*PLANNED)
    await decisions.pending(run, "gate")
    assert (await decisions.say(run, choice="Not like this")).status_code == 422
    wanted = await decisions.say(run, choice="Not like this", feedback="cheaper")
    assert wanted.status_code == 202
    await decisions.reopened(run, "gate")
    assert decisions.told(run, "planner", "feedback") == ["", "cheaper"]
    assert (await decisions.say(run, "reject")).status_code == 202


@pytest.mark.parametrize(
    "options",
    [
        ["approve"],
        *(pytest.param(given, marks=pytest.mark.full) for given in ([YES_OR_NO[0]], ["revise"])),
    ],
)
async def test_a_plan_can_be_rejected_whatever_its_options(
    decisions: Decisions, options: Any
) -> None:
    run = await decisions.start({"kind": "planning"}, checkpoint("gate", options=options))
    assert "reject" in (await decisions.pending(run, "gate"))["options"]
    assert (await decisions.say(run, "reject")).status_code == 202
    assert (await decisions.ended(run))["status"] == "rejected"


@pytest.mark.parametrize(
    ("config", "path"),
    [
        ({"options": ["approve", "yes", "no"]}, ("options[1]", "options[2]")),
        ({"checkpoint_type": "after_execution", "options": ["no"]}, ("options[0]",)),
        ({"checkpoint_type": "custom", "options": ["no"]}, ("options[0]",)),
        ({"default_on_timeout": "approve"}, ("default_on_timeout",)),
    ],
)
async def test_an_option_or_default_that_only_seems_to_decide_is_refused(
    site: Site, config: Json, path: tuple[str, ...]
) -> None:
    gated = [{"kind": "planning"}, checkpoint("ahead"), checkpoint("gate", **config)]
    if "default_on_timeout" in config:
        gated = [{"kind": "planning"}, checkpoint("gate", **config)]
    body = {"id": "refused", "phases": [*gated, {"kind": "control"}]}
    found = (await site.post(f"{ALL}/validate", body)).json()
    wanted = [f"phases[{len(gated) - 1}].config.{name}" for name in path]
    assert [problem["path"] for problem in found["problems"]] == wanted
    assert found["valid"] is False
    assert (await site.post(ALL, body)).status_code == 422


async def test_a_label_may_not_pass_for_an_action(site: Site) -> None:
    for options in (
        [{"label": "Approve", "action": "reject"}],
        [*YES_OR_NO, {"label": "no", "action": "approve"}],
    ):
        phases = [{"kind": "planning"}, checkpoint("gate", options=options)]
        refused = await site.post(ALL, {"id": "refused", "phases": phases})
        assert refused.status_code == 422
        assert "options" in refused.text


@pytest.mark.parametrize(
    ("label", "action", "right"),
    [
        ("No, stop", "approve", "reject"),
        ("Don’t buy", "approve", "reject"),
        ("✗ Nein", "approve", "reject"),
        ("Yes", "reject", "approve"),
        ("Go ahead", "reject", "approve"),
        ("Oui", "reject", "approve"),
    ],
)
async def test_a_label_that_says_the_opposite_of_its_action_is_refused(
    site: Site, label: str, action: str, right: str
) -> None:
    options = ["revise", {"label": label, "action": action}]
    body = {"id": "refused", "phases": [{"kind": "planning"}, checkpoint("gate", options=options)]}
    [found] = (await site.post(f"{ALL}/validate", body)).json()["problems"]
    assert found["path"] == "phases[1].config.options[1]"
    assert found["code"] == "option-opposite"
    assert found["params"] == {"label": label, "action": action, "meant": right}
    assert (await site.post(ALL, body)).status_code == 422
    custom = checkpoint("gate", checkpoint_type="custom", options=options)
    alone = {"id": "refused", "phases": [{"kind": "one_shot"}, custom]}
    [found] = (await site.post(f"{ALL}/validate", alone)).json()["problems"]
    assert found["code"] == "option-opposite-choice"


async def test_a_label_may_say_more_than_yes_or_no(site: Site) -> None:
    options = [
        {"label": "Nothing to add", "action": "approve"},
        {"label": "No objections", "action": "approve"},
        {"label": "Stop searching and write", "action": "approve"},
        {"label": "Go deeper first", "action": "reject"},
        {"label": "Go back", "action": "reject"},
        {"label": "No, cheaper", "action": "revise"},
        {"label": "Yes, shorter", "action": "revise"},
    ]
    phases = [{"kind": "planning"}, checkpoint("gate", options=options)]
    assert (await site.post(f"{ALL}/validate", {"id": "d", "phases": phases})).json()["valid"]


async def test_a_mere_choice_goes_on_and_approves_nothing(decisions: Decisions) -> None:
    config = {"checkpoint_type": "custom", "options": ["now", "later"]}
    run = await decisions.start({"kind": "one_shot"}, checkpoint("when", **config))
    assert (await decisions.pending(run, "when"))["options"] == ["now", "later"]
    assert (await decisions.say(run, "approve")).status_code == 422
    assert (await decisions.say(run, choice="later")).status_code == 202
    [decision] = (await decisions.ended(run))["decisions"]
    assert (decision["choice"], decision["plan_hash"]) == ("later", None)


BESIDE: list[Json] = [
    {"kind": "planning"},
    {**checkpoint("a"), "after": ["planning"]},
    {**checkpoint("b"), "after": ["planning"]},
    {"kind": "control", "after": ["a", "b"]},
]


@pytest.mark.parametrize("first", [pytest.param("waits", marks=pytest.mark.full), "has approved"])
async def test_a_changed_plan_is_put_to_the_other_who_decides_on_it(
    decisions: Decisions, first: str
) -> None:
    run = await decisions.start(*BESIDE)
    hash = (await decisions.pending(run, "b"))["plan_hash"]
    approve = {"action": "approve", "plan_hash": hash, "checkpoint_id": "b-1"}
    if first == "has approved":
        assert (await decisions.say(run, **approve)).status_code == 202
    change = {"title": "Boats", "geographical_scope": "Peru"}
    modify = {"plan_hash": hash, "checkpoint_id": "a-1", "modifications": change}
    assert (await decisions.say(run, "modify", **modify)).status_code == 202
    assert (await decisions.say(run, **approve)).status_code == 409
    stale = {"plan_hash": hash, "modifications": {"goal": "Other"}}
    shown = await decisions.reopened(run, "b")
    for checkpoint_id in ("b-1", "b-2"):
        late = await decisions.say(run, "modify", checkpoint_id=checkpoint_id, **stale)
        assert late.status_code == 409
    state = await decisions.state(run)
    assert shown["plan_hash"] == state["plan_hash"] != hash
    assert shown["subject"]["plan"]["title"] == "Boats"
    more = {"modifications": {"goal": "Sell"}, "plan_hash": shown["plan_hash"]}
    assert (await decisions.say(run, "modify", **more)).status_code == 202
    again = await decisions.reopened(run, "a")
    kept = {
        name: again["subject"]["plan"][name] for name in ("title", "geographical_scope", "goal")
    }
    assert kept == {**change, "goal": "Sell"}, "no edit is lost"
    agreed = await decisions.say(run, "approve", plan_hash=again["plan_hash"])
    assert agreed.status_code == 202
    state = await decisions.ended(run)
    assert state["status"] == "completed"
    assert state["plan_hash"] == again["plan_hash"] == state["decisions"][-1]["plan_hash"]


@pytest.mark.parametrize(
    "change",
    [None, pytest.param({"title": "Boats"}, marks=pytest.mark.full)],
    ids=["approved", "changed"],
)
async def test_what_is_said_with_an_approval_reaches_those_who_go_on(
    decisions: Decisions, change: Json | None
) -> None:
    run = await decisions.start({"kind": "planning"}, checkpoint("gate"), {"kind": "research"})
    hash = (await decisions.pending(run, "gate"))["plan_hash"]
    action = "modify" if change else "approve"
    said = {"plan_hash": hash, "modifications": change, "feedback": "Only new boats."}
    assert (await decisions.say(run, action, **said)).status_code == 202
    assert (await decisions.ended(run))["status"] == "completed"
    calls = decisions.asked(run, "researcher")
    heard = ["Only new boats." in r.model_dump_json(include={"messages"}) for r in calls]
    assert set(heard) == {True}


@pytest.mark.full
async def test_more_is_not_said_with_an_approval_than_steers_a_run(decisions: Decisions) -> None:
    run = await decisions.start({"kind": "planning"}, checkpoint("gate"))
    hash = (await decisions.pending(run, "gate"))["plan_hash"]
    for n in range(50):
        assert (await decisions.site.post(f"{run}/steer", {"text": f"{n}"})).status_code == 202
    refused = await decisions.say(run, "approve", plan_hash=hash, feedback="Boats.")
    assert "feedback: a run is steered at most 50 times" in told(refused, 409, "conflict")["detail"]
    assert (await decisions.say(run, "approve", plan_hash=hash)).status_code == 202
    assert (await decisions.ended(run))["status"] == "completed"


async def test_of_six_decisions_at_once_one_counts(decisions: Decisions) -> None:
    run = await decisions.start({"kind": "planning"}, checkpoint("gate"), {"kind": "control"})
    hash = (await decisions.pending(run, "gate"))["plan_hash"]
    change = {"plan_hash": hash, "modifications": {"title": "Boats"}}
    said = [
        *(decisions.say(run, "approve", plan_hash=hash) for _ in range(2)),
        *(decisions.say(run, "modify", **change) for _ in range(2)),
        *(decisions.say(run, "reject") for _ in range(2)),
    ]
    answers = sorted(answer.status_code for answer in await asyncio.gather(*said))
    assert answers == [202, 409, 409, 409, 409, 409]
    assert len((await decisions.ended(run))["decisions"]) == 1


@pytest.mark.full
async def test_of_two_tabs_that_modify_the_second_sees_the_first(decisions: Decisions) -> None:
    run = await decisions.start(*BESIDE)
    hash = (await decisions.pending(run, "b"))["plan_hash"]
    tabs = [
        decisions.say(
            run,
            "modify",
            checkpoint_id=f"{name}-1",
            plan_hash=hash,
            modifications={"title": f"Of {name}"},
        )
        for name in "ab"
    ]
    answers = [answer.status_code for answer in await asyncio.gather(*tabs)]
    assert sorted(answers) == [202, 409]
    won, lost = ("a", "b") if answers[0] == 202 else ("b", "a")
    assert (await decisions.reopened(run, lost))["subject"]["plan"]["title"] == f"Of {won}"
    await decisions.say(run, "reject")


REFUSED_CHANGES: list[tuple[Json, str, str]] = [
    ({"steps": [*STEPS, {"name": "More"}]}, ".steps", "plan-steps-many"),
    ({"steps": [{**STEPS[0], "agent_role": "hacker"}]}, ".steps.0.agent_role", "not-among"),
    ({"search_terms": []}, ".search_terms", "plan-field-empty"),
    ({"search_terms": ["pumps"] * 51}, ".search_terms", "value-many"),
    ({"outline": []}, ".outline", "plan-field-empty"),
    ({"title": "Pumps"}, "", "plan-unchanged"),
]


async def test_a_plan_is_modified_within_what_its_planner_may_give(decisions: Decisions) -> None:
    run = await decisions.start({"kind": "planning"}, checkpoint("gate"), {"kind": "control"})
    hash = (await decisions.pending(run, "gate"))["plan_hash"]
    for change, field, code in REFUSED_CHANGES:
        refused = await decisions.say(run, "modify", plan_hash=hash, modifications=change)
        [problem] = told(refused, 422, "invalid-input")["problems"]
        assert (problem["path"], problem["code"]) == (f"modifications{field}", code)
        assert (await decisions.state(run))["plan_hash"] == hash
    engineer: Json = {"steps": [{**STEPS[0], "agent_role": "engineer"}]}
    taken = await decisions.say(run, "modify", plan_hash=hash, modifications=engineer)
    assert taken.status_code == 202
    assert (await decisions.ended(run))["status"] == "completed"


@pytest.mark.parametrize(
    ("phases", "role"),
    [
        pytest.param([{"kind": "one_shot"}], "engineer", marks=pytest.mark.full),
        ([*PLANNED[:1], checkpoint("gate"), {"kind": "control"}], "researcher"),
    ],
    ids=["one_shot", "control"],
)
async def test_results_sent_back_are_done_again_as_told(
    decisions: Decisions, phases: list[Json], role: str
) -> None:
    done = phases[-1]["kind"]
    run = await decisions.start(
        *phases, checkpoint("results", checkpoint_type="after_execution"), {"kind": "summary"}
    )
    if len(phases) > 1:
        hash = (await decisions.pending(run, "gate"))["plan_hash"]
        await decisions.say(run, "approve", plan_hash=hash)
    shown = await decisions.pending(run, "results")
    assert shown["options"] == ["approve", "reject", "revise"]
    assert [output["phase_id"] for output in shown["subject"]["results"]] == [done]
    waiting = await decisions.state(run)
    assert waiting["stage"] == "execute"
    modify = await decisions.say(run, "modify", modifications={"title": "x"})
    assert modify.status_code == 422
    assert (await decisions.say(run, "revise")).status_code == 422
    assert (await decisions.say(run, "revise", feedback="name the sellers")).status_code == 202
    await decisions.reopened(run, "results")
    again = await decisions.state(run)
    attempts = {p["id"]: p["attempt"] for p in again["phases"]}
    assert attempts[done] == 2
    paid, before = (sum(p["usage"]["usd"] for p in s["phases"]) for s in (again, waiting))
    assert paid > before
    assert decisions.told(run, role, "feedback") == ["", "name the sellers"]
    first, again_told = decisions.told(run, role, "earlier_version")
    assert (first, "summary" in again_told) == ("", True), "who does it again sees what it did"
    told_by_text = await decisions.site.post(f"{run}/feedback", {"text": "and the buyers"})
    assert told_by_text.status_code in (202, 409)
    if told_by_text.status_code == 409:
        assert "is expected to cost" in told_by_text.json()["detail"]
    else:
        await decisions.site.until(run, "results")
    await decisions.site.post(f"{run}/cancel")


async def test_results_are_not_sent_back_beyond_what_the_run_may_spend(
    decisions: Decisions,
) -> None:
    run = await decisions.start(
        {"kind": "one_shot"},
        checkpoint("results", checkpoint_type="after_execution"),
        budget=0.015,
    )
    await decisions.pending(run, "results")
    refused = await decisions.say(run, "revise", feedback="more")
    detail = told(refused, 409, "conflict")["detail"]
    assert f"{phrase('revision-costly')} $" in detail
    assert (await decisions.say(run, "approve")).status_code == 202
    assert (await decisions.ended(run))["status"] == "completed"


async def test_what_is_decided_on_is_served_as_a_report(decisions: Decisions) -> None:
    accept = checkpoint("results", checkpoint_type="after_execution")
    run = await decisions.start({"kind": "one_shot"}, accept)
    shown = await decisions.pending(run, "results")
    text = f"{run}/checkpoints/{shown['checkpoint_id']}"
    for query in ({}, {"phase": "one_shot"}):
        page = await decisions.site.get(text, **query, format="html")
        assert page.headers["content-type"].startswith("text/html")
        assert phrase("accounts") in page.text.replace("&#x27;", "'")
    whole = (await decisions.site.get(text, phase="one_shot")).text
    assert whole == shown["subject"]["results"][0]["text"]
    assert (await decisions.site.get(text, phase="results")).status_code == 404
    assert (await decisions.site.get(f"{run}/checkpoints/another")).status_code == 404
    await decisions.site.post(f"{run}/cancel")


async def test_checkpoint_is_told_once_the_output_that_it_shows_is_recorded(
    decisions: Decisions, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Its text is drawn from the record, which is half a second late here."""
    record = decisions.site.services.runs.record

    async def record_late(batch: Batch, alerts: Sequence[NewAlert] = ()) -> list[ChannelRef]:
        if batch.snapshot["pending"]:
            await asyncio.sleep(0.5)
        return await record(batch, alerts)

    monkeypatch.setattr(decisions.site.services.runs, "record", record_late)
    accept = checkpoint("results", checkpoint_type="after_execution")
    run = await decisions.start({"kind": "one_shot"}, accept)
    shown = await decisions.pending(run, "results")
    page = await decisions.site.get(f"{run}/checkpoints/{shown['checkpoint_id']}", format="json")
    assert page.json()["title"] == "Where to sell pumps?", "the report's own, not the phase's"
    assert (await decisions.say(run, "approve")).status_code == 202
    await decisions.ended(run)


async def test_results_of_branches_are_all_sent_back(decisions: Decisions) -> None:
    branches: list[Json] = [
        {"kind": "one_shot", "id": name, "after": []} for name in ("left", "right")
    ]
    accept = checkpoint("results", checkpoint_type="after_execution")
    run = await decisions.start(*branches, {**accept, "after": ["left", "right"]})
    shown = (await decisions.pending(run, "results"))["subject"]["results"]
    assert [output["phase_id"] for output in shown] == ["left", "right"]
    assert (await decisions.say(run, "revise", feedback="longer")).status_code == 202
    await decisions.reopened(run, "results")
    state = await decisions.state(run)
    assert {p["id"]: p["attempt"] for p in state["phases"]} == dict.fromkeys(
        ("left", "right", "results"), 2
    )
    await decisions.say(run, "approve")


@pytest.mark.full
async def test_an_attempt_that_succeeds_completes_the_phase_and_the_log_has_both(
    decisions: Decisions,
) -> None:
    fakes = decisions.site.fakes
    broken = iter([{"title": "x"}])
    plan = fakes.answers["PlanDraft"]
    fakes.answers["PlanDraft"] = lambda request: (
        next(broken, plan) if request.scope.phase_id == "retried" else plan
    )
    run = await decisions.start({"kind": "planning", "id": "retried", "max_retries": 2})
    state = await decisions.ended(run)
    fakes.answers["PlanDraft"] = plan
    [phase] = state["phases"]
    assert (state["status"], phase["status"], phase["attempt"]) == ("completed", "completed", 2)
    assert phase["warnings"][0].startswith(opening("attempt-failed", "n", n=1))
    events = await decisions.site.follow(run, 0)
    starts = [e.attempt for e in events if e.type == "step_start"]
    notices = [e.payload["message"] for e in events if e.type == "Status"]
    assert starts == [1, 2]
    assert phase["warnings"][0] in notices


async def test_a_failed_run_is_at_the_stage_that_failed(decisions: Decisions) -> None:
    fakes = decisions.site.fakes
    plan = fakes.answers["PlanDraft"]
    fakes.answers["PlanDraft"] = lambda request: (
        {"title": "x"} if request.scope.phase_id == "broken" else plan
    )
    run = await decisions.start({"kind": "planning", "id": "broken"}, checkpoint("gate"))
    state = await decisions.ended(run)
    fakes.answers["PlanDraft"] = plan
    assert (state["status"], state["stage"]) == ("failed", "plan")
    assert (await decisions.site.get(run)).json()["stage"] == "plan"


@pytest.mark.parametrize(
    ("start", "path"),
    [
        ({"model_overrides": {"planner": "gpt-99"}}, "model_overrides.planner"),
        (
            {"config_overrides": {"planning": {"config": {"models": {"planner": "gpt-99"}}}}},
            "phases[0].config.models.planner",
        ),
    ],
)
async def test_a_model_without_a_price_is_refused_where_it_is_named(
    decisions: Decisions, start: Json, path: str
) -> None:
    await decisions.site.post(ALL, {"id": decisions.definition, "phases": [{"kind": "planning"}]})
    refused = await decisions.site.post(
        f"{ALL}/{decisions.definition}/run", {"query": "Where to sell pumps?", **start}
    )
    body = told(refused, 422, "invalid-input")
    [problem] = body["problems"]
    assert problem["path"] == path
    assert (problem["code"], problem["params"]) == ("model-unpriced", {"model": "gpt-99"})

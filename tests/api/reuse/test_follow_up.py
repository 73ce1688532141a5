"""Going on from a finished run: its sources and its report are kept, and changed."""

from typing import Any

import pytest

from contracts.words import say
from tests.api.conftest import Site
from tests.api.test_validation_errors import told
from tests.workflows.agents.test_report_editor import update

pytestmark = pytest.mark.usefixtures("quiet")


def name(run: str) -> str:
    return run.rsplit("/", 1)[-1]


async def approved(site: Site, run: str) -> dict[str, Any]:
    asked = (await site.until(run, "checkpoint"))["pending"][0]
    decision = {"action": "approve", "plan_hash": asked["plan_hash"]}
    ended: dict[str, Any] = (await site.post(f"{run}/decision", decision, wait=30)).json()
    await site.follow(run, 0)
    return ended


@pytest.fixture(scope="module")
async def parent(site: Site) -> str:
    return await site.complete(user_id="ann")


async def test_follow_up_needs_a_new_approval_before_it_reads(
    site: Site, parent: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(site.fakes, "making", [update("Newer.")])
    read = len(site.fakes.fetches)
    started = await site.post(f"{parent}/follow-up", {"query": "And what do they cost?"})
    assert started.status_code == 202, started.text
    run = started.json()["links"]["self"]
    state = await site.until(run, "checkpoint")
    assert (state["parent"], state["definition_id"]) == (name(parent), "deep_research")
    assert len(site.fakes.fetches) == read
    assert "Pumps sell. [1]" in (await site.get(f"{run}/report")).text
    assert (await approved(site, run))["status"] == "completed"
    report = (await site.get(f"{run}/report")).text
    assert [report.count(f"{told} [") for told in ("Newer.", "Pumps sell.")] == [2, 1]
    row = (await site.get(run)).json()
    assert (row["user_id"], row["query"]) == ("ann", "And what do they cost?")
    assert name(run) in (await site.get(parent)).json()["children"]
    assert "Newer." not in (await site.get(f"{parent}/report")).text
    own, theirs = [(await site.get(f"{one}/sources")).json()["items"] for one in (run, parent)]
    assert own == [
        source | {"snapshot": f"{run}/sources/{source['n']}/snapshot"} for source in theirs
    ]


async def test_follow_up_names_the_question_of_the_report(
    site: Site, parent: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    draft = site.fakes.answers["PlanDraft"]
    monkeypatch.setitem(site.fakes.answers, "PlanDraft", {**draft, "assumptions": ["Dry land."]})

    async def asked(of: str, query: str) -> tuple[str, dict[str, str]]:
        run = (await site.post(f"{of}/follow-up", {"query": query})).json()["links"]["self"]
        await site.until(run, "checkpoint")
        draft = next(r for r in reversed(site.fakes.requests) if r.scope.name == "draft")
        return run, {i.name: i.text for i in draft.messages[0].content[0].inputs}

    first, inputs = await asked(parent, "In euros?")
    assert (inputs["report_question"], inputs["question"]) == ("Where to sell pumps?", "In euros?")
    assert "outline" not in inputs.get("decomposition", ""), "it is that of another question"
    await approved(site, first)
    monkeypatch.setitem(site.fakes.answers, "PlanDraft", {**draft, "assumptions": ["Snow."]})
    run, inputs = await asked(first, "In winter?")
    plan = (await site.until(run, "checkpoint"))["plan"]
    texts = [(assumed["id"], assumed["text"]) for assumed in plan["assumptions"]][-2:]
    assert [text for _, text in texts] == ["Dry land.", "Snow."], "what was assumed still holds"
    assert "Dry land." in inputs["assumed"]
    assert (inputs["report_question"], inputs["question"]) == ("Where to sell pumps?", "In winter?")
    assert "In euros?" in inputs["answers"]
    told(await site.post(f"{run}/follow-up", {"query": "More?"}), 422, "invalid-input")
    await site.post(f"{run}/cancel", {"mode": "now"}, wait=30)
    await site.follow(run, 0)
    refused = told(await site.post(f"{run}/follow-up", {"query": "?"}), 422, "invalid-input")
    assert refused["problems"][0]["code"] == "from-run-without-report"


async def test_follow_up_of_a_temporary_run_is_temporary_by_default(site: Site) -> None:
    parent = await site.complete(temp_workflow=True)
    for asked, temporary in (({}, True), ({"temp_workflow": False}, False)):
        started = await site.post(f"{parent}/follow-up", {"query": "In euros?", **asked})
        run = started.json()["links"]["self"]
        await site.until(run, "checkpoint")
        assert (await site.get(run)).json()["temp_workflow"] is temporary
        await site.post(f"{run}/cancel", {"mode": "now"}, wait=30)


async def test_follow_up_in_batches_costs_half(site: Site, parent: str) -> None:
    ahead = []
    for batch in (False, True):
        asked = {"query": "In euros?", "batch": batch}
        run = (await site.post(f"{parent}/follow-up", asked)).json()["links"]["self"]
        state = await site.until(run, "checkpoint")
        price = state["plan"]["estimated_cost"]
        ahead.append(price["expected_usd"] - price["low_usd"])
        await site.post(f"{run}/cancel", {"mode": "now"}, wait=30)
        await site.follow(run, 0)
    assert ahead[1] == pytest.approx(ahead[0] / 2, rel=0.01)


@pytest.mark.full
async def test_follow_up_of_a_report_without_patches_starts(site: Site) -> None:
    whole = {"synthesis": {"config": {"living": False}}, "research": {"config": {"living": False}}}
    parent = await site.complete(config_overrides=whole)
    assert (await site.get(f"{parent}/report")).text.startswith("# Pumps, compared")
    started = await site.post(f"{parent}/follow-up", {"query": "And what do they cost?"})
    run = started.json()["links"]["self"]
    await site.until(run, "checkpoint")
    assert "Pumps sell. [1]" in (await site.get(f"{run}/report")).text
    assert (await approved(site, run))["status"] == "completed"
    assert "And more. [" in (await site.get(f"{run}/report")).text


async def test_remarks_are_a_follow_up_of_their_own_that_says_what_became_of_them(
    site: Site, parent: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(site.fakes, "making", [update("Newer.")])
    remarks = [{"kind": "wrong", "sentence": "Pumps sell.", "note": "They do not <b>sell</b>."}]
    started = await site.post(f"{parent}/follow-up", {"remarks": remarks})
    run = started.json()["links"]["self"]
    await site.until(run, "checkpoint")
    draft = next(r for r in reversed(site.fakes.requests) if r.scope.name == "draft")
    inputs = {i.name: i.text for i in draft.messages[0].content[0].inputs}
    assert "They do not <b>sell</b>." in inputs["remarks"]
    assert (await site.get(run)).json()["query"] == say("en", "remarks-query")
    assert (await approved(site, run))["status"] == "completed"
    report = (await site.get(f"{run}/report", format="json")).json()
    assert report["changes"]["unheeded"] == remarks
    assert [change["added"] for change in report["changes"]["sections"]] == [1]


async def test_remarks_without_a_report_to_change_are_refused_by_the_field(
    site: Site, parent: str
) -> None:
    remarks = [{"kind": "wrong", "sentence": "Pumps sell."}]
    plain = {"query": "?", "user_id": "ann", "remarks": remarks}
    asks = {**plain, "from_run": name(parent), "follow_up": True}
    for definition, body in (("deep_research", plain), ("report_answer", asks)):
        refused = await site.post(f"/v1/workflows/{definition}/run", body)
        [problem] = told(refused, 422, "invalid-input")["problems"]
        assert (problem["path"], problem["code"]) == ("remarks", "remarks-need-follow-up")
    wrong = {"query": "?", "remarks": [{"kind": "bad", "sentence": ""}]}
    refused = await site.post(f"{parent}/follow-up", wrong)
    paths = {p["path"] for p in told(refused, 422, "invalid-input")["problems"]}
    assert paths == {"remarks[0].kind", "remarks[0].sentence"}


@pytest.mark.parametrize("body", [{}, {"query": ""}, {"query": 7}, {"query": "?", "budget": 0}])
async def test_a_malformed_follow_up_is_422(site: Site, parent: str, body: Any) -> None:
    told(await site.post(f"{parent}/follow-up", body), 422, "invalid-input")


async def test_a_follow_up_of_nothing_names_the_field(site: Site, parent: str) -> None:
    told(await site.post("/v1/runs/run-none/follow-up", {"query": "?"}), 404, "not-found")
    for definition, body, path in (
        ("deep_research", {}, "follow_up"),
        ("market_analysis", {"from_run": name(parent)}, "follow_up"),
    ):
        start = {"query": "?", "follow_up": True, "user_id": "ann", **body}
        refused = await site.post(f"/v1/workflows/{definition}/run", start)
        problems = told(refused, 422, "invalid-input")["problems"]
        assert [p["path"] for p in problems] == [path]


async def test_question_on_a_report_is_answered_at_once_and_changes_nothing(
    site: Site, parent: str
) -> None:
    before = (await site.get(f"{parent}/report")).text
    asked = {"query": "Who sells pumps?", "research": False}
    made = len(site.fakes.fetches), len(site.fakes.searches)
    started = (await site.post(f"{parent}/follow-up", asked)).json()
    assert started["price"]["expected_usd"] < 0.2
    run = started["links"]["self"]
    await site.follow(run, 0)
    state = (await site.get(f"{run}/state")).json()
    assert (state["status"], state["decisions"]) == ("completed", [])
    assert (len(site.fakes.fetches), len(site.fakes.searches)) == made
    report = (await site.get(f"{run}/report", format="json")).json()
    assert [c["text"] for s in report["sections"] for c in s["claims"]] == ["Pumps sell."]
    assert (await site.get(f"{run}/sources/1/snapshot")).status_code == 200
    assert (await site.get(f"{parent}/report")).text == before
    assert run in await site.runs(parent=name(parent), definition_id="report_answer")
    further = (await site.post(f"{run}/follow-up", {"query": "And abroad?"})).json()
    state = await site.until(further["links"]["self"], "clarification")
    assert state["definition_id"] == "deep_research"
    await site.post(f"{further['links']['self']}/cancel", {"mode": "now"}, wait=30)


async def test_sentence_is_edited_in_every_format_once_and_restored(
    site: Site, parent: str
) -> None:
    document = (await site.get(f"{parent}/report", format="json")).json()["document"]
    sentences = [s for b in document["blocks"] for s in b.get("sentences", ())]
    [number] = [s["number"] for s in sentences if s["text"] == "And more."]

    async def edit(former: str, text: str | None, key: str = "") -> str:
        body = {"sentence": number, "former": former, "text": text}
        headers = {"Idempotency-Key": key} if key else {}
        started = await site.http.post(f"{parent}/edit", json=body, headers=headers)
        assert started.status_code == 202, started.text
        run: str = started.json()["links"]["self"]
        await site.follow(run, 0)
        return run

    wanted = "Pumps <b>boom</b>."
    once = await edit("And more.", wanted, "clicked")
    assert await edit("And more.", wanted, "clicked") == once, "a double click"
    assert once in await site.runs(parent=name(parent))
    assert once not in await site.runs(), "listed where it is asked for"
    for format, shown in (("md", r"Pumps \<b\>boom\</b\>. [1]"), ("html", "&lt;b&gt;boom")):
        report = (await site.get(f"{parent}/report", format=format)).text
        assert shown in report
        assert say("en", "mark-edited") in report
        assert "And more." in report.partition(say("en", "evidence"))[2], "as it was"
    stale = {"sentence": number, "former": "And more.", "text": "Pumps fell."}
    refused = told(await site.post(f"{parent}/edit", stale), 409, "conflict")
    assert (refused["problems"][0]["path"], refused["problems"][0]["code"]) == (
        "former",
        "sentence-changed",
    )
    further = (await site.post(f"{parent}/follow-up", {"query": "And abroad?"})).json()
    await site.until(further["links"]["self"], "checkpoint")
    assert "boom" in (await site.get(f"{further['links']['self']}/report")).text
    await site.post(f"{further['links']['self']}/cancel", {"mode": "now"}, wait=30)
    await edit(wanted, None)
    after = (await site.get(f"{parent}/report", format="json")).json()["document"]
    assert after == document


async def test_follow_up_that_was_stopped_goes_on_from_the_same_report(
    site: Site, parent: str
) -> None:
    asked = {"query": "And in winter?"}
    stopped = (await site.post(f"{parent}/follow-up", asked)).json()["links"]["self"]
    await site.until(stopped, "checkpoint")
    await site.post(f"{stopped}/cancel", {"mode": "now"}, wait=10)
    await site.follow(stopped, 0)
    run = await site.start(**asked, user_id="ann", from_run=name(stopped))
    await site.until(run, "checkpoint")
    assert "Pumps sell. [1]" in (await site.get(f"{run}/report")).text
    assert (await approved(site, run))["status"] == "completed"

"""One trace covers a run from HTTP to SQL, across a worker's replacement, and contains no content."""

from collections import Counter
from pathlib import Path

import pytest
from temporalio.api.common.v1 import Header, Payload, WorkflowExecution
from temporalio.api.enums.v1 import EventType
from temporalio.api.workflowservice.v1 import SignalWorkflowExecutionRequest
from temporalio.client import Client

from bench.observability.collector import TraceCollector
from greenlight.stack.home import Home
from temporal.telemetry.span_export import TRACE_HEADER
from temporal.telemetry.traces import RUN_ID
from tests.chaos.fragile_stack import FragileStack
from tests.observe.conftest import SECRET, Traced, receive
from tests.support.offline_services import eventually
from tests.support.stack import QUESTION, Run, Whole

START = "POST /v1/workflows/{definition_id}/run"
RUN = ["RunWorkflow:Research", "StartUpdateWithStartWorkflow:Research", START]


@pytest.mark.parametrize(
    ("name", "above"),
    [
        (
            "chat claude-haiku-4-5-20251001",
            ["RunActivity:models.call", "StartActivity:models.call"],
        ),
        ("SELECT claim_call", ["RunActivity:models.call", "StartActivity:models.call"]),
        ("GET", ["execute_tool fetch_url", "RunActivity:web.fetch", "StartActivity:web.fetch"]),
        ("sandbox read_file", ["execute_tool fetch_url", "RunActivity:web.fetch"]),
        (
            "GET",
            ["search brave", "execute_tool web_search", "RunActivity:web.search"],
        ),
    ],
)
def test_one_trace_holds_a_run_from_http_to_its_calls(
    traced: Traced, name: str, above: list[str]
) -> None:
    [root] = traced.named(START)
    spans = [span for span in traced.named(name) if span.trace == root.trace]
    chains = [traced.ancestors(span) for span in spans]
    assert all(chain[-3:] == RUN for chain in chains if "RunWorkflow:Research" in chain)
    fitting = [chain for chain in chains if chain[: len(above)] == above]
    assert fitting
    assert all(chain[-4].startswith("phase ") for chain in fitting)


def test_every_span_of_a_run_names_it(traced: Traced) -> None:
    [root] = traced.named(START)
    own = [span for span in traced.spans if span.trace == root.trace]
    assert {span.process for span in own} == {"greenlight-gateway", "greenlight-worker"}
    # The key is looked up before the request has a run.
    before = "SELECT find_key"
    unnamed = {span.name for span in own if span.attributes.get(RUN_ID) != traced.run.id}
    assert unnamed <= {before}


def test_approval_is_a_trace_of_its_own_that_names_the_run(traced: Traced) -> None:
    [root], [decided] = traced.named(START), traced.named("HandleUpdate:decide")
    assert decided.trace != root.trace
    assert decided.attributes[RUN_ID] == traced.run.id
    assert traced.ancestors(decided)[-1] == "POST /v1/runs/{run_id}/decision"


async def test_replaced_worker_sends_no_span_twice(traced: Traced, watched: FragileStack) -> None:
    """The second worker replays what the first one did before the approval."""
    assert not [n for n, times in Counter(s.id for s in traced.spans).items() if times > 1]
    client = await Client.connect(watched.addresses.temporal)
    history = await client.get_workflow_handle(traced.run.id).fetch_history()
    scheduled = Counter(
        f"StartActivity:{event.activity_task_scheduled_event_attributes.activity_type.name}"
        for event in history.events
        if event.event_type == EventType.EVENT_TYPE_ACTIVITY_TASK_SCHEDULED
    )
    named = {RUN_ID: traced.run.id}.items()
    own = [span for span in traced.spans if named <= span.attributes.items()]
    assert Counter(s.name for s in own if s.name in scheduled) == scheduled
    phases = Counter(span.attributes.get("greenlight.phase_id") for span in own)
    del phases[None]
    assert {"planning", "research", "synthesis"} <= phases.keys()
    assert set(phases.values()) == {1}


def test_failed_call_shows_its_type(traced: Traced) -> None:
    [root] = traced.named(START)
    failed = [span for span in traced.spans if span.trace == root.trace and span.is_error]
    assert {s.name for s in failed} == {"RunActivity:models.call", "chat claude-haiku-4-5-20251001"}
    assert {span.attributes["error.type"] for span in failed} == {"model-busy"}


def test_call_has_its_model_tokens_and_role(traced: Traced) -> None:
    [planned] = [
        span
        for span in traced.named("chat claude-haiku-4-5-20251001")
        if span.attributes["gen_ai.agent.name"] == "planner"
    ]
    told = planned.attributes
    assert told["gen_ai.operation.name"] == "chat"
    assert told["gen_ai.conversation.id"] == traced.run.id
    assert told["gen_ai.usage.input_tokens"] > 100
    assert told["gen_ai.usage.output_tokens"] > 10
    assert told["gen_ai.response.time_to_first_chunk"] >= 0


async def test_no_question_answer_page_or_secret_leaves(
    traced: Traced, collector: TraceCollector, watched: FragileStack, whole: Whole
) -> None:
    """The path and query of a request, the texts of a run and the keys of its processes."""
    run = Run(whole.http, traced.run.id)
    titles = [source["title"] for source in (await run.get("/sources")).json()["items"]]
    report = (await run.report()).split()
    secrets = [
        value
        for name, value in watched.environment.items()
        if name.endswith("_KEY") and len(value) > 10
    ]
    key = (Path(watched.addresses.home) / "signing.key").read_text().strip()
    sent = b"".join(collector.bodies).decode("utf-8", errors="replace").casefold()
    texts = [SECRET, key, *secrets, *titles, *(w for w in QUESTION.split() if len(w) > 5)]
    texts += [word for word in report if len(word) > 12 and word.isalpha()]
    assert len(titles) > 1
    assert not [text for text in texts if text.casefold() in sent]


async def test_run_goes_on_while_the_collector_is_away(
    traced: Traced, watched: FragileStack, collector: TraceCollector
) -> None:
    collector.close()
    async with Whole.of(watched) as whole:
        run = await whole.start()
        await run.finish()
        log = Home(Path(watched.addresses.home)).log("worker")

        async def is_logged() -> bool:
            return "the collector of traces is unreachable" in log.read_text()

        await eventually(is_logged)
        again = TraceCollector(collector.port)
        other = await whole.start()
        await other.answer()
        await receive(again, lambda spans: any(s.attributes.get(RUN_ID) == other.id for s in spans))
        again.close()
        told = log.read_text()
        assert told.count("the collector of traces is unreachable") == 1
        assert told.count("the collector of traces is back") == 1


FORGED = (b"[1]", b"{", b'{"traceparent": 7}', b'{"traceparent": ["a"]}', b'"x"', b"null")


async def test_forged_trace_headers_of_signals_are_ignored(
    traced: Traced, watched: FragileStack, whole: Whole
) -> None:
    run = await whole.planned()
    client = await Client.connect(watched.addresses.temporal)
    for data in FORGED:
        forged = Payload(metadata={"encoding": b"json/plain"}, data=data)
        await client.workflow_service.signal_workflow_execution(
            SignalWorkflowExecutionRequest(
                namespace="default",
                workflow_execution=WorkflowExecution(workflow_id=run.id),
                signal_name="steer",
                header=Header(fields={TRACE_HEADER: forged}),
            )
        )
    await run.approve()
    await run.completed()

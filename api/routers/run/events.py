"""A run's event log: pages and a stream."""

from typing import Annotated

from fastapi import Header, Query
from sse_starlette import EventSourceResponse

from api import event_stream
from api.errors import responses
from api.json_bodies import Router
from api.runs.service import Run
from contracts.base import Page
from contracts.runs.records import LoggedEvent

After = Annotated[int, Query(ge=0, le=2**53, description="only events with a higher `seq`")]
Limit = Annotated[int, Query(ge=1, le=500)]
Tail = Annotated[int | None, Query(ge=1, le=10_000, description="only this many of the last")]
Markdown = Annotated[
    bool,
    Query(
        description="false: without `new_report_markdown`, the whole report in each of its changes, which makes long logs large"
    ),
]
LastEventId = Annotated[int | None, Header(alias="Last-Event-ID", ge=0, le=2**53)]

router = Router(prefix="/v1/runs/{run_id}", tags=["events"], responses=responses(404, 422, 503))


@router.get("/events")
async def list_events(
    run: Run, after: After = 0, limit: Limit = 200, tail: Tail = None, markdown: Markdown = True
) -> Page[LoggedEvent]:
    """List events in order; `next_cursor` is the next page's `after`. A page of many whole reports ends early."""
    log = run.deps.log.events
    events = await log.read(run.reader, run.id, after=after, limit=limit, tail=tail)
    items = [event async for event in run.open_history(renders=markdown).expand(events)]
    has_more = len(events) == limit or len(items) < len(events)
    return Page(items=items, next_cursor=str(items[-1].seq) if has_more else None)


@router.get(
    "/stream",
    response_class=EventSourceResponse,
    response_model=None,
    responses={
        200: {
            "description": "Server-sent events: `id` is the seq, `event` the type, `data` a "
            "LoggedEvent as JSON. Ends after `workflow_complete`, else after 15 minutes.",
            "content": {"text/event-stream": {"schema": {"type": "string"}}},
        },
    },
)
async def stream_events(
    run: Run, after: After = 0, markdown: Markdown = True, last_event_id: LastEventId = None
) -> EventSourceResponse:
    """Stream events; `Last-Event-ID` resumes without loss or repeat. A viewer that does not read is dropped."""
    seen = after if last_event_id is None else last_event_id
    await run.record_end()
    return EventSourceResponse(
        run.deps.log.follow(
            run.reader, run.row, seen, event_stream.STREAM_SECONDS, renders=markdown
        ),
        ping=event_stream.PING_SECONDS,
        ping_message_factory=event_stream.Ping,
        send_timeout=event_stream.SEND_SECONDS,
    )

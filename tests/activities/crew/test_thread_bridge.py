"""What a crew's library asks for from its thread belongs to the activity that called the library."""

import asyncio
from concurrent.futures import ThreadPoolExecutor

from opentelemetry import trace

from activities.crew.thread_bridge import ThreadBridge


async def test_call_from_the_thread_is_in_the_span_of_its_activity() -> None:
    span = trace.NonRecordingSpan(trace.SpanContext(0xAB, 1, is_remote=False))

    async def find_span() -> int:
        await asyncio.sleep(0)
        return trace.get_current_span().get_span_context().trace_id

    with ThreadPoolExecutor(1) as threads, trace.use_span(span):
        bridge = ThreadBridge(threads)
        assert await bridge.run(lambda: bridge.call(find_span)) == 0xAB

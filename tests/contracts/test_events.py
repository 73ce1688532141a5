"""Event types come from their payload classes."""

from typing import Any, get_args

import pytest

from contracts.models.call import Block, Message
from contracts.runs.events import (
    PAYLOADS,
    AgentInput,
    EventPayload,
    PausedEvent,
    ToolCall,
    build_event,
)
from contracts.runs.records import EventType

AT = "2026-01-01T00:00:00+00:00"


def test_every_event_type_has_a_payload_class() -> None:
    assert set(PAYLOADS) == set(get_args(EventType))


@pytest.mark.parametrize("payload", get_args(EventPayload), ids=lambda each: each.__name__)
def test_payload_class_names_a_type_whose_schema_reads_it(payload: Any) -> None:
    made = payload.model_construct()
    event = build_event(made, "k", AT)
    assert payload.__name__ in str(PAYLOADS[event.type].core_schema)


def test_event_has_the_type_of_its_payload_and_its_fields() -> None:
    event = build_event(PausedEvent(by="ann", paused=True), "w-1", AT, phase_id="p", attempt=2)
    assert event.type == "HumanResponseEvent"
    assert event.payload == {"by": "ann", "key_id": None, "paused": True}
    assert (event.key, event.at, event.phase_id, event.attempt) == ("w-1", AT, "p", 2)


def test_input_of_a_model_leaves_out_what_its_blocks_do_not_have() -> None:
    said = Message(role="user", content=[Block(type="text", text="Pumps?")])
    asked = AgentInput(current_agent_name="researcher", input=[said], model="m")
    shown = build_event(asked, "k", AT).payload
    assert shown["input"] == [{"role": "user", "content": [{"type": "text", "text": "Pumps?"}]}]


def test_end_of_a_tool_call_repeats_what_was_asked() -> None:
    call = ToolCall(tool_id="1", tool_name="fetch_url", tool_kwargs={"url": "https://a.test"})
    done = call.finish("no answer", "no answer", is_error=True)
    assert (done.tool_id, done.tool_kwargs) == (call.tool_id, call.tool_kwargs)
    assert done.tool_output.raw_input == call.tool_kwargs
    assert build_event(done, "k", AT).type == "ToolCallResult"

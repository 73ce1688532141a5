"""Building messages from named inputs."""

from pydantic_core import to_json

from contracts.models.call import Block, Input, Message


def to_input(name: str, value: object) -> Input:
    """Return a named input: text as it is, any other value as JSON."""
    text = value if isinstance(value, str) else to_json(value, indent=1, by_alias=False).decode()
    return Input(name=name, text=text)


def build_inputs(**values: object) -> list[Input]:
    """Return the named inputs of all values but None and empty texts."""
    return [to_input(name, value) for name, value in values.items() if value not in (None, "")]


def build_message(inputs: list[Input], steering: list[str]) -> Message:
    """Return the user message of the inputs and of the guidance that humans gave meanwhile."""
    guidance = build_inputs(steering="\n".join(steering))
    return Message(role="user", content=[Block(type="inputs", inputs=[*inputs, *guidance])])

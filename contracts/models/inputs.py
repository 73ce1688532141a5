"""Building a message from named inputs."""

from pydantic import BaseModel
from pydantic_core import to_json

from contracts.models.call import Block, Input, Message


def data(name: str, value: BaseModel | list[BaseModel] | object) -> Input:
    """Return a named input: text as it is, any other value as JSON."""
    if isinstance(value, str):
        return Input(name=name, text=value)
    return Input(name=name, text=to_json(value, indent=1, by_alias=False).decode())


def ask(inputs: list[Input], steering: list[str]) -> Message:
    """Return the user message of the inputs and of the guidance that humans gave meanwhile."""
    if steering:
        inputs = [*inputs, data("steering", "\n".join(steering))]
    return Message(role="user", content=[Block(type="inputs", inputs=inputs)])

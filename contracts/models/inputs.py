"""Building a message out of named inputs."""

from pydantic import BaseModel
from pydantic_core import to_json

from contracts.models.call import Block, Input, Message


def data(name: str, value: BaseModel | list[BaseModel] | object) -> Input:
    """Return an input that holds a value: text as it is, anything else as JSON."""
    if isinstance(value, str):
        return Input(name=name, text=value)
    return Input(name=name, text=to_json(value, indent=1, by_alias=False).decode())


def ask(inputs: list[Input], steering: list[str]) -> Message:
    """Return the user's message: the inputs, and what humans said to the agents meanwhile."""
    if steering:
        inputs = [*inputs, data("steering", "\n".join(steering))]
    return Message(role="user", content=[Block(type="inputs", inputs=inputs)])

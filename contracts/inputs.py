"""Building a message out of named inputs."""

import json

from pydantic import BaseModel

from contracts.models import Block, Input, Message


def data(name: str, value: BaseModel | list[BaseModel] | object) -> Input:
    """Return an input that holds a value: text as it is, anything else as JSON."""
    if isinstance(value, str):
        return Input(name=name, text=value)
    return Input(name=name, text=json.dumps(_plain(value), ensure_ascii=False, indent=1))


def _plain(value: object) -> object:
    if isinstance(value, BaseModel):
        return value.model_dump(mode="json")
    if isinstance(value, list | tuple):
        return [_plain(item) for item in value]
    return value


def ask(inputs: list[Input], steering: list[str]) -> Message:
    """Return the user's message: the inputs, and what humans said to the agents meanwhile."""
    if steering:
        inputs = [*inputs, data("steering", "\n".join(steering))]
    return Message(role="user", content=[Block(type="inputs", inputs=inputs)])

"""Batches of a model's calls, and the form in which an answer is asked for."""

from typing import Literal

from pydantic import Field

from contracts.base import Contract

Form = Literal["enforced", "tool", "text"]
"""How a typed answer is asked for: as structured output, by a tool that must be called, in words."""


class OpenBatch(Contract):
    """A batch with one call, which its provider answers within a day."""

    id: str
    at: str = Field(description="when it was made; ISO 8601, UTC")
    form: Form
    cut_to_tokens: int = Field(description="as in the reply")

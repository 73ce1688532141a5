"""Batches of a model's calls, and the form in which an answer is asked for."""

from typing import Literal

from pydantic import Field

from contracts.base import Contract

Form = Literal["enforced", "tool", "text"]
"""How typed answers are requested: as structured output, with a forced tool, or in words."""


class OpenBatch(Contract):
    """A batch with one call, which its provider answers within a day."""

    id: str
    at: str = Field(description="when it was made; ISO 8601, UTC")
    form: Form
    cut_to_tokens: int = Field(description="as in the reply")

"""Usage of model calls: number, tokens and dollars."""

from pydantic import Field

from contracts.base import Additive


class Usage(Additive):
    """Model calls and their cost; `usd` is at the model's price even if nothing was billed."""

    calls: int = 0
    input_tokens: int = 0
    output_tokens: int = 0
    usd: float = 0.0
    reused_calls: int = 0
    off_record_calls: int = Field(
        default=0, description="of a replayed run: calls without a recorded answer"
    )

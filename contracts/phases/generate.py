"""What `analysis`, `decision`, `review` and `summary` share: a typed answer over named inputs."""

from pydantic import Field, PositiveInt, field_validator

from contracts.base import Contract, Name, Note
from contracts.models.schemas import ObjectSchema
from contracts.phase import Config
from contracts.report.research import Finding


class GenerateConfig(Config):
    """One call of a model over what earlier phases gave."""

    instructions: Note = Field(default="", description="standing wishes, beside the kind's own")
    inputs: list[Name] = Field(
        default=[],
        max_length=20,
        description="what it reads, by the names under which earlier phases provide it; `sources` "
        "are the pages themselves; left out: the output of the nearest phase, whatever its kind",
    )
    max_input_chars: PositiveInt = Field(
        default=40_000, le=400_000, description="of all inputs together; the rest is cut off"
    )
    output_schema: ObjectSchema | None = Field(
        default=None, description="JSON Schema of an object; left out: the kind's own"
    )
    max_tokens: int = Field(default=2_000, ge=200, le=16_000, description="the answer's length")

    @field_validator("inputs")
    @classmethod
    def _each_once(cls, names: list[str]) -> list[str]:
        if twice := sorted({name for name in names if names.count(name) > 1}):
            raise ValueError(f"{twice} named twice")
        return names


class GenerateOutput(Contract):
    """What each of them gives beside its own."""

    findings: list[Finding] = Field(
        default=[], description="its statements whose quotes stand in the run's sources"
    )

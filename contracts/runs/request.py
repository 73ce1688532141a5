"""What a caller may say when starting a run."""

from pydantic import Field, ValidationInfo, field_validator

from contracts.base import Contract, GivenJson, Name, Question
from contracts.definitions import PhaseOverride


class RunRequest(Contract):
    """What a caller may say when starting a run; the same over HTTP and from the CLI."""

    query: Question
    user_id: Name = "local"
    inputs: GivenJson = {}
    given: dict[str, GivenJson] = Field(default={}, description="phase id -> output supplied")
    startup_id: Name | None = None
    save_startup: bool | None = Field(
        default=None,
        description="once the plan is approved, keep a startup made from it, unless the run has "
        "one; left out: as the definition says",
    )
    config_overrides: dict[str, PhaseOverride] = {}
    model_overrides: dict[str, str] = Field(default={}, description="role -> model id")
    only: list[str] | None = Field(default=None, description="an ordered part of the phase ids")
    until: str | None = None
    from_run: Name | None = None
    redo: list[str] = []
    follow_up: bool = Field(
        default=False,
        description="go on from what `from_run` found: keep its sources, and change its report",
    )
    fresh: bool = Field(
        default=False,
        description="research anew, whatever was reported on the question before, and take no "
        "phase's output over from another run",
    )
    temp_workflow: bool = Field(
        default=False,
        description="a temporary run: soon after its end all of it is removed but what it cost",
    )
    budget: float | None = Field(default=None, gt=0, allow_inf_nan=False, description="US dollars")

    @field_validator("temp_workflow")
    @classmethod
    def _leaves_nothing(cls, temporary: bool, given: ValidationInfo) -> bool:
        if temporary and given.data.get("save_startup"):
            raise ValueError("a temporary run keeps no startup: leave save_startup out")
        return temporary

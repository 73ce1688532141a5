"""Request to start a run."""

from pydantic import Field, ValidationInfo, field_validator

from contracts.base import Contract, ExternalJson, Name, Question
from contracts.definitions import PhaseOverride


class RunRequest(Contract):
    """Request to start a run; the same over HTTP and from the CLI."""

    query: Question
    user_id: Name = "local"
    inputs: ExternalJson = {}
    given: dict[str, ExternalJson] = Field(default={}, description="phase id -> its output")
    startup_id: Name | None = None
    save_startup: bool | None = Field(
        default=None,
        description="save a startup made from the approved plan, unless the run has one; "
        "left out: as the definition says",
    )
    config_overrides: dict[str, PhaseOverride] = {}
    model_overrides: dict[str, str] = Field(default={}, description="role -> model id")
    only: list[str] | None = Field(
        default=None, description="phase ids to run, in the definition's order"
    )
    until: str | None = None
    from_run: Name | None = None
    redo: list[str] = []
    follow_up: bool = Field(
        default=False,
        description="keep the sources of `from_run`, and change its report",
    )
    fresh: bool = Field(
        default=False,
        description="use neither an earlier report on the question nor the step cache",
    )
    temp_workflow: bool = Field(
        default=False,
        description="a temporary run: removed soon after its end, all but its cost",
    )
    budget: float | None = Field(default=None, gt=0, allow_inf_nan=False, description="US dollars")

    @field_validator("temp_workflow")
    @classmethod
    def _save_nothing(cls, temporary: bool, given: ValidationInfo) -> bool:
        if temporary and given.data.get("save_startup"):
            raise ValueError("a temporary run saves no startup: leave save_startup out")
        return temporary

"""The lines that totals of a statement consist of, by components.json."""

from importlib.resources import files

from pydantic import Field, TypeAdapter

from contracts.base import Contract


class Components(Contract):
    """Tags of a total's components; `A|B` are names of one, and the first that is filed of both periods counts."""

    flows: list[str] = Field(default=[], description="amounts of a period")
    days: list[str] = Field(default=[], description="amounts of a day")
    pattern: str = Field(default="", description="how further lines of a balance sheet are named")
    is_part: bool = Field(default=False, description="they are not expected to add up to it")


COMPONENTS = TypeAdapter(dict[str, Components]).validate_json(
    files(__package__).joinpath("components.json").read_bytes()
)

"""Results and artifacts of the engineer's tools."""

from typing import Generic, Literal, TypeVar

from pydantic import Field

from contracts.agents.tool_definitions import CalculateArgs, ChartArgs, TableArgs, TableChartArgs
from contracts.base import Contract
from contracts.blobs import BlobKey
from contracts.models.call import Scope

Args = TypeVar("Args", CalculateArgs, TableArgs, ChartArgs)
Kind = Literal["pdf", "html", "text", "docx", "table", "chart"]


class WorkbenchRequest(Contract, Generic[Args]):
    """One thing to compute, or to draw and store."""

    scope: Scope
    args: Args


class Calculated(Contract):
    """A number and its expression."""

    expression: str
    variables: dict[str, float] = {}
    value: float = Field(description="to 15 digits")


class ArtifactFields(Contract):
    """A table, chart or file of a run, as clients see it."""

    id: str = Field(description="from a hash of name and content; `source-n`: the nth source")
    name: str = Field(description="its title")
    kind: Kind
    media_type: str
    bytes: int = Field(ge=0)
    source_url: str | None = Field(default=None, description="where it was read")
    preview: list[list[str]] = Field(default=[], description="a table's columns and first rows")
    rows: int = Field(default=0, description="how many rows the table has")
    figure_columns: list[int] = Field(
        default=[], description="the table's columns that are known to hold figures, by position"
    )
    note: str = Field(default="", description="what it shows, in a line")
    table: str = Field(default="", description="of a chart: id of the table that it is drawn from")
    is_beside_decision: bool = Field(
        default=False,
        exclude_if=lambda beside: not beside,
        description="a decision is read by it: it stands beside that, not among the others",
    )
    is_account: bool = Field(
        default=False, description="an agent's own: nothing checked its figures"
    )


class Artifact(ArtifactFields):
    """A table, chart or file of a run; its content is in the blob store."""

    blob_key: BlobKey = Field(description="blob of what it holds")


class TableChartRequest(Contract):
    """A chart to draw from a stored table."""

    scope: Scope
    args: TableChartArgs
    table: Artifact

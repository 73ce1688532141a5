"""The tools of an agent: the arguments of a call, checked, and the outcomes that it may have."""

from collections.abc import Container, Sequence
from dataclasses import dataclass
from typing import TypeVar

from pydantic import BaseModel, ValidationError

from contracts.agents.calculations_and_charts import Artifact, Calculated
from contracts.agents.tool_definitions import (
    ARGS,
    CalculateArgs,
    FetchUrlArgs,
    ParseContentArgs,
    TableArgs,
    TableChartArgs,
    WebSearchArgs,
)
from contracts.base import Json
from contracts.evidence.sources import (
    OpenedPart,
    OpenedParts,
    PartsRequest,
    SearchResult,
    Source,
)
from contracts.models.call import Block, Scope
from contracts.notices import Notice
from contracts.problems import join_problems, list_problems
from contracts.runs.lost_inputs import LossCause
from domain.retrieval.search_words import split_name


class ToolError(str):
    """The reason why a tool call failed, as the model reads it."""

    notice: Notice | None = None
    cause: LossCause | None = None
    """The reason for which a page or search is lost; None if the call itself was wrong."""

    @classmethod
    def of(cls, notice: Notice, cause: LossCause) -> "ToolError":
        """Return the failure of a call that was made."""
        error = cls(notice.text)
        error.notice, error.cause = notice, cause
        return error


NO_PAGE_LEFT = ToolError("no page is left: use those that were read")


@dataclass(frozen=True)
class SourceParts:
    """The parts of a source that a call opened, in its order."""

    source: Source
    parts: Sequence[OpenedPart]
    pages: int | None = None
    outline: str = ""
    """Its uppermost headings, where they are to be shown."""
    left_out: Sequence[OpenedPart] = ()
    """The parts for which its turn has no room."""


Args = TypeVar("Args", bound=BaseModel)
ToolOutcome = SearchResult | Source | SourceParts | Calculated | Artifact | ToolError
ToolArguments = (
    WebSearchArgs | FetchUrlArgs | ParseContentArgs | CalculateArgs | TableArgs | TableChartArgs
)


def parse_arguments(call: Block, allowed: Container[str], who: str) -> ToolArguments | ToolError:
    """Return the arguments of a tool call, or the reason why it cannot be executed."""
    if call.name not in allowed:
        return ToolError(f"there is no tool {call.name!r} for a {who}")
    args = parse_as(ARGS[call.name], call.input)
    assert isinstance(args, ToolArguments | ToolError)
    return args


def parse_as(model: type[Args], given: Json) -> Args | ToolError:
    """Return what a model wrote as the arguments of a tool, or the first thing that is wrong with it."""
    try:
        return model.model_validate(given)
    except ValidationError as error:
        return ToolError(join_problems(list_problems(error.errors()[:1])).text)


def ask_for_parts(
    source: Source, args: FetchUrlArgs | ParseContentArgs, scope: Scope
) -> PartsRequest:
    """Return the request for the parts of a long source that a call is about."""
    asked = (
        {"about": args.about}
        if isinstance(args, FetchUrlArgs)
        else {
            "find": args.find,
            "section": args.section,
            "page": args.page,
            "start": args.start or 0,
        }
    )
    return PartsRequest.model_validate(
        {
            "scope": scope,
            "text_key": source.text_key,
            "name": source.title or split_name(source.file_name),
            "sections": source.sections,
            **asked,
        }
    )


def take_parts(
    source: Source, args: FetchUrlArgs | ParseContentArgs, opened: OpenedParts
) -> ToolOutcome:
    """Return the opened parts, or the problem; a source that was just fetched needs no parts."""
    if not opened.problem:
        outline = opened.outline if isinstance(args, FetchUrlArgs) else ""
        return SourceParts(source, opened.parts, opened.pages, outline)
    return source if isinstance(args, FetchUrlArgs) else ToolError(opened.problem)

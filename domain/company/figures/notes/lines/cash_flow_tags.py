"""The tags of the cash flow statement's lines between profit and operating cash flow, each with its effect on cash."""

from importlib.resources import files
from typing import NamedTuple

from pydantic import Field, TypeAdapter

from contracts.base import Contract


class SignedTag(NamedTuple):
    """A tag, and 1 if its amount is added to profit, -1 if it is subtracted."""

    tag: str
    sign: int


class CashFlowTags(Contract):
    """Tags of the lines between profit and operating cash flow; the first of a line's tags that is filed counts."""

    profit: list[str] = Field(description="the first line; the first tag that is filed counts")
    lines: list[list[SignedTag]]
    at_times: list[list[SignedTag]] = Field(
        description="lines of some statements, and notes of others"
    )
    changes: str = Field(description="how changes of what is owned and owed are named")
    balances: dict[str, str] = Field(description="change of what is owned -> its balance")
    proceeds: dict[str, list[str]] = Field(
        description="gain on sales -> what they brought: a larger gain is a loss"
    )
    charges: str = Field(
        description="how charges of the income statement are named that need not recur"
    )
    trading: str = Field(description="change of trading securities, which is an operating flow")
    owed: str = Field(description="words of what is owed: its increase brings cash")
    owned: str = Field(description="words of what is owned: its increase takes cash")
    owed_net: str = Field(description="how a name says that it is owed though it holds both")


TAGS = TypeAdapter(CashFlowTags).validate_json(
    files(__package__).joinpath("cash_flow_lines.json").read_bytes()
)


SUBTRACTED = frozenset(
    each.tag for line in (*TAGS.lines, *TAGS.at_times) for each in line if each.sign < 0
)
"""Gains that the statement subtracts from profit: some companies file them only there, with the opposite sign."""

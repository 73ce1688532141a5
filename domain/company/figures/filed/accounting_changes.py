"""Accounting standards with the fiscal years that adopt them."""

from importlib.resources import files

from pydantic import Field

from contracts.base import Contract


class Standard(Contract):
    """An accounting standard, when it took effect, and the balances that it brought."""

    name: str = Field(description="as in the catalogues: `standard-…`")
    taxonomy: str
    begins: list[tuple[str, str]] = Field(
        description="first and last day on which fiscal years that adopt it begin"
    )
    balances: list[str] = Field(default=[], description="tags of a day, the first that fits counts")
    consolidates: bool = Field(
        default=False, description="it brought entities with their debt onto balance sheets"
    )
    moves_allowance: bool = Field(
        default=False, description="it may change an allowance for loan losses without a provision"
    )
    grows: float = Field(
        default=0,
        description="a balance that was filed before has grown by this factor; 0: none was filed before",
    )


class Changes(Contract):
    """The content of accounting_changes.json."""

    standards: list[Standard]
    cumulative: str = Field(description="how tags of cumulative effects are named")


CHANGES = Changes.model_validate_json(
    files(__package__).joinpath("accounting_changes.json").read_bytes()
)


def list_adopted(taxonomy: str, begin: str) -> list[Standard]:
    """Return the standards that took effect in the fiscal year that begins on a day."""
    return [
        each
        for each in CHANGES.standards
        if each.taxonomy == taxonomy and any(a <= begin <= z for a, z in each.begins)
    ]


def list_moving_allowance(taxonomy: str, begin: str) -> list[Standard]:
    """Return the adopted standards that may change an allowance without a provision."""
    return [each for each in list_adopted(taxonomy, begin) if each.moves_allowance]

"""Kinds of business, from kinds.json: how a company is classified, and which metrics each kind shows."""

from collections.abc import Callable
from importlib.resources import files

from pydantic import Field

from contracts.base import Contract
from contracts.company.filings import BusinessKind
from domain.company.figures.filed.metrics import GROWTH, METRICS


class KindRule(Contract):
    """A kind, and the conditions on SIC code and figures that all hold for its companies."""

    kind: BusinessKind
    sic: list[tuple[int, int]] = Field(
        description="first and last code of each range; 0 stands for an unknown code"
    )
    part: str = Field(default="", description="a metric that is a share of `whole`")
    whole: str = ""
    least: float = Field(default=0, description="the smallest share of `part` in `whole`")
    unless: str = Field(default="", description="a metric that companies of the kind do not file")
    beside: str = Field(default="", description="a metric that companies of the kind file")


class Template(Contract):
    """The metrics that do not apply to a kind of business, and the charts that show it."""

    excluded: list[str] = Field(default=[], description="metrics that mean nothing for the kind")
    optional: list[str] = Field(default=[], description="metrics whose absence is not noted")
    charts: dict[str, list[str]] = Field(description="metrics by the subject of their chart")


class Kinds(Contract):
    """The content of kinds.json."""

    rules: list[KindRule] = Field(description="the first rule that matches decides")
    templates: dict[BusinessKind, Template]


KINDS = Kinds.model_validate_json(files(__package__).joinpath("kinds.json").read_bytes())


def find_kind(sic: int, read: Callable[[str], float | None]) -> BusinessKind:
    """Return a company's kind by its SIC code, or by its figures where the code is unknown or ambiguous.

    `read` returns a metric of the newest fiscal year.
    """
    return next((rule.kind for rule in KINDS.rules if _matches(rule, sic, read)), "industrial")


def _matches(rule: KindRule, sic: int, read: Callable[[str], float | None]) -> bool:
    if not any(first <= sic <= last for first, last in rule.sic):
        return False
    if rule.unless and read(rule.unless) is not None:
        return False
    if rule.beside and read(rule.beside) is None:
        return False
    if not rule.part:
        return True
    part, whole = read(rule.part), read(rule.whole)
    return part is not None and whole is not None and whole > 0 and part / whole >= rule.least


def applies(metric: str, kind: BusinessKind | None) -> bool:
    """Return whether a metric, or its growth, means something for a kind; all do where the kind is unknown."""
    name = metric.removesuffix(GROWTH)
    own = METRICS[name].kinds
    return not kind or ((not own or kind in own) and name not in KINDS.templates[kind].excluded)


def is_asked(metric: str, kind: BusinessKind) -> bool:
    """Return whether a metric is expected of companies of a kind, so that its absence is explained.

    A metric that exists only while it is `positive`, such as net debt, or instead of another is not expected.
    """
    of, template = METRICS[metric], KINDS.templates[kind]
    return (
        (of.key or of.expected)
        and (not of.kinds or kind in of.kinds)
        and metric not in template.optional
        and not of.positive
        and not of.instead_of
    )

"""The metrics of a company, by metrics.json: their names, most important first, and the XBRL tags of reported ones."""

import json
from importlib.resources import files

_METRICS: dict[str, dict[str, list[str]]] = json.loads(
    files(__package__).joinpath("metrics.json").read_text("utf-8")
)
TAGS = {
    name: {taxonomy: tags for taxonomy, tags in told.items() if taxonomy != "names"}
    for name, told in _METRICS.items()
    if set(told) - {"names"}
}
"""By metric and taxonomy; among several tags the first that has a period wins."""

NAMES = {name: told["names"] for name, told in _METRICS.items() if "names" in told}
"""By metric, most important first: its name, and that of a negative value where it has one."""

ANCHORS = ("revenue", "net_income", "operating_cash_flow")
"""Metrics whose periods define the company's fiscal years and quarters."""

SPLIT_TAG = "StockholdersEquityNoteStockSplitConversionRatio1"
COVER_SHARES_TAG = "EntityCommonStockSharesOutstanding"


def find_unit(metric: str, currency: str) -> str:
    """Return the unit of a metric's figures."""
    if metric.endswith(("_margin", "_growth", "_share_of_revenue", "_tax_rate")):
        return "percent"
    if metric.endswith(("_eps", "_per_share")):
        return f"{currency}/shares"
    return "shares" if metric.endswith("_shares") or metric == "shares_outstanding" else currency


def name_row(metric: str) -> str:
    """Return what a table calls a metric: of a growth what grows, of a share what it is of."""
    if metric.endswith("_growth"):
        return f"{NAMES[metric.removesuffix('_growth')][0]}, growth on a year before"
    name = NAMES[metric][0] if metric in NAMES else humanize(metric)
    return f"{name}, share of {name_whole(metric)}" if find_unit(metric, "") == "percent" else name


def name_whole(metric: str) -> str:
    """Return what a metric in percent is a share of."""
    return "income before tax" if metric.endswith("_tax_rate") else "revenue"


def humanize(metric: str) -> str:
    """Return a metric's name in words, e.g. `diluted EPS`."""
    words = metric.replace("_", " ").replace("share of revenue", "as share of revenue")
    return words.replace("eps", "EPS").replace("fcf", "FCF")

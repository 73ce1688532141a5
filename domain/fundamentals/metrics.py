"""The metrics looked up for a company; metrics.json lists the XBRL tags under which companies report them."""

import json
from importlib.resources import files

TAGS: dict[str, dict[str, list[str]]] = json.loads(
    files(__package__).joinpath("metrics.json").read_text("utf-8")
)
"""By metric and taxonomy; among several tags the first that has a period wins."""

ANCHORS = ("revenue", "net_income", "operating_cash_flow")
"""Metrics whose periods define the company's fiscal years and quarters."""

SPLIT_TAG = "StockholdersEquityNoteStockSplitConversionRatio1"
COVER_SHARES_TAG = "EntityCommonStockSharesOutstanding"


def find_unit(metric: str, currency: str) -> str:
    """Return the unit of a metric's figures."""
    if metric.endswith(("_margin", "_growth")):
        return "percent"
    if metric.endswith(("_eps", "_per_share")):
        return f"{currency}/shares"
    return "shares" if metric in {"diluted_shares", "shares_outstanding"} else currency


def humanize(metric: str) -> str:
    """Return a metric's name in words, e.g. `diluted EPS`."""
    return metric.replace("_", " ").replace("eps", "EPS").replace("fcf", "FCF")

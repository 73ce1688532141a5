"""The metrics of a company: metrics.json has the XBRL tags of the reported ones, names.json what all are called."""

import json
from importlib.resources import files

_DATA = files(__package__)
TAGS: dict[str, dict[str, list[str]]] = json.loads((_DATA / "metrics.json").read_text("utf-8"))
"""By metric and taxonomy; among several tags the first that has a period wins."""

NAMES: dict[str, list[str]] = json.loads((_DATA / "names.json").read_text("utf-8"))
"""By metric, most important first: its name, and that of a negative value where it has one."""

ANCHORS = ("revenue", "net_income", "operating_cash_flow")
"""Metrics whose periods define the company's fiscal years and quarters."""

SPLIT_TAG = "StockholdersEquityNoteStockSplitConversionRatio1"
COVER_SHARES_TAG = "EntityCommonStockSharesOutstanding"


def find_unit(metric: str, currency: str) -> str:
    """Return the unit of a metric's figures."""
    if metric.endswith(("_margin", "_growth", "_share_of_revenue")):
        return "percent"
    if metric.endswith(("_eps", "_per_share")):
        return f"{currency}/shares"
    return "shares" if metric in {"diluted_shares", "shares_outstanding"} else currency


def humanize(metric: str) -> str:
    """Return a metric's name in words, e.g. `diluted EPS`."""
    words = metric.replace("_", " ").replace("share of revenue", "as share of revenue")
    return words.replace("eps", "EPS").replace("fcf", "FCF")

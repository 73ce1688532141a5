"""The ratios of the newest quarter next to those of twelve months; a report has to give both."""

from collections.abc import Iterator

from contracts.company.figures import Fundamentals
from contracts.notices import Notice
from contracts.report.additions import NewestValue
from domain.company.figures.dates import call_company, name_company
from domain.company.figures.filed.metrics import METRICS, say_metric
from domain.company.figures.notes.earnings import BESIDE

CODE = "company-quarter-beside"
SIGNS = {say_metric(n).code: "%" if METRICS[n].unit == "percent" else "" for n in BESIDE}
"""How a text writes the unit of each ratio, by the code of its name."""


def list_beside(found: Fundamentals) -> Iterator[NewestValue]:
    """Yield the ratios that a company's note compares with twelve months, each with a notice of its own."""
    for note in (note for note in found.notes if note.code == CODE):
        parts = note.params["parts"]
        for part in parts if isinstance(parts, list) else ():
            if isinstance(part, Notice):
                told = Notice.of(CODE, "info", end=str(note.params["end"]), parts=[part])
                named = Notice.of("because", "info", what=name_company(found), why=told)
                values = {key: float(str(part.params[key])) for key in ("twelve", "now")}
                metric = part.params["metric"]
                sign = SIGNS.get(metric.code, "") if isinstance(metric, Notice) else ""
                yield NewestValue(told=named, company=call_company(found), unit=sign, **values)

"""Figures that code computed are known to a decision as precisely as its tables print them."""

from domain.evidence.figures.unfounded_figures import KnownFigures
from tests.workflows.support.listed_company import FACTS, figure
from workflows.company.evidence import build_additions


def test_filed_figure_as_a_table_prints_it_is_known_to_a_decision() -> None:
    filed = figure("revenue", "2008-12-31", 2_516_762_000.0, period="year")
    found = FACTS.fundamentals.model_copy(update={"figures": [filed]})
    known = KnownFigures(build_additions(found, "2010-03-05", "en").known)
    assert not known.list_unfounded("Sales back near 2,516.8 million dollars.", is_plan=True)
    assert known.list_unfounded("Sales back near 2,517.9 million dollars.", is_plan=True)

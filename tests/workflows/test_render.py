"""A report as a reader meets it."""

from contracts.research import Cell, Comparison, Report, Search, Section
from contracts.web import Citation, Claim
from workflows.render import render

QUOTE = "Irrigated land, Kenya: 1,030 sq km (2012)"
CLAIM = Claim(text="1,030 sq km", citations=[Citation(source=1, quote=QUOTE)])
SEARCHES = [
    Search(query=f"{land} {what}", hits=3) for what in ("irrigation", "costs") for land in "XY"
]


def shown(*sections: Section, searches: list[Search] = SEARCHES) -> str:
    """Return a report over one table and these sections."""
    table = Comparison(columns=["Kenya"], rows=[("Irrigated land", [Cell(claim=CLAIM)])])
    report = Report(title="Pumps", comparison=table, sections=list(sections), claims_total=1)
    return render(report, [], searches, offline=True)


def test_the_tables_quotes_stand_after_the_text() -> None:
    told = shown(Section(heading="In short", claims=[CLAIM]))
    table, text, quotes = (
        told.index(s)
        for s in ("| Irrigated", "## In short", f"- Irrigated land, Kenya [1]: “{QUOTE}”")
    )
    assert table < text < quotes < told.index("## Sources")


def test_a_section_without_evidence_names_the_searches_that_asked_for_it() -> None:
    told = shown(Section(heading="Costs: prices, running costs", missing="Nothing on costs."))
    assert "*Nothing on costs.* Searched: “X costs”, “Y costs”." in told


def test_a_section_that_no_search_named_says_how_many_were_made() -> None:
    told = shown(Section(heading="People", missing="Nothing on people."))
    assert "*Nothing on people.* 4 searches were made, none in these words." in told


def test_searches_that_found_nothing_are_named_before_all_others() -> None:
    told = shown(Section(heading="Costs"), searches=[*SEARCHES, Search(query="Z", hits=0)])
    assert "Found nothing: “Z”." in told
    assert "Searched:" not in told

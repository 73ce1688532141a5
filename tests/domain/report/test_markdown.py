"""A report as a reader meets it."""

import re
from typing import Any

import pytest
from lxml.html import fromstring  # type: ignore[import-untyped]

from api.reports.html import render_page
from contracts.evidence.claims import Citation, Claim
from contracts.evidence.sources import Source
from contracts.report.research import Comparison, ComparisonRow, Report, Search, Section
from domain.report.markdown import render

QUOTE = "Irrigated land, Kenya: 1,030 sq km (2012)"
CLAIM = Claim(text="1,030 sq km", citations=[Citation(source=1, quote=QUOTE)])
SEARCHES = [
    Search(query=f"{land} {what}", hits=3) for what in ("irrigation", "costs") for land in "XY"
]


def shown(*sections: Section, searches: list[Search] = SEARCHES) -> str:
    """Return a report over one table and these sections."""
    table = Comparison(
        columns=["Kenya"], rows=[ComparisonRow(label="Irrigated land", cells=[CLAIM])]
    )
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


def test_what_speaks_against_a_source_stands_with_it_and_not_in_a_draft() -> None:
    kept = {"content_hash": "", "text_key": "", "raw_key": "", "chars": 0, "retrieved_at": ""}
    about = {"url": "http://a.test/", "title": "A", "notes": ["states no date", "a *PDF*"]}
    source = Source.model_validate(about | kept)
    report = Report(title="Pumps", sections=[])
    told = render(report, [source], [], offline=False)
    assert told.endswith("1. A: <http://a.test/> *(states no date; a \\*PDF\\*)*\n")
    assert "states no date" not in render(report, [source], None, offline=False)


HOSTILE = [
    "![see](http://beacon.test/?q=1) [click](http://evil.test) [ref]: http://evil.test",
    '<img src="http://beacon.test"><script>alert(1)</script><a href="javascript:alert(1)">x</a>',
    "&#91;9&#93; &lt;img src=http://beacon.test&gt; &#x21;&#x5b;a](http://beacon.test)",
    "\\![see](http://beacon.test) \\\\[click](http://evil.test) `</code>` ~~~ | a | b |",
    "# A heading\n\n---\n\n- a list\n\n> a quote\n\n<http://evil.test> http://evil.test [2] [^1]",
]


PLAIN = {
    *("body", "h1", "h2", "p", "blockquote", "strong", "em", "ul", "ol", "li", "a"),
    *("table", "thead", "tbody", "tr", "th", "td"),
}
"""What a report is made of."""


def everywhere(text: str) -> str:
    """Return a report in which a page's text stands wherever it may."""
    claim = Claim(text=text, citations=[Citation(source=1, quote=text)], reason=text)
    about = {"url": "http://a.test/", "title": text, "publisher": text, "published": text}
    kept = {"content_hash": "", "text_key": "", "raw_key": "", "chars": 0, "retrieved_at": ""}
    source = Source.model_validate(about | kept)
    table = Comparison(columns=[text], rows=[ComparisonRow(label=text, cells=[claim])])
    sections = [Section(heading=text, claims=[claim]), Section(heading=text, missing=text)]
    report = Report(title=text, comparison=table, sections=sections, notes=[text], claims_total=1)
    return render(report, [source], [Search(query=text, hits=0, error=text)], offline=True)


def shown_of(told: str) -> Any:
    return fromstring(render_page("Report", told)).find("body")


@pytest.mark.parametrize("text", HOSTILE)
def test_a_pages_text_stays_text_wherever_it_stands(text: str) -> None:
    """No image, link, tag or citation of its own: what is shown is letter for letter what it was."""
    told = everywhere(text)
    assert set(re.findall(r"(?<!\\)\[(.*?)(?<!\\)\]", told)) == {"1"}
    shown = shown_of(told)
    assert {node.tag for node in shown.iter()} <= PLAIN
    assert {link.get("href") for link in shown.iter("a")} == {"http://a.test/", "#source_1"}
    places = shown_of(everywhere("Pumps")).text_content().count("Pumps")
    said = " ".join(shown.text_content().split())
    assert said.count(" ".join(text.split())) == places > 10

"""A report as a reader meets it."""

import re
from typing import Any

import pytest
from lxml.html import fromstring

from api.reports.html import render_page
from contracts.evidence.claims import Citation, Claim
from contracts.evidence.sources import Source
from contracts.report.research import Comparison, ComparisonRow, Report, Search, Section
from domain.report.answer import put_answer_first
from domain.report.inline import unlink_kept
from domain.report.markdown import GAPS, UNCHECKED, render

QUOTE = "Irrigated land, Kenya: 1,030 sq km (2012)"
CLAIM = Claim(text="1,030 sq km", citations=[Citation(source=1, quote=QUOTE)], verdict="supported")
SEARCHES = [
    Search(query=f"{land} {what}", hits=3) for what in ("irrigation", "costs") for land in "XY"
]
KEPT = {"content_hash": "", "text_key": "", "raw_key": "", "chars": 0, "retrieved_at": ""}


def shown(*sections: Section, searches: list[Search] = SEARCHES, **more: Any) -> str:
    """Return a report over one table and these sections."""
    table = Comparison(
        columns=["Kenya"], rows=[ComparisonRow(label="Irrigated land", cells=[CLAIM])]
    )
    about = {"title": "Pumps", "comparison": table, "sections": list(sections), "claims_total": 1}
    report = put_answer_first(Report.model_validate(about | more))
    return render(report, [source("http://a.test/")], searches, offline=True)


def source(url: str, **about: Any) -> Source:
    return Source.model_validate({"url": url, "title": "A"} | about | KEPT)


def said(text: str, quote: str = "", **about: Any) -> Claim:
    quoted = [Citation(source=1, quote=quote)] if quote else []
    return Claim.model_validate({"text": text, "citations": quoted, "verdict": "supported"} | about)


LAND = Section(heading="Land", claims=[said("It is dry.", "dry", id="dry")])
COSTS = Section(heading="Costs", claims=[said("Pumps cost $300.", "$300", id="cost")])
ADVICE = Section(
    heading="Advice",
    claims=[
        said("Pumps pay.", id="pay", rests_on=["dry", "cost"]),
        said("Enter Kenya.", rests_on=["pay", "none"]),
    ],
)


def test_answer_is_first_and_evidence_last() -> None:
    told = shown(Section(heading="Answer", claims=[CLAIM]), Section(heading="Costs"))
    order = ["## Answer", "| Irrigated land |", "## Not found", "## Evidence", "## Sources"]
    places = [told.index(part) for part in order]
    assert places == sorted(places)


def test_a_comparison_stands_before_sections_of_which_none_answers() -> None:
    told = shown(LAND, COSTS)
    assert told.index("| Irrigated land |") < told.index("## Land") < told.index("## Costs")


def test_quote_stands_once_whoever_cites_it() -> None:
    told = shown(Section(heading="Land", claims=[CLAIM, said("It is dry.", "It is dry")]))
    assert "1,030 sq km. [1] It is dry. [2]" in told
    assert "| Irrigated land | 1,030 sq km [1] |" in told
    assert told.count(QUOTE) == 1
    assert f"1. “{QUOTE}” — [A](<http://a.test/>)\n2. “It is dry” — " in told


def test_long_sections_are_paragraphs() -> None:
    told = shown(Section(heading="Land", claims=[said(f"{n} {'word ' * 25}.") for n in range(12)]))
    assert told.partition("## Land\n\n")[2].partition("## Evidence")[0].count("\n\n") == 4


def test_next_steps_are_a_numbered_list() -> None:
    steps = [said("Measure it.", "it"), said("Offer it.", "it")]
    told = shown(Section(heading="Next steps", claims=steps, is_list=True))
    assert "## Next steps\n\n1. Measure it. [1]\n2. Offer it. [1]\n\n" in told


def test_the_section_that_concludes_opens_a_report_and_stands_nowhere_else() -> None:
    told = shown(LAND, COSTS, ADVICE)
    assert re.findall("^## (.*)", told, re.MULTILINE)[:3] == ["Advice", "Land", "Costs"]
    assert told.count("Pumps pay.") == 2  # once in the text, once in the evidence of what follows
    assert "In short" not in told


def test_a_judgement_has_one_note_that_says_what_it_rests_on() -> None:
    told = shown(LAND, COSTS, ADVICE)
    assert "Pumps pay. *(judgement [1])* Enter Kenya. *(judgement [4])*" in told
    assert "\n1. Judgement from: It is dry. [2] Pumps cost $300. [3]\n2. “dry”" in told
    assert "\n4. Judgement from: Pumps pay. *(judgement [1])*\n" in told


def test_a_judgement_on_a_table_says_of_what_its_cells_are() -> None:
    cell = CLAIM.model_copy(update={"id": "land"})
    rows = [ComparisonRow(label="Irrigated land", cells=[cell])]
    advice = Section(heading="Advice", claims=[said("Enter.", rests_on=["land"])])
    told = shown(advice, comparison=Comparison(columns=["Kenya"], rows=rows))
    assert "Judgement from: Irrigated land, Kenya: 1,030 sq km. [2]\n" in told


def test_judgements_on_each_other_end() -> None:
    a, b = (said(f"{x}.", id=x, rests_on=[y]) for x, y in ("ab", "ba"))
    assert "1. Judgement from: b. *(judgement [2])*\n2. Judgement from: a. *(judgement [1])*" in (
        shown(Section(heading="Advice", claims=[a, b]))
    )


def test_conclusions_on_several_sections_are_said_in_short_and_others_are_not() -> None:
    """A conclusion on its own section, or the first sentence of each, says nothing of the whole."""
    own = said("Land is scarce.", id="scarce", rests_on=["dry"])
    land = LAND.model_copy(update={"claims": [*LAND.claims, own]})
    others = [said(f"Pumps are {word}.", word) for word in ("blue", "red")]
    costs = COSTS.model_copy(update={"claims": [*COSTS.claims, *others]})
    assert "## In short" not in shown(costs, land)
    joined = said("Pumps pay.", rests_on=["dry", "cost"])
    land = land.model_copy(update={"claims": [*land.claims, LAND.claims[0], joined]})
    opening = shown(costs, land).partition("## In short\n\n")[2].partition("\n\n")[0]
    assert opening == "Pumps pay. *(judgement [1])*"


def test_computed_figure_shows_its_working() -> None:
    claim = said("It grew 50 %.", "from 2 to 3", expression="3 / 2", working="3 * 1 / 2 = 1.5")
    told = shown(Section(heading="Land", claims=[claim]))
    assert "It grew 50 %. *(computed [1])*" in told
    assert "\n1. Computed from [2]: 3 × 1 / 2 = 1.5\n2. “from 2 to 3” — " in told


def test_what_is_computed_from_assumptions_alone_is_marked_as_such() -> None:
    claim = said("Assumed 9 of 2 each, 18.", expression="9 * 2", working="9 * 2 = 18")
    told = shown(Section(heading="Land", claims=[claim]))
    assert "Assumed 9 of 2 each, 18. *(computed from assumptions [1])*" in told
    assert "\n1. Computed from assumptions: 9 × 2 = 18" in told


def test_an_agents_own_account_is_set_off_and_said_to_be_unchecked() -> None:
    told = shown(Section(heading="Land", account="Nothing was found.\n\nThe *rest* is open."))
    assert "## Land\n\n> Nothing was found.\n>\n> The \\*rest\\* is open.\n\n" in told
    assert "own account of its work: nothing checked it.*" in told
    assert "not shown" not in told


@pytest.mark.parametrize(
    ("verdict", "mark"),
    [("partly", "partly shown"), ("not_shown", "not shown"), (None, "not judged")],
)
def test_doubt_is_marked_and_explained_in_a_note(verdict: str | None, mark: str) -> None:
    claim = said("It grew.", "it", verdict=verdict, reason="the page is of 2019")
    told = shown(Section(heading="Land", claims=[claim]), claims_unjudged=0)
    assert f"It grew. [1] *({mark} [2])*" in told
    assert f"\n2. {mark.capitalize()}: the page is of 2019\n" in told


def test_what_is_missing_is_listed() -> None:
    told = shown(
        Section(heading="Land", claims=[CLAIM], missing="No map.\nNo year."),
        Section(heading="Water", missing="No depth."),
        caveats=["Old."],
        would_change=["Rain."],
    )
    assert told.index("## Land\n") < told.index(GAPS) < told.index("## What to bear in mind")
    assert (
        f"## Not found\n\n{UNCHECKED}\n\n### Land\n\n- No map.\n- No year.\n\n### Water\n" in told
    )
    assert "## What to bear in mind\n\n- Old.\n" in told
    assert "## What would change the conclusion\n\n- Rain.\n" in told


def test_only_cited_pages_are_sources_and_own_documents_have_paths() -> None:
    own = source(
        "http://127.0.0.1:9/pages/plans/My%20plan.pdf",
        title="Plan",
        author="Ann Poe",
        publisher="127.0.0.1",
    )
    report = Report(title="Pumps", sections=[Section(heading="Land", claims=[said("It.", "it")])])
    told = render(report, [own, source("http://b.test/", title="B")], [], offline=False)
    path = "[plans/My plan.pdf](<sources/1/snapshot>)"
    listed = "## Sources\n\n- Plan — Ann Poe: {}\n\n### Also read\n\n- B: <http://b.test/>\n"
    assert listed.format(path) in told
    assert listed.format("plans/My plan.pdf") in unlink_kept(told)


def test_what_this_machine_had_has_no_link_in_a_file_and_pages_of_the_web_have() -> None:
    given = source("file:///a.md", title="[x](<sources/9/snapshot>)")
    served = source("http://127.0.0.1:9/pages/b", title="\\", published="2025-01-01")
    web = source("http://a.test/sources/1/snapshot", title="C")
    sample = source("http://localhost:9/api/facts.json", title="D")
    claims = [
        said(f"It {n}.").model_copy(update={"citations": [Citation(source=n, quote="it")]})
        for n in (1, 2, 3, 4)
    ]
    report = Report(title="Pumps", sections=[Section(heading="Land", claims=claims)])
    whole = render(report, [given, served, web, sample], [], offline=False)
    told = unlink_kept(whole)
    for where in ("artifacts/source-1", "sources/2/snapshot", "sources/4/snapshot"):
        assert whole.count(f"(<{where}>)") == 2
        assert f"(<{where}>)" not in told
    assert r"1. “it” — \[x\](\<sources/9/snapshot\>)" in told
    assert r"2. “it” — \\, 2025-01-01" in told
    assert "3. “it” — [C](<http://a.test/sources/1/snapshot>)" in told
    assert "4. “it” — D\n" in told
    assert "- D: /api/facts.json\n" in told
    assert "127.0.0.1" not in told


def test_a_section_without_evidence_names_the_searches_that_asked_for_it() -> None:
    told = shown(Section(heading="Costs: prices, running costs", missing="Nothing on costs."))
    assert "running costs\n\n- Nothing on costs.\n- Searched: “X costs”, “Y costs”." in told


def test_a_section_that_no_search_named_says_how_many_were_made() -> None:
    told = shown(Section(heading="People", missing="Nothing on people."))
    assert "- Nothing on people.\n- 4 searches were made, none in these words." in told


def test_one_search_and_one_claim_are_told_as_one() -> None:
    told = shown(Section(heading="People"), searches=[Search(query="X costs", hits=2)])
    assert "- One search was made, none in these words." in told
    assert "*The one claim was found in what it cites.*" in told
    assert "*The one claim is marked:" in shown(claims_unsupported=1)


@pytest.mark.parametrize(
    ("unjudged", "told"),
    [
        (0, "A second reader judged what words and figures alone do not settle."),
        (1, "do not settle; 1 (25%) were left unjudged."),
        (4, "Nobody judged whether the quotes say so."),
    ],
)
def test_a_report_says_how_many_claims_the_judge_left_unjudged(unjudged: int, told: str) -> None:
    shown_as = shown(claims_total=4, claims_unjudged=unjudged)
    assert told in shown_as
    assert ("second reader" in shown_as) == (unjudged < 4)


def test_a_report_without_a_model_names_pages_only_where_some_were_read() -> None:
    assert "by rule, from the pages listed below.\n" in shown()
    alone = render(Report(title="Sums", sections=[]), [], [], offline=True)
    assert "by rule, from no page.\n" in alone


def test_searches_that_found_nothing_are_named_before_all_others() -> None:
    told = shown(Section(heading="Costs"), searches=[*SEARCHES, Search(query="Z", hits=0)])
    assert "Found nothing: “Z”." in told
    assert "Searched:" not in told


def test_what_speaks_against_a_source_stands_with_it_and_not_in_a_draft() -> None:
    doubted = source("http://a.test/", notes=["states no date", "a *PDF*"])
    report = Report(title="Pumps", sections=[])
    told = render(report, [doubted], [], offline=False)
    assert told.endswith("- A: <http://a.test/> *(states no date; a \\*PDF\\*)*\n")
    assert "states no date" not in render(report, [doubted], None, offline=False)


HOSTILE = [
    "![see](http://beacon.test/?q=1) [click](http://evil.test) [ref]: http://evil.test",
    '<img src="http://beacon.test"><script>alert(1)</script><a href="javascript:alert(1)">x</a>',
    "&#91;9&#93; &lt;img src=http://beacon.test&gt; &#x21;&#x5b;a](http://beacon.test)",
    "\\![see](http://beacon.test) \\\\[click](http://evil.test) `</code>` ~~~ | a | b |",
    "# A heading\n\n---\n\n- a list\n\n> a quote\n\n<http://evil.test> http://evil.test [2] [^1]",
]


PLAIN = {
    *("body", "h1", "h2", "h3", "p", "blockquote", "strong", "em", "ul", "ol", "li", "a"),
    *("table", "thead", "tbody", "tr", "th", "td"),
}
"""What a report is made of."""


def everywhere(text: str) -> str:
    """Return a report in which a page's text stands wherever it may."""
    claim = said(text, text, verdict="partly", reason=text, expression="1", working=text)
    about = {"title": text, "publisher": text, "published": text}
    pages = [source("http://a.test/", **about), source("http://b.test/", **about)]
    table = Comparison(columns=[text], rows=[ComparisonRow(label=text, cells=[claim])])
    sections = [
        Section(heading=text, claims=[claim]),
        Section(heading=text, missing=" ".join(text.split())),
    ]
    report = Report(title=text, comparison=table, sections=sections, notes=[text], claims_total=1)
    others = {"caveats": [text], "would_change": [text]}
    report = report.model_copy(update=others)
    return render(report, pages, [Search(query=text, hits=0, error=text)], offline=True)


def shown_of(told: str) -> Any:
    return fromstring(render_page("Report", told)).find("body")


@pytest.mark.parametrize("text", HOSTILE)
def test_a_pages_text_stays_text_wherever_it_stands(text: str) -> None:
    """No image, link, tag or citation of its own: what is shown is letter for letter what it was."""
    told = everywhere(text)
    assert set(re.findall(r"(?<!\\)\[(\d+|\^.*?)(?<!\\)\]", told)) == {"1", "2", "3"}
    shown = shown_of(told)
    assert {node.tag for node in shown.iter()} <= PLAIN
    assert {link.get("href") for link in shown.iter("a")} == {
        *("http://a.test/", "http://b.test/", "#note_1", "#note_2", "#note_3")
    }
    places = shown_of(everywhere("Pumps")).text_content().count("Pumps")
    said = " ".join(shown.text_content().split())
    assert said.count(" ".join(text.split())) == places > 10

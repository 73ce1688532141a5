"""Lines on what was not found: which passages bear on them, and what a judge's rulings make of them."""

import json
import time
from functools import cache
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest

from contracts.evidence.claims import Citation, Claim, RefusedClaim
from contracts.evidence.sources import FoundPage
from contracts.report.additions import LookupHint
from contracts.report.checks import (
    Gap,
    GapRuling,
    KnownClaim,
    LinePhrases,
    PagePassage,
    PassagesFound,
)
from contracts.report.patches import TABLE, CellChange, Patch
from contracts.report.report import Comparison, ComparisonRow, Report, Section
from domain.evidence.pages.cited_page import CitedPage
from domain.evidence.pages.passage_search import find_passages, split_spans
from domain.evidence.quotes import Snapshot
from domain.report.claims.report_claims import list_claims
from domain.report.gaps.gap_lookup import (
    MAX_PASSAGES_CHARS,
    MAX_UNOPENED,
    add_hints,
    choose_passages,
    choose_unopened,
    leave_out_shown,
    phrase_gaps,
    reuse_phrases,
)
from domain.report.gaps.gap_rulings import Labels, rule_gaps
from domain.report.gaps.kept_gaps import keep_gaps, keep_not_held, leave_out_told
from domain.report.gaps.listed_gaps import (
    apply_gaps,
    list_found,
    list_gaps,
    list_refused_cells,
    list_unanswered,
)
from domain.report.gaps.merged_gaps import list_merged, put_together, take_apart
from tests.support import sources

FILLER = "\n\n".join(
    f"Paragraph {n} on shipping, harvests and the weather of the year says little of it."
    for n in range(300)
)
PAGES = {
    1: "# Cash flows\n\n(Dollars in millions)\n\n| Years ended December 31 | 2022 | 2021 |\n| --- | --- | --- |\n"
    "| Property, plant and equipment additions | (1,222) | (980) |\n| Depreciation | 1,979 | 2,144 |",
    2: "# Salzwasserbatterie\n\nDie Zellen halten lange. Zudem lässt sich der Elektrolyt wiederverwenden. "
    "Das senkt die Kosten der Entsorgung deutlich.",
    3: "Electricity access, Nigeria: rural areas: 27% (2021)\n\nElectricity access, Ghana: rural areas: 74% (2021)",
    4: "Electricity generation sources, Ghana: fossil fuels: 63.5%; solar: 0.6%; hydroelectricity: 35.4%",
    5: "The decrease in cash provided by operating activities in fiscal\n2023 was primarily due to lower "
    "earnings in the current year and\nthe timing of payments to suppliers.",
    6: "The company was founded in 1983. Its first shop was in Oslo; it moved to Bergen later on.",
    7: "Tobacco use is banned in all schools. Fuel stations: 412 (2024). The law was passed in June 2019.",
    8: "Q: How long is the warranty? A: The battery is guaranteed for eight years or 160,000 kilometres.",
    9: "| Region | Stores | Employees |\n| --- | --- | --- |\n| North | 14 | 310 |\n| South | 9 | 205 |",
    10: "There is no tariff on solar modules imported from Kenya into Uganda within the customs union.",
}
FALSE = [
    ("No source says what Boeing spent on property, plant and equipment in 2021.", "(980)"),
    ("Ob sich der Elektrolyt wiederverwenden lässt, sagt keine der Seiten.", "wiederverwenden"),
    ("No page says how much of Nigeria's rural population has electricity.", "27%"),
    ("No source says how large a part of Ghana's power is solar.", "0.6%"),
    ("Why operating cash fell in fiscal 2023 is not explained anywhere.", "lower earnings"),
    ("Wie viel hydro Ghana nutzt, ist nirgends zu finden.", "35.4%"),
    ("It was not found when the company was founded.", "1983"),
    ("The number of fuel stations could not be found.", "412"),
    ("When the law on tobacco was passed is not stated in any source.", "June 2019"),
    ("Nothing was found on the battery's warranty in years.", "eight years"),
    ("How many employees the South region has is missing.", "205"),
    ("Whether Uganda levies a tariff on modules from Kenya is not said.", "no tariff"),
]


@cache
def pages() -> dict[int, CitedPage]:
    return {
        n: CitedPage(f"Page {n}", Snapshot(f"{FILLER}\n\n{t}\n\n{FILLER}"))
        for n, t in PAGES.items()
    }


@pytest.mark.parametrize(("line", "told"), FALSE, ids=[told for _, told in FALSE])
def test_passage_that_tells_a_line_is_among_those_shown(line: str, told: str) -> None:
    found = find_passages(pages(), [[line]], [])
    shown = [" ".join(found.passages[n].text.split()) for n in found.by_line[0]]
    assert any(told in text for text in shown), shown


FIXTURES = Path(__file__).parents[3] / "fixtures" / "not_found"
SOUGHT: list[dict[str, Any]] = json.loads((FIXTURES / "lines.json").read_text("utf-8"))


def find_unshown(*, with_phrases: bool) -> list[str]:
    """Return the lines whose relevant passage is not found on pages too long to be shown whole."""
    names = sorted({each["page"] for each in SOUGHT})
    texts = [(FIXTURES / f"{name}.txt").read_text("utf-8") for name in names]
    read = {
        n: CitedPage(f"Page {n}", Snapshot(f"{FILLER}\n\n{text}\n\n{FILLER}"))
        for n, text in enumerate(texts, start=1)
    }
    lines = [[e["line"], *(e["phrases"] if with_phrases else [])] for e in SOUGHT]
    found = find_passages(read, lines, [])
    return [
        each["line"]
        for each, near in zip(SOUGHT, found.by_line, strict=True)
        if not any(each["told"] in found.passages[n].text for n in near)
    ]


def test_line_in_other_words_or_another_language_is_found_by_its_phrases() -> None:
    assert find_unshown(with_phrases=True) == []
    assert len(find_unshown(with_phrases=False)) > len(SOUGHT) / 2, "its own words do not do"


def test_passage_that_tells_a_line_bears_on_it_and_most_others_do_not() -> None:
    names = sorted({each["page"] for each in SOUGHT})
    read = {
        n: CitedPage(f"Page {n}", Snapshot((FIXTURES / f"{name}.txt").read_text("utf-8") + FILLER))
        for n, name in enumerate(names, start=1)
    }
    gaps = [Gap(place="", line=each["line"], phrases=each["phrases"]) for each in SOUGHT]
    found = find_passages(read, [[gap.line, *gap.phrases] for gap in gaps], [])
    left = 0
    for gap, each, near in zip(gaps, SOUGHT, found.by_line, strict=True):
        alone = PassagesFound(passages=found.passages, by_line=[near])
        [chosen] = choose_passages(alone, [gap], [])
        assert any(each["told"] in part.text for part in chosen), gap.line
        left += len(chosen) - 1
    assert left < sum(len(near) - 1 for near in found.by_line) / 3


def test_phrase_does_not_put_out_what_the_line_itself_finds() -> None:
    line, told = FALSE[0]
    useless = ["shipping, harvests and the weather", "of the year says little"]
    found = find_passages(pages(), [[line, *useless]], [])
    assert any(told in found.passages[n].text for n in found.by_line[0])


def test_a_row_that_tells_a_line_is_quoted_below_its_unit_and_columns() -> None:
    table = "(in thousands)\n| | 2023 | 2022 |\n|---|---|---|\n| Solar homes | 4,711 | 3,902 |"
    read = {1: CitedPage("Page", Snapshot(f"{FILLER}\n\n{table}\n\n{FILLER}"))}
    found = find_passages(read, [["How many solar homes there are is not said."]], [])
    row = next(part for part in found.passages if part.text.startswith("| Solar"))
    ruling = GapRuling(line=1, verdict="told", by=["p1"])
    [gap] = rule_gaps([Gap(place="A", line="No homes.")], [ruling], {"p1": row})
    assert [part.above for part in gap.found] == [["(in thousands)", "| | 2023 | 2022 |"]]


FORM = "Form 10-K, fiscal year 2022"
LIKE = (
    f"Harbour, Inc., {FORM}",
    f"The Meadow Company, {FORM}",
    f"Quarry Communications Inc., {FORM}",
)


@pytest.mark.parametrize(
    ("place", "line", "titles", "searched"),
    [
        ("What is missing", "A reason that Meadow's filing gives for its debt", LIKE, {2}),
        ("Quarry", "A reason for its debt", LIKE, {3}),
        ("Debt", "How the debts of Harbour and Quarry compare", LIKE, {1, 3}),
        ("Debt", "A company that explains its debt", LIKE, {1, 2, 3}),
        ("Debt", "What Harbour says of its debt", ("Harbour raises debt", *LIKE[1:]), {1, 2, 3}),
        (
            "Debt",
            "Debt of 2021",
            (f"Harbour, Inc., {FORM}", LIKE[0].replace("2022", "2021")),
            {1, 2},
        ),
    ],
    ids=["in-the-line", "in-the-heading", "two", "none", "another-kind", "year"],
)
def test_a_line_on_one_of_several_like_documents_has_passages_of_that_one(
    place: str, line: str, titles: tuple[str, ...], searched: set[int]
) -> None:
    debt = "The reason for the rise of its debt is told here, as is how it compares."
    read = {
        n: CitedPage(title, Snapshot(f"{FILLER}\n\n{debt} {n}\n\n{FILLER}"))
        for n, title in enumerate(titles, start=1)
    }
    claims = [
        KnownClaim(
            text="Its debt rose for a reason.", places=[(n, len(FILLER) + 5, len(FILLER) + 9)]
        )
        for n in read
    ]
    found = find_passages(read, [[f"{place} {line}"]], claims)
    told = {found.passages[n].source for n in found.by_line[0]}
    assert {
        found.passages[n].source for n in found.by_line[0] if debt in found.passages[n].text
    } == searched
    assert told == searched


@pytest.mark.parametrize("is_long", [False, True])
def test_a_part_of_a_long_sentence_is_no_notice_of_a_passage(is_long: bool) -> None:
    rest = f", as are {'the tables and maps and ' * 15}names in it" if is_long else ""
    text = f"All figures on this page are invented{rest}.\n\n{FILLER}\n\nSolar homes: 4,711.\n\n{FILLER}"
    found = find_passages({1: CitedPage("Page", Snapshot(text))}, [["Solar homes"]], [])
    [part] = [part for part in found.passages if "4,711" in part.text]
    assert ("invented" in part.notice) != is_long


def test_phrases_are_taken_by_the_numbers_of_lines_and_bounded() -> None:
    gaps = [Gap(place="A", line="No size."), Gap(place="A", line="No age.")]
    many = [f"phrase {n}" for n in range(9)]
    written = [
        LinePhrases(line=2, phrases=[" in  use\nsince ", "in use since", "", "x" * 900]),
        LinePhrases(line=7, phrases=["nobody's"]),
        LinePhrases(line=1, phrases=many),
    ]
    first, second = phrase_gaps(gaps, written)
    assert first.phrases == many[:5]
    assert second.phrases == ["in use since", "x" * 200]
    assert [gap.phrases for gap in phrase_gaps(gaps, [])] == [[], []]


REWORDED = [
    (
        "What the shop's stock purchases came to in 2024 is missing.",
        "took back 1.4 million of its own",
    ),
    ("No page names who brought the Lakeside suit.", "League of Tenants"),
    ("It was not found when the patched loader was taken out.", "left the code base"),
    ("When the houses are closed is not told.", "Doors are shut on Tuesdays"),
    (
        "Whether children pay for membership is not stated.",
        "Cards are free for those under sixteen",
    ),
    ("No source says who runs the town hall.", "mayor Ines Falk"),
]
SHORT = [
    "In the year to May 2024 the chain took back 1.4 million of its own papers for $310.5 million.",
    "The League of Tenants and two unions filed against Lakeside County in spring.",
    "The trick that altered sources on loading left the code base in March 2021.",
    "Visits cost 4 euros. Doors are shut on Tuesdays.",
    "Cards are free for those under sixteen. Grown-ups give 20 euros a year.",
    "Since the vote of 2022 mayor Ines Falk leads the administration.",
]


@pytest.mark.parametrize(("line", "told"), REWORDED, ids=[told for _, told in REWORDED])
def test_short_page_is_shown_whole_whatever_its_words(line: str, told: str) -> None:
    texts = [*(f"# About\n\n{FILLER[:3_000]}\n\n{text}" for text in SHORT), FILLER * 4]
    read = {n: CitedPage(f"Page {n}", Snapshot(text)) for n, text in enumerate(texts, start=1)}
    found = find_passages(read, [[line]], [])
    assert any(told in part.text for part in found.passages)
    places = [(part.source, part.start) for part in found.passages]
    assert places == sorted(places), "a page reads as a whole"
    for number, text in enumerate(texts[:-1], start=1):
        shown = "".join(part.text for part in found.passages if part.source == number)
        assert "".join(shown.split()) == "".join(text.split())
    assert sum(len(p.text) for p in found.passages if p.source == len(texts)) < 10_000


def test_pages_that_have_no_room_are_shown_by_passages() -> None:
    read = {n: CitedPage(f"Page {n}", Snapshot(FILLER[: 4_000 * n])) for n in range(1, 9)}
    found = find_passages(read, [["No source tells of opera."]], [])
    assert {part.source for part in found.passages} == {1, 2, 3}, (
        "the shortest, of 24,000 characters"
    )


LONG = {
    "sentence": "a rather long tale without any stop that goes on and on " * 60,
    "row": f"| {'cell of a very wide table | ' * 90}",
    "sentences": "The firm sold 4.5 tons. It was a good year for it; others had less luck. " * 40,
}


@pytest.mark.parametrize("text", LONG.values(), ids=LONG)
def test_passage_begins_and_ends_between_words(text: str) -> None:
    spans = [*split_spans(text)]
    assert len(spans) > 2
    for start, end in spans:
        assert end - start <= 600
        assert not start or text[start - 1].isspace()
        assert end == len(text) or text[end - 1].isspace() or text[end].isspace()


REPEATED = (
    "Stories like this one reach you because of readers who give what they can each month, however"
    " little it may seem to them; the shipping of gifts is paid for by us."
)


def test_what_several_pages_repeat_is_shown_once_and_a_short_page_keeps_it() -> None:
    footer = f"{REPEATED}\n\nBack to the top"
    long = f"{FILLER}\n\n{footer}\n\n{FILLER}\n\n{footer}"
    texts = {1: long, 2: f"# Shipping\n\nIt began in 1901.\n\n{footer}", 3: long}
    read = {n: CitedPage(f"Page {n}", Snapshot(text)) for n, text in texts.items()}
    found = find_passages(read, [["Who pays for the shipping of gifts is not said."]], [])
    shown = [(p.source, p.text) for p in found.passages if p.text in (REPEATED, "Back to the top")]
    assert shown == [(2, REPEATED), (2, "Back to the top")]
    told = [(found.passages[n].source, found.passages[n].text) for n in found.by_line[0]]
    assert told[0] == (2, REPEATED)
    assert len(set(told)) == len(told) == 10, "the places that repeats would have taken"


def test_equal_rows_and_short_sentences_under_other_headings_are_no_repeats() -> None:
    rows = "\n\n".join(
        f"## Year {year}\n\n| Of | {year} |\n| --- | --- |\n| Gulls | 17 |\n\nIt snowed."
        for year in (2021, 2022)
    )
    rows += "\n\n| Of | 2023 |\n| --- | --- |\n| Gulls | 17 |"
    found = find_passages(
        {1: CitedPage("Page", Snapshot(f"{FILLER}\n\n{FILLER}\n\n{rows}"))},
        [["How many gulls there were when it snowed."]],
        [],
    )
    snow = [p.above[:9] for p in found.passages if p.text == "It snowed."]
    gulls = [p.above[-13:] for p in found.passages if p.text == "| Gulls | 17 |"]
    assert snow == ["Year 2021", "Year 2022"]
    assert gulls == [f"| Of | {year} |" for year in (2021, 2022, 2023)]


def test_heading_takes_no_place_of_a_passage() -> None:
    headings = "\n\n".join(f"## Purchases of own shares, part {n}\n\nNone." for n in range(12))
    told = "It bought 14 of its own shares."
    page = f"{FILLER}\n\n{FILLER}\n\n{headings}\n\n## Other\n\n{told}"
    line = "What purchases of own shares came to is missing."
    found = find_passages({1: CitedPage("Page", Snapshot(page))}, [[line]], [])
    shown = [found.passages[n] for n in found.by_line[0]]
    assert told in [part.text for part in shown]
    assert not [part.text for part in shown if part.text.startswith("#")]


def test_passage_is_shown_with_what_the_page_says_of_it() -> None:
    story = "The next part of this page is a short story, and everything in it is invented."
    texts = {
        1: f"It has 12 boats.\n\n{story}\n\n{FILLER}\n\nIt has 40 boats.\n\nHere the story ends.\n\nIt has 7 boats.",
        2: "It has 9 boats.\n\nIt is big.\n\nAll figures on this page are made up.",
    }
    read = {n: CitedPage(f"Page {n}", Snapshot(text)) for n, text in texts.items()}
    found = find_passages(read, [["How many boats it has."]], [])
    notices = {part.text: part.notice for part in found.passages if "boats" in part.text}
    assert notices == {
        "It has 12 boats.": "",
        "It has 40 boats.": story,
        "It has 7 boats.": "",
        "It has 9 boats.": "All figures on this page are made up.",
    }


def test_row_of_a_statement_without_table_marks_is_not_cut_in_two() -> None:
    rows = [f"Item number {n} of the statement, net of tax {n},{n}00 (4,{n}50)" for n in range(80)]
    text = "STATEMENT OF CASH FLOWS\nIn thousands 2023 2022\n" + "\n".join(rows)
    pieces = [text[start:end] for start, end in split_spans(text)]
    assert len(pieces) > 5
    assert [line for piece in pieces for line in piece.splitlines()] == text.splitlines()


def test_header_that_rows_share_takes_its_room_once() -> None:
    header = "| " + " | ".join(f"of the unit numbered {n} at the site" for n in range(12)) + " |"
    rows = "\n".join(f"| Mast{n} beacon | {n} |" for n in range(1_000, 1_150))
    page = f"{FILLER}\n\n{FILLER}\n\n{header}\n| --- |\n{rows}"
    lines = [[f"Whether {n} is lit."] for n in range(1_000, 1_150)]
    found = find_passages({1: CitedPage("Page", Snapshot(page))}, lines, [])
    shown = "".join(part.text for part in found.passages)
    assert all(f"Mast{n} " in shown for n in range(1_000, 1_150))


def test_table_row_is_shown_with_its_header_and_its_own_place() -> None:
    found = find_passages(pages(), [[FALSE[0][0]]], [])
    row = next(p for p in found.passages if "(980)" in p.text)
    assert "2022 | 2021" in row.above
    assert pages()[row.source].snapshot.text[row.start : row.end] == row.text


def test_passages_of_the_nearest_claims_are_shown_whatever_their_language() -> None:
    text = pages()[2].snapshot.text
    at = text.index("Zudem")
    claim = KnownClaim(text="The electrolyte can be used again.", places=[(2, at, at + 20)])
    found = find_passages(
        pages(), [["No source says whether the electrolyte is used again."]], [claim]
    )
    assert any("wiederverwenden" in found.passages[n].text for n in found.by_line[0])


def test_every_character_of_a_text_is_in_a_passage_once() -> None:
    text = f"{PAGES[5]} {'word ' * 900}. End.\n\n{PAGES[1]}\n{LONG['row']}\n\n{'x' * 2_000}"
    spans = [*split_spans(text)]
    assert all(a[1] <= b[0] for a, b in pairwise(spans))
    left = text
    for start, end in spans:
        left = left[:start] + " " * (end - start) + left[end:]
    assert not any(map(str.isalnum, left))


def test_time_grows_with_the_length_of_the_pages() -> None:
    def measure(times: int) -> float:
        page = {1: CitedPage("Page", Snapshot((FILLER + ". " * 4_000 + " " * 4_000) * times))}
        began = time.perf_counter()
        find_passages(page, [[line] for line, _ in FALSE], [])
        return time.perf_counter() - began

    measure(1)
    assert measure(8) < 24 * measure(2) / 4 + 0.5


def test_what_is_told_leaves_the_report_and_its_passage_is_kept_unless_a_claim_quotes_it() -> None:
    cited = Citation(source=1, quote="It is 5.", start=10, end=18)
    claim = Claim(text="It is 5.", citations=[cited], verdict="supported")
    report = Report(
        title="X", sections=[Section(heading="A", claims=[claim], missing="No size.\nNo age.")]
    )
    assert [gap.line for gap in list_gaps(report)] == ["No size.", "No age."]
    places = [(1, 10, 17), (1, 0, 40), (1, 30, 40), (2, 10, 17)]
    quoted = [Citation(source=n, quote="…", start=a, end=z) for n, a, z in places]
    told = Gap(place="A", line="No size.", verdict="told", found=quoted)
    also = Gap(place="B", line="No width.", verdict="told", found=quoted[:2])
    kept = Gap(place="A", line="No age.", verdict="not_told")
    checked = apply_gaps(report, [told, kept, also])
    assert checked.sections[0].missing == "No age."
    assert list_found(checked) == [(quoted[1], ["A", "B"]), *((q, ["A"]) for q in quoted[2:])]
    assert [gap.verdict for gap in list_gaps(checked)] == ["told", "told", "not_told"], (
        "kept for later checks"
    )


def test_passage_that_tells_a_line_beside_a_claim_is_kept_unless_the_claim_rests_on_it() -> None:
    cited = Citation(source=1, quote="It is 5.", start=10, end=18)
    claim = Claim(text="It is 5.", citations=[cited], verdict="supported")
    own = PagePassage(source=1, start=0, end=20, text="…")
    other = PagePassage(source=1, start=30, end=40, text="It is old.")
    ruling = GapRuling(line=1, verdict="told", by=["c1", "p1", "p2"])
    [gap] = rule_gaps(
        [Gap(place="A", line="No size, no age.")], [ruling], {"c1": claim, "p1": own, "p2": other}
    )
    assert [part.quote for part in gap.found] == ["It is old."]


@pytest.mark.parametrize(
    ("quoted", "is_shown"),
    [
        ("| Debt due within a year | 11,526 | 5,983 |", False),
        ("Debt due within a year, on 2025-06-29: 11.5 billion USD (11,526,000,000 USD)", False),
        ("| Debt due within a year, 2025-06-29 | 11.5 |", True),
        ("| Loans | 2,384 |", True),
        ("Fiscal year 2025: loans of 2,384", True),
    ],
)
def test_line_with_a_figure_that_a_claim_quotes_elsewhere_is_not_unused(
    quoted: str, *, is_shown: bool
) -> None:
    line = "Debt | USD | on 2025-06-29: 11,526,000,000; on 2024-12-29: 2,385,000,000; 2025"
    told = Citation(source=2, quote=line, start=0, end=len(line))
    claim = Claim(
        text="It owes 11.5 billion.",
        citations=[Citation(source=1, quote=quoted, start=0, end=len(quoted))],
    )
    report = Report(
        title="A",
        sections=[Section(heading="B", claims=[claim])],
        gaps=[Gap(place="B", line="When debt falls due.", verdict="told", found=[told])],
    )
    assert [part for part, _ in list_found(report)] == [told] * is_shown


def test_of_a_passage_of_several_lines_those_that_a_claim_quotes_are_not_shown_as_unused() -> None:
    """Johnson & Johnson's 11.5 billion of debt were a reason, and "told by a page, and not used above"."""
    lines = ["Debt: 11.5 billion.", "Year two: 2.0.", "Year three: 2.4.", "Rate: 3.6 %.", "End."]
    text = "\n".join(lines)
    starts = [7 + text.index(line) for line in lines]
    passage = Citation(source=1, quote=text, start=7, end=7 + len(text))
    quoted = [
        Citation(source=1, quote=lines[n], start=starts[n], end=starts[n] + len(lines[n]))
        for n in (0, 3)
    ]
    claim = Claim(text="It owes 11.5 billion.", citations=quoted, verdict="supported")
    report = Report(
        title="T",
        sections=[Section(heading="A", claims=[claim])],
        gaps=[Gap(place="A", line="When it falls due.", found=[passage])],
    )
    parts = [part for part, _ in list_found(report)]
    assert [part.quote for part in parts] == ["Year two: 2.0.\nYear three: 2.4.", "End."]
    assert [part.start for part in parts] == [starts[1], starts[4]]
    assert all(part.end - part.start == len(part.quote) for part in parts)


def test_line_on_a_page_that_nobody_opened_names_that_page_and_is_no_true_gap() -> None:
    names = ["mali-roads", "chad-economy", "chad-roads"]
    found = [FoundPage(url=f"http://a.test/{n}", title=n.replace("-", ": ")) for n in names]
    gaps = [
        Gap(place="A", line="No roads."),
        Gap(place="A", line="No income.", phrases=["economy"]),
    ]
    left = choose_unopened(found, [sources.page(found[0].url)], gaps)
    assert {each.url for each in left} == {each.url for each in found[1:]}
    rulings = [
        GapRuling(line=1, verdict="not_opened", by=["u1", "c1"]),
        GapRuling(line=2, verdict="not_opened", by=["c1"]),
    ]
    claim = Claim(text="It is 5.", citations=[])
    ruled = rule_gaps(gaps, rulings, {"c1": claim, "u1": found[2]})
    assert [gap.verdict for gap in ruled] == ["not_opened", "not_told"]
    assert [gap.not_opened for gap in ruled] == [[found[2]], []]
    assert ruled[0].printed == "No roads."


def test_nothing_is_ruled_not_found_while_pages_were_not_searched() -> None:
    gaps = [Gap(place="A", line=line) for line in ("No roads.", "No income.", "No rain.")]
    page = FoundPage(url="http://a.test/roads", title="Roads")
    rulings = [
        GapRuling(line=1, verdict="not_opened", by=["u1"]),
        GapRuling(line=2, verdict="not_told", by=[]),
        GapRuling(line=3, verdict="told", by=["c1"]),
    ]
    labels: Labels = {"u1": page, "c1": Claim(text="It rains.", citations=[])}
    ruled = rule_gaps(gaps, rulings, labels, is_searched=False)
    assert [gap.verdict for gap in ruled] == ["not_opened", None, "told"]
    assert rule_gaps(gaps, rulings, labels)[1].verdict == "not_told"


def test_each_gap_has_its_best_page_that_nobody_opened_by_the_search_that_found_it() -> None:
    pages = [
        *(
            FoundPage(url=f"http://a.test/{n}", title=f"Prices of pumps {n}", rank=n)
            for n in range(MAX_UNOPENED + 2)
        ),
        FoundPage(url="http://a.test/atlas", title="Atlas", rank=7, query="Chad transport network"),
    ]
    gaps = [Gap(place="A", line="No prices of pumps."), Gap(place="A", line="No transport.")]
    chosen = [page.url.rpartition("/")[2] for page in choose_unopened(pages, [], gaps)]
    assert chosen[:3] == ["0", "atlas", "1"]
    assert len(chosen) == MAX_UNOPENED


@pytest.mark.parametrize(
    ("left", "kept"),
    [
        ("No source says what the price in Chad was in 2024.", True),
        ("No source says what the price in Kenya and Chad, other than 2023’s, was.", False),
        ("No source says what the price elsewhere in Chad was in 2024.", True),
        ("Its price in Chad stays unknown.", True),
        ("No source says what the price, which doubled, in Chad was in 2024.", False),
        ("No source says what the price beyond what it costs in Kenya was in 2024.", True),
        ("No source says what the price beyond what it earns in Kenya was in 2024.", False),
        ("Chad had no price in 2024.", False),
        ("The price in Chad was that in 2024.", False),
        ("No source says.", False),
        ("Its price in Chad, as of 2019.", False),
        ("No source says what the price in Kenya and Chad was in 2024.", False),
    ],
)
def test_what_is_left_of_a_line_stands_in_its_place_unless_it_states_a_fact(
    left: str, kept: bool
) -> None:
    line = "No source says what the price in Kenya and Chad was in 2024."
    ruling = GapRuling(line=1, verdict="partly", by=["c1"], left=left)
    claim = Claim(text="In Kenya it costs 300 dollars.", citations=[])
    [gap] = rule_gaps([Gap(place="A", line=line)], [ruling], {"c1": claim})
    assert gap.left == (left if kept else "")
    assert gap.printed == (left if kept else line)


@pytest.mark.parametrize(
    ("left", "kept"),
    [
        ("What is paid for heating the depots beyond the filed cost of fuel and light.", True),
        ("What is paid for heating the depots, apart from fuel.", True),
        ("What is paid for heating the depots is unknown.", True),
        ("What is paid for heating the depots beyond the falling cost of fuel.", False),
        ("What is paid for heating the depots, as the cost of fuel was filed.", False),
        ("No heating of the depots is paid for.", False),
        ("Was für die depots gezahlt wird.", False),
    ],
)
def test_what_is_left_of_a_line_may_leave_out_what_was_found_in_its_words(
    left: str, kept: bool
) -> None:
    line = "What is paid for heating, cooling and cleaning the depots."
    passage = PagePassage(
        source=1,
        start=0,
        end=22,
        text="| Costs of fuel and light | 31 |",
        heads=["| What was filed |"],
    )
    ruling = GapRuling(line=1, verdict="partly", by=["p1"], left=left)
    [gap] = rule_gaps([Gap(place="A", line=line)], [ruling], {"p1": passage})
    assert gap.printed == (left if kept else line)


def test_gap_is_listed_unless_a_line_has_its_words_and_none_is_listed_twice() -> None:
    listed = "No source says what the pumps weighed in 2021."
    other = "What the pumps weighed in 2021: no source says."
    report = Report(title="X", sections=[Section(heading="A", missing=listed)])
    again = f" {listed.upper().rstrip('.')}"
    kept = keep_gaps(report, [again, f"{other}\nWho builds the valves.", f"{other} "], "Lost")
    assert [s.heading for s in kept.sections] == ["A", "Lost"]
    assert kept.sections[1].missing.splitlines() == [other, "Who builds the valves."]
    assert keep_gaps(report, [again, "  "], "Lost") == report


def test_gap_of_two_sentences_stays_one_line_until_it_is_ruled_on() -> None:
    gap = "What a plant needs per tonne of ice. No source that can be searched holds it."
    other = "What a plant costs. No source that can be searched holds it."
    kept = keep_gaps(Report(title="X", sections=[]), [gap, other, gap], "Lost")
    assert [each.line for each in list_gaps(kept)] == [gap, other]
    patch = Patch(number=1, section="A", missing="What it needs.", replaces=[gap])
    section = Section(heading="A", missing="What it needs.")
    said = kept.model_copy(update={"sections": [section, *kept.sections]})
    assert leave_out_told(said, [patch]).sections[1].missing == other
    ruled = [g.model_copy(update={"verdict": "told"}) for g in list_gaps(kept)[:1]]
    left = apply_gaps(kept, [*ruled, *list_gaps(kept)[1:]])
    assert left.sections[0].missing == other
    assert [each.line for each in list_gaps(left)] == [gap, other], "so it is when checked again"


def test_cell_without_data_counts_as_judged_only_if_its_line_was_checked() -> None:
    cell = Claim(text="No roads.", citations=[], not_found=True, verdict="supported")
    table = Comparison(columns=["Mali"], rows=[ComparisonRow(label="Roads", cells=[cell])])
    report = Report(title="X", comparison=table, sections=[])
    [gap] = list_gaps(report)
    for verdict, left in ((None, None), ("not_told", "supported")):
        ruled = apply_gaps(report, [gap.model_copy(update={"verdict": verdict})])
        assert [claim.verdict for claim in list_claims(ruled)] == [left]


def test_judged_sentence_on_what_was_not_found_keeps_its_verdict_if_its_line_was_not_checked() -> (
    None
):
    claim = Claim(text="No price is known.", citations=[], not_found=True, verdict="supported")
    report = Report(title="X", sections=[Section(heading="A", claims=[claim])])
    [gap] = list_gaps(report)
    assert list_claims(apply_gaps(report, [gap])) == [claim]


def test_line_like_a_known_one_is_sought_by_its_phrases() -> None:
    known = [
        Gap(place="A", line="What the pumps weighed in 2021.", phrases=["weight in kg"]),
        Gap(place="A", line="Who builds the valves.", phrases=["supplier"]),
    ]
    lines = ["No source says what the pumps weighed.", "No source says whether wells are deep."]
    found = reuse_phrases([Gap(place="B", line=line) for line in lines], known)
    assert [gap.phrases for gap in found] == [["weight in kg"], []]
    assert reuse_phrases(found, []) == found


def test_a_line_in_the_place_of_others_is_sought_by_some_phrases_of_each() -> None:
    known = [
        Gap(place="A", line=f"Duty {n}.", phrases=[f"tariff {n}", f"customs {n}"]) for n in "abc"
    ]
    patch = Patch(
        number=1,
        section="A",
        missing_before="Duty c.",
        missing="Duty c.\nDuty elsewhere, and the harbour's berths.",
        replaces=["Duty a.", "Duty b."],
    )
    line = "Duty elsewhere, and the harbour's berths."
    [found] = reuse_phrases([Gap(place="A", line=line)], known, [patch])
    both = ["tariff a", "tariff b", "customs a", "customs b"]
    assert found.phrases == ["elsewhere harbour berths", *both], "what no line before it said"
    patch = patch.model_copy(update={"missing": "Duty c.\nA duty, b."})
    [found] = reuse_phrases([Gap(place="A", line="A duty, b.")], known, [patch])
    assert found.phrases == both


def test_judge_of_lines_is_not_told_again_what_stands_in_the_passages_that_it_sees() -> None:
    parts = [PagePassage(source=1, start=s, end=s + 20, text="…") for s in (40, 0, 20)]
    parts += [PagePassage(source=2, start=0, end=9, text="…")]

    def cite(*places: tuple[int, int, int], **more: Any) -> Claim:
        cited = [Citation(source=n, quote="q", start=a, end=b) for n, a, b in places]
        return Claim(text="It is 5.", citations=cited, verdict="supported", **more)

    shown = [cite((1, 3, 38)), cite((1, 40, 60), (2, 0, 9))]
    more = [
        *(cite((1, 50, 70)), cite((2, 8, 12)), cite((3, 0, 5)), cite((1, -1, -1))),
        *(cite((1, 0, 5), (3, 0, 5)), cite((1, 0, 5), expression="2 + 3")),
        *(cite(rests_on=["a"]), cite(assumed=True), cite()),
    ]
    assert leave_out_shown([*shown, *more], parts) == more


def test_passages_that_no_claim_quotes_are_chosen_once_and_best_first() -> None:
    parts = [
        PagePassage(source=1, start=10 * n, end=10 * n + 9, text=f"Part {n}.") for n in range(5)
    ]
    quoted = Claim(text="A.", citations=[Citation(source=1, quote="Part 1.", start=12, end=15)])
    found = PassagesFound(passages=parts, by_line=[[1, 0, 2], [0, 3, 4]])
    lines = [Gap(place="A", line="Which part."), Gap(place="A", line="x", phrases=["this part"])]
    chosen = choose_passages(found, lines, [quoted])
    assert [[part.text for part in each] for each in chosen] == [
        ["Part 0.", "Part 2."],
        ["Part 3.", "Part 4."],
    ]
    others = [Gap(place="A", line="What ships weigh."), lines[1]]
    assert [len(each) for each in choose_passages(found, others, [quoted])] == [0, 3]
    long = [part.model_copy(update={"text": "part " * 600}) for part in parts]
    few = choose_passages(found.model_copy(update={"passages": long}), lines, [])
    assert any(few)
    assert sum(len(part.text) for each in few for part in each) <= MAX_PASSAGES_CHARS


def test_passage_that_its_reader_sees_on_the_page_is_not_chosen() -> None:
    parts = [PagePassage(source=n, start=10, end=19, text=f"Part {n}.") for n in (1, 2)]
    found = PassagesFound(passages=parts, by_line=[[0, 1]])
    line = Gap(place="A", line="Which part.")
    for spans, left in (([(0, 19)], [2]), ([(0, 18), (11, 30)], [1, 2]), ([], [1, 2])):
        [chosen] = choose_passages(found, [line], [], shown={1: spans})
        assert [part.source for part in chosen] == left


def test_a_pages_title_says_of_no_passage_that_it_bears_on_a_line() -> None:
    texts = ["Anthem of Mali, sung in Bamako.", "Largest towns of Mali: Sikasso, Mopti."]
    parts = [
        PagePassage(source=1, start=40 * n, end=40 * n + 39, text=text)
        for n, text in enumerate(texts)
    ]
    found = PassagesFound(passages=parts, by_line=[[0, 1]])
    gap = Gap(place="A", line="Mali: largest towns besides Bamako")
    titles = ["Mali: Government"]
    assert [part.text for part in choose_passages(found, [gap], [], titles)[0]] == texts[1:]
    about = Gap(place="A", line="Government of Mali")
    assert choose_passages(found, [about], [], titles)[0] == parts, "its words are all of the title"


def test_passages_of_pages_that_the_report_cites_come_before_those_of_others() -> None:
    parts = [
        PagePassage(source=n % 2 + 1, start=10 * n, end=10 * n + 9, text=f"Part {n}.")
        for n in range(6)
    ]
    quoted = Claim(text="A.", citations=[Citation(source=2, quote="…", start=900, end=901)])
    found = PassagesFound(passages=parts, by_line=[[0, 2, 4, 1, 3, 5]])
    [chosen] = choose_passages(found, [Gap(place="A", line="Which part.")], [quoted])
    assert [part.text for part in chosen] == ["Part 0.", "Part 1.", "Part 3."]


def test_hint_adds_the_phrases_in_which_what_a_line_asks_for_is_filed() -> None:
    hints = [
        LookupHint(asked="buy-?backs?|repurchas", phrases=["Stock repurchased and retired"]),
        LookupHint(asked="leases?", phrases=["Operating lease liability"]),
    ]
    gap = Gap(place="Not found", line="What it spent on buybacks.", phrases=["treasury stock"])
    hinted = add_hints(gap, hints)
    assert hinted.phrases == ["treasury stock", "Stock repurchased and retired"]
    assert add_hints(hinted, hints) == hinted, "a phrase is added once"
    other = Gap(place="Not found", line="It pleases its customers.")
    assert add_hints(other, hints) == other


def test_what_would_change_the_conclusion_is_looked_up_where_it_says_what_was_not_found() -> None:
    lines = [
        "Capital ratios, which were not found: weak ones would call for new shares.",
        "A price below 26 dollars.",
    ]
    report = Report(title="Bank", sections=[], would_change=lines)
    [gap] = list_gaps(report)
    assert gap.line == lines[0]
    told = gap.model_copy(update={"verdict": "told"})
    assert apply_gaps(report, [told]).would_change == lines[1:]
    kept = gap.model_copy(update={"verdict": "not_told"})
    assert apply_gaps(report, [kept]).would_change == lines


def test_passage_is_a_span_of_its_page() -> None:
    for number, page in pages().items():
        found = find_passages({number: page}, [[line] for line, _ in FALSE], [])
        for part in found.passages:
            assert isinstance(part, PagePassage)
            assert page.snapshot.text[part.start : part.end] == part.text


def test_section_and_row_are_unanswered_only_if_nothing_is_left_of_them() -> None:
    held = Claim(text="It is 5.", citations=[], verdict="supported")
    rows = [
        ComparisonRow(label="Size", cells=[None, held]),
        ComparisonRow(label="Age", cells=[None, None]),
    ]
    table = Comparison(columns=["X", "Y"], rows=rows)
    sections = [Section(heading="A", claims=[held]), Section(heading="B"), Section(heading="C")]
    sections.append(Section(heading="A", is_detail=True))  # findings under the text's heading
    report = Report(title="X", comparison=table, sections=sections)
    refused = [
        RefusedClaim(place=place, row=row, claim=held)
        for place, row in [
            *(("A", ""), ("B", ""), ("B", ""), ("Size, X", "Size"), ("Age, X", "")),
            ("Weight, X", "Weight"),
        ]
    ]
    lost = [(part.kind, part.name) for part in list_unanswered(report, refused)]
    assert lost == [("section", "B"), ("row", "Age"), ("row", "Weight")]

    dropped = CellChange(row="Weight", column="X", before=held)
    patch = Patch(number=1, section=TABLE, cells=[dropped])
    lost = [(part.kind, part.name) for part in list_unanswered(report, refused, [patch])]
    assert lost == [("section", "B"), ("row", "Age")], "its writer took the row out"
    ruled = patch.model_copy(update={"is_ruling": True})
    assert list_unanswered(report, refused, [ruled])[-1].name == "Weight", "the judge did"


def test_each_line_is_looked_up_and_ruled_on_as_a_whole() -> None:
    lines = ["No price. It was sought in both filings.", "The date is missing."]
    section = Section(heading="Port", missing="\n\n".join([*lines, lines[0]]))
    report = Report(title="Port", sections=[section])
    gaps = list_gaps(report)
    assert [gap.line for gap in gaps] == lines
    told = gaps[0].model_copy(update={"verdict": "told"})
    assert apply_gaps(report, [told, *gaps[1:]]).sections[0].missing == lines[1]


def test_claims_that_say_what_was_not_found_are_looked_up_once_and_leave_when_told() -> None:
    def lack(text: str) -> Claim:
        return Claim(text=text, citations=[], not_found=True)

    cells: list[Claim | None] = [lack("No roads of Mali."), lack("No roads of Chad.")]
    table = Comparison(columns=["Mali", "Chad"], rows=[ComparisonRow(label="Roads", cells=cells)])
    section = Section(heading="A", claims=[lack("No rail, no port.")], missing="No roads of Mali.")
    report = Report(title="X", comparison=table, sections=[section])
    gaps = list_gaps(report)
    assert [(gap.place, gap.line) for gap in gaps] == [
        ("A", "No roads of Mali."),
        ("Roads, Chad", "No roads of Chad."),
        ("A", "No rail, no port."),
    ]
    assert keep_gaps(report, ["No roads of Chad."], "Rest") == report
    ruled = [
        gaps[0].model_copy(update={"verdict": "told"}),
        gaps[1].model_copy(update={"verdict": "not_told"}),
        gaps[2].model_copy(update={"verdict": "partly", "left": "No port."}),
    ]
    checked = apply_gaps(report, ruled)
    assert checked.comparison
    assert checked.comparison.rows[0].cells == [None, cells[1]]
    assert [claim.text for claim in checked.sections[0].claims] == ["No port."]
    assert checked.sections[0].missing == ""


@pytest.mark.parametrize(("lines", "most"), [(3, 8_000), (12, 12_000)])
def test_the_passages_of_long_pages_are_few_for_few_lines(lines: int, most: int) -> None:
    words = [
        "dock",
        "crane",
        "tug",
        "crew",
        "pilot",
        "ferry",
        "rope",
        "quay",
        "hull",
        "mast",
        "keel",
        "buoy",
    ]
    text = "\n\n".join(
        f"Part {n} on the {word} of yard {n}, and on what else is told of it. {'It is told, ' * 40}and so on."
        for n in range(60)
        for word in words
    )
    pages = {1: CitedPage("Yards", Snapshot(text))}
    found = find_passages(pages, [[f"the {word} of a yard"] for word in words[:lines]], [])
    assert most / 2 < sum(len(passage.text) for passage in found.passages) <= most
    assert all(found.by_line)


@pytest.mark.parametrize(
    ("change", "left"),
    [
        ({}, ["Nothing on trade."]),
        ({"missing": ""}, ["No prices.", "No roads."]),
        ({"is_undone": True}, ["Nothing on trade.", "No prices.", "No roads."]),
    ],
)
def test_lines_are_left_out_while_another_section_says_the_same_in_their_place(
    change: Any, left: list[str]
) -> None:
    lines = ["No prices.", "No roads."]
    missing = change.get("missing", "Nothing on trade.")
    patch = Patch(number=1, section="Trade", missing=missing, replaces=lines)
    undo = [Patch(number=2, section="Trade", undoes=1)] if change.get("is_undone") else []
    sections = [
        Section(heading="Trade", missing=missing),
        Section(heading="Land", missing=lines[0], claims=[Claim(text="Dry.", citations=[])]),
        Section(heading="Lost", missing=lines[1]),
    ]
    report = leave_out_told(Report(title="T", sections=sections), [patch, *undo])
    told = [line for section in report.sections for line in section.missing.splitlines()]
    assert told == left
    assert ("Lost" in [section.heading for section in report.sections]) is ("No roads." in left)


def test_cells_for_which_nothing_held_are_named_with_the_last_reason() -> None:
    def refuse(column: str, reason: str) -> RefusedClaim:
        claim = Claim(text="9 km", citations=[], verdict="not_shown", reason=reason)
        return RefusedClaim(place=f"Roads, {column}", row="Roads", claim=claim)

    held = Claim(text="5 km", citations=[], verdict="supported")
    row = ComparisonRow(label="Roads", cells=[held, None, None])
    table = Comparison(columns=["Mali", "Chad", "Togo"], rows=[row])
    report = Report(title="T", sections=[], comparison=table)
    refused = [refuse("Mali", "a"), refuse("Chad", "b"), refuse("Chad", "c")]
    found = list_refused_cells(report, refused)
    assert [(one.row, one.column, one.reason) for one in found] == [("Roads", "Chad", "c")]


def test_what_the_plan_does_not_hold_is_listed_until_a_sentence_names_it() -> None:
    held, other = "The price of water.", "Duty on pumps."
    said = Claim(text="No price of water is known.", citations=[], not_found=True, gaps=[held])
    silent = said.model_copy(update={"gaps": []})
    alike = Section(heading="B", missing="No source has the price of water.")

    def list_lines(claim: Claim, **change: object) -> list[str]:
        report = Report(
            title="T",
            sections=[Section(heading="A", claims=[claim.model_copy(update=change)]), alike],
        )
        kept = leave_out_told(keep_not_held(report, [held, other, held], "Rest"), [])
        return [
            line for s in kept.sections if s.heading == "Rest" for line in s.missing.split("\n")
        ]

    assert list_lines(said) == [other]
    assert list_lines(silent) == [held, other], "by id, and not as its words are alike"
    assert list_lines(said, verdict="contradicted") == [held, other]
    assert list_lines(said, not_found=False) == [held, other]


def test_sentence_on_what_is_not_told_is_checked_with_the_one_before_it() -> None:
    vote = Claim(text="Mali voted in May.", citations=[])
    lack = Claim(text="The outcome is not known.", citations=[], not_found=True)
    table = Comparison(columns=["Mali"], rows=[ComparisonRow(label="Roads", cells=[lack])])
    sections = [Section(heading="A", claims=[vote, lack]), Section(heading="B", claims=[lack])]
    gaps = list_gaps(Report(title="T", sections=sections, comparison=table))
    assert [gap.after for gap in gaps] == ["", vote.text, ""], "a cell, and one that comes first"


def test_merged_line_is_ruled_on_line_by_line() -> None:
    parts = ["Roads of Mali.", "Debt of Chad.", "Wells of Togo."]
    line = "Roads of Mali. Also the debt of Chad. Wells of Togo, too."
    patch = Patch(number=1, section="A", missing=line, replaces=parts)
    two = patch.model_copy(update={"missing": f"{line}\nTolls."})
    assert list_merged([two]) == {}, "which of both says which is not told"
    merged = list_merged([patch])
    report = Report(title="T", sections=[Section(heading="A", missing=line)])
    [gap] = list_gaps(report)
    apart = take_apart(gap, merged)
    assert [each.line for each in apart] == parts

    def print_as(*verdicts: Any) -> list[str]:
        ruled = [
            each.model_copy(update={"verdict": verdict})
            for each, verdict in zip(apart, verdicts, strict=True)
        ]
        put, gaps = put_together(report, [gap], [ruled])
        done = apply_gaps(put, gaps)
        assert [each.printed for each in list_gaps(done) if each.printed] == [
            each for each in done.sections[0].missing.split("\n") if each
        ]
        return done.sections[0].missing.split("\n")

    assert print_as("not_told", "not_told", "not_told") == [line]
    assert print_as(None, None, None) == [line]
    assert print_as("not_told", "told", "not_opened") == [parts[0], parts[2]]
    assert print_as("told", "told", "told") == [""]
    page = FoundPage(url="https://example.org/togo", title="Wells of Togo")
    unread = apart[2].model_copy(update={"verdict": "not_opened", "not_opened": [page]})
    ruled = [gap.model_copy(update={"verdict": "not_told"}) for gap in apart[:2]]
    put, [whole] = put_together(report, [gap], [[*ruled, unread]])
    assert (whole.line, whole.verdict, whole.not_opened) == (line, "not_opened", [page])
    assert apply_gaps(put, [whole]).sections[0].missing == line

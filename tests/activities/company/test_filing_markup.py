"""The parser's reading of a filing's tags and layout, for any content."""

from time import process_time

import pytest

from activities.parsing.html.filing_markup import read_cover, read_parts
from activities.parsing.html.reader import load_tree
from activities.parsing.read_document import read_document
from contracts.documents import CoverPage
from tests.activities.company.filed_documents import NEW_RISK, NORTH, REVENUE, RISKS, render_report

YEAR = "2025-01-01", "2025-12-31"


def read(page: str) -> list[tuple[str, str, float]]:
    parts = read_document(page.encode(), "text/html").parts
    return [(part.axis, part.member, part.value) for part in parts]


def one(value: float = 300, concept: str = REVENUE, dimension: str = NORTH) -> str:
    return render_report([(concept, dimension, *YEAR, value)])


def test_a_part_is_read_with_its_axis_period_unit_and_row() -> None:
    [part] = read_document(one().encode(), "text/html").parts
    assert (part.axis, part.member, part.label) == ("segment", "kst:NorthMember", "North")
    assert (part.start, part.end, part.unit) == (*YEAR, "USD")
    assert (part.concept, part.value) == ("Revenues", 300e6)


@pytest.mark.parametrize(
    ("axis", "told"),
    [
        ("srt:StatementGeographicalAxis=country:DE", "region"),
        ("srt:ProductOrServiceAxis=kst:PumpMember", "product"),
        ("ifrs-full:GeographicalAreasAxis=country:FR", "region"),
        ("ifrs-full:SegmentsAxis=kst:NorthMember", "segment"),
        ("ifrs-full:ProductsAndServicesAxis=kst:PumpMember", "product"),
    ],
)
def test_axes_of_both_taxonomies_are_read(axis: str, told: str) -> None:
    concept = "ifrs-full:Revenue" if axis.startswith("ifrs") else REVENUE
    assert [found[0] for found in read(one(concept=concept, dimension=axis))] == [told]


@pytest.mark.parametrize(
    ("tag", "shown", "value"),
    [
        ('format="ixt:num-comma-decimal"', "1.234,5", 1_234.5e6),
        ('format="ixt:fixed-zero"', "—", 0),
        ('sign="-"', "300", -300e6),
        ('scale="9"', "0.3", 0.3e9),
        ('scale="99"', "300", None),
        ('scale="a"', "300", None),
        ('format="ixt:num-word"', "three", None),
    ],
)
def test_a_value_is_read_by_its_scale_sign_and_form(
    tag: str, shown: str, value: float | None
) -> None:
    name = tag.partition("=")[0]
    page = one().replace(">300<", f">{shown}<")
    if name in {"scale", "format"}:
        page = page.replace('scale="6"' if name == "scale" else 'format="ixt:num-dot-decimal"', tag)
    else:
        page = page.replace('unitRef="usd"', f'unitRef="usd" {tag}')
    assert [found[2] for found in read(page)] == ([] if value is None else [value])


@pytest.mark.parametrize(
    "page",
    [
        one().replace('contextRef="c0"', 'contextRef="c9"'),
        one().replace('contextRef="c0"', ""),
        one(concept="us-gaap:Assets"),
        one(dimension="us-gaap:AwardTypeAxis=us-gaap:StockMember"),
        one().replace("<xbrli:startDate>2025-01-01</xbrli:startDate>", ""),
        one().replace("<xbrli:startDate>2025-01-01", "<xbrli:startDate>last year"),
        one().replace(
            "</xbrli:segment>",
            '<xbrldi:explicitMember dimension="srt:ProductOrServiceAxis">kst:PumpMember'
            "</xbrldi:explicitMember></xbrli:segment>",
        ),
        one(dimension="").replace(
            "<xbrli:segment>",
            '<xbrli:segment><xbrldi:typedMember dimension="a:B">1</xbrldi:typedMember>',
        ),
        one(dimension="srt:ConsolidationItemsAxis=us-gaap:OperatingSegmentsMember"),
    ],
)
def test_what_is_no_part_or_a_part_of_a_part_is_left_out(page: str) -> None:
    assert read(page) == []


def test_a_segment_that_says_it_is_one_is_read() -> None:
    page = one().replace(
        "</xbrli:segment>",
        '<xbrldi:explicitMember dimension="srt:ConsolidationItemsAxis">us-gaap:OperatingSegmentsMember'
        "</xbrldi:explicitMember></xbrli:segment>",
    )
    assert read(page) == [("segment", "kst:NorthMember", 300e6)]


CONTEXT = (
    '<xbrli:context id="{id}"><xbrli:entity><xbrli:segment>{of}</xbrli:segment></xbrli:entity>'
    "<xbrli:period><xbrli:instant>{day}</xbrli:instant></xbrli:period></xbrli:context>"
)
CLASS = '<xbrldi:explicitMember dimension="us-gaap:StatementClassOfStockAxis">{}</xbrldi:explicitMember>'
COUNT = '<ix:nonFraction name="dei:EntityCommonStockSharesOutstanding" contextRef="{id}">{n}</ix:nonFraction>'
TITLE = '<ix:nonNumeric name="dei:Security12bTitle" contextRef="a">{}</ix:nonNumeric>'


def cover(*counts: tuple[str, str, str], titles: tuple[str, ...] = ()) -> CoverPage:
    """Return the cover that is read of a page with counts of classes on days, and titles."""
    contexts = "".join(
        CONTEXT.format(id=f"k{n}", of=CLASS.format(member) if member else "", day=day)
        for n, (member, day, _) in enumerate(counts)
    )
    facts = "".join(COUNT.format(id=f"k{n}", n=count) for n, (*_, count) in enumerate(counts))
    named = "".join(map(TITLE.format, titles))
    page = one().replace("</ix:resources>", f"{contexts}</ix:resources>")
    return read_document(
        page.replace("<table>", f"{facts}{named}<table>").encode(), "text/html"
    ).cover


def test_cover_counts_classes_of_shares_and_names_securities() -> None:
    found = cover(
        ("kst:A", "2026-01-31", "2,189,898,148"),
        ("kst:B", "2026-01-31", "343,761,117"),
        titles=("Class A Common Stock", "Class A Common Stock"),
    )
    assert [(each.member, each.day, each.value) for each in found.shares] == [
        ("kst:A", "2026-01-31", 2_189_898_148),
        ("kst:B", "2026-01-31", 343_761_117),
    ]
    assert found.titles == ("Class A Common Stock",)


@pytest.mark.parametrize(
    "count", [("", "soon", "5"), ("", "2026-01-31", "-"), ("", "2026-01-31", "many")]
)
def test_cover_without_a_day_or_a_number_counts_nothing(count: tuple[str, str, str]) -> None:
    assert cover(count).shares == ()


def test_cover_of_many_classes_and_titles_is_bounded() -> None:
    counts = [(f"kst:C{n}", "2026-01-31", "5") for n in range(50)]
    found = cover(*counts, titles=tuple("T" * 400 + str(n) for n in range(50)))
    assert len(found.shares) == 20
    assert [len(title) for title in found.titles] == [300]


@pytest.mark.parametrize("concept", ["us-gaap:Revenues", "dei:EntityCommonStockSharesOutstanding"])
def test_context_that_many_facts_name_is_read_once(concept: str) -> None:
    """Read for each of its facts, it would take minutes."""
    members = "".join(CLASS.format(f"kst:C{n}") for n in range(10_000))
    context = CONTEXT.format(id="big", of=members, day="2026-01-31")
    facts = f'<ix:nonFraction name="{concept}" contextRef="big">5</ix:nonFraction>' * 10_000
    page = one().replace("</ix:resources>", f"{context}</ix:resources>")
    tree = load_tree(page.replace("<table>", f"{facts}<table>"))
    begun = process_time()
    assert read_cover(tree).shares == ()
    assert len(read_parts(tree)) == 1
    assert process_time() - begun < 10


def test_headings_of_risk_factors_are_what_is_set_off_in_their_item() -> None:
    risks = read_document(render_report([], RISKS).encode(), "text/html").risks
    assert list(risks) == RISKS
    page = render_report([], [*RISKS, NEW_RISK, NEW_RISK, "Too few words.", "a " * 300])
    assert list(read_document(page.encode(), "text/html").risks) == [*RISKS, NEW_RISK]


def test_a_page_that_is_no_filing_has_neither() -> None:
    page = "<html><body><p>Item 1A. Risk Factors</p><p>Item 1B.</p></body></html>"
    parsed = read_document(page.encode(), "text/html")
    assert (parsed.parts, parsed.risks) == ((), ())


def test_a_filing_of_many_facts_is_bounded() -> None:
    facts = [(REVENUE, f"srt:ProductOrServiceAxis=kst:P{n}Member", *YEAR, n) for n in range(3_000)]
    assert len(read(render_report(facts))) == 2_000

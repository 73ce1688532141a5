"""What the parser reads of a filing's tags and layout, whatever stands in it."""

import pytest

from activities.parsing.formats import read_document
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

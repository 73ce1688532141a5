"""Filings as a company files them, made for a test: Inline XBRL, an announcement, and their index."""

import json
from collections.abc import Mapping, Sequence
from pathlib import Path

CIK, TICKER = 77, "KST"
YEAR = "10-K", "0000000077-26-000001", "2026-02-20", "2025-12-31", "", "kst-20251231.htm"
YEAR_BEFORE = "10-K", "0000000077-25-000001", "2025-02-20", "2024-12-31", "", "kst-20241231.htm"
QUARTER = "10-Q", "0000000077-26-000009", "2026-05-05", "2026-03-31", "", "kst-20260331.htm"
RELEASE = "8-K", "0000000077-26-000008", "2026-05-04", "2026-05-04", "2.02,9.01", "kst-8k.htm"
OTHER = "8-K", "0000000077-26-000010", "2026-05-30", "2026-05-30", "5.02", "kst-8k2.htm"
RISKS = [
    "We have a history of losses and may not be profitable.",
    "Our coal may not be sold at all by anybody.",
]
NEW_RISK = "Artificial intelligence may take our customers from us."
GUIDANCE = "Product revenue | $100 - $104 million"

Fact = tuple[str, str, str, str, float]
"""Concept, axis and member, first day, last day, value in millions."""


def render_report(facts: Sequence[Fact], risks: Sequence[str] = ()) -> str:
    """Return an annual or quarterly report as a page."""
    contexts, rows = "", ""
    for n, (concept, dimension, start, end, value) in enumerate(facts):
        axis, _, member = dimension.partition("=")
        explicit = f'<xbrldi:explicitMember dimension="{axis}">{member}</xbrldi:explicitMember>'
        contexts += (
            f'<xbrli:context id="c{n}"><xbrli:entity><xbrli:identifier>77</xbrli:identifier>'
            f"<xbrli:segment>{explicit if axis else ''}</xbrli:segment></xbrli:entity><xbrli:period>"
            f"<xbrli:startDate>{start}</xbrli:startDate><xbrli:endDate>{end}</xbrli:endDate>"
            "</xbrli:period></xbrli:context>"
        )
        sign = ' sign="-"' if value < 0 else ""
        name = member.rpartition(":")[2].removesuffix("Member") or "Total"
        rows += (
            f'<tr><td>{name}</td><td><ix:nonFraction name="{concept}" contextRef="c{n}" '
            f'unitRef="usd" scale="6" format="ixt:num-dot-decimal"{sign}>{abs(value):,}'
            "</ix:nonFraction></td></tr>"
        )
    factors = "".join(
        f'<div><span style="font-weight:700;font-style:italic">{risk}</span></div>'
        f"<div><span>It is so, and {'words follow ' * 20}.</span></div>"
        for risk in risks
    )
    return (
        "<html><body><div style='display:none'><ix:header><ix:resources>"
        f'{contexts}<xbrli:unit id="usd"><xbrli:measure>iso4217:USD</xbrli:measure></xbrli:unit>'
        "</ix:resources></ix:header></div><div>Item 1A. Risk Factors</div><div>Item 1B. None</div>"
        "<div>Part I</div><div><b>Item 1A.</b> <b>Risk Factors</b></div>"
        f"<div><b>Risks</b></div>{factors}<div><b>Item 1B. Unresolved Staff Comments</b></div>"
        f"<table>{rows}</table></body></html>"
    )


REVENUE, NORTH = "us-gaap:Revenues", "us-gaap:StatementBusinessSegmentsAxis=kst:NorthMember"
SOUTH = "us-gaap:StatementBusinessSegmentsAxis=kst:SouthMember"
DOCUMENTS = {
    YEAR: render_report(
        [
            (REVENUE, "", "2025-01-01", "2025-12-31", 400),
            (REVENUE, NORTH, "2025-01-01", "2025-12-31", 300),
            (REVENUE, SOUTH, "2025-01-01", "2025-12-31", 100),
            ("us-gaap:OperatingIncomeLoss", SOUTH, "2025-01-01", "2025-12-31", -1_234.5),
        ],
        [RISKS[0].replace("losses and", "losses, and"), NEW_RISK],
    ),
    YEAR_BEFORE: render_report([(REVENUE, NORTH, "2024-01-01", "2024-12-31", 250)], RISKS),
    QUARTER: render_report([(REVENUE, NORTH, "2026-01-01", "2026-03-31", 90)]),
}
EXHIBIT = (
    "<html><body><p>Kestrel reports its first quarter. Revenue was $110 million.</p>"
    '<div><span style="font-weight:700">Financial Outlook</span></div>'
    "<table><tr><td>Product revenue</td><td>$100 - $104 million</td></tr></table>"
    "<p>This release has forward-looking statements.</p>"
    f"<p>{'It sold pumps and pipes to farms in many places. ' * 40}</p></body></html>"
)
INDEX = (
    "<html><body><table><tr><th>Seq</th></tr><tr><td>1</td><td>8-K</td><td>"
    '<a href="/ix?doc=/Archives/edgar/data/77/000000007726000008/kst-8k.htm">kst-8k.htm</a></td>'
    "<td>8-K</td></tr><tr><td>2</td><td>EX-99.1</td><td>"
    '<a href="/Archives/edgar/data/77/000000007726000008/kst-ex991.htm">kst-ex991.htm</a></td>'
    "<td> EX-99.1 </td></tr></table></body></html>"
)


COUNTED = {
    "kst:CommonClassAMember": 60e6,
    "kst:CommonClassBMember": 40e6,
}
"""Shares by class on a report's cover."""
ADS = "American Depositary Shares, each representing four Class A ordinary shares"


def add_cover(page: str, day: str, counts: Mapping[str, float], title: str = "") -> str:
    """Return a report with a cover that counts classes of shares on a day, and names a security."""
    contexts, facts = "", f'<ix:nonNumeric name="dei:Security12bTitle">{title}</ix:nonNumeric>'
    for n, (member, count) in enumerate(counts.items()):
        contexts += (
            f'<xbrli:context id="k{n}"><xbrli:entity><xbrli:segment><xbrldi:explicitMember '
            f'dimension="us-gaap:StatementClassOfStockAxis">{member}</xbrldi:explicitMember>'
            "</xbrli:segment></xbrli:entity><xbrli:period><xbrli:instant>"
            f"{day}</xbrli:instant></xbrli:period></xbrli:context>"
        )
        facts += (
            f'<p><ix:nonFraction name="dei:EntityCommonStockSharesOutstanding" contextRef="k{n}">'
            f"{count:,.0f}</ix:nonFraction></p>"
        )
    return page.replace("</ix:resources>", f"{contexts}</ix:resources>").replace(
        "<table>", f"{facts}<table>"
    )


def write_filings(
    folder: Path,
    cik: int = CIK,
    ticker: str = TICKER,
    name: str = "Kestrel Inc.",
    forms: Mapping[str, str] | None = None,
) -> None:
    """Write a company's facts, submissions and documents, as EDGAR would serve them.

    `forms` are those that a foreign company files in the place of others.
    """
    revenue = [
        {"start": f"{end[:4]}-01-01", "end": end, "val": 400e6, "form": form, "fy": int(end[:4])}
        | {"accn": accession, "filed": filed, "fp": "FY"}
        for form, accession, filed, end, *_ in (YEAR_BEFORE, YEAR)
    ]
    concept = {"Revenues": {"units": {"USD": revenue}}}
    facts = {"cik": cik, "entityName": name, "facts": {"us-gaap": concept}}
    (folder / f"CIK{cik:010d}.json").write_text(json.dumps(facts))
    names = ("form", "accessionNumber", "filingDate", "reportDate", "items", "primaryDocument")
    rows = (OTHER, QUARTER, RELEASE, YEAR, YEAR_BEFORE)
    recent = dict(zip(names, map(list, zip(*rows, strict=True)), strict=True))
    if forms:
        recent["form"] = [forms.get(form, form) for form in recent["form"]]
        recent["items"] = [""] * len(rows)
    about = {"name": name, "tickers": [ticker], "filings": {"recent": recent}}
    (folder / f"submissions-CIK{cik:010d}.json").write_text(json.dumps(about))
    for filing, page in DOCUMENTS.items():
        write_document(folder, filing[1], filing[5], page)
    write_document(folder, RELEASE[1], "kst-ex991.htm", EXHIBIT)
    write_document(folder, RELEASE[1], f"{RELEASE[1]}-index.htm", INDEX)


def write_document(folder: Path, accession: str, name: str, page: str) -> None:
    """Write a document where its filing's documents are."""
    path = folder / accession.replace("-", "") / name
    path.parent.mkdir(exist_ok=True)
    path.write_text(page)

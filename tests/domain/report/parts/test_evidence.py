"""How a report's claims were checked, and its sources."""

from typing import Any

import pytest

from contracts.evidence.claims import Citation, Claim
from contracts.notices import Notice
from contracts.report.document import (
    Remark,
    SourceList,
)
from contracts.report.report import Section
from contracts.words import say
from tests.domain.report.built_documents import (
    CLAIM,
    LAND,
    build,
    find,
    said,
)
from tests.support.sources import page

QUOTED = "checked-quotes"
CHECKS = frozenset({QUOTED, "checked-figures", "checked-judgements"})


def test_cited_sources_stand_before_those_only_read() -> None:
    files = [page("http://a.test/"), page("http://b.test/"), page("http://c.test/")]
    claim = CLAIM.model_copy(update={"citations": [Citation(source=2, quote="it")]})
    document = build(Section(heading="Land", claims=[claim]), comparison=None, sources=files)
    assert [block.numbers for block in find(document, SourceList)] == [[2], [1, 3]]
    assert [source.number for source in document.sources] == [1, 2, 3]


def test_doubts_about_a_source_stand_with_it_but_not_in_a_draft() -> None:
    doubted = page(
        "http://a.test/", notes=[Notice.of("source-undated"), Notice.of("text", text="a *PDF*")]
    )
    assert build(sources=[doubted]).sources[0].doubts == [say("en", "source-undated"), "a *PDF*"]
    assert build(sources=[doubted], searches=None).sources[0].doubts == []


@pytest.mark.parametrize(
    ("counts", "codes"),
    [
        ({"claims_total": 0}, ["no-claims"]),
        ({"claims_total": 4}, ["claims-found", QUOTED]),
        ({"claims_total": 4, "claims_unsupported": 1}, ["claims-marked"]),
        ({"claims_total": 4, "claims_unjudged": 0}, ["claims-found", QUOTED, "judged-all"]),
        ({"claims_total": 4, "claims_unjudged": 1}, ["claims-found", QUOTED, "judged-some"]),
        ({"claims_total": 4, "claims_unjudged": 4}, ["claims-found", QUOTED, "judged-none"]),
    ],
)
def test_a_report_says_how_its_claims_were_checked(
    counts: dict[str, Any], codes: list[str]
) -> None:
    document = build(LAND, **counts)
    params: dict[str, Any] = {"n": counts["claims_total"], "bad": 1, "left": 1, "share": 25}
    expected = " ".join(say("en", code, **params) for code in codes)
    assert any(remark.text.startswith(expected) for remark in find(document, Remark))


@pytest.mark.parametrize(
    ("claim", "codes"),
    [
        (said("No map.", not_found=True), []),
        (said("It is 3.", "3"), ["checked-quotes"]),
        (said("So it is big.", rests_on=["three"]), ["checked-judgements"]),
        (said("It is 4.", "4", working="2 * 2 = 4"), ["checked-quotes", "checked-figures"]),
    ],
)
def test_a_report_says_only_of_what_it_has_that_it_was_checked(
    claim: Claim, codes: list[str]
) -> None:
    document = build(Section(heading="Land", claims=[claim]), comparison=None, claims_total=1)
    expected = [say("en", "claims-found", n=1), *(say("en", code) for code in codes)]
    told = next(r.text for r in find(document, Remark) if r.text.startswith(expected[0]))
    assert told.startswith(" ".join(expected))
    assert not any(say("en", code) in told for code in CHECKS.difference(codes))


def test_a_report_counts_its_claims_by_kind() -> None:
    claims = [
        said("It is 3.", "3", id="three"),
        said("So it is big.", rests_on=["three"]),
        said("It is 4.", "4", expression="2 * 2", working="2 * 2 = 4"),
        said("We assume 5.", assumed=True),
        said("No map.", not_found=True),
    ]
    document = build(Section(heading="Land", claims=claims), claims_total=6)
    counts = {"stated": 2, "computed": 1, "concluded": 1, "assumed": 1, "not_found": 1}
    kinds = [say("en", f"claims-{kind}", n=n) for kind, n in counts.items()]
    [told] = [r.text for r in find(document, Remark) if kinds[0] in r.text]
    assert all(kind in told for kind in kinds)

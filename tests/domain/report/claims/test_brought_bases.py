"""Sentences that join a report as the bases of others, each said once."""

from contracts.evidence.claims import Citation, Claim
from contracts.report.report import Report, Section
from domain.report.claims.brought_bases import (
    bring_bases,
    build_beyond,
    join_sections,
    restore_order,
)
from domain.report.claims.report_claims import list_claims


def said(text: str, name: str = "", *bases: str) -> Claim:
    quote = Citation(source=1, quote=text, start=0, end=9)
    citations = [] if bases else [quote]
    return Claim(text=text, citations=citations, id=name, rests_on=[*bases]).rule("supported")


GREW, OWES = said("Earnings grew by 3%.", "grew"), said("Debt is little.", "owes")
AGAIN = said(GREW.text, "grew-2")
THIS = said("This is good.", "this", "grew-2")


def beyond(*claims: Claim) -> Section:
    return build_beyond(claims, "en", is_detail=True)


def test_sentence_that_a_section_has_is_not_said_again() -> None:
    report = Report(title="A", sections=[beyond(GREW, OWES)])
    joined = join_sections(report, [beyond(AGAIN, THIS, THIS)])
    [section] = joined.sections
    assert [claim.id for claim in section.claims] == ["grew", "owes", "this"]
    assert [claim.rests_on for claim in section.claims] == [[], [], ["grew"]]


def test_base_under_two_ids_is_brought_once() -> None:
    conclusion = said("So buy it.", "buy", "a.grew", "b.grew")
    report = Report(title="A", sections=[Section(heading="Reasons", claims=[conclusion])])
    known = {"a.grew": GREW, "b.grew": AGAIN}
    brought = bring_bases(report, [conclusion], known, "en")
    texts = [claim.text for claim in list_claims(brought)]
    assert texts == [conclusion.text, GREW.text]
    assert brought.sections[0].claims[0].rests_on == ["a.grew"]


def test_sentences_of_earlier_work_stand_in_the_order_in_which_they_were_written() -> None:
    """Bases come by who rests on them; a sentence has its reasons before it as in the analysis, and what nobody wrote there keeps its place."""
    first, second = said("A loss came.", "loss"), said("The rate is assumed.", "rate")
    therefore = said("The price therefore rests on a return.", "so", "loss")
    own = said("A sentence of the report.", "own")
    sections = [beyond(therefore, own, second, first), Section(heading="A", claims=[second, first])]
    report = restore_order(Report(title="A", sections=sections), [first, therefore, second])
    assert [claim.id for claim in report.sections[0].claims] == ["loss", "own", "so", "rate"]
    assert [claim.id for claim in report.sections[1].claims] == ["rate", "loss"], "the writer's own"

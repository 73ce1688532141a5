"""The short answer above a report: shown once, wherever the report begins with it."""

import pytest

from contracts.evidence.claims import Citation, Claim
from contracts.report.document import ReportHead
from contracts.report.report import Report, Section
from domain.report.parts.answer import find_summary

QUOTE = [Citation(source=1, quote="Pumps sell in Kenya.")]


def report(*texts: str, ended: bool = True) -> Report:
    claims = [Claim(text=text, citations=QUOTE) for text in texts]
    other = Section(heading="Prices", claims=[Claim(text="They cost $9.", citations=QUOTE)])
    opening = Section(heading="Answer", claims=claims)
    return Report(title="Pumps", sections=[opening, other], searches=[] if ended else None)


def head(answer: str, unmarked: str = "") -> ReportHead:
    told = {"question": "", "date": "", "usd": 0, "model": "", "offline": False, "sources_read": 1}
    return ReportHead.model_validate(told | {"answer": answer, "answer_unmarked": unmarked})


@pytest.mark.parametrize(
    ("answer", "is_shown"),
    [
        ("Pumps sell in Kenya. Rain is rare.", False),
        ("pumps sell in Kenya; rain is rare", False),
        ("Rain is rare. Pumps sell in Kenya!", False),
        ("Pumps sell.", False),
        ("Pumps sell in Kenya. They cost $9.", True),
        ("Pumps sell in Kenya and Uganda.", True),
        ("Sell pumps.", True),
        ("", False),
    ],
)
def test_short_answer_stands_above_unless_the_report_begins_with_its_sentences(
    answer: str, is_shown: bool
) -> None:
    begun = report("Pumps sell in Kenya.", "Rain is rare.")
    assert find_summary(head(answer), begun) == (answer if is_shown else "")


def test_short_answer_of_all_sentences_of_the_opening_is_not_repeated() -> None:
    texts = [f"Pumps sell in part {n}." for n in range(7)]
    assert find_summary(head(" ".join(texts)), report(*texts)) == ""


def test_short_answer_stands_above_a_draft() -> None:
    draft = report("Pumps sell.", ended=False)
    assert find_summary(head("Pumps sell."), draft) == "Pumps sell."


def test_a_sentence_that_nobody_judged_is_not_repeated_for_its_mark() -> None:
    begun = report("Pumps sell in Kenya.", "Rain is rare.")
    answer = "Pumps sell in Kenya (mark). Rain is rare."
    assert find_summary(head(answer), begun) == answer
    assert find_summary(head(answer, "Pumps sell in Kenya. Rain is rare."), begun) == ""

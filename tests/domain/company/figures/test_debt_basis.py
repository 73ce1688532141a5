"""What qualifies a debt reaches the reports that print it, not the page for models alone."""

from contracts.company.figures import Fundamentals
from contracts.notices import Notice
from domain.company.figures.dates import list_remarks
from domain.company.figures.debt_basis import note_debt_basis
from tests.domain.company.figures.companies import SNOWFLAKE, of_sample
from tests.workflows.support.listed_company import FACTS


def find_remarks(found: Fundamentals) -> list[Notice]:
    return [*list_remarks(found, is_compared=False)]


def test_report_says_what_its_debt_leaves_out_and_of_what_line_it_is() -> None:
    found = of_sample(SNOWFLAKE)
    told = [*note_debt_basis(found.figures)]
    assert [each.code for each in told] == ["debt-leases", "debt-tag"]
    assert find_remarks(found)[:2] == told


def test_report_without_debt_says_nothing_of_it() -> None:
    none = [each for each in FACTS.fundamentals.figures if each.metric != "debt"]
    found = FACTS.fundamentals.model_copy(update={"figures": none})
    assert not [each for each in find_remarks(found) if each.code.startswith("debt-")]

"""What a follow-up takes from the report before it."""

import pytest

from contracts.evidence.claims import Claim, Verdict
from contracts.report.report import Comparison, ComparisonRow, Report, Section
from workflows.start.follow_up import to_patches


@pytest.mark.parametrize(
    ("verdict", "unjudged", "kept"),
    [
        ("supported", 0, True),
        ("supported", None, True),
        (None, None, True),
        (None, 1, False),
        ("not_shown", None, False),
        ("partly", 0, False),
    ],
)
def test_claims_are_kept_if_they_hold_or_no_judge_was_there(
    verdict: Verdict | None, unjudged: int | None, kept: bool
) -> None:
    claim = Claim(text="Pumps sell.", citations=[], verdict=verdict)
    table = Comparison(columns=["Kenya"], rows=[ComparisonRow(label="Sales", cells=[claim])])
    sections = [Section(heading="Sales", claims=[claim])]
    report = Report(title="T", comparison=table, sections=sections, claims_unjudged=unjudged)
    patches = to_patches(report)
    assert [len(patch.added) for patch in patches if patch.section == "Sales"] == [int(kept)]
    assert sum(len(patch.cells) for patch in patches) == int(kept)

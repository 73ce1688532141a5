"""The judge's verdicts on sentences of the living report that were being checked."""

import pytest

from contracts.errors import Conflict
from contracts.evidence.claims import Citation, Claim, Verdict
from contracts.evidence.reasons import Reason
from contracts.report.patches import TABLE, CellChange, Opening, Patch, PlacedClaim
from domain.report.changes.patches import build_grid, fold_patches, rebase_patch, revert_patch
from domain.report.changes.verdict_patches import rule_report
from domain.report.claims.report_claims import list_claims


def checked(text: str, check: str = "", rests_on: str = "") -> Claim:
    """Return a sentence that is being checked; its id is its text."""
    cited = [] if rests_on else [Citation(source=1, quote=text)]
    claim = Claim(text=text, id=text, citations=cited, rests_on=[rests_on] if rests_on else [])
    reason = Reason(code="being-checked", params={"check": check or text})
    return claim.rule(None, reason)


def found(**verdicts: Verdict) -> dict[str, Claim]:
    return {
        name: checked(name).rule(verdict, *([] if verdict == "supported" else [DOUBT]))
        for name, verdict in verdicts.items()
    }


DOUBT = Reason(code="judged", params={"text": "no page says so"})
WRITTEN = Patch(
    number=1,
    section="Market",
    opening=Opening(title="Pumps", outline=["Market", "Risks"]),
    added=[
        PlacedClaim(at=n, claim=claim)
        for n, claim in enumerate(
            [checked("a"), checked("b"), checked("c", rests_on="b"), checked("d")]
        )
    ],
)
CELL = Patch(
    number=2, section=TABLE, cells=[CellChange(row="R", column="C", after=checked("cell"))]
)
REPORT = fold_patches([WRITTEN, CELL])


def test_what_fell_leaves_the_report_with_what_rests_on_it() -> None:
    patches, refused = rule_report(REPORT, found(a="supported", b="not_shown", c="supported"))
    report = fold_patches([WRITTEN, CELL, *patches])
    assert [(c.text, c.verdict, c.check) for c in report.sections[0].claims] == [
        ("a", "supported", ""),
        ("d", None, "d"),
    ]
    assert [(one.place, one.claim.text, one.claim.doubts) for one in refused] == [
        ("Market", "b", [DOUBT]),
        ("Market", "c", [Reason(code="base-fell")]),
    ]
    assert [patch.section for patch in patches] == ["Market"]


def test_sentence_that_holds_in_part_stays_with_its_doubt() -> None:
    patches, refused = rule_report(REPORT, found(d="partly"))
    report = fold_patches([WRITTEN, CELL, *patches])
    assert not refused
    assert [(c.verdict, c.doubts) for c in list_claims(report) if c.text == "d"] == [
        ("partly", [DOUBT])
    ]


@pytest.mark.parametrize(("verdict", "left"), [("supported", ["supported"]), ("not_shown", [])])
def test_cell_gets_its_verdict_or_is_emptied(verdict: Verdict, left: list[str]) -> None:
    patches, refused = rule_report(REPORT, found(cell=verdict))
    report = fold_patches([WRITTEN, CELL, *patches])
    cells = [c for row in build_grid(report.comparison).values() for c in row.values() if c]
    assert [cell.verdict for cell in cells] == left
    assert [one.row for one in refused] == ([] if left else ["R"])


def test_verdict_on_what_is_gone_changes_nothing() -> None:
    assert rule_report(fold_patches([]), found(a="supported")) == ([], [])


def test_judged_sentence_is_the_one_that_was_written() -> None:
    """A change that was asked for before the verdict takes it out, and so does a human who takes it back."""
    patches, _ = rule_report(REPORT, found(a="supported", cell="supported"))
    log = [
        patch.model_copy(update={"number": n})
        for n, patch in enumerate([WRITTEN, CELL, *patches], start=1)
    ]
    report = fold_patches(log)
    taken = Patch(number=5, section="Market", removed=[PlacedClaim(at=0, claim=checked("a"))])
    assert [p.claim.verdict for p in rebase_patch(taken, report).removed] == ["supported"]
    back = [revert_patch(log, number, "ann") for number in (1, 2)]
    assert not list_claims(fold_patches([*log, *back]))


def test_verdicts_are_not_taken_back() -> None:
    patches, _ = rule_report(REPORT, found(a="supported"))
    log = [WRITTEN, CELL, *patches]
    with pytest.raises(Conflict):
        revert_patch(log, 3, "ann")

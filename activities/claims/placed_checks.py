"""Checks with their places in the answer, and the earlier verdicts of their claims."""

from collections.abc import Iterable, Mapping, Sequence

from contracts.base import Json
from contracts.evidence.checks import Check, PlacedCheck
from contracts.evidence.claims import Claim, Premise, Ruling
from contracts.evidence.reasons import Reason
from domain.evidence.claims import find_claims, find_numbers
from domain.report.changes.patches import find_followed, is_appended, list_removed


def restate(placed: PlacedCheck, known: Iterable[Premise]) -> PlacedCheck:
    """Replace a cell's quotes by supported sentences with the same quotes and figures, if there are any.

    These sentences were judged with the quotes; the judge only has to check that they fit the cell's row and
    column.
    """
    check, wanted = placed.check, find_numbers(placed.check.claim.text)
    places, named = check.claim.as_premise.places, {base.text for base in check.bases}
    bases: list[Premise] = []
    for premise in known:
        is_near = any(_overlap(a, b) for a in places for b in premise.places)
        told = find_numbers(premise.text)
        if premise.is_supported and (premise.text in named or (is_near and wanted & told)):
            wanted -= told
            bases.append(premise)
    quoted = [place for base in bases for place in base.places]
    is_quoted = all(any(_overlap(a, b) for b in quoted) for a in places)
    if not bases or wanted or not is_quoted or not named <= {base.text for base in bases}:
        return placed
    claim = check.claim.model_copy(update={"citations": [], "working": ""})
    update = {"claim": claim, "wholes": (), "openings": (), "unquoted": ()}
    told_by = tuple(Claim(text=base.text, citations=[]) for base in bases)
    return placed.model_copy(update={"check": check.model_copy(update=update | {"bases": told_by})})


def _overlap(one: tuple[int, int, int], other: tuple[int, int, int]) -> bool:
    return one[0] == other[0] and one[1] < other[2] and other[1] < one[2]


def recall(check: Check, ruling: Ruling | None) -> Check:
    """Return a check with the verdict that its claim had before."""
    if check.outcome != "open" or ruling is None:
        return check
    verdict, words = ruling
    if verdict == "supported":
        return check.model_copy(update={"outcome": "holds", "claim": check.claim.rule(verdict)})
    reason = Reason(code="judged" if verdict else "unjudged", params={"text": words})
    return check.model_copy(update={"outcome": "fails", "claim": check.claim.rule(verdict, reason)})


def place_checks(
    places: Sequence[str],
    checks: Sequence[Check],
    inputs: Json,
    written: Mapping[str, Sequence[str]],
) -> list[PlacedCheck]:
    """Return an answer's checks with their places; each follows the previous usable one in the same place.

    The claims of `inputs`, which change a report, come last; the first of a change follows the sentence
    before it in the report.
    """
    placed = [PlacedCheck(place=p, check=c) for p, c in zip(places, checks, strict=True)]
    for n, one in enumerate(placed[1:], start=1):
        if one.place == placed[n - 1].place:
            placed[n] = one.model_copy(update={"before": _tell(checks[n - 1])})
    changes = [change for change in inputs.values() if isinstance(change, dict)]
    counts = [len(list(find_claims(change))) for change in changes]
    at, ends = len(checks) - sum(counts), dict[str, Check]()
    gone: dict[str, set[int]] = {}
    for change in changes:
        gone.setdefault(str(change.get("section")), set()).update(list_removed(change))
    for change, number in zip(changes, counts, strict=True):
        section = str(change.get("section"))
        if change.get("add") and number:
            end = ends.get(section) if is_appended(change) else None
            before = (
                _tell(end)
                if end
                else find_followed(written.get(section, ()), change, gone[section])
            )
            placed[at] = placed[at].model_copy(update={"before": before})
            if is_appended(change):
                ends[section] = checks[at + number - 1]
        at += number
    return placed


def _tell(check: Check) -> str:
    """Return a sentence that later ones may refer to; empty if it was refused."""
    return check.claim.text if check.claim.is_usable else ""

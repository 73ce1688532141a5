"""Claims that were checked along with the call that made them, and the pages they may cite."""

from contracts.evidence.sources import CheckedResult, Claim
from contracts.models.call import Page
from contracts.runs.state import RunState

Said = tuple[str, tuple[tuple[int, str], ...]]


class Verdicts:
    """What the results of one attempt's calls hold of them."""

    def __init__(self) -> None:
        self._found: dict[Said, Claim] = {}

    def learn(self, result: object) -> None:
        """Take in what a call's answer claims, if it claims anything."""
        if isinstance(result, CheckedResult):
            self._found |= {_said(claim): found for claim, found in result.checked}

    def of(self, claims: list[Claim]) -> list[Claim]:
        """Return claims, in order, with their verdicts; none of them where one is not known."""
        found = [self._found.get(_said(claim)) for claim in claims]
        return [claim for claim in found if claim] if all(found) else []


def citable(state: RunState) -> list[Page]:
    """Return a run's pages as an answer may cite them."""
    sources = enumerate(state.sources, start=1)
    return [Page(number=n, title=s.title, text_key=s.text_key) for n, s in sources]


def _said(claim: Claim) -> Said:
    return claim.text, tuple((citation.source, citation.quote) for citation in claim.citations)

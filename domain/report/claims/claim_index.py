"""Index of claims by their words and figures, so that lists of claims are compared in n log n."""

from collections.abc import Iterable, Iterator

from contracts.evidence.claims import Claim
from domain.evidence.claims import find_numbers
from domain.evidence.normal_forms import spell_words

Place = tuple[int, int, int]
MAX_COMPARED = 200
"""Maximum number of claims or lines sharing the rarest part that are compared with another one.

Beyond it a duplicate may be missed: the report then repeats itself, but loses nothing.
"""


class BareClaims:
    """Claims of any verdict: only those with equal text are compared as a whole."""

    def __init__(self, claims: Iterable[Claim] = ()) -> None:
        self._keys: dict[str, set[str]] = {}
        for claim in claims:
            self._keys.setdefault(claim.text, set()).add(claim.bare.key)

    def __contains__(self, claim: Claim) -> bool:
        keys = self._keys.get(claim.text)
        return keys is not None and claim.bare.key in keys


class ToldClaims:
    """Indexes claims in order, to find the last one equivalent to a given claim (see `tells_same`)."""

    def __init__(self, claims: Iterable[Claim] = ()) -> None:
        self._claims: list[Claim] = []
        self._places: list[frozenset[Place]] = []
        self._by_words: dict[str, int] = {}
        self._by_figures: dict[tuple[frozenset[str], Place], list[int]] = {}
        for claim in claims:
            self.add(claim)

    def add(self, claim: Claim) -> None:
        """Add one more claim."""
        number, places = len(self._claims), _list_places(claim)
        self._claims.append(claim)
        self._places.append(places)
        self._by_words[spell_words(claim.text)] = number
        if figures := find_numbers(claim.text) if places else None:
            for place in places:
                self._by_figures.setdefault((figures, place), []).append(number)

    def find(self, claim: Claim) -> Claim | None:
        """Return the latest claim with the same meaning, or None.

        Two claims mean the same if they have the same words, or the same figures cited from the same
        passages.
        """
        said = self._by_words.get(spell_words(claim.text), -1)
        last = max(said, next(self._find_by_figures(claim), -1))
        return None if last < 0 else self._claims[last]

    def _find_by_figures(self, claim: Claim) -> Iterator[int]:
        """Yield the claims with the same figures of all passages that a claim is from, the last one first."""
        places, figures = _list_places(claim), find_numbers(claim.text)
        if not (places and figures):
            return
        having = (self._by_figures.get((figures, place), []) for place in places)
        for number in reversed(min(having, key=len)[-MAX_COMPARED:]):
            if places <= self._places[number]:
                yield number


def _list_places(claim: Claim) -> frozenset[Place]:
    return frozenset(claim.as_premise.places)

"""Selects the sentences to move to the appendix: those that the table repeats or that no conclusion rests on."""

import re
from collections.abc import Iterable, Sequence
from itertools import islice

from contracts.evidence.claims import Claim
from contracts.evidence.sources import Source
from contracts.report.report import Comparison, Section
from domain.evidence.claims import find_numbers, list_figures
from domain.report.parts.source_links import name_source

MAX_SENTENCES = 4
"""A longer section keeps its conclusions and the sentences they rest on; the others are details.

A section whose sentences open paragraphs was written as a text, and is kept whole.
"""
TOLD_SHARE = 0.5
"""A sentence is a detail if cells have at least this share of the passages that it cites."""
MAX_SUBJECTS = 100
"""Wider tables are not searched for column names that separate paragraphs."""
MAX_BACK = 50
"""A sentence's subject is looked for in this many preceding sentences."""

_QUALIFIED = re.compile(r"[,(:]")
"""Separates a column's subject from its qualifiers, as in “3M, fiscal year 2022”."""


class Details:
    """Parts the sentences of each section into those of the text and the details."""

    def __init__(
        self, table: Comparison | None, claims: Sequence[Claim], sources: Sequence[Source]
    ) -> None:
        self._sources = sources
        columns = table.columns if table else []
        names = (_QUALIFIED.split(label, maxsplit=1)[0].strip() for label in columns)
        subjects = islice(dict.fromkeys(filter(None, names)), MAX_SUBJECTS)
        self._subjects = {name: name.casefold() for name in subjects}
        self._needed = {name for claim in claims for name in claim.rests_on}
        named = {claim.id: claim for claim in claims if claim.id}
        cells = [cell for row in (table.rows if table else []) for cell in row.cells if cell]
        in_cells = {cell.key for cell in cells}
        written = (claim for claim in claims if not cells or claim.key not in in_cells)
        self._carrying = {name for claim in written for name in claim.rests_on}
        """The ids of the sentences that the text's own conclusions and computations rest on."""
        self._figures: dict[str, set[str]] = {}
        """The figures of the cells that rest on a sentence, by its id."""
        self._shown: dict[object, set[str]] = {}
        """The figures of cells, by the passage they are from."""
        for cell in cells:
            for name in cell.rests_on:
                self._figures.setdefault(name, set()).update(find_numbers(cell.text))
            bases = [named[name] for name in cell.rests_on if name in named]
            figures = list_figures(cell.text)
            for place in set[object]().union(*map(list_passages, [cell, *bases])):
                self._shown.setdefault(place, set()).update(figures)

    def split(self, section: Section) -> tuple[list[Claim], list[str], list[Claim]]:
        """Return the sentences of the text, what names the subject of each that the sentence before leaves, and the details."""
        claims = section.claims
        is_detail = [self._is_in_table(claim) for claim in claims]
        if is_detail.count(False) > MAX_SENTENCES and not any(claim.opens for claim in claims):
            is_detail = self._shorten(claims, is_detail)
        leads = [""] * len(claims)
        for n in range(len(claims) - 1, 0, -1):
            if not is_detail[n - 1] or is_detail[n]:
                continue
            if Grounds([claims[n - 1]]).carries(claims[n]):
                is_detail[n - 1] = False
            elif self._needs_subject(claims[n]):
                leads[n] = self._name_subject(claims[max(0, n - MAX_BACK) : n], claims[n])
                is_detail[n - 1] = bool(leads[n])  # the sentence before stays if no name is known
        kept = [n for n, is_one in enumerate(is_detail) if not is_one]
        details = [claim for claim, is_one in zip(claims, is_detail, strict=True) if is_one]
        return [claims[n] for n in kept], [leads[n] for n in kept], details

    def _shorten(self, claims: Sequence[Claim], is_told: Sequence[bool]) -> list[bool]:
        """Mark the details of a long section: sentences in the table (`is_told`), and those that nothing rests on.

        A sentence that draws on the preceding one stays or moves together with it.
        """
        if not any(map(self._is_reason, claims)):
            return [*is_told]
        chains = list[list[int]]()
        for n, claim in enumerate(claims):
            if chains and not is_told[n - 1] and Grounds([claims[n - 1]]).carries(claim):
                chains[-1].append(n)
            else:
                chains.append([n])
        kept = {
            n
            for chain in chains
            if any(self._is_reason(claims[n]) and not is_told[n] for n in chain)
            for n in chain
        }
        return [told or n not in kept for n, told in enumerate(is_told)]

    def find_subjects(self, claim: Claim) -> frozenset[str]:
        """Return the columns of the table that a sentence names."""
        text = claim.text.casefold()
        return frozenset(name for name, folded in self._subjects.items() if folded in text)

    def _is_in_table(self, claim: Claim) -> bool:
        """Return whether the table has a sentence's figure or half of its passages; never for a conclusion.

        A sentence that the text's conclusions rest on moves only if a cell of its passages has its
        figure, so that restrictions stay.
        """
        if _must_be_read(claim) or (claim.kind == "concluded" and not claim.working):
            return False
        if not self._figures.get(claim.id, set()).isdisjoint(find_numbers(claim.text)):
            return True
        passages = list_passages(claim)
        if claim.id in self._carrying:
            figures = list_figures(claim.text)
            return any(not figures.isdisjoint(self._shown.get(place, ())) for place in passages)
        told = sum(place in self._shown for place in passages)
        return bool(passages) and told >= TOLD_SHARE * len(passages)

    def _is_reason(self, claim: Claim) -> bool:
        """Return whether a sentence concludes, carries a conclusion, or must be read."""
        return bool(claim.rests_on) or claim.id in self._needed or _must_be_read(claim)

    def _needs_subject(self, claim: Claim) -> bool:
        """Return whether a sentence may draw its subject from the one before, as it names none of the table's."""
        return bool(claim.citations) and not self.find_subjects(claim)

    def _name_subject(self, before: Sequence[Claim], claim: Claim) -> str:
        """Return a sentence's subject: the column that preceding sentences on the same pages name, else the source's title."""
        numbers = {citation.source for citation in claim.citations}
        for other in reversed(before):
            if numbers.isdisjoint(citation.source for citation in other.citations):
                break
            if len(found := self.find_subjects(other)) == 1:
                return f"{next(iter(found))}:"
        title = name_source(numbers, self._sources)
        return f"{title}:" if title else ""


def _must_be_read(claim: Claim) -> bool:
    """Return whether a sentence is doubted, or edited by hand."""
    return claim.edit is not None or (claim.verdict is not None and not claim.is_supported)


class Grounds:
    """Indexes sentences by id and cited passage, to find out whether another sentence draws on one."""

    def __init__(self, claims: Iterable[Claim] = ()) -> None:
        self._ids: set[str] = set()
        self._passages: set[object] = set()
        for claim in claims:
            self.add(claim)

    def add(self, claim: Claim) -> None:
        """Add one more sentence."""
        if claim.id:
            self._ids.add(claim.id)
        self._passages |= list_passages(claim)

    def carries(self, claim: Claim) -> bool:
        """Return whether a sentence rests on one of these, or computes from a passage that one of them cites."""
        if not self._ids.isdisjoint(claim.rests_on):
            return True
        return bool(claim.expression) and not self._passages.isdisjoint(list_passages(claim))


def list_passages(claim: Claim) -> set[object]:
    """Return where in its sources a claim's passages are."""
    return {
        (c.source, c.start, c.end) if c.start >= 0 else (c.source, c.quote) for c in claim.citations
    }

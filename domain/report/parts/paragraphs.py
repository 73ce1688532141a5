"""Paragraphs of a report: sentences in a row on one subject."""

from collections.abc import Iterator, Sequence, Set
from itertools import pairwise

from contracts.evidence.claims import Claim, DraftPart
from domain.report.parts.details import Details, Grounds

PARAGRAPH_CHARS = 900
"""A paragraph of about this length is the most that a reader takes in at once."""
TOPIC_CHARS = 200
"""A single sentence of at least this length forms its own paragraph."""


def split_paragraphs(
    claims: Sequence[Claim], leads: Sequence[str], details: Details
) -> Iterator[list[int]]:
    """Yield the numbers of the claims by paragraphs, each on one subject; short lone sentences share one.

    A sentence with a lead begins one.
    """
    begins = {n for n, lead in enumerate(leads) if lead}
    shared: list[int] = []
    for topic in _split_topics(claims, begins, details):
        is_long = len(topic) > 1 or len(claims[topic[0]].text) >= TOPIC_CHARS
        if is_long or topic[0] in begins:
            yield from _split_evenly(shared, claims)
            yield from _split_evenly(topic, claims)
            shared = []
        else:
            shared += topic
    yield from _split_evenly(shared, claims)


def split_parts(claims: Sequence[Claim]) -> Iterator[tuple[DraftPart, list[int]]]:
    """Yield the parts of a drafted text, each with the numbers of its claims.

    A sentence without a part continues the one before.
    """
    current, numbers = DraftPart(number=1), list[int]()
    for n, claim in enumerate(claims):
        if claim.part and claim.part.number != current.number and numbers:
            yield current, numbers
            numbers = []
        current = claim.part or current
        numbers.append(n)
    if numbers:
        yield current, numbers


def split_text(claims: Sequence[Claim]) -> Iterator[list[int]]:
    """Yield the numbers of the claims of a text that was written as one by paragraphs of about one length.

    A sentence that opens a paragraph begins one.
    """
    begins = [n for n, claim in enumerate(claims) if claim.opens and n]
    for start, end in pairwise([0, *begins, len(claims)]):
        yield from _split_evenly(range(start, end), claims)


def _split_evenly(topic: Sequence[int], claims: Sequence[Claim]) -> Iterator[list[int]]:
    """Split a topic into parts of similar length; none begins with a sentence that draws on the part before."""
    chars = sum(len(claims[n].text) for n in topic)
    size = chars / max(1, round(chars / PARAGRAPH_CHARS))
    part, basis, length = list[int](), Grounds(), 0
    for n in topic:
        text = claims[n].text
        is_full = length + len(text) / 2 > size
        if part and is_full and not basis.carries(claims[n]):
            yield part
            part, basis, length = [], Grounds(), 0
        part.append(n)
        basis.add(claims[n])
        length += len(text)
    if part:
        yield part


def _split_topics(
    claims: Sequence[Claim], begins: Set[int], details: Details
) -> Iterator[list[int]]:
    """Yield the claims' positions grouped by subject: the columns they name, else the sources they cite.

    A sentence without either stays with the preceding ones, as does one that rests on them.
    """
    topic, basis = list[int](), Grounds()
    named, cited = frozenset[str](), frozenset[int]()
    for n, claim in enumerate(claims):
        subjects = details.find_subjects(claim)
        sources = frozenset(citation.source for citation in claim.citations)
        if subjects and named:
            is_other = subjects != named
        else:
            is_other = bool(cited and sources) and cited.isdisjoint(sources)
            is_other = is_other and not basis.carries(claim)
        if topic and (n in begins or is_other):
            yield topic
            topic, basis, named, cited = [], Grounds(), frozenset(), frozenset()
        topic.append(n)
        basis.add(claim)
        named, cited = subjects or named, sources or cited
    if topic:
        yield topic

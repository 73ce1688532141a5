"""Reciprocal rank fusion: the hits of several search services as one list."""

from collections.abc import Iterable, Sequence

from contracts.evidence.searches import ServiceHit
from contracts.evidence.sources import SearchHit
from domain.sources.urls import canonicalize_url, compute_url_key

RANK_OFFSET = 60
"""Added to each rank before it is inverted. Source: Cormack, Clarke and Büttcher, SIGIR 2009."""


def fuse_hits(lists: Iterable[Sequence[ServiceHit]], count: int) -> list[SearchHit]:
    """Return the first `count` pages of several ranked lists, without duplicates, best first.

    Services' scores are not comparable but ranks are: a page scores 1/(60 + rank) in each list. Ties keep the
    order of the lists. Title, snippet and date each come from the best-ranking service that provides it.
    """
    found: dict[str, dict[str, ServiceHit]] = {}
    for hits in lists:
        for hit in hits:
            found.setdefault(compute_url_key(canonicalize_url(hit.url)), {}).setdefault(
                hit.service, hit
            )
    pages = [sorted(each.values(), key=lambda hit: hit.rank) for each in found.values()]
    pages.sort(key=lambda page: -sum(1 / (RANK_OFFSET + hit.rank) for hit in page))
    return [_merge(page) for page in pages[:count]]


def _merge(page: Sequence[ServiceHit]) -> SearchHit:
    """Return one page of the hits on it, best first."""
    return SearchHit(
        url=page[0].url,
        title=next((hit.title for hit in page if hit.title), ""),
        snippet=next((hit.snippet for hit in page if hit.snippet), ""),
        published=next((hit.published for hit in page if hit.published), None),
        services=[hit.service for hit in page],
    )

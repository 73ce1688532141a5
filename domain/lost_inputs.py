"""Lost inputs in words, and those that an agent's searches and reads amount to."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence

from contracts.documents import PartlyRead, UnreadPart
from contracts.evidence.sources import GivenFile, Source
from contracts.notices import Notice, NoticeParam, tell_unread_parts
from contracts.report.report import Search
from contracts.runs.lost_inputs import LossCause, LostInput
from domain.evidence.normal_forms import spell_words

SAME_WORDS = 0.5
"""A search counts as one of the plan's if it has at least this share of its words: agents rephrase them."""
MAX_NAMES = 10
"""The maximum number of searches that a reader is shown by name."""
CAUSES = {
    "fetch-failed": "no-answer",
    "facts-failed": "no-answer",
    "search-failed": "no-answer",
    "price-failed": "no-answer",
    "late": "late",
    "fetch-refused": "unreadable",
    "search-refused": "refused",
    "tool-server-failed": "no-answer",
    "tool-server-refused": "refused",
    "facts-refused": "refused",
    "no-facts": "absent",
    "worker-lost": "worker-died",
    "call-timed-out": "late",
    "store-unavailable": "store-unreachable",
    "packages-missing": "packages-missing",
    "model-busy": "model-overloaded",
    "model-unreachable": "model-unreachable",
    "model-refused": "model-declined",
    "model-truncated": "answer-cut",
    "model-rejected": "request-rejected",
    "request-too-long": "request-too-long",
    "key-rejected": "key-rejected",
    "output-invalid": "answer-unusable",
    "ValidationError": "answer-unusable",
    "budget-exceeded": "budget",
    "phase-timeout": "time",
    "input-lost": "input-lost",
    "out-of-time": "time-nearly",
    "too-costly": "costly",
    "tool-failed": "unmade",
    "nothing-found": "nothing-found",
    "step-failed": "step-rejected",
    "unknown-ticker": "unlisted",
    "no-document": "absent",
}
"""Notice codes by error type; any other type is shown by its name."""


def explain_loss(lost: LostInput, phase_id: str = "") -> Notice:
    """Return the notice of an input that a phase went on without; its words have no full stop.

    The phase `phase_id` that lost a value itself says why; every other one names the value.
    """
    why = explain_causes(lost.causes)
    named: dict[str, NoticeParam] = {"name": lost.name, **({"why": why} if why else {})}
    match lost.kind:
        case "cut_pages":
            return lost.told or Notice.of("pages-cut", model=lost.name, tokens=lost.window_tokens)
        case "cut_values":
            read = lost.found - lost.lost
            return lost.told or Notice.of("value-cut", name=lost.name, read=read, of=lost.found)
        case "unmade_searches":
            code = "lost-plan-searches-all" if lost.is_whole else "lost-plan-searches"
            return Notice.of(code, n=lost.lost, of=lost.found, names=quote_names(lost.names))
        case "articles" | "filings" | "pages" | "searches":
            return _count_lost(lost, why)
        case "search_service":
            service = Notice.of(f"service-{lost.name}", "info")
            code = "lost-service-part" if lost.told else "lost-service"
            why = [lost.told] if lost.told else why
            return Notice.of(code, service=service, n=lost.lost, of=lost.found, why=why)
        case "tool_server" if lost.told:
            return lost.told
        case "check":
            return lost.told or Notice(code="lost-source-check", params=named)
        case "value" if lost.phase_id == phase_id and lost.told:
            return lost.told
    told: dict[str, NoticeParam] = {"why": [lost.told]} if lost.told else {}
    code = "lost-check" if lost.phase_id == phase_id else "lost-value"
    codes = {kind: f"lost-{kind}" for kind in ("exhibit", "price", "figures")}
    return Notice(code=codes.get(lost.kind, code), params=named | told)


def _count_lost(lost: LostInput, why: list[str | Notice]) -> Notice:
    params: dict[str, NoticeParam] = {"n": lost.lost, "of": lost.found}
    if lost.subject:
        params["subject"] = lost.subject
    if why:
        params["why"] = why
    if lost.is_whole:
        return Notice(code=f"lost-{lost.kind}-all", params=params | {"n": lost.found})
    return Notice(code=f"lost-{lost.kind}", params=params)


def quote_names(names: Sequence[str]) -> list[str | Notice]:
    """Return names in quotation marks, the first of them where they are many."""
    shown: list[str | Notice] = [Notice.of("quoted", text=name) for name in names[:MAX_NAMES]]
    return [*shown, f"… (+{len(names) - MAX_NAMES})"] if names[MAX_NAMES:] else shown


def explain_causes(causes: Sequence[LossCause]) -> list[str | Notice]:
    """Return why inputs were lost, e.g. `HTTP 500`, or `HTTP 500: 3` and `no answer: 1`."""
    counts: dict[str, tuple[str | Notice, int]] = {}
    for cause in causes:
        why = _explain_cause(cause)
        key = why if isinstance(why, str) else why.code
        counts[key] = why, counts.get(key, (why, 0))[1] + cause.count
    found = [*counts.values()]
    if not found[1:]:
        return [why for why, _ in found]
    return [Notice.of("counted", what=why, n=count) for why, count in found]


def _explain_cause(cause: LossCause) -> str | Notice:
    if cause.status:
        return f"HTTP {cause.status}"
    known = CAUSES.get(cause.reason)
    return Notice.of(f"cause-{known}") if known else cause.reason


def count_causes(causes: Iterable[LossCause]) -> list[LossCause]:
    """Return each cause once, with its count."""
    counts: dict[LossCause, int] = {}
    for cause in causes:
        one = cause.model_copy(update={"count": 1})
        counts[one] = counts.get(one, 0) + cause.count
    return [cause.model_copy(update={"count": count}) for cause, count in counts.items()]


def list_partly_read(sources: Iterable[Source]) -> list[PartlyRead]:
    """Return the sources whose text is incomplete, ignoring a few bad bytes in a long one."""
    return _list_partly((s.own_path or s.title or s.url, s.unread) for s in sources)


def list_partly_given(files: Iterable[GivenFile], read: Iterable[PartlyRead]) -> list[PartlyRead]:
    """Return the given files whose text is incomplete, except those in `read`."""
    known = {each.name for each in read}
    return _list_partly((file.name, file.unread) for file in files if file.name not in known)


def _list_partly(documents: Iterable[tuple[str, Sequence[UnreadPart]]]) -> list[PartlyRead]:
    found = ((name, [p for p in unread if not p.is_negligible]) for name, unread in documents)
    return [PartlyRead(name=name, unread=parts) for name, parts in found if parts]


def list_unopened(files: Iterable[GivenFile], sources: Iterable[Source]) -> list[str]:
    """Return the names of the given files that no agent opened."""
    opened = {source.content_hash for source in sources}
    return [file.name for file in files if file.content_hash not in opened]


def describe_unread(source: Source) -> str:
    """Describe for a model what a source's text lacks; empty if it is complete."""
    found = list_partly_read([source])
    return "; ".join(tell_unread_parts(each.name, each.unread) for each in found)


def list_lost_reads(
    searches: Sequence[Search], unread: Mapping[str, LossCause], pages_read: int
) -> list[LostInput]:
    """Return the pages and searches that an agent's tools lost; one that succeeded later is not lost.

    `unread` are the failures of the pages that were never read, by URL.
    """
    found: list[LostInput] = []
    if unread:
        found.append(
            LostInput(
                kind="pages",
                name="pages",
                found=pages_read + len(unread),
                lost=len(unread),
                causes=count_causes(unread.values()),
            )
        )
    found += _list_lost_services(searches)
    failed = {search.query: search.cause for search in searches if search.cause}
    answered = {search.query for search in searches if not search.error}
    causes = [cause for query, cause in failed.items() if query not in answered]
    if causes:
        found.append(
            LostInput(
                kind="searches",
                name="searches",
                found=len({search.query for search in searches}),
                lost=len(causes),
                causes=count_causes(causes),
            )
        )
    return found


def _list_lost_services(searches: Sequence[Search]) -> list[LostInput]:
    """Return the services that failed while others returned hits: a notice, without effect on the status."""
    failures = [failure for search in searches for failure in search.failures]
    found: list[LostInput] = []
    for name, has_hits in dict.fromkeys((each.service, each.has_hits) for each in failures):
        own = [each for each in failures if (each.service, each.has_hits) == (name, has_hits)]
        found.append(
            LostInput(
                kind="search_service",
                name=name,
                found=max(sum(not search.cause for search in searches), len(own)),
                lost=len(own),
                causes=count_causes(failure.cause for failure in own),
                told=own[-1].words if has_hits else None,
                optional=True,
            )
        )
    return found


def find_outage(lost_inputs: Iterable[LostInput]) -> LostInput | None:
    """Return the outage that lost every search or every page; pages that refuse access are not an outage."""
    return next(
        (
            each
            for each in lost_inputs
            if each.is_whole
            and (each.kind == "searches" or (each.kind == "pages" and each.may_pass))
        ),
        None,
    )


def find_unmade_searches(planned: Sequence[str], searches: Sequence[Search]) -> LostInput | None:
    """Return the planned searches that the agents did not make, verbatim or rephrased.

    A planned search counts as made if another one has half its words, and half of the words that no other
    planned search has.
    """
    made = [{*spell_words(search.query).split()} for search in searches]
    words = {query: {*spell_words(query).split()} for query in planned}
    counts = Counter(word for each in words.values() for word in each)
    unmade = [
        query
        for query, own in words.items()
        if not any(
            _shares(own, other) and _shares({w for w in own if counts[w] == 1}, other)
            for other in made
        )
    ]
    if not unmade:
        return None
    return LostInput(
        kind="unmade_searches",
        name="searches",
        found=len(words),
        lost=len(unmade),
        names=unmade,
        causes=[LossCause(reason="not-made", count=len(unmade))],
    )


def _shares(planned: set[str], made: set[str]) -> bool:
    return len(planned & made) >= SAME_WORDS * len(planned)

"""Lost inputs in words, and those that an agent's searches and reads amount to."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence

from contracts.documents import PartlyRead
from contracts.evidence.sources import GivenFile, Source
from contracts.lost_inputs import LossCause, LostInput
from contracts.notices import tell_unread_parts
from contracts.report.research import Search
from contracts.words import Language, say
from domain.evidence.normal_forms import spell_words

NOUNS = {
    "articles": ("article", "articles"),
    "filings": ("filing", "filings"),
    "pages": ("page", "pages"),
}
"""Kinds of lost inputs that are read one by one, in the singular and the plural."""
SAME_WORDS = 0.5
"""A search is one of the plan's if it has this share of its words: agents word them anew."""
MAX_NAMES = 10
"""The maximum number of searches that a reader is shown by name."""
REASONS = {
    "fetch-failed": "no answer",
    "facts-failed": "no answer",
    "search-failed": "no answer",
    "price-failed": "no answer",
    "late": "no answer in time",
    "fetch-refused": "not readable",
    "search-refused": "refused",
    "facts-refused": "refused",
    "no-facts": "not there",
    "worker-lost": "the worker died",
    "call-timed-out": "no answer in time",
    "store-unavailable": "the store was unreachable",
    "model-busy": "the model was overloaded",
    "model-unreachable": "the model could not be reached",
    "model-refused": "the model declined",
    "model-truncated": "the model's answer was cut off",
    "model-rejected": "the model rejected the request",
    "key-rejected": "the key was rejected",
    "output-invalid": "the model's answer could not be used",
    "ValidationError": "the model's answer could not be used",
    "budget-exceeded": "the budget was used up",
    "phase-timeout": "its time was used up",
    "input-lost": "all that it was to read was lost",
    "out-of-time": "the phase's time is nearly used up",
    "too-costly": "it took too long, or too much memory",
    "tool-failed": "it could not be made",
    "nothing-found": "nothing was found",
    "step-failed": "its reviewer accepted no attempt",
    "unknown-ticker": "no company is listed so",
    "no-document": "not there",
}
"""Types of errors in words; any other type is shown as it is."""


def describe_lost_input(lost: LostInput, phase_id: str = "") -> str:
    """Return one sentence, without a full stop, on an input that a phase went on without.

    The phase `phase_id` that lost a value itself says why; every other one names the value.
    """
    why = describe_causes(lost.causes)
    if lost.kind == "cut_pages":
        return tell_cut_pages(lost, "en")
    if lost.kind == "unmade_searches":
        return _name_unmade(lost)
    if lost.kind == "searches":
        told = _count_searches(lost)
    elif lost.kind in NOUNS:
        told = _count_items(lost)
    elif lost.kind == "check" or (lost.kind == "value" and lost.phase_id == phase_id):
        return lost.detail or f"{lost.name} was not made{f': {why}' if why else ''}"
    else:
        told, why = f"went on without {lost.name}", lost.detail or why
        return f"{told}: {why}" if why else told
    about = f"{lost.subject}: " if lost.subject else ""
    return f"{about}{told}{f' ({why})' if why else ''}"


def tell_cut_pages(lost: LostInput, language: Language) -> str:
    """Return in words, without a full stop, that a model could not read its pages whole."""
    return say(language, "pages-cut", model=lost.name, tokens=f"{lost.window_tokens:,}")


def _name_unmade(lost: LostInput) -> str:
    if lost.is_whole:
        return f"none of the plan's searches was made: {quote_names(lost.names)}"
    verb = "was" if lost.lost == 1 else "were"
    return f"{lost.lost} of the plan's {lost.found} searches {verb} not made: {quote_names(lost.names)}"


def quote_names(names: Sequence[str]) -> str:
    """Return names in quotation marks, the first of them where they are many."""
    told = ", ".join(f"“{name}”" for name in names[:MAX_NAMES])
    return f"{told}, … (+{len(names) - MAX_NAMES})" if names[MAX_NAMES:] else told


def _count_items(lost: LostInput) -> str:
    noun = NOUNS[lost.kind][lost.found != 1]
    if not lost.is_whole:
        return f"{lost.lost} of {lost.found} {noun} could not be read"
    if lost.found == 1:
        return f"1 {noun} was found, and could not be read"
    return f"{lost.found} {noun} were found, none could be read"


def _count_searches(lost: LostInput) -> str:
    noun = "search was" if lost.found == 1 else "searches were"
    if lost.is_whole:
        return f"{lost.found} {noun} to be made, none was answered"
    verb = "was" if lost.lost == 1 else "were"
    return f"{lost.lost} of {lost.found} searches {verb} not answered"


def describe_causes(causes: Sequence[LossCause]) -> str:
    """Return why inputs were lost, e.g. `HTTP 500`, or `HTTP 500: 3, no answer: 1`."""
    counts: dict[str, int] = {}
    for cause in causes:
        word = f"HTTP {cause.status}" if cause.status else REASONS.get(cause.reason, cause.reason)
        counts[word] = counts.get(word, 0) + cause.count
    if len(counts) < 2:
        return "".join(counts)
    return ", ".join(f"{word}: {count}" for word, count in counts.items())


def count_causes(causes: Iterable[LossCause]) -> list[LossCause]:
    """Return each cause once, with its count."""
    counts: dict[LossCause, int] = {}
    for cause in causes:
        one = cause.model_copy(update={"count": 1})
        counts[one] = counts.get(one, 0) + cause.count
    return [cause.model_copy(update={"count": count}) for cause, count in counts.items()]


def list_partly_read(sources: Iterable[Source]) -> list[PartlyRead]:
    """Return the sources whose text lacks parts of them, but for a few bad bytes in a long one."""
    found = ((source, [p for p in source.unread if not p.is_negligible]) for source in sources)
    return [
        PartlyRead(name=source.own_path or source.title or source.url, unread=parts)
        for source, parts in found
        if parts
    ]


def list_partly_given(files: Iterable[GivenFile], read: Iterable[PartlyRead]) -> list[PartlyRead]:
    """Return the given files whose texts lack parts of them, without those that were read."""
    known = {each.name for each in read}
    found = (
        (file.name, [p for p in file.unread if not p.is_negligible])
        for file in files
        if file.name not in known
    )
    return [PartlyRead(name=name, unread=parts) for name, parts in found if parts]


def list_unopened(files: Iterable[GivenFile], sources: Iterable[Source]) -> list[str]:
    """Return the names of the given files whose text no agent opened."""
    opened = {source.content_hash for source in sources}
    return [file.name for file in files if file.content_hash not in opened]


def describe_unread(source: Source) -> str:
    """Return in words, for a model, what a source's text lacks of it; empty if it lacks nothing."""
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


def find_outage(lost_inputs: Iterable[LostInput]) -> LostInput | None:
    """Return the loss of every search, or of every page to an outage; pages that refuse are no outage."""
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
    """Return the searches of the plan that its agents did not make, in words of their own or in its words.

    A search is made once another has half its words, and half of those that no other planned search has.
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

"""Whether a report's checked sources suffice: enough that are live and recent, of enough publishers."""

from collections.abc import Sequence

from contracts.notices import Notice, NoticeParam
from contracts.phases.validation import CheckedSource, ValidationConfig


def find_shortage(
    checked: list[CheckedSource], config: ValidationConfig, max_age_days: int
) -> list[Notice]:
    """Return why the sources do not suffice, a notice for each reason; empty where they do."""
    least = config.min_sources
    reached = [source for source in checked if source.is_live]
    recent = [source for source in checked if source.counts]
    problems: list[Notice] = []
    if len(recent) < least:
        if len(reached) < least:
            code = "sources-not-live" if checked else "sources-not-cited"
            problems.append(Notice.of(code, n=len(reached), of=len(checked), least=least))
        undated = sum(source.age_days is None for source in reached)
        if len(reached) > len(recent):
            old = len(reached) - len(recent) - undated
            counts = {"old": old, "undated": undated}
            told = {name: count for name, count in counts.items() if count}
            few = {"n": len(reached), "days": max_age_days, "least": least}
            problems.append(Notice(code="sources-not-recent", params=few | told))
    known = recent if len(recent) >= least else reached
    publishers = sorted(
        {each.publisher.casefold(): each.publisher for each in known if each.publisher}.values()
    )
    if known and len(publishers) < config.min_publishers:
        unnamed = sum(not each.publisher for each in known)
        code = "sources-not-independent" if publishers else "sources-unnamed"
        params: dict[str, NoticeParam] = {"of": len(known), "least": config.min_publishers}
        if publishers:
            params["publishers"] = _join(publishers)
        if unnamed:
            params["unnamed"] = unnamed
        problems.append(Notice(code=code, params=params))
    return problems


def _join(names: Sequence[str]) -> str | Notice:
    """Return names in a row, each joined to the next by `and`."""
    *before, last = names
    return Notice.of("joined-by-and", first=_join(before), last=last) if before else last

"""The text of an alert, in its channel's language."""

from dataclasses import dataclass

from contracts.alerts import DueAlert
from contracts.notices import Notice
from contracts.runs.schedules import ChangedSentence, RunChanges
from contracts.words import say, write_moment

MAX_QUERY_CHARS = 300
MAX_NOTICES = 3
MAX_SENTENCES = 6


@dataclass(frozen=True)
class Link:
    """An address with the words that lead to it."""

    label: str
    url: str


@dataclass(frozen=True)
class AlertMessage:
    """An alert in words."""

    title: str
    lines: list[str]
    links: list[Link]

    @property
    def text(self) -> str:
        """Return the lines as one text."""
        return "\n".join(self.lines)


def write_message(
    alert: DueAlert, run_url: str, decide_url: str = "", compare_url: str = ""
) -> AlertMessage:
    """Write an alert's text and links; `decide_url` is empty if its user has nothing to decide."""
    language = alert.language
    links = []
    if decide_url:
        links.append(Link(say(language, "alert-link-decide"), decide_url))
    if compare_url:
        links.append(Link(say(language, "alert-link-compare"), compare_url))
    if run_url:
        links.append(Link(say(language, "alert-link-run"), run_url))
    lines = [_shorten(alert.query)] if alert.query else []
    lines += [notice.say(language) for notice in _list_notices(alert)]
    if decide_url:
        lines.append(say(language, "alert-link-warning", user=alert.user_id))
    return AlertMessage(_find_title(alert).say(language), lines, links)


def _shorten(query: str) -> str:
    line = " ".join(query.split())
    return line if len(line) <= MAX_QUERY_CHARS else f"{line[: MAX_QUERY_CHARS - 1]}…"


def _find_title(alert: DueAlert) -> Notice:
    facts = alert.facts
    match alert.type:
        case "channel.test":
            return Notice.of("alert-test")
        case "run.failed":
            return Notice.of("alert-failed")
        case "run.ended":
            return Notice.of("alert-ended", status=Notice.of(f"status-{facts.status}"))
        case "run.cap_reached":
            return Notice.of("alert-budget" if facts.budget else "alert-cap")
        case "run.deadline_near":
            return Notice.of("alert-deadline")
        case "run.waiting":
            pass
    if facts.asks == "questions":
        return Notice.of("alert-questions", n=facts.questions)
    return Notice.of("alert-plan" if facts.subject == "plan" else "alert-decision")


def _list_notices(alert: DueAlert) -> list[Notice]:
    """Return the text of an alert, without the run's question."""
    facts, language = alert.facts, alert.language
    told = [Notice.of("alert-test-text")] if alert.type == "channel.test" else []
    if facts.price:
        expected, top = facts.price.expected_usd, facts.price.top_usd
        told.append(Notice.of("alert-price", expected=expected, top=top))
    if facts.budget:
        told.append(facts.budget.notice)
    elif facts.cap_usd is not None and facts.spent_usd is not None:
        told.append(Notice.of("alert-spent", spent=facts.spent_usd, cap=facts.cap_usd))
    if facts.deadline:
        told.append(Notice.of("alert-due", time=write_moment(language, facts.deadline)))
    if facts.reason:
        told += [facts.reason, Notice.of("alert-schedule-paused")]
    if facts.status:
        told += alert.notices[:MAX_NOTICES]
    if alert.changes:
        told.append(_tell_changes(alert.changes))
        told += map(_tell_sentence, alert.changes.sentences[:MAX_SENTENCES])
    return told


def _tell_sentence(sentence: ChangedSentence) -> Notice:
    """Return the notice of an added or removed sentence, with the passage that supports it."""
    told = {"quote": sentence.quote or None, "source": sentence.source or None}
    return Notice.of(f"alert-{sentence.change}", text=sentence.text, **told)


def _tell_changes(changes: RunChanges) -> Notice:
    if changes.uncompared:
        return Notice.of("alert-uncompared", why=changes.uncompared)
    if changes.added or changes.removed:
        return Notice.of("alert-changes", added=changes.added, removed=changes.removed)
    return Notice.of("alert-unchanged")

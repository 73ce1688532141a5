"""What typed lists lack: short, with what was looked for."""

from greenlight.offline.model import leaning
from greenlight.offline.model.agent import query_of
from greenlight.offline.model.asking import Asked
from greenlight.offline.model.items import Lists
from greenlight.offline.model.sense import is_on
from greenlight.offline.model.task import Task
from greenlight.offline.text.words import clip, listed

FEW = 2


def gaps(task: Task, asked: list[Asked]) -> list[str]:
    """Return what was not found: the lists that are empty, then the subject itself."""
    lists = Lists(task)
    empty = [one.name.replace("_", " ") for one in asked if not lists.fill(one)]
    searched = searches(task)
    if not task.sources:
        return [f"Nothing was found. {searched}" if searched else unfounded(empty)]
    told = [f"{counted(task)} no {listed(empty, 'or')}. {searched}".strip()] if empty else []
    return [*told, *off_subject(task, len(empty) < len(asked))]


def unfounded(empty: list[str]) -> str:
    """Return what to say where no quote was handed over."""
    return f"No quote was handed over, so nothing is said on {listed(empty, 'or') or 'anything'}."


def counted(task: Task) -> str:
    """Return what was looked through."""
    quotes = sum(len(source.quotes) for source in task.sources)
    kind, number = ("quote", quotes) if quotes else ("page", len(task.sources))
    done = "handed over" if quotes else "read"
    if number == 1:
        return f"The one {kind} that was {done} gives"
    return f"The {number} {kind}s that were {done} give"


def searches(task: Task) -> str:
    """Return what was searched for in a sentence, if anything was."""
    made = (query_of(call) for call in task.conversation.calls)
    found = [query for query in dict.fromkeys(made) if query and "://" not in query]
    more = f" and {len(found) - FEW} more" if len(found) > FEW else ""
    named = "; ".join(f"“{clip(query, 80)}”" for query in found[:FEW])
    return f"Searched for {named}{more}." if named else ""


def off_subject(task: Task, is_told: bool) -> list[str]:
    """Return that nothing is about the subject itself, if that is so."""
    on_it = any(is_on(source, task.topic) for source in task.sources)
    if on_it or leaning.is_of_accounts(task):
        return []
    is_quoted = any(source.quotes for source in task.sources)
    read = "quote that was handed over" if is_quoted else "page that was read"
    whole = "countries" if len(task.places) > 1 else "country"
    instead = f"; the figures are of the {whole} as a whole" if task.places and is_told else ""
    return [f"No {read} is about {clip(task.topic, 80)} as such{instead}."]

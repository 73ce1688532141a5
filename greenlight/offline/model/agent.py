"""The turns of an agent that has tools: search first, then read what was found."""

import json
import math
import re
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import zip_longest
from typing import Any

from greenlight.offline.model import planning
from greenlight.offline.model.conversation import LINK, QUERY, Call, Tool
from greenlight.offline.model.gazetteer import places
from greenlight.offline.model.task import Task
from greenlight.offline.text.kin import mentions
from greenlight.offline.text.words import WORD, clip, stems, subject_words, telling_stems

URL = re.compile(r"https?://[^\s<>\"')\]]+")
AT_ONCE = 10
PER_SEARCH, PER_OPEN_SEARCH = 3, 6
MOST_SOURCES = 20
SHARED = 2
"""Of how many shares in the pages one of several agents takes one."""
LONGEST_QUERY = 200

ToolCall = tuple[str, dict[str, Any]]


@dataclass(frozen=True)
class Found:
    """A page that a search listed."""

    url: str
    title: str
    words: str


def next_calls(task: Task) -> list[ToolCall]:
    """Return the tool calls to make now: searches, then pages; none when there is nothing left."""
    tools = task.conversation.tools
    search = next((t for t in tools if t.argument(*QUERY)), None)
    fetch = next((t for t in tools if t.argument(*LINK)), None)
    return (searches(task, search) if search else []) or (pages(task, fetch) if fetch else [])


def searches(task: Task, tool: Tool) -> list[ToolCall]:
    """Return the searches not made yet."""
    argument = tool.argument(*QUERY) or "query"
    sent = {call.arguments.get(argument) for call in task.conversation.calls}
    terms = [term for term in search_terms(task) if term not in sent]
    return [(tool.name, {argument: term}) for term in terms[:AT_ONCE]]


def search_terms(task: Task) -> list[str]:
    """Return what to search for: the plan's terms, else the question's own words."""
    planned = task.planned("search_terms")
    added = steered(task) if task.conversation.text("steering") else []
    asked = " ".join(subject_words(task.question)) or task.question
    return list(dict.fromkeys([*own(task, planned), *added])) or [clip(asked, LONGEST_QUERY)]


def own(task: Task, terms: list[str]) -> list[str]:
    """Return the searches that bear on the agent's own steps, and those on the subject itself."""
    said = (f"{step.get('name')} {step.get('description')}" for step in task.own_steps)
    asked = stems(" ".join(said))
    special = {term: rest for term in terms if (rest := beyond_subject(task, term))}
    mostly = [term for term, rest in special.items() if len(rest & asked) * 2 > len(rest)]
    partly = [term for term, rest in special.items() if rest & asked]
    kept = mostly or partly or terms
    return [term for term in terms if term in kept or term not in special]


def beyond_subject(task: Task, term: str) -> set[str]:
    """Return the stems of a search without places and wishes and, where it is whole, the topic."""
    known = stems(" ".join([*task.subjects, task.region, *task.wishes]))
    topic, rest = stems(task.topic), stems(term)
    return rest - topic - known if topic <= rest else rest - known


def steered(task: Task) -> list[str]:
    """Return the searches that guidance on the way adds: for a new place, for a new wish."""
    scope = places(str(task.plan.get("geographical_scope", "")))
    new = [place for place in task.places if place not in scope] + task.wishes
    return [term for term in planning.search_terms(task) if any(part in term for part in new)]


def pages(task: Task, tool: Tool) -> list[ToolCall]:
    """Return the best pages not read yet, as many as may still be read."""
    argument = tool.argument(*LINK) or "url"
    read = [call for call in task.conversation.calls if call.name == tool.name]
    tried = {call.arguments.get(argument) for call in read}
    most = task.conversation.number("max_sources", MOST_SOURCES)
    searched = [call for call in task.conversation.calls if call.name != tool.name]
    most = min(math.ceil(most / SHARED), len(searched)) if task.own_steps else most
    left = most - sum(not call.failed for call in read)
    urls = [found.url for found in ranked(task, searched) if found.url not in tried]
    return [(tool.name, {argument: url}) for url in urls[: max(0, min(left, AT_ONCE))]]


def ranked(task: Task, searched: list[Call]) -> list[Found]:
    """Return the listed pages that bear on the task: every search's best, then every second one."""
    most = PER_SEARCH if task.subjects else PER_OPEN_SEARCH
    known: dict[str, Found] = {}
    lists = []
    for call in searched:
        if not call.failed:
            query = query_of(call)
            again = query if task.subjects else ""
            pages = [whole(found, known, again) for found in listed(call)]
            lists.append([found for found in pages if bears_on(task, query, found)][:most])
    mixed = (found for rank in zip_longest(*lists) for found in rank if found)
    return list({found.url: found for found in mixed}.values())


def whole(found: Found, known: dict[str, Found], again: str) -> Found:
    """Return a page; one only named as it was listed first, with the words that found it again."""
    first = known.setdefault(found.url, found)
    return found if found.title else Found(first.url, first.title, f"{first.words} {again}")


def query_of(call: Call) -> str:
    """Return what a call searched for."""
    return " ".join(value for value in call.arguments.values() if isinstance(value, str))


def bears_on(task: Task, query: str, found: Found) -> bool:
    """Tell whether a page names one of the subjects and has enough of what was searched for."""
    own = stems(" ".join(task.subjects))
    wanted, said = stems(query) - own, stems(f"{found.title} {found.words}")
    shared = len(wanted & said)
    if not task.subjects:
        about = telling_stems(query if planning.is_open(task) else task.topic)
        exact = acronyms(task.topic) <= set(WORD.findall(f"{found.title} {found.words}"))
        met = sum(mentions(said, root) for root in about)
        return exact and 0 < len(about) <= met * 2
    if is_placeless(task, found):
        return True
    return names_one(task.subjects, found) and (shared * 3 >= len(wanted) or shared > 1)


def acronyms(text: str) -> set[str]:
    """Return the words in capitals, which mean something else where they are written small."""
    return {word for word in WORD.findall(text) if word.isupper() and len(word) > 1}


def names_one(subjects: list[str], found: Found) -> bool:
    """Tell whether a page is about a subject: by its title, unless that names another place."""
    title, words = stems(found.title), stems(found.words)
    if any(stems(subject) <= title for subject in subjects):
        return True
    return not places(found.title) and any(stems(subject) <= words for subject in subjects)


def is_placeless(task: Task, found: Found) -> bool:
    """Tell whether a page is about the topic and says nothing of elsewhere."""
    about, text = telling_stems(task.topic), f"{found.title} {found.words}"
    met = sum(mentions(stems(text), root) for root in about)
    is_elsewhere = places(found.title) or not set(places(text)) <= set(task.places)
    return bool(task.places) and not is_elsewhere and met * 2 > len(about)


def listed(call: Call) -> Iterator[Found]:
    """Yield the pages that a tool's result lists, as JSON or as text."""
    for body in call.inputs.values() or [call.text]:
        try:
            entries = list(with_url(json.loads(body)))
        except ValueError:
            entries = [described(body, match) for match in URL.finditer(body)]
        yield from entries


def with_url(data: Any) -> Iterator[Found]:
    """Yield every object in JSON data that has a URL."""
    if isinstance(data, dict):
        if isinstance(data.get("url"), str):
            words = " ".join(v for k, v in data.items() if isinstance(v, str) and k != "url")
            yield Found(data["url"], str(data.get("title", "")), words)
        else:
            for value in data.values():
                yield from with_url(value)
    elif isinstance(data, list):
        for value in data:
            yield from with_url(value)


def described(body: str, url: re.Match[str]) -> Found:
    """Return a page that stands in plain text, described by the paragraph around it."""
    start = body.rfind("\n\n", 0, url.start()) + 1
    end = body.find("\n\n", url.end())
    words = body[start : end if end > 0 else len(body)].strip()
    return Found(url[0], words.splitlines()[0], words)

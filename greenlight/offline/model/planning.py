"""The plan: what to search for, read and compare, from the question and what the user said."""

from dataclasses import replace
from itertools import accumulate

from greenlight.offline.model.crew import members, shares
from greenlight.offline.model.knowledge import (
    MARKET_FIELDS,
    Field,
    country_fields,
    general_fields,
    is_inquiry,
    measured,
)
from greenlight.offline.model.task import Task
from greenlight.offline.text.aspects import TIME, states_people
from greenlight.offline.text.kin import kin_words
from greenlight.offline.text.subject import runs
from greenlight.offline.text.words import clip, listed, stems, words

OTHER_LANGUAGE = (
    "The question is kept whole as its own topic: the offline stand-in takes only English apart "
    "and writes English only."
)
MOST_FIELDS = 6
MOST_TERMS, FEWEST_PARTS = 18, 4
LONGEST_TERM = 200
EACH = 2
"""How many searches for each place every member of a crew makes at most."""


def named(task: Task) -> str:
    """Return the region or the compared things, or nothing."""
    return task.region or listed([clip(subject, 40) for subject in task.subjects])


def subject(task: Task) -> str:
    """Return the topic as the beginning of a line."""
    about = clip(task.topic, 90)
    return about[:1].upper() + about[1:]


def fields_of(task: Task) -> list[Field]:
    """Return the fields to look up."""
    if task.places:
        of_market = MARKET_FIELDS if members(task) else ()
        fields = [*own_field(task), *country_fields(task.topic, task.wishes), *of_market]
    else:
        fields = list(general_fields(task.question)) if stems(task.topic) else []
    kept = [leaner(field, task) for field in fields if not task.is_dropped(field.name)]
    most = MOST_FIELDS + len(MARKET_FIELDS) if members(task) else MOST_FIELDS
    return [field for field in kept if field.measures][:most]


def own_field(task: Task) -> list[Field]:
    """Return what country data measures of the topic itself, for a crew to look up."""
    found = tuple(m.replace(",", "") for m in measured(task.topic)[:1]) if members(task) else ()
    return [Field(subject(task), found)] if found else []


def leaner(field: Field, task: Task) -> Field:
    """Return a field without the measures that a human asked to leave out."""
    kept = tuple(measure for measure in field.measures if not task.is_dropped(measure))
    return replace(field, measures=kept)


def own_wishes(task: Task) -> list[str]:
    """Return the wishes that are no field of their own, nor part of one's name."""
    names = [stems(field.name) for field in fields_of(task)]
    return [wish for wish in task.wishes if not any(stems(wish) <= name for name in names)]


def asked_for(task: Task) -> list[str]:
    """Return what else a question on what is known speaks of, beside its topic."""
    if task.places or task.subjects or not task.is_english or not is_inquiry(task.question):
        return []
    others = [
        run for run in runs(TIME.sub(" / ", task.question)) if not states_people(f"for {run}")
    ]
    return [run for run in others if run not in task.topic and not task.is_dropped(run)]


def title(task: Task) -> str:
    """Return what the work is about in a line."""
    names = named(task)
    return f"{subject(task)}: {names}" if names and names != task.topic else subject(task)


def goal(task: Task) -> str:
    """Return what the user will have at the end."""
    table = " and the figures side by side" if len(task.subjects) > 1 else ""
    asked = clip(task.question, 300)
    names = f" for {named(task)}" if task.places else ""
    first = f", weighing “{clip(task.criterion, 80).rstrip('.')}” first," if task.criterion else ""
    return (
        f"Answer “{asked}”{names}{first} from sources that anyone can open, "
        f"every statement with its quote{table}."
    )


def requirements(task: Task) -> list[str]:
    """Return what the user asked for, in the user's words."""
    changes = [f"Changed as asked: {line}" for line in task.feedback.splitlines()]
    said = [f"{question} — {answer}".removeprefix(" — ") for question, answer in task.answers]
    pursued = [f"The idea to pursue: {task.idea}"] if task.idea else []
    told = map(task.conversation.text, ("instructions", "hardware_constraints"))
    issues = task.conversation.text("issues") and task.conversation.data("issues")
    mended = [f"Mend: {issue}" for issue in issues] if isinstance(issues, list) else []
    return [*changes, *pursued, *said, *filter(None, told), *mended]


def focus_areas(task: Task) -> list[str]:
    """Return what to look at: the subject, what the user named, what is measured of it."""
    names = [field.name for field in fields_of(task)]
    every = [subject(task), *asked_for(task), *own_wishes(task), *names]
    return foremost(list(dict.fromkeys(every)), task)


def foremost(names: list[str], task: Task) -> list[str]:
    """Return names with the one first that should count most."""
    wanted = stems(task.criterion)
    return sorted(names, key=lambda name: not (wanted and wanted & stems(name.split(":")[0])))


def search_terms(task: Task) -> list[str]:
    """Return the searches: each compared thing with the topic and wishes, then with measures."""
    if crew := members(task):
        return crew_terms(task, shares(crew, fields_of(task)))
    own = [] if task.topic == named(task) else [task.topic]
    context = "" if task.places or not own else f"{task.topic} "
    special = [" ".join(measured(task.topic)[:2])] if task.places else []
    measures = [context + " ".join(field.measures) for field in fields_of(task)]
    asked = " ".join([*own, *own_wishes(task)[:2]])
    near = [" ".join(kin_words(word)) for run in own for word in words(run.lower())]
    others = [*asked_for(task), *near] if is_open(task) else []
    parts = chunked(
        list(filter(None, [asked, *others, *special, *measures])), len(task.subjects) or 1
    )
    terms = [f"{thing} {part}".strip() for part in parts for thing in task.subjects or [""]]
    return list(dict.fromkeys(clip(term, LONGEST_TERM) for term in terms))


def crew_terms(task: Task, parts: dict[str, list[Field]]) -> list[str]:
    """Return a crew's searches: the topic, what each looks up of a market, then of each country."""
    about = " ".join(filter(None, [task.topic, task.region or listed(task.places)]))
    terms = [about, *(f"{about} {wish}" for wish in own_wishes(task)[:2])]
    things = task.subjects or [""]
    for fields in parts.values():
        of_market = [f for f in fields if not task.places or f in MARKET_FIELDS]
        terms += [f"{about} {field.words}" for field in of_market]
        rest = [" ".join(field.measures) for field in fields if field not in of_market]
        lines = [" ".join(rest[n::EACH]) for n in range(min(EACH, len(rest)))]
        terms += [f"{thing} {line}" for line in lines for thing in things]
    return list(dict.fromkeys(clip(term, LONGEST_TERM) for term in terms))


def chunked(parts: list[str], things: int) -> list[str]:
    """Return the parts of the searches, the last ones joined where there would be too many."""
    most = max(FEWEST_PARTS, MOST_TERMS // things)
    sizes = [(len(parts) + n) // most for n in range(most)]
    ends = list(accumulate(sizes))
    chunks = (parts[end - size : end] for size, end in zip(sizes, ends, strict=True))
    return [" ".join(chunk) for chunk in chunks if chunk]


def is_open(task: Task) -> bool:
    """Tell whether a question asks what is known and compares nothing."""
    return not task.subjects and is_inquiry(task.question)


def expanded_queries(task: Task) -> list[str]:
    """Return no more queries: the terms are all that is sent."""
    return []


def geographical_scope(task: Task) -> str:
    """Return where the work looks; of a region, which countries are taken to stand for it."""
    if task.region:
        return f"{task.region}, by its countries with the most people: {listed(task.places)}"
    return listed(task.places) or "not limited to a place"


def outline(task: Task) -> list[str]:
    """Return the report's sections; of one that there is already, its own and what is new."""
    known = [str(part["heading"]) for part in task.reported]
    fresh = [h for h in _outline(task) if not any(stems(h) <= stems(old) for old in known)]
    return [*known, *fresh]


def _outline(task: Task) -> list[str]:
    headings = [field.heading for field in fields_of(task)]
    opening = ["In short"] if len(task.subjects) > 1 and not members(task) else []
    topic = [] if task.topic == named(task) or own_field(task) else [subject(task)]
    every = dict.fromkeys([*topic, *asked_for(task), *own_wishes(task), *headings])
    return [*opening, *foremost(list(every), task)]


def assumptions(task: Task) -> list[str]:
    """Return what is taken for granted because the user left it open."""
    open_points = [f"Left to us: {question}" for question in task.left_open]
    taken = "Figures are taken as their sources state them, not converted or brought to one year."
    language = [] if task.is_english else [OTHER_LANGUAGE]
    return [*language, *open_points, taken]

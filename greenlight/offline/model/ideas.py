"""Ideas: ways to go about any subject, each from another side of it, with what the inputs say."""

from collections.abc import Iterator
from itertools import islice
from typing import Any

from greenlight.offline.model.evidence import ranked
from greenlight.offline.model.planning import asked_for, fields_of, named
from greenlight.offline.model.task import Task
from greenlight.offline.text.passages import Passage
from greenlight.offline.text.words import clip, listed, stems

Idea = dict[str, Any]

FEW = 3
LONGEST_SIDE, LONGEST_TITLE, LONGEST_QUOTE = 40, 95, 240
MOVES = (
    ("A small trial", "Try it with one group first, and go on only with what held."),
    ("A partner on the spot", "Leave to somebody who is there already what they do better."),
    ("Shared use", "Let several have it together, and pay for what each of them takes."),
    ("Training", "Teach those who run it until they do without help, and keep that up."),
    ("Less of it", "Leave out what few need, and do the rest so that nothing can go wrong."),
    ("A fixed promise", "Promise a result, look after all it takes, and answer for a failure."),
)
"""What can be done about anything at all."""
TESTED = "Before and after, the same few things are counted, so that the trial can fail."


def ideas(task: Task) -> list[Idea]:
    """Return as many ideas as are asked for; those given before are mended instead."""
    before = [idea for idea in task.conversation.json.get("ideas", ()) if isinstance(idea, dict)]
    if before and task.conversation.json.get("reviews"):
        return [mended(task, idea) for idea in before]
    return list(islice(fresh(task), max(1, task.conversation.number("n_ideas", FEW))))


def fresh(task: Task) -> Iterator[Idea]:
    """Yield ideas without end, no two of which are called or made alike."""
    every = sides(task)
    evidence = ranked(task.sources, task.wanted)
    number = 0
    while True:
        turn, which = divmod(number, len(MOVES))
        side = every[(number + turn) % len(every)] if every else ""
        again = f", {turn + 1}" if turn else ""
        yield idea(task, MOVES[which], side, evidence[number : number + 1]) | {
            "title": clip(title(task, MOVES[which][0], side), LONGEST_TITLE) + again
        }
        number += 1


def sides(task: Task) -> list[str]:
    """Return the sides that a subject has: what the user named first, then what is looked up."""
    fields = [field.name.lower() for field in fields_of(task)]
    every = [*task.wishes, *asked_for(task), *fields]
    short = (clip(side, LONGEST_SIDE) for side in every)
    return [side for side in dict.fromkeys(short) if side.lower() != task.topic.lower()]


def title(task: Task, move: str, side: str) -> str:
    """Return what an idea is called."""
    return f"{move}: {clip(task.topic, LONGEST_SIDE)}" + (f", {side}" if side else "")


def idea(task: Task, move: tuple[str, str], side: str, evidence: list[Passage]) -> Idea:
    """Return one way to go about the subject, from one side of it."""
    where = f" in {named(task)}" if task.places else ""
    first = f"{clip(task.topic, 80)}{where}".strip()
    seen = f" Look at {side} first." if side else ""
    return {
        "title": title(task, move[0], side),
        "description": f"{first[:1].upper()}{first[1:]}: {move[1]}{seen}",
        "why": why(task, side, evidence),
    }


def why(task: Task, side: str, evidence: list[Passage]) -> str:
    """Return what speaks for an idea: a passage, else where its side comes from."""
    for passage in evidence:
        return f"“{clip(passage.text, LONGEST_QUOTE)}” [{passage.source}]"
    if side and any(stems(side) <= stems(wish) for wish in task.wishes):
        return (
            f"It takes up {side}, which you named; nothing that was handed over speaks of it yet."
        )
    return f"It goes about {clip(task.topic, 80)} as asked; no evidence was handed over yet."


def mended(task: Task, old: Idea) -> Idea:
    """Return an idea with what a critic misses: the user's wishes, a place, a test that can fail."""
    said = str(old.get("description", ""))
    told = stems(f"{old.get('title', '')} {said}")
    missed = [wish for wish in task.wishes if not stems(wish) <= told][:2]
    added = [f"It takes up {listed(missed)}."] if missed else []
    added += [f"It begins in {task.places[0]}."] if task.places and len(task.places) > 1 else []
    added += [] if TESTED in said else [TESTED]
    return {**old, "description": " ".join([said, *(part for part in added if part not in said)])}

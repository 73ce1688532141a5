"""A decision by general rules: who comes out ahead in the figures, else how the material sounds."""

from greenlight.offline.model import leaning, sense
from greenlight.offline.model.comparison import Row, figures_of
from greenlight.offline.model.judge import by_tone, inclined
from greenlight.offline.model.notes import is_unsaid
from greenlight.offline.model.task import Task
from greenlight.offline.text.aspects import TIME
from greenlight.offline.text.words import clip

MOST = 4


def action(task: Task) -> str:
    """Return what to do: begin with who is ahead, else go on or not."""
    if len(task.subjects) > 1:
        return f"{ahead(task)} first"
    topic = clip(task.topic, 80)
    return str(
        by_tone(
            inclined(task),
            f"Go ahead with {topic}",
            f"Do not go ahead with {topic} yet",
            f"Look further before acting on {topic}",
        )
    )


def ahead(task: Task) -> str:
    """Return who comes out ahead in most figures; of several, who was named first."""
    won = [leader(row) for row in figures_of(task).rows if len(row.cells) > 1]
    return max(task.subjects, key=won.count)


def leader(row: Row) -> str:
    """Return who has most of a measure, or least of an unwelcome one; nobody where that is open."""
    sizes = row.sizes
    if len(set(sizes.values())) < 2:
        return ""
    return row.ordered[-1 if sense.tone(row.label, {}) < 0 else 0]


def horizon(task: Task) -> str:
    """Return by when, as the user said it."""
    said = (TIME.search(text) for text in (task.question, *(answer for _, answer in task.answers)))
    return next((found[0] for found in said if found), "until newer figures are out")


def what_would_change(task: Task) -> list[str]:
    """Return what would call for another decision: other figures, and what nobody has said."""
    chosen = ahead(task) if len(task.subjects) > 1 else ""
    rows = [row for row in figures_of(task).rows if leader(row)]
    mine = [row for row in rows if leader(row) == chosen]
    turned = [f"Newer figures on {row.label} that no longer speak for {chosen}." for row in mine]
    if leaning.is_of_accounts(task):
        return [f"Newer figures on {name} that say the opposite." for name in leaning.named(task)]
    unsaid = [phrase for phrase in [task.topic, *task.wishes] if is_unsaid(task, phrase)]
    missing = [
        f"A source on {phrase}, of which none that was read says anything." for phrase in unsaid
    ]
    return [*turned, *missing][:MOST] or ["A source that says the opposite of those cited."]

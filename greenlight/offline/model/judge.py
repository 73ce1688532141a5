"""Judgements that a schema asks for, by general rules of text: tone, support, clarity, relevance."""

import re
from collections.abc import Callable, Iterator
from typing import Any

from greenlight.offline.model import leaning
from greenlight.offline.model.fit import MISSING
from greenlight.offline.model.lexicon import NEUTRAL, sound
from greenlight.offline.model.questions import ESSENTIAL, open_aspects
from greenlight.offline.model.task import Task
from greenlight.offline.text.passages import figures
from greenlight.offline.text.words import WORD, clip, stem, stems, words

CLAIM = ("claim", "rule", "statement", "sentence", "hypothesis", "answer")
MOST_OPEN = 1
COVERED = 0.6
CARRIED = 0.4
NEGATION = frozenset({"no", "not", "never", "none", "nobody", "without", "hardly"})
TONES = (
    ("positive", "bullish", "buy", "good", "favorable", "favourable", "optimistic"),
    ("negative", "bearish", "sell", "bad", "unfavorable", "unfavourable", "pessimistic"),
    ("neutral", "mixed", "hold", "balanced", "none"),
)
SUPPORT = (
    ("supported", "entailed", "entailment", "true", "verified", "yes", "confirmed"),
    ("unsupported", "contradicted", "contradiction", "not_supported", "false", "refuted", "no"),
)
TONE = frozenset({"sentiment", "tone", "polarity"})
"""How properties are called that take a tone."""


def material(task: Task) -> str:
    """Return the text that is to be judged: the claim, else the sources, else the question."""
    texts = "\n".join(source.text for source in task.sources)
    return task.conversation.text(*CLAIM) or texts or task.question


def tone(task: Task) -> float:
    """Return how the material sounds, from -1 to 1."""
    return sound(material(task))


def inclined(task: Task) -> float:
    """Return how far what several sources say leans, from -1 to 1; of one source, how it sounds."""
    if len(task.sources) > 1 and leaning.weighed(task):
        found = leaning.balance(task)
        return found if abs(found) > leaning.MIXED else 0.0
    return tone(task)


def is_supported(task: Task) -> bool:
    """Tell whether the sources carry the claim: all its figures and names, most of its words."""
    claim = task.conversation.text(*CLAIM) or task.question
    texts = "\n".join(s.text for s in task.sources if s.text.strip() != claim.strip())
    names = [word for word in WORD.findall(claim)[1:] if word[:1].isupper()]
    seen, wanted = stems(texts), stems(claim)
    exact = set(figures(claim)) <= set(figures(texts)) and all(name in texts for name in names)
    return exact and len(wanted & seen) >= COVERED * len(wanted)


def coverage(task: Task) -> float:
    """Return the share of the question's subject that the sources speak of."""
    wanted = stems(task.topic)
    said = {
        stem for source in task.sources for passage in source.passages for stem in passage.stems
    } or stems(material(task))
    return len(wanted & said) / len(wanted) if wanted else 0.0


def is_unclear(task: Task) -> bool:
    """Tell whether the question leaves too much open."""
    return sum(aspect in ESSENTIAL for aspect in open_aspects(task)) > MOST_OPEN


def issues(task: Task) -> list[str]:
    """Return what a plan lacks: steps, searches, a wish; without one, what the work lacks."""
    if not task.plan:
        return shortcomings(task)
    lacking = [
        f"The plan has no {part}." for part in ("steps", "search_terms") if not task.plan.get(part)
    ]
    said = stems(str(task.plan))
    wishes = [wish for wish in task.wishes if not stems(wish) <= said]
    return [*lacking, *(f"The plan does not take up: {wish}." for wish in wishes)]


def shortcomings(task: Task) -> list[str]:
    """Return what a piece of work says of itself that it lacks, and which statements do not hold."""
    found = list(entries(list(task.conversation.json.values())))
    unheld = [str(e.get("text")) for e in found if e.get("verdict") == "unsupported"]
    missing = [str(e["missing"]) for e in found if e.get("missing")]
    gaps = [str(gap) for e in found for gap in e.get("gaps") or () if isinstance(gap, str)]
    told = [f"Not in its sources: {clip(text, 200)}" for text in unheld]
    return list(dict.fromkeys([*told, *missing, *gaps]))


def entries(data: Any) -> Iterator[dict[str, Any]]:
    """Yield every object in JSON data."""
    if isinstance(data, dict):
        yield data
    for part in data.values() if isinstance(data, dict) else data if isinstance(data, list) else ():
        yield from entries(part)


def reasons(task: Task) -> list[str]:
    """Return what a piece of work lacks: anything said at all."""
    work = task.conversation.data("work", "draft", "result")
    said = [value for value in work.values() if value] if isinstance(work, dict) else [work]
    return [] if any(said) else ["It says nothing: neither what was found nor what is missing."]


def problems(task: Task) -> list[str]:
    """Return what a reader would miss in charts: a name for each of their parts."""
    given = task.conversation.data("charts", "chart", "plots")
    charts = (
        [chart for chart in given if isinstance(chart, dict)] if isinstance(given, list) else []
    )
    return [
        f"Chart {number} has no {part.replace('_', ' ')}."
        for number, chart in enumerate(charts, start=1)
        for part, text in chart.items()
        if part.startswith(("title", "x_label", "y_label")) and not str(text).strip()
    ]


def verdicts(task: Task) -> list[dict[str, Any]]:
    """Return whether each numbered claim's quotes carry it: all its figures, most of its words."""
    given = task.conversation.data("claims")
    entries = [e for e in given if isinstance(e, dict)] if isinstance(given, list) else []
    return [
        {"claim": n, "entailed": carried(entry), "reason": ""}
        for n, entry in enumerate(entries, start=1)
    ]


def carried(entry: dict[str, Any]) -> bool:
    """Tell whether the quotes of a claim have its figures and most of its words, and negate alike."""
    text, quotes = str(entry.get("text", "")), " ".join(map(str, entry.get("quotes") or []))
    wanted, seen = stems(text), stems(quotes)
    negates = [bool(NEGATION & {word.lower() for word in words(t)}) for t in (text, quotes)]
    exact = set(figures(text)) <= set(figures(quotes)) and negates[0] == negates[1]
    return exact and len(wanted & seen) >= CARRIED * len(wanted)


VERDICTS: dict[str, Callable[[Task], bool]] = {
    "met kept satisf support entail verifi consist accur faith ground true correct": is_supported,
    "ambigu unclear clarif vagu": is_unclear,
    "done finish": lambda task: not reasons(task),
    "good clear legib": lambda task: not problems(task),
    "accept approv pass valid ok complet": lambda task: not issues(task),
    "relev answer suffici enough cover": lambda task: coverage(task) >= COVERED,
    "posit bullish optimist favor": lambda task: tone(task) > NEUTRAL,
    "negat bearish pessimist": lambda task: tone(task) < -NEUTRAL,
}


def verdict(task: Task, name: str) -> bool:
    """Return a yes or no by what a property's name asks; no where nothing speaks for yes."""
    for roots, rule in VERDICTS.items():
        if any(
            word.lower().startswith(root)
            for word in re.split(r"_|\W", name)
            for root in roots.split()
        ):
            return rule(task)
    return False


def choice(task: Task, name: str, options: list[Any]) -> Any:
    """Return one of the options: by tone, by support, else the one the material speaks of most."""
    texts = {str(option).lower(): option for option in options if isinstance(option, str)}
    if found := [[texts[word] for word in group if word in texts] for group in TONES]:
        positive, negative, neutral = found
        if positive and negative:
            return by_tone(inclined(task), positive[0], negative[0], (neutral or [MISSING])[0])
    supported, unsupported = ([texts[w] for w in group if w in texts] for group in SUPPORT)
    if supported and unsupported:
        return supported[0] if is_supported(task) else unsupported[0]
    said = [stem(word) for word in words(f"{task.question} {material(task)}")]
    counts = {text: sum(map(said.count, stems(text.replace("_", " ")))) for text in texts}
    best = max(counts, key=lambda text: counts[text], default=None)
    return texts[best] if best and counts[best] else MISSING


def by_tone(value: float, positive: Any, negative: Any, neutral: Any) -> Any:
    """Return the option for a tone; without a neutral one, the nearer of the two."""
    if neutral is not MISSING and abs(value) <= NEUTRAL:
        return neutral
    return positive if value >= 0 else negative


def number(task: Task, name: str, schema: dict[str, Any]) -> Any:
    """Return a number by what a property's name asks: tone, coverage, else a figure of the sources."""
    parts = set(name.lower().split("_"))
    if parts & TONE:
        return tone(task)
    if "confidence" in parts and (sure := leaning.confidence(task)):
        return sure
    if parts & {"confidence", "score", "probability", "coverage", "relevance", "quality"}:
        low, high = schema.get("minimum", 0), schema.get("maximum", 1)
        return low + coverage(task) * (high - low)
    wanted = stems(name.replace("_", " "))
    passages = (p for source in task.sources for p in source.passages if wanted & p.stems)
    digits = (re.sub(r"[^\d.]", "", figure).strip(".") for p in passages for figure in p.figures)
    return next((float(text) for text in digits if text.count(".") <= 1 and text), MISSING)

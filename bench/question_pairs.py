"""Pairs of questions: paraphrases, and contrasts that look alike and ask something else."""

from collections.abc import Iterator
from itertools import combinations, pairwise

Pair = tuple[str, str]

SLOTS: dict[str, list[str]] = {
    "place": ["Kenya", "Tanzania", "Peru", "Niger", "Nigeria", "South Africa", "South Sudan"],
    "year": ["2019", "2020", "2024", "2025"],
    "number": ["3", "5", "ten", "1,000"],
    "name": ["Apple", "Google", "Siemens", "Maria Silva", "Mario Silva"],
    "thing": ["solar", "wheat"],
}
"""Values of each placeholder; neighbours make a contrast, the more alike the harder."""

WORDINGS: list[tuple[str, ...]] = [
    (
        "How big is the {thing} market in {place}?",
        "What is the size of the {thing} market in {place}?",
        "What is the size of {place}'s {thing} market?",
        "how large is the {thing} market in {place}",
    ),
    (
        "What was the population of {place} in {year}?",
        "What was {place}'s population in {year}?",
        "How many people lived in {place} in {year}?",
    ),
    (
        "What are the main exports of {place}?",
        "What are {place}'s main exports?",
        "Please tell me the principal exports of {place}.",
        "What does {place} mainly export?",
    ),
    (
        "Name {number} risks of investing in {name}.",
        "name {number} risks of investing in {name}",
        "Please name {number} risks of investing in {name}",
        "What are {number} risks of an investment in {name}?",
    ),
    (
        "What was the revenue of {name} in {year}?",
        "What was {name}'s revenue in {year}?",
        "Could you tell me the revenue of {name} in {year}?",
        "How much revenue did {name} make in {year}?",
    ),
    (
        "Which {number} companies lead the {thing} market in {place}?",
        "What {number} firms lead the {thing} market in {place}?",
        "Which are the {number} leading companies in {place}'s {thing} market?",
    ),
    (
        "Who are the competitors of {name} in {place}?",
        "Who are {name}'s competitors in {place}?",
        "Who competes with {name} in {place}?",
    ),
    (
        "How did the price of {thing} change in {place} since {year}?",
        "How did {thing} prices change in {place} since {year}?",
        "How did the price of {thing} change since {year} in {place}?",
    ),
    (
        "When will {place} reach {number} million internet users?",
        "when will {place} reach {number} million internet users",
        "In which year will {place} have {number} million internet users?",
    ),
]
"""Wordings of the same question; contrasts are built from the first one."""

NEGATED: list[Pair] = [
    ("Should I invest in {name}?", "Should I not invest in {name}?"),
    ("Is {name} profitable in {place}?", "Isn't {name} profitable in {place}?"),
    ("Which states of {place} grow {thing}?", "Which states of {place} do not grow {thing}?"),
    ("How is {thing} sold with subsidies?", "How is {thing} sold without subsidies?"),
    ("Why do people in {place} buy {thing}?", "Why do people in {place} never buy {thing}?"),
    ("Can foreigners own land in {place}?", "Can foreigners not own land in {place}?"),
    ("What did {name} promise {place}?", "What didn't {name} promise {place}?"),
]

REVERSED: list[Pair] = [
    ("What does {a} export to {b}?", "What does {b} export to {a}?"),
    ("Is {a} bigger than {b}?", "Is {b} bigger than {a}?"),
    ("How do flights from {a} to {b} sell?", "How do flights from {b} to {a} sell?"),
]


def list_paraphrases() -> Iterator[Pair]:
    """Yield pairs that ask the same: the first wording with each of the rest."""
    for n, wordings in enumerate(WORDINGS):
        for turn in range(3):
            filled = [wording.format(**_fill_slots(n + turn)) for wording in wordings]
            yield from ((filled[0], other) for other in filled[1:])


def list_contrasts() -> dict[str, list[Pair]]:
    """Return pairs that ask something else, by the kind of their difference."""
    fillings = [_fill_slots(turn) for turn in range(4)]
    places = [{"a": a, "b": b} for a, b in combinations(SLOTS["place"][:4], 2)]
    return {
        **{slot: [*_exchange(slot)] for slot in ("number", "name", "place", "year")},
        "negation": [_fill_pair(pair, filling) for pair in NEGATED for filling in fillings],
        "direction": [_fill_pair(pair, filling) for pair in REVERSED for filling in places],
    }


def _exchange(slot: str) -> Iterator[Pair]:
    """Yield pairs with one value of a slot exchanged: as written, in lower case, reworded."""
    for n, wordings in enumerate(WORDINGS):
        if f"{{{slot}}}" not in wordings[0]:
            continue
        for a, b in pairwise(SLOTS[slot]):
            mine, others = _fill_slots(n) | {slot: a}, _fill_slots(n) | {slot: b}
            one, other = wordings[0].format(**mine), wordings[0].format(**others)
            yield from ((one, other), (one.lower(), other.lower()))
            yield one, wordings[1].format(**others)


def _fill_pair(pair: Pair, filling: dict[str, str]) -> Pair:
    return pair[0].format(**filling), pair[1].format(**filling)


def _fill_slots(turn: int) -> dict[str, str]:
    return {slot: values[turn % len(values)] for slot, values in SLOTS.items()}

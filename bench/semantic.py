"""The semantic cache: how often a paraphrase is recognised, and whether anything else ever is."""

import math

from rich.table import Table

from activities.recall import CLOSE, ENDS, Embedder
from bench.harness import Bench
from bench.pairs import Pair, contrasts, paraphrases
from domain.question_match import agree
from settings import Settings
from worker import build_embedder


async def measure(_: Bench) -> Table:
    """Compare pairs that ask the same, and pairs that differ in one thing."""
    table = Table(title=f"Questions taken for the same (cosine over {CLOSE})")
    for column in ("pairs that", "pairs", "cosine alone", "with the second gate"):
        table.add_column(column, justify="left" if column == "pairs that" else "right")
    embedder = build_embedder(Settings())
    found = {"ask the same": [*paraphrases()]}
    found |= {f"differ in {what}": pairs for what, pairs in contrasts().items()}
    for what, pairs in found.items():
        near, same = await hits(embedder, pairs)
        shares = (f"{len(some)} ({len(some) / len(pairs):.0%})" for some in (near, same))
        table.add_row(what, f"{len(pairs)}", *shares)
    return table


async def hits(embedder: Embedder, pairs: list[Pair]) -> tuple[list[Pair], list[Pair]]:
    """Return the pairs that are close, and those of them whose words agree."""
    asked = {question for pair in pairs for question in pair}
    vectors = {question: await embedder.embed(question.rstrip(ENDS)) for question in asked}
    near = [pair for pair in pairs if _cosine(*(vectors[one] for one in pair)) > CLOSE]
    return near, [pair for pair in near if agree(*pair)]


def _cosine(one: list[float], other: list[float]) -> float:
    product = sum(a * b for a, b in zip(one, other, strict=True))
    return product / (math.hypot(*one) * math.hypot(*other))

"""Hit rate of the semantic cache on paraphrases, and its false hits on questions that differ."""

import math

from rich.table import Table

from activities.caches import MIN_COSINE, TRAILING, Embedder
from bench.harness import BenchClient, make_table
from bench.question_pairs import Pair, list_pairs
from domain.question_match import is_same_question
from settings import Settings
from worker import build_embedder


async def measure(_: BenchClient) -> Table:
    """Count the hits among paraphrases and among pairs that differ in one thing."""
    title = f"Questions taken for the same (cosine over {MIN_COSINE})"
    table = make_table(title, "pairs that", "pairs", "cosine alone", "with the second gate")
    embedder = build_embedder(Settings())
    for what, pairs in list_pairs().items():
        near, same = await find_hits(embedder, pairs)
        shares = (f"{len(some)} ({len(some) / len(pairs):.0%})" for some in (near, same))
        table.add_row(what, f"{len(pairs)}", *shares)
    return table


async def find_hits(embedder: Embedder, pairs: list[Pair]) -> tuple[list[Pair], list[Pair]]:
    """Return the pairs whose vectors are close, and those of them whose words agree too."""
    asked = {question for pair in pairs for question in pair}
    vectors = {question: await embedder.embed(question.rstrip(TRAILING)) for question in asked}
    near = [pair for pair in pairs if _cosine(*(vectors[one] for one in pair)) > MIN_COSINE]
    return near, [pair for pair in near if is_same_question(*pair)]


def _cosine(one: list[float], other: list[float]) -> float:
    product = sum(a * b for a, b in zip(one, other, strict=True))
    return product / (math.hypot(*one) * math.hypot(*other))

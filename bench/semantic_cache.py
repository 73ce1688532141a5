"""The gates of the semantic cache on pairs of questions with equal and different meanings.

A line of the file is a JSON object: `a`, `b`, `same`, and of which `kind` the pair is, if that is said.
"""

import asyncio
import json
import math
from collections import Counter, defaultdict
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from rich.table import Table

from activities.reuse.recall import MIN_COSINE, TRAILING
from bench.harness import make_table, open_model
from contracts.evidence.claims import JUDGE
from contracts.models.answer_json_schema import get_answer_schema
from contracts.models.call import ModelRequest, Scope, build_inputs, build_message
from contracts.phases.recall import EarlierQuestion, SameQuestion
from domain.text_matching.question_match import find_difference, is_same_question
from settings import Settings
from worker import build_embedder
from workflows.phases.recall import PROMPTS, number_questions

PAIRS = Path(__file__).parent / "questions" / "pairs.jsonl"
Outcomes = dict[str, dict[str, int]]
"""Numbers of pairs by kind and by the gate that decided them."""


async def measure(files: list[Path], *, with_judge: bool) -> Outcomes:
    """Return which gate decided the pairs of each kind.

    `far`: the vectors are too different; `same words`: a hit; `differs`: vetoed by code; `open`: a model has
    to decide, and with a judge becomes `judged same` or `judged other`.
    """
    pairs = [json.loads(line) for file in files for line in file.read_text("utf-8").splitlines()]
    vectors = await _embed({pair[side] for pair in pairs for side in "ab"})
    outcomes: Outcomes = defaultdict(Counter)
    at_once = asyncio.Semaphore(4)

    async def decide(pair: Any) -> None:
        outcome = _pass_gates(pair["a"], pair["b"], vectors)
        if outcome == "open" and with_judge:
            async with at_once:
                outcome = await _ask_judge(pair["a"], pair["b"])
        default = "same" if pair["same"] else "different"
        outcomes[str(pair.get("kind", default))][outcome] += 1

    await asyncio.gather(*map(decide, pairs))
    return outcomes


def make_tables(outcomes: Outcomes) -> Iterator[Table]:
    """Yield the table of kinds of pairs by gate."""
    gates = list(dict.fromkeys(gate for found in outcomes.values() for gate in found))
    table = make_table("Pairs of questions by the gate that decided them", "pairs", "all", *gates)
    for kind, found in outcomes.items():
        table.add_row(kind, f"{sum(found.values())}", *(f"{found.get(gate, 0)}" for gate in gates))
    yield table


async def _embed(questions: set[str]) -> dict[str, list[float]]:
    embedder = build_embedder(Settings())
    return {asked: await embedder.embed(asked.rstrip(TRAILING)) for asked in questions}


def _pass_gates(one: str, other: str, vectors: dict[str, list[float]]) -> str:
    first, second = vectors[one], vectors[other]
    product = sum(a * b for a, b in zip(first, second, strict=True))
    if product / (math.hypot(*first) * math.hypot(*second)) <= MIN_COSINE:
        return "far"
    if is_same_question(one, other):
        return "same words"
    return "differs" if find_difference(one, other) else "open"


async def _ask_judge(earlier: str, question: str) -> str:
    """Ask the model as a run does."""
    asked = number_questions([EarlierQuestion(run_id="earlier", query=earlier)])
    request = ModelRequest(
        scope=Scope(run_id="bench", phase_id="semantic", attempt=1, name="same-question"),
        role=JUDGE,
        model=Settings().greenlight_model,
        system=PROMPTS["same_question"],
        messages=[build_message(build_inputs(question=question, earlier=asked), [])],
        output_schema=get_answer_schema(SameQuestion),
        max_tokens=300,
        cap_usd=1,
    )
    async with open_model() as ask:
        answer = SameQuestion.model_validate((await ask(request)).output)
    return "judged same" if answer.number == 1 else "judged other"

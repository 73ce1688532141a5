"""A model that judges reports, by the two methods of DeepResearch Bench.

RACE: it scores a report beside the benchmark's reference, by the task's own criteria.

The score is the report's share of both totals, each weighted by criterion and dimension. FACT: it tells for each
cited page which statements it supports. Both prompts are ours; what they ask for is the benchmark's.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

from pydantic import Field

from bench.evaluation.scores import Pair
from bench.harness import Ask
from contracts.base import Contract
from contracts.evidence.claims import JUDGE
from contracts.models.answer_json_schema import get_answer_schema
from contracts.models.call import ModelRequest, Scope, build_inputs, build_message
from settings import Settings

RACE_PROMPT = """You compare two research articles on one task, criterion by criterion.
1. Give each article a score from 0 (fails the criterion) to 10 (meets it fully) for each numbered criterion.
2. Judge only what the criterion asks for. Length alone earns nothing.
3. Answer for every criterion, by its number."""
FACT_PROMPT = """You tell whether a page supports statements.
1. If the page has no content, such as an error page, every statement is `unknown`.
2. A statement is `supported` if its facts or figures are on the page, in whole or in part; figures may be rounded.
3. It is `unsupported` if none of its facts and figures are on the page.
4. Answer for every statement, by its number."""
PAGE_CHARS = 100_000


class CriterionScore(Contract):
    """The scores of two articles by one criterion."""

    number: int
    article_1: float = Field(ge=0, le=10)
    article_2: float = Field(ge=0, le=10)


class ArticleScores(Contract):
    """The scores of two articles."""

    scores: list[CriterionScore]


class Support(Contract):
    """Whether a page supports a statement."""

    number: int
    result: Literal["supported", "unsupported", "unknown"]


class Supports(Contract):
    """The statements that a page supports."""

    statements: list[Support]


def list_criteria(task: Any) -> Iterator[tuple[float, str, str]]:
    """Yield the criteria of a task with their weights in the whole."""
    for dimension, criteria in task["criterions"].items():
        weight = task["dimension_weight"][dimension]
        for each in criteria:
            yield weight * each["weight"], each["criterion"], each["explanation"]


def weigh_scores(
    scores: Mapping[int, tuple[float, float]], criteria: Sequence[tuple[float, str, str]]
) -> float:
    """Return the first article's share of both weighted totals, in percent."""
    own, other = (
        sum(weight * scores.get(n, (0, 0))[k] for n, (weight, *_) in enumerate(criteria, 1))
        for k in (0, 1)
    )
    return 100 * own / (own + other) if own + other else 0.0


@dataclass(frozen=True)
class Judge:
    """Asks a model, by default the one of the settings."""

    ask: Ask
    model: str = field(default_factory=lambda: Settings().greenlight_model)

    async def race(self, task: Any, article: str) -> float:
        """Return the article's score relative to the task's reference article, in percent."""
        criteria = list(list_criteria(task))
        listed = "\n".join(f"{n}. {name}: {told}" for n, (_, name, told) in enumerate(criteria, 1))
        articles = {"article_1": article, "article_2": task["reference"]}
        given = build_inputs(task=task["prompt"], **articles, criteria=listed)
        answer = await self.ask(_build_request(self.model, RACE_PROMPT, given, ArticleScores))
        scores = ArticleScores.model_validate(answer.output).scores
        return weigh_scores({s.number: (s.article_1, s.article_2) for s in scores}, criteria)

    async def check_support(self, pairs: Sequence[Pair], page: str) -> list[Pair]:
        """Return the statements of one page that are not `unknown`, with the judge's word on their support."""
        listed = "\n".join(f"{n}. {pair.statement}" for n, pair in enumerate(pairs, 1))
        given = build_inputs(page=page[:PAGE_CHARS], statements=listed)
        answer = await self.ask(_build_request(self.model, FACT_PROMPT, given, Supports))
        said = {s.number: s.result for s in Supports.model_validate(answer.output).statements}
        return [
            pair._replace(is_supported=said[n] == "supported")
            for n, pair in enumerate(pairs, 1)
            if said.get(n, "unknown") != "unknown"
        ]


def _build_request(model: str, prompt: str, given: Any, answer: type[Contract]) -> ModelRequest:
    return ModelRequest(
        scope=Scope(run_id="bench", phase_id="evaluate", attempt=1, name="judge"),
        role=JUDGE,
        model=model,
        system=prompt,
        messages=[build_message(given, [])],
        output_schema=get_answer_schema(answer),
        max_tokens=4_000,
        cap_usd=1,
    )

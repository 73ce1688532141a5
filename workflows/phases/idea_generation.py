"""`idea_generation`: a maker writes ideas, a critic reviews them, and the best one is chosen."""

from collections.abc import Sequence

from pydantic import JsonValue

from contracts.errors import NothingFound
from contracts.models.call import Input, build_inputs
from contracts.models.model_drafts import DraftIdeaReviews, DraftIdeas
from contracts.notices import Notice
from contracts.phases.planning import (
    IdeaGenerationInput,
    IdeaGenerationOutput,
    IdeaGenerationPhase,
    IdeaInput,
)
from contracts.planning.brief import Idea, IdeaReview
from domain.prompts import load_prompts
from workflows.phase_context.context import PhaseContext
from workflows.phase_context.expected_tokens import Tokens, Use
from workflows.phase_context.kind import Kind

PROMPTS = load_prompts("workflows.prompts", "idea_generation")

TITLE_CHARS = 100
FINDINGS_CHARS = 20_000


async def idea_generation(
    phase: IdeaGenerationPhase, given: IdeaGenerationInput, run: PhaseContext
) -> IdeaGenerationOutput:
    """Write ideas, review and revise them as often as configured, and select the best by a last review."""
    found: list[JsonValue] = [claim.model_dump(mode="json") for claim in given.findings]
    known = run.shorten({"findings": found}, FINDINGS_CHARS)["findings"] if found else None
    ideas = await _write(phase, run, "ideas", known)
    if not ideas:
        raise NothingFound(Notice.of("no-idea"))
    earlier, reviews = list[IdeaReview](), list[IdeaReview]()
    for number in range(1, count_revisions(phase) + 1):
        told = await _review(run, f"review-{number}", known, ideas, earlier)
        if not told:
            break
        earlier = reviews = told
        shown = build_inputs(ideas=ideas, reviews=reviews)
        revising = _write(phase, run, f"revision-{number}", known, shown)
        if revised := await run.calls.do_without(revising, Notice.of("ideas-unrevised")):
            ideas, reviews = revised, []  # the reviews were of the ideas before
    reviews = await _review(run, "last-review", known, ideas, earlier) or reviews
    if earlier and not reviews:
        run.log.note(Notice.of("ideas-unreviewed-since"))
    return IdeaGenerationOutput(
        ideas=ideas, reviews=reviews, selected_idea=select_best(ideas, reviews)
    )


def count_revisions(phase: IdeaGenerationPhase) -> int:
    """Return the number of revisions: each takes two calls, in addition to the first and the last call."""
    return min(phase.config.n_reviews, phase.config.max_rounds // 2 - 1)


def select_best(ideas: list[Idea], reviews: list[IdeaReview]) -> Idea:
    """Return the idea with the highest score; the first of several, one without a review last."""
    scores = {review.idea: review.score for review in reviews}
    return max(enumerate(ideas, start=1), key=lambda item: scores.get(item[0], -1.0))[1]


def list_reviews(given: IdeaInput, *, offline: bool) -> list[IdeaReview]:
    """Return the critic's reviews of the selected idea, or an empty list with the offline stand-in."""
    idea, ideas = given.selected_idea, given.ideas
    reviews = [] if offline else given.reviews
    return [review for review in reviews if idea in ideas[review.idea - 1 : review.idea]]


def list_objections(given: IdeaInput, *, offline: bool) -> list[str]:
    """Return the critic's objections to the selected idea; empty without a review."""
    reviews = list_reviews(given, offline=offline)
    return [objection for review in reviews for objection in review.weaknesses]


async def _write(
    phase: IdeaGenerationPhase,
    run: PhaseContext,
    name: str,
    known: JsonValue,
    earlier: Sequence[Input] = (),
) -> list[Idea]:
    asked = run.build_inputs(findings=known, n_ideas=str(phase.config.n_ideas))
    draft = await run.calls.generate(
        name, "idea_maker", PROMPTS["ideas"], [*asked, *earlier], DraftIdeas, max_tokens=3_000
    )
    if left := [idea.title.strip() for idea in draft.ideas[phase.config.n_ideas :]]:
        run.log.note(Notice.of("ideas-dropped", most=phase.config.n_ideas, names=left))
    ideas: list[Idea] = []
    taken = {"", "approve", "reject", "modify", "revise"}
    for number, idea in enumerate(draft.ideas[: phase.config.n_ideas], start=1):
        title = idea.title.strip()[:TITLE_CHARS]  # humans choose by title
        title = f"{number}. {title}"[:TITLE_CHARS] if title in taken else title
        taken.add(title)
        ideas.append(idea.model_copy(update={"title": title}))
    return ideas


async def _review(
    run: PhaseContext,
    name: str,
    known: JsonValue,
    ideas: list[Idea],
    earlier: list[IdeaReview],
) -> list[IdeaReview]:
    inputs = run.build_inputs(findings=known, ideas=ideas, earlier_reviews=earlier or None)
    reviewing = run.calls.generate(
        name, "idea_hater", PROMPTS["reviews"], inputs, DraftIdeaReviews, max_tokens=3_000
    )
    draft = await run.calls.do_without(reviewing, Notice.of("ideas-unreviewed"))
    return [review for review in draft.reviews if review.idea <= len(ideas)] if draft else []


def estimate_tokens(phase: IdeaGenerationPhase) -> tuple[Tokens, ...]:
    """Return the tokens that maker and critic are expected to read and write."""
    ideas, rounds = phase.config.n_ideas, count_revisions(phase) + 1
    return (
        Tokens(Use(1_200 * rounds, 230 * ideas * rounds), slack=3_000, role="idea_maker"),
        Tokens(Use(1_250 * rounds, 200 * ideas * rounds), slack=3_000, role="idea_hater"),
    )


KIND = Kind(
    handler=idea_generation,
    category="plan",
    icon="bulb",
    agents=lambda _: ("idea_maker", "idea_hater"),
    tokens=estimate_tokens,
)

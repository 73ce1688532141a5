"""`idea_generation`: a maker writes ideas, a critic reviews them, and the best one is chosen."""

from contracts.errors import NothingFound
from contracts.models.call import Input
from contracts.models.inputs import data
from contracts.phases.idea_generation import IdeaGenerationOutput, IdeaGenerationPhase
from contracts.report.drafts import DraftIdeaReviews, DraftIdeas
from contracts.report.research import Idea, IdeaReview, Startup
from workflows.prompts import idea_generation as prompts
from workflows.runtime.context import PhaseContext
from workflows.runtime.kind import Kind, Need, Tokens
from workflows.runtime.truncation import shortened

TITLE_CHARS = 100
FINDINGS_CHARS = 20_000


async def idea_generation(phase: IdeaGenerationPhase, run: PhaseContext) -> IdeaGenerationOutput:
    """Write, review and mend as often as configured, review once more, choose by the score."""
    ideas = await _make(phase, run, "ideas", [])
    if not ideas:
        raise NothingFound("no idea was written")
    for number in range(1, mendings(phase) + 1):
        reviews = await _review(run, f"review-{number}", ideas)
        before = [data("ideas", ideas), data("reviews", reviews)]
        ideas = await _make(phase, run, f"mended-{number}", before) or ideas
    reviews = await _review(run, "last-review", ideas)
    return IdeaGenerationOutput(ideas=ideas, reviews=reviews, selected_idea=best(ideas, reviews))


def mendings(phase: IdeaGenerationPhase) -> int:
    """Return how often all ideas are mended: each time takes two calls, beside the first and last."""
    return min(phase.config.n_reviews, phase.config.max_rounds // 2 - 1)


def best(ideas: list[Idea], reviews: list[IdeaReview]) -> Idea:
    """Return the idea with the highest score, of two the first; one without a review comes last."""
    scores = {review.idea: review.score for review in reviews}
    return max(enumerate(ideas, start=1), key=lambda item: scores.get(item[0], -1.0))[1]


async def _make(
    phase: IdeaGenerationPhase, run: PhaseContext, name: str, before: list[Input]
) -> list[Idea]:
    number = data("n_ideas", str(phase.config.n_ideas))
    inputs = [*_inputs(run), number, *before]
    draft = await run.generate(
        name, "idea_maker", prompts.MAKE, inputs, DraftIdeas, max_tokens=3_000
    )
    return _told_apart(draft.ideas[: phase.config.n_ideas])


async def _review(run: PhaseContext, name: str, ideas: list[Idea]) -> list[IdeaReview]:
    inputs = [*_inputs(run), data("ideas", ideas)]
    draft = await run.generate(
        name, "idea_hater", prompts.CRITICISE, inputs, DraftIdeaReviews, max_tokens=3_000
    )
    return [review for review in draft.reviews if review.idea <= len(ideas)]


def _told_apart(ideas: list[Idea]) -> list[Idea]:
    """Return the ideas with titles that a human can choose by: short, and each another one."""
    titles: list[str] = []
    for number, idea in enumerate(ideas, start=1):
        title = idea.title.strip()[:TITLE_CHARS]
        known = {"", *titles, "approve", "reject", "modify", "revise"}
        titles.append(f"{number}. {title}"[:TITLE_CHARS] if title in known else title)
    return [
        idea.model_copy(update={"title": title}) for idea, title in zip(ideas, titles, strict=True)
    ]


def _inputs(run: PhaseContext) -> list[Input]:
    brief = run.brief
    inputs = [data("question", brief.query), data("answers", brief.answers)]
    if startup := run.need_as("startup", Startup):
        inputs.append(data("startup", startup.told))
    if found := run.need("findings"):
        inputs.append(data("findings", shortened(found, FINDINGS_CHARS)))
    if run.me.feedback:
        inputs.append(data("feedback", "\n".join(run.me.feedback)))
    return inputs


def tokens(phase: IdeaGenerationPhase) -> tuple[Tokens, ...]:
    """Return what maker and critic are expected to read and write, by ideas and rounds."""
    ideas, rounds = phase.config.n_ideas, mendings(phase) + 1
    return (
        Tokens(500 * rounds, 120 * ideas * rounds, slack=3_000, role="idea_maker"),
        Tokens(600 * rounds, 90 * ideas * rounds, slack=3_000, role="idea_hater"),
    )


KIND = Kind(
    phase=IdeaGenerationPhase,
    handler=idea_generation,
    output=IdeaGenerationOutput,
    title="Ideas",
    description="Writes ideas, has a critic review them, and chooses the best.",
    category="plan",
    icon="bulb",
    needs=lambda _: (
        Need("brief", required=False),
        Need("startup", required=False),
        Need("findings", required=False),
    ),
    agents=lambda _: ("idea_maker", "idea_hater"),
    tokens=tokens,
)

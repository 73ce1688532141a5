"""`clarification`: two or three questions to the human, each with its reason."""

from activities.startups import RecallRequest, StartupActivities
from contracts.base import Json
from contracts.models.call import Block, Input, build_inputs
from contracts.phases.clarification import ClarificationOutput, ClarificationPhase, Constraints
from contracts.phases.recall import FinishedReport
from contracts.report.drafts import Decomposition, DraftQuestion, Questions
from contracts.report.research import Answered, Brief, Startup
from contracts.runs.state import Checkpoint, OpenQuestion
from domain.prompts import load_prompts
from workflows.phases.recall import format_end_day, short_circuit
from workflows.runtime.context import PhaseContext
from workflows.runtime.kind import Kind, Tokens, optional
from workflows.runtime.recorder import log_tool_call

PROMPTS = load_prompts("workflows.prompts", "clarification")

FINISHED_ID, USE_IT = "finished", "use that report"
STARTUP_ID = "startup"


async def clarification(phase: ClarificationPhase, run: PhaseContext) -> ClarificationOutput:
    """Ask until the question is clear, at most `max_rounds` rounds, then state assumptions."""
    config = phase.config
    rounds = 1 if config.mode == "always" else config.max_rounds
    answered: list[Answered] = []
    finished = run.need_as("finished", FinishedReport)
    startups = run.need_list("startups", Startup) if run.need("startup") is None else []
    asked = Questions(questions=[])
    for number in range(1, rounds + 1):
        writing = _write_questions(phase, run, number, answered)
        asked = await run.do_without(writing, "no questions were asked") or Questions(questions=[])
        questions = [
            _open(i, draft) for i, draft in enumerate(asked.questions[: config.max_questions], 1)
        ]
        if number == 1 and finished:
            questions.insert(0, _offer_report(finished))
        if number == 1 and len(startups) > 1:
            questions.append(_offer_startups(startups))
        if not questions:
            break
        answered += await _ask(phase, run, number, questions)
        if finished and any(a.id == FINISHED_ID and a.answer == USE_IT for a in answered):
            brief = Brief(query=run.state.request.query)
            raise short_circuit(run, ClarificationOutput(brief=brief), finished)
        answered = [a for a in answered if a.id != FINISHED_ID]
    brief = Brief(
        query=run.state.request.query,
        answers=answered,
        assumptions=[a.assumption for a in answered if a.answer is None],
    )
    if isinstance(asked, Decomposition):
        parts = {"expanded_queries": asked.expanded_queries, "outline": asked.outline}
        more = [*brief.assumptions, *asked.assumptions]
        brief = brief.model_copy(update={**parts, "assumptions": more})
    return ClarificationOutput(brief=brief, startup=await _find_startup(run, startups, answered))


async def _write_questions(
    phase: ClarificationPhase, run: PhaseContext, number: int, answered: list[Answered]
) -> Questions:
    config, name = phase.config, f"questions-{number}"
    startup = run.need_as("startup", Startup)
    inputs = build_inputs(
        question=run.state.request.query,
        min_questions="2" if config.mode == "always" else "0",
        max_questions=str(config.max_questions),
        constraints=run.inputs(Constraints).model_dump(exclude_defaults=True) or None,
        startup=startup and startup.prompt_fields,
        answers=[given.prompt_fields for given in answered] or None,
    )
    if config.decompose:
        return await _decompose(run, name, inputs)
    return await run.generate(
        name, "clarifier", PROMPTS["questions"], inputs, Questions, max_tokens=1_500
    )


async def _decompose(run: PhaseContext, name: str, inputs: list[Input]) -> Decomposition:
    """Return the questions with the parts of the request, logged as a tool call."""
    was_logged = name in run.me.memo
    parts = await run.generate(
        name, "clarifier", PROMPTS["decomposition"], inputs, Decomposition, max_tokens=2_000
    )
    if not was_logged:
        given = {i.name: i.text for i in inputs if i.name in ("answers", "constraints")}
        kwargs: Json = {"initial_query": run.state.request.query, **given}
        call = Block(
            type="tool_use", id=f"{run.me.id}/{name}", name="decompose_query", input=kwargs
        )
        output: Json = {"clarifying_questions": [q.question for q in parts.questions]}
        output |= parts.model_dump(mode="json", exclude={"questions"})
        log_tool_call(run.emit, call, output, f"{len(parts.outline)} headings")
    return parts


def _open(number: int, draft: DraftQuestion) -> OpenQuestion:
    return OpenQuestion(
        id=f"q{number}",
        question=draft.question,
        context=draft.context,
        kind="choice" if draft.choices else "text",
        choices=draft.choices,
    )


def _offer_report(finished: FinishedReport) -> OpenQuestion:
    """Return the question whether to accept an earlier report; by default it is not accepted."""
    return OpenQuestion(
        id=FINISHED_ID,
        question=f"A report on “{finished.query}” was finished on {format_end_day(finished)}: will it do?",
        context=f"It is “{finished.report.title}”, of run {finished.run_id}; it costs nothing.",
        kind="choice",
        choices=[USE_IT, "research anew"],
    )


def _offer_startups(startups: list[Startup]) -> OpenQuestion:
    """Return the question which of several startups is meant, whose choices are strict."""
    return OpenQuestion(
        id=STARTUP_ID,
        question="Which of your startups is this about?",
        context="Its industry and market focus the questions and the plan.",
        kind="choice",
        choices=[*(startup.name for startup in startups), "none of these"],
        strict=True,
    )


async def _find_startup(
    run: PhaseContext, startups: list[Startup], answered: list[Answered]
) -> Startup | None:
    """Return the run's startup; one chosen in the answers is marked as used."""
    names = [a.answer for a in answered if a.id == STARTUP_ID]
    chosen = next((startup for startup in startups if startup.name in names), None)
    if chosen is None:
        return run.need_as("startup", Startup)
    request = RecallRequest(
        scope=run.scope("startup"), user_id=chosen.user_id, startup_id=chosen.id, limit=1
    )
    return (await run.execute_activity("startup", StartupActivities.recall, request)).startup


async def _ask(
    phase: ClarificationPhase, run: PhaseContext, number: int, questions: list[OpenQuestion]
) -> list[Answered]:
    checkpoint_id = f"{run.me.id}-{run.me.attempt}" + (f"-r{number}" if number > 1 else "")
    checkpoint = Checkpoint(
        checkpoint_id=checkpoint_id,
        phase_id=run.me.id,
        kind="questions",
        questions=questions,
        message="Before a plan is made:",
        deadline=run.compute_deadline(phase.config.wait_seconds),
    )
    if not await run.ask_human(checkpoint):
        run.state.answers[checkpoint_id] = {question.id: None for question in questions}
        run.warn("nobody answered in time; the open points became assumptions")
    answers = run.state.answers[checkpoint_id]
    return [
        Answered(id=q.id, question=q.question, context=q.context, answer=answers.get(q.id))
        for q in questions
    ]


KIND = Kind(
    phase=ClarificationPhase,
    handler=clarification,
    output=ClarificationOutput,
    title="Clarify",
    description="Asks two or three questions, each with its reason.",
    category="clarify",
    icon="help",
    needs=lambda _: optional("startup", "startups", "finished"),
    inputs=lambda _: Constraints,
    waits=True,
    agents=lambda _: ("clarifier",),
    tokens=lambda phase: (
        Tokens(700, 450 if phase.config.decompose else 200, slack=2_000, role="clarifier"),
    ),
)

"""`clarification`: two or three questions to the human, each with its reason."""

from typing import Any

from activities.startup_companies import RecallRequest, StartupActivities
from contracts.base import Json
from contracts.errors import KeyRejected
from contracts.human.checkpoints import Checkpoint, OpenQuestion
from contracts.models.call import Block, Input, build_inputs
from contracts.models.model_drafts import Decomposition, Questions
from contracts.notices import Notice
from contracts.phases.clarification import (
    ClarificationInput,
    ClarificationOutput,
    ClarificationPhase,
    Constraints,
)
from contracts.phases.recall import FinishedReport
from contracts.planning.brief import Answered, Brief, tell_answers
from contracts.planning.startup_company import Startup
from contracts.runs.request import NO_STARTUP
from domain.evidence.normal_forms import spell_words
from domain.prompts import load_prompts
from workflows.checkpoints.startup_company_to_keep import describe_startup
from workflows.checkpoints.wait_for_human import compute_deadline
from workflows.phase_context.context import PhaseContext
from workflows.phase_context.expected_tokens import Tokens, Use
from workflows.phase_context.kind import Kind
from workflows.phases.recall import format_end_day, short_circuit
from workflows.runtime.event_outbox import log_tool_call
from workflows.runtime.failures import describe_failure, is_answer_useless, is_final
from workflows.runtime.stops_and_revisions import Rejected
from workflows.verification.answer_verification import NO_ANSWER

PROMPTS = load_prompts("workflows.prompts", "clarification")

FINISHED_ID, USE_IT, ANEW = "finished", "use that report", "research anew"
STARTUP_ID, NO_ONE = "startup", "none of these"
UNJUDGED_ID, GO_ON = "request", "go on with the question as it is"


async def clarification(
    phase: ClarificationPhase, given: ClarificationInput, run: PhaseContext
) -> ClarificationOutput:
    """Ask until the question is clear, at most `max_rounds` rounds, then state assumptions."""
    config = phase.config
    rounds = 1 if config.mode == "always" else config.max_rounds
    said: list[Answered] = []
    finished = given.finished
    is_settled = given.startup or run.state.request.startup_id == NO_STARTUP
    startups = [] if is_settled else given.startups
    asked: Questions | None = None
    for number in range(1, rounds + 1):
        inputs = _build_inputs(phase, given, run, _leave_out_offers(said))
        asked = await _consult(phase, run, number, inputs)
        own = _list_own(phase, run, asked, said)
        offers = [_offer_report(finished)] if finished else []
        put = {answered.id for answered in said}
        every = [*offers, *own, *_offer_startups(startups)]
        if not (questions := [question for question in every if question.id not in put]):
            break
        said += await _ask(phase, run, number, questions)
        if finished and any(a.id == FINISHED_ID and a.answer == USE_IT for a in said):
            brief = Brief(query=run.state.request.query)
            raise short_circuit(run, ClarificationOutput(brief=brief), finished)
    brief = Brief(query=run.state.request.query, answers=_leave_out_offers(said))
    if isinstance(asked, Decomposition):
        brief = brief.model_copy(update=asked.model_dump(include={*Brief.model_fields}))
    chosen = [a.answer for a in said if a.id == STARTUP_ID]
    return ClarificationOutput(
        brief=brief,
        startup=await _find_startup(run, startups, chosen) or given.startup,
    )


async def _consult(
    phase: ClarificationPhase, run: PhaseContext, number: int, inputs: list[Input]
) -> Questions | None:
    """Return the model's questions; None if it gives no answer twice, or its failure is final.

    Failures are stored in the memo, so that a re-entered handler repeats neither request.
    """
    name, memo = f"questions-{number}", run.me.memo
    failure: Notice | None = None
    again, lost, step = f"{name}-again", f"{name}-lost", ""
    if lost in memo:
        return None
    for attempt in [again] if again in memo else [name, again]:
        try:
            return await _write_questions(phase, run, attempt, inputs, step)
        except NO_ANSWER as error:
            if is_answer_useless(error):
                step = again  # equal requests in one step are one call, whose answer is kept
            if (told := describe_failure(error)).type == KeyRejected.type():
                raise  # no human answer can help
            failure = Notice.of("question-unjudged", reason=told.words)
            if is_final(error):
                break
    assert failure is not None
    memo[lost] = failure.code
    run.log.note(failure)
    return None


def _build_inputs(
    phase: ClarificationPhase,
    given: ClarificationInput,
    run: PhaseContext,
    answered: list[Answered],
) -> list[Input]:
    config = phase.config
    least = min(config.min_questions, config.max_questions) if config.mode == "always" else 0
    return build_inputs(
        question=run.state.request.query,
        min_questions=str(least),
        max_questions=str(config.max_questions),
        library=run.state.library or None,
        constraints=run.inputs(Constraints).model_dump(exclude_defaults=True) or None,
        startup=given.startup and given.startup.prompt_fields,
        answers=tell_answers(answered) or None,
    )


async def _write_questions(
    phase: ClarificationPhase, run: PhaseContext, name: str, inputs: list[Input], step: str
) -> Questions:
    """Return the model's questions, if the config says so with the parts of the request, logged as a tool call."""
    was_logged = name in run.me.memo
    if not phase.config.decompose:
        prompt = "subject" if phase.config.mode == "when_empty" else "questions"
        return await run.calls.generate(
            *(name, "clarifier", PROMPTS[prompt], inputs, Questions),
            max_tokens=1_500,
            plan_step=step,
        )
    parts = await run.calls.generate(
        *(name, "clarifier", PROMPTS["decomposition"], inputs, Decomposition),
        max_tokens=2_000,
        plan_step=step,
    )
    if not was_logged:
        given = {i.name: i.text for i in inputs if i.name in ("answers", "constraints")}
        kwargs: Json = {"initial_query": run.state.request.query, **given}
        call = Block(
            type="tool_use", id=f"{run.me.id}/{name}", name="decompose_query", input=kwargs
        )
        output: Json = {"clarifying_questions": [q.question for q in parts.questions]}
        output |= parts.model_dump(mode="json", exclude={"questions"})
        log_tool_call(run.log.emit, call, output, f"{len(parts.outline)} headings")
    return parts


def _list_own(
    phase: ClarificationPhase, run: PhaseContext, asked: Questions | None, given: list[Answered]
) -> list[OpenQuestion]:
    """Return the model's questions, or a substitute if it gave no answer."""
    is_empty = asked is not None and "subject" in asked.missing
    if phase.config.mode == "when_empty" and not is_empty:
        return []
    return _open_new(asked, given, phase.config.max_questions) if asked else [_offer_words(run)]


def _open_new(asked: Questions, given: list[Answered], most: int) -> list[OpenQuestion]:
    """Return the questions that were not put before, under ids that no other has."""
    questions = [
        OpenQuestion(
            id="",
            question=draft.question,
            context=draft.context,
            kind="choice" if draft.choices else "text",
            choices=draft.choices,
        )
        for draft in asked.questions
    ]
    if asked.missing and not questions:
        asks = Notice.of("ask-missing", missing=asked.missing)
        questions = [_put("", asks, Notice.of("ask-missing-why"), kind="text")]
    known = {_identify(answered) for answered in given}
    new = {_identify(question): question for question in questions}
    left = [question for key, question in new.items() if key not in known][:most]
    first = 1 + sum(answered.id.startswith("q") for answered in given)
    return [
        question.model_copy(update={"id": f"q{number}"})
        for number, question in enumerate(left, start=first)
    ]


def _identify(question: OpenQuestion | Answered) -> str:
    """Return the identity of equal questions: their notice if ours, else their words."""
    if question.asks:
        return question.asks.model_dump_json()
    return spell_words(question.question)


def _leave_out_offers(given: list[Answered]) -> list[Answered]:
    """Return the answers about the question itself, as models see them."""
    offers = (FINISHED_ID, STARTUP_ID)
    return [a for a in given if a.id not in offers and (a.id, a.answer) != (UNJUDGED_ID, GO_ON)]


def _put(id: str, asks: Notice, reason: Notice, **more: Any) -> OpenQuestion:
    """Return a built-in question: its words are notices, with an English text as fallback."""
    words = {"question": asks.text, "context": reason.text}
    return OpenQuestion(id=id, asks=asks, reason=reason, **{"kind": "choice", **words, **more})


def _offer_words(run: PhaseContext) -> OpenQuestion:
    """Return the question that replaces a model's; the run does not continue without an answer."""
    why = Notice.of("ask-words-why", reason=run.me.notices[-1])
    labels = {GO_ON: Notice.of("choice-go-on", "info")}
    asks = Notice.of("ask-words")
    return _put(UNJUDGED_ID, asks, why, choices=[GO_ON], labels=labels, required=True)


def _offer_report(finished: FinishedReport) -> OpenQuestion:
    """Return the question whether to accept an earlier report; by default it is not accepted."""
    return _put(
        FINISHED_ID,
        Notice.of("ask-finished", query=finished.query, day=format_end_day(finished)),
        Notice.of("ask-finished-why", title=finished.report.title, run=finished.run_id),
        choices=[USE_IT, ANEW],
        labels={USE_IT: Notice.of("choice-use-report"), ANEW: Notice.of("choice-research-anew")},
        closing=[USE_IT],
        is_offer=True,
    )


def _offer_startups(startups: list[Startup]) -> list[OpenQuestion]:
    """Return the question which of the user's startups is meant, if there are any; its choices are strict."""
    names = [startup.name for startup in startups]
    if not names:
        return []
    is_one = len(names) == 1
    asks = Notice.of("ask-startup", name=names[0]) if is_one else Notice.of("ask-startups")
    why, labels = Notice.of("ask-startup-why"), {NO_ONE: Notice.of("choice-no-startup")}
    choices = [*names, NO_ONE]
    return [_put(STARTUP_ID, asks, why, choices=choices, labels=labels, strict=True, is_offer=True)]


async def _find_startup(
    run: PhaseContext, startups: list[Startup], names: list[str | None]
) -> Startup | None:
    """Return the startup chosen by the answers, marked as used, or None."""
    chosen = next((startup for startup in startups if startup.name in names), None)
    if chosen is None:
        return None
    request = RecallRequest(
        scope=run.calls.scope("startup"), user_id=chosen.user_id, startup_id=chosen.id, limit=1
    )
    return (await run.calls.execute_activity("startup", StartupActivities.recall, request)).startup


async def _ask(
    phase: ClarificationPhase, run: PhaseContext, number: int, questions: list[OpenQuestion]
) -> list[Answered]:
    checkpoint_id = f"{run.me.id}-{run.me.attempt}" + (f"-r{number}" if number > 1 else "")
    checkpoint = Checkpoint(
        checkpoint_id=checkpoint_id,
        phase_id=run.me.id,
        kind="questions",
        questions=questions,
        asks=[Notice.of("ask-questions", "info"), *describe_startup(run.state)],
        deadline=compute_deadline(run.clock.now(), phase.config.wait_seconds),
    )
    answers = run.state.answers
    if not await run.humans.ask(checkpoint):
        said = answers.get(checkpoint_id, {})
        answers[checkpoint_id] = {question.id: said.get(question.id) for question in questions}
        if any(q.required and not said.get(q.id) for q in questions):
            run.log.degrade(Notice.of("timed-out-words"))
            raise Rejected
        run.log.degrade(Notice.of("timed-out-answers"))
    return [
        Answered(
            **q.model_dump(include={"id", "question", "context"}),
            asks=q.asks,
            answer=answers[checkpoint_id].get(q.id),
        )
        for q in questions
    ]


KIND = Kind(
    handler=clarification,
    category="clarify",
    icon="help",
    inputs=lambda _: Constraints,
    waits=True,
    agents=lambda _: ("clarifier",),
    tokens=lambda phase: (
        Tokens(Use(800, 430 if phase.config.decompose else 200), slack=2_000, role="clarifier"),
    ),
)

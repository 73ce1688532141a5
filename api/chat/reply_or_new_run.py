"""One turn of a conversation: its run, the user's reply to it, and the answer.

A run is started once for the same words, and belongs to nobody's connection. Nothing but the exact words with the
beginning of the plan's hash approves a plan; they become a decision that names the hash, like any other's.
"""

import asyncio
import time
from collections.abc import AsyncGenerator, Mapping
from contextlib import suppress
from dataclasses import dataclass, field, replace

from pydantic import ValidationError

from api.access.auth import Caller
from api.chat import message_history as chat
from api.chat.message_history import Conversation
from api.dependencies import Dependencies
from api.event_stream import SentEvent
from api.routers.run.reports import get_report
from api.runs.idempotency_key import create_run_id
from api.runs.service import RECORD_PAUSE_SECONDS, RECORD_TRIES, RunService
from api.runs.start import start_run
from contracts.base import Json
from contracts.definitions import Definition
from contracts.errors import Conflict, GreenlightError, InvalidInput, NotFound
from contracts.evidence.sources import Source
from contracts.human.checkpoints import Checkpoint, OpenQuestion
from contracts.notices import Notice, join_notices, say_told
from contracts.problems import Problem, list_problems
from contracts.runs.request import RunRequest
from contracts.runs.state_view import StateView
from contracts.runs.statuses import ENDED
from contracts.words import Language, say
from contracts.words.question_language import detect_language
from domain.agents.search_scope import describe_scope
from domain.report.subject_text import render_subject
from workflows.checkpoints.decision_checks import list_allowed_actions
from workflows.start.inputs import build_inputs_model

SAME_SECONDS = 600
"""Without a chat id, equal texts within this time start only one run."""
SHOWN_ID_CHARS = 8
START_HEADER = "X-Greenlight-Start"
CHAT_HEADER = "X-OpenWebUI-Chat-Id"


@dataclass(frozen=True)
class Turn:
    """A run after its user's message of this turn."""

    run: RunService
    after: int
    """The last event that the answer need not mention."""
    told: list[Notice] = field(default_factory=list)
    """Notices on how the user's text was understood."""

    @property
    def language(self) -> Language:
        """The language of the run's question, which is that of its report."""
        return detect_language(self.run.row.query)

    async def follow(self, seconds: float) -> AsyncGenerator[str]:
        """Yield a line for each step of the work, until the run asks, ends, or time is up."""
        state = await self.run.get_state()
        if state.pending or state.status in ENDED:
            return
        titles = {phase.id: say_told(phase.called, self.language) for phase in state.phases}
        async for event in self.run.watch(self.after, seconds):
            if line := describe_event(event, titles, self.language):
                yield line

    @property
    def url(self) -> str:
        """The address of the run's page."""
        return self.run.deps.alerting.links.build_run_url(self.run.id)

    @property
    def opening(self) -> str:
        """The beginning of each answer about the run."""
        words = say(self.language, "chat-run", id=self.run.id.removeprefix("run-")[:SHOWN_ID_CHARS])
        return f"{chat.write_link(self.url, words)}\n\n"

    async def show(self) -> "ChatAnswer":
        """Return what the run shows now: questions, a decision, its report, or that it is working."""
        run = await self.run.reload()
        state = await run.get_state()
        language = self.language
        told = [notice.say(language) for notice in self.told]
        if state.status in ENDED:
            text, part, cited = await _show_end(run, state)
        elif state.pending:
            [checkpoint, *_] = state.pending
            text, cited = _show_checkpoint(checkpoint, state, language), []
            part = checkpoint.checkpoint_id
        else:
            text, part, cited = say(language, "chat-at-work"), "", []
        link = chat.write_link(self.url, say(language, "chat-on-page"), part)
        content = "\n\n".join(filter(None, [*told, text, link if part else ""]))
        citations = [_cite(each, content) for each in cited if each.url in content]
        return ChatAnswer(content, citations, state)


@dataclass(frozen=True)
class ChatAnswer:
    """The text of a turn, the pages that it cites, and the state that it shows."""

    text: str
    annotations: list[Json]
    state: StateView


async def take_turn(
    deps: Dependencies, caller: Caller, said: Conversation, chat_id: str, *, may_start: bool
) -> Turn:
    """Start a run, or say to the one that was shown what its user replies.

    Raises:
        InvalidInput: the request may start no run, or the definition needs more than a question.
        NotFound, TooManyRequests, NotAllowed: as at any start or message.
    """
    shown = said.shown
    if shown:
        with suppress(NotFound):  # removed, or another tenant's: start a new run
            run = await RunService.find(deps, caller, shown.run_id)
            if run.row.definition_id == said.model or run.row.status not in ENDED:
                turn = await _reply(run, said, shown.part)
                if turn is not None:
                    return turn
                if shown.part == chat.REPORT:
                    return await _start(
                        deps, caller, said, chat_id, may_start=may_start, from_run=run.id
                    )
    return await _start(deps, caller, said, chat_id, may_start=may_start)


async def _reply(run: RunService, said: Conversation, part: str) -> Turn | None:
    """Return the turn of a reply to what was shown; None if the text starts something new."""
    state = await run.get_state()
    turn = Turn(run, state.seq)
    open_now = [each for each in state.pending if each.checkpoint_id == part]
    if open_now:
        return await _say(turn, open_now[0], said)
    if state.status in ENDED:
        return None if part in {chat.REPORT, chat.ENDED_BARE} else turn
    is_answer = part not in {"", chat.REPORT, chat.ENDED_BARE}
    code = "chat-taken-already" if is_answer else "chat-not-passed-on"
    return replace(turn, told=[Notice.of(code, "info")])


async def _say(turn: Turn, checkpoint: Checkpoint, said: Conversation) -> Turn:
    """Send a reply to the checkpoint that it was shown."""
    run = turn.run
    try:
        if checkpoint.kind == "questions":
            body = chat.read_answers(said.text, checkpoint, turn.language)
            await run.send("answer_questions", body, 0)
            return turn
        may_revise = "revise" in list_allowed_actions(checkpoint)
        decision = chat.read_decision(said.text, checkpoint, may_revise=may_revise)
        if decision is None:
            return replace(turn, told=[Notice.of("chat-no-decision", "info")])
        await run.send("decide", decision, 0)
    except ValidationError as error:
        raise InvalidInput(list_problems(error.errors())) from None
    except Conflict as conflict:  # decided elsewhere meanwhile: show what is open now
        return replace(turn, told=[conflict.words])
    return turn


async def _start(  # noqa: PLR0913 - who, what and where
    deps: Dependencies,
    caller: Caller,
    said: Conversation,
    chat_id: str,
    *,
    may_start: bool,
    from_run: str | None = None,
) -> Turn:
    """Start a run, or a follow-up of `from_run`, or find the one that the same text has started."""
    definition = await deps.definitions.get(caller, said.model)
    if needed := list_needed(definition):
        told = {"id": definition.id, "needed": needed}
        raise InvalidInput([Problem.at("model", "chat-needs-inputs", **told)])
    window = 0 if chat_id or from_run else int(time.time() // SAME_SECONDS)
    keys = [said.hash(chat_id, from_run or "", str(n)) for n in dict.fromkeys((window, window - 1))]
    ids = [await create_run_id(caller, f"chat:{key}") for key in keys]
    for run_id in ids:
        with suppress(NotFound):
            return Turn(await RunService.find(deps, caller, run_id), 0)
    if not may_start:
        raise InvalidInput([Problem.at("stream", "chat-start", header=START_HEADER)])
    try:
        request = RunRequest(query=said.text, from_run=from_run, follow_up=from_run is not None)
    except ValidationError as error:
        raise InvalidInput(list_problems(error.errors())) from None
    await start_run(deps, caller, ids[0], said.model, request)
    return Turn(await find_started(deps, caller, ids[0]), 0)


async def find_started(deps: Dependencies, caller: Caller, run_id: str) -> RunService:
    """Return a run that was just started, possibly by a concurrent request that is still recording it."""
    for _ in range(RECORD_TRIES):
        with suppress(NotFound):
            return await RunService.find(deps, caller, run_id)
        await asyncio.sleep(RECORD_PAUSE_SECONDS)
    return await RunService.find(deps, caller, run_id)


def list_needed(definition: Definition) -> list[str]:
    """Return the inputs besides the question that a definition requires."""
    fields = build_inputs_model(definition).model_fields
    return [name for name, info in fields.items() if info.is_required()]


def describe_event(sent: SentEvent, titles: Mapping[str, str], language: Language) -> str:
    """Return a line about an event for users who follow the work; empty if it is not news.

    `titles` are the phases' titles by id.
    """
    if sent.type not in {"step_start", "ToolCall", "Status"}:
        return ""
    event = sent.read()
    if sent.type == "step_start":
        return f"**{titles.get(event.phase_id or '', event.payload['title'])}**"
    if sent.type == "Status":
        notice = event.payload.get("notice")
        return Notice.model_validate(notice).say(language) if notice else ""
    given = event.payload["tool_kwargs"]
    assert isinstance(given, dict)
    for name, code in (("query", "chat-searches"), ("url", "chat-reads")):
        if isinstance(value := given.get(name), str):
            return say(language, code, what=value)
    return ""


def _show_checkpoint(checkpoint: Checkpoint, state: StateView, language: Language) -> str:
    asks = join_notices(checkpoint.asks, language)
    if checkpoint.kind == "questions":
        rows = [
            _show_question(n, question, language)
            for n, question in enumerate(checkpoint.questions, 1)
        ]
        how = "chat-reply-one" if len(rows) == 1 else "chat-reply-each"
        return "\n\n".join(filter(None, [asks, *rows, say(language, how)]))
    subject = ""
    if checkpoint.subject:
        scope = describe_scope(len(state.files), state.collections, state.place)
        subject = render_subject(checkpoint.subject, language, scope=scope, offline=state.offline)
    commands = [f"`{command}`" for command in chat.list_commands(checkpoint)]
    rules = [say(language, "chat-decide", commands=commands)]
    if "revise" in list_allowed_actions(checkpoint):
        rules.append(say(language, "chat-change", command=f"`{chat.CHANGE} …`"))
    return "\n\n".join(filter(None, [subject, asks, " ".join(rules)]))


def _show_question(number: int, question: OpenQuestion, language: Language) -> str:
    """Return a question with its number, the reason for it, and its choices."""
    asked = question.asks.say(language) if question.asks else question.question
    reason = question.reason.say(language) if question.reason else question.context
    labels = [
        question.labels[c].say(language) if c in question.labels else c for c in question.choices
    ]
    rows = [f"{number}. **{asked}**", reason, *(f"- {label}" for label in labels)]
    return "\n   ".join(filter(None, rows))


async def _show_end(run: RunService, state: StateView) -> tuple[str, str, list[Source]]:
    """Return the report of an ended run, or why there is none, and whether it can be followed up."""
    language = detect_language(run.row.query)
    try:
        response = await get_report(run, "md", None, None)
    except GreenlightError as error:
        reasons = [notice.say(language) for notice in state.notices] or [error.words.say(language)]
        return "\n".join(reasons), chat.ENDED_BARE, []
    text = bytes(response.body).decode()
    opened = run.row.opened
    is_living = opened is not None and opened.resolved.definition.is_living
    found = run.find_report({p.id: p.output for p in await run.get_phases()})
    part = chat.REPORT if found and is_living else chat.ENDED_BARE
    pages = [source for source in await run.list_noted_sources() if not source.is_private]
    return text, part, pages


def _cite(source: Source, text: str) -> Json:
    """Return a page as OpenAI's clients read a citation, with where the text names its address."""
    start = text.index(source.url)
    place = {"start_index": start, "end_index": start + len(source.url)}
    return {
        "type": "url_citation",
        "url_citation": {"url": source.url, "title": source.title, **place},
    }

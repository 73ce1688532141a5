"""The function agent: model turns and tool calls within limits, each its own activity."""

import asyncio
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from pydantic import BaseModel
from temporalio.exceptions import ActivityError

from activities.calls.model_gateway import ModelGateway
from activities.claims.claim_activities import ClaimActivities
from contracts.agents.tool_definitions import FETCH_URL, READING_TOOLS, UPDATE_REPORT, WEB_SEARCH
from contracts.base import Json
from contracts.errors import BudgetExceeded
from contracts.evidence.claims import Premise
from contracts.models.answer_json_schema import get_answer_schema
from contracts.models.call import (
    LAST,
    PLANNED,
    Block,
    Input,
    Message,
    ModelRequest,
    ModelResult,
    build_guidance,
    build_inputs,
)
from contracts.models.prices import MAX_ANSWER_TOKENS
from contracts.notices import Notice
from contracts.report.draft import DraftRequest
from contracts.runs.agent_progress import AgentCursor
from contracts.runs.events import StopEvent
from contracts.runs.lost_inputs import LossCause
from contracts.tool_servers import is_server_call
from domain.agents.agent_tools import ToolError, ToolOutcome
from domain.agents.turn_result_shares import share_turn
from domain.report.changes.drafted_text import (
    carry_new_openings,
    list_entered,
    list_own_names,
    outline_draft,
    put_draft,
)
from domain.report.changes.proposals import Revision
from domain.report.claims.report_claims import list_claims
from domain.sources.urls import compute_url_key
from workflows.agents.change_judge import Judged, Judging
from workflows.agents.conversation_history import (
    ENTERING,
    MAX_HISTORY_CHARS,
    count_chars,
    drop_oldest_results,
    drop_written,
    keep_cited_pages,
    keep_inputs,
    leave_out_hits,
    list_found,
    list_opened,
    list_quotes,
    list_visible,
)
from workflows.agents.report_editor import ReportEditor
from workflows.agents.toolbox import Toolbox
from workflows.checkpoints.prices.spending_cap import compute_left_usd
from workflows.phase_context.context import PhaseContext
from workflows.runtime.failures import describe_failure
from workflows.verification.answer_verification import Verification

MAX_CALLS_PER_TURN = 20
"""Maximum number of tool calls per turn. Updates of the report do not count: the answer's length bounds them."""
TOO_MANY_CALLS = ToolError(f"at most {MAX_CALLS_PER_TURN} calls a turn")
LAST_TURN = ToolError("this is the last turn: write down what was read")
WRITE_NOW = "time or money is nearly used up: write down now what was read"
MAX_DRAFT_CHARS = 60_000
DRAFT_HEADING = "## "
"""What a drafted text has, and a word on being done has not."""
UNFINISHED = "unfinished"
REST = "write these empty sections, or say in `missing` what no source tells; finish again to leave them empty"


@dataclass(frozen=True)
class Agent:
    """One agent at work, alone or with others; its cursor in the phase's progress is consistent whenever it waits."""

    run: PhaseContext
    toolbox: Toolbox
    role: str
    system: str
    inputs: list[Input]
    """Its constant inputs; a report that it writes follows them."""
    output: type[BaseModel] | None
    max_turns: int
    max_tokens: int = 3_000
    keep_usd: float = 0.0
    """Budget that is left for later phases."""
    name: str = ""
    """Prefix of its calls' names, and key of its cursor, where several agents work in one attempt of a phase."""
    searches: tuple[str, ...] = ()
    """Searches made before its first turn, which begins with their results."""
    trunk: "Agent | None" = None
    """The lead agent, if this agent works in parallel: it sends the same opening messages, which the provider caches once."""
    beside: tuple[str, ...] = ()
    """The names of all agents that share the messages of `trunk`, including this agent's."""
    assignment: list[Input] = field(default_factory=list)
    """Inputs that state its part of the work, after the shared opening messages."""
    reads: Sequence[Json] = ()
    """The inputs of `fetch_url` by which pages are read before its first turn, which begins with them."""
    passed_over: frozenset[str] = frozenset()
    """URLs that the shared searches found for other agents only; hidden from this one."""
    entering: list[Input] = field(default_factory=list)
    """How a report's sentences are entered, and what they may rest on: sent after it has drafted the report as one text; empty if it writes no draft."""
    thinking_tokens: int = 0
    """Tokens for thinking before it drafts a report, in addition to `max_tokens`: both together up to `MAX_ANSWER_TOKENS`."""
    review: str = ""
    """Question asked once, when it declares the report complete and has a turn left; empty to ask nothing."""
    known: Mapping[str, Premise] = field(default_factory=dict)
    """Further sentences by id, in addition to the report's, that its conclusions may rest on."""

    def __post_init__(self) -> None:
        self.toolbox.conversation = self.name

    @property
    def _cursor(self) -> AgentCursor:
        return self.run.me.progress.open_cursor(self.name)

    def list_calls(self, tool: str) -> list[Json]:
        """Return the inputs of all calls of a tool so far, in order."""
        return [b.input for b in self._list_blocks("tool_use") if b.name == tool]

    def list_results(self, tool: str) -> list[Json]:
        """Return the inputs of all calls of a tool so far, in order, with their results."""
        return [
            call.input | {"result": "\n".join(item.text for item in result.inputs)}
            for call, result in self.pair_calls(tool)
        ]

    def pair_calls(self, tool: str) -> list[tuple[Block, Block]]:
        """Return all answered calls of a tool so far, in order, each with its result."""
        results = {block.id: block for block in self._list_blocks("tool_result")}
        calls = (block for block in self._list_blocks("tool_use") if block.name == tool)
        return [(call, results[call.id]) for call in calls if call.id in results]

    def _list_blocks(self, kind: str) -> list[Block]:
        blocks = (block for message in self._cursor.messages for block in message.content)
        return [block for block in blocks if block.type == kind]

    async def work(self) -> tuple[Json | None, str]:
        """Return the typed answer and the reason for its end: completed or max_turns.

        An agent that has ended returns what it ended with. Raises the failure of a model's call; the
        agent has then ended as well.
        """
        cursor = self._cursor
        if cursor.end_reason:
            return cursor.output, cursor.end_reason
        try:
            with self.run.calls.judges.expect(self.name):
                await self._begin(cursor)
                return await self._take_turns(cursor)
        except asyncio.CancelledError:
            if self._judging:
                self._judging.cancel()
            raise
        except Exception:
            await self._end_judging()
            raise

    async def _begin(self, cursor: AgentCursor) -> None:
        """Open the conversation, or take up the judging that was under way as the run continued as new."""
        if not cursor.turn and not self._has_input("left"):
            trunk = self.trunk or self
            opened = await trunk.begin()
            hidden = {compute_url_key(url) for url in self.passed_over}
            cursor.listed = [key for key in trunk._cursor.listed if key not in hidden]
            read = await self._call_planned(FETCH_URL, self.reads)
            cursor.messages = leave_out_hits(opened, self.passed_over)
            if self.assignment:
                self._hear(Block(type="inputs", inputs=self.assignment))
            cursor.messages += read
            if self.max_turns == 1 or self._has_text:
                self._hear_entering()
            self._hear(self._tell_left())
        elif cursor.unjudged and cursor.unjudged == cursor.turn:
            await self._call_model(cursor.turn)  # its calls are in the memo
            if self._judging:
                self._judging.note_placed()

    async def _take_turns(self, cursor: AgentCursor) -> tuple[Json | None, str]:
        while True:
            if cursor.ending and await self._is_over(cursor):
                return self._end(cursor.ending, cursor.turn, cursor.output)
            turn = cursor.turn + 1
            try:
                result, last = await self._take_turn(turn)
            except ActivityError as error:
                failure = describe_failure(error).type
                if self._is_mending and failure == BudgetExceeded.type():
                    return self._end("completed", cursor.turn, cursor.output)
                self._log_end(failure, turn)
                raise
            calls = [block for block in result.content if block.type == "tool_use"]
            results = await self._call_tools(turn, calls, result.verified_inputs, last=last)
            if self._judging:
                self._judging.note_placed()
            draft = None if last or calls else await self._read_draft(turn, result)
            ending, unfinished = (
                ("", [draft]) if draft else self._find_ending(turn, calls, last=last)
            )
            if ending and not (self._judging or cursor.fallen):
                return self._end(ending, turn, result.output)
            cursor.turn = turn
            said = Message(role="assistant", content=result.content)
            heard = Message(role="user", content=[*results, *unfinished])
            left = None if ending else self._tell_left()
            cursor.messages = self._shorten([*cursor.messages, said, heard])
            if left:
                self._hear_entering()
                self._hear(left)
            else:
                cursor.ending, cursor.output = ending, self._find_output(result.output)
            self._forget_calls()

    async def _is_over(self, cursor: AgentCursor) -> bool:
        """Wait for the verdicts on the agent's last changes; return False if it gets another turn to repair them."""
        await self._end_judging()
        has_means = not (self.run.me.early_end or self.run.timer.is_nearly_over())
        is_last = cursor.ending == "max_turns" or cursor.mended_after or not has_means
        if is_last or not cursor.fallen:
            return True
        cursor.ending, cursor.mended_after = "", cursor.turn
        self._hear(self._tell_left())
        return False

    @property
    def _is_mending(self) -> bool:
        """Whether this is the extra turn in which a finished agent repairs what the judge doubts."""
        return 0 < self._cursor.mended_after == self._cursor.turn

    def _hear(self, told: Block) -> None:
        """Add a block to the last message of the conversation."""
        *_, last = messages = self._cursor.messages
        messages[-1] = last.model_copy(update={"content": [*last.content, told]})

    @property
    def _has_text(self) -> bool:
        """Whether its report has sentences already, as before a follow-up."""
        editor = self.toolbox.editor
        return editor is not None and any(part.is_written for part in editor.view.sections)

    def _hear_entering(self) -> None:
        """Add the instructions for entering a report's sentences to the conversation, unless it has them already."""
        if self.entering and not self._has_input(ENTERING):
            self._hear(Block(type="inputs", inputs=self.entering))

    async def _take_turn(self, turn: int) -> tuple[ModelResult, bool]:
        """Return the next turn and whether it is the last: the phase's time or money is nearly over, or no turn is left.

        Any other turn is made only while the cap also pays for a last one after it.
        """
        if self.run.timer.is_nearly_over():
            self.run.losses.end_early("time")
            self.run.log.degrade(Notice.of("phase-ended-late"))
        elif turn < self.max_turns and not self.run.me.early_end:
            try:
                return await self._call_model(turn), False
            except ActivityError as error:
                if self._is_mending or describe_failure(error).type != BudgetExceeded.type():
                    raise
            self.run.losses.end_early("budget")
            self.run.log.degrade(Notice.of("phase-ended-short"))
        self._hear_entering()
        return await self._call_model(turn, final=True), True

    @property
    def _drops_history(self) -> bool:
        """Return True if older turns are dropped from the conversation because the report holds their results."""
        editor, cursor = self.toolbox.editor, self._cursor
        if editor is None:
            return False
        is_reviewing = 0 < cursor.reviewed_after == cursor.turn
        return (editor.is_mending and not is_reviewing) or count_chars(
            self._cursor.messages[1:]
        ) > MAX_HISTORY_CHARS

    def _shorten(self, messages: list[Message]) -> list[Message]:
        """Return the conversation to send, within its size limit.

        If earlier turns are dropped, the report follows the results of the latest turn.
        """
        editor = self.toolbox.editor
        if editor is None:
            kept = drop_oldest_results(messages)
            if kept != messages:
                self._cursor.listed.clear()
            return kept
        if not self._drops_history:
            return messages
        opening = messages[0].model_copy(update={"content": messages[0].content[1:]})
        dropped, newest = [opening, *messages[1:-2]], drop_written(*messages[-2:])
        known = self._list_known(editor, dropped) if self.toolbox.reads_pages else []
        inputs = self.inputs
        if editor.is_mending:
            inputs = keep_cited_pages(inputs, editor.unsettled)
        content = [*_build_blocks(inputs, known), *keep_inputs(dropped)]
        heard = [*newest[-1].content, *_build_blocks(editor.build_inputs())]
        if len(newest) == 1:
            return [Message(role="user", content=[*content, *heard])]
        newest[-1] = newest[-1].model_copy(update={"content": heard})
        return [Message(role="user", content=content), *newest]

    def _list_known(self, editor: ReportEditor, dropped: Sequence[Message]) -> list[Input]:
        """Return what remains of the searches and pages whose results are dropped."""
        progress, sources = self.run.me.progress, self.run.state.sources
        claims = list_claims(editor.view)
        opened = list_opened(self._cursor.opened, claims)
        return build_inputs(
            searched=[search.query for search in progress.searches] or None,
            found=list_found(dropped, sources, opened, progress.unread),
            pages_read=list_quotes(sources, opened, claims),
        )

    def _has_ended(self, calls: list[Block]) -> bool:
        """Return whether the agent is done: it says so, or its last changes are repaired."""
        if self._is_mending or (self.toolbox.editor and self.toolbox.editor.is_whole):
            return not any(c.name in READING_TOOLS or is_server_call(c.name) for c in calls)
        return not calls

    def _find_ending(self, turn: int, calls: list[Block], *, last: bool) -> tuple[str, list[Block]]:
        """Return why the agent ends with this turn (empty if it goes on), and what to ask of it before it ends."""
        if last:
            return "max_turns", []
        if self._is_review_due and self._says_whole(calls):
            return "", self._ask_for_review(turn)
        if not self._has_ended(calls):
            return "", []
        unfinished = self._ask_for_the_rest()
        return "" if unfinished else "completed", unfinished

    async def _read_draft(self, turn: int, result: ModelResult) -> Block | None:
        """Keep the text that a turn drafted, and return it with numbered sentences as an input for the next turn.

        Return None if the turn has no draft, or if an earlier turn had one.
        """
        text = "\n\n".join(block.text for block in result.content if block.type == "text")
        if not self.entering or self._cursor.draft or DRAFT_HEADING not in text:
            return None
        name = f"{self.name}turn-{turn}-draft"
        request = DraftRequest(scope=self.run.calls.scope(name), text=text[:MAX_DRAFT_CHARS])
        draft = await self.run.calls.execute_activity(name, ClaimActivities.read_draft, request)
        if not draft.sentences:
            return None
        self._cursor.draft = draft
        return Block(type="inputs", inputs=build_inputs(draft=outline_draft(draft)))

    @property
    def _is_review_due(self) -> bool:
        """Return whether the agent is still to be asked to read its report again once that is whole, and has a turn for it."""
        cursor = self._cursor
        has_turn = cursor.turn + 1 < self.max_turns and not self.run.me.early_end
        return bool(self.review) and not cursor.reviewed_after and has_turn

    def _says_whole(self, calls: list[Block]) -> bool:
        """Return whether the turn says that the report is whole, also where changes of it were refused."""
        editor = self.toolbox.editor
        return not calls or (editor is not None and editor.is_said_whole)

    def _ask_for_review(self, turn: int) -> list[Block]:
        """Return the review question for an agent whose report is complete, with the names of empty headings."""
        self._cursor.reviewed_after = turn
        editor = self.toolbox.editor
        told: dict[str, object] = {"words": (editor and editor.count_words()) or None}
        told["without_row"] = (editor and editor.list_without_row()) or None
        asked = Block(type="inputs", inputs=build_inputs(review=self.review, **told))
        return [asked, *self._ask_for_the_rest()]

    def _ask_for_the_rest(self) -> list[Block]:
        """Return the single reminder to an agent who is done while sections of its report are empty."""
        empty = self.toolbox.editor.list_unwritten() if self.toolbox.editor else []
        if not empty or self._has_input(UNFINISHED):
            return []
        told = build_inputs(**{UNFINISHED: {"headings": empty, "note": REST}})
        return [Block(type="inputs", inputs=told)]

    async def begin(self) -> list[Message]:
        """Return the conversation up to the first turn: the inputs, and the searches with their results."""
        cursor = self._cursor
        if not cursor.messages:
            cursor.messages = await self._search_as_planned()
            self._forget_calls()
        return cursor.messages

    async def _search_as_planned(self) -> list[Message]:
        editor = self.toolbox.editor
        shown = editor.build_inputs() if editor else []
        asked = Message(role="user", content=_build_blocks(self.inputs, shown))
        return [
            asked,
            *await self._call_planned(WEB_SEARCH, [{"query": query} for query in self.searches]),
        ]

    async def _call_planned(self, tool: str, inputs: Sequence[Json]) -> list[Message]:
        """Return calls of a tool that no model has made, and their results, as a turn of the conversation."""
        calls = [
            Block(type="tool_use", id=f"{PLANNED}{tool}-{n}", name=tool, input=given)
            for n, given in enumerate(inputs, start=1)
        ]
        if not calls:
            return []
        results = await self._call_tools(0, calls, {})
        return [Message(role="assistant", content=calls), Message(role="user", content=results)]

    def _has_input(self, name: str) -> bool:
        """Return whether the conversation has an input of this name."""
        return any(i.name == name for block in self._list_blocks("inputs") for i in block.inputs)

    def _tell_left(self) -> Block:
        return Block(type="inputs", inputs=self._list_left())

    def _list_left(self) -> list[Input]:
        """Return the budget shown to an agent before each turn: the turns, pages and dollars that are left.

        It also has the state of the sections just changed. The dollars follow from calls that the run's
        history holds, so a request that is built again has the same text.
        """
        left: Json = {"turns_left": self.max_turns - self._cursor.turn}
        if self.toolbox.reads_pages:
            left["pages_left"] = self.toolbox.pages_left
            if more := self.toolbox.more_pages:
                left["more_pages"] = more
        left["usd_left"] = compute_left_usd(self.run.state, self.keep_usd, self._count_at_work())
        editor = self.toolbox.editor
        if editor and (open_measures := editor.list_open()):
            left["measures_left"] = {name: [*own] for name, own in open_measures.items()}
        is_told = (
            not self._cursor.turn or self._drops_history
        )  # the whole report is in the prompt already
        changed = editor.outline_turn() if editor and not is_told else None
        unentered = self._list_unentered()
        return build_inputs(
            report=changed, judged=self._list_fallen(), not_entered=unentered, left=left
        )

    def _count_at_work(self) -> int:
        """Count the phase's working agents, which share its money."""
        progress = self.run.me.progress
        return sum(not progress.open_cursor(name).end_reason for name in self.beside) or 1

    def _name_turn(self, turn: int, *, early: bool) -> str:
        """Return the name of a turn's call; an early last turn may follow a refused one, which is another call.

        A turn keeps the name under which the memo has it, since the phase may have ended early meanwhile.
        """
        usual = f"{self.name}turn-{turn}"
        last = f"{usual}-{LAST}"
        made = next((name for name in (usual, last) if name in self.run.me.memo), None)
        return made or (last if early else usual)

    async def _prepare(self, turn: int, *, final: bool) -> ModelRequest:
        """Return the model's call of a turn."""
        editor, drops = self.toolbox.editor, self._drops_history
        early = final and self.run.me.early_end is not None
        drafts = bool(self.entering) and not self._has_input(ENTERING)
        thinking = min(self.thinking_tokens, MAX_ANSWER_TOKENS - self.max_tokens) if drafts else 0
        return await self.run.calls.prepare(
            self._name_turn(turn, early=early),
            self.role,
            self.system,
            self._tell_end if early else self._read_steering,
            plan_step=self.toolbox.plan_step,
            tools=self.toolbox.list_tools(),  # declared to the last: the conversation holds their calls
            may_call=not final or editor is not None,
            keeps_history=not (final or drops) and self._has_more_turns,
            output_schema=get_answer_schema(self.output) if self.output else None,
            max_tokens=self.max_tokens + thinking,
            thinking_tokens=thinking,
            kept_usd=self.keep_usd,
            kept_turns=0 if final else 1,
            fits_budget=final,
            pages=self.run.list_citable_pages(),
            known={**self.known, **(editor.list_known() if editor else {})},
            written=editor.list_written() if editor else {},
        )

    @property
    def _has_more_turns(self) -> bool:
        """Return whether the conversation is expected to go on with its pages: not where one turn writes the whole text."""
        return bool(self.review) or self.toolbox.editor is None or self.toolbox.reads_pages

    async def _call_model(self, turn: int, *, final: bool = False) -> ModelResult:
        """Return a turn with its changes verified by code.

        Changes that complete the report are judged immediately, others while the tools and the next turn
        run. A review of the complete report waits for the verdicts, so that one turn repairs everything.
        """
        calls, editor = self.run.calls, self.toolbox.editor
        request = await self._prepare(turn, final=final)
        name, summary = request.scope.name, f"{self.role}: {request.scope.name}"
        written = await calls.execute_activity(name, ModelGateway.call, request, summary=summary)
        written = self._put_draft(written)
        if self._judging:
            calls.judges.hurry()
        await self._end_judging()
        changes = [block.input for block in written.content if block.name == UPDATE_REPORT]
        is_last = not request.kept_turns or (editor and any(map(editor.says_end, changes)))
        if editor is None or (is_last and editor.may_end):
            return await calls.verify(request, written)
        verification = Verification(calls, request, written)
        checked = await verification.check() if verification.changes_claims else written
        if verification.is_open:
            editor.judging = Judging(verification.judge(self.name), self._apply_verdicts)
            self._cursor.unjudged = turn
        return checked

    def _put_draft(self, written: ModelResult) -> ModelResult:
        """Return a turn with the words of the drafted sentences that its changes name by their numbers."""
        cursor, editor = self._cursor, self.toolbox.editor
        if cursor.draft is None or editor is None:
            return written
        cursor.entered = sorted({*cursor.entered, *list_entered(written, cursor.draft)})
        cursor.draft_names |= list_own_names(written, cursor.draft)
        shown = editor.draft.shown
        entered = put_draft(written, cursor.draft, cursor.draft_names, shown)
        return carry_new_openings(entered, shown)

    def _list_unentered(self) -> list[str] | None:
        """Return the numbers of the drafted sentences that are entered in none of its turns."""
        cursor = self._cursor
        if cursor.draft is None or not cursor.entered:
            return None
        left = {*range(1, len(cursor.draft.sentences) + 1)} - {*cursor.entered}
        return [f"#{number}" for number in sorted(left)] or None

    @property
    def _judging(self) -> Judging | None:
        return self.toolbox.editor.judging if self.toolbox.editor else None

    def _apply_verdicts(self, judged: Judged) -> None:
        assert self.toolbox.editor
        self._cursor.fallen += self.toolbox.editor.rule(judged)
        self._cursor.unjudged = 0

    async def _end_judging(self) -> None:
        """Wait until the changes of the turn before have their verdicts."""
        if self._judging and self.toolbox.editor:
            await self._judging.end()
            self.toolbox.editor.judging = None

    def _list_fallen(self) -> list[Json] | None:
        """Return what the judge doubts of the turns before, once."""
        fallen, self._cursor.fallen = self._cursor.fallen, []
        told: list[Json] = [
            {"sentence": c.text, "verdict": c.verdict, "reason": c.reason} for c in fallen
        ]
        return told or None

    def _read_steering(self) -> list[Message]:
        """Return the conversation with the steering since the agent's previous turn."""
        cursor = self._cursor
        if said := self.run.humans.read_steering()[cursor.steers_heard :]:
            cursor.steers_heard += len(said)
            self._hear(Block(type="inputs", inputs=build_guidance(said)))
        return cursor.messages

    def _tell_end(self) -> list[Message]:
        """Return the conversation, with the word that this turn is the last although more were left."""
        *before, last = self._read_steering()
        told = Block(type="inputs", inputs=build_inputs(left={"turns_left": 1, "note": WRITE_NOW}))
        return [*before, Message(role=last.role, content=[*last.content, told])]

    async def _call_tools(
        self,
        turn: int,
        calls: list[Block],
        verified: dict[str, Json],
        *,
        last: bool = False,
    ) -> list[Block]:
        """Return the results of tool calls, executed with their verified inputs, and bounded together."""
        most = 0 if last else MAX_CALLS_PER_TURN if turn else len(calls)
        refused = [call.id for call in calls if call.name != UPDATE_REPORT][most:]
        editor = self.toolbox.editor

        async def execute(n: int, call: Block) -> ToolOutcome | Revision:
            if call.id in refused:
                return LAST_TURN if last else TOO_MANY_CALLS
            told = call.model_copy(update={"input": verified.get(call.id, call.input)})
            if editor and call.name == UPDATE_REPORT:
                return editor.draft.propose(told.input)
            return await self.toolbox.call(f"{self.name}turn-{turn}-{n}", told)

        def answer(call: Block, outcome: ToolOutcome | Revision) -> Block:
            if editor is None or call.name != UPDATE_REPORT:
                assert not isinstance(outcome, Revision)
                return self.toolbox.answer(call, outcome)
            if isinstance(outcome, Revision):
                return editor.write(call, outcome)
            return editor.refuse(call, str(outcome))

        outcomes = await asyncio.gather(
            *(execute(n, call) for n, call in enumerate(calls, start=1))
        )
        if self._drops_history:
            self._cursor.listed.clear()
        self.toolbox.visible = list_visible([] if self._drops_history else self._cursor.messages)
        shared = share_turn(outcomes, self.toolbox.visible)
        shared = editor.join_moves(shared) if editor else shared
        return [answer(call, outcome) for call, outcome in zip(calls, shared, strict=True)]

    def _end(self, reason: str, turns: int, output: Json | None) -> tuple[Json | None, str]:
        """Record the agent's answer and why it ended."""
        cursor = self._cursor
        cursor.output, cursor.end_reason = self._find_output(output), reason
        self._forget_calls()
        self._log_end(reason, turns)
        return cursor.output, reason

    def _find_output(self, output: Json | None) -> Json | None:
        """Return the agent's answer; for an editor, the gaps that the answer, its last changes or the repaired ones state."""
        editor, before = self.toolbox.editor, self._cursor.output or {}
        if editor is None:
            return output
        return {"gaps": (output or {}).get("gaps") or [*editor.gaps] or before.get("gaps", [])}

    def _forget_calls(self) -> None:
        """Drop the calls of this agent's turns from the memo, but those of the turn that the judge is at.

        Its cursor holds their results.
        """
        memo, prefix = self.run.me.memo, f"{self.name}turn-"
        judged = f"{prefix}{self._cursor.unjudged or None}"
        for name in [name for name in memo if name.startswith(prefix)]:
            if name != judged and not name.startswith(f"{judged}-"):
                del memo[name]

    @property
    def is_spent(self) -> bool:
        """Whether the agent ran out of turns or of pages, so that its part may be incomplete."""
        return self._cursor.end_reason == "max_turns" or self._cursor.lacked_pages

    @property
    def has_read_its_share(self) -> bool:
        """Whether it read as many pages as were meant for it, among agents that work at once."""
        share = self.toolbox.share
        return share is not None and self._cursor.pages_read >= share

    def list_gaps(self) -> list[str]:
        """Return the gaps that the agent listed in its answer."""
        gaps = (self._cursor.output or {}).get("gaps")
        return [str(gap) for gap in gaps] if isinstance(gaps, list) else []

    @property
    def lost(self) -> LossCause | None:
        """Why its part is lost; None unless a failure ended it."""
        return self._cursor.lost

    def give_up(self, cause: LossCause) -> None:
        """End without an answer; the phase's other agents continue."""
        self._cursor.end_reason, self._cursor.lost = cause.reason, cause
        self._forget_calls()

    def _log_end(self, reason: str, turns: int) -> None:
        part = self.toolbox.plan_step if self.trunk else ""
        self.run.log.emit(StopEvent(result=reason, turns=turns, agent=part), plan_step=part)


def _build_blocks(*inputs: Sequence[Input]) -> list[Block]:
    """Return a block for each group of inputs that has any."""
    return [Block(type="inputs", inputs=[*group]) for group in inputs if group]

"""Decision links of alerts: opening one decides nothing, pressing a button decides once."""

from dataclasses import dataclass
from typing import Literal

from fastapi import Request
from fastapi.responses import HTMLResponse

from activities.alerts.decision_links import hash_token
from api.dependencies import Dependencies, Deps
from api.errors import STATUS, choose_language
from api.json_bodies import Router
from api.reports.decision_page import HEADERS, Button, DecisionPage, render_decision_page
from api.runs.checkpoint_document import build_subject
from api.runs.service import RunService
from contracts.access.principal import Principal
from contracts.errors import Conflict, GreenlightError, NotAllowed, StalePlan
from contracts.human.approvers import LinkedDecide
from contracts.human.checkpoints import Checkpoint
from contracts.human.decision_links import DecisionLink
from contracts.notices import Notice
from contracts.report.document import Document
from contracts.runs.state_view import StateView
from contracts.words import Language, write_moment
from domain.agents.search_scope import describe_scope

router = Router(prefix="/decide", include_in_schema=False)

Answer = Literal["approve", "reject"]
ANSWERS: tuple[Answer, ...] = ("approve", "reject")


@dataclass(frozen=True)
class OpenLink:
    """A valid link, and the user it acts for."""

    token: str
    link: DecisionLink
    user: Principal
    run: RunService

    @classmethod
    async def find(cls, deps: Dependencies, token: str) -> "OpenLink":
        """Return a link by its token.

        Raises:
            NotFound: This installation did not sign it, or its run was removed.
            NotAllowed: Its channel was deleted, or the key that made it is revoked.
            Conflict: It has expired or was used.
        """
        link, channels = deps.alerting.links.open(token), deps.alerting.channels
        if link.channel_id:
            user = await channels.find_owner(link.tenant_id, link.channel_id)
        else:
            user = await deps.keys.find_holder(link.tenant_id, link.key_id)
        needs_key = deps.tokens or deps.require_keys
        if (
            user is None
            or (needs_key and user.key_id is None)
            or user.user_id not in {None, link.user_id}
        ):
            raise NotAllowed(Notice.of("decide-link-void"))
        if await channels.is_link_used(link.tenant_id, link.run_id, hash_token(token)):
            raise Conflict(Notice.of("decide-link-used"))
        return cls(token, link, user, await RunService.find(deps, user, link.run_id))

    def find_checkpoint(self, state: StateView) -> Checkpoint:
        """Return the link's checkpoint.

        Raises:
            Conflict: It is closed.
            StalePlan: It shows another plan now.
        """
        wanted = self.link.checkpoint_id
        asked = next((open for open in state.pending if open.checkpoint_id == wanted), None)
        if asked is None:
            raise Conflict(Notice.of("decide-link-closed"))
        if asked.plan_hash != self.link.plan_hash:
            raise StalePlan(Notice.of("decide-link-stale"))
        return asked

    async def decide(self, answer: Answer) -> None:
        """Decide once; a link whose decision was refused can be used again.

        Raises:
            Conflict, StalePlan, NotAllowed: The run refuses the decision.
        """
        channels, link = self.run.deps.alerting.channels, self.link
        used = link.tenant_id, link.run_id, hash_token(self.token)
        if not await channels.claim_link(*used):
            raise Conflict(Notice.of("decide-link-used"))
        said = LinkedDecide(
            action=answer,
            plan_hash=link.plan_hash,
            checkpoint_id=link.checkpoint_id,
            by_link=True,
            client=link.client,
        )
        try:
            await self.run.send("decide", said, 0)
        except GreenlightError:
            await channels.release_link(*used)
            raise


@router.get("/{token}")
async def show_decision(request: Request, deps: Deps, token: str) -> HTMLResponse:
    """Show the plan with its price and buttons, without deciding."""
    language = choose_language(request.headers.get("accept-language", ""))
    try:
        opened = await OpenLink.find(deps, token)
        state = await opened.run.get_state()
        asked = opened.find_checkpoint(state)
        plan = await _draw_plan(opened.run, state, asked)
    except GreenlightError as error:
        return await _refuse(deps, error, language)
    lines = [
        Notice.of("decide-question", query=state.query),
        Notice.of("decide-by", time=write_moment(language, asked.deadline)),
        Notice.of("decide-as", user=opened.link.user_id),
        *([Notice.of("decide-client", client=client)] if (client := opened.link.client) else []),
    ]
    buttons = [
        Button(
            label=Notice.of(f"decide-{answer}").say(language),
            path=f"/decide/{token}/{answer}",
            style=answer,
        )
        for answer in ANSWERS
    ]
    page = DecisionPage(
        language=language,
        title=plan.title,
        plan=plan,
        lines=[line.say(language) for line in lines],
        buttons=buttons,
        run_url=f"/runs/{opened.run.id}",
        run_label=Notice.of("alert-link-run").say(language),
    )
    return await _answer(deps, page)


@router.post("/{token}/{answer}")
async def take_decision(request: Request, deps: Deps, token: str, answer: Answer) -> HTMLResponse:
    """Decide as the user to whom the link was sent."""
    language = choose_language(request.headers.get("accept-language", ""))
    try:
        opened = await OpenLink.find(deps, token)
        opened.find_checkpoint(await opened.run.get_state())
        await opened.decide(answer)
    except GreenlightError as error:
        return await _refuse(deps, error, language)
    code = "decide-approved" if answer == "approve" else "decide-rejected"
    page = DecisionPage(
        language=language,
        title=Notice.of(code, user=opened.link.user_id).say(language),
        run_url=f"/runs/{opened.run.id}",
        run_label=Notice.of("alert-link-run").say(language),
    )
    return await _answer(deps, page)


async def _draw_plan(run: RunService, state: StateView, asked: Checkpoint) -> Document:
    scope = describe_scope(len(state.files), state.collections, state.place)
    return await build_subject(run, asked, None, scope)


async def _refuse(deps: Dependencies, error: GreenlightError, language: Language) -> HTMLResponse:
    """Return the page that explains why nothing was decided."""
    status = next((STATUS[kind] for kind in type(error).mro() if kind in STATUS), 500)
    title = Notice.of("decide-not", reason=error.words).say(language)
    return await _answer(deps, DecisionPage(language=language, title=title), status)


async def _answer(deps: Dependencies, page: DecisionPage, status: int = 200) -> HTMLResponse:
    draw = render_decision_page
    is_long = page.plan is not None  # a model wrote it
    text = await deps.sandbox.run(draw, page, task="drawing a plan") if is_long else draw(page)
    return HTMLResponse(text, status, HEADERS)

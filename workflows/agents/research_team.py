"""The agents of one research: one alone, or one for each part of the plan at the same time and a lead after them."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from itertools import accumulate, pairwise
from typing import NamedTuple

from contracts.base import Json
from contracts.evidence.claims import Claim
from contracts.models.call import Input, build_inputs
from contracts.notices import Notice
from contracts.planning.plan import PlanStep
from domain.report.report_claims import list_claims
from workflows.agents.agent import Agent
from workflows.agents.history import list_quotes
from workflows.agents.report_editor import ReportEditor
from workflows.runtime.control_flow import describe_failure, run_together
from workflows.runtime.verification import NO_ANSWER

MAX_LABEL_CHARS = 100
LEAD = "lead-"


class End(NamedTuple):
    """An agent's answer, and the reason for its end."""

    output: Json | None
    reason: str


@dataclass(frozen=True)
class ResearchTeam:
    """Agents that share one opened conversation, the pages that are read, the money, and the report."""

    trunk: Agent
    """Opens the conversation by the plan's searches; goes on alone where the plan has no independent parts."""
    steps: Sequence[PlanStep]
    max_agents: int
    make_editor: Callable[[str], ReportEditor | None]
    """Returns an editor of the living report for the agent of a part."""

    async def work(self) -> list[End]:
        """Return the ends of all agents in order; one that fails beside others loses its part alone.

        Raises what the only agent raises, or the first of agents that all fail.
        """
        pages = self.trunk.toolbox.max_sources
        groups = divide_steps(self.steps, min(self.max_agents, pages))
        if not groups:
            return [End(*await self.trunk.work())]
        await self.trunk.begin()
        names = tuple(f"part-{n}-" for n, _ in enumerate(groups, start=1))
        shares = share_evenly(pages, len(groups))
        agents = [
            self._branch(name, group, names, share=share)
            for name, group, share in zip(names, groups, shares, strict=True)
        ]
        errors: list[Exception] = []
        ends = await run_together(*(self._attempt(agent, errors) for agent in agents))
        if len(errors) == len(agents):
            raise errors[0]
        if lead := self._find_lead([a for a in agents if a.is_spent]):
            ends.append(await self._attempt(lead, errors))
        return ends

    def _branch(
        self,
        name: str,
        steps: Sequence[PlanStep],
        beside: tuple[str, ...],
        share: int | None = None,
        more: Sequence[Input] = (),
        **told: object,
    ) -> Agent:
        """Return an agent for some steps that goes on from the opened conversation."""
        part = name_part(steps) or name.strip("-")
        toolbox = self.trunk.toolbox.branch(
            plan_step=part, editor=self.make_editor(part if steps else ""), share=share
        )
        assigned = build_inputs(assignment={"steps": [step.name for step in steps], **told})
        return replace(
            self.trunk,
            name=name,
            toolbox=toolbox,
            trunk=self.trunk,
            beside=beside,
            assignment=[*more, *assigned],
        )

    def _find_lead(self, spent: Sequence[Agent]) -> Agent | None:
        """Return an agent for what is left: steps that need the others' findings, and gaps of agents cut short.

        None where nothing is, or no page, time or money.
        """
        run, rest = self.trunk.run, [step for step in self.steps if not step.independent]
        gaps = [gap for agent in spent for gap in agent.list_gaps()]
        has_means = self.trunk.toolbox.pages_left > 0 and not run.me.early_end
        is_needed = (rest or gaps) and has_means and not run.timer.is_nearly_over()
        if not (is_needed or LEAD in run.me.progress.agents):
            return None
        editor = self.make_editor("")
        known = editor.build_inputs() if editor else []
        written: list[Claim] = list_claims(editor.report) if editor else []
        known += build_inputs(pages_read=list_quotes(run.state.sources, {}, written))
        return self._branch(LEAD, rest, (LEAD,), more=known, gaps=gaps)

    async def _attempt(self, agent: Agent, errors: list[Exception]) -> End:
        """Return the end of one agent; its failure is recorded as the loss of its part."""
        try:
            return End(*await agent.work())
        except NO_ANSWER as error:
            errors.append(error)
            part, reason = agent.toolbox.plan_step, describe_failure(error).type
            agent.give_up(reason)
            lost = Notice.of("part-ended-early", part=part)
            agent.run.losses.lose(error, lost, "findings", part)
            return End(None, reason)


def divide_steps(steps: Sequence[PlanStep], most: int) -> list[Sequence[PlanStep]]:
    """Return the independent steps in so many groups of nearly equal size; none where fewer than two are."""
    own = [step for step in steps if step.independent]
    count = min(len(own), most)
    if count < 2:
        return []
    ends = [*accumulate(share_evenly(len(own), count), initial=0)]
    return [own[start:end] for start, end in pairwise(ends)]


def share_evenly(total: int, count: int) -> list[int]:
    """Return shares of nearly equal size that add up to a total: no agent can use up the share of another."""
    bounds = [n * total // count for n in range(count + 1)]
    return [end - start for start, end in pairwise(bounds)]


def name_part(steps: Sequence[PlanStep]) -> str:
    """Return what an agent's part is called: its steps."""
    name = ", ".join(step.name for step in steps)
    return name if len(name) <= MAX_LABEL_CHARS else f"{name[:MAX_LABEL_CHARS]}…"

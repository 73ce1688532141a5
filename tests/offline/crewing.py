"""The market crew's tasks, driven by hand: the inputs that agents get, the services' answers."""

import copy
import json
from dataclasses import dataclass, field
from typing import Any

from contracts.agents.crews import CrewAgent, CrewTask
from contracts.agents.market import AGENTS, TASKS
from contracts.base import get_answer_schema
from contracts.evidence.claims import Claim
from contracts.report.research import PlanDraft, Section
from domain.evidence.quotes import Snapshot
from domain.evidence.verification import Evidence, verify_claim
from domain.report import crew_sections as crew_report
from tests.offline.asking import Json, body, fence, instance
from tests.offline.conftest import Services
from tests.offline.walking import TOOLS, Walker

MOST_TURNS, MOST_PAGES = 8, 20
PLANNED = {
    *("goal", "requirements", "search_terms", "expanded_queries"),
    *("geographical_scope", "focus_areas", "assumptions"),
}


def plan_schema(agents: list[CrewAgent]) -> Json:
    """Return a plan's schema as a crew's plan is asked for."""
    schema = copy.deepcopy(get_answer_schema(PlanDraft))
    step: Any = schema["$defs"]
    step["PlanStep"]["properties"]["agent_role"] = {
        "type": "string",
        "enum": [agent.id for agent in agents],
    }
    return schema


def planned(question: str, agents: list[CrewAgent] = AGENTS, most: int = 4, **inputs: Any) -> Json:
    """Return the plan for a crew."""
    roles = [{"id": agent.id, "does": f"{agent.role}: {agent.goal}"} for agent in agents]
    given = {"question": question, "answers": [], "max_plan_steps": str(most), "roles": roles}
    return dict(instance(plan_schema(agents), **given | inputs))


@dataclass
class Done:
    """What a crew found."""

    plan: Json
    outputs: dict[str, Json]
    queries: dict[str, list[str]]
    sections: list[Section]
    claims: list[Claim] = field(default_factory=list)

    def unsupported(self) -> list[Claim]:
        """Return the statements that the application's own check refuses."""
        return [claim for claim in self.claims if claim.verdict != "supported"]


class Crew(Walker):
    """Walks one question through the market crew."""

    def __init__(self, services: Services, question: str) -> None:
        super().__init__(services, question, [])
        self._queries: dict[str, list[str]] = {}

    async def work(self) -> Done:
        """Plan, have every task done, and check what it says."""
        plan = planned(self._question)
        outputs: dict[str, Json] = {}
        for task in TASKS:
            outputs[task.id] = await self._task(task, plan, outputs)
        parts = [s for t in TASKS for s in crew_report.build_sections(t, outputs[t.id], "")]
        done = Done(plan, outputs, self._queries, parts)
        pairs = zip(self._titles, self._texts, strict=True)
        sources = {n: Evidence(t, Snapshot(text)) for n, (t, text) in enumerate(pairs, 1)}
        done.claims = [verify_claim(claim, sources) for part in parts for claim in part.claims]
        return done

    async def _task(self, task: CrewTask, plan: Json, earlier: dict[str, Json]) -> Json:
        agent = next(agent for agent in AGENTS if agent.id == task.agent)
        steps: Any = plan["steps"]
        mine = [step for step in steps if step["agent_role"] == agent.id]
        shown = {name: plan[name] for name in sorted(PLANNED)}
        inputs: Json = {"question": self._question, "answers": [], "plan": shown, "steps": mine}
        inputs |= {"max_sources": str(MOST_PAGES)} if agent.toolset else {}
        inputs |= {f"found-{name}": output for name, output in earlier.items()}
        messages: list[Json] = [{"role": "user", "content": fence(inputs)}]
        tools = {"tools": TOOLS} if agent.toolset else {}
        self._queries[task.id] = []
        for _ in range(MOST_TURNS):
            request = body("", schema=task.output_schema, max_tokens=4_000, **tools)
            message = await self._post(request | {"messages": messages})
            uses = [block for block in message["content"] if block["type"] == "tool_use"]
            if not uses:
                return dict(json.loads(message["content"][0]["text"]))
            self._queries[task.id] += [u["input"]["query"] for u in uses if "query" in u["input"]]
            results = [await self._use(use) for use in uses]
            messages += [
                {"role": "assistant", "content": message["content"]},
                {"role": "user", "content": results},
            ]
        raise AssertionError("the agent came to no end")

    async def _fetch(self, url: str) -> Json:
        if url not in self._urls:
            return await super()._fetch(url)
        number = self._urls.index(url)
        about = f"url: {url}\ntitle: {self._titles[number]}\n\n"
        return {f"source-{number + 1}": about + self._texts[number][:8_000]}

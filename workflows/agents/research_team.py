"""The agents of one research: one alone, or one for each part of the plan at the same time and a lead after them."""

import re
from collections import Counter
from collections.abc import Callable, Collection, Mapping, Sequence, Set
from dataclasses import dataclass, replace
from itertools import accumulate, chain, compress, pairwise
from types import MappingProxyType
from typing import NamedTuple

from contracts.agents.tool_definitions import MAX_ABOUT_CHARS
from contracts.base import Json
from contracts.evidence.claims import Claim
from contracts.evidence.sources import FoundPage
from contracts.models.call import Input, build_inputs
from contracts.notices import Notice
from contracts.planning.plan import PlanStep
from domain.report.claims.report_claims import list_claims
from domain.sources.page_versions import list_outdated
from domain.sources.urls import compute_url_key
from domain.text_matching.word_stems import list_stems
from workflows.agents.agent import Agent
from workflows.agents.conversation_history import list_new_pages, list_queries, list_quotes
from workflows.agents.report_editor import ReportEditor, name_part
from workflows.runtime.failures import describe_cause, describe_failure
from workflows.runtime.run_together import run_together
from workflows.verification.answer_verification import NO_ANSWER

FIRST_PAGES = 2
"""Pages that are read for an agent of independent steps before its first turn."""
TELLING_WORDS, TOP_HITS = 2, 3
"""Words of its steps that a page shares, or hits of a search on them among which it is, to be read before that turn."""
LEAD = "lead-"
_NAME = re.compile(r"\b[A-Z]\w+[ -][A-Z]\w+")
"""Two adjacent capitalized words, such as the name of a country."""


class End(NamedTuple):
    """An agent's answer, and the reason for its end."""

    output: Json | None
    reason: str


@dataclass(frozen=True)
class ResearchTeam:
    """Agents that share one opened conversation, the pages that are read, the money, and the report."""

    trunk: Agent
    """Opens the conversation with the plan's searches; works alone if the plan has no independent parts."""
    steps: Sequence[PlanStep]
    max_agents: int
    make_editor: Callable[[Sequence[PlanStep]], ReportEditor | None]
    """Returns an editor of the living report for the agent of a part."""
    measures: Sequence[str] = ()
    """What the plan has each part find; pages that tell of it are read first."""

    async def work(self) -> list[End]:
        """Return the ends of all agents in order; a failed agent loses only its own part.

        Raises the only agent's failure, or the first one if all agents fail.
        """
        pages = self.trunk.toolbox.max_sources
        groups = divide_steps(self.steps, min(self.max_agents, pages))
        if not groups:
            return [End(*await self.trunk.work())]
        opened = await self.trunk.begin()
        noted = self.trunk.run.state.found
        pages_found = [
            noted.get(compute_url_key(url), FoundPage(url=url)).model_copy(update={"title": title})
            for url, title in list_new_pages(opened, noted).items()
        ]
        queries = list_queries(opened)
        found = assign_pages(pages_found, groups, queries, self.measures)
        telling = list_telling(pages_found, groups, queries)
        outdated = list_outdated(pages_found)
        own = [
            [url for url in urls if url in worth and url not in outdated]
            for urls, worth in zip(found, telling, strict=True)
        ]
        names = tuple(f"part-{n}-" for n, _ in enumerate(groups, start=1))
        shares = dict(zip(names, share_evenly(pages, len(groups)), strict=True))
        agents = [
            replace(
                self._branch(name, group, shares),
                reads=build_reads(group, self.measures, pages[: min(share, FIRST_PAGES)]),
                passed_over=frozenset(chain(*found)).difference(urls),
            )
            for (name, share), group, urls, pages in zip(
                shares.items(), groups, found, own, strict=True
            )
        ]
        errors: list[Exception] = []
        ends = await run_together(*(self._attempt(agent, errors) for agent in agents))
        if all(agent.lost for agent in agents):  # the phase says why, once
            raise errors[0]
        _record_losses(agents)
        spent = [
            agent
            for agent, pages in zip(agents, own, strict=True)
            if agent.is_spent or (agent.has_read_its_share and self._list_unread(pages))
        ]
        if lead := self._find_lead(spent):
            ends.append(await self._attempt(lead, errors))
            _record_losses([lead])
        elif rest := self._list_dependent():
            gaps: Json = {"gaps": [step.name for step in rest]}
            ends.append(End(gaps, "completed"))
        return ends

    def _list_dependent(self) -> list[PlanStep]:
        """Return the steps that the lead agent takes once the others have ended."""
        return [step for step in self.steps if not step.independent]

    def _list_unread(self, urls: Sequence[str]) -> list[str]:
        """Return which of these pages the run has not read."""
        read = {compute_url_key(source.url) for source in self.trunk.run.state.sources}
        return [url for url in urls if compute_url_key(url) not in read]

    def _branch(
        self,
        name: str,
        steps: Sequence[PlanStep],
        shares: Mapping[str, int] = MappingProxyType({}),
        more: Sequence[Input] = (),
        **told: object,
    ) -> Agent:
        """Return an agent for some steps that continues the shared opening conversation."""
        part = name_part(steps) or name.strip("-")
        toolbox = self.trunk.toolbox.branch(
            plan_step=part,
            editor=self.make_editor(steps),
            share=shares.get(name),
            beside=shares,
        )
        assigned = build_inputs(assignment={"steps": [step.name for step in steps], **told})
        return replace(
            self.trunk,
            name=name,
            toolbox=toolbox,
            trunk=self.trunk,
            beside=(*(shares or (name,)),),
            assignment=[*more, *assigned],
        )

    def _find_lead(self, spent: Sequence[Agent]) -> Agent | None:
        """Return an agent for the remaining work: dependent steps, and gaps of agents that were cut short.

        Return None if nothing remains, or no page, time or money is left for it. Only for steps of the plan it may begin with
        pages beyond the cap.
        """
        run, rest = self.trunk.run, self._list_dependent()
        gaps = [gap for agent in spent for gap in agent.list_gaps()]
        toolbox = self.trunk.toolbox
        has_pages = toolbox.pages_left > 0 or (rest and toolbox.more_pages > 0)
        has_means = has_pages and not run.me.early_end
        is_needed = (rest or gaps) and has_means and not run.timer.is_nearly_over()
        if not (is_needed or LEAD in run.me.progress.agents):
            return None
        editor = self.make_editor(())
        known = editor.build_inputs() if editor else []
        written: list[Claim] = list_claims(editor.report) if editor else []
        known += build_inputs(pages_read=list_quotes(run.state.sources, {}, written))
        return self._branch(LEAD, rest, more=known, gaps=gaps)

    async def _attempt(self, agent: Agent, errors: list[Exception]) -> End:
        """Run one agent and return its end; its failure is appended to `errors`."""
        try:
            return End(*await agent.work())
        except NO_ANSWER as error:
            errors.append(error)
            agent.run.log.tell(describe_failure(error).words)
            agent.give_up(describe_cause(error))
            return End(None, describe_cause(error).reason)


def _record_losses(agents: Sequence[Agent]) -> None:
    """Record the failures of agents as the loss of their parts."""
    for agent in agents:
        if cause := agent.lost:
            part = agent.toolbox.plan_step
            lost = Notice.of("part-ended-early", part=part)
            agent.run.losses.lose_for(cause, lost, "findings", part)


def divide_steps(steps: Sequence[PlanStep], most: int) -> list[Sequence[PlanStep]]:
    """Return the independent steps in at most `most` groups of nearly equal size; empty for fewer than two groups."""
    own = [step for step in steps if step.independent]
    count = min(len(own), most)
    if count < 2:
        return []
    ends = [*accumulate(share_evenly(len(own), count), initial=0)]
    return [own[start:end] for start, end in pairwise(ends)]


def assign_pages(
    pages: Sequence[FoundPage],
    parts: Sequence[Sequence[PlanStep]],
    queries: Mapping[str, Sequence[str]] = MappingProxyType({}),
    measures: Sequence[str] = (),
) -> list[list[str]]:
    """Assign pages to the part whose step names have a word in the page's title that no other part has.

    A title that names no part, e.g. in another language, is assigned by the search that found it (`queries`
    by URL), if that names only one part.

    Pages whose title and snippet share further words with the steps and the plan's measures come first, because a
    country's name appears on pages about anything. Each hit ranked above a page cancels one such word. Ties keep
    their order.
    """
    sought = list_stems(" ".join(measures))
    named = [list_stems(" ".join(step.name for step in part)) for part in parts]
    counts = Counter(word for each in named for word in each)
    words = [(page, list_stems(page.title), list_stems(page.about)) for page in pages]
    owns = [{word for word in names if counts[word] == 1} for names in named]
    found = {
        page.url: {n for query in queries.get(page.url, ()) for n in _name_alone(query, owns)}
        for page, title, _ in words
        if not any(own & title for own in owns)
    }
    assigned = []
    for n, (part, names, own) in enumerate(zip(parts, named, owns, strict=True)):
        topic = (names | sought | list_stems(" ".join(step.description for step in part))) - own
        shares = {
            page.url: len(topic & (title | about)) - page.rank
            for page, title, about in words
            if own & title or n in found.get(page.url, ())
        }
        assigned.append(sorted(shares, key=shares.__getitem__, reverse=True))
    return assigned


def list_telling(
    pages: Sequence[FoundPage],
    parts: Sequence[Sequence[PlanStep]],
    queries: Mapping[str, Sequence[str]] = MappingProxyType({}),
) -> list[set[str]]:
    """Return for each part the pages that are worth reading before its agent has chosen any.

    A page shares two words with the part's steps and own searches, or is among the first hits of such a
    search, because a single word may mean anything. If titles contain words that only this part has, or all
    of its searches and no others, such as a country's second name, the page must have one: "Malta: People and
    Society" shares as many words with any country's steps. A title with one word of a two-word name, such as
    "South Sudan" for "South Africa", is about another subject if other titles have both words; so is one with a longer
    name, such as "South Georgia" for "Georgia", if another title has the name alone.
    """
    names = [list_stems(" ".join(step.name for step in part)) for part in parts]
    counts = Counter(word for each in names for word in each)
    owns = [{word for word in each if counts[word] == 1} for each in names]
    asked = dict.fromkeys(chain.from_iterable(queries.values()))
    needs = [
        list_stems(" ".join(f"{step.name} {step.description}" for step in part)) for part in parts
    ]
    searched: list[list[set[str]]] = [[] for _ in parts]
    for query in asked:
        for n in _name_alone(query, owns):
            searched[n].append(list_stems(query))
    words = [need.union(*own) for need, own in zip(needs, searched, strict=True)]
    common = Counter(word for each in words for word in each)
    subjects = [
        need | set.intersection(*own) if own else need
        for need, own in zip(needs, searched, strict=True)
    ]
    sought = [
        named.intersection(*own) if own else set[str]()
        for named, own in zip(owns, searched, strict=True)
    ]
    """What each part alone is called and all of its searches name, though another part may mention it."""
    titles = {page.url: list_stems(page.title) for page in pages}
    pairs_of = {p.url: [list_stems(m.group()) for m in _NAME.finditer(p.title)] for p in pages}
    whole = [_list_names(part, titles.values()) for part in parts]

    def is_telling(page: FoundPage, need: Set[str], known: Set[str]) -> bool:
        asked = map(list_stems, [*queries.get(page.url, ()), page.query])
        is_top = page.rank < TOP_HITS and any(need & query for query in asked)
        shared = known & list_stems(f"{page.title} {page.about}")
        return is_top or len(shared) >= min(TELLING_WORDS, len(known))

    def choose(
        need: Set[str], known: Set[str], own: Set[str], names: Sequence[Set[str]]
    ) -> set[str]:
        named = {url for url, title in titles.items() if own & title}
        strange = {
            u for u, title in titles.items() if any(0 < len(title & n) < len(n) for n in names)
        }
        longer = {u for u, pairs in pairs_of.items() if any(p & own and p - known for p in pairs)}
        strange |= longer if named - longer else set()
        telling = {page.url for page in pages if is_telling(page, need, known)} - strange
        return telling & named if named else telling

    alone = [
        {word for word in subject if common[word] == 1} | name
        for subject, name in zip(subjects, sought, strict=True)
    ]
    return [choose(*each) for each in zip(needs, words, alone, whole, strict=True)]


def _list_names(part: Sequence[PlanStep], titles: Collection[Set[str]]) -> list[Set[str]]:
    """Return the stems of each two-word name that occurs in the names of a part's steps and, whole, in some title."""
    pairs = (list_stems(match.group()) for step in part for match in _NAME.finditer(step.name))
    return [pair for pair in pairs if len(pair) > 1 and any(pair <= title for title in titles)]


def _name_alone(query: str, owns: Sequence[Set[str]]) -> list[int]:
    """Return the part that a search names, if it names no other one."""
    named = [n for n, own in enumerate(owns) if own & list_stems(query)]
    return named if len(named) == 1 else []


def build_reads(
    steps: Sequence[PlanStep], measures: Sequence[str], urls: Sequence[str]
) -> list[Json]:
    """Return the inputs of `fetch_url` for pages on some steps: what the plan measures, else what the steps are.

    Long pages are shown where they bear on each of these, so a wish is taken whole or left out.
    """
    told = [f"{step.name} {step.description}".strip() for step in steps]
    wishes = list(measures or told)
    sizes = accumulate(len(wish) + 2 for wish in wishes)
    about = "; ".join(compress(wishes, (size <= MAX_ABOUT_CHARS for size in sizes)))
    return [{"url": url, "about": about or wishes[0][:MAX_ABOUT_CHARS]} for url in urls]


def share_evenly(total: int, count: int) -> list[int]:
    """Return shares of nearly equal size that add up to a total: no agent can use up the share of another."""
    bounds = [n * total // count for n in range(count + 1)]
    return [end - start for start, end in pairwise(bounds)]

"""How far the agents of a phase have come: what a run resumes from after a crash."""

from pydantic import Field

from contracts.agents.steps import StepCursor
from contracts.base import Json, Mutable
from contracts.evidence.claims import Claim
from contracts.models.call import Message
from contracts.report.draft import TextDraft
from contracts.report.report import Search
from contracts.runs.lost_inputs import LossCause


class AgentCursor(Mutable):
    """An agent's place in its conversation, consistent after each turn and once it has ended."""

    messages: list[Message] = Field(default=[], description="empty: it has not begun")
    turn: int = 0
    steers_heard: int = Field(default=0, description="how much of the run's steering it was told")
    listed: list[str] = Field(default=[], description="hits and passages that its searches listed")
    opened: dict[str, list[int]] = Field(
        default={}, description="pages that it opened, by the numbers of their sources"
    )
    pages_read: int = 0
    lacked_pages: bool = Field(default=False, description="it asked for a page and had none left")
    unjudged: int = Field(default=0, description="the turn whose changes the judge is at; 0: none")
    fallen: list[Claim] = Field(
        default=[], description="sentences that the judge doubts, and that it was not told of yet"
    )
    ending: str = Field(
        default="", description="why it ends once the judge has ruled on its last changes"
    )
    mended_after: int = Field(
        default=0,
        description="the turn by which it was done, and after which it has one to mend what the judge doubts",
    )
    reviewed_after: int = Field(
        default=0, description="the turn after which it was asked to read its report again"
    )
    draft: TextDraft | None = Field(
        default=None, description="the text that it drafted, and enters with its evidence"
    )
    entered: list[int] = Field(
        default=[], description="the numbers of the draft's sentences that it has entered"
    )
    draft_names: dict[str, str] = Field(
        default={}, description="the draft's ids of sentences, by the ids that it gave them itself"
    )
    end_reason: str = Field(default="", description="empty: it is at work")
    lost: LossCause | None = Field(default=None, description="the failure that ended it")
    output: Json | None = Field(default=None, description="its answer, once it ends")


class PhaseProgress(Mutable):
    """An attempt's position in a long phase, from which it continues after continue-as-new."""

    agents: dict[str, AgentCursor] = Field(
        default={}, description="by the prefix of each agent's calls"
    )
    steps: StepCursor = Field(default_factory=StepCursor)
    gaps: list[str] = Field(
        default=[],
        description="lines on what was not found, as who finishes the report counts them",
    )
    searches: list[Search] = []
    pages_read: int = Field(default=0, description="in this attempt")
    unread: dict[str, LossCause] = Field(default={}, description="pages that failed, by URL")
    long_documents: dict[str, int] = Field(
        default={}, description="characters of the long documents read, by URL"
    )
    documents_asked: float = Field(
        default=0, description="weight of the documents about whose price a human was asked"
    )

    def open_cursor(self, agent: str) -> AgentCursor:
        """Return the cursor of an agent, a new one at its start."""
        return self.agents.setdefault(agent, AgentCursor())

    def revive_agents(self) -> None:
        """Let the agents that a failure ended continue."""
        for cursor in self.agents.values():
            if cursor.lost:
                cursor.end_reason, cursor.lost = "", None

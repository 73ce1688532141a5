"""Questions, plan and report of the fake gateway's run."""

from contracts.base import Json
from contracts.evidence.claims import Citation, Claim
from contracts.human.checkpoints import OpenQuestion
from contracts.planning.assumptions import Assumption
from contracts.planning.cost_estimate import CostEstimate
from contracts.planning.plan import Plan, PlanStep
from contracts.report.report import Report, Section

RUN = "run-1"
AT = "2026-01-01T10:00:00+00:00"
DEADLINE = "2026-01-08T10:00:00+00:00"
PHASES = ["recall", "clarification", "planning", "approval", "research", "synthesis"]
TITLES = ["Recall", "Clarify", "Plan", "Approve", "Research", "Write"]
QUESTIONS = [
    OpenQuestion(
        id="q1",
        question="Who is the first customer?",
        context="Smallholders and cooperatives buy differently.",
        kind="choice",
        choices=["smallholders", "cooperatives"],
    ),
    OpenQuestion(id="q2", question="Which year do you enter?", context="Prices move."),
]
PLAN = Plan(
    title="Solar pumps in East Africa",
    goal="Rank three countries.",
    steps=[
        PlanStep(name="Size the markets", agent_role="researcher", estimated_duration="2 min"),
        PlanStep(name="Compare the rules", agent_role="researcher", estimated_duration="1 min"),
    ],
    search_terms=["solar irrigation Kenya"],
    geographical_scope="Kenya, Ethiopia, Tanzania",
    focus_areas=["price", "water"],
    outline=["Comparison", "Recommendation"],
    assumptions=[Assumption(id="A1", text="Year: left to us.")],
    estimated_duration="3 min",
    estimated_cost=CostEstimate(low_usd=0.01, expected_usd=0.04, top_usd=0.12),
)
REPORT = Report(
    title="Solar pumps",
    sections=[
        Section(
            heading="Comparison",
            claims=[
                Claim(
                    text="Kenya has 50 million people.",
                    citations=[Citation(source=1, quote="50 million", start=0, end=10)],
                    verdict="supported",
                ),
                Claim(text="Ethiopia is cheaper.", citations=[], verdict="not_shown"),
            ],
        )
    ],
    markdown="# Solar pumps\n\nKenya has “50 million” people. [1]\n\n![People](artifacts/a1)\n\n## Sources\n\n1. Kenya\n",
    claims_total=2,
    claims_unsupported=1,
)
SOURCE: Json = {
    "url": "http://127.0.0.1:1/kenya",
    "title": "Kenya",
    "publisher": "",
    "published": None,
    "notes": [],
}
ARTIFACT: Json = {
    "id": "a1",
    "name": "People",
    "kind": "chart",
    "media_type": "image/svg+xml",
    "key": "k",
    "bytes": 6,
}

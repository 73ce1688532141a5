"""Which loss of news a company's report names in place of "no news"."""

import pytest

from contracts.base import Json
from contracts.phases.research import ResearchPhase
from contracts.runs.lost_inputs import LostInput
from tests.workflows.support.phase_harness import context_of, opened
from workflows.company.evidence import find_lost_articles
from workflows.interpreter.phase_walk import Interpreter


@pytest.mark.parametrize(
    ("loss", "of_apple"),
    [
        ({"subject": "AAPL"}, True),
        ({"subject": ""}, True),
        ({"subject": "SNOW"}, False),
        ({"subject": "AAPL", "found": 3, "lost": 2}, False),
    ],
)
async def test_lost_news_are_those_of_the_company_itself_and_all_of_them(
    loss: Json, of_apple: bool
) -> None:
    """An outage at another company's search, or one unread article, does not explain that there is no news."""
    state = opened(ResearchPhase(id="reading"))
    run = context_of(Interpreter(state), state.resolved.definition.phases[-1])
    run.me.lost_inputs = [LostInput.model_validate({"kind": "articles", "name": "news", **loss})]
    assert (find_lost_articles(run, "AAPL") is not None) == of_apple

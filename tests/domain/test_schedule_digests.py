"""The digest of what a run has gathered: the same for all runs that find the same, wherever they store it."""

import pytest

from contracts.agents.calculations_and_charts import Artifact
from contracts.base import Json
from contracts.evidence.sources import Source
from domain.schedule_digests import PLACES, compute_gathered
from tests.support.sources import page


def gather(stored_by: str, content_hash: str = "a") -> Json:
    """Return the output of a phase that gathers, as a run of that name and day stores it."""
    facts = page("https://data.sec.gov/facts.json").model_copy(
        update={
            "content_hash": content_hash,
            "retrieved_at": f"2026-01-01T{stored_by}:00:00+00:00",
            **{name: f"default/{stored_by}/{name}" for name in ("text_key", "raw_key", "rows_key")},
        }
    )
    kept = facts.model_dump(mode="json")
    return {
        "fundamentals": {"filed_facts": kept, "others": [{"filed_facts": kept}]},
        "sources": [kept],
    }


def test_what_is_gathered_again_has_the_same_digest_wherever_it_is_stored() -> None:
    assert compute_gathered(gather("08")) == compute_gathered(gather("09"))


def test_other_facts_have_another_digest() -> None:
    assert compute_gathered(gather("08")) != compute_gathered(gather("08", "b"))


@pytest.mark.parametrize("model", [Source, Artifact])
def test_every_place_of_what_a_run_stores_is_left_out(model: type[Source] | type[Artifact]) -> None:
    assert {name for name in model.model_fields if name.endswith("_key")} <= PLACES

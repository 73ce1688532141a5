"""Whole runs over a library of several publishers: what a question about today is answered with."""

from collections.abc import AsyncIterator
from datetime import timedelta
from pathlib import Path

import pytest
from temporalio.testing import WorkflowEnvironment

from contracts.notices import Notice
from tests.workflows.support.newsroom import Newsroom, newsroom_over

pytestmark = pytest.mark.full

LATER = timedelta(hours=2)
"""A page that was read so long ago is read again."""

DISCLAIMER = "Note: I could not reliably retrieve enough live sources to stand behind this answer"


@pytest.fixture
async def patient(
    time_skipping: WorkflowEnvironment, database: str, tmp_path: Path
) -> AsyncIterator[Newsroom]:
    """A newsroom with skipped time: hours pass at once when a test sleeps."""
    async with newsroom_over(time_skipping.client, database, tmp_path) as made:
        yield made


async def test_pages_of_today_by_several_publishers_pass(newsroom: Newsroom) -> None:
    newsroom.publishes("falcon", "Falcon", "$990")
    newsroom.publishes("merlin", "Merlin", "$1,020")
    newsroom.publishes("kestrel", "Kestrel", "$1,005")
    found = await newsroom.validated(await newsroom.start("web_answer"))
    assert (found.validation.verdict, found.validation.problems) == ("passed", [])
    assert found.validation.max_age_days == 365
    told = {(s.publisher, s.status, s.counts) for s in found.validation.sources}
    assert told == {(name, 200, True) for name in ("Falcon", "Merlin", "Kestrel")}
    assert {s.age_days for s in found.validation.sources} <= {0, 1}  # midnight may have passed
    assert DISCLAIMER not in found.report.markdown
    assert all(price in found.report.markdown for price in ("$990", "$1,020", "$1,005"))


async def test_one_publisher_is_not_enough_and_the_report_says_so(newsroom: Newsroom) -> None:
    newsroom.publishes("shop", "Falcon", "$990")
    newsroom.publishes("blog", "Falcon", "$995")
    found = await newsroom.validated(await newsroom.start("web_answer"))
    assert found.validation.verdict == "insufficient"
    assert [s.counts for s in found.validation.sources] == [True, True]
    [problem] = found.validation.problems
    assert (problem.code, problem.params["least"]) == ("sources-not-independent", 2)
    assert Notice.of("note", text=problem).text in found.report.markdown
    assert DISCLAIMER not in found.report.markdown
    assert "$990" in found.report.markdown


async def test_a_page_that_has_gone_since_it_was_read_does_not_count(
    patient: Newsroom, time_skipping: WorkflowEnvironment
) -> None:
    patient.publishes("falcon", "Falcon", "$990")
    gone = patient.publishes("merlin", "Merlin", "$1,020")
    handle = await patient.looked_at()
    gone.unlink()
    await time_skipping.sleep(LATER)
    await patient.approve(handle, "look")
    found = await patient.validated(handle)
    assert found.validation.verdict == "insufficient"
    told = {(s.publisher, s.status, s.counts) for s in found.validation.sources}
    assert told == {("Falcon", 200, True), ("Merlin", 404, False)}
    assert DISCLAIMER in found.report.markdown
    assert "$1,020" in await patient.quoted(handle, found)


async def test_a_page_that_has_changed_since_is_quoted_as_it_was_read(
    patient: Newsroom, time_skipping: WorkflowEnvironment
) -> None:
    """The source does not count as live, because the quoted text is no longer there."""
    patient.publishes("falcon", "Falcon", "$990")
    patient.publishes("merlin", "Merlin", "$1,020")
    handle = await patient.looked_at()
    patient.publishes("merlin", "Merlin", "$4,440")
    await time_skipping.sleep(LATER)
    await patient.approve(handle, "look")
    found = await patient.validated(handle)
    assert found.validation.verdict == "insufficient"
    assert [source.is_live for source in found.validation.sources] == [True, False]
    quoted = await patient.quoted(handle, found)
    assert "$1,020" in quoted
    assert "$4,440" not in quoted + found.report.markdown

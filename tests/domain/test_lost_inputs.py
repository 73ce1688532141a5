"""What a run went on without: searches of its plan that nobody made, files that nobody opened."""

import pytest

from contracts.documents import UnreadPart
from contracts.evidence.searches import ServiceFailure
from contracts.evidence.sources import OWN_FILE, GivenFile
from contracts.notices import Notice
from contracts.report.report import Search
from contracts.runs.lost_inputs import LossCause, LostInput
from domain.lost_inputs import (
    MAX_NAMES,
    explain_loss,
    find_outage,
    find_unmade_searches,
    list_lost_reads,
    list_partly_given,
    list_partly_read,
    list_unopened,
)
from tests.support.sources import page

PLANNED = ["wind power Norway 2024", "wind power Denmark 2024", "offshore costs Sweden"]


def find(planned: list[str], *made: str) -> list[str]:
    """Return the planned searches that these do not make."""
    lost = find_unmade_searches(planned, [Search(query=query, hits=1) for query in made])
    return lost.names if lost else []


@pytest.mark.parametrize(
    ("made", "unmade"),
    [
        ([], PLANNED),
        (["solar pumps"], PLANNED),
        (PLANNED, []),
        (["Norway 2024: wind power?"], PLANNED[1:]),
        (["wind power 2024"], PLANNED),
        (["wind power in Norway and Denmark", "Sweden's offshore costs"], []),
    ],
)
def test_a_search_is_made_by_what_no_other_of_the_plan_asks(
    made: list[str], unmade: list[str]
) -> None:
    assert find(PLANNED, *made) == unmade


def test_searches_that_differ_in_no_word_are_made_by_half_their_words() -> None:
    assert find(["wind power", "power wind"], "wind farms") == []
    assert find(["日本の風力発電"], "日本の風力発電") == []


def test_all_and_some_unmade_searches_are_told_by_name() -> None:
    lost = find_unmade_searches(PLANNED, [])
    assert lost is not None
    assert lost.degrades
    names = [Notice.of("quoted", text=query) for query in PLANNED]
    assert explain_loss(lost) == Notice.of("lost-plan-searches-all", n=3, of=3, names=names)
    some = find_unmade_searches(PLANNED, [Search(query=PLANNED[2], hits=0)])
    assert some is not None
    assert not some.degrades
    assert explain_loss(some) == Notice.of("lost-plan-searches", n=2, of=3, names=names[:2])
    many = find_unmade_searches([f"query {n}" for n in range(MAX_NAMES + 3)], [])
    assert many is not None
    assert explain_loss(many).params["names"][-1] == "… (+3)"  # type: ignore[index]


SCANS = [UnreadPart(code="pages_without_text", count=3, of=4)]


def give(name: str, content_hash: str, unread: list[UnreadPart] | None = None) -> GivenFile:
    return GivenFile(name=name, chars=10, content_hash=content_hash, unread=unread or [])


def test_a_given_file_is_opened_once_its_text_was_read_under_any_name() -> None:
    files = [give("a.md", "1"), give("copy of a.md", "1"), give("b.md", "2")]
    read = page(f"{OWN_FILE}a.md", content_hash="1")
    assert list_unopened(files, [read]) == ["b.md"]
    assert list_unopened(files, []) == ["a.md", "copy of a.md", "b.md"]


def test_what_given_files_lack_is_told_once_read_or_not() -> None:
    files = [give("a.pdf", "1", SCANS), give("b.pdf", "2", SCANS), give("c.pdf", "3")]
    read = list_partly_read([page(f"{OWN_FILE}a.pdf", content_hash="1", unread=SCANS)])
    assert [each.name for each in list_partly_given(files, read)] == ["b.pdf"]


def test_cut_pages_lack_nothing_whole_and_are_told_in_each_language() -> None:
    outage = LossCause(reason="model-busy", passing=True)
    cut = LostInput(kind="cut_pages", name="small", window_tokens=4_096, causes=[outage])
    assert not cut.degrades
    assert cut.model_copy(update={"kind": "pages"}).degrades
    assert explain_loss(cut) == Notice.of("pages-cut", model="small", tokens=4_096)


def test_service_that_failed_while_another_gave_hits_is_told_and_keeps_the_status() -> None:
    """The reader learns which service's hits are missing; the searches count as answered."""
    told = Notice.of("search-late", service=Notice.of("service-exa", "info"))
    cause = LossCause(reason="search-failed", passing=True)
    failure = ServiceFailure(service="exa", words=told, cause=cause)
    searches = [
        Search(query="a", hits=3, failures=[failure]),
        Search(query="b", hits=2),
        Search(query="c", hits=0, error=told, cause=cause),
    ]
    service, lost = list_lost_reads(searches, {}, 3)
    assert (service.kind, service.name, service.lost, service.found) == (
        "search_service",
        "exa",
        1,
        2,
    )
    assert not service.degrades
    assert service.may_pass, "no later run reuses what was found without it"
    name, why = Notice.of("service-exa", "info"), [Notice.of("cause-no-answer")]
    assert explain_loss(service) == Notice.of("lost-service", service=name, n=1, of=2, why=why)
    assert (lost.kind, lost.lost) == ("searches", 1)
    assert find_outage([service]) is None


def test_service_that_lacks_engines_is_told_with_their_names() -> None:
    told = Notice.of("search-engines", service=Notice.of("service-searxng", "info"), names=["one"])
    cause = LossCause(reason="search-failed", passing=True)
    lacks = ServiceFailure(service="searxng", words=told, cause=cause, has_hits=True)
    [lost] = list_lost_reads([Search(query="a", hits=3, failures=[lacks])], {}, 1)
    explained = explain_loss(lost)
    assert (explained.code, explained.params["why"]) == ("lost-service-part", [told])

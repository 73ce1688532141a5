"""What a scheduled run's report changed: counts, and the first sentences with the passages of both runs."""

from contracts.alerts import DueAlert
from contracts.evidence.claims import Citation, Claim
from contracts.evidence.sources import OWN_FILE
from contracts.report.report import Comparison, ComparisonRow, Report, Section
from contracts.runs.schedules import ChangedSentence, RunChanges
from domain.alerts.messages import write_message
from domain.report.changes.scheduled_changes import MAX_CHARS, MAX_TOLD, compare_scheduled
from tests.support.sources import page
from tests.support.words import de, en

OLD = [page("https://example.org/old", title="Old page"), page(f"{OWN_FILE}my%20notes.md")]
NEW = [page("https://example.org/new", title="New page")]

ALERT = {
    "tenant_id": "t",
    "channel_id": "c",
    "user_id": "ana",
    "kind": "email",
    "target": "a@example.org",
    "secret": "",
    "language": "de",
    "id": "a",
    "type": "run.ended",
    "decides": False,
    "facts": {"status": "completed"},
    "at": "2026-01-01T00:00:00+00:00",
    "attempts": 0,
    "wait_seconds": 0,
    "age_seconds": 0,
    "query": "",
    "definition_id": "d",
    "notices": [],
}


def write(*claims: Claim, cell: str = "4") -> Report:
    row = ComparisonRow(label="Land", cells=[Claim(text=cell, citations=[])])
    table = Comparison(columns=["Kenya"], rows=[row])
    return Report(
        title="T", comparison=table, sections=[Section(heading="Market", claims=[*claims])]
    )


def cite(text: str, quote: str = "q", source: int = 1) -> Claim:
    return Claim(text=text, citations=[Citation(source=source, quote=quote)])


KEPT = cite("It stays.")


def test_sentences_of_both_runs_have_their_own_passages() -> None:
    before = write(KEPT, cite("It grew 4 %.", "grew by 4 %"), cite("We know.", "noted", 2))
    after = write(KEPT, cite("It grew 5 %.", "grew by 5 %"), cell="5")
    found = compare_scheduled(before, OLD, after, NEW)
    old, new = "https://example.org/old", "https://example.org/new"
    assert (found.added, found.removed) == (2, 3)
    assert [tuple(dict(each).values()) for each in found.sentences] == [
        ("added", "", "Land, Kenya: 5", "", "", ""),
        ("added", "Market", "It grew 5 %.", "grew by 5 %", "New page", new),
        ("removed", "", "Land, Kenya: 4", "", "", ""),
        ("removed", "Market", "It grew 4 %.", "grew by 4 %", "Old page", old),
        ("removed", "Market", "We know.", "noted", "my notes.md", ""),
    ]


def test_same_report_has_no_changes() -> None:
    report = write(KEPT)
    assert compare_scheduled(report, OLD, report, NEW) == RunChanges()


def test_source_that_a_run_lacks_is_no_passage() -> None:
    [told] = compare_scheduled(
        write(KEPT), OLD, write(KEPT, cite("More.", source=9)), NEW
    ).sentences
    assert (told.text, told.quote) == ("More.", "")


def test_many_and_long_sentences_are_cut_and_all_are_counted() -> None:
    many = write(*(cite(f"{n} {'word ' * 400}", "long " * 400) for n in range(50)))
    found = compare_scheduled(write(), OLD, many, NEW)
    assert (found.added, len(found.sentences)) == (50, MAX_TOLD)
    assert all(
        len(text) <= MAX_CHARS for told in found.sentences for text in (told.text, told.quote)
    )


def test_alert_tells_sentences_with_their_passages_on_a_line_each() -> None:
    told = [
        ChangedSentence(change="added", section="", text="A.", quote="a\nb", source="Page"),
        ChangedSentence(change="removed", section="", text="B."),
    ]
    changes = RunChanges(added=1, removed=1, sentences=told)
    alert = DueAlert.model_validate(
        dict.fromkeys(DueAlert.model_fields) | ALERT | {"changes": changes}
    )
    lines = write_message(alert, "").lines
    assert lines[-2:] == [
        de("alert-added", text="A.", quote="a\nb", source="Page"),
        de("alert-removed", text="B."),
    ]
    assert "“" not in en("alert-removed", text="B.")

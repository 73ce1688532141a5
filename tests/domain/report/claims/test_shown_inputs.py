"""Reports and analyses in a prompt: each sentence once, and no field that is empty or repeats them."""

from contracts.base import Json
from contracts.evidence.claims import Citation, Claim
from contracts.notices import Notice
from contracts.report.checks import Gap
from contracts.report.report import Report, Section
from domain.evidence.claims import leave_out_marks
from domain.report.claims.shown_inputs import show_inputs


def cite(text: str, name: str = "", quote: str = "Sales | 12") -> Claim:
    return Claim(text=text, citations=[Citation(source=1, quote=quote)], id=name)


def dump(report: Report) -> Json:
    return report.model_dump(mode="json")


def show(report: Report, **analysis: object) -> tuple[Json, Json]:
    points = analysis.pop("points", [])
    assert isinstance(points, list)
    said = {"points": [claim.model_dump(mode="json") for claim in points], **analysis}
    values = leave_out_marks({"report": dump(report), "news.analysis": said})  # type: ignore[dict-item]
    assert isinstance(values, dict)
    shown = show_inputs(values)
    told, left = shown["report"], shown["news.analysis"]
    assert isinstance(told, dict)
    assert isinstance(left, dict)
    return told, left


def test_sentence_of_an_analysis_that_the_report_has_is_shown_once_with_its_id() -> None:
    same, new = cite("It grew.", "grew"), cite("It owes.", "owes")
    other = cite("It grew.", "else", "Sales | 13")
    report = Report(title="A", sections=[Section(heading="Answer", claims=[cite("It grew.")])])
    told, left = show(report, points=[same, new, other], text="It grew.", asked_day=None)
    points = left["points"]
    assert isinstance(points, list)
    assert [point["id"] for point in points if isinstance(point, dict)] == ["owes", "else"]
    assert "text" not in left
    assert told == {
        "title": "A",
        "sections": [
            {
                "heading": "Answer",
                "claims": [
                    {
                        "text": "It grew.",
                        "citations": [{"source": 1, "quote": "Sales | 12"}],
                        "id": "grew",
                    }
                ],
            }
        ],
    }


def test_own_id_of_a_report_s_sentence_stays() -> None:
    report = Report(title="A", sections=[Section(heading="B", claims=[cite("It grew.", "own")])])
    told, left = show(report, points=[cite("It grew.", "grew")])
    assert '"id": "own"' in str(told).replace("'", '"')
    assert left["points"] == []


def test_line_on_what_was_not_found_is_shown_once_and_told_ones_with_what_tells_them() -> None:
    missing = Section(heading="Not found", missing="Its debt.\nIts sales.")
    quote = Citation(source=1, quote="Sales | 12")
    gaps = [
        Gap(place="Not found", line="Its debt.", verdict="not_told", phrases=["notes due"]),
        Gap(place="Not found", line="Its sales.", verdict="told", found=[quote]),
    ]
    report = Report(title="A", sections=[missing], gaps=gaps)
    told, left = show(report, gaps=["Its debt.", "Its staff."])
    assert left["gaps"] == ["Its staff."]
    [found] = told["gaps"] if isinstance(told["gaps"], list) else []
    cited: Json = {"source": 1, "quote": "Sales | 12"}
    assert isinstance(found, dict)
    assert {**found, "found": [cited]} == {
        "line": "Its sales.",
        "verdict": "told",
        "found": [cited],
    }


def test_notices_of_a_report_are_shown_in_words() -> None:
    note = Notice.of("company-as-of", day="2026-02-15")
    told, _ = show(Report(title="A", sections=[], notes=[note]))
    assert told["notes"] == [note.say("en")]


def test_analyses_without_a_report_are_shown_whole() -> None:
    said: Json = {"points": [cite("It grew.").model_dump(mode="json")], "text": "It grew."}
    assert show_inputs({"analysis": said}) == {"analysis": said}

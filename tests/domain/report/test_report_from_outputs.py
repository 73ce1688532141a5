"""The substitute report of a run that wrote none."""

import pytest

from contracts.base import Json
from domain.report.report_from_outputs import replace_report
from tests.domain.report.test_run_notices import make_phase
from tests.support.words import en


@pytest.mark.parametrize(
    ("answer", "account"),
    [
        ({"country": "Cambodia", "score": 7}, "Country: Cambodia\nScore: 7"),
        ({"fits": True, "share": 0.0}, f"Fits: {en('value-true')}\nShare: 0.0"),
        ({"fazit": "日本は乾燥している"}, "Fazit: 日本は乾燥している"),
        ({"tags": ["dry", "far"]}, "Tags: dry\nTags: far"),
        ({"text": "It is dry.", "note": None, "empty": ""}, "It is dry."),
        ({"accepted": False, "issues": ["No price."]}, f"{en('review-refused')}\nNo price."),
    ],
)
def test_each_value_of_a_typed_answer_is_told(answer: Json, account: str) -> None:
    output: Json = {"analysis": answer}
    given = [(make_phase("look", "completed"), output)]
    report, lack = replace_report("Which?", given, [], offline=False)
    assert (lack, [section.account for section in report.sections]) == ("no-report", [account])


def test_answer_without_a_value_is_no_result() -> None:
    output: Json = {"analysis": {"note": None}}
    given = [(make_phase("look", "completed"), output)]
    assert replace_report("Which?", given, [], offline=False)[1] == "no-result"

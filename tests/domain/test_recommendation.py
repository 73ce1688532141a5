"""What a recommendation's reasons carry."""

from collections.abc import Callable, Sequence

import pytest
from pydantic import JsonValue

from contracts.base import Json
from contracts.evidence.claims import Citation, Claim, Verdict
from contracts.evidence.sources import Source
from contracts.notices import Notice, Told
from contracts.phases.typed_answers import (
    NOT_ENOUGH,
    NOT_YET,
    CompanyAction,
    CompanyActions,
    OwnNumber,
    Recommendation,
)
from contracts.report.additions import NewestValue
from contracts.report.checks import Gap
from contracts.report.report import Report, Section
from contracts.words import say
from domain.recommendation import (
    add_one_sided,
    add_recommendation,
    leave_out_idle_assumptions,
    list_beyond,
    list_decided,
    mark_unfounded,
    rest_on_what_holds,
    weigh_each,
    weigh_one,
    weigh_reasons,
)
from domain.report.claims.brought_bases import bring_bases, build_beyond, join_sections
from domain.report.claims.report_claims import count_claims, withdraw_contradicted
from domain.report.context import ReportContext
from domain.report.formats.markdown import render
from tests.support.sources import page
from tests.support.words import de, en


def reasons(*verdicts: Verdict | None) -> list[Claim]:
    cited = [Citation(source=1, quote="It grew.", start=0, end=8)]
    return [Claim(text="It grew.", citations=cited, verdict=verdict) for verdict in verdicts]


def recommend(
    rationale: list[Claim], risks: list[Claim], action: str = "buy", confidence: float = 1.0
) -> Recommendation:
    return weigh_reasons(
        Recommendation(
            action=action,
            confidence=confidence,
            horizon="a year",
            rationale=rationale,
            risks=risks,
            what_would_change=["A loss."],
        )
    )


def open_report(said: Recommendation) -> tuple[str, list[str], list[str]]:
    report = add_recommendation(said, Report(title="Apple", sections=[]), "en")
    assert report.answer
    return report.answer.heading, report.answer.remarks, [s.heading for s in report.sections]


@pytest.mark.parametrize(
    ("rationale", "risks", "own", "confidence"),
    [
        (reasons("supported"), reasons("supported"), 1.0, 0.5),
        (3 * reasons("supported"), reasons("supported"), 1.0, 0.75),
        (3 * reasons("supported"), reasons("supported"), 0.2, 0.2),
        (reasons("supported", "supported", "not_shown"), reasons("not_shown", "supported"), 1, 0.6),
        (reasons("partly", "partly"), reasons("supported"), 1.0, 0.5),
        (reasons(None, None), reasons(None), 1.0, 0.5),
    ],
)
def test_confidence_is_what_supported_reasons_carry_and_never_more_than_the_deciders(
    rationale: list[Claim], risks: list[Claim], own: float, confidence: float
) -> None:
    said = recommend(rationale, risks, confidence=own)
    assert (said.action, said.confidence, said.withheld) == ("buy", confidence, "")
    assert said.stated_confidence == own


@pytest.mark.parametrize(
    ("rationale", "risks", "why"),
    [
        ([], reasons("supported"), ("for", 0, 0, 1, 1)),
        (reasons("not_shown", "contradicted"), reasons("supported"), ("for", 0, 2, 1, 1)),
        (reasons("partly"), reasons("supported"), ("for", 0, 1, 1, 1)),
        (reasons("supported", "supported"), [], ("against", 2, 2, 0, 0)),
        (reasons("supported"), reasons("not_shown"), ("against", 1, 1, 0, 1)),
    ],
)
def test_an_unsupported_or_one_sided_action_does_not_open_the_report(
    rationale: list[Claim], risks: list[Claim], why: tuple[str, int, int, int, int]
) -> None:
    said = recommend(rationale, risks)
    assert (said.action, said.confidence, said.withheld) == (NOT_ENOUGH, 0, "buy")
    heading, remarks, _ = open_report(said)
    assert heading == en("decision", actions=en("decision-not-enough"))
    lacks, gains, of_gains, losses, of_losses = why
    counted = en(
        "decision-counts", gains=gains, of_gains=of_gains, losses=losses, of_losses=of_losses
    )
    assert remarks[0] == en(f"decision-withheld-{lacks}", action="buy", counts=counted)


def test_not_enough_to_say_has_no_confidence_and_shows_both_sides() -> None:
    said = recommend(reasons("supported"), reasons("supported"), action="Not enough to say.")
    assert (said.action, said.confidence, said.withheld) == (NOT_ENOUGH, 0, "")
    heading, remarks, sections = open_report(said)
    assert heading == en("decision", actions=en("decision-not-enough"))
    assert remarks == [en("decision-horizon", text="a year")]
    assert sections == [en("decision-open-for"), en("decision-open-against")]


def test_not_yet_says_what_is_waited_for() -> None:
    said = recommend(reasons("supported"), reasons("supported"), action="Not yet.")
    assert (said.action, said.confidence, said.withheld) == (NOT_YET, 0, "")
    heading, remarks, sections = open_report(said)
    assert heading == en("decision", actions=en("decision-not-yet"))
    assert remarks == [
        en("decision-awaited", text="A loss."),
        en("decision-horizon", text="a year"),
    ]
    assert sections == [en("decision-open-for"), en("decision-open-against")]


def test_ranking_stands_with_an_action_that_is_carried() -> None:
    said = recommend(reasons("supported"), reasons("supported"), action="buy AAPL")
    ranked = said.model_copy(update={"ranking": ["AAPL", "SNOW"]})
    heading, remarks, _ = open_report(ranked)
    assert heading == en("decision", actions="buy AAPL")
    assert en("decision-ranking", names=["AAPL", "SNOW"]) in remarks


def act(company: str, action: str, rationale: list[Claim], risks: list[Claim]) -> CompanyAction:
    return CompanyAction(
        company=company,
        action=action,
        confidence=1,
        horizon="a year",
        rationale=rationale,
        risks=risks,
        what_would_change=[f"A loss of {company}."],
    )


def test_each_company_carries_its_action_by_its_own_reasons() -> None:
    actions = [
        act("AAPL", "buy", [], reasons("supported", "supported")),
        act("SNOW", "sell", 3 * reasons("supported"), reasons("supported")),
        act("SNOW", "buy", reasons("supported"), reasons("supported")),
        act("MSFT", "Not yet.", reasons("supported"), reasons("supported")),
    ]
    said = weigh_each(
        CompanyActions(companies=actions, ranking=["SNOW", "AAPL", "SNOW", "IBM"], answer=[]),
        ["AAPL", "SNOW", "MSFT", "ORCL"],
    )
    assert said.ranking == ["SNOW", "AAPL", "MSFT", "ORCL"]
    told = [(one.company, one.action, one.withheld, one.confidence) for one in (said, *said.others)]
    assert told == [
        ("SNOW", "sell SNOW", "", 0.75),
        ("AAPL", NOT_ENOUGH, "buy AAPL", 0),
        ("MSFT", NOT_YET, "", 0),
        ("ORCL", NOT_ENOUGH, "", 0),
    ]
    report = add_recommendation(said, Report(title="Which?", sections=[]), "en")
    assert report.answer
    assert report.answer.heading == head(en)
    assert report.answer.remarks == remarks(en, "for", 0, 0, 2, 2)
    assert [section.heading for section in report.sections[:6]] == [
        *(en("decision-for", of="sell SNOW"), en("decision-against", of="sell SNOW")),
        *(en("decision-for", of="buy AAPL"), en("decision-against", of="buy AAPL")),
        *(en("decision-open-for", of="MSFT"), en("decision-open-against", of="MSFT")),
    ]
    assert report.would_change == [
        f"{name}: A loss of {name}." for name in ("SNOW", "AAPL", "MSFT")
    ]


def head(say: Callable[..., str]) -> str:
    """Return the heading of one action that is carried, one that is not, one that waits, and one untold."""
    not_enough = [say("decision-not-enough", company=name) for name in ("AAPL", "ORCL")]
    actions = ["sell SNOW", not_enough[0], say("decision-not-yet", company="MSFT"), not_enough[1]]
    return say("decision", actions=actions)


def remarks(say: Callable[..., str], lacks: str, *counts: int) -> list[str]:
    """Return the expected lines below that heading."""
    gains, of_gains, losses, of_losses = counts
    withheld = say(
        "decision-counts", gains=gains, of_gains=of_gains, losses=losses, of_losses=of_losses
    )
    return [
        say("decision-ranking", names=["SNOW", "AAPL", "MSFT", "ORCL"]),
        f"SNOW: {say('decision-horizon', text='a year')}",
        f"AAPL: {say(f'decision-withheld-{lacks}', action='buy AAPL', counts=withheld)}",
        f"MSFT: {say('decision-awaited', text='A loss of MSFT.')}",
        f"MSFT: {say('decision-horizon', text='a year')}",
    ]


def test_a_german_question_has_its_decision_in_german() -> None:
    actions = [
        act("SNOW", "sell", 3 * reasons("supported"), reasons("supported")),
        act("AAPL", "buy", reasons("supported"), []),
        act("MSFT", NOT_YET, reasons("supported"), []),
    ]
    companies = ["SNOW", "AAPL", "MSFT", "ORCL"]
    said = weigh_each(CompanyActions(companies=actions, ranking=companies, answer=[]), [*companies])
    told = Section(heading="Gelesen", claims=reasons("supported"), account="Eine Seite.")
    report = add_recommendation(said, Report(title="Was?", sections=[told]), "de")
    assert report.answer
    assert report.answer.heading == head(de)
    assert report.answer.remarks == remarks(de, "against", 1, 1, 0, 0)
    *_, last = report.sections
    assert [section.heading for section in report.sections[:6]] == [
        *(de("decision-for", of="sell SNOW"), de("decision-against", of="sell SNOW")),
        *(de("decision-for", of="buy AAPL"), de("decision-against", of="buy AAPL")),
        *(de("decision-open-for", of="MSFT"), de("decision-open-against", of="MSFT")),
    ]
    assert report.sections[5].remarks == [de("decision-no-reason")]
    assert last.remarks == [de("stands-above")]
    more: Json = {"points": [cite("It pays.").model_dump(mode="json")], "gaps": ["Its price."]}
    assert [section.heading for section in list_beyond([more], report, "de")] == [
        *(de("decision-beyond"), de("decision-unknown"))
    ]


def cite(text: str, **more: object) -> Claim:
    cited = [Citation(source=1, quote=text, start=0, end=8)]
    made = Claim(text=text, citations=cited, verdict="supported")
    return made.model_copy(update=more)


def conclude(text: str, *rests_on: str, verdict: Verdict = "supported") -> Claim:
    return Claim(text=text, citations=[], rests_on=[*rests_on], verdict=verdict)


def call(name: str, claim: Claim) -> Claim:
    return claim.model_copy(update={"id": name})


def test_of_several_companies_the_report_says_first_why_they_rank_so() -> None:
    actions = [
        act("AAPL", "hold", [cite("It pays.", id="pays")], [cite("It is dear.")]),
        act("SNOW", "sell", [cite("It grows.", id="grows")], [cite("It loses.")]),
    ]
    why = conclude("Apple pays, and Snowflake only grows.", "pays", "grows")
    answer = [cite("It pays."), why, conclude("Apple is best.", "pays", verdict="not_shown")]
    said = weigh_each(
        CompanyActions(companies=actions, ranking=["AAPL", "SNOW"], answer=answer),
        ["AAPL", "SNOW"],
    )
    report = finish(add_recommendation(said, Report(title="Which?", sections=[]), "en"))
    head = report.markdown.partition(f"## {en('decision-for', of='hold AAPL')}")[0]
    heading, first, *_ = [part for part in head.split("\n\n") if part][1:]
    assert heading == f"## {en('decision', actions=['hold AAPL', 'sell SNOW'])}"
    assert first == f"Apple pays, and Snowflake only grows. [{en('concluded-from')} 1]"
    assert "Apple is best." not in report.markdown
    assert f"{en('basis')}: [2, 4]" in report.markdown
    assert (report.claims_total, report.claims_unsupported) == (5, 0)


def finish(report: Report) -> Report:
    counted = count_claims(withdraw_contradicted(report)[0], is_judged=True)
    page = Source.model_validate(
        {
            "url": "https://example.org/",
            "title": "Page",
            "retrieved_at": "2026-01-01T00:00:00+00:00",
            "content_hash": "0",
            "text_key": "0",
            "raw_key": "0",
            "chars": 9,
        }
    )
    markdown = render(counted.model_copy(update={"searches": []}), ReportContext([page]))
    return counted.model_copy(update={"markdown": markdown})


def test_a_sentence_of_the_decision_is_printed_again_only_where_another_follows_it() -> None:
    told = cite("It pays.", id="pays")
    said = recommend([told, cite("It grows.", id="debt")], [cite("It is dear.", id="dear")])
    written = [
        cite("It pays.", id="cash"),
        cite("It owes.", id="debt"),
        conclude("It can pay what it owes.", "cash", "debt"),
        cite("It pays.", id="cash"),
    ]
    sections = [
        Section(heading="Answer", claims=written),
        Section(heading="Twice", claims=[told]),
        Section(heading="Lacking", claims=[told], missing="Its plans."),
        Section(heading="Step 1", claims=[told], account="I read its report."),
        Section(heading="Step 2", claims=[told], remarks=["One page was closed."]),
    ]
    report = finish(add_recommendation(said, Report(title="Apple", sections=sections), "en"))
    body = report.markdown.partition(f"## {en('evidence')}")[0]
    assert body.count("It pays.") == 2
    answer, lacking, *steps = report.sections[2:]
    assert [(claim.id, claim.rests_on) for claim in answer.claims] == [
        ("cash", []),
        ("debt-2", []),
        ("", ["cash", "debt-2"]),
    ]
    assert f"{en('basis')}: [1, 4]" in report.markdown
    assert (lacking.heading, lacking.claims, lacking.missing) == ("Lacking", [], "Its plans.")
    assert "## Twice" not in body
    assert [(step.account, step.remarks) for step in steps] == [
        ("I read its report.", [say("en", "stands-above")]),
        ("", ["One page was closed.", say("en", "stands-above")]),
    ]


SHORT = [
    cite("Acme pays.", id="cash"),
    cite("Acme grows.", id="growth"),
    conclude("So it is sound.", "cash", "growth"),
    cite("Acme owes.", id="debt"),
    conclude("That is much.", "debt"),
    conclude("Cash is what counts.", "cash").model_copy(update={"opens": True}),
    cite("Acme pays.", id="again"),
    cite("Acme hires.", id="staff"),
]


def decide(
    answer: list[Claim], risks: list[Claim], *more: Section, short: Sequence[Claim] = SHORT
) -> Report:
    """Return a report of one short text, and sections without text, that opens with a decision on it."""
    said = Recommendation(
        action="buy",
        confidence=1,
        horizon="a year",
        rationale=[cite("Acme pays.", id="pays"), cite("Acme grows.", id="grows")],
        risks=risks,
        what_would_change=[],
        answer=answer,
    )
    gaps = Section(heading="Gaps", missing="Plans.")
    sections = [Section(heading="Answer", claims=[*short]), gaps, *more]
    return finish(add_recommendation(weigh_one(said), Report(title="A", sections=sections), "en"))


def test_a_short_text_is_read_in_the_reasons_and_its_rest_in_the_appendix() -> None:
    verdict = conclude("Buy, as it pays.", "pays")
    report = decide([verdict, cite("Acme pays."), conclude("No.", "x", verdict="not_shown")], DEAR)
    assert report.answer
    assert report.answer.claims == [verdict]
    read, _, looked_up = report.markdown.partition(f"## {en('details')}")
    assert [read.count(text) for text in ("Acme pays.", "Acme grows.", "Acme is dear.")] == [
        1,
        1,
        1,
    ]
    assert [
        text in read for text in ("So it is sound.", "Acme owes.", "Acme hires.", "Plans.")
    ] == [*(False, False, False, True)]
    [details] = [section for section in report.sections if section.is_detail and section.claims]
    assert [claim.text for claim in details.claims] == [
        *("Acme pays.", "Acme grows.", "So it is sound.", "Acme owes.", "That is much."),
        *("Cash is what counts.", "Acme pays.", "Acme hires."),
    ]
    assert "Acme hires." in looked_up


DEAR = [cite("Acme is dear.", id="dear")]


@pytest.mark.parametrize(
    ("opening", "is_shown"),
    [
        ([conclude("Worth it at 8%.", "debt")], False),
        ([call("much", conclude("It owes.", "debt")), conclude("Worth it.", "much")], False),
        ([call("used", conclude("It owes much.", "debt"))], True),
        ([cite("It owes 5.", id="five")], True),
    ],
)
def test_verdict_that_opens_a_text_leaves_it_for_that_of_the_decision(
    opening: list[Claim], *, is_shown: bool
) -> None:
    rest = [cite("Acme owes.", id="debt"), conclude("Look at 2011.", "debt")]
    more = [conclude("That matters.", "used")] if opening[-1].id == "used" else []
    report = decide([], DEAR, short=[*opening, *rest, *more])
    [details] = [section for section in report.sections if section.is_detail and section.claims]
    told = [claim.text for claim in details.claims]
    assert (opening[-1].text in told) == is_shown
    assert told[-1 - len(more)] == "Look at 2011."


@pytest.mark.parametrize("is_beyond", [True, False])
def test_what_a_text_does_not_say_is_no_other_text_whatever_its_heading(*, is_beyond: bool) -> None:
    """A heading of the text itself may be the words that code puts above it."""
    heading = "Other words" if is_beyond else en("decision-beyond")
    more = Section(heading=heading, claims=[cite("Acme lends.")], is_beyond=is_beyond)
    report = decide([conclude("Buy, as it pays.", "pays")], DEAR, more)
    assert report.has_findings == is_beyond
    added = join_sections(report, [build_beyond([cite("It owes.")], "en", is_detail=is_beyond)])
    assert len(added.sections) == len(report.sections) + (not is_beyond)


def test_a_text_stays_whole_where_its_decision_is_not_carried() -> None:
    report = decide([conclude("Buy, as it pays.", "pays")], [])
    assert report.answer
    assert report.answer.claims == []
    assert not report.has_findings
    assert "Acme hires." in report.markdown.partition(f"## {en('evidence')}")[0]


def test_a_report_of_several_sections_keeps_them_beside_its_decision() -> None:
    sections = [Section(heading=name, claims=[cite(f"It {name}.")]) for name in ("sells", "hires")]
    said = recommend([cite("It pays.")], DEAR)
    report = finish(add_recommendation(said, Report(title="A", sections=sections), "en"))
    assert not any(section.is_detail for section in report.sections)


def test_notes_on_the_figures_stand_below_what_would_change_the_decision() -> None:
    said = recommend([cite("It pays.")], DEAR)
    note = Section(heading="On the figures", remarks=["A tag changed."], is_note=True)
    report = add_recommendation(said, Report(title="A", sections=[note]), "en")
    markdown = finish(report).markdown
    assert markdown.index(en("would-change")) < markdown.index("On the figures")


def test_a_sentence_with_another_verdict_or_quote_is_printed_beside_the_decisions() -> None:
    said = recommend([cite("It pays.")], [cite("It is dear.")])
    others = [cite("It pays.", verdict="partly"), cite("It pays.", citations=[])]
    sections = [Section(heading="Answer", claims=others)]
    report = add_recommendation(said, Report(title="Apple", sections=sections), "en")
    assert report.sections[2].claims == others


def test_what_an_analysis_found_beyond_the_report_and_its_gaps_are_not_lost() -> None:
    told, more = (
        Claim(
            id="one",
            text=f"It {word}.",
            citations=[Citation(source=1, quote=f"It {word}.", start=0, end=8)],
            verdict="supported",
        )
        for word in ("grew", "paid")
    )
    answer = Section(heading="Answer", claims=[told], missing="Its debt.")
    report = Report(title="Apple", sections=[answer])
    wrong = more.model_copy(update={"text": "It left.", "verdict": "contradicted"})
    points: list[JsonValue] = [claim.model_dump(mode="json") for claim in (told, more, wrong)]
    said: Json = {"points": points, "gaps": ["Its price."]}
    found, unknown = list_beyond(
        [said, {"gaps": ["Its price.", "Its plans.", "Its debt."]}], report, "en"
    )
    assert [(claim.text, claim.id) for claim in found.claims] == [("It paid.", "one-2")]
    assert unknown.missing.splitlines() == ["Its price.", "Its plans."]
    assert list_beyond([{"points": points[:1]}], report, "en") == []
    again: Json = {"gaps": ["The price of its debt\nin bonds."]}
    section = Section(heading="Answer", claims=[told], missing="The price of its debt\nIn bonds")
    assert list_beyond([again], Report(title="Apple", sections=[section]), "en") == []


def test_question_that_a_page_answered_after_all_is_not_asked_again() -> None:
    answered = Gap(place="Answer", line="Its debt.", verdict="told")
    report = Report(title="Apple", sections=[], gaps=[answered])
    [unknown] = list_beyond([{"gaps": ["Its debt.", "Its plans."]}], report, "en")
    assert unknown.missing == "Its plans."


def test_sentence_whose_figures_are_all_told_is_not_found_beside_the_report() -> None:
    def state(text: str, name: str = "") -> Claim:
        cited = [Citation(source=1, quote=text, start=0, end=8)]
        return Claim(id=name, text=text, citations=cited, verdict="supported")

    told = state("The weak side is debt: 14.6 billion, 6.0 times the income before depreciation.")
    report = Report(title="Simon", sections=[Section(heading="Answer", claims=[told])])
    again, more = (
        state("Net debt was 14.6 billion, 6.0 times.", "a"),
        state("It was 14.6 after 9.1."),
    )
    points: list[JsonValue] = [claim.model_dump(mode="json") for claim in (again, more)]
    [section] = list_beyond([{"points": points}], report, "en")
    assert [claim.text for claim in section.claims] == [more.text]
    points.append(conclude("It owes too much.", "a").model_dump(mode="json"))
    [section] = list_beyond([{"points": points}], report, "en")
    assert again.text in [claim.text for claim in section.claims], "a conclusion rests on it"


def note_one_sided(text: str, beside: Sequence[NewestValue], quote: str = "") -> list[Told]:
    """Return the notes that a decision for the reason `text`, with a quote, brings on figures of one basis."""
    cited = [Citation(source=1, quote=quote or text, start=0, end=8)]
    said = recommend([Claim(text=text, citations=cited, verdict="supported")], reasons("supported"))
    return add_one_sided(Report(title="Simon", sections=[]), said, beside).notes


@pytest.mark.parametrize(
    ("text", "is_told"),
    [
        ("Income covered interest 1.4 times.", True),
        ("Income covered interest 1.4 times, and 1.6 times in the newest quarter.", False),
        ("Income covered interest 2.4 times.", False),
        ("The rate is 1.4 %.", False),
    ],
)
def test_cover_of_twelve_months_alone_brings_that_of_the_newest_quarter(
    text: str, *, is_told: bool
) -> None:
    note = Notice.of("quoted", "info", text="1.6 in the newest quarter")
    beside = [NewestValue(twelve=1.4, now=1.6, told=note)]
    assert bool(note_one_sided(text, beside)) == is_told


@pytest.mark.parametrize(
    ("text", "quote", "is_told"),
    [
        ("Income grew by 15.4 %.", "", True),
        ("Income grew by about 15 percent.", "Income 15.4", True),
        ("The tax rate is 15 %.", "a rate of 15 %", False),
        ("Its 15 plants ran.", "Income 15.4", False),
        ("Income grew by 15 %, 4 % without a settlement.", "Income 15.4", False),
    ],
    ids=["to a tenth", "rounded", "of something else", "a count", "both"],
)
def test_rounded_growth_brings_its_other_bases_where_a_quote_has_it_exactly(
    text: str, quote: str, *, is_told: bool
) -> None:
    note = Notice.of("quoted", "info", text="15.4 % and 4.2 %")
    beside = [NewestValue(twelve=15.4, now=now, told=note, unit="%") for now in (4.2, 3.9)]
    assert note_one_sided(text, beside, quote) == ([note] if is_told else [])


def test_reasons_of_several_companies_are_held_against_the_own_figures_of_each() -> None:
    def act(name: str, text: str) -> CompanyAction:
        cited = [Citation(source=1, quote=text, start=0, end=8)]
        reason = Claim(text=text, citations=cited, verdict="supported")
        told = {"confidence": 0.5, "horizon": "", "risks": [], "what_would_change": []}
        said = {"company": name, "action": "buy", "rationale": [reason], **told}
        return CompanyAction.model_validate(said)

    notes = {name: Notice.of("quoted", "info", text=name) for name in ("AAA", "BBB")}
    beside = [
        NewestValue(twelve=15.4, now=4.2, told=note, unit="%", company=name)
        for name, note in notes.items()
    ]
    first = act("AAA", "Its income grew by 8.1 %.")
    other = act("BBB", "Its income grew by 15.4 %.")
    said = Recommendation(**dict(first), ranking=["AAA", "BBB"], answer=[], others=[other])
    report = add_one_sided(Report(title="Two", sections=[]), said, beside)
    assert report.notes == [notes["BBB"]]


@pytest.mark.parametrize(
    ("found", "is_told_again"),
    [
        ("They were 53.3 billion in 2008 and 10.5 billion in 2009.", True),
        ("They were 1.75 billion in the quarter.", False),
        ("They were 1,753 million by 2010-03-31.", False),
        ("They fell by half.", False),
    ],
)
def test_finding_with_a_figure_that_the_report_leaves_out_of_its_passage_is_not_lost(
    found: str, *, is_told_again: bool
) -> None:
    row = [Citation(source=1, quote="Charges | 1,753 | 10,471 | 53,340", start=0, end=33)]
    told = Claim(text="Charges of 1.753 billion came again.", citations=row)
    point = Claim(text=found, citations=row, verdict="supported")
    report = Report(title="Apple", sections=[Section(heading="A", claims=[told])])
    sections = list_beyond([{"points": [point.model_dump(mode="json")]}], report, "en")
    assert [claim.text for section in sections for claim in section.claims] == (
        [found] if is_told_again else []
    )


def test_what_an_analysis_concluded_beyond_the_report_stands_on_what_is_told_or_comes_along() -> (
    None
):
    told, told_without_id, new = (
        cite(text, id=name, citations=[Citation(source=1, quote=text, start=0, end=8)])
        for text, name in (("It grew.", "growth"), ("It owes.", ""), ("It pays.", "dividend"))
    )
    report = Report(title="Apple", sections=[Section(heading="A", claims=[told, told_without_id])])
    points = [
        told.model_copy(update={"id": "a", "text": "It has grown."}),
        told_without_id.model_copy(update={"id": "b"}),
        new.model_copy(update={"id": "growth"}),
        conclude("It is sound.", "a", "growth"),
        conclude("It is in debt.", "b"),
        conclude("It is lost.", "gone"),
    ]
    [found] = list_beyond(
        [{"points": [claim.model_dump(mode="json") for claim in points]}], report, "en"
    )
    assert [(claim.text, claim.id, claim.rests_on) for claim in found.claims] == [
        ("It owes.", "b", []),
        ("It pays.", "growth-2", []),
        ("It is sound.", "", ["growth", "growth-2"]),
        ("It is in debt.", "", ["b"]),
    ]
    assert (
        list_beyond(
            [{"points": [points[3].model_dump(mode="json")]}],
            Report(title="Apple", sections=[Section(heading="A", claims=[told, points[3]])]),
            "en",
        )
        == []
    ), "what the report concludes itself"


def test_a_finding_that_points_to_what_the_report_has_brings_it_along() -> None:
    tax, share, other = (
        cite(text, id=name, citations=[Citation(source=1, quote=text, start=0, end=8)])
        for text, name in (("It paid 8 more.", "tax"), ("That is 3.5%.", "share"), ("It owes.", ""))
    )
    share = share.model_copy(update={"rests_on": ["tax"]})
    report = Report(title="Apple", sections=[Section(heading="A", claims=[tax])])
    points: list[JsonValue] = [c.model_dump(mode="json") for c in (tax, share, other)]
    [found] = list_beyond([{"points": points}], report, "en")
    assert [claim.text for claim in found.claims] == [tax.text, share.text, other.text]


def test_a_finding_brings_along_a_whole_chain_that_points_back() -> None:
    tax, share, part = (
        cite(text, id=name, citations=[Citation(source=1, quote=text, start=0, end=8)])
        for text, name in (
            ("It paid 8.", "tax"),
            ("That is 3.5%.", "share"),
            ("That is little.", ""),
        )
    )
    share = share.model_copy(update={"rests_on": ["tax"]})
    part = part.model_copy(update={"rests_on": ["share"]})
    told = [tax, share.model_copy(update={"rests_on": []})]
    report = Report(title="Apple", sections=[Section(heading="A", claims=told)])
    points: list[JsonValue] = [c.model_dump(mode="json") for c in (tax, share, part)]
    [found] = list_beyond([{"points": points}], report, "en")
    assert [claim.text for claim in found.claims] == [tax.text, share.text, part.text]


def test_a_report_says_how_many_reasons_are_marked_and_nothing_where_all_hold() -> None:
    said = recommend(reasons("supported", "not_shown"), reasons("supported"), confidence=0.9)
    heading, remarks, sections = open_report(said)
    assert heading == en("decision", actions="buy")
    assert remarks == [en("decision-marked", n=1, of=3), en("decision-horizon", text="a year")]
    assert sections == [en("decision-for", of="buy"), en("decision-against", of="buy")]
    said = recommend(reasons("supported"), reasons("supported"), confidence=0.9)
    assert open_report(said)[1] == [en("decision-horizon", text="a year")]


def test_reason_that_holds_under_an_assumption_is_not_called_doubtful() -> None:
    first, *others = reasons("supported", "supported")
    said = recommend(
        [first.model_copy(update={"assumed": True, "rests_on": ["rate"]}), *others],
        reasons("supported"),
    )
    assert open_report(said)[1] == [
        en("decision-assuming", n=1, of=3),
        en("decision-horizon", text="a year"),
    ]


def test_decision_rests_on_sentences_of_the_report_by_their_ids_there() -> None:
    """The decider sees an id that two sentences share under two names; the report has neither of them."""
    grew, owes = (
        cite(text, id="growth", citations=[Citation(source=1, quote=text, start=0, end=8)])
        for text in ("It grew.", "It owes.")
    )
    known = {
        "growth-1": grew.model_copy(update={"text": "It has grown."}),
        "growth-2": owes,
        "sound": conclude("It is sound.", "growth-2"),
    }
    said = recommend([grew], [conclude("It is in debt.", "growth-2")])
    said = said.model_copy(update={"answer": [conclude("Buy it.", "growth-1", "sound")]})
    report = Report(title="Apple", sections=[Section(heading="A", claims=[grew])])
    opened = bring_bases(add_recommendation(said, report, "en"), list_decided(said), known, "en")
    assert opened.answer
    assert [claim.rests_on for claim in opened.answer.claims] == [["growth", "sound"]]
    assert opened.sections[1].claims[0].rests_on == ["growth-2"]
    added = opened.sections[-1]
    assert [(claim.text, claim.id, claim.rests_on) for claim in added.claims] == [
        ("It is sound.", "sound", ["growth-2"]),
        ("It owes.", "growth-2", []),
    ]
    told = rest_on_what_holds(opened, None, "en")
    assert told == opened, "nothing is gone"
    markdown = render(
        told.model_copy(update={"searches": []}), ReportContext([page("https://example.org/1")])
    )
    assert en("mark-basis_gone") not in markdown


def test_a_base_that_the_report_tells_without_an_id_is_named_there_and_not_told_again() -> None:
    said = cite("It grew.")
    known = {"growth": said.model_copy(update={"id": "growth"})}
    concluded = conclude("Buy it.", "growth")
    report = Report(title="Apple", sections=[Section(heading="A", claims=[concluded, said])])
    told = bring_bases(report, [concluded], known, "en")
    assert [(c.id, c.rests_on) for c in told.sections[0].claims] == [
        ("", ["growth"]),
        ("growth", []),
    ]
    assert len(told.sections) == 1


def test_a_base_from_the_passage_of_another_sentence_but_with_other_figures_is_not_that_one() -> (
    None
):
    quote = [Citation(source=1, quote="| Tax | 8,303 | 8,330 |", start=0, end=23)]
    told = Claim(text="Tax was 8,303.", citations=quote, id="tax", verdict="supported")
    base = told.model_copy(update={"text": "Tax of 2023 was 8,330.", "id": "before"})
    concluded = conclude("It paid less.", "before")
    report = Report(title="A", sections=[Section(heading="A", claims=[concluded, told])])
    brought = bring_bases(report, [concluded], {"before": base}, "en")
    assert brought.sections[0].claims[0].rests_on == ["before"]
    assert brought.sections[-1].claims == [base]


def test_an_assumption_is_no_reason_that_sources_carry() -> None:
    assumed = Claim(text="We assume it lasts.", citations=[], assumed=True, verdict="supported")
    said = recommend([*reasons("supported"), assumed], reasons("supported"))
    assert open_report(said)[1] == [en("decision-horizon", text="a year")], "nor a marked one"
    assert recommend([assumed], reasons("supported")).withheld


def test_sections_that_are_added_join_those_of_their_heading() -> None:
    first, second = cite("It grew."), cite("It owes.")
    sections = [Section(heading=name, claims=[first]) for name in ("A", "A", "B")]
    report = Report(title="Apple", sections=sections)
    told = join_sections(report, [Section(heading="B", claims=[second])])
    assert told.sections == [*sections[:2], Section(heading="B", claims=[first, second])]
    apart = Section(heading="B", claims=[second], is_detail=True)
    assert join_sections(report, [apart]).sections == [*sections, apart]


def test_decision_says_what_it_no_longer_rests_on() -> None:
    grew = cite("It grew.", id="growth")
    leaner, left = conclude("Buy it.", "growth", "gone"), conclude("Buy it now.", "gone")
    answer = Section(heading="Decision: buy", claims=[leaner, left], remarks=["Horizon: a year"])
    reasons = Section(heading="Reasons", claims=[grew])
    report = rest_on_what_holds(Report(title="A", answer=answer, sections=[reasons]), None, "en")
    assert report.answer
    assert [(claim.text, claim.rests_on) for claim in report.answer.claims] == [
        ("Buy it.", ["growth"])
    ]
    assert report.answer.remarks == [
        "Horizon: a year",
        en("decision-leaner", text="Buy it.", n=1),
        en("decision-baseless", text="Buy it now.", n=1),
    ]


def test_sentence_left_out_for_its_number_is_not_said_not_to_hold() -> None:
    grew = cite("It grew.", id="growth")
    bases = ("growth", "gone", "eleven", "twelve")
    answer = Section(heading="Decision", claims=[conclude("Buy it.", *bases)])
    reasons = Section(heading="Reasons", claims=[grew])
    left = [OwnNumber(text=f"At {n}% it is dear.", figures=[n], id=n) for n in bases[2:]]
    said = recommend([grew], [grew]).model_copy(update={"own_numbers": left})
    report = rest_on_what_holds(Report(title="A", answer=answer, sections=[reasons]), said, "en")
    assert report.answer
    assert report.answer.remarks == [en("decision-leaner", text="Buy it.", n=1, own=2)]


def test_assumption_on_which_nothing_rests_any_more_is_left_out() -> None:
    used, idle = (
        Claim(text=f"We assume {name}.", citations=[], assumed=True, id=name)
        for name in ("a rate", "a tax")
    )
    by_it = conclude("At that rate it is dear.", "a rate")
    answer = Section(heading="Decision", claims=[conclude("Avoid it.", "a rate")])
    sections = [Section(heading="Reasons", claims=[idle, used, by_it, cite("It grew.")])]
    report = leave_out_idle_assumptions(Report(title="A", answer=answer, sections=sections))
    assert report.sections[0].claims == [used, by_it, cite("It grew.")]
    assert report.answer == answer


def test_threshold_of_a_decision_is_called_its_own() -> None:
    said = recommend(reasons("supported"), reasons("supported"))
    line = "Earnings of 12.25 dollars a share."
    marked = mark_unfounded(
        said.model_copy(update={"what_would_change": [line]}), ["It grew."], "en", "2026-02-15"
    )
    assert marked.what_would_change == [en("figures-chosen", line=line, figures="12.25 dollars")]

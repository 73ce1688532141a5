"""Reading a report in the browser: what it says is the report, and each sentence leads to its quote."""

import re

import pytest
from playwright.async_api import Page, Route, expect

from contracts.base import Json
from contracts.report.report import Report
from contracts.words import say
from tests.page.conftest import Visitor, find_barriers, forget_questions, measure_overflow
from tests.page.words import like, t
from tests.support.stack import Undisturbed, Whole
from tests.support.words import en

RUN = "/runs/"
LOOSE = """numbers => numbers.filter(number => {
    const texts = document.createTreeWalker(number.closest(".report"), NodeFilter.SHOW_TEXT);
    let word = null;
    for (let node = texts.nextNode(); node && !number.contains(node); node = texts.nextNode())
        if (node.data.trim() && !node.parentElement.closest(".note-number")) word = node;
    const place = document.createRange();
    const end = word.data.trimEnd().length;
    place.setStart(word, end - 1);
    place.setEnd(word, end);
    return number.getBoundingClientRect().top > place.getBoundingClientRect().bottom;
}).length"""
"""Counts note numbers on another line than the word before them."""


@pytest.fixture
async def page(visitor: Visitor, undisturbed: Undisturbed) -> Page:
    """A tab with a finished report."""
    page = await visitor.open(f"/runs/{undisturbed.run.id}")
    await expect(page.locator(".report").first).to_be_visible()
    return page


@pytest.fixture
def report(undisturbed: Undisturbed) -> Report:
    """The report itself."""
    return Report.model_validate(undisturbed.outputs["validation"]["report"])


async def test_the_report_is_shown_whole_beside_its_time_and_cost(
    page: Page, report: Report, undisturbed: Undisturbed
) -> None:
    shown = page.locator(".report")
    await expect(shown.get_by_role("heading").first).to_have_text(report.title)
    for section in report.sections:
        await expect(shown.get_by_role("heading", name=section.heading, exact=True)).to_be_visible()
        for claim in section.claims:
            await expect(shown).to_contain_text(claim.text)
    cited = report.sections[0].claims[0].citations[0].source
    rows = page.locator(".source-list li")
    numbers = await rows.locator("> .figure:first-child").all_inner_texts()
    row = rows.nth(numbers.index(t("read.sources.number", n=cited)))
    assert int(await row.locator("> .figure:last-child > span").first.inner_text()) >= 1
    contents = page.get_by_role("navigation", name=t("read.contents"))
    await expect(contents.get_by_role("link", name=report.sections[0].heading)).to_be_visible()
    table = page.locator(".efforts")
    await expect(table).to_be_hidden()
    await page.get_by_text(t("read.cost")).click()
    await expect(table).to_be_visible()
    for phase in undisturbed.state.phases:
        await expect(table).to_contain_text(phase.title)
    await expect(table.locator("tfoot")).to_contain_text(str(len(undisturbed.paid)))
    cost = page.locator("details.cost")  # nothing was paid, and one sentence says what would be
    await expect(cost).to_contain_text(like("read.cost.offline", model=undisturbed.state.model))
    assert (await cost.inner_text()).count("$") == 1
    await expect(cost.get_by_text(t("read.cost.calls"))).to_have_count(0)


async def test_a_number_opens_its_quote_in_the_page_as_it_was_read(
    page: Page, report: Report, undisturbed: Undisturbed, whole: Whole
) -> None:
    claim = next(one for section in report.sections for one in section.claims if one.citations)
    [citation] = claim.citations
    sentence = page.locator(".report > p", has_text=claim.text).first
    await sentence.get_by_role("button", name=like("read.note.open")).first.click()
    note = page.locator(".note")
    await expect(note.locator("mark")).to_have_text(citation.quote)
    await expect(note.locator("mark")).to_be_in_viewport()
    source = (await whole.run(undisturbed.run.id).get("/sources")).json()["items"][
        citation.source - 1
    ]
    stored = re.compile(rf"/sources/{source['n']}#note-\d+$")
    link = note.get_by_role("link", name=t("read.stored.open"))
    await expect(link).to_have_attribute("href", stored)
    await expect(note).to_contain_text(source["url"])
    assert await find_barriers(page) == []
    assert await measure_overflow(page) <= 0
    await page.keyboard.press("Escape")
    await expect(note).to_have_count(0)


async def test_the_stored_page_marks_the_quote_and_leads_back_to_its_sentence(page: Page) -> None:
    await page.locator(".report").get_by_role("button", name=like("read.note.open")).first.click()
    await expect(page.locator(".note mark")).not_to_be_empty()  # the page's text has come
    quote = await page.locator(".note mark").inner_text()
    await page.locator(".note").get_by_role("link", name=t("read.stored.open")).click()
    stored = page.locator(".stored")
    await expect(stored.locator("mark")).to_have_text(quote)
    await expect(stored.locator("mark")).to_be_in_viewport()
    assert await find_barriers(page) == []
    assert await measure_overflow(page) <= 0
    await stored.get_by_role("link", name=t("read.stored.sentence")).click()
    await expect(page.locator(".note mark")).to_have_text(quote)
    await expect(page.locator(".report [aria-pressed=true]").first).to_be_in_viewport()


@pytest.mark.full
async def test_a_stored_page_is_text_and_nothing_else(page: Page, undisturbed: Undisturbed) -> None:
    hostile = "<script>document.title='x'</script><img src=x onerror=alert(1)>"
    where = f"**/v1/runs/{undisturbed.run.id}/sources/1/snapshot"
    await page.route(where, lambda route: route.fulfill(content_type="text/plain", body=hostile))
    await page.goto(page.url.split("/runs/")[0] + f"/runs/{undisturbed.run.id}/sources/1")
    await expect(page.locator(".stored-text")).to_have_text(hostile)
    await expect(page.locator(".stored-text *")).to_have_count(0)


@pytest.mark.full
async def test_each_number_stands_on_the_line_of_what_it_is_about(page: Page) -> None:
    numbers = page.locator(".report .note-number")
    for width in (1280, 700, 390, 340):
        await page.set_viewport_size({"width": width, "height": 860})
        assert await numbers.count() > 5
        assert await numbers.evaluate_all(LOOSE) == 0
    assert await measure_overflow(page) <= 0


@pytest.mark.full
async def test_three_things_are_compared_in_sight_on_a_phone(
    visitor: Visitor, whole: Whole
) -> None:
    cells: list[Json] = [{"text": "1,030 sq km of land (2012)", "citations": []} for _ in range(3)]
    rows: list[Json] = [{"label": "Irrigated land", "cells": [*cells]}]
    compared: Json = {"columns": ["Kenya", "Ethiopia", "Tanzania"], "rows": [*rows]}
    report: Json = {"title": "Irrigated land", "comparison": compared, "sections": []}
    given = {"synthesis": {"report": report}}
    run = await whole.start(definition="deep_research", given=given, only=["summary"])
    await run.ended()
    page = await visitor.open(f"/runs/{run.id}")
    await page.set_viewport_size({"width": 390, "height": 844})
    table = page.locator(".report .wide").first
    await expect(table.locator("th")).to_have_count(4)
    assert await table.evaluate("table => table.scrollWidth - table.clientWidth") <= 0


@pytest.mark.full
async def test_a_report_begins_with_its_title_and_its_first_section(
    page: Page, report: Report
) -> None:
    title = page.locator(".report > h2")
    first = page.get_by_role("heading", name=report.sections[0].heading, exact=True)
    boxes = [await part.bounding_box() for part in (title, first)]
    tops = [box["y"] for box in boxes if box]
    assert tops == sorted(tops)
    assert len(tops) == 2


@pytest.mark.full
async def test_report_begins_at_the_top_and_is_downloaded_without_scrolling(page: Page) -> None:
    await page.set_viewport_size({"width": 1280, "height": 900})
    title = await page.locator(".report > h2").bounding_box()
    assert title
    assert title["y"] <= 120
    numbers = page.locator(".report button.note-number")
    sizes = [await number.bounding_box() for number in (await numbers.all())[:5]]
    assert len(sizes) == 5
    assert all(box and min(box["width"], box["height"]) >= 24 for box in sizes)
    await page.set_viewport_size({"width": 390, "height": 844})
    opener = page.get_by_role("button", name=t("read.download"))
    await expect(opener).to_be_in_viewport(ratio=1)
    head, own = await page.locator(".run-head").bounding_box(), await opener.bounding_box()
    assert head
    assert own
    assert head["height"] <= own["height"] + 1  # one row: that it completed its report shows
    await opener.click()
    for link in await page.locator(".formats").get_by_role("link").all():
        await expect(link).to_be_in_viewport(ratio=1)
    assert await find_barriers(page) == []
    await page.keyboard.press("Escape")
    await expect(page.locator(".formats")).to_be_hidden()


async def test_on_paper_stands_what_is_read_alone(page: Page) -> None:
    await page.emulate_media(media="print")
    for hidden in (".header", ".controls", ".beside", ".further", ".contents"):
        await expect(page.locator(hidden).first).to_be_hidden()
    await expect(page.locator(".report").first).to_be_visible()
    await expect(page.locator(".report .note-number").first).to_be_visible()


@pytest.mark.full
async def test_its_growth_is_gone_through_change_by_change(page: Page) -> None:
    slider = page.get_by_role("slider", name=t("read.growth"))
    await expect(slider).to_have_attribute("aria-valuetext", t("read.growth.end"))
    whole = await page.locator(".report").inner_text()
    await slider.focus()
    await page.keyboard.press("Home")
    await expect(page.locator(".growth output")).to_contain_text(like("read.growth.at", n=1))
    await expect(page.locator(".report")).to_contain_text(t("draft"))
    assert len(await page.locator(".report").inner_text()) < len(whole)
    await page.keyboard.press("ArrowRight")
    await expect(page.locator(".report [data-new]").first).to_be_visible()
    above = page.locator(".reading > .notice")
    await expect(above).to_contain_text(like("read.growth.then", n=2))
    await above.get_by_role("button", name=t("read.growth.back")).click()
    await expect(slider).to_have_attribute("aria-valuetext", t("read.growth.end"))
    await expect(above).to_have_count(0)
    await expect(page.locator(".report")).not_to_contain_text(t("draft"))


@pytest.mark.full
async def test_the_report_is_downloaded_in_every_format(page: Page) -> None:
    opener = page.get_by_role("button", name=t("read.download"))
    links = page.locator(".formats").get_by_role("link")
    zips = [(t(f"read.download.{name}"), "zip") for name in ("folder", "archive")]
    files = (("PDF", "pdf"), ("Word", "docx"), ("Markdown", "md"), ("HTML", "html"))
    references = (("BibTeX", "bib"), ("RIS", "ris"), ("CSL-JSON", "csl.json"))
    for format, ending in (*files, *zips, *references):
        if not await links.first.is_visible():
            await opener.press("Enter")
        async with page.expect_download() as started:
            await links.get_by_text(format, exact=True).press("Enter")
        download = await started.value
        assert download.suggested_filename.endswith(ending)
        assert (await download.path()).stat().st_size > 100


async def test_download_that_fails_says_why_and_can_be_tried_again(
    page: Page, visitor: Visitor
) -> None:
    problem = {"type": "conflict", "code": "export-slow", "params": {"format": "pdf", "n": 30}}

    async def refuse(route: Route) -> None:
        await route.fulfill(status=409, json=problem)

    visitor.excuse("409")
    await page.route("**/report?format=pdf*", refuse)
    await page.get_by_role("button", name=t("read.download")).click()
    link = page.locator(".formats").get_by_role("link", name="PDF")
    await link.click()
    told = page.locator(".formats").get_by_role("alert")
    await expect(told).to_contain_text(en("export-slow", format="pdf", n=30))
    await page.unroute("**/report?format=pdf*")
    async with page.expect_download() as started:
        await link.click()
    assert (await started.value).suggested_filename.endswith(".pdf")
    await expect(told).to_have_count(0)


@pytest.mark.full
async def test_a_follow_up_is_a_run_that_asks_first(
    page: Page, whole: Whole, undisturbed: Undisturbed
) -> None:
    await page.get_by_label(t("read.followup")).fill("And Uganda?")
    await page.locator(".further").get_by_role("button", name=t("read.followup.send")).click()
    await page.wait_for_url(lambda url: RUN in url and undisturbed.run.id not in url)
    run = whole.run(page.url.rpartition("/")[2])
    assert (await run.state()).parent == undisturbed.run.id
    thread = page.locator(".thread")
    await expect(thread).to_contain_text(t("run.follows"))
    await thread.get_by_role("link", name=undisturbed.state.query).click()
    await page.wait_for_url(lambda url: undisturbed.run.id in url)
    await expect(page.locator(".thread")).to_have_count(0)


@pytest.mark.full
async def test_a_follow_ups_report_keeps_the_question_before_it_and_shows_what_is_new(
    visitor: Visitor, whole: Whole, undisturbed: Undisturbed
) -> None:
    started = await whole.run(undisturbed.run.id).post("/follow-up", {"query": "And Uganda?"})
    run = whole.run(started.json()["run_id"])
    await run.approve()
    await run.completed()
    page = await visitor.open(f"/runs/{run.id}")
    await expect(page.locator(".thread")).to_contain_text(undisturbed.state.query)
    since = page.locator(".since")
    new = page.locator(".report [data-new]", has_text="Uganda")
    await expect(new).to_have_count(0)
    await since.locator("summary").press("Enter")
    told = since.get_by_role("listitem").locator("ins")
    await expect(told.filter(has_text="Irrigated land, Uganda").first).to_be_visible()
    await since.get_by_role("button", name=t("read.since.mark")).press("Enter")
    await expect(new.first).to_be_visible()
    await expect(
        page.locator(".report [data-new]", has_text="Irrigated land, Kenya")
    ).to_have_count(0)
    assert await find_barriers(page) == []
    assert await measure_overflow(page) <= 0


@pytest.mark.full
async def test_a_question_is_answered_below_the_report_and_its_quotes_open_beside_it(
    page: Page, whole: Whole, undisturbed: Undisturbed
) -> None:
    question = "How much irrigated land has Kenya?"
    await page.get_by_label(t("read.followup")).fill(question)
    await page.get_by_role("button", name=t("read.question.send")).click()
    answer = page.locator(".asked article", has_text=question)
    await expect(answer.locator(".report .note-number").first).to_be_visible()
    assert undisturbed.run.id in page.url, "one goes on reading"
    await expect(page.get_by_label(t("read.followup"))).to_have_value("")
    number = answer.locator(".note-number").first
    await number.click()
    await expect(number).to_have_attribute("aria-pressed", "true")
    marked = await page.locator(".note mark").inner_text()
    assert marked in await page.locator(".note blockquote").inner_text()
    await page.keyboard.press("Escape")
    await expect(number).to_be_focused()
    assert await find_barriers(page) == []
    assert await forget_questions(whole, undisturbed.run.id) == [question]


@pytest.mark.full
async def test_remarks_stand_beside_their_sentences_until_a_follow_up_heeds_them(
    page: Page, whole: Whole, undisturbed: Undisturbed
) -> None:
    await page.get_by_role("button", name=t("read.remarks.open")).click()
    mark = page.locator(".report .remark-on")
    await mark.first.focus()
    await page.keyboard.press("Enter")
    dialog = page.get_by_role("dialog")
    await expect(dialog.locator("blockquote")).to_be_visible()
    title = dialog.get_by_role("heading", level=2)
    await expect(title).to_have_text(t("read.remark.title.edit"))
    await dialog.get_by_label(t("read.remark.outdated")).check()
    await expect(title).to_have_text(t("read.remark.title.remark"))
    await dialog.get_by_label(t("read.remark.note")).fill("There are <b>newer</b> figures.")
    await dialog.get_by_label(t("read.remark.edit")).check()
    await dialog.get_by_label(t("read.remark.outdated")).check()
    await expect(dialog.get_by_label(t("read.remark.note"))).not_to_have_value("")
    assert await find_barriers(page) == []
    await dialog.get_by_role("button", name=t("read.remark.keep")).click()
    await page.reload()
    kept = page.locator(".report .remark-on")
    await expect(kept.first).to_have_text(t("read.remark.outdated"))
    told = filter(None, await kept.all_inner_texts())
    assert {*told} == {t("read.remark.outdated")}, "in the text and among the findings"
    await page.get_by_role("button", name=t("read.remarks.follow", n=1)).click()
    await page.wait_for_url(lambda url: RUN in url and undisturbed.run.id not in url)
    run = whole.run(page.url.rpartition("/")[2])
    assert (await run.state()).query == say("en", "remarks-query")


@pytest.mark.full
async def test_a_report_of_the_stand_in_says_above_it_that_it_is_no_answer(page: Page) -> None:
    told = page.locator(".report .notice").filter(has_text=t("read.offline"))
    await expect(told).to_be_in_viewport()


async def test_a_sentence_is_edited_from_what_it_rests_on_and_its_undo_closes_its_note(
    page: Page,
) -> None:
    sentence = page.locator(".report > p [data-pressable]").first
    await sentence.click(position={"x": 6, "y": 6})  # its words, not its number
    panel = page.locator(".note")
    await panel.get_by_role("button", name=t("read.sentence.edit")).click()
    dialog = page.get_by_role("dialog", name=t("read.remark.title.edit"))
    words = dialog.get_by_label(t("read.edit.text"))
    await expect(words).to_be_focused()
    former = await words.input_value()
    await page.keyboard.type(" So it is.")
    await expect(words).to_have_value(f"{former} So it is.")
    await expect(dialog).to_contain_text(t("read.edit.unchecked"))
    await words.fill("Water is scarce, say all.")
    await dialog.get_by_role("button", name=t("read.edit.save")).click()
    bar = page.locator(".edit-bar")
    await expect(bar).to_contain_text(t("read.edit.saved"))
    await expect(page.locator(".report")).to_contain_text("Water is scarce, say all.")
    await expect(panel).to_have_count(0)
    mark = page.locator(".report .claim em.frame").first
    assert await mark.evaluate("mark => mark.getClientRects().length") == 1
    await expect(mark).to_have_text(f"({say('en', 'mark-edited_unchecked')})")
    await page.locator(".report .claim em.frame + button").first.click()
    await expect(panel).to_be_visible()
    await bar.get_by_role("button", name=t("read.edit.undo")).click()
    await expect(page.locator(".report")).not_to_contain_text("Water is scarce, say all.")
    await expect(bar).to_have_count(0)
    await expect(panel).to_have_count(0)
    await expect(sentence.locator("button.note-number").first).to_be_focused()


async def test_a_sentence_is_asked_about_from_what_it_rests_on(page: Page) -> None:
    sentence = page.locator(".report > p [data-pressable]").first
    text = (await sentence.inner_text())[:30]
    await sentence.click(position={"x": 6, "y": 6})  # its words, not its number
    await page.locator(".note").get_by_role("button", name=t("read.sentence.ask")).click()
    box = page.get_by_label(t("read.followup"))
    await expect(box).to_be_focused()
    assert text[:20] in await box.input_value()
    bar = page.locator(".edit-bar")
    await page.get_by_role("button", name=t("read.remarks.open")).click()
    await expect(bar).to_contain_text(t("read.remarks.mode"))
    await page.keyboard.press("Escape")
    await expect(bar).to_have_count(0)


async def _begin_edit(page: Page, words: str) -> None:
    """Write other words for a report's first sentence, and do not save them."""
    await page.locator(".report > p [data-pressable]").first.click(position={"x": 6, "y": 6})
    await page.get_by_role("button", name=t("read.sentence.edit"), exact=True).click()
    await page.get_by_label(t("read.edit.text")).fill(words)


@pytest.mark.full
async def test_an_undo_that_was_refused_is_another_attempt_when_pressed_again(
    visitor: Visitor, page: Page, undisturbed: Undisturbed
) -> None:
    visitor.excuse("409")
    await _begin_edit(page, "Water is dear.")
    await page.get_by_role("button", name=t("read.edit.save")).click()
    keys: list[str] = []

    async def refuse_once(route: Route) -> None:
        keys.append(route.request.headers["idempotency-key"])
        await (route.fulfill(status=409) if len(keys) == 1 else route.continue_())

    await page.route(f"**/v1/runs/{undisturbed.run.id}/edit", refuse_once)
    bar = page.locator(".edit-bar")
    undo = bar.get_by_role("button", name=t("read.edit.undo"))
    await undo.click()
    await expect(bar.get_by_role("alert")).to_be_visible()
    await undo.click()
    await expect(bar).to_have_count(0)
    await expect(page.locator(".report").first).not_to_contain_text("Water is dear.")
    assert len({*keys}) == len(keys) == 2


@pytest.mark.full
async def test_of_two_tabs_that_edit_one_sentence_the_second_is_told_and_shows_the_first(
    visitor: Visitor, page: Page, undisturbed: Undisturbed
) -> None:
    other = await visitor.open(f"/runs/{undisturbed.run.id}")
    await _begin_edit(page, "Water is dear.")
    await _begin_edit(other, "Water is cheap.")
    save = t("read.edit.save")
    await page.get_by_role("button", name=save).click()
    await expect(page.locator(".report")).to_contain_text("Water is dear.")
    await other.bring_to_front()
    await other.get_by_role("button", name=save).click()
    dialog = other.get_by_role("dialog")
    await expect(dialog.get_by_role("alert")).to_be_visible()
    await expect(dialog.get_by_label(t("read.edit.text"))).to_have_value("Water is cheap.")
    await expect(other.locator(".report").first).to_contain_text("Water is dear.")
    await page.bring_to_front()
    await page.locator(".edit-bar").get_by_role("button", name=t("read.edit.undo")).click()
    await expect(page.locator(".report").first).not_to_contain_text("Water is dear.")
    visitor.excuse("409")


@pytest.mark.full
async def test_sentence_is_edited_and_restored_where_it_stands(page: Page, report: Report) -> None:
    former = report.sections[0].claims[0].text
    opener = page.get_by_role("button", name=t("read.remarks.open"))
    await opener.press("Enter")
    await expect(page.locator(".report .remark-on").first).to_be_focused()
    await expect(page.locator(".report .remark-on").first).to_be_in_viewport()
    await page.locator(".report > p .remark-on").first.press("Enter")
    dialog = page.get_by_role("dialog")
    await dialog.get_by_label(t("read.remark.edit")).press("Space")
    await expect(dialog).to_contain_text(t("read.edit.unchecked"))
    await dialog.get_by_label(t("read.edit.text")).fill("<i>Water</i> is scarce.")
    assert await find_barriers(page) == []
    await dialog.get_by_role("button", name=t("read.edit.save")).press("Enter")
    edited = page.locator(".report > p", has_text="<i>Water</i> is scarce.")
    await expect(edited).to_contain_text(say("en", "mark-edited_unchecked"))
    await edited.locator("em.frame + button").first.click()
    await expect(page.locator(".note")).to_contain_text(former)
    await page.keyboard.press("Escape")
    await edited.locator(".remark-on").first.press("Enter")
    await dialog.get_by_role("button", name=t("read.edit.restore")).press("Enter")
    await expect(page.locator(".report > p", has_text=former).first).to_be_visible()
    await expect(page.locator(".report").first).not_to_contain_text("scarce")


@pytest.mark.full
async def test_what_would_change_a_decision_is_a_question_to_follow_it_up(
    visitor: Visitor, whole: Whole
) -> None:
    change = "A share's price below $150 <b>or</b> 20 times what it earns."
    decided = {"what_would_change": [change, "A new tax."]}
    report = {"title": "Apple", "sections": [{"heading": "Growth", "remarks": ["It grew."]}]}
    run = await whole.start(
        "Is Apple worth buying?",
        definition="investment_analysis",
        inputs={"ticker": "AAPL", "news_limit": 0},
        given={"investment": {"decision": decided, "report": report}},
    )
    await run.ended()
    page = await visitor.open(f"/runs/{run.id}")
    await page.get_by_role("button", name=change, exact=True).click()
    box = page.get_by_label(t("read.followup"))
    await expect(box).to_be_focused()
    await expect(box).to_have_value(asks := t("read.followup.ask", change=change))
    await page.locator(".further").get_by_role("button", name=t("read.followup.send")).click()
    await page.wait_for_url(lambda url: RUN in url and run.id not in url)
    further = whole.run(page.url.rpartition("/")[2])
    await further.recorded()
    follower = await further.state()
    assert (follower.parent, follower.query) == (run.id, asks)


async def test_a_run_that_failed_says_why_and_is_run_again_from_there(
    visitor: Visitor, whole: Whole
) -> None:
    run = await whole.planned()
    await whole.providers.told({"status": 401, "times": 10_000, "match": {"service": "model"}})
    plan = await run.approve()
    await run.ended()
    why = like("model-status", status=401)
    page = await visitor.open(f"/runs/{run.id}/work")
    await expect(page.locator(".feed")).to_contain_text(t("work.unfinished"))
    await expect(page.locator(".word", has_text=why).first).to_be_visible()
    assert await page.locator(".call[data-open]").count() == 0  # nothing looks as if it went on
    await page.get_by_role("link", name=t("run.report"), exact=True).click()
    shown = page.locator(".read-none")
    await expect(shown).to_contain_text(re.compile(f"{t('kind-research')}: {why.pattern}"))
    await expect(shown).not_to_contain_text(
        str(plan.plan_hash)
    )  # decisions are shown with the plan
    # there is nothing to change
    await expect(shown.get_by_label(t("read.followup"))).to_have_count(0)
    await expect(shown.get_by_label(t("read.redo"))).to_have_value("research")
    await whole.providers.told()
    await shown.get_by_role("button", name=t("read.redo.send"), exact=True).click()
    await page.wait_for_url(lambda url: RUN in url and run.id not in url)
    again = whole.run(page.url.rpartition("/")[2])
    assert (await again.state()).parent == run.id
    visitor.excuse("404")


@pytest.mark.full
async def test_a_report_says_above_it_what_was_left_out_and_why(
    visitor: Visitor, whole: Whole
) -> None:
    chosen = ["recall", "clarification", "planning", "checkpoint", "research", "synthesis"]
    run = await whole.start(only=chosen)
    await run.answer()
    await run.approve()
    state = await run.ended()
    page = await visitor.open(f"/runs/{run.id}")
    lacks = page.locator(".reading .notice")
    assert state.notices
    for notice in state.notices:
        await expect(lacks.filter(has_text=notice.text)).to_have_count(1)
    left = [t("kind-validation", "de"), t("kind-summary", "de")]
    await page.get_by_label(t("nav.language")).select_option("de")
    german = like(state.notices[0].code, "de", phase=left)
    await expect(lacks.filter(has_text=german)).to_have_count(1)
    await page.get_by_label(t("nav.language", "de")).select_option("en")
    await expect(page.get_by_label(t("read.redo"))).to_have_value("validation")
    assert await find_barriers(page) == []


@pytest.mark.full
async def test_a_run_that_was_rejected_says_why_and_begins_again_at_its_plan(
    visitor: Visitor, whole: Whole
) -> None:
    run = await whole.planned()
    await run.post("/decision", {"action": "reject", "feedback": "Too narrow for us."})
    await run.ended()
    page = await visitor.open(f"/runs/{run.id}")
    await expect(page.locator(".run-head .status")).to_have_text(t("status.rejected"))
    await expect(page.get_by_role("button", name=t("read.download"))).to_have_count(0)
    shown = page.locator(".read-none")
    await expect(shown).to_contain_text(t("read.missing.rejected"))
    reason = shown.locator("figure")
    await expect(reason.locator("blockquote")).to_have_text("Too narrow for us.")
    await expect(reason.locator("figcaption")).to_contain_text(f"{t('decision.reject')} · ")
    await expect(shown.get_by_label(t("read.redo"))).to_have_value("planning")
    await shown.get_by_role("button", name=t("read.redo.send"), exact=True).click()
    await page.wait_for_url(lambda url: RUN in url and run.id not in url)
    await whole.run(page.url.rpartition("/")[2]).asks("decision")
    visitor.excuse("404")


@pytest.mark.full
async def test_a_run_that_was_rejected_at_a_step_begins_again_at_its_steps(
    visitor: Visitor, whole: Whole
) -> None:
    asks = {"control": {"config": {"checkpoint_before_step": True}}}
    run = await whole.start(definition="deep_research_hitl", config_overrides=asks)
    shown = await run.approve()
    await run.asks("decision", after=shown.checkpoint_id)
    page = await visitor.open(f"/runs/{run.id}")
    await page.get_by_role("button", name=t("approve.step.reject"), exact=True).click()
    await expect(page.get_by_text(t("approve.step.stop.sure"))).to_be_visible()
    await page.get_by_role("button", name=t("approve.step.stop.yes")).click()
    missing = page.locator(".read-none")
    await expect(missing).to_contain_text(t("read.missing.rejected"))
    await expect(missing.get_by_label(t("read.redo"))).to_have_value("control")
    visitor.excuse("404")


@pytest.mark.full
async def test_a_run_that_was_stopped_between_two_steps_goes_on_at_the_second(
    visitor: Visitor, whole: Whole
) -> None:
    run = await whole.start(definition="deep_research_full_hitl")
    shown = await run.approve()
    gate = await run.asks("decision", after=shown.checkpoint_id)
    page = await visitor.open(f"/runs/{run.id}")
    await page.get_by_role("button", name=t("approve.step.reject"), exact=True).click()
    await page.get_by_role("button", name=t("approve.step.stop.yes")).click()
    again = page.get_by_label(t("read.redo"))
    assert gate.plan
    step = gate.plan.steps[1].name
    await expect(again.locator("option:checked")).to_have_text(t("read.redo.step", step=step))
    await page.get_by_role("button", name=t("read.redo.send"), exact=True).click()
    await page.wait_for_url(lambda url: run.id not in url)
    second = whole.run(page.url.rpartition("/")[2])
    assert (await second.asks("decision")).done_steps == [1]
    steps = [e.plan_step for e in await second.events("AgentInput")]
    assert "step-1" not in steps, "nothing is paid twice"
    visitor.excuse("404")


@pytest.mark.full
async def test_a_run_whose_question_nobody_answered_begins_again_at_it(
    visitor: Visitor, whole: Whole
) -> None:
    await whole.providers.told({"mode": "refuse", "times": 10_000, "match": {"service": "model"}})
    run = await whole.start(config_overrides={"clarification": {"config": {"wait_seconds": 1}}})
    state = await run.ended()
    assert (state.status, state.decisions) == ("rejected", [])
    page = await visitor.open(f"/runs/{run.id}")
    await expect(page.get_by_label(t("read.redo"))).to_have_value("clarification")
    visitor.excuse("404")


@pytest.mark.full
async def test_a_run_is_run_again_from_a_phase(
    page: Page, whole: Whole, undisturbed: Undisturbed
) -> None:
    await page.get_by_label(t("read.redo")).select_option(t("kind-summary"))
    await page.get_by_role("button", name=t("read.redo.send"), exact=True).click()
    await page.wait_for_url(lambda url: RUN in url and undisturbed.run.id not in url)
    run = whole.run(page.url.rpartition("/")[2])
    state = await run.completed()
    assert {phase.usage.calls for phase in state.phases if phase.id != "summary"} == {0}


@pytest.mark.full
async def test_a_list_that_goes_on_out_of_sight_says_by_how_many(page: Page) -> None:
    await page.set_viewport_size({"width": 1280, "height": 300})
    list_ = page.locator(".beside")
    await expect(list_).to_contain_text(t("read.cost"))  # the last part that comes
    sign = list_.locator(".more-below")
    below = """list => {
        const bottom = Math.min(list.getBoundingClientRect().bottom, innerHeight);
        const items = [...list.querySelectorAll(".source-list li")];
        return items.filter(item => item.getBoundingClientRect().bottom > bottom).length;
    }"""
    more = await list_.evaluate(below)
    assert more > 0
    await expect(sign).to_have_text(f"↓ {t('list.sources', n=more)}")
    edges = "({bottom}) => Math.min(bottom, innerHeight)"
    box = await list_.evaluate(f"list => ({edges})(list.getBoundingClientRect())")
    assert await sign.evaluate("sign => sign.getBoundingClientRect().bottom") == pytest.approx(
        box, abs=1
    )
    await sign.get_by_role("button", include_hidden=True).click()
    assert await list_.evaluate("list => list.scrollTop") > 0
    await list_.evaluate("list => { list.scrollTop = list.scrollHeight; }")
    await expect(sign).to_be_hidden()


@pytest.mark.full
async def test_a_hostile_question_stays_words_in_plan_and_report(
    visitor: Visitor, whole: Whole
) -> None:
    query = "Is <img src=x onerror=alert(1)> [a](javascript:alert(1)) bigger than Norway?"
    run = await whole.start(query)
    await run.answer()
    await run.approve()
    await run.ended()
    page = await visitor.open(f"/runs/{run.id}")
    await expect(page.locator(".report, .read-none").first).to_be_visible()
    assert await page.locator("#content img").count() == 0
    assert await page.locator("a[href^=javascript]").count() == 0


QUOTED: Json = {"citations": [{"source": 1, "quote": "Diesel is dear"}], "verdict": "supported"}
MARKED: list[Json] = [
    {"text": "Kenya comes first.", "citations": [], "rests_on": ["share"], "verdict": "supported"},
    {**QUOTED, "text": "Its share is 4.5 %.", "id": "share"}
    | {"expression": "9 / 200 * 100", "working": "9 / 200 * 100 = 4.5"},
    {**QUOTED, "text": "Diesel is dear.", "verdict": "partly", "reason": "only for 2020"},
    {**QUOTED, "text": "Land is scarce <script>alert(1)</script> [x](javascript:alert(1))."},
]


async def test_judgements_computed_figures_and_doubts_look_different_and_show_their_basis(
    visitor: Visitor, whole: Whole
) -> None:
    report = {"title": "Pumps", "sections": [{"heading": "In short", "claims": MARKED}]}
    run = await whole.start(only=["summary"], given={"synthesis": {"report": report}})
    await run.ended()
    page = await visitor.open(f"/runs/{run.id}")
    claims = page.locator(".report > p .claim")
    await expect(claims).to_have_text(
        [
            re.compile(rf"Kenya comes first\.\W*{t('concluded-from')} \d$"),
            re.compile(r"Its share is 4.5 %\.\W*\d$"),
            re.compile(f"Diesel is dear.*{t('mark-partly')}", re.DOTALL),
        ]
    )
    marks = [await claim.get_attribute("data-mark") for claim in await claims.all()]
    assert marks == ["judged", "computed", "doubtful"]
    looks = "claim => getComputedStyle(claim).background + getComputedStyle(claim).textDecoration"
    assert len({await claim.evaluate(looks) for claim in await claims.all()}) == 3
    await page.emulate_media(forced_colors="active")
    without_colour = "claim => getComputedStyle(claim).textDecorationStyle"
    assert len({await claim.evaluate(without_colour) for claim in await claims.all()}) == 3
    await page.emulate_media(forced_colors="none")
    note = page.locator(".note")
    await claims.nth(0).get_by_role("button").click()
    await expect(note).to_contain_text(f"{t('basis')}: Its share is 4.5 %.")
    await note.get_by_role("button", name=t("read.note.open", n=2)).click()
    await expect(note).to_contain_text("9 / 200 × 100 = 4.5")
    assert await find_barriers(page) == []
    await page.keyboard.press("Escape")
    await expect(page.locator(".legend li")).to_have_count(3)
    assert await page.locator(".report script, .report a[href^=javascript]").count() == 0


async def _retry_chart(page: Page) -> None:
    """Open a report whose charts cannot be loaded, and load the first one again."""
    await page.route("**/artifacts/*", lambda route: route.fulfill(status=404))
    await page.reload()
    report = page.locator(".report")
    await expect(report.get_by_role("alert").first).to_be_visible()
    await page.unroute("**/artifacts/*")
    await report.get_by_role("button", name=t("state.retry")).first.click()
    await expect(report.locator("img").first).to_be_visible()


@pytest.mark.full
async def test_charts_are_drawn_and_whole_tables_are_a_link(visitor: Visitor, whole: Whole) -> None:
    run = await whole.start(
        "Is Apple worth buying?", definition="investment_analysis", inputs={"ticker": "AAPL"}
    )
    await run.ended()
    page = await visitor.open(f"/runs/{run.id}")
    charts = page.locator(".report img")
    await expect(charts.first).to_be_visible()
    drawn = "charts => charts.map(chart => chart.naturalWidth > 0 && chart.alt !== '')"
    assert all(await charts.evaluate_all(drawn))
    told = page.locator(".report .remark")  # only charts and tables have this remark, not the text
    await expect(
        told.get_by_text(
            f"{t('metric-revenue')}: {t('chart-in-billion', unit='USD')} · {t('chart-end-quarter')}"
        )
    ).to_be_visible()
    # the sample's news lean to no side
    await expect(told.get_by_text(t("news-tone-series"))).to_have_count(0)
    kept = max((await run.get("/artifacts")).json()["items"], key=lambda one: one["rows"])
    remark = say("en", "rows-shown", n=2, of=kept["rows"])

    async def shorten(route: Route) -> None:
        answer = await route.fetch()
        report = await answer.json()
        blocks = report["document"]["blocks"]
        table = next(block for block in blocks if block["type"] == "table")
        table |= {"artifact": kept["id"], "remark": remark}
        await route.fulfill(response=answer, json=report)

    await page.route("**/report?format=json*", shorten)
    visitor.excuse("404")
    await _retry_chart(page)
    link = page.locator(".report").get_by_role("link", name=remark)
    whole_table = await whole.http.get(str(await link.get_attribute("href")))
    assert len(whole_table.text.splitlines()) >= kept["rows"] > 0
    assert await measure_overflow(page) <= 0


LONG = "This sentence of the page goes on for a while and is one of many that follow. "
IN_SIGHT = """mark => {
    const [line] = mark.getClientRects(), boxes = [];
    for (let box = mark.closest(".scrolls"); box; box = box.parentElement.closest(".scrolls")) boxes.push(box);
    const head = document.querySelector(".note-head").getBoundingClientRect();
    const above = getComputedStyle(document.querySelector(".note-head")).position === "sticky" ? head.bottom : 0;
    return line.top >= above && boxes.every(box => {
        const {top, bottom} = box.getBoundingClientRect();
        return line.top >= top && line.bottom <= Math.min(bottom, innerHeight);
    });
}"""
"""Returns whether a quote's first line is in sight within all boxes around it."""
SCROLLING = """() => [...document.querySelectorAll(".beside, .beside *")].filter(one =>
    ["auto", "scroll"].includes(getComputedStyle(one).overflowY) && one.scrollHeight > one.clientHeight + 1).length"""


ABOVE_THE_SHEET = """() => {
    const said = document.querySelector(".report [aria-pressed=true]").closest("[data-pressable]").getBoundingClientRect();
    const [head, sheet] = [".header", ".beside"].map(part => document.querySelector(part).getBoundingClientRect());
    return said.top >= head.bottom && said.bottom <= sheet.top;
}"""
"""Returns whether the sentence of the open note is in sight between the page's header and the sheet."""


def _lengthen(found: object, start: int, text: str) -> None:
    """Have each quote of a report be a long text at another place of its page."""
    if isinstance(found, dict):
        if found.get("type") == "quote":
            found |= {"start": start, "end": start + len(text), "text": text}
        for part in found.values():
            _lengthen(part, start, text)
    elif isinstance(found, list):
        for part in found:
            _lengthen(part, start, text)


@pytest.mark.full
async def test_a_long_quote_and_its_sentence_are_in_sight_as_its_note_opens(page: Page) -> None:
    quote, start = LONG * 14, len(LONG) * 40

    async def change(route: Route) -> None:
        answer = await route.fetch()
        report = await answer.json()
        _lengthen(report, start, quote)
        first = next(b for b in report["document"]["blocks"] if b["type"] == "paragraph")
        first["sentences"][0]["notes"] *= 15  # more numbers than a line of a phone holds
        await route.fulfill(response=answer, json=report)

    await page.route("**/report?format=json*", change)
    await page.route("**/snapshot", lambda route: route.fulfill(body=LONG * 200))
    for width, height in ((1280, 700), (768, 1024), (390, 844), (360, 640)):
        await page.set_viewport_size({"width": width, "height": height})
        await page.reload()
        number = page.locator(".report > p button.note-number").last
        await number.evaluate("number => number.scrollIntoView({block: 'end'})")
        await number.click()
        mark = page.locator(".note mark")
        await expect(mark).to_have_text(quote)
        assert await mark.evaluate(IN_SIGHT), f"{width} px"
        if width > 600:
            continue
        assert await page.evaluate(ABOVE_THE_SHEET), f"{width} px"
        assert await page.evaluate("document.documentElement.scrollWidth - innerWidth") <= 0
        assert await page.evaluate(SCROLLING) == 1, "one thing scrolls: the sheet"
        sheet, more = page.locator(".beside"), page.locator(".beside .more-below button")
        before = await sheet.evaluate("sheet => sheet.scrollTop")
        await more.click()
        await page.wait_for_function(
            "before => document.querySelector('.beside').scrollTop > before + 50", arg=before
        )
        await expect(page.locator(".note").get_by_label(t("state.close"))).to_be_in_viewport()

"""A document is of the day that it states as its own."""

from datetime import UTC, datetime, timedelta

import pytest

from activities.parsing.html.reader import read_html
from activities.parsing.page_parser import PageParser
from activities.parsing.text.dates import find_latest_day, find_stated_day, mentions_new_year


@pytest.mark.parametrize(
    ("text", "day"),
    [
        ("Published: 2 May 2024", "2024-05-02"),
        ("**Last updated:** May 2, 2024", "2024-05-02"),
        ("Updated on 2024-05-02T10:00:00+02:00", "2024-05-02"),
        ("| Posted 2 May 2024, 10:30 am |", "2024-05-02"),
        ("Stand: 02.05.2024", "2024-05-02"),
        ("Publié le 2 mai 2024", "2024-05-02"),
        ("Actualizado: 2 de mayo de 2024", "2024-05-02"),
        ("Updated: 3 March 2020\nPublished: 1 March 2019", "2019-03-01"),
        (
            "---\ntitle: Prices\nlastmod: 2024-06-01\ndate: '2024-05-02'\n---\nThey fell.",
            "2024-05-02",
        ),
        ("+++\ndate = 2024-05-02T08:00:00Z\n+++\nThey fell.", "2024-05-02"),
        ("Date: 02/05/2024", None),
        ("Delivery date: 2026-03-02", None),
        ("The ferry sank on 3 March 2021.", None),
        ("Date: 2 May", None),
        ("Published: 2 May 2024 in London by us", None),
        ("Date: 2026-02-30", None),
    ],
)
def test_a_line_states_the_day_of_a_text(text: str, day: str | None) -> None:
    assert find_stated_day(text) == day


def test_tomorrow_in_auckland_is_a_day_and_the_day_after_is_not() -> None:
    latest = find_latest_day()
    assert latest == (datetime.now(UTC) + timedelta(hours=14)).date()
    assert find_stated_day(f"Date: {latest}") == latest.isoformat()
    assert find_stated_day(f"Date: {latest + timedelta(days=1)}") is None


async def test_a_page_may_be_of_tomorrow_in_auckland(parser: PageParser) -> None:
    latest = find_latest_day().isoformat()
    meta = f'<meta property="article:published_time" content="{latest}T07:00:00+13:00">'
    page = f"<html><head>{meta}</head><body><p>The council met.</p></body></html>"
    assert (await parser.read(page.encode(), "text/html")).published == latest


@pytest.mark.parametrize(
    ("stated", "day"),
    [
        ('<meta property="article:published_time" content="2024-01-01T07:00:00Z">', "2024-01-01"),
        ('<meta name="date" content="2024">', None),
        ('<meta name="copyright" content="2024 Pumps">', None),
    ],
)
async def test_a_year_alone_is_no_first_of_january(
    parser: PageParser, stated: str, day: str | None
) -> None:
    page = f"<html><head>{stated}</head><body><p>The council met.</p></body></html>"
    assert (await parser.read(page.encode(), "text/html")).published == day
    assert mentions_new_year(stated, "2024") is (day is not None)


async def test_front_matter_names_a_markdown_text(parser: PageParser) -> None:
    body = b'---\ntitle: "Prices, 2024"\nauthor: Ann Otieno\ndate: 2024-05-02\n---\n\n# Head\n\nThey fell.'
    parsed = await parser.read(body, "text/markdown")
    assert (parsed.title, parsed.author, parsed.published) == (
        "Prices, 2024",
        "Ann Otieno",
        "2024-05-02",
    )
    assert [section.heading for section in parsed.sections] == ["Head"]


@pytest.mark.parametrize(
    ("around", "day"),
    [
        ("<h1>Pumps</h1><p>23.01.2024</p>", "2024-01-23"),
        ("<p class=c>24. April 2024 | <a href=/>News</a></p><h1>Pumps</h1>", "2024-04-24"),
        ("<h1>Pumps</h1><dl><dt>Datum</dt><dd>12.01.2024</dd></dl>", "2024-01-12"),
        ("<h1>Pumps</h1><p>23 mai 2024, 13:43</p>", "2024-05-23"),
        ("<h1>Pumps</h1><p>They fell on 23 January 2024.</p>", None),
        ("<h1>Pumps</h1><p>23.01.2999</p>", None),
        ("<h1>Pumps</h1><p>Nairobi, 23. Januar 2024</p>", "2024-01-23"),
        ("<h1>Pumps</h1><p>Pressemitteilung vom 23.01.2024</p>", "2024-01-23"),
        ("<h1>Pumps</h1><p>Pump News • 23.01.2024</p>", "2024-01-23"),
        ("<h1>Pumps</h1><p>23. Januar 2024 | Farming, Water</p>", "2024-01-23"),
        ("<h1>Pumps</h1><p>23.01.2024 13:30 von Ann Otieno</p>", "2024-01-23"),
        ("<h1>Pumps</h1><p>Last revision: January 23, 2024</p>", "2024-01-23"),
        ("<h1>Pumps</h1><p>23.01.24</p>", "2024-01-23"),
        ("<h2>Pumps</h2><p>23 January 2024</p>", "2024-01-23"),
        (
            f"<h1>Pumps</h1><p>23.1.2024 - Pumps fell again, {'and again, ' * 30} they say.</p>",
            "2024-01-23",
        ),
        (
            f"<h1>Pumps</h1><p>Nairobi, (23.1.2024). Pumps fell {'again and ' * 30} again.</p>",
            "2024-01-23",
        ),
        ("<h1>Pumps</h1><p>Pump 2.10.24 is out</p>", None),
        ("<h1>Pumps</h1><p>Fair of pumps: 23.01.2024</p>", None),
        ("<h1>Pumps</h1><p>The contract of 23 January 2024</p>", None),
        ("<h1>Pumps</h1><p>23 January 2024 was a good day for pumps</p>", None),
        ("<h1>Pumps</h1><style>a{}</style><script>'23.01.2024'</script>", None),
    ],
)
def test_a_day_alone_at_the_heading_is_a_pages_own(around: str, day: str | None) -> None:
    page = f"<html><body><main>{around}<p>{'Two thirds live from farming. ' * 20}</p></main></body></html>"
    assert read_html(page, "text/html", "http://page.example/").published == day


@pytest.mark.parametrize(
    ("below", "day"),
    [
        ("<p>23.01.2024</p>", "2024-01-23"),
        ("<p>23.01.2024</p><footer>23 January 2024</footer>", "2024-01-23"),
        ("<p>23.01.2024</p><p>24.01.2024</p>", None),
        ("<p>Closing of the year ended</p><p>23.01.2024</p>", None),
        ("<p>They fell on 23 January 2024.</p>", None),
    ],
)
def test_the_only_day_that_stands_apart_far_from_the_heading_is_a_pages_own(
    below: str, day: str | None
) -> None:
    body = f"<h1>Pumps</h1>{'<p>They fell again, as farmers say.</p>' * 15}{below}"
    page = f"<html><body><main>{body}</main></body></html>"
    assert read_html(page, "text/html", "http://page.example/").published == day


@pytest.mark.parametrize(
    ("stated", "day"),
    [
        ('<meta name="date" content="2024-05-02">', "2024-01-23"),
        ('<meta property="og:updated_time" content="2024-05-02T08:00:00Z">', "2024-01-23"),
        ('<meta property="article:published_time" content="2024-05-02">', "2024-05-02"),
        ('<meta itemprop="datePublished" content="2024-05-02">', "2024-05-02"),
        (
            '<script type="application/ld+json">{"@type": "Article", "datePublished": "2024-05-02"}</script>',
            "2024-05-02",
        ),
    ],
)
def test_a_dateline_precedes_what_is_not_stated_as_the_day_of_publication(
    stated: str, day: str
) -> None:
    body = f"<h1>Pumps</h1><p>23.01.2024</p><p>{'Farming. ' * 60}</p>"
    page = f"<html><head>{stated}</head><body>{body}</body></html>"
    assert read_html(page, "text/html", "http://page.example/").published == day


@pytest.mark.parametrize(
    "shown",
    [
        *("23.01.2024 | Town hall", "23.01.2024, 19:30 Uhr | Rathaus", "Konzert | 23.01.2024"),
        *("23 January 2024 – Stadthalle Hamburg", "Admission free, 23 January 2024"),
    ],
)
def test_the_day_of_an_event_is_not_that_of_its_page(shown: str) -> None:
    body = f"<h1>Pumps</h1><p>{shown}</p><p>{'Farming. ' * 60}</p>"
    page = f"<html><body>{body}</body></html>"
    assert read_html(page, "text/html", "http://page.example/").published is None


def test_a_comments_day_gives_way_to_the_dateline() -> None:
    comment = (
        '<div class="comment"><time datetime="2024-05-02T03:36:11+02:00">2 May 2024</time></div>'
    )
    body = f"<h1>Pumps</h1><p>23.01.2024</p><p>{'Farming. ' * 60}</p>{comment}"
    page = f"<html><body>{body}</body></html>"
    assert read_html(page, "text/html", "http://page.example/").published == "2024-01-23"


def test_what_a_page_states_for_machines_precedes_its_heading() -> None:
    stated = '<meta property="article:published_time" content="2024-05-02T08:00:00Z">'
    page = f"<html><head>{stated}</head><body><h1>Pumps</h1><p>23.01.2024</p><p>{'Farming. ' * 60}</p></body></html>"
    assert read_html(page, "text/html", "http://page.example/").published == "2024-05-02"

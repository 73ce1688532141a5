"""Consent and login walls do not count as sources."""

import pytest

from activities.parsing.html.captcha_and_consent_walls import Wall, find_wall
from activities.parsing.page_parser import PageParser
from contracts.errors import FetchRefused
from contracts.evidence.read_failures import describe_failure
from contracts.notices import Notice

HUMAN = "Verifying you are human. This may take a few seconds. a.test needs to review the security."
COOKIES = (
    "We use cookies and data to deliver our services. If you choose “Accept all”, we measure"
    " engagement. Select “More options” to manage your settings, or “Reject all”."
)


@pytest.mark.parametrize(
    ("title", "text", "wall"),
    [
        ("Just a moment...", HUMAN, "robot_check"),
        ("a.test", HUMAN, "robot_check"),
        (
            "Attention Required! | Cloudflare",
            "Sorry, you have been blocked. Ray ID: 8a1",
            "robot_check",
        ),
        (
            "Access Denied",
            "You don't have permission to access this. Reference #18.2f34",
            "robot_check",
        ),
        ("Sicherheitsabfrage", "Zeigen Sie, dass Sie kein Roboter sind.", "robot_check"),
        ("Before you continue to Search", COOKIES, "consent"),
        ("Zustimmung", "Wir verwenden Cookies. Akzeptieren oder Einstellungen ändern?", "consent"),
        ("Prices", "You need to enable JavaScript to run this app.", "scripts"),
    ],
)
async def test_a_wall_is_refused_with_its_kind(
    parser: PageParser, title: str, text: str, wall: Wall
) -> None:
    assert find_wall(title, text) == wall
    page = f"<html><head><title>{title}</title></head><body><p>{text}</p></body></html>"
    with pytest.raises(FetchRefused) as refused:
        await parser.parse(page.encode(), "text/html", "", "https://a.test/")
    why = describe_failure(wall)
    assert refused.value.notice == Notice.of("fetch-unread", host="a.test", why=why)


@pytest.mark.parametrize(
    ("title", "text"),
    [
        ("Cookie policy", COOKIES),
        (
            "Robots at the port",
            "Police saw unusual activity at the quay; a robot was blocked because of it.",
        ),
        ("Just a moment in time", "The ferry left at noon."),
        (
            "Are you a robot? A history of the captcha",
            f"{HUMAN} " + "The test was made in 1997. " * 80,
        ),
        ("JavaScript in 2024", "Half of all pages use JavaScript."),
    ],
)
def test_a_page_about_walls_is_a_page(title: str, text: str) -> None:
    assert find_wall(title, text) is None

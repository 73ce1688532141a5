"""A message is read with its heads, its body once, and the messages attached to it."""

from email.message import EmailMessage

import pytest

from activities.parsing.document import Parsed
from activities.parsing.mail import MAX_DEPTH
from activities.parsing.read_document import read_document
from contracts.documents import UnreadPart
from contracts.media_types import EML, PLAIN


def message(body: str = "Pumps sell.", **heads: str) -> EmailMessage:
    made = EmailMessage()
    given = {"From": "Ann Otieno <ann@water.test>", "To": "ben@water.test", "Subject": "Größe"}
    for name, value in (given | heads).items():
        made[name.replace("_", "-")] = value
    made["Date"] = "Fri, 03 May 2024 10:00:00 +0200"
    made.set_content(body)
    return made


def read(made: EmailMessage | bytes) -> Parsed:
    return read_document(made if isinstance(made, bytes) else bytes(made), EML)


def test_heads_and_text_are_read() -> None:
    page = read(message())
    assert page.text.splitlines() == [
        *("Subject: Größe", "From: Ann Otieno <ann@water.test>", "To: ben@water.test"),
        *("Date: Fri, 03 May 2024 10:00:00 +0200", "", "Pumps sell."),
    ]
    assert (page.title, page.author, page.published) == ("Größe", "Ann Otieno", "2024-05-03")


def test_body_of_two_forms_is_read_once_as_it_is_shown() -> None:
    made = message("Price: 30 19 euros")
    made.add_alternative("<p>Price: <s>30</s> 19 euros</p><p hidden>no</p>", subtype="html")
    assert read(made).text.endswith("\n\nPrice: 19 euros")


def test_plain_body_is_read_where_the_other_is_empty() -> None:
    made = message("Pumps sell.")
    made.add_alternative("<img src='x'>", subtype="html")
    assert read(made).text.endswith("\n\nPumps sell.")


def test_attachments_are_named_and_attached_messages_read() -> None:
    made = message("See below.")
    made.add_attachment(b"%PDF-", maintype="application", subtype="pdf", filename="offer.pdf")
    made.add_attachment(message("The inner text.", Subject="Inner"))
    page = read(made)
    assert "Attachments: offer.pdf" in page.text
    assert "Subject: Inner" in page.text
    assert page.text.endswith("The inner text.")
    assert page.unread == (UnreadPart(code="attachments", count=1, names=["offer.pdf"]),)


def test_label_of_a_body_means_what_the_encoding_standard_says() -> None:
    raw = b"From: a@b.test\nSubject: S\nMIME-Version: 1.0\nContent-Type: text/plain; charset=iso-8859-1\n\n"
    assert read(raw + "Miete: 1.250 € – kalt".encode("cp1252")).text.endswith("1.250 € – kalt")


@pytest.mark.parametrize("label", ["", PLAIN, "application/octet-stream"])
def test_message_is_known_by_its_heads(label: str) -> None:
    assert read_document(bytes(message()), label).media_type == EML


def test_note_with_a_colon_is_no_message() -> None:
    text = "From: the harbour\nTo do: pumps\n\nDate: soon"
    assert read_document(text.encode(), PLAIN).text == text


def test_broken_heads_do_not_cost_the_text() -> None:
    raw = b"From: =?utf-8?b?!!!\nDate: soon\nSubject: =?x?q?=FF?=\nTo: <<>>\n\nPumps sell."
    assert read(raw).text.endswith("Pumps sell.")


def test_message_nested_too_deep_is_read_as_far_as_it_goes() -> None:
    made = message("deepest")
    for number in range(40):
        outer = message(f"level {number}")
        outer.add_attachment(made)
        made = outer
    page = read(made)
    assert "level 39" in page.text
    assert "deepest" not in page.text
    assert page.unread


def mixed(*parts: EmailMessage) -> EmailMessage:
    made = message("First.")
    made.make_mixed()
    for part in parts:
        made.attach(part)
    return made


def part(content: str | bytes, subtype: str = "plain") -> EmailMessage:
    made = EmailMessage()
    if isinstance(content, bytes):
        made.set_content(content, maintype="image", subtype="png", disposition="inline")
    else:
        made.set_content(content, subtype=subtype)
    return made


def test_every_text_in_a_message_is_read_and_each_of_its_forms_once() -> None:
    """As of mailing lists, which add a footer, and of texts around a picture."""
    both = part("We lost our largest customer.")
    both.add_alternative("<p>We lost our <b>largest</b> customer.</p>", subtype="html")
    page = read(mixed(part(b"png"), both, part("<p>Third.</p>", "html"), part("Fourth.")))
    texts = ["First.", "We lost our largest customer.", "Third.", "Fourth."]
    assert [each for each in page.text.splitlines() if each][4:] == texts
    assert page.unread == (UnreadPart(code="attachments", count=1, names=["image/png"]),)


def test_text_of_no_known_kind_is_told() -> None:
    page = read(mixed(part("BEGIN:VCALENDAR", "calendar")))
    assert page.unread == (UnreadPart(code="attachments", count=1, names=["text/calendar"]),)


def test_innermost_message_that_is_read_has_its_text() -> None:
    made = message("The innermost text.")
    for _ in range(MAX_DEPTH):
        outer = message("Forwarded.")
        outer.add_attachment(made)
        made = outer
    assert read(made).text.endswith("The innermost text.")
    outer = message("Forwarded.")
    outer.add_attachment(made)
    [unread] = read(outer).unread
    assert (unread.code, unread.count) == ("attachments", 1)

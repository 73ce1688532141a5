"""Encodings are read as a browser reads them, and broken bytes cost no more than themselves."""

import pytest

from activities.parsing.document import Unreadable
from activities.parsing.page_parser import PageParser
from activities.parsing.text.encodings import decode
from contracts.documents import UnreadPart
from tests.support.words import pattern

WORDS = "Überschwemmung in Köln: 3,5 °C – “so viel”"
PRICES = "Miete 1 250 € – „kalt“, später 900 €. "
CHINESE = "2024年港口货物吞吐量增长7.4%，营业收入为3.1亿元，员工1.2万人。"
TAIWANESE = "港口貨物吞吐量增長，營業收入為三億元，員工一萬人。價格上漲。"
JAPANESE = "売上高は前年比12%増の3兆4500億円、営業利益は567億円だった。"
KOREAN = "항만 물동량은 7.4% 증가했으며 매출은 3억 유로였다. 가격은 변함이 없다."
RUSSIAN = "Цена за единицу составляет 1 250 рублей в месяц, затем 900 рублей."
TURKISH = "Yıllık kira 1.250 TL, ığdır'da çok güzel bir şehir değil mi?"


@pytest.mark.parametrize(
    ("body", "charset"),
    [
        (WORDS.encode(), "utf-8"),
        (WORDS.encode(), "iso-8859-1"),
        (WORDS.encode(), "no-such-charset"),
        (WORDS.encode("cp1252"), "windows-1252"),
        (WORDS.encode("utf-8-sig"), ""),
        (WORDS.encode("utf-8-sig"), "iso-8859-1"),
        (WORDS.encode("utf-16"), ""),
        (b"\xfe\xff" + WORDS.encode("utf-16-be"), "utf-8"),
        (WORDS.encode("utf-16-le"), "utf-16-le"),
        (WORDS.encode("utf-16-be"), ""),
        (WORDS.encode("utf-16-le"), ""),
        (b'<meta charset="windows-1252">' + WORDS.encode("cp1252"), ""),
        (b'<meta http-equiv=x content="text/html; charset=cp1252">' + WORDS.encode("cp1252"), ""),
        (b'<?xml version="1.0" encoding="cp1252"?>' + WORDS.encode("cp1252"), ""),
        (b'<meta charset="windows-1252">' + WORDS.encode("cp1252"), "utf-8"),
        (b'<!--<meta charset="koi8-r">--><meta charset="cp1252">' + WORDS.encode("cp1252"), ""),
        (b'<meta charset="utf-16">' + WORDS.encode(), ""),
        (WORDS.encode("cp1252"), ""),
    ],
)
def test_a_charset_is_believed_unless_the_bytes_say_otherwise(body: bytes, charset: str) -> None:
    assert decode(body, charset).endswith(WORDS)


@pytest.mark.parametrize(
    ("label", "encoding", "words"),
    [
        ("iso-8859-1", "cp1252", PRICES),
        ("latin1", "cp1252", PRICES),
        ("us-ascii", "cp1252", PRICES),
        ("iso-8859-9", "cp1254", TURKISH + PRICES),
        ("gb2312", "gbk", CHINESE + "镕"),
        ("gbk", "gb18030", CHINESE + "𠀀"),
        ("shift_jis", "cp932", JAPANESE + "①㈱"),
        ("euc-jp", "euc_jis_2004", JAPANESE + "①"),
        ("iso-2022-jp", "iso2022_jp", JAPANESE),
        ("big5", "big5hkscs", TAIWANESE + "啲"),
        ("euc-kr", "cp949", KOREAN + "똠방각하"),
        ("iso-2022-kr", "iso2022_kr", KOREAN),
        ("hz-gb-2312", "hz", CHINESE),
        ("koi8-r", "koi8_r", RUSSIAN),
        ("windows-1251", "cp1251", RUSSIAN),
        ("tis-620", "cp874", "ราคา 1,250 บาท"),
        ("iso-8859-8-i", "iso8859_8", "המחיר הוא 1,250"),
        ("windows-1256", "cp1256", "السعر هو 1250 دولار"),
    ],
)
def test_a_label_means_what_the_encoding_standard_says(
    label: str, encoding: str, words: str
) -> None:
    body = words.encode(encoding)
    assert decode(body, label) == words
    if encoding not in {"iso2022_kr", "hz"}:
        assert decode(f"<meta charset={label}>".encode() + body).endswith(words)


@pytest.mark.parametrize(
    ("encoding", "words"),
    [
        ("gbk", CHINESE),
        ("big5", TAIWANESE),
        ("cp932", JAPANESE),
        ("euc_jp", JAPANESE),
        ("iso2022_jp", JAPANESE),
        ("euc_kr", KOREAN),
        ("cp1251", RUSSIAN),
        ("koi8_r", RUSSIAN),
        ("cp1252", PRICES),
        ("cp1250", "Zażółć gęślą jaźń, cena 50 zł – „tanio”"),
        ("cp1253", "Η τιμή είναι 1.250 € τον μήνα"),
        ("cp1254", TURKISH),
        ("cp1255", "המחיר הוא 1,250 שקלים בחודש"),
        ("cp1256", "السعر هو 1250 دولار في الشهر"),
        ("cp1257", "Kaina yra 1 250 eurų per mėnesį, šįmet žąsų"),
        ("cp874", "ราคา 1,250 บาทต่อเดือน"),
    ],
)
@pytest.mark.parametrize("ahead", ["", "<p class=a>Home</p>\n" * 6_000])
def test_an_unlabelled_encoding_is_guessed_from_all_of_a_text(
    encoding: str, words: str, ahead: str
) -> None:
    assert decode((ahead + words * 3).encode(encoding)) == ahead + words * 3


@pytest.mark.parametrize(
    "text",
    [
        "The fee for a berth was £4120 in 2024, after £3900.\n",
        "port,fee\nWesthaven,£4120\nEasthaven,£3900\n",
        "Under § 12 it is 45° and ±15 % of ½ the rate, ¥900.",
    ],
)
def test_signs_of_a_western_text_without_accents_are_no_letters(text: str) -> None:
    assert decode(text.encode("cp1252")) == text
    assert decode(f"<meta charset=utf-8>{text}".encode("cp1252")).endswith(text)


@pytest.mark.parametrize(
    ("charset", "meta", "good"),
    [("utf-8", "", 1), ("", "<meta charset=utf-8>", 5), ("", "", 30), ("iso-8859-1", "", 30)],
)
@pytest.mark.parametrize("bad", [b"\xfc", b"\xe2\x82", b"\xff"])
def test_a_broken_byte_costs_one_character(charset: str, meta: str, good: int, bad: bytes) -> None:
    body = f"{meta}Größe, 50 € ".encode() * good + bad + b" end"
    assert decode(body, charset) == f"{meta}Größe, 50 € " * good + "\ufffd end"


@pytest.mark.parametrize(
    ("label", "encoding", "words"),
    [("shift_jis", "cp932", JAPANESE), ("gb2312", "gbk", CHINESE), ("euc-kr", "euc_kr", KOREAN)],
)
def test_a_broken_byte_in_a_labelled_page_of_any_encoding_is_replaced(
    label: str, encoding: str, words: str
) -> None:
    text = decode(words.encode(encoding) + b"\x81 " + words.encode(encoding), label)
    assert text == f"{words}\ufffd {words}"


@pytest.mark.parametrize(
    "encoding", ["shift_jis", "iso-2022-jp", "euc_jp", "big5", "koi8_r", "gb18030"]
)
@pytest.mark.parametrize("label", ["utf-8", ""])
def test_a_text_of_another_encoding_is_not_taken_for_broken_utf_8(
    encoding: str, label: str
) -> None:
    words = {"koi8_r": RUSSIAN, "big5": TAIWANESE, "gb18030": CHINESE}.get(encoding, JAPANESE)
    assert decode(words.encode(encoding) * 3, label) == words * 3


@pytest.mark.parametrize("encoding", ["punycode", "idna", "unicode_escape", "utf-7"])
def test_an_encoding_that_browsers_do_not_know_is_ignored(encoding: str) -> None:
    """Python knows these too; a page of 5 MB would take an hour in punycode."""
    page = rb"caf\xe9-dma"
    assert decode(b"\x1b" + page, encoding) == decode(b"\x1b" + page, "")


def test_bytes_of_no_encoding_at_all_still_give_text() -> None:
    assert decode(bytes(range(128, 256)) * 10, "")


@pytest.mark.parametrize(
    "begins",
    [
        b"\x89PNG\r\n",
        b"%PDF-1.7",
        b"PK\x05\x06",
        b"GIF89a",
        b"7z\xbc\xaf'\x1c",
        b"SQLite format 3\x00",
    ],
)
def test_a_binary_file_is_refused(begins: bytes) -> None:
    with pytest.raises(Unreadable, match=pattern("failure.binary")):
        decode(begins)


def test_text_that_begins_like_a_binary_file_is_a_text() -> None:
    assert decode(b"BMW sells cars.") == "BMW sells cars."


@pytest.mark.parametrize("media_type", ["text/html", "text/plain", "text/markdown", "text/csv"])
async def test_a_document_says_how_many_of_its_characters_are_broken(
    parser: PageParser, media_type: str
) -> None:
    body = "Größe in München: 50 € für alle Straßen. ".encode() * 9
    parsed = await parser.read(body.replace(b"\x9f", b"", 1) + b"Gr\xfcn.", media_type)
    assert parsed.text.count("\ufffd") == 2
    assert parsed.unread == (UnreadPart(code="characters_broken", count=2, of=len(parsed.text)),)
    assert (await parser.read(body, media_type)).unread == ()

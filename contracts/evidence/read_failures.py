"""Reasons why a document cannot be read: codes with parameters, worded in `contracts.words`."""

from typing import Literal

from contracts.notices import Notice, NoticeParam

FormatName = Literal[
    "pdf",
    "word",
    "workbook",
    "slides",
    "ebook",
    "odt",
    "rtf",
    "message",
    "page",
    "table",
    "json",
    "office",
    "zip",
]
FailureCode = Literal[
    "empty",
    "too_large",
    "unopened",
    "format_unread",
    "name_unusable",
    "name_taken",
    "linked_outside",
    "no_file",
    "folder_replaced",
    "not_stored",
    "no_text",
    "no_text_in",
    "no_values",
    "scanned",
    "encrypted",
    "encrypted_by_shop",
    "cut_off",
    "broken",
    "broken_or_complex",
    "nested",
    "part_missing",
    "part_damaged",
    "part_nested",
    "part_not_xml",
    "part_entities",
    "parts_many",
    "part_large",
    "unpacks_large",
    "no_content",
    "tags_many",
    "attributes_many",
    "tags_nested",
    "robot_check",
    "consent",
    "scripts",
    "binary",
    "unknown",
    "picture",
    "sound",
    "video",
    "archive",
    "program",
    "font",
    "font_or_data",
    "save_as",
    "time",
    "memory",
    "input",
    "died",
    "crashed",
    "worker_died",
]


def describe_failure(code: FailureCode, **params: str | float) -> Notice:
    """Return why a document cannot be read, in words that go on from its name; `format` and `kind` are codes."""
    named: dict[str, NoticeParam] = {
        name: Notice.of(f"failure.{name}.{value}") if name in ("format", "kind") else value
        for name, value in params.items()
    }
    return Notice.of(f"failure.{code}", **named)

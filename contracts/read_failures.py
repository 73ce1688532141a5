"""Why a document cannot be read: a code with parameters, whose words are in `contracts.words`."""

from typing import Literal

from pydantic import Field

from contracts.base import Contract
from contracts.words import Language, Param, say

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


class ReadFailure(Contract):
    """Why a document cannot be read; each language has words for its code."""

    code: FailureCode
    params: dict[str, str | int | float] = Field(
        default={}, description="what the words name, by hole; `format` and `kind` are codes too"
    )

    @property
    def text(self) -> str:
        """Its English words."""
        return self.say("en")

    def say(self, language: Language) -> str:
        """Return its words in a language, as they go on from a document's name."""
        words: dict[str, Param] = {}
        for name, value in self.params.items():
            is_code = name in ("format", "kind")
            words[name] = say(language, f"failure.{name}.{value}") if is_code else value
            if isinstance(text := words[name], str):  # only English has this hole
                words[f"a_{name}"] = f"{'an' if text[:1] in 'AEIOaeio' else 'a'} {text}"
        return say(language, f"failure.{self.code}", **words)

"""Notices: a code with parameters that explains something to a reader; `contracts.words` has the words."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Annotated, Literal, TypeVar, Union

from pydantic import AfterValidator, Field

from contracts.base import Contract
from contracts.documents import UnreadPart
from contracts.words import CATALOGUES, Language, say

T = TypeVar("T", bound="str | Notice")
Severity = Literal["info", "warning", "error"]
Lack = Literal["no-report", "no-result"]
"""The replacement of a missing report: the phases' outputs, or only the head."""


def _know(code: str) -> str:
    if code not in CATALOGUES["en"]:
        raise ValueError("is no code of the catalogues in contracts/words")
    return code


Code = Annotated[str, AfterValidator(_know)]
"""A key of the catalogues."""
OptionalCode = Annotated[str, AfterValidator(lambda code: _know(code) if code else code)]
"""A key of the catalogues, or empty; a single type, because generated clients cannot distinguish two kinds of string."""
NoticeParam = Union[str, int, float, "Notice", Sequence[Union[str, "Notice"]]]
"""A plain text, a number, another notice, or a list of texts and notices."""


class Notice(Contract):
    """A message for readers: a code with parameters, worded in each language."""

    code: Code = Field(description="stable name, a key of the catalogues of words")
    params: Mapping[str, NoticeParam] = Field(
        default={}, description="what the words name, by hole"
    )
    severity: Severity = "warning"

    @classmethod
    def of(
        cls, code: str, severity: Severity = "warning", /, **params: NoticeParam | None
    ) -> "Notice":
        """Return the notice of a code with its parameters, without those that are None."""
        known = {name: value for name, value in params.items() if value is not None}
        return cls(code=code, params=known, severity=severity)

    @property
    def key(self) -> str:
        """The same for notices that say the same of the same, whatever their words are."""
        return self.model_dump_json(exclude={"severity"})

    @property
    def text(self) -> str:
        """Its English words."""
        return self.say("en")

    def say(self, language: Language) -> str:
        """Return its words in a language."""
        return say(language, self.code, **self.params)

    def includes(self, other: "Notice") -> bool:
        """Return whether it is another notice, or names that one."""
        values = self.params.values()
        lists = [[v] if isinstance(v, str | int | float | Notice) else v for v in values]
        parts = [part for each in lists for part in each if isinstance(part, Notice)]
        return self == other or any(part.includes(other) for part in parts)


Told = str | Notice
"""A human's or model's own text, or a notice of the product."""


def list_once(told: Iterable[T]) -> list[T]:
    """Return texts and notices in their order, each once."""
    found: list[T] = []
    for each in told:
        if each not in found:
            found.append(each)
    return found


def say_told(told: Told, language: Language) -> str:
    """Return a text unchanged, a notice in a language."""
    return told if isinstance(told, str) else told.say(language)


def join_notices(notices: Iterable[Notice], language: Language = "en") -> str:
    """Return notices in words, in a row."""
    return "; ".join(notice.say(language) for notice in notices)


def tell_unread_parts(name: str, parts: Iterable[UnreadPart]) -> str:
    """Return in words, for a model, the parts of a document that were not read."""
    return join_notices(tell_unread(name, part) for part in parts)


def tell_unread(name: str, part: UnreadPart) -> Notice:
    """Return the notice of a part of a document that was not read."""
    params: dict[str, NoticeParam] = {"name": name, "n": part.count}
    if part.of is not None:
        params["of"] = part.of
    if part.names:
        rest = ", …" if part.count > len(part.names) else ""
        params["names"] = ", ".join(part.names) + rest
    return Notice(code=f"unread-{part.code.replace('_', '-')}", params=params)

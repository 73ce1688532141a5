"""Classifies a model server's refusal as one of our errors: transient or final, and what to do about it."""

import re
from dataclasses import dataclass
from http import HTTPStatus

from activities.integrations.http.http_statuses import may_pass, parse_retry_after
from contracts.errors import GreenlightError, KeyRejected, ModelBusy, ModelRejected
from contracts.notices import Notice

LONGEST_RETRY_AFTER_SECONDS = 300.0
KEY_REFUSED = {HTTPStatus.UNAUTHORIZED, HTTPStatus.FORBIDDEN}

_TOO_LONG = re.compile(
    r"prompt is too long|exceed.{0,40}context|context (length|window|size|is \d)"
    r"|context_length_exceeded",
    re.IGNORECASE,
)
"""Wordings of Anthropic, OpenAI, llama.cpp and vLLM, which have no common error type for it."""
_NO_TOOLS = re.compile(
    r"(?:not|n't) support(?: \w+)? tools?\b"
    r"|\btools?\b[\w\s\"'`-]{0,40}(?:not supported|unsupported|requires? --)"
    r"|\bno\b[\w\s]{0,40}\bsupports? tool|\bno tool-call format",
    re.IGNORECASE,
)
"""Wordings of servers that accept no tools at all; others name the invalid field."""
_SPENT = {
    *("enforced_spend_limit_reached", "contract_spend_limit_reached"),
    *("insufficient_quota", "billing_hard_limit_reached"),
}
_MAY_BE_FORM = {HTTPStatus.BAD_REQUEST, HTTPStatus.UNPROCESSABLE_ENTITY}
_NAME = re.compile(r"[\w.:-]{1,60}")
"""Error names that may be shown; sentences are not, because they may quote the request."""


@dataclass(frozen=True)
class Refusal:
    """A server's error response to a model call."""

    status: int
    message: str = ""
    kind: str = ""
    code: str = ""
    request_id: str = ""
    retry_after: str = ""
    is_form_fault: bool = False
    """Whether its text, not its status, blames the request's format."""


def classify_refusal(refusal: Refusal, *, is_busy: bool | None = None) -> GreenlightError:
    """Return our error for a refusal; its status decides whether it is retryable, unless `is_busy` is given."""
    is_too_long = bool(_TOO_LONG.search(refusal.message) or _TOO_LONG.search(refusal.code))
    passing = may_pass(refusal.status) if is_busy is None else is_busy
    if passing and refusal.code not in _SPENT and not refusal.is_form_fault:
        wait = parse_retry_after(refusal.retry_after)
        return ModelBusy(_describe(refusal), wait and min(wait, LONGEST_RETRY_AFTER_SECONDS))
    if refusal.status in KEY_REFUSED:
        return KeyRejected(_describe(refusal, "key"))
    may_be_form = (refusal.status in _MAY_BE_FORM or refusal.is_form_fault) and not is_too_long
    takes_no_tools = may_be_form and _NO_TOOLS.search(refusal.message)
    told = _describe(refusal, "window" if is_too_long else "tools" if takes_no_tools else "")
    return ModelRejected(told, may_be_form=may_be_form, is_too_long=is_too_long)


def _describe(refusal: Refusal, hint: str = "") -> Notice:
    """Return what the provider answered, and a hint at what to do about it."""
    named = (name for name in (refusal.code, refusal.kind) if _NAME.fullmatch(name))
    return Notice.of(
        "model-status",
        status=refusal.status,
        name=next(named, "no error type"),
        request=refusal.request_id if _NAME.fullmatch(refusal.request_id) else None,
        hint=Notice.of(f"model-hint-{hint}") if hint else None,
    )

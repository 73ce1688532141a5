"""A refusal of a model's server as one of our errors: which may pass, which is final, and what is to be done about it."""

import re
from http import HTTPStatus

import anthropic

from activities.integrations.http_status import may_pass, parse_retry_after
from contracts.errors import GreenlightError, KeyRejected, ModelBusy, ModelRejected
from contracts.notices import Notice

LONGEST_RETRY_AFTER_SECONDS = 300.0

_BUSY_TYPES = {"overloaded_error", "rate_limit_error", "api_error", "timeout_error"}
_TOO_LONG = re.compile("prompt is too long|exceed.{0,40}context|context (length|window|size)")
"""How Anthropic, llama.cpp and vLLM say it, who have no error type for it in common."""
_NO_TOOLS = re.compile(
    r"(?:not|n't) support(?: \w+)? tools?\b"
    r"|\btools?\b[\w\s\"'`-]{0,40}(?:not supported|unsupported|requires? --)"
    r"|\bno\b[\w\s]{0,40}\bsupports? tool",
    re.IGNORECASE,
)
"""How servers say that they take none at all; one that does names the field of what is wrong."""
KEY_REFUSED = {HTTPStatus.UNAUTHORIZED, HTTPStatus.FORBIDDEN}
_SPENT = {"enforced_spend_limit_reached", "contract_spend_limit_reached"}


def classify(error: anthropic.APIStatusError) -> GreenlightError:
    """Return our error for the provider's; one that breaks a stream off has status 200."""
    is_too_long = bool(_TOO_LONG.search(error.message))
    broke_off = error.status_code < 300
    is_busy = error.type in _BUSY_TYPES if broke_off else may_pass(error.status_code)
    if error.error_code in _SPENT or not is_busy:
        if error.status_code in KEY_REFUSED:
            return KeyRejected(_describe(error, "key"))
        may_be_form = error.status_code in {400, 422} and not is_too_long
        takes_no_tools = may_be_form and _NO_TOOLS.search(error.message)
        told = _describe(error, "window" if is_too_long else "tools" if takes_no_tools else "")
        return ModelRejected(told, may_be_form=may_be_form, is_too_long=is_too_long)
    wait = parse_retry_after(error.response.headers.get("retry-after", ""))
    return ModelBusy(_describe(error), wait and min(wait, LONGEST_RETRY_AFTER_SECONDS))


def _describe(error: anthropic.APIStatusError, hint: str = "") -> Notice:
    """Return what the provider answered, and a hint at what to do about it."""
    return Notice.of(
        "model-status",
        status=error.status_code,
        name=error.error_code or error.type or "no error type",
        request=error.request_id or None,
        hint=Notice.of(f"model-hint-{hint}") if hint else None,
    )

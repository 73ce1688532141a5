"""Refusals of the product as tests expect them: by code and parameters, not by words."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import TypeVar

import pytest

from contracts.errors import GreenlightError

Error = TypeVar("Error", bound=GreenlightError)


@contextmanager
def refused(
    error: type[Error], code: str, **params: object
) -> Iterator["pytest.ExceptionInfo[Error]"]:
    """Expect an error whose notice has this code, and at least these parameters."""
    with pytest.raises(error) as raised:
        yield raised
    notice = raised.value.notice
    assert notice.code == code
    assert params.items() <= dict(notice.params).items()

"""A report as a file, made in a process of its own: for seconds it takes a whole core."""

import asyncio
import json
import re
from collections.abc import Mapping
from urllib.parse import quote

from activities.subprocess_sandbox import SandboxDied, SubprocessSandbox
from api.reports.formats import MAX_CHARS, MAX_SECONDS, Format
from contracts.errors import Conflict
from contracts.report.research import Report
from domain.report.exhibits import PLACE

_TURNS = asyncio.Semaphore(2)


async def export(
    report: Report, format: Format, charts: Mapping[str, bytes], seconds: float = MAX_SECONDS
) -> bytes:
    """Return a report as a file, with its charts by id.

    Raises:
        Conflict: It is too large.
    """
    if (size := len(report.markdown)) > MAX_CHARS:
        raise _refused(format, f"may have {MAX_CHARS:,} characters, and the report has {size:,}")
    drawn = {f"{PLACE}/{name}": svg.decode(errors="replace") for name, svg in charts.items()}
    asked = {"title": report.title, "markdown": report.markdown, "charts": drawn}
    given = json.dumps(asked).encode()
    sandbox = SubprocessSandbox("api.reports", format, size=1, seconds=seconds)
    try:
        async with _TURNS:
            return await sandbox.run(given)
    except TimeoutError:
        raise _refused(format, f"would take longer than {seconds:g} s to make") from None
    except SandboxDied:
        raise _refused(format, "cannot be made of this report") from None
    finally:
        await sandbox.close()


def _refused(format: Format, why: str) -> Conflict:
    return Conflict(f"a {format} {why}; take md or html")


def headers(title: str, format: Format) -> dict[str, str]:
    """Return what a file is served with: it is kept, by the report's name, and never run."""
    name = quote("-".join(re.findall(r"\w+", title))[:80] or "report")
    told = f"attachment; filename=\"report.{format}\"; filename*=UTF-8''{name}.{format}"
    return {"Content-Disposition": told}

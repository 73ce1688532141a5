"""Exports a report in a subprocess, because this uses a CPU core for seconds."""

import asyncio
import re
from collections.abc import Mapping
from tempfile import TemporaryDirectory
from urllib.parse import quote

from pydantic import TypeAdapter

from activities.confined.memory_and_time_limits import REPORT_SECONDS
from activities.confined.subprocess_sandbox import FairSlots, SandboxDied, SubprocessSandbox
from activities.late_packages import InstallFailed, install
from api.reports import MAX_CHARS, Format
from contracts.errors import Conflict
from contracts.notices import Notice
from contracts.report.document import Document

_SLOTS = FairSlots(3)


async def export_report(
    document: Document,
    format: Format,
    charts: Mapping[str, bytes],
    tenant: str = "",
    seconds: float = REPORT_SECONDS,
) -> bytes:
    """Return a document as a file; `charts` are SVG by artifact id.

    Raises:
        Conflict: the report is too large, takes too long, or cannot be rendered.
    """
    svgs = {name: svg.decode(errors="replace") for name, svg in charts.items()}
    request = TypeAdapter(tuple[Document, dict[str, str]]).dump_json((document, svgs))
    if (size := len(request) - sum(map(len, charts.values()))) > MAX_CHARS:
        raise Conflict(Notice.of("export-long", format=format, most=MAX_CHARS, n=size))
    async with _SLOTS.hold(tenant):
        with TemporaryDirectory() as folder:
            sandbox = SubprocessSandbox(
                "api.reports.pdf_and_word", format, folder, size=1, seconds=seconds
            )
            try:
                return await sandbox.run(request)
            except TimeoutError:
                raise Conflict(Notice.of("export-slow", format=format, n=seconds)) from None
            except SandboxDied as error:
                why = error.ended or "no reply"
                raise Conflict(Notice.of("export-failed", format=format, why=why)) from None
            finally:
                await sandbox.close()


async def install_exports() -> None:
    """Install the packages for PDF and Word files if they are missing.

    Raises:
        Conflict: They could not be installed.
    """
    try:
        await asyncio.to_thread(install, "exports")
    except InstallFailed as error:
        raise Conflict(Notice.of("exports-packages", reason=str(error))) from None


def download_headers(title: str, ending: str) -> dict[str, str]:
    """Return the headers by which a browser saves a file under the report's name."""
    name = quote("-".join(re.findall(r"\w+", title))[:80] or "report")
    disposition = f"attachment; filename=\"report.{ending}\"; filename*=UTF-8''{name}.{ending}"
    return {"Content-Disposition": disposition}

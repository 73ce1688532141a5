"""The archive of a run, as a download."""

from collections.abc import AsyncIterator

from fastapi import Depends
from fastapi.responses import StreamingResponse

from api.archives.run_archive import RunArchive
from api.errors import responses
from api.json_bodies import Router
from api.routers.run.reports import describe_content
from api.runs.service import Run
from contracts.media_types import ZIP

router = Router(
    prefix="/v1/runs/{run_id}", tags=["results"], responses=responses(404, 409, 422, 503)
)


async def hold_download(run: Run) -> AsyncIterator[None]:
    """Hold one of the tenant's downloads until the response is sent.

    Raises:
        TooManyRequests: All are taken, and enough others wait.
    """
    async with run.deps.limits.downloads.take(run.reader.tenant_id):
        yield


@router.get(
    "/archive",
    response_class=StreamingResponse,
    responses={**describe_content(files=[ZIP]), **responses(429)},
    dependencies=[Depends(hold_download)],
)
async def get_archive(run: Run) -> StreamingResponse:
    """Return an ended run as one file that verifies and replays offline.

    It holds the hash-chained events, the journal of calls, pages, plan, decisions, definition and report.
    """
    async with run.deps.limits.all_downloads.take("all"):
        archive = await RunArchive.load(run)
    name = run.id.replace(":", "-")  # not allowed in file names on Windows
    headers = {"Content-Disposition": f'attachment; filename="{name}.archive.zip"'}
    return StreamingResponse(archive.write(), media_type=ZIP, headers=headers)

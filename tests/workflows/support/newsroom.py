"""A worker over a library of several publishers that a test may change, and over a model it can read."""

import json
import uuid
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from typing import Any

from pydantic import SecretStr
from starlette.responses import Response
from temporalio.client import Client, WorkflowQueryFailedError

from contracts.access.principal import Principal
from contracts.definitions import DefinitionBody
from contracts.human.checkpoints import Checkpoint
from contracts.phases.hitl_checkpoint import HitlCheckpointConfig, HitlCheckpointPhase
from contracts.phases.planning import PlanningPhase
from contracts.phases.research import ResearchPhase
from contracts.phases.synthesis import SynthesisConfig, SynthesisPhase
from contracts.phases.validation import ValidationConfig, ValidationOutput, ValidationPhase
from contracts.preset_definitions import PRESETS
from contracts.runs.start import RunInput
from domain.report.claims.report_claims import list_claims
from offline.messages import answer
from settings import Settings
from store.blobs import BlobStore
from store.definitions import DefinitionRepository
from store.postgres.pool import Pool
from store.run_records.runs import RunRepository
from temporal.payloads import data_converter
from tests.activities.calls.provider import Exchange, Provider, Says
from tests.activities.calls.provider import serving as providing
from tests.offline.conftest import Services, serving
from tests.support.offline_services import eventually
from tests.workflows.support.run_harness import Handle
from worker import build_worker, open_activities
from workflows.research import Research

QUESTION = "What is the current price of the Heron drone?"
HELD_BACK = DefinitionBody(
    id="held_back",
    phases=[
        PlanningPhase(),
        HitlCheckpointPhase(id="checkpoint"),
        ResearchPhase(),
        SynthesisPhase(config=SynthesisConfig(form="text")),
        HitlCheckpointPhase(
            id="look", config=HitlCheckpointConfig(checkpoint_type="after_execution")
        ),
        ValidationPhase(config=ValidationConfig(check_outline=False)),
    ],
)
"""Waits between reading and validating."""


def article(publisher: str, price: str, more: str) -> str:
    """Return a page of today that says who publishes it."""
    today = datetime.now(UTC).date().isoformat()
    return f"""<html><head><title>Heron drone, by {publisher}</title>
<meta property="og:site_name" content="{publisher}"><meta name="date" content="{today}"></head>
<body><article><h1>Heron drone</h1>
<p>The current price of the Heron drone is {price}, says {publisher} after asking three shops.</p>
<p>It flies for 31 minutes on one charge and carries a camera of 1.2 kg.</p>
{more}</article></body></html>"""


def offline_answer(exchange: Exchange) -> Response:
    """Answer as the offline model does, and plan for pages of the last year, which it knows nothing of."""
    whole = answer(exchange.body, "")
    content = [{**part, **_want_recent(part)} for part in whole["content"]]
    return Says(content, whole["stop_reason"])(exchange)


def _want_recent(part: dict[str, Any]) -> dict[str, str]:
    """Return the text of a plan with its age of sources; nothing of another answer."""
    if '"search_terms"' not in part.get("text", ""):
        return {}
    return {"text": json.dumps({**json.loads(part["text"]), "max_age_days": 365})}


PAGES = "tests.offline.page_folder"


@dataclass
class Newsroom:
    """The worker over a library that a test may change, and what it keeps."""

    client: Client
    queue: str
    library: Path
    pool: Pool
    blobs: BlobStore
    model: Provider
    offline: Services

    def publishes(self, slug: str, publisher: str, price: str, more: str = "") -> Path:
        """Put a page of today into the library, with more HTML in it, and return its file."""
        path = self.library / f"{slug}.html"
        path.write_text(article(publisher, price, more), encoding="utf-8")
        return path

    async def start(self, definition: str) -> Handle:
        """Start a run of somebody who has asked nothing yet: no earlier report answers it."""
        name = f"run-{uuid.uuid4()}"
        return await self.client.start_workflow(
            Research.run,
            RunInput(query=QUESTION, definition_id=definition, user_id=name),
            id=name,
            task_queue=self.queue,
        )

    async def approve(self, handle: Handle, phase: str) -> None:
        """Approve what a checkpoint shows, once it is open."""
        shown = await eventually(partial(self._pending, handle, phase), 20)
        said = {"action": "approve", "plan_hash": shown.plan_hash}
        await handle.execute_update("decide", said)

    async def _pending(self, handle: Handle, phase: str) -> Checkpoint | None:
        with suppress(WorkflowQueryFailedError):  # it is just being opened
            pending = (await handle.query(Research.state)).pending
            return next((asked for asked in pending if asked.phase_id == phase), None)
        return None

    async def looked_at(self) -> Handle:
        """Return a run that has read and written, and waits before it validates."""
        own = HELD_BACK.model_copy(update={"id": f"held-back-{uuid.uuid4()}"})
        await DefinitionRepository(self.pool, PRESETS).create(Principal(), own)
        handle = await self.start(own.id)
        await self.approve(handle, "checkpoint")
        await eventually(partial(self._pending, handle, "look"), 20)
        return handle

    async def validated(self, handle: Handle) -> ValidationOutput:
        """Return what was found of the run's report once it has completed."""
        assert (await handle.result()).status == "completed"
        phase = await RunRepository(self.pool).get_phase(Principal(), handle.id, "validation")
        return ValidationOutput.model_validate(phase.output)

    async def quoted(self, handle: Handle, found: ValidationOutput) -> str:
        """Return the report's quotes, each as its source's snapshot has it at that place."""
        sources = await RunRepository(self.pool).list_sources(Principal(), handle.id)
        texts = [(await self.blobs.get("default", source.text_key)).decode() for source in sources]
        cited = [c for claim in list_claims(found.report) for c in claim.citations]
        assert {texts[c.source - 1][c.start : c.end] == c.quote for c in cited} == {True}
        return "\n".join(c.quote for c in cited)


@asynccontextmanager
async def newsroom_over(temporal: Client, database: str, folder: Path) -> AsyncIterator[Newsroom]:
    """Open an empty newsroom; its model answers as the offline one does."""
    library, kept = folder / "library", folder / "blobs"
    library.mkdir()
    async with serving(str(library), module=PAGES) as offline, providing() as model:
        model.otherwise = offline_answer
        settings = Settings(
            database_url=database,
            blob_url=kept.as_uri(),
            anthropic_base_url=model.url,
            brave_base_url=offline.base,
            brave_api_key=SecretStr("any"),
            greenlight_fetch_allow=[offline.base.removeprefix("http://")],
            greenlight_offline=True,
            greenlight_task_queue=f"test-{uuid.uuid4()}",
        )
        blobs = BlobStore(settings.blob_url)
        client = Client(temporal.service_client, data_converter=data_converter(blobs))
        async with (
            Pool(database) as pool,
            open_activities(settings, blobs, client) as callables,
            build_worker(client, settings, callables),
        ):
            queue = settings.greenlight_task_queue
            yield Newsroom(client, queue, library, pool, blobs, model, offline)

"""Digests by which a scheduled run is compared with the run before: what it was started with, and what code gathered."""

import hashlib
import json
from collections.abc import Iterable
from typing import Any

from pydantic import JsonValue

from contracts.base import Json
from contracts.collections import CollectionUse
from contracts.definitions import Definition
from contracts.runs.request import fold_inputs

NOT_COMPARED = {"searches", "artifacts", "additions"}
"""Fields of a gathering phase's output that follow from the others, or say when they were gathered."""
PLACES = {"text_key", "raw_key", "rows_key", "blob_key", "retrieved_at"}
"""Fields of a source or an artifact, at any depth, that say where a run stores it and when it was read."""


def compute_basis(
    definition: Definition,
    query: str,
    inputs: Json,
    files: Iterable[str],
    collections: Iterable[CollectionUse],
) -> str:
    """Return the digest of a run's definition, question, inputs and documents.

    `files` are the hashes of the user's own files. A collection counts with the digest of its documents at the start.
    """
    documents = [*files, *sorted(f"{use.id} {use.version}" for use in collections)]
    definition_json = definition.model_dump(mode="json")
    return _digest([definition_json, query.split(), fold_inputs(inputs), documents])


def compute_gathered(output: Json) -> str:
    """Return the digest of what a phase has gathered: figures of filings, prices, news, and the order of its pages."""
    compared: dict[str, Any] = {k: v for k, v in output.items() if k not in NOT_COMPARED}
    compared["sources"] = [source["url"] for source in compared.get("sources") or []]
    return _digest(_leave_out_places(compared))


def _leave_out_places(value: JsonValue) -> JsonValue:
    if isinstance(value, dict):
        return {k: _leave_out_places(v) for k, v in value.items() if k not in PLACES}
    return [*map(_leave_out_places, value)] if isinstance(value, list) else value


def _digest(value: object) -> str:
    return hashlib.sha256(json.dumps(value, sort_keys=True).encode()).hexdigest()

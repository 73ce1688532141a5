"""Temporal clients whose payloads are converted as the product's are."""

from collections.abc import Mapping

from temporalio.client import Client

from store.blobs import BlobStore
from temporal.payloads import data_converter


def client_with(
    temporal: Client, blobs: BlobStore, keys: Mapping[str, bytes] | None = None
) -> Client:
    """Return a client that keeps large payloads as blobs, and encrypts by the keys if there are some."""
    config = temporal.config()
    config["data_converter"] = data_converter(blobs, keys)
    return Client(**config)

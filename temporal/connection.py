"""Connection to Temporal as configured by `TEMPORAL_*`."""

import ipaddress
from collections.abc import Mapping
from typing import Any

from temporalio.envconfig import ClientConfig
from temporalio.service import GrpcCompression

from store.blobs import BlobStore
from temporal.payloads import data_converter


def load_connect_options(
    blobs: BlobStore, keys: Mapping[str, bytes] | None = None
) -> dict[str, Any]:
    """Return the arguments of `Client.connect`; gRPC is not compressed on loopback."""
    config: dict[str, Any] = {
        "target_host": "127.0.0.1:7233",
        **ClientConfig.load_client_connect_config(),
    }
    if is_loopback(config["target_host"].rsplit(":", 1)[0].strip("[]")):
        config["grpc_compression"] = GrpcCompression.NONE
    return config | {"data_converter": data_converter(blobs, keys)}


def is_loopback(host: str) -> bool:
    """Return whether a host is this machine alone."""
    try:
        return host == "localhost" or ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False

from pathlib import Path

import pytest
from temporalio.service import GrpcCompression

from store.blobs import BlobStore
from temporal.connection import load_connect_options


@pytest.mark.parametrize(
    ("address", "is_here"),
    [
        ("", True),
        ("127.0.0.1:7233", True),
        ("localhost:7233", True),
        ("[::1]:7233", True),
        ("temporal:7233", False),
        ("10.0.0.9:7233", False),
        ("eu.tmprl.cloud:7233", False),
    ],
)
def test_grpc_is_compressed_except_on_loopback(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, address: str, is_here: bool
) -> None:
    monkeypatch.setenv("TEMPORAL_ADDRESS", address)
    found = load_connect_options(BlobStore(tmp_path.as_uri()))
    assert (found.get("grpc_compression") == GrpcCompression.NONE) is is_here
    assert found["target_host"] == (address or "127.0.0.1:7233")

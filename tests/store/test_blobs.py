import hashlib
import resource
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from contracts.errors import NotFound, StoreUnavailable
from store.blobs import MAX_CACHED_BYTES, BlobStore
from tests.store.bucket import serve_bucket
from tests.support.words import en


@pytest.fixture
def blobs(tmp_path: Path) -> BlobStore:
    return BlobStore((tmp_path / "made" / "here").as_uri())


def files(folder: Path) -> list[str]:
    return [str(p.relative_to(folder)) for p in folder.rglob("*") if p.is_file()]


async def test_what_was_put_is_got(blobs: BlobStore) -> None:
    """The key is the hash of the content, so putting it again returns the same key."""
    key = await blobs.put("default", "run-1", b"page")
    assert key == f"run-1/{hashlib.sha256(b'page').hexdigest()}"
    assert await blobs.put("default", "run-1", b"page") == key
    assert await blobs.get("default", key) == b"page"
    assert await blobs.get("default", await blobs.put("default", "run-1", b"")) == b""


async def test_what_was_never_put_is_not_found(blobs: BlobStore) -> None:
    with pytest.raises(NotFound):
        await blobs.get("default", f"run-1/{'0' * 64}")


@pytest.mark.parametrize(
    "key",
    [
        "../../etc/passwd",
        f"../run/{'0' * 64}",
        f"../{'0' * 64}",
        f"default/run/{'0' * 64}",
        f"run/{'0' * 64}\n",
        f"/{'0' * 64}",
        f"/run/{'0' * 64}",
        "run/secret",
        "",
    ],
)
async def test_no_key_leads_out_of_the_store(tmp_path: Path, key: str) -> None:
    """A key of another form is not looked up, even where it names a file."""
    (tmp_path / "run").mkdir()
    (tmp_path / "run" / ("0" * 64)).write_text("secret", encoding="utf-8")
    with pytest.raises(NotFound):
        await BlobStore((tmp_path / "blobs").as_uri()).get("default", key)


@pytest.mark.parametrize("run_id", ["..", ".", "a/b", "", "-x", "run id", "é" * 300])
async def test_any_name_becomes_a_part_of_a_key(tmp_path: Path, run_id: str) -> None:
    blobs = BlobStore((tmp_path / "a place" / "blobs").as_uri())
    key = await blobs.put("default", run_id, b"page")
    assert await blobs.get("default", key) == b"page"
    assert files(tmp_path) == [f"a place/blobs/default/{key}"]


async def test_bucket_is_used_with_the_keys_of_the_environment(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Here and in docs/deployment.md: `BLOB_URL` names it, `AWS_*` opens it."""
    for name in (
        "SSL_CERT_DIR",
        "SSL_CERT_FILE",
    ):  # its client wants certificates, also without TLS
        monkeypatch.delenv(name, raising=False)
    with serve_bucket() as bucket:
        for name, value in {
            "AWS_ACCESS_KEY_ID": "ours",
            "AWS_SECRET_ACCESS_KEY": "secret",
            "AWS_REGION": "eu-central-1",
            "AWS_ENDPOINT": f"http://127.0.0.1:{bucket.port}",
            "AWS_ALLOW_HTTP": "true",
        }.items():
            monkeypatch.setenv(name, value)
        blobs, other = (BlobStore("s3://research/greenlight") for _ in range(2))
        key = await blobs.put("default", "run-1", b"page")
        assert bucket.objects == {f"/research/greenlight/default/{key}": b"page"}
        assert await other.get("default", key) == b"page", "not of the first one's cache"
        assert await other.list_keys("default", "run-1") == [key]
        await blobs.delete("default", [key])
        assert not bucket.objects
        with pytest.raises(NotFound):
            await BlobStore("s3://research/greenlight").get("default", key)
        assert bucket.signed_with == {"ours"}


@contextmanager
def files_end_at(size: int) -> Iterator[None]:
    """Let no file of this process grow beyond a size, as on a disk that is full."""
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (size, before[1]))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)


async def test_a_disk_that_takes_no_more_says_why(blobs: BlobStore, tmp_path: Path) -> None:
    """And leaves nothing half written."""
    page = b"x" * 1_000_000
    with (
        files_end_at(100_000),
        pytest.raises(
            StoreUnavailable, match=en("blob-unwritten", n=1_000_000, reason=".*File too large")
        ),
    ):
        await blobs.put("default", "run-1", page)
    assert files(tmp_path) == []
    assert await blobs.get("default", await blobs.put("default", "run-1", page)) == page


async def test_what_was_just_read_is_not_read_again(blobs: BlobStore, tmp_path: Path) -> None:
    key = await blobs.put("default", "run-1", b"page")
    assert await blobs.get("default", key) == b"page"
    (tmp_path / "made" / "here" / "default" / key).unlink()
    assert await blobs.get("default", key) == b"page"


async def test_what_was_removed_is_forgotten(blobs: BlobStore) -> None:
    key = await blobs.put("default", "run-1", b"page")
    await blobs.get("default", key)
    await blobs.delete("default", [key])
    with pytest.raises(NotFound):
        await blobs.get("default", key)


async def test_what_is_large_is_not_kept_in_memory(blobs: BlobStore, tmp_path: Path) -> None:
    key = await blobs.put("default", "run-1", bytes(MAX_CACHED_BYTES + 1))
    await blobs.get("default", key)
    (tmp_path / "made" / "here" / "default" / key).unlink()
    with pytest.raises(NotFound):
        await blobs.get("default", key)


async def test_key_reaches_no_blob_of_another_tenant(blobs: BlobStore) -> None:
    """A key grants no access to blobs of other tenants."""
    key = await blobs.put("acme", "run-1", b"page")
    for name in ("evil", "acme/run-1", "..", BlobStore.PAYLOADS):
        with pytest.raises(NotFound):
            await blobs.get(name, key)
        await blobs.delete(name, [key])
        assert await blobs.list_keys(name, "run-1") == []
    with pytest.raises(NotFound):
        await blobs.delete("evil", [f"../acme/{key}"])
    assert await blobs.get("acme", key) == b"page"
    assert await blobs.list_keys("acme", "run-1") == [key]

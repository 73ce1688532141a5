"""What `up` prints."""

from greenlight.stack.home import Addresses
from greenlight.stack.up import format_addresses


def test_the_password_of_the_database_is_not_printed() -> None:
    addresses = Addresses(
        gateway="http://127.0.0.1:8460",
        temporal="127.0.0.1:7233",
        temporal_ui=None,
        database="postgresql://greenlight:s3cret@127.0.0.1:5433/greenlight",
        offline=None,
        library=None,
        home="/home/ada/.greenlight",
        pids={},
    )
    printed = format_addresses(addresses)
    assert "s3cret" not in printed
    assert "postgresql://greenlight@127.0.0.1:5433/greenlight" in printed
    assert "/home/ada/.greenlight/stack.json" in printed

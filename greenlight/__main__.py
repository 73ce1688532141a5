"""`python3 -m greenlight`; an unsupported Python or platform gets a clear message."""

import sys


def main() -> None:
    """Run the command line, or say what it needs."""
    if not (3, 11) <= sys.version_info[:2] <= (3, 13):
        sys.exit(
            "Greenlight needs Python 3.11, 3.12 or 3.13; this is %d.%d. "  # noqa: UP031 - old Pythons read this
            "If you have another one, name it: python3.12 -m greenlight" % sys.version_info[:2]
        )
    if sys.platform == "win32":
        sys.exit("Greenlight runs on Linux and macOS; on Windows, run it inside WSL.")
    from greenlight import bootstrap

    bootstrap.main()


if __name__ == "__main__":
    main()

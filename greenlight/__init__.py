"""Command line of Greenlight on one machine: `python3 -m greenlight`."""

"""The definitions that ship with Greenlight, as data."""

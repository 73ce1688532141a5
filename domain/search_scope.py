"""What a run's agents search: the user's own files, and a library or the web."""


def describe_scope(files: int, place: str) -> str:
    """Return what is searched in words, e.g. `your 5 files, and the sample library`."""
    own = {0: "", 1: "your file"}.get(files, f"your {files} files")
    return ", and ".join(filter(None, (own, place or "the web")))

"""Replays an archive: renders its report from the recorded run alone, and compares it with the one served."""

from collections.abc import Iterator
from dataclasses import dataclass

from api.reports.text_formats import TextFormat, render_report
from contracts.archive import PHASES, REPORTS, name_artifact
from greenlight.archives.archive_reader import Archive
from greenlight.archives.archived_run import name_broken, read_run

FORMATS: tuple[TextFormat, ...] = ("md", "html", "json")
SHOWN_CHARS = 60


@dataclass(frozen=True)
class Replayed:
    """A report that was made again in one format."""

    name: str
    content: bytes
    archived: bytes

    @property
    def is_same(self) -> bool:
        """Return whether it is the archived one, byte for byte."""
        return self.content == self.archived

    def find_difference(self) -> tuple[int, str, str]:
        """Return the first place that differs: its line, and what the archive and the replay have there."""
        both = zip(self.archived, self.content, strict=False)
        least = min(len(self.archived), len(self.content))
        at = next((n for n, (one, other) in enumerate(both) if one != other), least)
        shown = [
            each[at : at + SHOWN_CHARS].decode(errors="replace")
            for each in (self.archived, self.content)
        ]
        return self.archived.count(b"\n", 0, at) + 1, shown[0], shown[1]


def replay(archive: Archive) -> Iterator[Replayed]:
    """Yield the report in each format that is text, made of the archive's rows, log and charts."""
    run = read_run(archive)
    with name_broken(PHASES):
        served = run.build_report()
    charts = {}
    for artifact in run.artifacts:
        name = name_artifact(artifact.blob_key)
        is_shown = artifact.kind == "chart" and artifact.id in served.report.exhibits
        if is_shown and archive.has(name):
            charts[artifact.id] = archive.read(name)
    for format in FORMATS:
        with name_broken(PHASES):
            text = render_report(format, served.report, served.context, served.head, charts)
        name = REPORTS[format]
        yield Replayed(name, text.encode(errors="replace"), archive.read(name))

"""Subprocess that renders one report as JSON from stdin: `-m api.reports.pdf_and_word FORMAT FOLDER`."""

import os
import resource
import sys
from pathlib import Path
from typing import cast

from pydantic import TypeAdapter

from activities.confined.confinement import Confinement
from activities.confined.memory_and_time_limits import REPORT_MEMORY_BYTES, REPORT_SECONDS
from activities.confined.pandoc_process import find_pandoc
from activities.confined.request_loop import serve
from api.reports import Format
from api.reports.pdf_and_word.rendering import render
from contracts.report.document import Document

NICENESS = 5
"""Runs and requests get the processor first: a few long reports would take all of a small machine."""
_REQUEST = TypeAdapter(tuple[Document, dict[str, str]])

if __name__ == "__main__":
    wanted, root = cast("Format", sys.argv[1]), Path(sys.argv[2])
    os.nice(NICENESS)
    os.environ["RAYON_NUM_THREADS"] = "1"  # typst's; each thread would reserve memory
    resource.setrlimit(resource.RLIMIT_CPU, (REPORT_SECONDS, REPORT_SECONDS))  # pandoc's too
    confinement = Confinement(writable=(str(root),), programs=(str(find_pandoc()),))
    serve(
        lambda request: render(wanted, root, *_REQUEST.validate_json(request)),
        REPORT_MEMORY_BYTES,
        confinement,
    )

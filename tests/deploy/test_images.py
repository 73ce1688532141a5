"""What each image imports, in an environment of that image's lock alone."""

import subprocess
from pathlib import Path

import pytest

from greenlight.bootstrap import ROOT
from tests.deploy.image import Image

pytestmark = [pytest.mark.full, pytest.mark.timeout(400)]


@pytest.mark.parametrize(
    ("image", "modules"),
    [
        ("gateway", "api.reports.pdf_and_word.rendering, activities.parsing.read_document"),
        ("worker", "worker, activities.parsing.read_document, pygal"),
        ("crew-worker", "worker, activities.integrations.crewai_adapter"),
    ],
)
def test_image_holds_what_its_modules_import(tmp_path: Path, image: str, modules: str) -> None:
    Image.install(image, tmp_path)
    python = tmp_path / image / "bin" / "python"
    told = {"HOME": str(tmp_path), "CREWAI_DISABLE_TELEMETRY": "true"}
    subprocess.run([python, "-c", f"import {modules}"], cwd=ROOT, env=told, check=True)

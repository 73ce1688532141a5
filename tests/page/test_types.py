"""The page is a client of the gateway as its OpenAPI describes it: the compiler holds it to that."""

import json
import subprocess
from pathlib import Path

from api.app import create_app
from greenlight.stack.page import WEB, find_node


def test_the_page_fits_the_gateways_description(built: Path) -> None:
    app = create_app(None, ())  # type: ignore[arg-type] # describing needs no services
    (WEB / "openapi.json").write_text(json.dumps(app.openapi()), encoding="utf-8")
    for script in (
        ("openapi-typescript/bin/cli.js", "openapi.json", "--output", "src/api/schema.ts"),
        ("typescript/bin/tsc",),
    ):
        program, *options = script
        argv = [str(find_node()), str(WEB / "node_modules" / program), *options]
        done = subprocess.run(argv, cwd=WEB, capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stdout + done.stderr

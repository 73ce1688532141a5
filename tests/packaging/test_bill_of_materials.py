"""The bill of materials: every package with its licence, in CycloneDX's form; copyleft that may bind us is refused."""

import json
import re
from collections.abc import Mapping
from importlib.resources import files
from pathlib import Path
from typing import Any

import pytest
from jsonschema import Draft7Validator
from referencing import Registry, Resource

from greenlight.bootstrap import ROOT, RUNTIME
from greenlight.packaging.bill_of_materials import FEATURE, render_bill
from greenlight.packaging.components import OURS, Component, find_problems, list_components
from greenlight.packaging.wheel import list_requirements, lock_requirements

DIGEST = "0" * 64
BASE = "http://cyclonedx.org/schema"


@pytest.fixture(scope="module")
def packages() -> list[Component]:
    return list_components()


def test_every_pin_of_the_lock_is_billed_with_its_licence(packages: list[Component]) -> None:
    bill = json.loads(render_bill("0.1.0", packages, DIGEST, 0))
    pins = set(re.findall(r"^([\w.-]+)==([\w.]+)", RUNTIME.read_text("ascii"), re.MULTILINE))
    billed = {c["purl"]: c for c in bill["components"]}
    assert {f"pkg:pypi/{name}@{version}" for name, version in pins} <= {*billed}
    assert all(component["licenses"] for component in billed.values())
    crewai = next(c for purl, c in billed.items() if purl.startswith("pkg:pypi/crewai@"))
    assert crewai["properties"] == [{"name": FEATURE, "value": "crew"}]
    assert crewai["scope"] == "optional"
    assert crewai["hashes"][0]["content"] in RUNTIME.read_text("ascii")


def test_lock_of_a_wheel_has_a_hash_for_each_of_its_pins() -> None:
    entry = re.compile(
        r"^(\S.*?) \\\n((?:    --hash=sha256:[0-9a-f]{64}(?: \\)?\n)+)", re.MULTILINE
    )
    lock = lock_requirements()
    entries = entry.findall(lock)
    assert "".join(f"{pin} \\\n{hashes}" for pin, hashes in entries) == lock
    assert [pin for pin, _ in entries] == list_requirements()


def test_what_the_page_bundles_is_billed_and_its_licence_goes_with_it(
    wheel: Path, packages: list[Component]
) -> None:
    """`licences.md` is the bundler's own list; fonts are no modules, and have a file each."""
    dist = ROOT / "web" / "dist"
    listed = re.findall(
        r"^## (\S+) - (\S+) \((.+)\)$", (dist / "licences.md").read_text(), re.MULTILINE
    )
    assert listed
    billed = {(c.name, c.version, c.licence) for c in packages if c.kind == "npm"}
    assert {*listed} <= billed
    fonts = [c.name.rpartition("/")[2] for c in packages if c.name.startswith("@fontsource")]
    assert fonts
    for font in fonts:
        shipped = (dist / f"licence-{font}.txt").read_bytes()
        own = ROOT / "web" / "node_modules" / "@fontsource-variable" / font / "LICENSE"
        assert shipped == own.read_bytes()


def test_bill_is_valid_and_the_same_for_the_same_packages(packages: list[Component]) -> None:
    first, second = (render_bill("0.1.0", packages, DIGEST, 0) for _ in range(2))
    assert first == second
    schemas = files("cyclonedx.schema") / "_res"
    registry: Registry[bool | Mapping[str, Any]] = Registry()
    for name in ("spdx", "jsf-0.82", "cryptography-defs"):
        file = f"{name}.SNAPSHOT.schema.json"
        schema = json.loads((schemas / file).read_text("utf-8"))
        resource = Resource.from_contents(schema)
        registry = registry.with_resources([(file, resource), (f"{BASE}/{file}", resource)])
    schema = json.loads((schemas / "bom-1.6.SNAPSHOT.schema.json").read_text("utf-8"))
    problems = Draft7Validator(schema, registry=registry).iter_errors(json.loads(first))
    assert not [problem.message for problem in problems]


def test_licences_are_known_and_none_of_them_binds_us(packages: list[Component]) -> None:
    assert not find_problems(packages)
    restrictive = {c.name for c in packages if find_problems([c._replace(name="another")])}
    assert restrictive == {*OURS["accepted"]}, "nothing is accepted that need not be"
    assert {*OURS["named"]} <= {c.name for c in packages}


@pytest.mark.parametrize(
    ("licence", "is_refused"),
    [
        *[("GPL-3.0-only", True), ("AGPL-3.0-or-later", True), ("LGPL-2.1-only", True)],
        *[("MIT AND GPL-2.0-only", True), ("SSPL-1.0", True), ("", True)],
        *[("MIT", False), ("GPL-2.0-only OR MIT", False), ("MIT AND Apache-2.0", False)],
    ],
)
def test_a_licence_that_may_bind_us_is_refused(licence: str, is_refused: bool) -> None:
    assert bool(find_problems([Component("pypi", "some", "1.0", licence)])) is is_refused

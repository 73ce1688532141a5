"""The CycloneDX bill of materials of a release: the wheel's contents, and what it installs."""

import uuid
from datetime import UTC, datetime

from cyclonedx.contrib.license.factories import LicenseFactory
from cyclonedx.model import HashAlgorithm, HashType, Property
from cyclonedx.model.bom import Bom
from cyclonedx.model.component import Component, ComponentScope, ComponentType
from cyclonedx.output.json import JsonV1Dot6
from packageurl import PackageURL

from greenlight.packaging.components import Component as Package

FEATURE = "greenlight:feature"
"""Property of a package that is installed when one of these features is first used."""


def render_bill(version: str, packages: list[Package], wheel_digest: str, epoch: int) -> str:
    """Return the bill as JSON; the same packages, wheel and time give the same text."""
    ours = Component(
        name="greenlight",
        version=version,
        type=ComponentType.APPLICATION,
        bom_ref=f"pkg:pypi/greenlight@{version}",
        purl=PackageURL("pypi", name="greenlight", version=version),
        licenses=[LicenseFactory().make_from_string("MIT")],
        hashes=[HashType(alg=HashAlgorithm.SHA_256, content=wheel_digest)],
    )
    serial = uuid.uuid5(uuid.NAMESPACE_URL, wheel_digest)
    bom = Bom(components=map(_build_component, packages), serial_number=serial)
    bom.metadata.component = ours
    bom.metadata.timestamp = datetime.fromtimestamp(epoch, UTC)
    bom.register_dependency(ours, bom.components)
    return JsonV1Dot6(bom).output_as_string(indent=1) + "\n"


def _build_component(package: Package) -> Component:
    namespace, _, name = package.name.rpartition("/")
    url = PackageURL(package.kind, namespace or None, name, package.version)
    return Component(
        name=package.name,
        version=package.version,
        type=ComponentType.LIBRARY,
        bom_ref=str(url),
        purl=url,
        scope=ComponentScope.OPTIONAL if package.features else ComponentScope.REQUIRED,
        licenses=[LicenseFactory().make_from_string(package.licence)],
        hashes=[HashType(alg=HashAlgorithm.SHA_256, content=digest) for digest in package.hashes],
        properties=[Property(name=FEATURE, value=feature) for feature in package.features],
    )

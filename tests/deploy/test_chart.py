"""The Helm chart, as Helm renders it: valid for Kubernetes, in agreement with the settings, and within the policy."""

import ipaddress
import json
import subprocess
import sysconfig
import tomllib
from pathlib import Path
from typing import Any

import pytest
import yaml

from greenlight.bootstrap import ROOT
from settings import Settings
from store.blobs import BlobStore
from temporal.connection import load_connect_options
from tests.deploy.containers import (
    IN_IMAGE,
    KNOWN,
    ONE_MACHINE,
    SECRETS_OF,
    SOURCES,
    list_disagreements,
    list_offences,
    read_compose,
)
from tests.deploy.helm import (
    CHART,
    VALUES,
    Helm,
    Manifest,
    list_containers,
    list_pods,
    list_values,
)

SET_BY_CHART = {
    *("BLOB_URL", "DATABASE_OWNER_URL", "DATABASE_URL"),
    *("GREENLIGHT_PUBLIC_URL", "GREENLIGHT_SEARCH_ATTRIBUTES"),
    *("GREENLIGHT_HOST", "GREENLIGHT_PORT", "GREENLIGHT_REQUIRE_KEYS", "GREENLIGHT_ALLOWED_HOSTS"),
    *(
        "GREENLIGHT_CODEC_HOST",
        "GREENLIGHT_CODEC_PORT",
        "GREENLIGHT_TEMPORAL_METRICS",
        "GREENLIGHT_METRICS",
    ),
}
OF_TERMINALS = {"GREENLIGHT_API_KEY", "GREENLIGHT_HOME"}
CONFIGURABLE = {
    name
    for name in KNOWN - SET_BY_CHART - OF_TERMINALS - ONE_MACHINE - IN_IMAGE
    if name not in SECRETS_OF["worker"] and not name.startswith("TEMPORAL_")
}


@pytest.fixture(scope="module", params=VALUES)
def manifests(helm: Helm, request: pytest.FixtureRequest) -> list[Manifest]:
    return helm.render(*VALUES[request.param])


@pytest.fixture(scope="module")
def full(helm: Helm) -> list[Manifest]:
    return helm.render(*VALUES["full"])


def list_kind(manifests: list[Manifest], kind: str) -> list[Manifest]:
    return [manifest for manifest in manifests if manifest["kind"] == kind]


def validate(text: str) -> subprocess.CompletedProcess[str]:
    program = Path(sysconfig.get_path("scripts"), "kubernetes-validate")
    return subprocess.run(
        [program, "--strict", "-"], input=text, capture_output=True, text=True, check=False
    )


@pytest.mark.parametrize("name", VALUES)
def test_helm_finds_nothing_to_complain_of(helm: Helm, name: str) -> None:
    done = helm.run("lint", str(CHART), "--strict", *VALUES[name])
    assert done.returncode == 0, done.stdout
    assert "[WARNING]" not in done.stdout


def test_manifests_are_what_kubernetes_knows(manifests: list[Manifest]) -> None:
    done = validate(yaml.safe_dump_all(manifests))
    assert done.returncode == 0, done.stdout + done.stderr
    foreign = {
        "PodMonitor",
        "ScaledObject",
    }  # custom resources of operators, without a schema there
    assert all(f"kind {kind} " in done.stderr + done.stdout for kind in _kinds(manifests) & foreign)


def test_field_that_kubernetes_does_not_know_is_found(full: list[Manifest]) -> None:
    broken = yaml.safe_dump_all(full).replace("maxSurge:", "maxSurges:", 1)
    assert validate(broken).returncode != 0


def _kinds(manifests: list[Manifest]) -> set[str]:
    return {manifest["kind"] for manifest in manifests}


def test_containers_keep_to_the_policy(manifests: list[Manifest]) -> None:
    assert not list_offences(list_containers(manifests))
    for pod in list_pods(manifests):
        assert pod["spec"]["automountServiceAccountToken"] is False
        assert pod["spec"]["securityContext"]["seccompProfile"] == {"type": "RuntimeDefault"}


def test_every_setting_that_is_no_secret_can_be_configured() -> None:
    schema = json.loads((CHART / "values.schema.json").read_text("utf-8"))
    names = schema["properties"]["config"]["propertyNames"]["enum"]
    assert (names, set(names)) == (sorted(names), CONFIGURABLE)


def test_every_setting_reaches_the_containers_that_need_it_and_no_other_secret_does(
    helm: Helm, tmp_path: Path
) -> None:
    given = tmp_path / "values.yaml"
    values = {"config": dict.fromkeys(CONFIGURABLE, "1"), "extraEnv": []}
    given.write_text(yaml.safe_dump(values), "utf-8")
    containers = [*list_containers(helm.render(*VALUES["full"], "--values", str(given)))]
    assert {each.name for each in containers} == set(SOURCES)
    assert not list_disagreements(containers)


def test_chart_and_images_have_the_version_of_the_project(helm: Helm) -> None:
    with (ROOT / "pyproject.toml").open("rb") as file:
        version = tomllib.load(file)["project"]["version"]
    about = yaml.safe_load((CHART / "Chart.yaml").read_text("utf-8"))
    images = {each["image"] for name, each in read_compose().items() if name in SOURCES}
    images |= {each.image for each in list_containers(helm.render())}
    tags = {image.rpartition(":")[2] for image in images}
    assert {about["version"], about["appVersion"], *tags} == {version}


def test_containers_run_the_commands_of_compose(full: list[Manifest]) -> None:
    services = read_compose()
    for each in list_containers(full):
        assert " ".join(each.command) == services[each.name]["command"]
        image = services[each.name]["image"].partition(":")[0]
        assert f"/{image}:" in each.image


@pytest.mark.parametrize("component", SOURCES)
def test_configured_values_are_read_as_they_were_meant(
    full: list[Manifest], component: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name, value in list_values(full, component).items():
        monkeypatch.setenv(name, value)
    read = Settings(_env_file=None)
    assert read.greenlight_cap_usd == 2.5
    assert read.greenlight_models == {"judge": "claude-haiku-4-5-20251001"}
    assert read.greenlight_fetch_allow == ["wiki.example.org:443"]
    assert read.public_url == "https://research.example.org"
    if component == "gateway":
        assert read.greenlight_require_keys
        assert "localhost" in read.greenlight_allowed_hosts, "probes ask by that name"
        assert {"research.example.org", "research.example.com"} < {*read.greenlight_allowed_hosts}


@pytest.mark.parametrize(
    ("options", "named"),
    [
        (["config.GREENLIGHT_MODLE=x"], "GREENLIGHT_MODLE"),
        (["config.ANTHROPIC_API_KEY=sk-1"], "ANTHROPIC_API_KEY"),
        (["config.GREENLIGHT_REQUIRE_KEYS=false"], "GREENLIGHT_REQUIRE_KEYS"),
        (["image.tag=latest"], "/image/tag"),
        (["image.digests.worker=sha256:1"], "/image/digests/worker"),
        (["worker.resources.limits.memory=null"], "memory"),
        (["worker.replica=3"], "replica"),
        (["worker.autoscaling.enabled=true"], "/metrics/enabled"),
        (["gateway.ingress.enabled=true"], "/gateway/hosts"),
        (["gateway.ingress.enabled=true", "gateway.hosts={a.example}"], "tlsSecret"),
        (["temporal.address=https://temporal:7233"], "/temporal/address"),
        (["blobs.url=/data"], "/blobs/url"),
    ],
)
def test_value_that_cannot_work_is_refused_with_its_name(
    helm: Helm, options: list[str], named: str
) -> None:
    given = [part for option in options for part in ("--set", option)]
    done = helm.run("template", "research", str(CHART), *given)
    assert done.returncode
    assert named in done.stderr


def test_ingress_without_a_certificate_says_that_tls_ends_before_it(helm: Helm) -> None:
    given = ["gateway.ingress.enabled=true", "gateway.hosts={a.example}"]
    given += ["gateway.ingress.tlsEndsBefore=true"]
    [ingress] = list_kind(helm.render(*(w for o in given for w in ("--set", o))), "Ingress")
    assert "tls" not in ingress["spec"]


def test_workers_are_probed_as_by_compose(full: list[Manifest]) -> None:
    [ready, alive] = read_compose()["worker"]["healthcheck"]["test"].split(" && ")
    for pod in list_pods(full):
        [container] = pod["spec"]["containers"]
        if container["name"] in {"worker", "crew-worker"}:
            assert container["readinessProbe"]["exec"]["command"] == ready.split()
            live = container["livenessProbe"]["exec"]["command"]
            assert live == ["sh", "-c", alive.replace("$$", "$")]
        elif container["name"] == "gateway":
            for kind in ("startup", "liveness", "readiness"):
                assert container[f"{kind}Probe"]["httpGet"]["path"] == "/healthz"


def test_migration_comes_first_and_stops_a_release_when_it_fails(manifests: list[Manifest]) -> None:
    [job] = list_kind(manifests, "Job")
    assert job["metadata"]["annotations"]["helm.sh/hook"] == "pre-install,pre-upgrade"
    mounted = {volume["name"] for volume in job["spec"]["template"]["spec"]["volumes"]}
    assert "blobs" not in mounted, "the claim is made after it"


def select(selector: dict[str, str], pods: list[Manifest]) -> list[str]:
    """Return the components of the pods that a selector meets."""
    return [
        pod["metadata"]["labels"]["app.kubernetes.io/component"]
        for pod in pods
        if selector.items() <= pod["metadata"]["labels"].items()
    ]


def test_each_selector_meets_the_pods_of_its_component(manifests: list[Manifest]) -> None:
    pods = [*list_pods(manifests)]
    components = sorted(pod["metadata"]["labels"]["app.kubernetes.io/component"] for pod in pods)
    stay = [component for component in components if component != "migrate"]
    found: dict[str, list[str]] = {}
    for manifest in manifests:
        spec = manifest.get("spec", {})
        by = spec.get("podSelector") or spec.get("selector")
        if manifest["kind"] in {"Deployment", "PodDisruptionBudget", "NetworkPolicy"}:
            by = by["matchLabels"]
        if manifest["kind"] not in {"PodMonitor", "ScaledObject", "PersistentVolumeClaim"} and by:
            found.setdefault(manifest["kind"], []).extend(select(by, pods))
    assert sorted(found["Deployment"]) == stay
    assert sorted(found["PodDisruptionBudget"]) == stay
    assert sorted(found["NetworkPolicy"]) == components
    assert sorted(found["Service"]) == [name for name in stay if name in {"codec", "gateway"}]


PRIVATE = (
    *("169.254.169.254", "168.63.129.16", "10.1.2.3", "100.64.0.1", "127.0.0.1", "172.31.0.1"),
    "192.168.0.1",
)


@pytest.mark.parametrize(
    "inside", [*PRIVATE, "fd00::1", *(f"64:ff9b::{address}" for address in PRIVATE)]
)
def test_no_pod_reaches_private_addresses_but_at_ports_that_it_needs(
    manifests: list[Manifest], inside: str
) -> None:
    address = ipaddress.ip_address(inside)
    for policy in list_kind(manifests, "NetworkPolicy"):
        assert policy["spec"]["policyTypes"] == ["Ingress", "Egress"]
        for rule in policy["spec"]["egress"]:
            blocks = [peer["ipBlock"] for peer in rule.get("to", []) if "ipBlock" in peer]
            assert blocks or rule["ports"], "everything is reached"
            for block in blocks:
                excepted = [ipaddress.ip_network(each) for each in block["except"]]
                network = ipaddress.ip_network(block["cidr"])
                reached = address in network and not any(address in each for each in excepted)
                assert not reached, policy["metadata"]["name"]


def test_workers_answer_nobody_unless_metrics_are_read(helm: Helm, full: list[Manifest]) -> None:
    for manifests, ports in ((helm.render(), []), (full, [9464, 9465])):
        for policy in list_kind(manifests, "NetworkPolicy"):
            if policy["metadata"]["name"].endswith("worker"):
                rules = policy["spec"]["ingress"]
                assert [port["port"] for rule in rules for port in rule["ports"]] == ports
                assert all(rule["from"] for rule in rules)


def test_autoscaling_leaves_the_number_of_replicas_to_keda(
    helm: Helm, full: list[Manifest]
) -> None:
    scaled = {each["spec"]["scaleTargetRef"]["name"] for each in list_kind(full, "ScaledObject")}
    assert scaled == {"research-greenlight-worker", "research-greenlight-crew-worker"}
    for deployment in list_kind(full, "Deployment"):
        is_scaled = deployment["metadata"]["name"] in scaled
        assert ("replicas" in deployment["spec"]) is not is_scaled
    assert not list_kind(helm.render(), "ScaledObject")


def connect_options(
    manifests: list[Manifest], blobs: Path, monkeypatch: pytest.MonkeyPatch
) -> dict[str, Any]:
    """Return what the worker's Temporal client connects by."""
    for name, value in list_values(manifests, "worker").items():
        if name.startswith("TEMPORAL"):
            monkeypatch.setenv(name, value)
    return load_connect_options(BlobStore(blobs.as_uri()))


def test_temporal_cloud_is_connected_to_by_api_key(
    helm: Helm, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    manifests = helm.render(*VALUES["cloud"])
    [worker] = [each for each in list_containers(manifests) if each.name == "worker"]
    assert "TEMPORAL_API_KEY" in worker.variables
    monkeypatch.setenv("TEMPORAL_API_KEY", "of the Secret")
    options = connect_options(manifests, tmp_path, monkeypatch)
    assert options["target_host"] == "europe-west3.gcp.api.temporal.io:7233"
    assert (options["namespace"], options["api_key"]) == ("research.a1b2c", "of the Secret")
    assert options["tls"]


def test_temporal_is_connected_to_by_client_certificate(
    full: list[Manifest], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    values = list_values(full, "worker")
    for name in ("CLIENT_CERT", "CLIENT_KEY", "SERVER_CA_CERT"):
        variable = f"TEMPORAL_TLS_{name}_PATH"
        assert values[variable].startswith("/etc/greenlight/temporal/")
    [mount] = [
        mount
        for pod in list_pods(full)
        for container in pod["spec"]["containers"]
        if container["name"] == "worker"
        for mount in container["volumeMounts"]
        if mount["name"] == "temporal-tls"
    ]
    assert mount["mountPath"] == "/etc/greenlight/temporal"

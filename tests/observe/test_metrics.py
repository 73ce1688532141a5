"""What a run with failures shows to Prometheus, and that dashboard and alerts name nothing else."""

import json
from collections.abc import Iterator
from pathlib import Path

import promql_parser
import pytest
import yaml

from greenlight.bootstrap import ROOT
from temporal.telemetry.prometheus_metrics import PARSER_ENDS
from tests.observe.conftest import Scraped
from tests.support.stack import Run, Whole

FOLDER = ROOT / "deploy" / "observability"
RULES = yaml.safe_load((FOLDER / "alerts.yml").read_text("utf-8"))["groups"][0]["rules"]
DASHBOARD = json.loads((FOLDER / "grafana-dashboard.json").read_text("utf-8"))
OF_PROMETHEUS = {"up"}
"""Made by Prometheus itself."""
ALERTS = {rule["alert"]: rule["expr"] for rule in RULES}
PANELS = {
    f"{panel['title']} {target['refId']}": target["expr"]
    for panel in DASHBOARD["panels"]
    for target in panel.get("targets", [])
}


def list_selectors(expression: str) -> Iterator[promql_parser.VectorSelector]:
    """Yield the selectors of a PromQL expression; raise ValueError if it is invalid."""
    found: list[promql_parser.VectorSelector] = []

    def visit(node: promql_parser.Expr) -> bool:
        if isinstance(node, promql_parser.VectorSelector):
            found.append(node)
        return True

    promql_parser.walk(promql_parser.parse(expression), visit)
    yield from found


@pytest.mark.parametrize("name", [*ALERTS, *PANELS])
def test_every_metric_and_label_of_an_expression_is_shown_by_a_run(
    scraped: Scraped, name: str
) -> None:
    expression = (ALERTS | PANELS)[name]
    selectors = list(list_selectors(expression))
    assert selectors
    for each in selectors:
        if each.name in OF_PROMETHEUS:
            continue
        assert each.name in scraped.labels, f"nobody shows {each.name}"
        asked = {m.name for m in each.matchers.matchers} - {"job"}
        assert asked <= scraped.labels[each.name], f"{each.name} has no such label"


def test_metric_that_nobody_shows_is_found(scraped: Scraped) -> None:
    [selector] = list_selectors("sum(rate(greenlight_invented_total[5m])) > 1")
    assert selector.name not in scraped.labels


def test_every_alert_says_what_to_do() -> None:
    runbook = (ROOT / "docs" / "observability.md").read_text("utf-8")
    assert not [name for name in ALERTS if f"| `{name}` |" not in runbook]
    assert all(rule["annotations"]["summary"] and rule["labels"]["severity"] for rule in RULES)


def test_metrics_name_no_user_tenant_or_run(scraped: Scraped) -> None:
    own = {
        label
        for name, labels in scraped.labels.items()
        if name.startswith("greenlight_")
        for label in labels
    }
    assert own == {
        *("role", "model", "direction", "service", "provider", "error", "activity", "queue", "le"),
        *("reason", "method", "route", "status", "definition", "kind", "period"),
    }
    assert scraped.run_id not in scraped.text


async def test_counts_are_those_of_the_ledger(scraped: Scraped, whole: Whole) -> None:
    """The worker was replaced at the approval: what it has counted is what was paid since."""
    run = Run(whole.http, scraped.run_id)
    calls = [
        call
        for call in await whole.ledger(run)
        if call["phase_id"] not in {"recall", "clarification", "planning"}
    ]
    assert scraped.sum("greenlight_model_calls_total") == len(calls) > 2
    usd = sum(float(call["settled_usd"]) for call in calls)
    assert scraped.sum("greenlight_model_usd_total") == pytest.approx(usd)
    tokens = sum(call["usage"]["output_tokens"] for call in calls)
    assert scraped.sum("greenlight_model_tokens_total", direction="output") == tokens
    assert scraped.sum("greenlight_searches_total") == len(await whole.ledger(run, "search"))


def test_provoked_failures_are_counted(scraped: Scraped) -> None:
    assert scraped.sum("greenlight_provider_failures_total", error="model-busy") == 1
    failed = {"activity": "models.call", "error": "model-busy"}
    assert scraped.sum("greenlight_activity_failures_total", **failed) == 1


def test_requests_are_counted_by_route_and_no_path_is_shown(scraped: Scraped) -> None:
    name = "greenlight_http_request_duration_seconds_count"
    start = "/v1/workflows/{definition_id}/run"
    assert scraped.sum(name, method="POST", route=start, status="202") == 1
    assert scraped.sum(name, route="/v1/runs/{run_id}", status="200") > 1
    assert scraped.sum(name, route="other", status="404") == 1


def test_ended_run_and_spent_dollars_are_shown(scraped: Scraped) -> None:
    ended = {"definition": "deep_research", "status": "completed"}
    assert scraped.sum("greenlight_runs_ended_last_day", **ended) == 1
    assert scraped.sum("greenlight_human_waits") == 0
    assert scraped.sum("greenlight_store_up") == 1
    assert scraped.sum("greenlight_spent_today_usd") > 0
    assert scraped.sum("greenlight_budget_largest_share", kind="tenant", period="day") == (
        pytest.approx(scraped.sum("greenlight_spent_today_usd") / 100)
    )


def test_documents_name_the_files_of_the_dashboard() -> None:
    text = (ROOT / "docs" / "observability.md").read_text("utf-8")
    assert not [path.name for path in Path(FOLDER).iterdir() if path.name not in text]


def test_parsers_count_from_zero() -> None:
    """An alert on a counter that appears with its first failure would miss that one."""
    shown = {
        sample.labels["reason"] for family in PARSER_ENDS.collect() for sample in family.samples
    }
    assert shown == {"time", "died"}

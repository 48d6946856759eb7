"""The alerts and the dashboard of `ops/`: each alert on series that must fire it and on series that must not, the dashboard on a real server."""

import contextlib
import json
import re
import subprocess

import pytest
import requests
import yaml

from support.harness import ROOT, free_port, wait_until
from support.names import API_KEY, TIMEOUT
from support.servers.site import a_site

ALERTS = ROOT / "ops/alerts.yaml"
DASHBOARD = ROOT / "ops/dashboard.json"
RULES = {rule["alert"]: rule for group in yaml.safe_load(ALERTS.read_text())["groups"] for rule in group["rules"]}
DAY = 86400
# Of each alert: the series that fire it, then those that do not. A series has a value each minute, by promtool's notation.
JOB = 'job="gatehouse", instance="a"'
CASES = {
    "GatehouseDown": ({f"up{{{JOB}}}": "0x60"}, {f"up{{{JOB}}}": "1x60"}),
    "GatehouseNotReady": ({f"gatehouse_ready{{{JOB}}}": "0x60"}, {f"gatehouse_ready{{{JOB}}}": "1x57 0 0 1"}),
    "GatehouseErrors": (
        {f'http_requests_total{{{JOB}, status="{status}"}}': f"0+{step}x60" for status, step in (("200", 98), ("503", 2))},
        {f'http_requests_total{{{JOB}, status="{status}"}}': f"0+{step}x60" for status, step in (("200", 1000), ("503", 2), ("404", 900))},
    ),
    "GatehouseSignInsRefused": (
        {
            f'gatehouse_sign_ins_total{{{JOB}, project="p", provider="password", outcome="{outcome}"}}': f"0+{step}x60"
            for outcome, step in (("signed_in", 10), ("refused", 15))
        },
        # Few, and many of which most succeed.
        {
            f'gatehouse_sign_ins_total{{{JOB}, project="p", provider="{provider}", outcome="{outcome}"}}': f"0+{step}x60"
            for provider, outcome, step in (
                ("google.com", "refused", 10),
                ("google.com", "signed_in", 1),
                ("password", "refused", 40),
                ("password", "signed_in", 60),
            )
        },
    ),
    "GatehouseProviderFails": (
        {f'gatehouse_provider_requests_total{{provider="x", outcome="{outcome}"}}': "0+5x60" for outcome in ("answered", "server_error")},
        {
            f'gatehouse_provider_requests_total{{provider="x", outcome="{outcome}"}}': f"0+{step}x60"
            for outcome, step in (("answered", 50), ("failed", 1))
        },
    ),
    "GatehouseRefreshTokensReused": (
        {"gatehouse_refresh_tokens_reused_total": "0+1x60"},
        {"gatehouse_refresh_tokens_reused_total": "3x55 4x5"},
    ),
    "GatehouseHashingRefused": (
        {f"gatehouse_hashing_refused_total{{{JOB}}}": "0x58 7x2"},
        {f"gatehouse_hashing_refused_total{{{JOB}}}": "7x60"},
    ),
    "GatehouseDatabaseRefused": (
        {f'gatehouse_database_refused_total{{{JOB}, loop="0"}}': "0x58 7x2"},
        {f'gatehouse_database_refused_total{{{JOB}, loop="0"}}': "7x60"},
    ),
    "GatehouseDatabaseWaiting": (
        {f'gatehouse_database_waiting{{{JOB}, loop="{loop}"}}': "8x60" for loop in (0, 1)},
        {f'gatehouse_database_waiting{{{JOB}, loop="{loop}"}}': "3x60" for loop in (0, 1)},
    ),
    "GatehouseMailWaits": (
        {"gatehouse_mail_outbox_oldest_seconds": "0+60x60"},
        {"gatehouse_mail_outbox_oldest_seconds": "0 60 120 300 0x56"},
    ),
    "GatehouseDeliveriesFailed": (
        {'gatehouse_events_total{outcome="failed"}': "0x50 1x10"},
        {f'gatehouse_mails_total{{outcome="{outcome}"}}': values for outcome, values in (("failed", "4x60"), ("deferred", "0+1x60"))},
    ),
    "GatehouseCredentialExpires": (
        {'gatehouse_provider_secret_expires_timestamp_seconds{project="p", provider="apple.com"}': f"{13 * DAY}x60"},
        {'gatehouse_provider_secret_expires_timestamp_seconds{project="p", provider="apple.com"}': f"{15 * DAY}x60"},
    ),
    "GatehouseSigningKeyOld": (
        {'gatehouse_signing_key_age_seconds{algorithm="RS256", purpose="idToken"}': f"{401 * DAY}x120"},
        {'gatehouse_signing_key_age_seconds{algorithm="RS256", purpose="idToken"}': f"{399 * DAY}x120"},
    ),
    "GatehouseReloadRefused": (
        {f"gatehouse_config_last_reload_successful{{{JOB}}}": "0x60"},
        {f"gatehouse_config_last_reload_successful{{{JOB}}}": "1x60"},
    ),
    "GatehouseLogLinesLost": (
        {f'gatehouse_log_lines_dropped_total{{{JOB}, kind="event"}}': "0x55 9x5"},
        {f'gatehouse_log_lines_dropped_total{{{JOB}, kind="access"}}': "0x55 9x5"},
    ),
    "GatehouseMigrationUnavailable": (
        {'gatehouse_migration_exchanges_total{project="p", outcome="unavailable"}': "0+1x60"},
        {'gatehouse_migration_exchanges_total{project="p", outcome="exchanged"}': "0+9x60"},
    ),
    "GatehouseMirrorBehind": (
        {'gatehouse_migration_mirror_behind_seconds{project="p", purpose="accounts"}': "0+60x60"},
        {'gatehouse_migration_mirror_behind_seconds{project="p", purpose="accounts"}': "30x60"},
    ),
    "GatehouseDescriptorsRunOut": (
        {f"process_{name}_fds{{{JOB}}}": f"{value}x60" for name, value in (("open", 900), ("max", 1000))},
        {f"process_{name}_fds{{{JOB}}}": f"{value}x60" for name, value in (("open", 700), ("max", 1000))},
    ),
}


def promtool(*arguments):
    return subprocess.run(["promtool", *arguments], capture_output=True, text=True, timeout=TIMEOUT)


def test_prometheus_takes_the_rules():
    result = promtool("check", "rules", "--lint=all", "--lint-fatal", ALERTS)
    assert result.returncode == 0, result.stdout + result.stderr


def case(series, fires, minutes):
    expected = [{"labels": f'{{alertname="{fires}"}}', "value": 1}] if fires else []
    query = {"expr": 'count by (alertname) (ALERTS{alertstate="firing"})', "eval_time": f"{minutes}m", "exp_samples": expected}
    return {
        "interval": "1m",
        "input_series": [{"series": name, "values": values} for name, values in series.items()],
        "promql_expr_test": [query],
    }


def test_each_alert_fires_on_its_series_and_not_on_harmless_ones(tmp_path):
    assert set(CASES) == set(RULES)
    tests = []
    for name, (bad, good) in CASES.items():
        minutes = 120 if RULES[name].get("for") == "1h" else 60
        tests += [case(bad, name, minutes), case(good, None, minutes)]
    file = tmp_path / "tests.yaml"
    file.write_text(yaml.safe_dump({"rule_files": [str(ALERTS)], "evaluation_interval": "1m", "tests": tests}))
    result = promtool("test", "rules", file)
    assert result.returncode == 0, result.stdout + result.stderr


def test_each_alert_says_what_to_look_at():
    for name, rule in RULES.items():
        assert rule["labels"]["severity"] in ("page", "warn") and rule["annotations"]["summary"], name


# -- on a server that Prometheus reads


def expressions():
    """Each expression of the dashboard, with the panel's title."""
    panels = json.loads(DASHBOARD.read_text())["panels"]
    return [(panel["title"], target["expr"]) for panel in panels for target in panel.get("targets", [])]


class Prometheus:
    """A Prometheus that reads one server every second."""

    def __init__(self, folder, server):
        port = free_port()
        self.url = f"http://127.0.0.1:{port}"
        target = server.operations.removeprefix("http://")
        scrape = {"job_name": "gatehouse", "scrape_interval": "1s", "static_configs": [{"targets": [target]}]}
        (folder / "prometheus.yaml").write_text(yaml.safe_dump({"scrape_configs": [scrape], "rule_files": [str(ALERTS)]}))
        options = [
            f"--config.file={folder}/prometheus.yaml",
            f"--storage.tsdb.path={folder}/data",
            f"--web.listen-address=127.0.0.1:{port}",
        ]
        with open(folder / "prometheus.log", "wb") as log:
            self.process = subprocess.Popen(["setpriv", "--pdeathsig", "KILL", "prometheus", *options], stdout=log, stderr=log)

    def query(self, expression):
        answer = requests.get(f"{self.url}/api/v1/query", {"query": expression}, timeout=TIMEOUT).json()
        assert answer["status"] == "success", (expression, answer)
        return answer["data"]["result"]

    def has(self, expression, least=0):
        with contextlib.suppress(requests.ConnectionError, requests.JSONDecodeError):
            return any(float(entry["value"][1]) > least for entry in self.query(expression))

    def close(self):
        self.process.kill()
        self.process.wait(TIMEOUT)


@pytest.fixture(scope="module")
def scraped(doubles, tmp_path_factory):
    """A Prometheus that has read a server in which something of everything happened."""
    project = {"signIn": {"password": True, "emailLink": True, "anonymous": True}}
    settings = {"operations": {"listen": f"127.0.0.1:{free_port()}"}}
    with a_site({"oidc.fake": doubles["oidc.fake"].entry()}, project=project, settings=settings) as site:
        server = site.serve()
        prometheus = Prometheus(tmp_path_factory.mktemp("prometheus"), server)
        try:
            wait_until(lambda: prometheus.has("up"), what="the first reading")
            api = server.api(API_KEY)
            api.call("createAuthUri", {"identifier": "ada@example.com", "continueUri": f"{site.page}", "providerId": "oidc.fake"})
            for number in range(2):
                api.succeed("signUp", {"email": f"ada{number}@example.com", "password": "correct horse", "returnSecureToken": True})
                api.call("signInWithPassword", {"email": f"ada{number}@example.com", "password": "wrong"})
                api.succeed("sendOobCode", {"requestType": "PASSWORD_RESET", "email": f"ada{number}@example.com"})
                requests.get(site.url + "/health/live", timeout=TIMEOUT)
                wait_until(
                    lambda number=number: prometheus.has('gatehouse_mails_total{outcome="sent"}', number), what="the mail in Prometheus"
                )
            yield prometheus
        finally:
            prometheus.close()


@pytest.mark.parametrize("title, expression", expressions(), ids=[f"{title}-{number}" for number, (title, _) in enumerate(expressions())])
def test_the_dashboard_shows_something_of_a_server(scraped, title, expression):
    query = expression.replace("$__rate_interval", "1m").replace("$instance", ".*")
    assert "$" not in query, "a variable that the test does not know"
    names = set(re.findall(r"\b(?:gatehouse|http|process)_[a-z_]+", query))
    for name in names:
        assert scraped.query(name), f"{title}: no series {name}"
    assert scraped.query(query), f"{title}: {query}"


def test_the_alerts_name_metrics_that_a_server_has(scraped):
    # These appear with their first event, or need a part that this server has not; the page of metrics has them.
    page = (ROOT / "docs/operations/monitoring.md").read_text()
    for name, rule in RULES.items():
        for metric in re.findall(r"\b(?:gatehouse|http|process)_[a-z_]+(?=[{\[ )])", rule["expr"]):
            assert f"`{metric}`" in page, f"{name}: {metric}"
        scraped.query(rule["expr"])


def test_no_alert_fires_on_a_server_that_is_well(scraped):
    assert scraped.query('ALERTS{alertstate="firing"}') == []

"""schemathesis, which others wrote, tries every call of the description with what fits its types and with what does not."""

import json
import re
import subprocess
import sys

import pytest

from support.description import description
from support.names import API_KEY, METHODS
from support.servers.site import a_site

pytestmark = pytest.mark.long

# Only ends a run that hangs: the number of examples bounds each run.
LONGEST = 600
EXAMPLES = 12
# What fits the types must be answered as the description says. What does not fit may be refused before any call sees it: a path with
# control characters has an empty 400.
CHECKS = {
    "positive": "not_a_server_error,status_code_conformance,content_type_conformance,response_schema_conformance",
    "negative": "not_a_server_error",
}
# Whose credentials are sent, and to which calls.
CALLERS = {
    "client": (f"x-goog-api-key: {API_KEY}", "^(?!administrator$)"),
    "owner": ("Authorization: Bearer owner", "^administrator$"),
}
CLIENT = {"id": "app", "kind": "native", "authentication": "none", "redirectURIs": ["com.example.app:/back"]}


@pytest.fixture(scope="module")
def site():
    with a_site(settings={"developmentProject": "demo"}, project={"signIn": METHODS, "openIDProvider": {"clients": [CLIENT]}}) as site:
        site.serve()
        yield site


@pytest.mark.parametrize("mode", CHECKS)
@pytest.mark.parametrize("caller", CALLERS)
def test_no_call_answers_what_its_description_does_not_say(site, caller, mode, tmp_path):
    header, access = CALLERS[caller]
    written = dict(description())
    written["paths"] = {path: kept for path, item in written["paths"].items() if (kept := of_access(item, access))}
    (tmp_path / "openapi.json").write_text(json.dumps(written))
    # Not TRACE, which no path answers: 501, as RFC 9110 says.
    (tmp_path / "schemathesis.toml").write_text('[phases.coverage]\nunexpected-methods = ["DELETE", "GET", "PATCH", "POST", "PUT"]\n')
    command = [sys.executable, "-m", "schemathesis.cli", "run", "openapi.json", "--url", site.url, "--header", header, "--mode", mode]
    command += ["--checks", CHECKS[mode], "--max-examples", str(EXAMPLES), "--seed", "1", "--phases", "examples,coverage,fuzzing"]
    command += ["--continue-on-failure", "--suppress-health-check", "all", "--no-shrink", "--warnings", "off", "--no-color"]
    result = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, timeout=LONGEST)
    assert result.returncode == 0, result.stdout[-20000:] + result.stderr[-2000:]
    tested = int(re.search(r"Tested: (\d+)", result.stdout)[1])
    assert tested == sum(len(item) for item in written["paths"].values()), result.stdout[-2000:]
    assert "request failed" not in site.servers[0].log()


def of_access(item, pattern):
    """The operations of a path that callers of one kind may use."""
    return {method: operation for method, operation in item.items() if re.search(pattern, operation["x-gatehouse-access"])}

"""Runs schemathesis, which others wrote, on calls of the description, with what fits their types and with what does not."""

import json
import re
import subprocess
import sys

from support.description import description
from support.names import API_KEY

# Only ends a run that hangs: the number of examples bounds each run.
LONGEST = 600
EXAMPLES = 12
# What fits the types must be answered as the description says. What does not fit may be refused before any call sees it: a path with
# control characters has an empty 400.
CHECKS = {
    "positive": "not_a_server_error,status_code_conformance,content_type_conformance,response_schema_conformance",
    "negative": "not_a_server_error",
}
# Whose credentials are sent, and to which calls. Each caller has a file of tests, so that several processes share the work.
KEY = f"x-goog-api-key: {API_KEY}"
CALLERS = {
    "client": (KEY, "^(apiKey|development)$"),
    "owner": ("Authorization: Bearer owner", "^administrator$"),
    "anyone": (KEY, "^(?!apiKey$|development$|administrator$)"),
}


def try_calls(site, caller, mode, folder):
    """Fails for a call of this caller that answers what its description does not say."""
    header, access = CALLERS[caller]
    written = dict(description())
    written["paths"] = {path: kept for path, item in written["paths"].items() if (kept := of_access(item, access))}
    (folder / "openapi.json").write_text(json.dumps(written))
    # Not TRACE, which no path answers: 501, as RFC 9110 says.
    (folder / "schemathesis.toml").write_text('[phases.coverage]\nunexpected-methods = ["DELETE", "GET", "PATCH", "POST", "PUT"]\n')
    command = [sys.executable, "-m", "schemathesis.cli", "run", "openapi.json", "--url", site.url, "--header", header, "--mode", mode]
    command += ["--checks", CHECKS[mode], "--max-examples", str(EXAMPLES), "--seed", "1", "--phases", "examples,coverage,fuzzing"]
    command += ["--continue-on-failure", "--suppress-health-check", "all", "--no-shrink", "--warnings", "off", "--no-color"]
    result = subprocess.run(command, cwd=folder, capture_output=True, text=True, timeout=LONGEST)
    assert result.returncode == 0, result.stdout[-20000:] + result.stderr[-2000:]
    tested = int(re.search(r"Tested: (\d+)", result.stdout)[1])
    assert tested == sum(len(item) for item in written["paths"].values()), result.stdout[-2000:]
    assert "request failed" not in site.servers[0].log()


def of_access(item, pattern):
    """The operations of a path that callers of one kind may use."""
    return {method: operation for method, operation in item.items() if re.search(pattern, operation["x-gatehouse-access"])}

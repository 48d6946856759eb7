"""The raw HTTP/1.1 cases of a file that `GATEHOUSE_HTTP_PROBE` names, each on a connection of its own."""

import json
import os
import pathlib
import re
import socket
import time
from concurrent.futures import ThreadPoolExecutor

import pytest
import requests

from support.names import TIMEOUT

PROBE = os.environ.get("GATEHOUSE_HTTP_PROBE")

# Cases in which our answer differs from what the file expects, and the reason. Any other failing case is a mistake of ours.
REASONED: dict[str, str] = {}


def cases():
    if not PROBE:
        return []
    return json.loads(pathlib.Path(PROBE).read_text())["tests"]


def send(port, raw, quiet=0.5, total=4.0):
    """All status codes that come back, and whether the server closed."""
    answer, closed = b"", False
    with socket.create_connection(("127.0.0.1", port), 5) as connection:
        connection.settimeout(quiet)
        end = time.monotonic() + total
        try:
            connection.sendall(raw)
            while time.monotonic() < end:
                chunk = connection.recv(65536)
                if not chunk:
                    closed = True
                    break
                answer += chunk
        except TimeoutError:
            pass
        except OSError:
            closed = True
    return [int(code) for code in re.findall(rb"HTTP/1\.[01] (\d{3})", answer)], closed


def fits(case, statuses, closed):
    """Whether the answer is the expected one; cases with free text only state a preference."""
    expect = case["expect"]
    first = statuses[0] if statuses else None
    if not expect["status"]:
        return True
    exact = re.fullmatch(r"Exact\((\d+)\)", expect["status"])
    if exact:
        good = first == int(exact[1])
    else:
        assert expect["status"] == "Range2xx", expect["status"]
        good = first is not None and 200 <= first < 300
    return good or first is None and closed and expect["close_ok"]


@pytest.mark.skipif(not PROBE, reason="GATEHOUSE_HTTP_PROBE names no file of cases")
def test_SEC_19_the_raw_cases_of_HTTP_1_1(site):
    host = f"127.0.0.1:{site.port}"
    listed = cases()
    failed = {}

    def one(index):
        case = listed[index]
        statuses, closed = send(site.port, case["payload"].replace("@HOST@", host).encode("latin-1", "replace"))
        if case["scored"] and not fits(case, statuses, closed):
            failed[case["id"]] = f"got {statuses}, closed={closed}, want {case['expect']['status']}: {case['description']}"

    with ThreadPoolExecutor(12) as pool:
        list(pool.map(one, range(len(listed))))
    assert len(listed) >= 100
    unexplained = {name: what for name, what in failed.items() if name not in REASONED}
    assert not unexplained, "\n".join(f"{name}: {what}" for name, what in sorted(unexplained.items()))
    assert set(REASONED) <= set(failed), "reasons for cases that pass"
    assert requests.get(site.url + "/health/live", timeout=TIMEOUT).status_code == 200

"""What clients send makes no new series of metrics, and takes no memory that stays."""

import http.client
import random
import re
from urllib.parse import urlsplit

import requests

from support.names import API_KEY, TIMEOUT
from support.servers.site import a_site

METHODS = ["GET", "POST", "PUT", "PATCH", "DELETE", "OPTIONS", "HEAD", "TRACE"]


def word(chance):
    return "".join(chance.choices("abcdefghijklmnopqrstuvwxyz0123456789", k=chance.randint(1, 24)))


def headers(chance):
    """The headers of tracing, with made-up ids and states, and others that no one knows."""
    trace, span = chance.randbytes(16).hex(), chance.randbytes(8).hex()
    return {
        "traceparent": chance.choice([f"00-{trace}-{span}-0{chance.randint(0, 3)}", f"ff-{trace}", word(chance)]),
        "tracestate": f"{word(chance)}={word(chance)}",
        "baggage": f"{word(chance)}={word(chance)}",
        "x-b3-sampled": chance.choice("01d"),
        "x-b3-traceid": trace,
        "x-request-id": word(chance),
        "user-agent": word(chance),
        "origin": f"https://{word(chance)}.example.com",
        f"x-{word(chance)}": word(chance),
    }


def path(chance):
    return chance.choice(
        [
            f"/{word(chance)}/{word(chance)}",
            f"/v1/accounts:{word(chance)}?key={API_KEY}",
            f"/v1/accounts:signUp?key={word(chance)}",
            f"/v1/projects/{word(chance)}/accounts:lookup",
            f"/v2/projects/demo/tenants/{word(chance)}?key={API_KEY}",
            f"/{word(chance)}/oauth2/jwks",
            f"/__/auth/{word(chance)}?providerId={word(chance)}",
            f"/v1/accounts:signInWithPassword?key={API_KEY}",
        ]
    )


def send(server, count, chance):
    """Any answer will do. A connection that the server has closed is opened anew."""
    connection = http.client.HTTPConnection(urlsplit(server.url).netloc, timeout=TIMEOUT)
    for _ in range(count):
        try:
            body = f'{{"email":"{word(chance)}@example.com","password":"{word(chance)}","{word(chance)}":1}}'
            method = chance.choice([*METHODS, word(chance).upper()])
            more = {"host": f"{word(chance)}.example.com"} if chance.random() < 0.2 else {}
            connection.request(method, path(chance), body, {"content-type": "application/json", **headers(chance), **more})
            connection.getresponse().read()
        except (http.client.HTTPException, OSError):
            connection.close()
    connection.close()


def series(server):
    """The names and labels of all series, without those of this question."""
    text = requests.get(server.operations + "/metrics", timeout=TIMEOUT).text
    return {line.rpartition(" ")[0] for line in text.splitlines() if line and not line.startswith("#") and "/metrics" not in line}


def resident(server):
    status = open(f"/proc/{server.process.pid}/status").read()
    return int(re.search(r"VmRSS:\s+(\d+) kB", status)[1])


def test_SEC_72_headers_methods_paths_and_keys_of_clients_make_no_series_and_take_no_memory():
    chance = random.Random(72)
    # Each thread that hashes keeps the 16 MiB of its last hash, so all hashes are given to one.
    settings = {"logLevel": "error", "passwordHashing": {"threads": 1}}
    with a_site(project={"signIn": {"password": True}}, settings=settings) as site:
        server = site.serve()
        # Routes and statuses have their series with their first answer, and memory is taken for as many requests at a time; these are all that there are.
        send(server, 10_000, chance)
        known, before = series(server), resident(server)
        send(server, 10_000, chance)
        new = series(server) - known
        assert len(new) <= 3 and not [name for name in new if not name.startswith("http_request")], new
        assert resident(server) - before < 8 * 1024

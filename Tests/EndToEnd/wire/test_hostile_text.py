"""SEC-49: text from outside costs no more than its size, whatever Unicode makes of it.

Swift compares and hashes a `String` by canonical equivalence, in time that grows with the square of a run of combining marks: a mebibyte of
them would hold a loop for minutes. Routes, names of fields and names of headers are read from the sources, so that a new one is tried too.
"""

import http.client
import re
import time

import pytest
import requests

from support.names import API_KEY, TIMEOUT
from support.routes import FEATURES, routes
from support.servers.site import Site

FIELD = re.compile(r"^ +var (\w+): (?:UTF8Text|JSON|FieldUpdate|\[|\w+\?)", re.M)
NAMED = re.compile(r"(?:query|form|answer|body|object)(?:\.text\(|\[|\.all\()\"(\w+)\"")
HEADER = re.compile(r"headers(?:\[|\.values\(|\.cookie\()\"([\w-]+)\"")

MARKS = "\u0316\u0301"
PAIR = MARKS.encode()
SIZE = 1 << 20
# Of one header, below the limit of a head (32 KiB).
HEADER_SIZE = 28_000
# Seconds, after which a machine should have had a quiet moment.
PATIENCE = 30


def names(pattern):
    return sorted({name for text in FEATURES for name in pattern.findall(text)})


FIELDS = sorted({*names(FIELD), *names(NAMED)})
HEADERS = sorted(
    {*names(HEADER), "authorization", "x-goog-api-key", "cookie", "origin", "user-agent", "forwarded", "x-forwarded-for"} - {"host"}
)

# What a call looks at before it comes to the field that is tried.
USUAL = {
    "email": "ada@example.com", "password": "correct horse", "requestType": "PASSWORD_RESET", "grantType": "refresh_token",
    "requestUri": "http://localhost", "providerId": "oidc.real", "continueUri": "http://localhost", "sessionId": "a" * 20,
}  # fmt: skip


@pytest.fixture(scope="module")
def site():
    site = Site()
    site.serve()
    yield site
    site.close()


def quick(send):
    """Sends a request made of marks until one is answered as fast as the same of letters, and gives its time.

    A machine that is busy makes some of the tries slow, and a cost that grows with the square makes every one of them slow: minutes for a
    mebibyte, so that not even the time limit of one request is kept.
    """
    letters = min(send(b"abcd")[1] for _ in range(3))
    times = []
    enough = time.monotonic() + PATIENCE
    while len(times) < 10 or time.monotonic() < enough:
        status, took = send(PAIR)
        assert status < 500 or status in (501, 503), status
        times.append(took)
        if took < 4 * letters + 0.05:
            return took
    raise AssertionError(f"{min(times):.3f} s at best for marks, {letters:.3f} s for as many letters")


def timed(session, method, url, **options):
    started = time.monotonic()
    response = session.request(method, url, timeout=TIMEOUT, allow_redirects=False, **options)
    return response.status_code, time.monotonic() - started


def filled(text, size):
    return text * (size // len(text))


SLOWEST = {}


def alive(site, name, took):
    SLOWEST[name] = max(SLOWEST.get(name, 0), took)
    assert requests.get(site.url + "/health/live", timeout=TIMEOUT).status_code == 200


def test_SEC_49_the_lists_are_read_from_the_sources():
    assert len(routes()) > 30 and ("POST", "/v1/accounts:signUp") in routes() and ("GET", "/__/auth/handler") in routes()
    assert {"idToken", "requestType", "grant_type", "continueUrl", "relay"} <= set(FIELDS)
    assert {"content-type", "sec-fetch-dest", "if-none-match", "accept-language"} <= set(HEADERS)


@pytest.mark.parametrize("method, path", routes(), ids=lambda value: value)
def test_SEC_49_a_name_of_marks(site, method, path):
    with requests.Session() as session:

        def json_name(text):
            body = b'{"' + filled(text, SIZE - 16) + b'":0}'
            return timed(session, method, site.url + path, params={"key": API_KEY}, data=body)

        def form(text, before=b"", after=b"=x"):
            kind = {"content-type": "application/x-www-form-urlencoded"}
            return timed(
                session, method, site.url + path, params={"key": API_KEY}, data=before + filled(text, SIZE - 64) + after, headers=kind
            )

        alive(site, "JSON name", quick(json_name))
        alive(site, "form name", quick(form))
        alive(site, "form value", quick(lambda text: form(text, b"grant_type=", b"")))


@pytest.mark.parametrize("method, path", [route for route in routes() if route[0] != "GET"], ids=lambda value: value)
def test_SEC_49_a_value_of_marks(site, method, path):
    text_of_route = "".join(text for text in FEATURES if f'"{path}"' in text)
    own = [field for field in FIELDS if re.search(rf"\b{field}\b", text_of_route)] or FIELDS[:1]
    with requests.Session() as session:
        for field in own:

            def value(text):
                others = "".join(f'"{name}":"{usual}",' for name, usual in USUAL.items() if name != field)
                body = ("{" + others + f'"{field}":"').encode() + filled(text, SIZE - 1024) + b'"}'
                return timed(session, method, site.url + path, params={"key": API_KEY}, data=body)

            alive(site, "JSON value", quick(value))


@pytest.mark.parametrize("header", HEADERS)
def test_SEC_49_a_header_of_marks(site, header):
    paths = [("POST", "/v1/accounts:lookup"), ("GET", "/__/auth/handler.js"), ("GET", "/__/auth/handler"), ("POST", "/__/auth/pending"),
             ("POST", "/__/auth/action"), ("POST", "/v1/token"), ("OPTIONS", "/v1/token")]  # fmt: skip
    with requests.Session() as session:
        for method, path in paths:

            def value(text):
                key = {} if header == "x-goog-api-key" else {"key": API_KEY}
                return timed(session, method, site.url + path, params=key, data=b"", headers={header: filled(text, HEADER_SIZE)})

            alive(site, "header", quick(value))


def test_SEC_49_marks_in_a_query(site):
    # Sent as it is: `requests` alone would spend tens of milliseconds on the quoting of such an address.
    connection = http.client.HTTPConnection("127.0.0.1", site.port, timeout=TIMEOUT)
    for field in FIELDS:
        for path in ("/__/auth/handler", "/__/auth/start", "/__/auth/action", "/__/auth/iframe"):

            def value(text):
                escaped = "".join(f"%{byte:02x}" for byte in text)
                started = time.monotonic()
                connection.request("GET", f"{path}?apiKey={API_KEY}&{field}=" + escaped * 500)
                response = connection.getresponse()
                response.read()
                return response.status, time.monotonic() - started

            alive(site, "query", quick(value))
    connection.close()


def test_SEC_49_an_object_of_many_hostile_names_costs_its_size(site):
    def members(text):
        unit = text.decode()
        body = "{" + ",".join(f'"{number}{unit * 20}":0' for number in range(12_000)) + "}"
        with requests.Session() as session:
            return timed(session, "POST", site.url + "/v1/accounts:lookup", params={"key": API_KEY}, data=body.encode())

    alive(site, "many names", quick(members))


def test_SEC_49_the_times(site):
    """Last, so that a run with `-s` shows the slowest request of each kind."""
    print("\nslowest, in ms:", {name: round(1000 * took, 1) for name, took in SLOWEST.items()})

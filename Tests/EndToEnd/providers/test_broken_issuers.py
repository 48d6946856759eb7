"""Issuers that break, keep silent or name other addresses: no sign-in succeeds, nothing is half-written, no private address is called."""

import json
import threading
import time

import pytest
from werkzeug.wrappers import Response

from support.clients.api import assert_error, posted
from support.clients.flows import WebFlow, query_of, refused
from support.harness import together
from support.jwts import foreign_key
from support.names import TIMEOUT
from support.servers.site import Site, a_site
from support.tables import for_each

pytestmark = pytest.mark.long


def test_an_unknown_kid_is_looked_up_once_a_minute(hostile):
    with a_site({hostile.provider: hostile.entry()}) as site:
        api = site.serve().api()
        WebFlow(site, hostile.provider).run(hostile.login("kid"))
        stray = foreign_key("stray")
        tokens = [hostile.id_token("kid", key=stray) for _ in range(100)]

        def post(i):
            return [posted(api, {"providerId": hostile.provider, "id_token": token}).status_code for token in tokens[i * 4 : i * 4 + 4]]

        assert {status for batch in together(25, post) for status in batch} == {400}
        assert hostile.asked().count("jwks") <= 2


def broken_answers():
    yield (
        "error 400",
        lambda r: Response(
            '{"error":"invalid_grant","error_description":"AADSTS70008: for somebody@example.com"}', 400, content_type="application/json"
        ),
    )
    yield "error 401", lambda r: Response('{"error":"invalid_client"}', 401, content_type="application/json")
    yield "error with 200", lambda r: {"error": "invalid_grant"}
    yield "500", lambda r: Response("Internal Server Error", 500)
    yield "503", lambda r: Response("", 503, {"Retry-After": "1"})
    yield "HTML", lambda r: Response("<html>It works!</html>", content_type="text/html")
    yield "empty", lambda r: Response("")
    yield "truncated JSON", lambda r: Response('{"access_token": "at', content_type="application/json")
    yield "a list", lambda r: []
    yield "garbage", lambda r: Response(bytes(range(256)) * 8)
    yield "no tokens", lambda r: {}
    yield "null tokens", lambda r: {"access_token": None, "id_token": None, "token_type": "Bearer"}
    yield "access token without ID token", lambda r: {"access_token": "an-access-token-alone", "token_type": "Bearer"}
    yield "duplicate fields", lambda r: Response('{"id_token":"a","id_token":"b"}', content_type="application/json")
    yield "302", lambda r: Response("", 302, {"Location": "/elsewhere"})
    yield "307", lambda r: Response("", 307, {"Location": "/elsewhere"})
    yield "over 1 MiB", lambda r: Response(b'{"id_token":"' + b"x" * (1 << 20) + b'"}', content_type="application/json")
    yield "deep JSON", lambda r: Response("[" * 10_000, content_type="application/json")


@for_each(broken_answers(), issuer="hostile_provider")
def test_a_broken_token_endpoint_is_refused(name, answer, site, hostile_provider):
    hostile_provider.answers["token"] = answer
    message = refused(site, hostile_provider, code="NETWORK_REQUEST_FAILED" if name in ("500", "503") else "INVALID_IDP_RESPONSE")
    assert "somebody@example.com" not in message
    assert hostile_provider.count("/elsewhere") == 0, "SEC-13: no redirect is followed"


def test_SEC_13_silence_ends_in_ten_seconds(site, fake_issuer, microsoft):
    """Both at once, to wait only once."""

    released = threading.Event()

    def hang(request):
        released.wait(TIMEOUT)
        return {}

    before = site.counts()
    flows = []
    for provider, issuer in (("oidc.fake", fake_issuer), ("microsoft.com", microsoft)):
        flow = WebFlow(site, provider)
        flows.append((flow, flow.to_app(issuer.login("silence"))))
        issuer.answers["token"] = hang
    began = time.monotonic()
    for response in together(2, lambda i: flows[i][0].redeem(flows[i][1])):
        assert_error(response, "NETWORK_REQUEST_FAILED")
    # The issuer is still silent: only the time limit of ten seconds has ended these calls.
    assert not released.is_set() and time.monotonic() - began > 5
    released.set()
    assert site.counts() == before


def broken_documents():
    def change(**fields):
        return lambda issuer, honest: {name: value for name, value in {**honest, **fields}.items() if value is not None}

    yield "another issuer", change(issuer="https://evil.example")
    yield "issuer with a slash more", lambda issuer, honest: {**honest, "issuer": issuer.url + "/"}
    yield "issuer in other letters", lambda issuer, honest: {**honest, "issuer": issuer.url.replace("http", "HTTP")}
    yield "no issuer", change(issuer=None)
    yield "issuer as list", lambda issuer, honest: {**honest, "issuer": [issuer.url]}
    yield "no token endpoint", change(token_endpoint=None)
    yield "no keys", change(jwks_uri=None)
    yield "endpoint as number", change(authorization_endpoint=7)
    yield "endpoint of another scheme", change(authorization_endpoint="javascript:alert(1)")
    yield "token endpoint in a file", change(token_endpoint="file:///etc/passwd")
    yield "500", lambda issuer, honest: Response("no", 500)
    yield "404", lambda issuer, honest: Response("no", 404)
    yield "302", lambda issuer, honest: Response("", 302, {"Location": "/elsewhere"})
    yield "HTML", lambda issuer, honest: Response("<html>", content_type="text/html")
    yield "garbage", lambda issuer, honest: Response(bytes(range(256)))
    yield "a list", lambda issuer, honest: []
    yield "over 1 MiB", lambda issuer, honest: Response(b'{"issuer":"' + b"x" * (1 << 20) + b'"}')
    yield "a field twice", lambda issuer, honest: Response('{"issuer":"a",' + json.dumps(honest)[1:])


DOCUMENTS = dict(broken_documents())


@pytest.fixture(scope="module")
def documents(fake_issuer_of_session):
    """A provider for each broken document, since the result of a document is kept for an hour."""
    address = fake_issuer_of_session.url + "/.well-known/openid-configuration?n="
    site = Site({f"oidc.d{number}": fake_issuer_of_session.entry(discoveryURL=address + str(number)) for number in range(len(DOCUMENTS))})
    site.serve()
    yield site
    site.close()


@pytest.mark.parametrize("name", DOCUMENTS)
def test_SEC_01_no_sign_in_succeeds_with_a_broken_discovery_document(documents, fake_issuer, name):
    number = list(DOCUMENTS).index(name)
    fake_issuer.answers["discovery"] = lambda request: (
        DOCUMENTS[name](fake_issuer, fake_issuer.discovery(request)) if request.args.get("n") == str(number) else None
    )
    provider = f"oidc.d{number}"
    response = WebFlow(documents, provider).start()
    if response.status_code == 302:
        flow = WebFlow(documents, provider)
        callback = flow.callback(fake_issuer.login()(flow.authorization_url()))
        if callback.status_code == 303 and "code=" in callback.headers["location"]:
            assert_error(flow.redeem(callback.headers["location"]), "INVALID_IDP_RESPONSE")
    else:
        assert response.status_code == 303 and response.headers["location"].startswith(documents.page)
        assert query_of(response.headers["location"])["error"] in ("server_error", "temporarily_unavailable")
    if name != "no token endpoint":
        code = "NETWORK_REQUEST_FAILED" if name == "500" else "INVALID_IDP_RESPONSE"
        assert_error(posted(documents.servers[0].api(), {"providerId": provider, "id_token": fake_issuer.id_token()}), code)
    assert fake_issuer.count("/elsewhere") == 0 and fake_issuer.count("/token") == 0


KEY_SETS = {
    "500": Response("no", 500),
    "HTML": Response("<html>"),
    "no key": {"keys": []},
    "a number": {"keys": 7},
    "an object": {},
    "a list": [],
    "302": Response("", 302, {"Location": "/elsewhere"}),
    "over 1 MiB": Response(b'{"keys":["' + b"x" * (1 << 20) + b'"]}'),
}


@pytest.fixture(scope="module")
def key_sets(fake_issuer_of_session):
    """A provider for each broken key set, since a server asks for one once a minute."""
    url = fake_issuer_of_session.url
    usual = {"authorization": url + "/authorize", "token": url + "/token"}
    entries = [fake_issuer_of_session.entry(endpoints={**usual, "jwks": f"{url}/jwks?n={number}"}) for number in range(len(KEY_SETS))]
    with a_site({f"oidc.k{number}": entry for number, entry in enumerate(entries)}) as site:
        site.serve()
        yield site


@pytest.mark.parametrize("name", KEY_SETS)
def test_no_sign_in_succeeds_with_a_broken_key_set(key_sets, fake_issuer, name):
    fake_issuer.answers["jwks"] = KEY_SETS[name]
    provider = f"oidc.k{list(KEY_SETS).index(name)}"
    code = "NETWORK_REQUEST_FAILED" if name == "500" else "INVALID_IDP_RESPONSE"
    assert_error(posted(key_sets.servers[0].api(), {"providerId": provider, "id_token": fake_issuer.id_token()}), code)
    assert key_sets.counts() == {"accounts": 0, "identities": 0, "sessions": 0}
    assert fake_issuer.count("/jwks") == 1 and fake_issuer.count("/elsewhere") == 0


LOOPBACKS = [
    "127.0.0.1",
    "localhost",
    "127.0.0.2",
    "[::1]",
    "[::ffff:127.0.0.1]",
    "[::ffff:7f00:1]",
    "127.1",
    "2130706433",
    "0x7f000001",
    "0.0.0.0",
    "[::]",
    "169.254.169.254",
    "[64:ff9b::7f00:1]",
    "[fe80::1]",
    "10.0.0.1",
    "192.168.0.1",
]


@pytest.fixture(scope="module")
def closed(fake_issuer_of_session):
    """A server that may not call the addresses here, with an entry for each way to write one. Some are not URLs for the configuration."""
    port = fake_issuer_of_session.url.rpartition(":")[2]
    entries = {
        f"oidc.a{number}": {**fake_issuer_of_session.entry(), "discoveryURL": f"http://{host}:{port}/.well-known/openid-configuration"}
        for number, host in enumerate(LOOPBACKS)
    }
    site = Site(settings={"outbound": {"allow": ["198.51.100.0/24"]}})
    accepted = {}
    for provider, entry in entries.items():
        site.project["providers"] = {provider: entry}
        site.write()
        if site.run("check").returncode == 0:
            accepted[provider] = entry
    site.project["providers"] = accepted
    site.write()
    site.serve()
    yield site
    site.close()


@pytest.mark.parametrize("host", LOOPBACKS)
def test_SEC_13_no_spelling_of_a_private_address_is_dialled(closed, fake_issuer, host):
    provider = f"oidc.a{LOOPBACKS.index(host)}"
    response = WebFlow(closed, provider).start()
    assert response.status_code == 303 and "error" in query_of(response.headers["location"])
    assert fake_issuer.requests == []


def test_SEC_13_a_provider_at_a_private_address_is_not_dialled_unless_allowed(fake_issuer):
    site = Site({"oidc.fake": fake_issuer.entry()}, settings={"outbound": {"allow": ["10.0.0.0/8"]}})
    try:
        site.serve()
        response = WebFlow(site, "oidc.fake").start()
        assert response.status_code in (303, 302) and response.headers["location"].startswith(site.page)
        assert "error" in query_of(response.headers["location"])
        assert fake_issuer.requests == []
    finally:
        site.close()

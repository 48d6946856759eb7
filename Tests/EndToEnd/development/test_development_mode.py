"""Development mode is for this machine alone, and production has none of it (SEC-22)."""

import contextlib
import socket

import pytest

from support.clients.api import API, assert_error
from support.clients.emulator import HELPERS, ask, guest
from support.names import API_KEY
from support.servers.site import FILES_ALONE, a_site


@pytest.mark.parametrize("method, path", [*HELPERS, ("GET", "/emulator/v1/projects/demo/verificationCodes")])
@pytest.mark.parametrize("headers", [{}, {"authorization": "Bearer owner"}, {"origin": "http://localhost:3000"}], ids=str)
def test_SEC_22_production_knows_none_of_the_routes(production, method, path, headers):
    unknown = ask(production, method, "/nothing", **headers)
    answer = ask(production, method, path, **headers)
    assert answer.status_code == unknown.status_code == 404
    assert answer.content == unknown.content
    assert {name for name in answer.headers} == {name for name in unknown.headers}
    assert ask(production, method, path + "?key=" + API_KEY, **headers).status_code == 404


def test_SEC_22_production_says_nothing_of_an_emulator(production):
    assert ask(production, "GET", "/").text == "Gatehouse\n"
    assert "DEVELOPMENT" not in production.servers[0].log()


@pytest.mark.parametrize("key", ["fake-api-key", "any", "owner", "demo", API_KEY + "x", API_KEY.upper()])
def test_SEC_22_production_takes_no_key_but_its_own(production, key):
    response = guest(production, key)
    assert_error(response, "API key not valid. Please pass a valid API key.")
    assert response.json()["error"]["details"][0]["reason"] == "API_KEY_INVALID"
    assert production.counts()["accounts"] == 0


@pytest.mark.parametrize("value", ["Bearer owner", "bearer OWNER", "Bearer ya29.token"])
def test_SEC_22_the_token_owner_gives_no_access_in_production(production, value):
    for path in ("/v1/accounts:signUp", "/v1/accounts:lookup", "/v1/accounts:update", "/v1/accounts:delete", "/v1/token"):
        for key in (API_KEY, None):
            response = API(production.url).post(path, {"localId": "somebody"}, key=key, headers={"authorization": value})
            assert_error(response, "Invalid Credentials", 401)


@pytest.mark.parametrize("host", ["0.0.0.0", "[::]", "192.168.1.5", "[2001:db8::1]", "[::ffff:10.0.0.1]", "128.0.0.1"])
def test_SEC_22_development_on_another_listener_is_refused(host):
    with a_site(**FILES_ALONE) as site:
        site.settings["listen"] = f"{host}:{site.port}"
        site.write()
        report = site.run("check")
        assert report.returncode != 0 and "development: needs a loopback address to listen on" in report.stdout
        refused = site.run("serve")
        assert refused.returncode != 0 and "loopback" in refused.stdout + refused.stderr
        site.settings.update(development=False, publicURL="https://auth.example.com")
        site.project["redirectURLs"] = []
        site.write()
        assert "listen" not in site.run("check").stdout


@pytest.mark.parametrize(
    "listen", ["gatehouse.internal:80", "localhost.:80", "127.1:80", "0:80", "::1:80", "[127.0.0.1]:80", "8080", ":80", "*:80"]
)
def test_SEC_22_where_to_listen_is_an_address_and_never_a_name_to_resolve(listen):
    with a_site(**FILES_ALONE) as site:
        site.settings["listen"] = listen
        site.write()
        report = site.run("check")
        assert report.returncode != 0 and "listen: expected an IP address" in report.stdout, report.stdout


@pytest.mark.parametrize(
    "host, reached", [("localhost", "127.0.0.1"), ("127.0.0.2", "127.0.0.2"), ("[::1]", "::1"), ("127.0.0.1", "127.0.0.1")]
)
def test_SEC_22_every_loopback_address_will_do_and_is_the_only_one(host, reached):
    with a_site() as site:
        site.settings["listen"] = f"{host}:{site.port}"
        site.write()
        server = site.serve(wait=False)
        server.logged('"serving"')
        assert "DEVELOPMENT MODE" in server.log().splitlines()[0]
        for address in ("127.0.0.1", "127.0.0.2", "::1"):
            with contextlib.closing(socket.socket(socket.AF_INET6 if ":" in address else socket.AF_INET)) as client:
                assert (client.connect_ex((address, site.port)) == 0) == (address == reached), address


def test_SEC_22_the_development_project_needs_development_mode():
    with a_site(**FILES_ALONE) as site:
        site.settings.update(development=False, publicURL="https://auth.example.com", developmentProject="demo")
        site.project["redirectURLs"] = []
        site.write()
        report = site.run("check")
        assert report.returncode != 0 and "developmentProject: is only for development: true" in report.stdout
        site.settings.update(development=True, developmentProject="absent")
        site.write()
        report = site.run("check")
        assert report.returncode != 0 and "developmentProject: no project file has the id absent" in report.stdout


STRANGERS = [
    {"x_forwarded_for": "203.0.113.9"},
    {"x_forwarded_for": "127.0.0.1, 203.0.113.9"},
    {"forwarded": "for=203.0.113.9"},
    {"forwarded": "for=203.0.113.9", "x_forwarded_for": "127.0.0.1"},
    {"x_real_ip": "203.0.113.9"},
    {"host": "rebound.example.com"},
    {"host": "rebound.example.com:8080"},
    {"host": "192.168.1.5:8080"},
]


@pytest.mark.parametrize("headers", STRANGERS, ids=str)
def test_SEC_22_what_comes_from_elsewhere_is_refused(development, headers):
    for method, path in [*HELPERS, ("GET", "/")]:
        assert_error(ask(development, method, path, **headers), "This path answers only programs of the server's own machine.", 403)
    assert_error(guest(development, "any-key", **headers), "API key not valid. Please pass a valid API key.")
    assert guest(development, API_KEY, **headers).status_code == 200, "a key of the project is one everywhere"


@pytest.mark.parametrize("header", ["Via", "X-Forwarded-Host", "X-Forwarded-Proto", "CF-Connecting-IP", "X-Client-IP"])
def test_SEC_22_what_comes_by_a_proxy_on_this_machine_is_refused(development, header):
    for value in ("127.0.0.1", "localhost", ""):
        assert ask(development, "GET", "/", **{header: value}).status_code == 403
        assert_error(guest(development, "any-key", **{header: value}), "API key not valid. Please pass a valid API key.")


@pytest.mark.parametrize("url", ["https://auth.example.com", "http://192.168.1.5:8080", "https://localhost.example.com", "http://10.0.2.2"])
def test_SEC_22_development_has_no_public_address(url):
    with a_site(settings={"publicURL": url}, **FILES_ALONE) as site:
        report = site.run("check")
        assert report.returncode != 0 and "is not a name of this machine" in report.stdout and "publicURL: " in report.stdout
        assert site.run("serve").returncode != 0


@pytest.mark.parametrize("proxies", [["10.0.0.0/8"], ["127.0.0.0/8"]])
def test_SEC_22_development_trusts_no_proxies(proxies):
    with a_site(settings={"trustedProxies": proxies}, **FILES_ALONE) as site:
        report = site.run("check")
        assert report.returncode != 0 and "trustedProxies: must be empty with development: true" in report.stdout
        assert site.run("serve").returncode != 0


@pytest.mark.parametrize("url", ["http://localhost:8080", "https://auth.shop.localhost", "http://127.0.0.2:81", "http://[::1]:8080"])
def test_every_name_of_this_machine_will_do_for_development(url):
    with a_site(settings={"publicURL": url}, **FILES_ALONE) as site:
        assert "publicURL:" not in site.run("check").stdout


@pytest.mark.parametrize(
    "origin",
    [
        "https://evil.example",
        "http://localhost.evil.example",
        "null",
        "http://other.example.com.evil.example",
        "http://app.example.com",
        "http://10.0.2.2:3000",
    ],
)
def test_SEC_22_pages_of_strangers_in_a_browser_of_this_machine_are_refused(development, origin):
    for method, path in [*HELPERS, ("GET", "/")]:
        refused = ask(development, method, path, origin=origin)
        assert refused.status_code == 403 and "authorizedDomains" in refused.json()["error"]["message"]


def test_SEC_22_what_a_strangers_page_embeds_or_links_to_is_refused(development):
    for method, path in [*HELPERS, ("GET", "/")]:
        refused = ask(development, method, path, sec_fetch_site="cross-site", sec_fetch_mode="no-cors")
        assert refused.status_code == 403 and "authorizedDomains" in refused.json()["error"]["message"]
        # An app at localhost is cross-site to 127.0.0.1: its Origin says who asks.
        own = ask(development, method, path, {} if method == "PATCH" else None, sec_fetch_site="cross-site", origin="http://localhost:3000")
        assert own.status_code == (400 if path == "/emulator/action" else 200)
    for site in ("none", "same-origin", "same-site"):
        assert ask(development, "GET", "/", sec_fetch_site=site).status_code == 200


@pytest.mark.parametrize("origin", ["http://localhost:3000", "http://127.0.0.1:9876", "http://app.localhost", "https://app.example.com"])
def test_pages_of_this_machine_and_of_authorized_domains_may_read_the_answers(development, origin):
    for method, path in [*HELPERS, ("GET", "/")]:
        answer = ask(development, method, path, {} if method == "PATCH" else None, origin=origin)
        assert answer.status_code == (400 if path == "/emulator/action" else 200)
        assert answer.headers["access-control-allow-origin"] == origin
    preflight = ask(development, "OPTIONS", HELPERS[0][1], origin=origin, access_control_request_method="DELETE")
    assert preflight.status_code == 204 and "DELETE" in preflight.headers["access-control-allow-methods"]

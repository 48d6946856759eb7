"""Rules for every answer: who may read it (CORS), and that no part of it depends on the address in the request's headers."""

import socket

import pytest
import requests

from support.clients.flows import WebFlow, post_answer, query_of
from support.names import API_KEY, TIMEOUT

ORIGIN = "https://app.example.com"


@pytest.mark.parametrize(
    "path", ["/v1/accounts:signInWithIdp", "/v1/token", "/v1/projects", "/nothing", "/identitytoolkit.googleapis.com/v1/accounts:lookup"]
)
def test_a_preflight_is_answered_for_any_origin(site, path):
    asked = "content-type,x-client-version,x-firebase-gmpid,x-firebase-locale"
    response = requests.options(
        site.url + path,
        timeout=TIMEOUT,
        headers={
            "Origin": ORIGIN,
            "Access-Control-Request-Method": "POST",
            "Access-Control-Request-Headers": asked,
            "Access-Control-Request-Private-Network": "true",
        },
    )
    assert response.status_code == 204 and response.content == b""
    assert response.headers["access-control-allow-origin"] == ORIGIN
    assert {"GET", "POST", "PATCH", "PUT", "DELETE", "OPTIONS"} <= set(response.headers["access-control-allow-methods"].split(", "))
    assert response.headers["access-control-allow-headers"] == asked
    assert response.headers["access-control-allow-private-network"] == "true"
    assert "origin" in response.headers["vary"].lower() and response.headers["access-control-max-age"] == "86400"
    assert "access-control-allow-credentials" not in response.headers


@pytest.mark.parametrize(
    "method, path, status",
    [
        ("GET", "/v1/projects?key=" + API_KEY, 200),
        ("POST", "/v1/accounts:lookup?key=" + API_KEY, 400),
        ("POST", "/v1/accounts:lookup", 403),
        ("POST", "/v1/accounts:lookup?key=wrong", 400),
        ("POST", "/nothing", 404),
        ("GET", "/v1/accounts:lookup", 405),
        ("POST", "/v1/token?key=" + API_KEY, 400),
        ("GET", "/demo/oauth2/jwks", 200),
        ("GET", "/demo/.well-known/openid-configuration", 200),
    ],
)
def test_errors_carry_the_headers_that_let_a_browser_read_them(site, method, path, status):
    response = requests.request(method, site.url + path, headers={"Origin": ORIGIN}, timeout=TIMEOUT)
    assert response.status_code == status
    assert response.headers["access-control-allow-origin"] in (ORIGIN, "*")
    assert "access-control-allow-credentials" not in response.headers
    assert (
        "access-control-allow-origin" not in requests.request(method, site.url + path, timeout=TIMEOUT).headers
        or "jwks" in path
        or "well-known" in path
    )


LIES = [
    {"Host": "evil.example"},
    {"Host": "evil.example:443"},
    {"X-Forwarded-Host": "evil.example"},
    {"X-Forwarded-Proto": "https", "X-Forwarded-Port": "1"},
    {"Forwarded": "for=1.2.3.4;host=evil.example;proto=https"},
    {"X-Original-Host": "evil.example", "X-Host": "evil.example"},
    {"X-Original-URL": "https://evil.example/", "X-Rewrite-URL": "/evil"},
    {"X-Forwarded-Prefix": "/evil"},
    {"Origin": "https://evil.example"},
    {"Referer": "https://evil.example/"},
]


@pytest.mark.parametrize("headers", LIES, ids=lambda headers: ",".join(headers) + ":" + next(iter(headers.values())))
def test_SEC_07_links_come_only_from_the_configured_address(site, fake_issuer, headers):
    flow = WebFlow(site, "oidc.fake")
    started = flow.start(headers=headers)
    assert started.status_code == 302
    if "Host" in headers:
        # At another name of the server a start is first sent to the configured one.
        assert started.headers["location"].startswith(site.url + "/__/auth/start?")
        assert "evil" not in str([value for name, value in started.headers.items() if name.lower() != "access-control-allow-origin"])
        started = flow.browser.get(started.headers["location"], allow_redirects=False, timeout=TIMEOUT)
        assert started.status_code == 302
    assert query_of(started.headers["location"])["redirect_uri"] == site.url + "/__/auth/handler"
    assert "evil" not in str([value for name, value in started.headers.items() if name.lower() != "access-control-allow-origin"])
    assert "domain=" not in started.headers["set-cookie"].lower()
    answered = fake_issuer.login()(started.headers["location"])
    cookies = {cookie.name: cookie.value for cookie in flow.browser.cookies}
    back = requests.get(answered, headers=headers, cookies=cookies, allow_redirects=False, timeout=TIMEOUT)
    assert back.status_code == 303 and back.headers["location"].startswith(site.page + "?")
    assert query_of(back.headers["location"])["iss"] == site.issuer

    document = site.url + "/demo/.well-known/openid-configuration"
    assert requests.get(document, headers=headers, timeout=TIMEOUT).content == requests.get(document, timeout=TIMEOUT).content
    posting = WebFlow(site, "oidc.posting")
    crossed = post_answer(fake_issuer.login()(posting.authorization_url()), **headers)
    assert crossed.headers["location"].startswith(site.url + "/__/auth/handler?resume=")


@pytest.mark.parametrize(
    "head",
    [
        "GET http://evil.example/demo/.well-known/openid-configuration HTTP/1.1\r\nHost: 127.0.0.1\r\n",
        "GET http://evil.example/demo/.well-known/openid-configuration HTTP/1.1\r\nHost: evil.example\r\n",
        "GET /demo/.well-known/openid-configuration HTTP/1.1\r\nHost: 127.0.0.1\r\nHost: evil.example\r\n",
        "GET /demo/.well-known/openid-configuration HTTP/1.1\r\nHost: evil.example/x\r\n",
        "GET /demo/.well-known/openid-configuration HTTP/1.1\r\nHost: user@evil.example\r\n",
        "GET /demo/.well-known/openid-configuration HTTP/1.1\r\nHost:\r\n",
    ],
)
def test_SEC_07_absolute_targets_and_odd_hosts_change_nothing(site, head):
    honest = requests.get(site.url + "/demo/.well-known/openid-configuration", timeout=TIMEOUT).content
    with socket.create_connection(("127.0.0.1", site.port), 10) as connection:
        connection.sendall((head + "Connection: close\r\n\r\n").encode())
        answer = b""
        while chunk := connection.recv(65536):
            answer += chunk
    assert b"evil" not in answer
    status = int(answer.split()[1])
    assert status == 400 or status == 200 and answer.endswith(honest)


def test_SEC_18_pages_are_not_framed_cached_or_scripted(site):
    for url in ("/__/auth/start", "/__/auth/handler", "/__/auth/handler?state=x"):
        response = requests.get(site.url + url, timeout=TIMEOUT)
        assert response.status_code == 400
        policy = response.headers["content-security-policy"]
        assert "default-src 'none'" in policy and "frame-ancestors 'none'" in policy and "base-uri 'none'" in policy
        assert response.headers["cache-control"] == "no-store" and response.headers["referrer-policy"] == "no-referrer"
        assert response.headers["x-content-type-options"] == "nosniff"
        assert "cross-origin-opener-policy" not in response.headers


def test_SEC_18_many_tabs_have_a_cookie_each_and_not_too_many(site, fake_issuer):
    flows = [WebFlow(site, "oidc.fake") for _ in range(15)]
    browser = requests.Session()
    answers = []
    for flow in flows:
        flow.browser = browser
        answers.append(fake_issuer.login()(flow.authorization_url()))
    assert len(browser.cookies) <= 10
    assert flows[-1].callback(answers[-1]).status_code == 303
    assert flows[-2].callback(answers[-2]).status_code == 303


def test_HEAD_is_answered_like_GET_without_a_body(site):
    for path in ("/health/live", "/v1/projects?key=" + API_KEY, "/demo/oauth2/jwks"):
        get, head = requests.get(site.url + path, timeout=TIMEOUT), requests.head(site.url + path, timeout=TIMEOUT)
        assert head.status_code == get.status_code == 200 and head.content == b""
        assert head.headers["content-length"] == str(len(get.content))

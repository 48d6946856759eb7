"""The handler in production: behind a proxy that ends TLS, with the cookies that browsers bind to one host."""

import re

import pytest
import requests

from support.clients.handler import island
from support.names import API_KEY, TIMEOUT
from support.servers.site import a_site

HOME = "https://auth.example.com"
PAGE = "https://app.example.com/home"
BEHIND_A_PROXY = {"host": "auth.example.com", "x-forwarded-proto": "https"}


@pytest.fixture(scope="module")
def production():
    project = {"authorizedDomains": ["app.example.com", "auth.example.com"], "redirectURLs": [PAGE], "apps": []}
    settings = {"development": False, "publicURL": HOME}
    with a_site({}, project=project, settings=settings) as site:
        site.serve()
        yield site


def get(site, path, cookies=(), host=None, **query):
    headers = {**BEHIND_A_PROXY, **({"host": host} if host else {}), **({"cookie": "; ".join(cookies)} if cookies else {})}
    return requests.get(site.url + path, params=query, headers=headers, allow_redirects=False, timeout=TIMEOUT)


def cookies(response):
    """Every Set-Cookie, by itself."""
    return response.raw.headers.getlist("set-cookie")


def test_SEC_18_the_cookie_that_hands_a_redirect_back_reaches_frames_and_no_other_host(production):
    # No provider can be reached from here over TLS; a sign-in that fails at its start hands its result back in the same way.
    query = {"appName": "a", "redirectUrl": PAGE, "authType": "signInViaRedirect", "providerId": "oidc.none"}
    finished = get(production, "/__/auth/handler", apiKey=API_KEY, **query)
    assert finished.status_code == 200, finished.text
    (back,) = [cookie for cookie in cookies(finished) if "gatehouse_result" in cookie]
    assert re.fullmatch("__Host-gatehouse_result=[^;]+; Path=/; Max-Age=120; Secure; HttpOnly; SameSite=None", back), back
    value = back.partition(";")[0]
    body = {"storageKey": f"{API_KEY}:a", "origin": "https://app.example.com"}

    def ask(cookie, origin=HOME, **more):
        headers = {**BEHIND_A_PROXY, "cookie": cookie, "origin": origin, "sec-fetch-site": "same-origin"}
        return requests.post(production.url + "/__/auth/pending", json={**body, **more}, headers=headers, timeout=TIMEOUT)

    assert ask(value, origin="https://app.example.com").status_code == 403
    assert ask(value.removeprefix("__Host-")).json() == {}
    # A request with the number of another flow takes nothing.
    assert ask(value, flow="AAAAAAAAAAAAAAAAAAAAAA").json() == {}
    answer = ask(value, flow=island(finished)["flow"])
    assert answer.json() == {"event": island(finished)["event"], "origin": "https://app.example.com"}
    assert cookies(answer) == ["__Host-gatehouse_result=; Path=/; Max-Age=0; Secure; HttpOnly; SameSite=None"]
    assert ask(value).json() == {}


def test_SEC_07_a_start_at_another_host_is_sent_to_the_configured_one(production):
    for path in ("/__/auth/handler", "/emulator/auth/handler", "/__/auth/start"):
        moved = get(production, path, host="evil.example:8443", apiKey=API_KEY, x="/?#")
        assert moved.status_code == 302 and moved.headers["location"] == f"{HOME}{path}?apiKey={API_KEY}&x=%2F%3F%23&sentHome=1"
        assert cookies(moved) == []
    # Behind a proxy that hides the host, this comes back with its mark, and continues.
    assert get(production, "/__/auth/start", host="10.0.0.1", apiKey=API_KEY, sentHome="1").status_code == 400


@pytest.mark.parametrize("path, expected", [("/__/auth/handler", 200), ("/emulator/auth/handler", 200), ("/__/auth/start", 303)])
def test_a_second_start_at_another_host_is_sent_home_as_the_first_was(production, path, expected):
    """The mark that ends a circle belongs to one start, so the next one goes the same way, in a browser that keeps all cookies."""
    jar = []
    query = {"appName": "a", "redirectUrl": PAGE, "authType": "signInViaRedirect", "providerId": "oidc.none"}
    for number in range(3):
        moved = get(production, path, jar, host="other.example.com", apiKey=API_KEY, **query)
        assert moved.status_code == 302 and moved.headers["location"].startswith(HOME + path), number
        jar = [cookie.partition(";")[0] for cookie in cookies(moved)]
        address = production.url + moved.headers["location"].removeprefix(HOME)
        arrived = requests.get(address, headers=BEHIND_A_PROXY, allow_redirects=False, timeout=TIMEOUT)
        assert arrived.status_code == expected, arrived.text

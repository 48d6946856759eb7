"""Requests at the authorization endpoint that no relying party may be told about: the person gets a page, and nobody gets a redirect.

One of each kind: `RedirectURITests` has the tables of addresses.
"""

from urllib.parse import quote

import pytest
import requests

from support.names import TIMEOUT
from support.openid.checks import assert_page, assert_redirected, short
from support.openid.registrations import BASIC, NATIVE, OTHER_NATIVE, SECOND
from support.openid.relying_party import delivered

CUSTOM, ANY_PORT, ONE_PORT = NATIVE.redirect_uris
CALLBACK = BASIC.redirect_uri


@pytest.mark.parametrize(
    "client", [None, "", "unknown", "CERTIFICATION-BASIC", "certification-basic ", OTHER_NATIVE.id, "%00", "é", "a" * 5000], ids=short
)
def test_an_unknown_client_gets_a_page(party, client):
    """The first row of the negatives; a client of another project is unknown too."""
    assert_page(party().open(client_id=client), uri=CALLBACK)


@pytest.mark.parametrize(
    "uri",
    [
        pytest.param("https://thief.example.com/callback", id="another host"),
        pytest.param(SECOND.redirect_uri, id="another client's"),
        pytest.param(CALLBACK + "?a=b", id="a query added"),
        pytest.param(CALLBACK.replace("example", "Example"), id="another case in the host"),
        pytest.param(CALLBACK.replace(".com/", ".com:443/"), id="another port"),
        pytest.param("/callback", id="relative"),
        pytest.param("", id="empty"),
    ],
)
def test_a_redirect_uri_that_is_not_registered_gets_a_page(party, uri):
    assert_page(party().open(redirect_uri=uri), uri=uri)


@pytest.mark.parametrize(
    "uri",
    [
        pytest.param(CALLBACK + "#fragment", id="a fragment"),
        pytest.param(CALLBACK.replace("://", "://rp.example.com@"), id="user info"),
        pytest.param(CALLBACK.replace("callback", "c%61llback"), id="an encoded letter"),
        pytest.param(CALLBACK + "\r\nset-cookie: a=b", id="a header"),
        pytest.param(CALLBACK + "\x00", id="a zero byte"),
        pytest.param("data:text/html,<script>alert(1)</script>", id="data"),
    ],
)
def test_a_redirect_uri_with_a_trick_gets_a_page(party, uri):
    response = party().open(redirect_uri=uri)
    assert_page(response, uri=uri)
    assert "set-cookie: a=b" not in str(response.headers).lower() and "<script>alert(1)" not in response.text


@pytest.mark.parametrize("method", ["GET", "POST"])
def test_a_redirect_uri_of_8_kibibytes(party, method):
    """The server refuses such a long address as a whole; a form may be longer."""
    rp = party()
    sent, _ = rp.parameters(redirect_uri=CALLBACK + "/" + "a" * 8192)
    response = rp.send(sent, method)
    if method == "GET":
        assert response.status_code == 414 and "location" not in response.headers
    else:
        assert_page(response)


@pytest.mark.parametrize("uri", ["http://127.0.0.1:1234/any-port", "http://127.0.0.1:65535/any-port", ANY_PORT, ONE_PORT])
def test_a_native_app_may_listen_on_any_port_where_none_is_registered(party, ada, uri):
    rp = party(NATIVE)
    answer = rp.authorize(ada, redirect_uri=uri)
    assert answer.response.headers["location"].startswith(uri + "?code=")
    assert rp.tokens(answer)


@pytest.mark.parametrize("uri", [CUSTOM, "http://127.0.0.1:1234/any-port", ONE_PORT])
def test_an_address_that_other_apps_may_have_is_never_answered_without_the_person(party, ada, uri):
    """Any app of a phone can ask for the scheme of another, and any program can listen on its machine (RFC 8252 section 8.6)."""
    rp = party(NATIVE)
    silent = delivered(rp.open(redirect_uri=uri, prompt="none"), [uri])
    assert_redirected(silent, "account_selection_required", sent=silent.parameters["state"])
    answer = rp.authorize(ada, redirect_uri=uri)
    assert answer.pages == ["account"] and answer.response.headers["location"].startswith(uri + "?code=")
    assert rp.tokens(answer)


@pytest.mark.parametrize(
    "uri",
    [
        "http://127.0.0.1:4711/one-port",
        "http://[::1]:1234/any-port",
        "http://127.0.0.1@evil.test/any-port",
        "com.onmicrosoft.contosob2c.exampleapp:/oauth/redirect",
    ],
)
def test_another_loopback_address_gets_a_page(party, uri):
    assert_page(party(NATIVE).open(redirect_uri=uri), uri=uri)


@pytest.mark.parametrize("name, values", [("client_id", [BASIC.id, BASIC.id]), ("client_id", [BASIC.id, SECOND.id])])
def test_a_client_named_twice_gets_a_page(party, name, values):
    assert_page(party().open(**{name: values}), uri=CALLBACK)


@pytest.mark.parametrize("second", [CALLBACK, "https://thief.example.com/callback"])
def test_two_redirect_uris_get_a_page(party, second):
    assert_page(party().open(redirect_uri=[CALLBACK, second]), uri=second)
    assert_page(party().open(redirect_uri=[second, CALLBACK]), uri=second)


def raw(site, query, method="GET"):
    url = f"{site.issuer}/oauth2/authorize"
    if method == "GET":
        return requests.get(f"{url}?{query}", timeout=TIMEOUT, allow_redirects=False)
    headers = {"content-type": "application/x-www-form-urlencoded"}
    return requests.post(url, data=query.encode("latin-1"), headers=headers, timeout=TIMEOUT, allow_redirects=False)


@pytest.mark.parametrize("method", ["GET", "POST"])
def test_a_form_that_cannot_be_read_gets_a_page(openid_site, method):
    query = f"client_id={BASIC.id}&redirect_uri={quote(CALLBACK, safe='')}&response_type=code&scope=openid"
    assert raw(openid_site, query, method).status_code in (302, 303)
    for garbled in ("state=%zz", "state=%f", "state=%ff%fe", "%ff=1", "state=%c0%af"):
        assert_page(raw(openid_site, f"{query}&{garbled}", method))


@pytest.mark.parametrize("method", ["GET", "POST"])
def test_a_request_that_is_too_long_gets_a_page(openid_site, method):
    query = f"client_id={BASIC.id}&redirect_uri={quote(CALLBACK, safe='')}&response_type=code&scope=openid&extra="
    assert raw(openid_site, query + "a" * 1000, method).status_code in (302, 303)
    refused = raw(openid_site, query + "a" * 20000, method)
    assert refused.status_code in (400, 413, 414, 431) and "location" not in refused.headers


def test_a_posted_request_is_a_form(openid_site, party):
    sent, _ = party().parameters()
    refused = requests.post(f"{openid_site.issuer}/oauth2/authorize", json=sent, timeout=TIMEOUT, allow_redirects=False)
    assert_page(refused)


@pytest.mark.parametrize("word", ['"><script>alert(1)</script>', "'onmouseover=alert(1)", "&lt;b&gt;<b>"])
def test_pages_show_nothing_of_the_request_unescaped(party, word):
    for changes in ({"client_id": word}, {"redirect_uri": f"https://thief.example/{word}"}, {"state": word, "client_id": "unknown"}):
        response = party().open(**changes)
        assert_page(response)
        assert word not in response.text


def test_a_page_cannot_be_framed(newcomer):
    """A page in a frame is a page that another site lays its own buttons over."""
    rp = newcomer()
    page = rp.browser.follow(rp.open())
    assert page.status_code == 200
    assert "frame-ancestors 'none'" in page.headers["content-security-policy"]
    assert page.headers.get("x-frame-options", "DENY") == "DENY"
    assert page.headers["cache-control"] == "no-store" and page.headers["referrer-policy"] in (
        "no-referrer",
        "same-origin",
        "strict-origin",
    )


def test_cookies_do_not_travel_with_requests_of_other_sites(openid_site, newcomer, ada):
    rp = newcomer()
    set_cookies = []
    rp.browser.hooks["response"].append(lambda response, **_: set_cookies.extend(response.raw.headers.getlist("set-cookie")))
    rp.sign_in(ada)
    assert set_cookies
    for cookie in set_cookies:
        attributes = {part.strip().lower() for part in cookie.split(";")[1:]}
        assert {"httponly", "samesite=lax"} <= attributes, attributes
        assert not [attribute for attribute in attributes if attribute.startswith("domain=")], attributes

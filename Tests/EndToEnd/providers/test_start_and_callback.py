"""The two addresses that browsers open: only registered pages get a redirect, and only the browser that started comes back."""

import json
import secrets
from urllib.parse import quote, urlencode

import pytest
import requests

from support.clients.api import assert_error, posted
from support.clients.flows import WebFlow, flow_id, query_of
from support.harness import wait_until
from support.names import API_KEY, TIMEOUT

pytestmark = pytest.mark.usefixtures("nothing_is_written")

# -- the callback


def test_SEC_18_only_the_browser_that_started_comes_back(site, fake_issuer):
    flow, other = WebFlow(site, "oidc.fake"), WebFlow(site, "oidc.fake")
    answered = fake_issuer.login()(flow.authorization_url())
    other.authorization_url()
    cookie = next(cookie for cookie in flow.browser.cookies)
    for browser in (
        requests.Session(),
        other.browser,
        with_cookie(cookie.name, "A" * 43),
        with_cookie(cookie.name, ""),
        with_cookie("x", cookie.value),
        with_cookie(cookie.name, next(c.value for c in other.browser.cookies)),
    ):
        response = flow.callback(answered, browser=browser)
        assert response.status_code == 400 and "location" not in response.headers
        assert response.headers["content-type"].startswith("text/html")
    assert flow.callback(answered).status_code == 303, "nobody else used the state up"
    again = flow.callback(answered)
    assert (again.status_code, again.headers["location"]) == (303, site.page), "it works once: the second time there is no code"


def with_cookie(name, value):
    session = requests.Session()
    session.cookies.set(name, value)
    return session


def test_SEC_05_a_bad_state_at_the_callback(site, fake_issuer):
    flow, other = WebFlow(site, "oidc.fake"), WebFlow(site, "oidc.fake")
    answered = fake_issuer.login()(flow.authorization_url())
    state = query_of(answered)["state"]
    another = query_of(fake_issuer.login()(other.authorization_url()))["state"]
    handler = answered.partition("?")[0]
    code = query_of(answered)["code"]
    for bad in (
        None,
        "",
        "x",
        state[:-1],
        state + "A",
        state[:-4] + "AAAA",
        state.replace("demo.", "other."),
        state.replace("demo.", ""),
        another,
        "demo." + "A" * 64,
        "\x00",
        "x" * 5000,
    ):
        url = handler + "?" + urlencode({"code": code} | ({"state": bad} if bad is not None else {}))
        assert flow.callback(url).status_code == 400, bad
    for query in (
        f"code={code}&code=x&state={state}",
        f"code={code}&state={state}&state={another}",
        f"code={code}&state={state}&iss=a&iss=b",
        f"state={state}",
        f"code={code}&state={state}&error=a&error=b",
        "%zz",
    ):
        assert flow.callback(handler + "?" + query).status_code == 400, query
    assert site.rows("UPDATE sign_in_flows SET expires_at = now() WHERE flow_id = %s", flow_id(state)) == 1
    assert flow.callback(answered).status_code == 400, "expired"
    assert fake_issuer.count("/token") == 0


def test_bad_posts_to_the_callback(site):
    url = site.url + "/__/auth/handler"
    for body, kind in (
        (b"", None),
        (b"{}", "application/json"),
        (b"state=x", "application/x-www-form-urlencoded"),
        (b"state=x" + b"y" * 60_000, "application/x-www-form-urlencoded"),
        (b"%zz", "application/x-www-form-urlencoded"),
    ):
        response = requests.post(url, data=body, headers={"content-type": kind} if kind else {}, allow_redirects=False, timeout=TIMEOUT)
        assert response.status_code == 400 and "location" not in response.headers
    for resume in ("x", "demo.x", "demo." + "A" * 22, "\x00"):
        assert requests.get(url, params={"resume": resume}, allow_redirects=False, timeout=TIMEOUT).status_code == 400


# -- the start


def test_SEC_10_redirects_go_to_registered_addresses_alone(site):
    page = site.page
    for wrong in (
        None,
        "",
        "x",
        page + "x",
        page[:-1],
        page + "?a=b",
        page + "#",
        page + "#x",
        page.upper(),
        page.replace("127.0.0.1", "localhost"),
        page.replace("http:", "https:"),
        page.replace("://", "://user@"),
        page.replace("127.0.0.1", "127.0.0.1@evil.example"),
        "http://127.0.0.1:1@evil.example/app/",
        page.replace("/app/", "\\app\\"),
        page.replace("/app/", "/app/../app/"),
        page.replace("/app/", "//app/"),
        page.replace("/app/", "/%61pp/"),
        page + "%00",
        page + "\n",
        " " + page,
        page + ".evil.example",
        "https://evil.example/" + page,
        "javascript:alert(1)",
        "//evil.example",
        "https://app.example.com/signed-in",
        "https://app.example.com/signed-in?kept=1&x",
        "https://sub.app.example.com/signed-in?kept=1",
        quote(page, safe=""),
        page + "," + page,
    ):
        response = WebFlow(site, "oidc.fake").start(redirectUrl=wrong)
        assert response.status_code == 400, wrong
        assert "location" not in response.headers and "set-cookie" not in response.headers
        assert (
            response.headers["content-type"].startswith("text/html")
            and "frame-ancestors 'none'" in response.headers["content-security-policy"]
        )
    flow = WebFlow(site, "oidc.fake")
    twice = requests.get(
        site.url + "/__/auth/start?" + urlencode(flow.query()) + "&redirectUrl=https%3A%2F%2Fevil.example",
        allow_redirects=False,
        timeout=TIMEOUT,
    )
    assert twice.status_code == 400 and "location" not in twice.headers


def test_an_error_page_writes_nothing_that_it_was_given(site):
    attack = "<script>alert(1)</script>"
    for changes in ({"redirectUrl": attack}, {"apiKey": attack}, {"providerId": attack, "redirectUrl": "x"}):
        response = WebFlow(site, "oidc.fake").start(**changes)
        assert response.status_code == 400 and attack not in response.text


@pytest.mark.parametrize("key", [None, "", "wrong", API_KEY + "x"])
def test_a_start_without_a_valid_key_redirects_nowhere(site, key):
    response = WebFlow(site, "oidc.fake").start(apiKey=key)
    assert response.status_code == 400 and "location" not in response.headers


def back_with_error(site, response, error):
    assert response.status_code == 303, response.text
    assert response.headers["location"].startswith(site.page + "?")
    answer = query_of(response.headers["location"])
    assert answer["error"] == error and answer["iss"] == site.issuer and "code" not in answer
    assert "set-cookie" not in response.headers
    return answer


@pytest.mark.parametrize(
    "changes",
    [
        {"code_challenge": None},
        {"code_challenge": ""},
        {"code_challenge_method": None},
        {"code_challenge_method": "plain"},
        {"code_challenge_method": "s256"},
        {"code_challenge_method": ""},
        {"code_challenge": "short"},
        {"code_challenge": "A" * 44},
        {"code_challenge": "A" * 42 + "="},
        {"code_challenge": "é" * 43},
        {"code_challenge": "A" * 42 + "B"},
        {"code_challenge": None, "code_challenge_method": None},
    ],
    ids=json.dumps,
)
def test_SEC_11_a_start_without_an_S256_challenge_is_refused(site, changes):
    before = site.value("SELECT count(*) FROM sign_in_flows")
    back_with_error(site, WebFlow(site, "oidc.fake").start(**changes), "invalid_request")
    assert site.value("SELECT count(*) FROM sign_in_flows") == before


@pytest.mark.parametrize(
    "changes",
    [
        {"providerId": None},
        {"providerId": ""},
        {"providerId": "oidc.unheard"},
        {"providerId": "provider.example"},
        {"providerId": "x" * 3000},
        {"customParameters": "not json"},
        {"customParameters": "[]"},
        {"customParameters": '{"a":null}'},
        {"customParameters": '{"a":"b","a":"c"}'},
        {"customParameters": json.dumps({"ui": "a\r\nSet-Cookie: x=y"})},
        {"customParameters": json.dumps({f"p{n}": "x" for n in range(21)})},
        {"customParameters": json.dumps({"ui": "x" * 1025})},
    ],
    ids=lambda changes: json.dumps(changes)[:60],
)
def test_a_start_with_bad_parameters_goes_back_with_the_error(site, changes):
    before = site.value("SELECT count(*) FROM sign_in_flows")
    response = WebFlow(site, "oidc.fake").start(**changes)
    back_with_error(site, response, "invalid_request")
    assert site.value("SELECT count(*) FROM sign_in_flows") == before


def test_a_start_with_an_oversized_state(site):
    response = WebFlow(site, "oidc.fake").start(state="x" * 2049)
    assert response.status_code == 400 or query_of(response.headers["location"])["error"] == "invalid_request"


def test_a_start_with_a_parameter_twice(site):
    flow = WebFlow(site, "oidc.fake")
    for extra in (
        "state=x",
        "providerId=oidc.real",
        "code_challenge=x",
        "apiKey=x",
        "customParameters=%7B%7D&customParameters=%7B%7D",
        "scopes=a&scopes=b",
    ):
        response = requests.get(
            site.url + "/__/auth/start?" + urlencode(flow.query()) + "&" + extra, allow_redirects=False, timeout=TIMEOUT
        )
        assert response.status_code == 400 and "location" not in response.headers, extra


def test_a_provider_that_is_down_sends_the_browser_back(site, fake_issuer):
    response = WebFlow(site, "oidc.down").start()
    answer = query_of(response.headers["location"])
    assert response.headers["location"].startswith(site.page) and answer["error"] == "temporarily_unavailable"
    assert "does not answer" in answer["error_description"]
    assert WebFlow(site, "oidc.fake").start().status_code == 302, "and hurts no other"


def test_what_any_client_can_write_reaches_no_log(site, api, fake_issuer):
    mark = "written-by-a-client-" + secrets.token_hex(4)
    handler = site.url + "/__/auth/handler"
    for query in (
        {"state": "demo." + mark, "code": mark, "iss": f"https://{mark}.example"},
        {"state": mark, "error": mark},
        {"error": mark},
    ):
        assert requests.get(handler, params=query, allow_redirects=False, timeout=TIMEOUT).status_code == 400
    flow = WebFlow(site, "oidc.fake")
    answered = fake_issuer.login("unmarked")(flow.authorization_url())
    assert flow.callback(f"{answered}&iss=https://{mark}.example").status_code == 400
    token = fake_issuer.id_token("unmarked", iss=f"https://{mark}.example")
    server, refusal = site.servers[0], "its iss is not"
    before = server.log().count(refusal)
    assert_error(posted(api, {"providerId": "oidc.fake", "id_token": token}), "INVALID_IDP_RESPONSE")
    wait_until(lambda: server.log().count(refusal) > before, what="the refusal in the log")
    assert mark not in server.log()

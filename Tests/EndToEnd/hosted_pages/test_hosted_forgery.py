"""Forms without the request's cookie, of another browser, of another site, too late, or sent twice."""

from urllib.parse import urljoin

import pytest

from support.accounts import address
from support.hosted_pages.stage import PASSWORD, HostedSite
from support.hosted_pages.visitor import Visitor

OVER = "began in another browser"


@pytest.fixture
def page(stage, visitor):
    return visitor.open(stage.request().url)


def test_a_browser_without_the_cookie_gets_no_page(stage, page):
    answer = Visitor(stage).open(page.url)
    assert answer.status == 400 and OVER in answer.text and not answer.forms


def test_a_form_without_the_cookie_signs_nobody_in(stage, page, known):
    stranger = Visitor(stage)
    answer = stranger.sign_in(page, known, PASSWORD)
    assert answer.status == 400 and OVER in answer.text and "gatehouse_session.demo" not in stranger.cookies


def test_a_form_for_the_request_of_another_browser_is_refused(stage, page, known):
    stranger = Visitor(stage)
    stranger.open(stage.request().url)
    assert OVER in stranger.sign_in(page, known, PASSWORD).text


@pytest.mark.parametrize(
    "headers",
    [
        {"sec-fetch-site": "cross-site"},
        {"sec-fetch-site": "same-site"},
        {"sec-fetch-site": None, "origin": "https://evil.example"},
    ],
)
@pytest.mark.parametrize("do", ["password", "cancel"])
def test_a_form_of_another_site_is_refused(visitor, page, known, headers, do):
    answer = visitor.press(page, do, headers=headers, email=known, password=PASSWORD)
    assert answer.status == 400 and "gatehouse_session.demo" not in visitor.cookies
    # The request goes on.
    assert not isinstance(visitor.open(page.url), str)


def test_a_form_from_an_older_browser_is_taken(visitor, page, known):
    assert isinstance(visitor.press(page, "password", headers={"sec-fetch-site": None}, email=known, password=PASSWORD), str)


def test_a_request_that_waited_too_long_is_over(stage, visitor, page, known):
    stage.rows("UPDATE authorization_requests SET expires_at = now() WHERE status = 'waiting'")
    for answer in (visitor.sign_in(page, known, PASSWORD), visitor.open(page.url)):
        assert answer.status == 400 and "took longer than 30 minutes" in answer.text


def test_a_form_that_is_sent_twice_is_answered_once(stage, visitor, page, known):
    assert isinstance(visitor.sign_in(page, known, PASSWORD), str)
    answer = visitor.sign_in(page, known, PASSWORD)
    assert answer.status == 400 and "was finished" in answer.text
    assert (
        stage.value(
            "SELECT count(*) FROM sessions WHERE kind = 'browser' AND account_id = (SELECT account_id FROM accounts WHERE email = %s)",
            known,
        )
        == 1
    )


def test_the_request_of_another_project_is_unknown(stage, visitor, page):
    answer = visitor.open(page.url.replace("/demo/", "/open-project/"))
    assert answer.status == 404
    assert visitor.open(stage.url + "/demo/sign-in").status == 400
    assert visitor.open(stage.url + "/demo/sign-in?request=x&request=y").status == 400


@pytest.mark.parametrize(
    "do, provider", [("allow", None), ("choose", None), ("nonsense", None), (None, "oidc.unknown"), ("save", None), ("create", None)]
)
def test_a_button_that_the_page_does_not_have_is_refused(visitor, page, do, provider):
    data = {"do": do} if do else {"provider": provider}
    form = page.forms[0]
    answer = visitor.post(urljoin(page.url, form["action"]), data=data, headers={"sec-fetch-site": "same-origin"}, allow_redirects=False)
    assert answer.status_code == 400


def test_the_pages_are_locked_up(stage, visitor, page):
    headers = page.response.headers
    policy = dict(part.strip().partition(" ")[::2] for part in headers["content-security-policy"].split(";"))
    assert policy["default-src"] == "'none'" and policy["frame-ancestors"] == "'none'" and "script-src" not in policy
    assert policy["form-action"] == "'self' https: http:" and policy["style-src"].startswith("'sha256-")
    assert headers["cache-control"] == "no-store" and headers["referrer-policy"] == "no-referrer" and headers["x-frame-options"] == "DENY"
    assert (
        "<script" not in page.response.text and " style=" not in page.response.text and "http" not in page.response.text.split("<body>")[1]
    )


def test_the_cookies_of_production_are_for_this_host_alone(known):
    site = HostedSite(settings={"development": False, "publicURL": "https://auth.example.com", "masterKey": {"file": "master.key"}})
    try:
        site.project["openIDProvider"]["clients"] = [
            {"id": "shop", "name": "Shop", "kind": "browser", "redirectURIs": ["https://shop.example.com/callback"]}
        ]
        site.project.pop("limits")
        site.project["redirectURLs"] = []
        site.project["authorizedDomains"] = ["shop.example.com", "auth.example.com"]
        site.others = {}
        site.write()
        site.serve()
        email = address()
        site.servers[0].api().succeed("signUp", {"email": email, "password": PASSWORD, "returnSecureToken": True})
        asked = site.request()
        asked.url = asked.url.replace(
            asked.redirect_uri.replace(":", "%3A").replace("/", "%2F"), "https%3A%2F%2Fshop.example.com%2Fcallback"
        )
        visitor = Visitor(site)
        response = visitor.get(asked.url, allow_redirects=False)
        cookie = response.headers["set-cookie"]
        assert cookie.startswith("__Host-gatehouse_request.") and all(
            part in cookie for part in ("Path=/;", "Secure", "HttpOnly", "SameSite=Lax")
        )
        where = site.url + response.headers["location"]
        pair = cookie.partition(";")[0]
        page = visitor.get(where, headers={"cookie": pair})
        policy = page.headers["content-security-policy"]
        assert "form-action 'self' https:;" in policy
        answer = visitor.post(
            where + "&page=signIn",
            data={"do": "password", "email": email, "password": PASSWORD},
            headers={"cookie": pair, "sec-fetch-site": "same-origin"},
            allow_redirects=False,
        )
        cookie = answer.headers["set-cookie"]
        assert cookie.startswith("__Host-gatehouse_session.demo=") and all(
            part in cookie for part in ("Path=/;", "Secure", "HttpOnly", "SameSite=Lax", "Max-Age=86400")
        )
    finally:
        site.close()

"""The handler under attack: starts that lead elsewhere, answers of other flows, results taken by others. None of them writes anything."""

import hashlib
import html
import re
import secrets
from urllib.parse import parse_qsl, quote, urlencode, urlsplit

import pytest
import requests

from support.clients.api import assert_error
from support.clients.flows import flow_id, query_of
from support.clients.handler import PAGE, AndroidFlow, AppleFlow, BrowserFlow, island, shown_text
from support.names import ANDROID, API_KEY, TIMEOUT
from support.servers.site import a_site

pytestmark = pytest.mark.usefixtures("nothing_is_written")
PATHS = ["/__/auth/handler", "/emulator/auth/handler"]


def refused_page(response):
    """An error page: it leads nowhere but to the app's own page, sets nothing and repeats nothing harmful."""
    assert response.status_code == 400, response.text
    assert "location" not in response.headers and "set-cookie" not in response.headers and "refresh" not in response.headers
    assert response.headers["content-type"].startswith("text/html")
    assert "frame-ancestors 'none'" in response.headers["content-security-policy"]
    assert "<script" not in response.text and "http-equiv" not in response.text
    assert set(re.findall(r'<(?:a|form|base|link)\b.*?(?:href|action)="(.*?)"', response.text)) <= {html.escape(PAGE)}
    return shown_text(response)


def over(flow, response):
    """The answer to a provider's answer that comes again: the app's page, for a browser that went back, and nothing of the sign-in."""
    if getattr(flow, "auth_type", "").endswith("ViaRedirect"):
        assert response.status_code == 303 and response.headers["location"] == flow.page and "set-cookie" not in response.headers
    else:
        refused_page(response)


def all_flows(site):
    return [BrowserFlow(site), BrowserFlow(site, auth_type="signInViaRedirect"), AppleFlow(site), AndroidFlow(site)]


# -- the start


@pytest.mark.parametrize("path", PATHS)
@pytest.mark.parametrize("auth_type", ["signInViaPopup", "signInViaRedirect"])
def test_SEC_10_no_start_leads_to_a_page_of_another_domain(site, path, auth_type):
    before = site.value("SELECT count(*) FROM sign_in_flows")
    for wrong in (
        None,
        "",
        "https://evil.example/",
        "https://app.example.com.evil.example/",
        "https://evil.example/app.example.com/",
        "https://sub.app.example.com/",
        "https://app.example.com@evil.example/",
        "https://user@app.example.com/",
        "https://app.example.com\\@evil.example/",
        "https://evil.example\\.app.example.com/",
        "https://evil.example#.app.example.com/",
        "http://127.0.0.1:1@evil.example/",
        "http://app.example.com/",
        "//app.example.com/",
        "javascript:alert(1)//https://app.example.com/",
        "data:text/html,<script>alert(1)</script>",
        "https://app.example.com/\r\nSet-Cookie: x=y",
        "https://app.example.com/\x00",
        quote("https://app.example.com/", safe=""),
        "https%3A//app.example.com/",
        "https://app.example.com./",
        "https://evil.example:443/",
        "https://аpp.example.com/",
    ):
        flow = BrowserFlow(site, auth_type=auth_type)
        flow.path = path
        refused_page(flow.start(redirectUrl=wrong))
    twice = f"{site.url}{path}?{urlencode(BrowserFlow(site, auth_type=auth_type).query())}&redirectUrl=https%3A%2F%2Fevil.example"
    refused_page(requests.get(twice, allow_redirects=False, timeout=TIMEOUT))
    assert site.value("SELECT count(*) FROM sign_in_flows") == before


@pytest.mark.parametrize("path", PATHS)
def test_starts_that_cannot_be_are_pages(site, path):
    for flow, changes, words in (
        (BrowserFlow(site), {"apiKey": "wrong"}, "API key"),
        (BrowserFlow(site), {"apiKey": ""}, "API key"),
        (BrowserFlow(site), {"authType": "verifyApp"}, "native apps"),
        (AppleFlow(site), {"authType": "verifyApp", "ibi": "com.evil"}, "not registered"),
        (BrowserFlow(site), {"tid": "tenant-1"}, "tenant"),
        (BrowserFlow(site), {"tenantId": "tenant-1"}, "tenant"),
        (BrowserFlow(site), {"authType": "<script>alert(1)</script>"}, "authType"),
        (BrowserFlow(site), {"providerId": None}, "providerId"),
        (BrowserFlow(site), {"appName": "x" * 129}, "appName"),
        (BrowserFlow(site), {"eventId": "x" * 257}, "eventId"),
        (BrowserFlow(site), {"eventId": None}, "eventId"),
        (BrowserFlow(site), {"customParameters": "<b>"}, "customParameters"),
        (BrowserFlow(site), {"state": "x"}, "both"),
        (BrowserFlow(site), {"ibi": "com.evil"}, "not registered"),
        (AppleFlow(site), {"ibi": "com.evil"}, "not registered"),
        (AppleFlow(site), {"clientId": "evil.example"}, "not registered"),
        (AppleFlow(site), {"clientId": None, "appId": "1:7:ios:evil"}, "not registered"),
        (AppleFlow(site), {"clientId": "javascript"}, "not registered"),
        (AppleFlow(site), {"sessionId": "not-a-hash"}, "sessionId"),
        (AppleFlow(site), {"apn": ANDROID["package"]}, "exclude"),
        (AndroidFlow(site), {"apn": "com.evil"}, "not registered"),
        (AndroidFlow(site), {"apn": ANDROID["package"] + ";S.link=x;end"}, "not registered"),
        (AndroidFlow(site), {"sha1Cert": "00" * 20}, "not registered"),
        (AndroidFlow(site), {"sha1Cert": None}, "not registered"),
        (AndroidFlow(site), {"sessionId": ""}, "sessionId"),
    ):
        flow.path = path
        text = refused_page(flow.start(**changes))
        assert words in text, (changes, text)


def test_SEC_10_a_project_knows_its_own_apps_alone(site):
    for flow in all_flows(site):
        refused_page(flow.start(apiKey="other-api-key"))


def test_no_fragment_travels_to_the_provider(site):
    for flow in all_flows(site)[1:]:
        location = flow.start().headers["location"]
        assert location.endswith("#") and location.count("#") == 1
    assert BrowserFlow(site).authorization_url().endswith("#")


@pytest.mark.parametrize(
    "event",
    ["a;S.link=https://evil.example;end", "x#Intent;package=com.evil;end", "&link=https://evil.example", "%26link=x", "+ %2B", "é:::1"],
)
def test_SEC_10_no_event_of_an_app_becomes_part_of_its_address(site, fake_issuer, event):
    for flow in (AppleFlow(site, eventId=event), AndroidFlow(site, eventId=event)):
        flow.event_id = event
        link = flow.finished(fake_issuer.login())["link"]
        assert "evil.example" not in urlsplit(link).netloc
        fields = flow.received(link)
        assert (fields.get("link") or fields["S.link"]).startswith(site.url + "/__/auth/handler?providerId=")
        assert "com.evil" not in (fields.get("package") or "")


def test_SEC_10_texts_of_an_app_do_no_harm_on_a_page(site, fake_issuer):
    attack = "</script><script>alert(1)</script><!--"
    flow = BrowserFlow(site, app=attack, eventId=attack)
    page = flow.callback(fake_issuer.login()(flow.authorization_url()))
    assert "<script>alert" not in page.text and "<!--" not in page.text
    data = island(page)
    assert data["event"]["eventId"] == attack and data["storageKey"] == f"{API_KEY}:{attack}"


def test_SEC_16_starts_are_limited_before_anything_is_stored(fake_issuer):
    with a_site({"oidc.fake": fake_issuer.entry()}, project={"limits": {"startSignIn": {"perAddress": "3 per 10m"}}}) as site:
        site.serve()
        statuses = [BrowserFlow(site).start().status_code for _ in range(4)]
        assert statuses[:3] == [200] * 3 and statuses[3] in (400, 429)
        assert site.value("SELECT count(*) FROM sign_in_flows") == 3


# -- the callback


def test_SEC_18_only_the_browser_that_started_a_flow_can_return_or_use_it_up(site, fake_issuer):
    for flow, other in zip(all_flows(site), all_flows(site)):
        answered = fake_issuer.login()(flow.authorization_url())
        other.authorization_url()
        stranger = requests.Session()
        for cookie in flow.browser.cookies:
            stranger.cookies.set(cookie.name, "A" * 43)
        for browser in (requests.Session(), other.browser, stranger):
            refused_page(flow.callback(answered, browser=browser))
        assert flow.callback(answered).status_code == 200, "nobody else used the state up"
        over(flow, flow.callback(answered))
    assert fake_issuer.count("/token") == 0


def test_SEC_05_a_state_of_another_flow_or_of_no_flow_is_refused(site, fake_issuer):
    for flow, other in zip(all_flows(site), all_flows(site)):
        answered = fake_issuer.login()(flow.authorization_url())
        foreign = query_of(fake_issuer.login()(other.authorization_url()))["state"]
        handler, _, text = answered.partition("?")
        fields = dict(parse_qsl(text))
        for state in (
            foreign,
            "",
            "x",
            fields["state"][:-1],
            fields["state"] + "A",
            fields["state"].replace("demo.", "other."),
            "demo." + "A" * 64,
        ):
            refused_page(flow.callback(handler + "?" + urlencode({**fields, "state": state})))
        refused_page(flow.callback(f"{answered}&state={foreign}"))
        refused_page(flow.callback(f"{answered}&code=x"))
        assert flow.callback(answered).status_code == 200


@pytest.mark.parametrize("wrong", ["https://evil.example", "", None])
def test_a_wrong_iss_is_refused_and_uses_nothing_up(site, fake_issuer, wrong):
    flow = BrowserFlow(site)
    answered = fake_issuer.login()(flow.authorization_url())
    fields = {name: value for name, value in parse_qsl(urlsplit(answered).query) if name != "iss"}
    handler = answered.partition("?")[0]
    bad = handler + "?" + urlencode({**fields, **({"iss": wrong} if wrong is not None else {})})
    if wrong is None:
        # Only an issuer that promises to name itself must do so; this one does not.
        assert flow.callback(bad).status_code == 200
        return
    refused_page(flow.callback(bad))
    assert flow.callback(handler + "?" + urlencode({**fields, "iss": fake_issuer.url})).status_code == 200


def test_an_issuer_that_promises_its_name_must_give_it(fake_issuer):
    fake_issuer.discovery_extra = {"authorization_response_iss_parameter_supported": True}
    with a_site({"oidc.fake": fake_issuer.entry()}) as site:
        site.serve()
        flow = BrowserFlow(site)
        answered = fake_issuer.login()(flow.authorization_url())
        assert "iss=" not in answered
        refused_page(flow.callback(answered))
        assert flow.callback(answered + "&" + urlencode({"iss": fake_issuer.url})).status_code == 200


def test_a_provider_with_an_address_of_its_own_answers_there_alone(fake_issuer):
    providers = {"oidc.own": fake_issuer.entry(ownCallback=True), "oidc.common": fake_issuer.entry()}
    with a_site(providers) as site:
        site.serve()
        own = BrowserFlow(site, "oidc.own")
        url = own.authorization_url()
        assert query_of(url)["redirect_uri"] == site.url + "/__/auth/handler/oidc.own"
        answered = fake_issuer.login()(url)
        for address in ("/__/auth/handler", "/__/auth/handler/oidc.common", "/__/auth/handler/oidc.own2"):
            refused_page(own.callback(answered.replace("/__/auth/handler/oidc.own", address)))
        event = island(own.callback(answered))["event"]
        assert own.redeem(event).status_code == 200
        common = BrowserFlow(site, "oidc.common")
        answered = fake_issuer.login()(common.authorization_url())
        refused_page(common.callback(answered.replace("/__/auth/handler", "/__/auth/handler/oidc.own")))


# -- the redemption


def results(site, fake_issuer, user="thief"):
    """Each kind of flow with its result: how to redeem it, its link, its secret."""
    for flow in all_flows(site):
        data = flow.finished(fake_issuer.login(user))
        if "event" in data:
            yield flow, data["event"]["urlResponse"], data["event"]["sessionId"]
        else:
            fields = flow.received(data["link"])
            yield flow, fields.get("link") or fields["S.link"], flow.secret


def post(site, link, session, **more):
    body = {"requestUri": link, "sessionId": session, "returnSecureToken": True, **more}
    return site.servers[0].api().call("signInWithIdp", {name: value for name, value in body.items() if value is not None})


def test_SEC_05_five_wrong_secrets_burn_a_result(site, fake_issuer):
    for flow, link, session in results(site, fake_issuer):
        for wrong in (None, "", "wrong", session[:-1] or "x", session + "x"):
            assert_error(post(site, link, wrong), "INVALID_IDP_RESPONSE")
        # The first of the five was empty, which does not count as a try.
        assert_error(post(site, link, "once more"), "INVALID_IDP_RESPONSE")
        assert_error(post(site, link, session), "INVALID_IDP_RESPONSE")
    assert fake_issuer.count("/token") == 0


def test_SEC_05_nothing_that_stood_in_an_address_redeems(site, fake_issuer):
    for flow, link, session in results(site, fake_issuer):
        query = dict(parse_qsl(urlsplit(link).query))
        seen = [query["code"], query["flow"], hashlib.sha256(session.encode()).hexdigest()]
        if isinstance(flow, AppleFlow):
            assert flow.query()["sessionId"] == seen[2]
        if isinstance(flow, BrowserFlow) and flow.relay:
            seen.append(flow.relay)
        for value in seen:
            assert_error(post(site, link, value), "INVALID_IDP_RESPONSE")
    assert fake_issuer.count("/token") == 0


def test_SEC_05_results_and_secrets_are_not_swapped(site, fake_issuer):
    first, second = list(results(site, fake_issuer)), list(results(site, fake_issuer))
    for (_, link, session), (_, other_link, other_session) in zip(first, second):
        assert_error(post(site, link, other_session), "INVALID_IDP_RESPONSE")
        code, other = (dict(parse_qsl(urlsplit(url).query))["code"] for url in (link, other_link))
        assert_error(post(site, link.replace(code, other), session), "INVALID_IDP_RESPONSE")
        assert_error(post(site, link + "&code=" + other, session), "The parameter code is given more than once.")
    other_project = site.servers[0].api("other-api-key")
    _, link, session = first[0]
    assert_error(other_project.call("signInWithIdp", {"requestUri": link, "sessionId": session}), "INVALID_IDP_RESPONSE")
    assert fake_issuer.count("/token") == 0


def test_SEC_10_a_result_is_redeemed_at_our_own_address_alone(site, fake_issuer, nothing_is_written):
    for _, link, session in results(site, fake_issuer):
        query = "?" + urlsplit(link).query
        for address in (
            "http://localhost",
            "https://evil.example/__/auth/handler",
            site.url + "/__/auth/start",
            site.url + "/__/auth/handlerx",
            site.url + "/__/auth/handler/oidc.fake",
            site.url.replace("127.0.0.1", "localhost") + "/__/auth/handler",
            "http://evil.example/__/auth/handler",
            "https://app.example.com/home",
        ):
            # These do not count as tries, since they are not redemptions of this flow.
            assert_error(post(site, address + query, session), "INVALID_IDP_RESPONSE")
    assert fake_issuer.count("/token") == 0
    for path in ("/__/auth/handler", "/__/auth/callback", "/emulator/auth/handler", "/emulator/auth/callback"):
        flow = BrowserFlow(site)
        event = flow.finished(fake_issuer.login("p-" + secrets.token_hex(4)))["event"]
        event["urlResponse"] = event["urlResponse"].replace("/__/auth/handler", path)
        assert flow.redeem(event).status_code == 200, path
        nothing_is_written.append(path)


def test_SEC_05_an_expired_result(site, fake_issuer):
    for flow, link, session in results(site, fake_issuer):
        number = flow_id(dict(parse_qsl(urlsplit(link).query))["flow"])
        left = site.value("SELECT extract(epoch FROM expires_at - now()) FROM sign_in_flows WHERE flow_id = %s", number)
        assert 110 < left <= 120
        assert site.rows("UPDATE sign_in_flows SET expires_at = now() WHERE flow_id = %s", number) == 1
        assert_error(post(site, link, session), "INVALID_IDP_RESPONSE")
    assert fake_issuer.count("/token") == 0


def test_flows_of_other_kinds_are_not_redeemed_by_their_state(site, fake_issuer):
    for flow in all_flows(site):
        answered = fake_issuer.login()(flow.authorization_url())
        session = getattr(flow, "secret", None) or next(iter(flow.browser.cookies)).value
        assert_error(post(site, answered, session), "INVALID_IDP_RESPONSE")
    assert fake_issuer.count("/token") == 0

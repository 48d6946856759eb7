"""How a result gets to the SDK's iframe when the page cannot hand it over: by a cookie, by a ticket, by a token in the address."""

from urllib.parse import urlsplit

import pytest
import requests

from support.accounts import person
from support.clients.api import assert_error
from support.clients.handler import PAGE, BrowserFlow, island, redeem
from support.harness import free_port, together
from support.leaks import note_fields, note_url
from support.names import API_KEY, PRODUCTION, TIMEOUT
from support.servers.site import a_site

ORIGIN = "https://app.example.com"
KEY = API_KEY + ":[DEFAULT]"


def pending(flow, server=None, headers=None, path="/__/auth/pending", **changes):
    """The iframe's question, with the cookies of the flow's browser."""
    base = (server or flow.site).url
    sent = {"Origin": flow.site.url, "Sec-Fetch-Site": "same-origin", **(headers or {})}
    body = {"storageKey": KEY, "origin": ORIGIN, **changes}
    response = flow.browser.post(
        base + path, json=body, headers={name: value for name, value in sent.items() if value is not None}, timeout=TIMEOUT
    )
    if response.status_code == 200 and "event" in response.json():
        note_fields(response.json()["event"])
    return response


def relay(site, ticket, server=None):
    response = requests.post((server or site).url + "/__/auth/relay", json={"relay": ticket}, timeout=TIMEOUT)
    if response.status_code == 200 and "event" in response.json():
        note_fields(response.json()["event"])
    return response


def returned(site, fake_issuer, **options):
    flow = BrowserFlow(site, auth_type="signInViaRedirect", **options)
    return flow, flow.finished(fake_issuer.login(person()))


# -- the cookie


def test_the_cookie_hands_the_result_over_once(site, fake_issuer):
    flow = BrowserFlow(site, auth_type="linkViaRedirect")
    page = flow.callback(fake_issuer.login(person())(flow.authorization_url()))
    set_cookie = [header for header in page.raw.headers.getlist("set-cookie") if header.startswith("gatehouse_result=")]
    assert len(set_cookie) == 1
    assert {"HttpOnly", "Path=/", "Max-Age=120", "SameSite=Lax"} <= set(set_cookie[0].split("; "))
    answer = pending(flow)
    assert answer.status_code == 200 and answer.headers["cache-control"] == "no-store"
    assert answer.json() == {"event": island(page)["event"], "origin": ORIGIN}
    assert "access-control-allow-origin" not in answer.headers
    assert not flow.browser.cookies, "cleared"
    assert pending(flow).json() == {}
    assert flow.redeem(answer.json()["event"]).status_code == 200


@pytest.mark.parametrize("path", ["/__/auth/pending", "/emulator/auth/pending"])
def test_SEC_18_no_other_page_may_have_the_cookie_sent(site, fake_issuer, path):
    flow, _ = returned(site, fake_issuer)
    for headers in (
        {"Origin": None},
        {"Origin": "null"},
        {"Origin": ORIGIN},
        {"Origin": "https://evil.example"},
        {"Origin": flow.site.url + ".evil.example"},
        {"Origin": flow.site.url.replace("http:", "https:")},
        {"Sec-Fetch-Site": "same-site"},
        {"Sec-Fetch-Site": "cross-site"},
        {"Sec-Fetch-Site": "none"},
    ):
        response = pending(flow, path=path, headers=headers)
        assert response.status_code == 403 and "event" not in response.text, headers
        assert "access-control-allow-origin" not in response.headers
    preflight = requests.options(
        site.url + path, headers={"Origin": "https://evil.example", "Access-Control-Request-Method": "POST"}, timeout=TIMEOUT
    )
    assert "access-control-allow-credentials" not in preflight.headers
    assert "event" in pending(flow, path=path).json(), "and nothing was used up"


def test_a_result_waits_for_its_own_app_and_origin(site, fake_issuer):
    flow, _ = returned(site, fake_issuer)
    for changes in (
        {"origin": "https://evil.example"},
        {"origin": "https://app.example.com:8443"},
        {"origin": "http://app.example.com"},
        {"origin": "https://app.example.co"},
        {"origin": ""},
        {"storageKey": API_KEY + ":other"},
        {"storageKey": "other-api-key:[DEFAULT]"},
    ):
        response = pending(flow, **changes)
        assert response.status_code == 200 and response.json() == {}, changes
    for changes in ({"storageKey": "wrong:[DEFAULT]"}, {"storageKey": ""}, {"storageKey": KEY + "\0"}, {"origin": ORIGIN + "\0"}):
        assert pending(flow, **changes).status_code == 400
    assert "event" in pending(flow).json()


def test_a_browser_without_the_cookie_or_with_a_made_up_one(site, fake_issuer):
    flow, _ = returned(site, fake_issuer)
    genuine = flow.browser.cookies.get("gatehouse_result")
    for value in (None, "", "x", "demo." + "A" * 64, genuine[:-4] + "AAAA", "other." + genuine.partition(".")[2]):
        stranger = BrowserFlow(site)
        if value is not None:
            stranger.browser.cookies.set("gatehouse_result", value)
        assert pending(stranger).json() == {}, value
    assert "event" in pending(flow).json()


def test_a_refusal_is_handed_over_too(site, fake_issuer):
    flow = BrowserFlow(site, auth_type="signInViaRedirect")
    page = flow.start(providerId="oidc.unheard")
    assert island(page)["returnURL"] == PAGE
    assert pending(flow).json()["event"]["error"]["code"] == "auth/operation-not-allowed"


def test_the_cookie_of_a_server_with_tls(fake_issuer):
    project = {"authorizedDomains": ["app.example.com", "auth.example.com"], "redirectURLs": []}
    with a_site({}, settings=PRODUCTION, project=project) as site:
        site.serve()
        flow = BrowserFlow(site, "oidc.none", "signInViaRedirect")
        page = flow.start(headers={"host": "auth.example.com"})
        headers = [header for header in page.raw.headers.getlist("set-cookie") if "gatehouse_result" in header]
        assert len(headers) == 1 and headers[0].startswith("__Host-gatehouse_result=demo.")
        assert {"Secure", "HttpOnly", "Path=/", "SameSite=None"} <= set(headers[0].split("; "))


# -- the ticket of a popup


def test_a_popup_that_lost_its_opener_hands_its_result_over_by_the_server(site, fake_issuer):
    flow = BrowserFlow(site)
    answered = fake_issuer.login(person())(flow.authorization_url())
    for _ in range(3):
        waiting = relay(site, flow.relay)
        assert waiting.status_code == 200 and waiting.json() == {}
    event = island(flow.callback(answered))["event"]
    answer = relay(site, flow.relay)
    assert answer.json() == {"event": event, "origin": ORIGIN}
    assert relay(site, flow.relay).status_code == 404
    assert flow.redeem(answer.json()["event"]).status_code == 200


def test_a_ticket_of_no_flow_is_refused(site, fake_issuer):
    flow = BrowserFlow(site)
    flow.finished(fake_issuer.login(person()))
    for ticket in (
        "",
        "x",
        "demo.x",
        "demo." + "A" * 64,
        flow.relay[:-4] + "AAAA",
        flow.relay.replace("demo.", "other."),
        "\0",
        "x" * 5000,
    ):
        response = relay(site, ticket)
        assert response.status_code == 404 and "event" not in response.text, ticket
    assert requests.post(site.url + "/__/auth/relay", data=b"{", timeout=TIMEOUT).status_code == 400
    assert "event" in relay(site, flow.relay).json()


def test_SEC_05_an_event_is_given_to_one_of_fifty(pair, fake_issuer):
    flow = BrowserFlow(pair)
    flow.finished(fake_issuer.login(person()))
    answers = together(50, lambda index: relay(pair, flow.relay, pair.servers[index % 2]))
    assert sum("event" in answer.json() for answer in answers) == 1
    assert {answer.status_code for answer in answers} <= {200, 404}


def test_a_refusal_reaches_a_lost_popup_as_well(site):
    flow = BrowserFlow(site)
    url = flow.authorization_url()
    state = url.partition("state=")[2].partition("&")[0]
    flow.callback(f"{site.url}/__/auth/handler?error=access_denied&state={state}")
    assert relay(site, flow.relay).json()["event"]["error"]["code"] == "auth/user-cancelled"


def test_an_operator_may_switch_the_relay_off(fake_issuer):
    with a_site({"oidc.fake": fake_issuer.entry()}, project={"redirect": {"relay": False}}) as site:
        site.serve()
        flow = BrowserFlow(site)
        flow.authorization_url()
        assert flow.relay is None
        assert (
            island(requests.get(site.url + "/__/auth/iframe", params={"apiKey": API_KEY, "appName": "x"}, timeout=TIMEOUT))["relay"] is None
        )
        assert relay(site, "demo." + "A" * 64).status_code == 404


# -- the token in the address


def test_no_token_stands_in_the_address_unless_it_is_switched_on(site, fake_issuer):
    assert returned(site, fake_issuer)[1]["returnURL"] == PAGE


@pytest.mark.parametrize("page, joiner", [("https://app.example.com/home?tab=1", "#"), (PAGE, "&")])
def test_a_token_in_the_address_is_traded_once(fake_issuer, page, joiner):
    with a_site({"oidc.fake": fake_issuer.entry()}, project={"redirect": {"returnToken": True, "relay": False}}) as site:
        site.serve()
        flow, data = returned(site, fake_issuer, page=page)
        assert data["returnURL"].startswith(page + joiner + "broker_rt=demo.")
        assert "broker_rt" not in urlsplit(data["returnURL"]).query, "no server sees it"
        ticket = data["returnURL"].partition("broker_rt=")[2]
        assert island(requests.get(site.url + "/__/auth/iframe", params={"apiKey": API_KEY, "appName": "x"}, timeout=TIMEOUT))["relay"]
        answer = relay(site, ticket)
        assert answer.json()["event"] == data["event"] and answer.json()["origin"] == ORIGIN
        assert relay(site, ticket).status_code == 404
        assert pending(flow).json() == {}, "cookie and token are one right"
        assert flow.redeem(data["event"]).status_code == 200


# -- several servers, and an app's own host


@pytest.fixture(scope="module")
def pair(fake_issuer_of_session):
    with a_site({"oidc.fake": fake_issuer_of_session.entry()}) as site:
        site.serve()
        site.serve(free_port())
        yield site


@pytest.mark.parametrize("auth_type", ["signInViaPopup", "signInViaRedirect"])
def test_start_on_A_callback_on_B_hand_over_and_redeem_on_A(pair, fake_issuer, auth_type):
    a, b = pair.servers
    flow = BrowserFlow(pair, auth_type=auth_type)
    flow.finished(fake_issuer.login(person()), servers=(a, b))
    answer = pending(flow, a) if "Redirect" in auth_type else relay(pair, flow.relay, a)
    assert redeem(a, answer.json()["event"]).status_code == 200
    assert_error(redeem(b, answer.json()["event"]), "INVALID_IDP_RESPONSE")


def test_SEC_05_fifty_redemptions_on_two_servers_give_one_success(pair, fake_issuer):
    flow = BrowserFlow(pair)
    event = flow.finished(fake_issuer.login("fifty-events"))["event"]
    before = pair.counts()
    answers = together(50, lambda index: redeem(pair.servers[index % 2], event))
    assert sorted(answer.status_code for answer in answers) == [200] + [400] * 49
    assert fake_issuer.count("/token") == 1
    after = pair.counts()
    assert {table: after[table] - before[table] for table in after} == {"accounts": 1, "identities": 1, "sessions": 1}


def test_SEC_05_fifty_callbacks_give_one_result(pair, fake_issuer):
    flow = BrowserFlow(pair, auth_type="signInViaRedirect")
    answered = fake_issuer.login(person())(flow.authorization_url())
    cookies = {cookie.name: cookie.value for cookie in flow.browser.cookies}
    query = answered.partition("?")[2]

    def call(index):
        url = pair.servers[index % 2].url + "/__/auth/handler?" + query
        return requests.get(url, cookies=cookies, allow_redirects=False, timeout=TIMEOUT)

    answers = together(50, call)
    assert [answer.status_code for answer in answers].count(200) == 1
    # The others came too late, or at the same time.
    late = [answer for answer in answers if answer.status_code != 200]
    assert all(answer.status_code == 400 or answer.headers["location"] == flow.page and answer.status_code == 303 for answer in late)


def test_an_apps_own_host_may_stand_before_the_pages(fake_issuer):
    own = "http://localhost:7654"
    with a_site({"oidc.fake": fake_issuer.entry()}, project={"redirect": {"publicURL": own}}) as site:
        site.serve()
        flow = BrowserFlow(site, auth_type="signInViaRedirect")
        # A proxy that hides the host: the browser was sent to its own host once already, as the address says.
        url = note_url(flow.start(sentHome="1").headers["location"])
        assert "redirect_uri=http%3A%2F%2Flocalhost%3A7654%2F__%2Fauth%2Fhandler&" in url
        answered = fake_issuer.login(person())(url)
        assert answered.startswith(own + "/__/auth/handler?")
        # As its proxy would pass it on.
        data = island(flow.callback(answered, server=site))
        assert data["event"]["urlResponse"].startswith(own + "/__/auth/handler?providerId=")
        assert pending(flow).status_code == 403, "another host's frame"
        assert pending(flow, headers={"Origin": own}).json()["event"] == data["event"]
        assert flow.redeem(data["event"]).status_code == 200

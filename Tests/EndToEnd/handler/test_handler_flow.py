"""The handler end to end, as SDKs see it: popups, redirects and native apps, from the start to the user."""

import html
import json
from urllib.parse import urlencode

import pytest
import requests
from werkzeug.wrappers import Response

from support.accounts import person
from support.clients.api import assert_error
from support.clients.flows import post_answer, query_of
from support.clients.handler import PAGE, AndroidFlow, AppleFlow, BrowserFlow, island, shown_text
from support.names import ANDROID, API_KEY, APPLE, TIMEOUT
from support.servers.site import a_site

POPUPS = ["signInViaPopup", "linkViaPopup", "reauthViaPopup"]
REDIRECTS = ["signInViaRedirect", "linkViaRedirect", "reauthViaRedirect"]


@pytest.mark.parametrize("path", ["/__/auth/handler", "/emulator/auth/handler"])
def test_the_whole_way_of_a_popup(site, api, real_issuer, path):
    flow = BrowserFlow(site, "oidc.real")
    flow.path = path
    started = flow.start()
    assert started.status_code == 200 and "location" not in started.headers
    data = island(started)
    assert set(data) == {"step", "authUri", "origin", "storageKey", "relay"}
    assert data["step"] == "popup-start" and data["origin"] == "https://app.example.com"
    assert data["storageKey"] == API_KEY + ":[DEFAULT]" and data["relay"]
    to_provider = query_of(data["authUri"])
    assert to_provider["redirect_uri"] == site.url + "/__/auth/handler"
    assert to_provider["code_challenge_method"] == "S256" and to_provider["nonce"] and to_provider["state"]
    assert data["authUri"].endswith("#")

    finished = flow.callback(real_issuer.login("ada")(data["authUri"]))
    assert finished.status_code == 200
    assert not flow.browser.cookies, "the flow's cookie is cleared, and a popup leaves none"
    data = island(finished)
    assert set(data) == {"step", "event", "origin", "storageKey", "relay"}
    assert data["step"] == "popup-finish" and data["relay"] is True
    event = data["event"]
    assert set(event) == {"type", "eventId", "urlResponse", "sessionId", "postBody", "tenantId", "error"}
    assert event["type"] == "signInViaPopup" and event["eventId"] == flow.event_id
    assert event["postBody"] is event["tenantId"] is event["error"] is None
    assert event["urlResponse"].startswith(site.url + "/__/auth/handler?providerId=oidc.real&flow=")
    assert event["sessionId"] not in event["urlResponse"]

    answer = flow.redeem(event)
    assert answer.status_code == 200, answer.text
    user = answer.json()
    assert user["providerId"] == "oidc.real" and user["email"] == "ada@example.com"
    assert user["oauthIdToken"] and user["pendingToken"] and user["idToken"]
    assert api.lookup(user["idToken"])["localId"] == user["localId"]
    assert_error(flow.redeem(event), "INVALID_IDP_RESPONSE")


@pytest.mark.parametrize("path", ["/__/auth/handler", "/emulator/auth/handler"])
def test_the_whole_way_of_a_redirect(site, fake_issuer, path):
    flow = BrowserFlow(site, auth_type="signInViaRedirect")
    flow.path = path
    started = flow.start()
    assert started.status_code == 302 and started.headers["location"].endswith("#")
    assert started.headers["cache-control"] == "no-store" and started.headers["referrer-policy"] == "no-referrer"
    finished = flow.callback(fake_issuer.login(person())(started.headers["location"]))
    data = island(finished)
    assert set(data) == {"step", "event", "origin", "storageKey", "returnURL", "flow"}
    assert data["step"] == "redirect-finish" and data["returnURL"] == PAGE
    assert data["event"]["type"] == "signInViaRedirect" and data["event"]["eventId"] is None
    assert flow.redeem(data["event"]).json()["isNewUser"] is True


@pytest.mark.parametrize("auth_type", POPUPS + REDIRECTS)
def test_every_kind_comes_back_with_its_type_and_its_event(site, fake_issuer, auth_type):
    flow = BrowserFlow(site, auth_type=auth_type)
    event = flow.finished(fake_issuer.login(person()))["event"]
    assert event["type"] == auth_type and event["eventId"] == flow.event_id
    assert event["urlResponse"] and event["sessionId"] and event["error"] is None


@pytest.mark.parametrize("auth_type", ["linkViaPopup", "linkViaRedirect"])
def test_a_link_adds_the_provider_to_the_user(site, api, fake_issuer, microsoft, auth_type):
    user = BrowserFlow(site).run(fake_issuer.login(person()))
    linked = BrowserFlow(site, "microsoft.com", auth_type).run(microsoft.login(person()), idToken=user["idToken"])
    assert linked["localId"] == user["localId"]
    assert {entry["providerId"] for entry in api.lookup(linked["idToken"])["providerUserInfo"]} == {"oidc.fake", "microsoft.com"}


@pytest.mark.parametrize("auth_type", ["reauthViaPopup", "reauthViaRedirect"])
def test_a_reauthentication_makes_no_account(site, fake_issuer, auth_type):
    known = person()
    user = BrowserFlow(site).run(fake_issuer.login(known))
    assert BrowserFlow(site, auth_type=auth_type).run(fake_issuer.login(known))["localId"] == user["localId"]
    before = site.counts()
    flow = BrowserFlow(site, auth_type=auth_type)
    assert_error(flow.redeem(flow.finished(fake_issuer.login(person()))["event"]), "EMAIL_NOT_FOUND")
    assert site.counts() == before


def test_the_whole_way_of_an_iOS_app(site, fake_issuer):
    flow = AppleFlow(site)
    started = flow.start()
    assert started.status_code == 302 and started.headers["location"].endswith("#")
    assert flow.secret not in started.headers["location"]
    page = flow.callback(fake_issuer.login(person())(started.headers["location"]))
    # Another app may have taken the scheme, so nothing happens before the person has read which app it is, and tapped.
    assert "<script" not in page.text and "script-src" not in page.headers["content-security-policy"]
    data = island(page)
    assert f'href="{html.escape(data["link"])}"' in page.text and "Back to demo" in shown_text(page)
    assert not flow.browser.cookies
    fields = flow.received(data["link"])
    assert set(fields) == {"authType", "eventId", "link"}
    assert fields["link"].startswith(site.url + "/__/auth/handler?providerId=oidc.fake&flow=")
    answer = flow.redeem(fields["link"])
    assert answer.status_code == 200, answer.text
    assert answer.json()["isNewUser"] is True and answer.json()["idToken"]
    assert_error(flow.redeem(fields["link"]), "INVALID_IDP_RESPONSE")


def test_an_iOS_app_is_reached_by_its_app_id_when_it_names_no_client(site, fake_issuer):
    flow = AppleFlow(site, clientId=None, appId="1:7:ios:a1b2")
    assert flow.finished(fake_issuer.login(person()))["link"].startswith("app-1-7-ios-a1b2://firebaseauth/link?deep_link_id=")


def test_the_whole_way_of_an_Android_app(site, fake_issuer):
    flow = AndroidFlow(site)
    page = flow.callback(fake_issuer.login(person())(flow.authorization_url()))
    data = island(page)
    assert set(data) == {"step", "link"} and data["step"] == "native-finish", "the intent names its package, so it may open itself"
    assert f'href="{html.escape(data["link"])}"' in page.text
    extras = flow.received(data["link"])
    assert extras["B.encryptionEnabled"] == "false", "absent, the SDK would take the link for encrypted"
    answer = flow.redeem(extras["S.link"])
    assert answer.status_code == 200, answer.text
    missing = requests.get(extras["S.browser_fallback_url"], timeout=TIMEOUT)
    assert missing.status_code == 200 and "did not open" in shown_text(missing)


@pytest.fixture(scope="module")
def branded():
    apps = [{"ios": APPLE, "name": "Ada's <Shop>"}, {"android": ANDROID, "name": "Droid"}]
    providers = {"oidc.down": {"issuer": "https://127.0.0.1:1", "clientId": "x", "clientSecret": {"env": "CLIENT_SECRET"}}}
    with a_site(providers, project={"branding": {"name": "The Shop", "accent": "#12ab34"}, "apps": apps}) as site:
        site.serve()
        yield site


@pytest.mark.parametrize("flow_type, name", [(AppleFlow, "Ada's <Shop>"), (AndroidFlow, "Droid")])
def test_the_page_names_the_app_that_it_opens(branded, flow_type, name):
    page = flow_type(branded, "oidc.none", hl="de").start()
    assert page.status_code == 200 and f"Zurück zu {name}" in html.unescape(page.text) and "<Shop>" not in page.text
    assert "#12ab34" in page.text


def test_errors_are_told_in_the_projects_name_once_it_is_known(branded):
    def get(path, **query):
        return requests.get(branded.url + path, params=query, timeout=TIMEOUT)

    known = [
        get("/__/auth/handler", apiKey=API_KEY, hl="de"),
        get("/__/auth/handler", state="demo." + "A" * 64, code="x"),
        get("/__/auth/start", apiKey=API_KEY, redirectUrl="https://evil.example/"),
        get("/__/auth/app", apiKey=API_KEY, hl="de"),
    ]
    assert [page.status_code for page in known] == [400, 400, 400, 200]
    for page in known:
        assert "The Shop" in page.text and "#12ab34" in page.text, page.text
    assert [part.headers["content-type"] for part in known] == ["text/html; charset=utf-8"] * 4
    assert 'lang="de"' in known[0].text and 'lang="en"' in known[1].text and 'lang="de"' in known[3].text
    for page in (get("/__/auth/handler", apiKey="no-such-key!"), get("/__/auth/app")):
        assert "#12ab34" not in page.text


@pytest.mark.parametrize("secret", ["\ufffd\x00\x01q\x7f", "\x00", "\x00" * 32, "\ufffd" * 32, "a+b%20c &=#", "\u00fc\U0001f600", "x" * 64])
def test_an_Android_secret_may_hold_anything_that_a_digest_read_as_text_holds(site, fake_issuer, secret):
    flow = AndroidFlow(site, secret=secret)
    link = flow.received(flow.finished(fake_issuer.login(person()))["link"])["S.link"]
    for other in (secret + "\x00", secret[:-1], secret.replace("\ufffd", "?") + "!", "\ufffd"):
        if other and other != secret:
            assert_error(flow.redeem(link, sessionId=other), "INVALID_IDP_RESPONSE")
    assert flow.redeem(link).status_code == 200


def test_bytes_that_are_no_text_are_read_as_android_reads_them(site, fake_issuer):
    flow = AndroidFlow(site, secret="\ufffdA\ufffd")
    query = urlencode(flow.query(sessionId=None)) + "&sessionId=%FFA%C3"
    started = flow.browser.get(f"{site.url}{flow.path}?{query}", allow_redirects=False, timeout=TIMEOUT)
    assert started.status_code == 302
    page = flow.callback(fake_issuer.login(person())(started.headers["location"]))
    assert flow.redeem(flow.received(island(page)["link"])["S.link"]).status_code == 200


@pytest.mark.parametrize("kind", POPUPS + REDIRECTS)
def test_the_person_says_no(site, fake_issuer, kind):
    flow = BrowserFlow(site, auth_type=kind)
    state = query_of(flow.authorization_url())["state"]
    url = site.url + "/__/auth/handler?" + urlencode({"error": "access_denied", "error_description": "<b>no</b>", "state": state})
    page = flow.callback(url)
    event = island(page)["event"]
    assert event["error"]["code"] == "auth/user-cancelled" and event["type"] == kind and event["eventId"] == flow.event_id
    assert event["urlResponse"] is event["sessionId"] is None
    assert "<b>" not in page.text
    assert flow.callback(url).status_code == (303 if kind in REDIRECTS else 400), "the flow is over"


@pytest.mark.parametrize("flow_type", [AppleFlow, AndroidFlow])
def test_the_person_says_no_to_a_native_app(site, flow_type):
    flow = flow_type(site)
    state = query_of(flow.authorization_url())["state"]
    page = flow.callback(site.url + "/__/auth/handler?" + urlencode({"error": "access_denied", "state": state}))
    assert "not completed" in shown_text(page)
    fields = flow.received(island(page)["link"])
    assert "link" not in fields and "S.link" not in fields and "B.encryptionEnabled" not in fields
    assert json.loads(fields.get("firebaseError") or fields["S.firebaseError"])["code"] == "auth/user-cancelled"


def refused_without_state(flow, path="/__/auth/handler", method="GET"):
    """The provider's answer in the form of the PyPI issuer: an error without anything that identifies the sign-in."""
    answer = {"error": "access_denied", "error_description": "<b>call 555-evil</b>"}
    if method == "GET":
        return flow.callback(f"{flow.site.url}{path}?{urlencode(answer)}")
    posted = requests.post(flow.site.url + path, data=answer, allow_redirects=False, timeout=TIMEOUT)
    assert posted.status_code == 303, posted.text
    return flow.callback(flow.site.url + posted.headers["location"])


@pytest.mark.parametrize("method", ["GET", "POST"])
@pytest.mark.parametrize("kind", ["signInViaPopup", "signInViaRedirect"])
def test_a_refusal_without_state_ends_the_one_sign_in_of_the_browser(site, kind, method):
    flow = BrowserFlow(site, auth_type=kind)
    flow.authorization_url()
    event = island(refused_without_state(flow, method=method))["event"]
    assert event["error"]["code"] == "auth/user-cancelled" and event["eventId"] == flow.event_id and event["urlResponse"] is None
    # It is over, and the cookie gone: the same answer finds nothing.
    again = refused_without_state(flow, method=method)
    assert again.status_code == 400 and "cancelled at the provider" in shown_text(again)


def test_a_refusal_without_state_is_shown_where_no_one_sign_in_can_be_meant(site, fake_issuer):
    flow, other = BrowserFlow(site), BrowserFlow(site)
    answers = [fake_issuer.login()(flow.authorization_url())]
    other.browser = flow.browser
    answers.append(fake_issuer.login()(other.authorization_url()))
    for client in (flow, BrowserFlow(site)):
        page = refused_without_state(client)
        assert page.status_code == 400 and "set-cookie" not in page.headers
        assert "The sign-in was cancelled at the provider." in shown_text(page) and "555-evil" not in page.text and "<a " not in page.text
    # Nothing was used up.
    assert [flow.callback(answer).status_code for answer in answers] == [200, 200]


def test_SEC_18_a_refusal_without_state_counts_at_the_address_of_its_own_provider(site, fake_issuer):
    flow = BrowserFlow(site)
    answered = fake_issuer.login()(flow.authorization_url())
    assert refused_without_state(flow, "/__/auth/handler/oidc.real").status_code == 400
    # Nor does an answer with a code, or with an issuer of another name.
    for more in ({"code": "x"}, {"iss": "https://evil.example"}):
        query = urlencode({"error": "access_denied", **more})
        assert flow.callback(f"{site.url}/__/auth/handler?{query}").status_code == 400, more
    assert flow.callback(answered).status_code == 200


def test_a_provider_that_fails_is_not_the_persons_fault(fake_issuer):
    with a_site({"oidc.fake": fake_issuer.entry()}) as site:
        site.serve()
        finished = BrowserFlow(site).finished(fake_issuer.login())
        fake_issuer.answers["token"] = Response("oops", 502)
        refused = BrowserFlow(site).redeem(finished["event"])
        assert_error(refused, "NETWORK_REQUEST_FAILED")
        assert "does not answer" in refused.json()["error"]["message"]
        flow = BrowserFlow(site, auth_type="signInViaRedirect")
        state = query_of(flow.authorization_url())["state"]
        page = flow.callback(site.url + "/__/auth/handler?" + urlencode({"error": "temporarily_unavailable", "state": state}))
        assert island(page)["event"]["error"]["code"] == "auth/network-request-failed"
        metrics = requests.get(site.url + "/metrics", timeout=TIMEOUT).text
        assert 'gatehouse_sign_ins_total{project="demo",provider="oidc.fake",outcome="provider_unavailable"} 2' in metrics


def test_an_error_of_the_provider_is_told_without_its_words(site, fake_issuer):
    flow = BrowserFlow(site)
    state = query_of(flow.authorization_url())["state"]
    answer = {"error": "server_error", "error_description": "call 555-evil", "state": state}
    page = flow.callback(site.url + "/__/auth/handler?" + urlencode(answer))
    assert island(page)["event"]["error"]["code"] == "auth/invalid-credential" and "555-evil" not in page.text


@pytest.mark.parametrize(
    "changes, code",
    [
        ({"providerId": "oidc.unheard"}, "auth/operation-not-allowed"),
        ({"providerId": "oidc.down"}, "auth/network-request-failed"),
        ({"scopes": 'a"b'}, "auth/argument-error"),
        ({"customParameters": json.dumps({"ui": "x" * 1025})}, "auth/argument-error"),
    ],
)
def test_what_fails_at_the_start_is_told_to_the_app(site, changes, code):
    for flow in (BrowserFlow(site), BrowserFlow(site, auth_type="signInViaRedirect")):
        page = flow.start(**changes)
        assert page.status_code == 200 and "location" not in page.headers
        data = island(page)
        assert data["step"] in ("popup-finish", "redirect-finish") and data["event"]["error"]["code"] == code
        assert data["event"]["type"] == flow.auth_type and data["event"]["eventId"] == flow.event_id
    native = AppleFlow(site)
    assert json.loads(native.received(island(native.start(**changes))["link"])["firebaseError"])["code"] == code


def test_scopes_and_parameters_reach_the_provider_but_reserved_ones(site):
    flow = BrowserFlow(
        site,
        scopes="calendar,https://api.example/read",
        customParameters=json.dumps(
            {
                "prompt": "select_account",
                "max_age": 5,
                "client_id": "evil",
                "REDIRECT_URI": "https://evil.example",
                "state": "x",
                "nonce": "y",
            }
        ),
    )
    asked = query_of(flow.authorization_url())
    assert asked["scope"].split()[-2:] == ["calendar", "https://api.example/read"]
    assert asked["prompt"] == "select_account" and asked["max_age"] == "5"
    assert "evil" not in str(asked) and asked["state"] != "x" and asked["nonce"] != "y"
    assert query_of(AppleFlow(site).authorization_url())["scope"] == query_of(BrowserFlow(site).authorization_url())["scope"]
    silent = AppleFlow(site, customParameters='{"prompt":"none"}')
    assert "prompt" not in query_of(silent.authorization_url()), "the person must see something of a native app's sign-in"


def test_a_provider_that_posts_its_answer(site, fake_issuer):
    provider = "oidc.posting"
    flows = (
        BrowserFlow(site, provider),
        BrowserFlow(site, provider, "signInViaRedirect"),
        AppleFlow(site, provider),
        AndroidFlow(site, provider),
    )
    for flow in flows:
        posted = post_answer(fake_issuer.login(person())(flow.authorization_url()), **{"Sec-Fetch-Dest": "document"})
        assert posted.status_code == 303, "307 would post the code on"
        assert posted.headers["location"].startswith(site.url + "/__/auth/handler?resume=demo.")
        assert "code" not in query_of(posted.headers["location"])
        assert requests.get(posted.headers["location"], timeout=TIMEOUT).status_code == 400, "without the cookie"
        data = island(flow.callback(posted.headers["location"]))
        if "event" in data:
            assert flow.redeem(data["event"]).status_code == 200
        else:
            fields = flow.received(data["link"])
            assert flow.redeem(fields.get("link") or fields["S.link"]).status_code == 200


def test_ten_tabs_of_one_browser(site, fake_issuer):
    browser = requests.Session()
    flows = [BrowserFlow(site, auth_type=(POPUPS + REDIRECTS)[index % 6]) for index in range(10)]
    answers = []
    for flow in flows:
        flow.browser = browser
        answers.append(fake_issuer.login(person())(flow.authorization_url()))
    events = [island(flow.callback(answer))["event"] for flow, answer in zip(reversed(flows), reversed(answers))]
    assert len({event["sessionId"] for event in events}) == 10
    for flow, event in zip(reversed(flows), events):
        assert event["type"] == flow.auth_type and event["eventId"] == flow.event_id
        body = {"idToken": None} if "reauth" not in flow.auth_type else {"autoCreate": True}
        answer = flow.redeem(event, **body)
        assert answer.status_code == 200 or "reauth" in flow.auth_type and "EMAIL_NOT_FOUND" in answer.text, answer.text


def test_a_flow_outlives_a_key_rotation_and_a_restart(fake_issuer):
    with a_site({"oidc.fake": fake_issuer.entry()}) as site:
        server = site.serve()
        before, waiting = BrowserFlow(site), BrowserFlow(site, auth_type="signInViaRedirect")
        answered = fake_issuer.login(person())(before.authorization_url())
        event = waiting.finished(fake_issuer.login(person()))["event"]
        site.run("keys", "rotate", "--compromised", check=True)
        server.kill()
        site.servers.clear()
        again = site.serve()
        user = before.redeem(island(before.callback(answered))["event"]).json()
        assert again.api().lookup(user["idToken"])["localId"] == user["localId"]
        assert waiting.redeem(event).status_code == 200

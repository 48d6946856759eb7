"""The handler end to end, as SDKs see it: popups, redirects and native apps, from the start to the user."""

import secrets

import pytest
import requests

from clients import assert_error, query_of
from common import API_KEY
from sdk_clients import PAGE, AndroidFlow, AppleFlow, BrowserFlow, island

POPUPS = ["signInViaPopup", "linkViaPopup", "reauthViaPopup"]
REDIRECTS = ["signInViaRedirect", "linkViaRedirect", "reauthViaRedirect"]


def person():
    return "p-" + secrets.token_hex(4)


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
    assert set(data) == {"step", "event", "origin", "storageKey"} and data["step"] == "popup-finish"
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
    assert set(data) == {"step", "event", "origin", "storageKey", "returnURL"}
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

"""At each of the stand-ins: a link, a return and a reauthentication, and refusals of nonces, access tokens, states and parameters."""

import hashlib
import json
import secrets
from urllib.parse import urlencode

import requests

from support.accounts import person
from support.clients.api import assert_error, posted
from support.clients.flows import WebFlow, query_of
from support.clients.handler import BrowserFlow
from support.leaks import note
from support.tables import for_each

RESERVED = [
    "client_id",
    "response_type",
    "redirect_uri",
    "state",
    "scope",
    "response_mode",
    "nonce",
    "code_challenge",
    "code_challenge_method",
    "client_secret",
    "request",
    "request_uri",
    "registration",
    "id_token_hint",
]


def credential(double, user, **issued_to):
    """What an app posts that got it from the provider itself; `None` for a provider that offers apps nothing of the kind."""
    if hasattr(double, "issue"):
        issued = double.issue(user, **issued_to)
        return dict(zip(("access_token", "oauth_token_secret"), issued if isinstance(issued, tuple) else (issued,)))
    if not double.binds_codes:
        return None
    raw = note(secrets.token_urlsafe(16))
    return {"id_token": double.id_token(user, nonce=hashlib.sha256(raw.encode()).hexdigest()), "nonce": raw}


# The ways in. Each is for a `purpose` of the JS SDK: to sign in, to link (to the account of `idToken`) or to reauthenticate.


def by_redirect(site, double, user, purpose, **more):
    flow = WebFlow(site, double.provider)
    return flow.redeem(flow.to_app(double.login(user)), autoCreate=purpose != "reauth", **more)


def by_the_SDK(site, double, user, purpose, **more):
    flow = BrowserFlow(site, double.provider, purpose + "ViaPopup")
    return flow.redeem(flow.finished(double.login(user))["event"], **more)


def by_credential(site, double, user, purpose, **more):
    body = {"providerId": double.provider, **credential(double, user)}
    return posted(site.servers[0].api(), body, autoCreate=purpose != "reauth", **more)


def test_a_person_links_returns_and_reauthenticates(site, api, real_issuer, hostile_provider):
    ways = [by_redirect, by_the_SDK, *([by_credential] if credential(hostile_provider, person()) else [])]
    for link in ways:
        name = person()
        account, another = (WebFlow(site, "oidc.real").run(real_issuer.login(f"{person()}@elsewhere.example")) for _ in range(2))
        linked = link(site, hostile_provider, name, "link", idToken=account["idToken"]).json()
        assert linked["localId"] == account["localId"] and "isNewUser" not in linked
        methods = [method["providerId"] for method in api.lookup(linked["idToken"])["providerUserInfo"]]
        assert sorted(methods) == sorted(["oidc.real", hostile_provider.provider])
        for way in ways:
            returned = way(site, hostile_provider, name, "signIn").json()
            assert returned["localId"] == account["localId"] and "isNewUser" not in returned
            assert way(site, hostile_provider, name, "reauth").json()["localId"] == account["localId"]
        # What is refused writes nothing.
        before = site.counts()
        assert_error(link(site, hostile_provider, person(), "reauth"), "EMAIL_NOT_FOUND")
        taken = link(site, hostile_provider, name, "link", idToken=another["idToken"])
        if link is by_the_SDK:
            # It asks for the credential, so that the app can sign in with it.
            assert taken.json()["errorMessage"] == "FEDERATED_USER_ID_ALREADY_LINKED" and "idToken" not in taken.json()
        else:
            assert_error(taken, "FEDERATED_USER_ID_ALREADY_LINKED")
        assert site.counts() == before


def test_SEC_05_a_nonce_counts_only_as_the_hash_of_the_apps_own(site, api, hostile):
    raw = note(secrets.token_urlsafe(16))
    hashed = hashlib.sha256(raw.encode()).hexdigest()

    def answer(claim, sent):
        body = {"providerId": hostile.provider, "id_token": hostile.id_token("nonce", nonce=claim), **({"nonce": sent} if sent else {})}
        return posted(api, body)

    # Where nothing binds a code, no ID token of an app is taken at all.
    taken = answer(hashed, raw).status_code == 200
    assert taken == hostile.binds_codes
    before = site.counts()
    for claim, sent in [(None, raw), (raw, raw), (hashed.upper(), raw), (hashed, hashed), (hashed, raw + "x"), (hashed, raw.upper())]:
        assert_error(answer(claim, sent), "MISSING_OR_INVALID_NONCE" if taken else "INVALID_IDP_RESPONSE")
    assert site.counts() == before


def test_an_access_token_that_another_app_may_have_got_opens_nothing(site, api, hostile_provider, nothing_is_written):
    """The issuer of the token says that it is another app's, or no one can say whose it is."""
    provider = hostile_provider.provider
    bodies = [{"access_token": "a-made-up-access-token"}]
    if hasattr(hostile_provider, "issue"):
        bodies.append(credential(hostile_provider, "victim", client="of-mallory"))
    for body in bodies:
        answer = posted(api, {"providerId": provider, **body})
        assert answer.status_code == 400, answer.text
        assert answer.json()["error"]["message"].split(" : ")[0] in ("INVALID_IDP_RESPONSE", "INVALID_CREDENTIAL_OR_PROVIDER_ID")
    if not hasattr(hostile_provider, "issue"):
        assert hostile_provider.requests == [], "what cannot be checked costs no request"


def test_SEC_18_an_answer_counts_once_and_in_the_browser_that_started(site, hostile_provider):
    name = person()
    flow, other = (WebFlow(site, hostile_provider.provider) for _ in range(2))
    answered = hostile_provider.login(name)(flow.authorization_url())
    other.authorization_url()
    before = site.counts()
    for browser in (requests.Session(), other.browser):
        assert flow.callback(answered, browser=browser).status_code == 400
    assert "token" not in hostile_provider.asked() and site.counts() == before
    back = flow.returned(answered)
    again = flow.callback(answered)
    assert again.status_code == 400 or "code" not in query_of(again.headers["location"])
    assert flow.redeem(back).status_code == 200
    before = site.counts()
    assert_error(flow.redeem(back), "INVALID_IDP_RESPONSE")
    assert hostile_provider.asked().count("token") == 1 and site.counts() == before


def test_SEC_18_an_answer_with_the_state_of_another_provider_is_refused(site, hostile_provider):
    """Mix-up: the answer arrives in a sign-in that the same browser has begun at another provider."""
    before = site.counts()
    for own_address in (False, True):
        begun, other = WebFlow(site, hostile_provider.provider), WebFlow(site, "oidc.real")
        answered = hostile_provider.login(person())(begun.authorization_url())
        query = {**query_of(answered), "state": query_of(other.authorization_url())["state"]}
        address = f"{site.url}/__/auth/handler/{hostile_provider.provider}" if own_address else answered.partition("?")[0]
        mixed = other.callback(f"{address}?{urlencode(query)}")
        if mixed.status_code == 303 and "code" in query_of(mixed.headers["location"]):
            assert_error(other.redeem(mixed.headers["location"]), "INVALID_IDP_RESPONSE")
        else:
            assert mixed.status_code == 400 or "error" in query_of(mixed.headers["location"])
    assert "token" not in hostile_provider.asked() and site.counts() == before


@for_each(RESERVED)
def test_a_reserved_parameter_never_reaches_a_provider(name, site, hostile_provider):
    location = WebFlow(site, hostile_provider.provider, parameters={name: "of-the-attacker"}).start().headers["location"]
    assert "of-the-attacker" not in location
    assert "of-the-attacker" not in str(hostile_provider.requests)
    if location.startswith(site.page):
        assert query_of(location)["error"] == "invalid_request"
    else:
        assert location.startswith(hostile_provider.url + "/")
        query_of(location)


@for_each(
    [{"ui": "a\r\nSet-Cookie: x=y"}, {f"p{n}": "x" for n in range(21)}, {"ui": "x" * 1025}, {"ui": "\x00"}], issuer="hostile_provider"
)
def test_a_start_with_bad_parameters_asks_no_provider(parameters, site, hostile_provider):
    response = WebFlow(site, hostile_provider.provider).start(customParameters=json.dumps(parameters))
    assert response.status_code == 303 and query_of(response.headers["location"])["error"] == "invalid_request"
    assert hostile_provider.requests == []

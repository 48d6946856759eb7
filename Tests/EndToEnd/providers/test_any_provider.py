"""What no provider may be talked into: nonces, access tokens, states and parameters that are not right, at each of the stand-ins."""

import hashlib
import json
import secrets
from urllib.parse import urlencode

import pytest
import requests

from support.accounts import person
from support.clients.api import assert_error, posted
from support.clients.flows import WebFlow, query_of
from support.leaks import note

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
        issued = hostile_provider.issue("victim", client="of-mallory")
        bodies.append(dict(zip(("access_token", "oauth_token_secret"), issued if isinstance(issued, tuple) else (issued,))))
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


@pytest.mark.parametrize("name", RESERVED)
def test_a_reserved_parameter_never_reaches_a_provider(site, hostile_provider, name):
    location = WebFlow(site, hostile_provider.provider, parameters={name: "of-the-attacker"}).start().headers["location"]
    assert "of-the-attacker" not in location
    assert "of-the-attacker" not in str(hostile_provider.requests)
    if location.startswith(site.page):
        assert query_of(location)["error"] == "invalid_request"
    else:
        assert location.startswith(hostile_provider.url + "/")
        query_of(location)


@pytest.mark.parametrize(
    "parameters",
    [{"ui": "a\r\nSet-Cookie: x=y"}, {f"p{n}": "x" for n in range(21)}, {"ui": "x" * 1025}, {"ui": "\x00"}],
    ids=["line break", "21 parameters", "1025 bytes", "NUL"],
)
def test_a_start_with_bad_parameters_asks_no_provider(site, hostile_provider, parameters):
    response = WebFlow(site, hostile_provider.provider).start(customParameters=json.dumps(parameters))
    assert response.status_code == 303 and query_of(response.headers["location"])["error"] == "invalid_request"
    assert hostile_provider.requests == []

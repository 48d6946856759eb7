"""Pushed authorization requests: the relying party sends the request itself, and the browser brings only its name.

<https://www.rfc-editor.org/rfc/rfc9126>
"""

import pytest
import requests

from support.names import TIMEOUT
from support.openid.checks import assert_page, assert_redirected, assert_token_error
from support.openid.registrations import BASIC, NATIVE, PUSHING, SECOND, SIGNING
from support.openid.relying_party import delivered
from support.openid.times import age_codes

PREFIX = "urn:ietf:params:oauth:request_uri:"


def pushed(rp, **changes):
    response, sent, verifier = rp.push(**changes)
    assert response.status_code == 201, response.text
    assert response.headers["cache-control"] == "no-store"
    body = response.json()
    assert set(body) == {"request_uri", "expires_in"} and body["expires_in"] == 60
    assert body["request_uri"].startswith(PREFIX) and len(body["request_uri"]) >= len(PREFIX) + 22
    return body["request_uri"], sent, verifier


def brought(rp, uri, client=None, **more):
    """What the authorization endpoint answers to a browser that brings the name of a request."""
    return rp.send({"client_id": (client or rp.client).id, "request_uri": uri, **more})


def refused(response, client):
    """By a page or by a redirect, but never with a code."""
    answer = delivered(response, client.redirect_uris)
    if answer:
        assert_redirected(answer, ["invalid_request", "invalid_request_uri"], client)
    else:
        assert_page(response)


@pytest.mark.parametrize("client", [BASIC, PUSHING, SIGNING, NATIVE], ids=lambda client: client.id)
def test_a_pushed_request_is_as_good_as_one_in_the_address(party, ada, client):
    rp = party(client)
    uri, sent, verifier = pushed(rp, scope="openid email")
    answer = rp.finish(rp.browser.follow(brought(rp, uri)), sent, verifier, ada)
    tokens = rp.tokens(answer)
    assert rp.claims(tokens["id_token"], sent["nonce"])["sub"] == ada.id
    assert set(tokens["scope"].split()) == {"openid", "email"}


def test_what_the_browser_adds_does_not_count(party):
    rp = party()
    uri, sent, verifier = pushed(rp, scope="openid")
    added = {"redirect_uri": "https://thief.example.com/callback", "scope": "openid email", "state": "another", "nonce": "another"}
    answer = rp.check_answer(rp.finish(brought(rp, uri, **added), sent, verifier))
    assert answer.uri == BASIC.redirect_uri and rp.tokens(answer)["scope"] == "openid"


def test_a_name_counts_once(party):
    rp = party()
    uri, sent, verifier = pushed(rp)
    assert rp.tokens(rp.finish(brought(rp, uri), sent, verifier))
    refused(brought(rp, uri), BASIC)


def test_a_name_of_another_client(party):
    rp = party()
    uri, _, _ = pushed(rp)
    refused(brought(party(SECOND), uri), SECOND)
    assert delivered(brought(rp, uri), BASIC.redirect_uris).parameters["code"], "the other's try does not use it up"


def test_a_name_that_is_too_old(openid_site, party):
    rp = party()
    uri, _, _ = pushed(rp)
    age_codes(openid_site, BASIC, 61)
    refused(brought(rp, uri), BASIC)


@pytest.mark.parametrize(
    "uri", [PREFIX, PREFIX + "x", PREFIX + "a" * 22, PREFIX + "a" * 43, "urn:ietf:params:oauth:request_uri", PREFIX + "\x00"]
)
def test_a_name_that_never_was(party, uri):
    refused(brought(party(), uri), BASIC)


def test_a_name_without_a_client(party):
    rp = party()
    uri, _, _ = pushed(rp)
    assert_page(rp.send({"request_uri": uri}))


def test_a_request_that_names_another_one(party):
    """RFC 9126 section 2.1."""
    rp = party()
    uri, _, _ = pushed(rp)
    assert_token_error(rp.push(request_uri=uri)[0], "invalid_request")


@pytest.mark.parametrize(
    "changes, error",
    [
        ({"redirect_uri": "https://thief.example.com/callback"}, "invalid_request"),
        ({"redirect_uri": None}, "invalid_request"),
        ({"response_type": None}, "invalid_request"),
        ({"response_type": "token"}, "unsupported_response_type"),
        ({"scope": "unknown"}, "invalid_scope"),
        ({"max_age": "abc"}, "invalid_request"),
        ({"prompt": "none login"}, "invalid_request"),
        ({"claims": "{"}, "invalid_request"),
        ({"state": ["a", "b"]}, "invalid_request"),
        ({"request": "a.b.c"}, "request_not_supported"),
        ({"code_challenge": "a" * 43, "code_challenge_method": "plain"}, "invalid_request"),
    ],
    ids=str,
)
def test_a_request_is_checked_when_it_is_pushed(party, changes, error):
    assert_token_error(party().push(**changes)[0], error)


def test_a_pushed_request_needs_the_clients_credentials(openid_site, party):
    rp = party()
    sent, _ = rp.parameters()
    url = rp.metadata["pushed_authorization_request_endpoint"]
    assert_token_error(requests.post(url, data=sent, timeout=TIMEOUT), "invalid_client", 401)
    _, headers = rp.credentials({})
    other = requests.post(url, data={**sent, "client_id": SECOND.id}, headers=headers, timeout=TIMEOUT)
    assert other.json()["error"] in ("invalid_request", "invalid_client")
    assert_token_error(other, other.json()["error"], other.status_code)
    assert requests.get(url, params=sent, headers=headers, timeout=TIMEOUT).status_code == 405


def test_a_client_that_must_push_does(party):
    rp = party(PUSHING)
    sent, _ = rp.parameters()
    assert_redirected(delivered(rp.send(sent), PUSHING.redirect_uris), "invalid_request", PUSHING, sent=sent["state"])


def test_prompt_none_counts_in_a_pushed_request_too(newcomer):
    rp = newcomer()
    uri, sent, _ = pushed(rp, prompt="none")
    assert_redirected(delivered(brought(rp, uri), BASIC.redirect_uris), "login_required", BASIC, sent=sent["state"])

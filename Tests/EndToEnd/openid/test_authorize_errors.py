"""Requests at the authorization endpoint that are wrong in a way that the relying party is told: by a redirect with an error.

One of each kind: `AuthorizeParametersTests` has the tables of wrong parameters.
"""

import itertools
import json
import threading

import pytest
import werkzeug

from support.harness import wait_until
from support.jwts import claims, foreign_key
from support.openid.checks import assert_redirected
from support.openid.registrations import BASIC, BROWSER, NATIVE, STRICT, THIRD_PARTY
from support.openid.relying_party import RelyingParty, delivered
from support.openid.site import OpenIDSite
from support.servers.site import GENEROUS
from support.web_server import WebServer


def refused(rp, error, mode="query", **changes):
    """The request with these changes leads back to the relying party with this error, and with its state."""
    sent, _ = rp.parameters(**changes)
    answer = delivered(rp.send(sent), rp.client.redirect_uris)
    assert answer, "a page in place of an answer"
    return assert_redirected(answer, error, rp.client, mode=mode, sent=sent["state"])


def accepted(rp, person=None, **changes):
    answer = rp.authorize(person, **changes)
    assert "code" in answer.parameters, answer.parameters
    return rp.check_answer(answer)


@pytest.mark.parametrize("type", ["code token", "Code"])
def test_a_response_type_that_is_not_there(party, type):
    rp = party()
    sent, _ = rp.parameters(response_type=type)
    # Those with a token have the fragment as their default mode.
    answer = delivered(rp.send(sent), BASIC.redirect_uris)
    assert_redirected(answer, "unsupported_response_type", BASIC, mode=answer.mode, sent=sent["state"])
    assert answer.mode == ("fragment" if "token" in type else "query")


def test_two_states(party):
    """There is no telling which state is the right one, so none is sent back."""
    rp = party()
    answer = delivered(rp.open(state=["first", "second"]), BASIC.redirect_uris)
    assert_redirected(answer, "invalid_request", BASIC)
    assert "state" not in answer.parameters


@pytest.mark.parametrize("client", [NATIVE, BROWSER, STRICT], ids=["native", "browser", "confidential"])
def test_a_proof_key_that_is_missing_or_weak(party, ada, client):
    rp = party(client)
    accepted(rp, ada)
    for changes in ({"code_challenge": None, "code_challenge_method": None}, {"code_challenge_method": "plain"}):
        told = refused(rp, "invalid_request", **changes)
        assert "PKCE" in told["error_description"] or "code_challenge" in told["error_description"], told


def test_a_nonce_of_a_kibibyte_comes_back_exactly(party):
    nonce = "ñ" * 512
    assert party().sign_in(None, nonce=nonce).claims["nonce"] == nonce


def test_unknown_scopes_are_left_out(party):
    rp = party()
    tokens = rp.tokens(accepted(rp, scope="openid unknown email"))
    assert set(tokens["scope"].split()) == {"openid", "email"}


def test_plain_oauth_has_no_id_token(party):
    rp = party()
    tokens = rp.tokens(accepted(rp, scope="email", nonce=None))
    assert "id_token" not in tokens and tokens["scope"] == "email"
    told = rp.userinfo(tokens["access_token"])
    assert told.status_code == 403 and 'error="insufficient_scope"' in told.headers["www-authenticate"]


def test_prompt_none_without_a_session(newcomer):
    refused(newcomer(), "login_required", prompt="none")


def test_prompt_none_with_a_session_that_is_too_old(openid_site, newcomer):
    rp, person = newcomer(), openid_site.person()
    rp.sign_in(person)
    refused(rp, "login_required", prompt="none", max_age="0")


def test_prompt_none_without_consent(party):
    refused(party(THIRD_PARTY), "consent_required", prompt="none")


def test_prompt_none_with_another_person_in_the_hint(openid_site, party, newcomer):
    """Also where the hint is as it should be, but for somebody else."""
    bobs = newcomer().sign_in(openid_site.person()).tokens["id_token"]
    refused(party(), "login_required", prompt="none", id_token_hint=bobs)
    own = party().sign_in(None).tokens["id_token"]
    accepted(party(), prompt="none", id_token_hint=own)


@pytest.mark.parametrize("whose", ["another client's", "another key's"])
def test_a_hint_that_is_not_this_clients(party, ada, whose):
    if whose == "another client's":
        hint = party(NATIVE).sign_in(ada).tokens["id_token"]
    else:
        hint = foreign_key("thief").sign(claims(party().sign_in(None).tokens["id_token"]))
    refused(party(), "invalid_request", prompt="none", id_token_hint=hint)


@pytest.mark.parametrize("members", [{"userinfo": {"sub": {"value": "somebody-else"}}}, {"id_token": {"sub": {"value": "somebody-else"}}}])
def test_a_subject_that_is_somebody_else(party, members):
    refused(party(), "login_required", prompt="none", claims=json.dumps(members))


def test_the_time_of_the_sign_in_on_demand(party):
    asked = party().sign_in(None, claims='{"id_token":{"auth_time":{"essential":true}}}').claims
    assert type(asked["auth_time"]) is int


def test_a_request_object_is_refused_and_never_fetched(party):
    """Not even by a look at the address."""
    asked = threading.Event()

    @werkzeug.Request.application
    def trap(request):
        asked.set()
        return werkzeug.Response("{}", content_type="application/json")

    server = WebServer(trap)
    try:
        refused(party(), "request_uri_not_supported", request_uri=f"{server.url}/request.jwt")
        refused(party(), "request_uri_not_supported", request_uri="https://rp.example.com/request.jwt")
        refused(party(), "request_not_supported", request="eyJhbGciOiJub25lIn0.e30.")
        # A request that comes later would have come after these.
        wait_until(lambda: party().open(prompt="none").status_code == 302, what="another request")
        assert not asked.is_set()
    finally:
        server.close()


@pytest.mark.parametrize("mode", ["query", "fragment", None])
def test_tokens_do_not_travel_in_a_query(party, mode):
    """Where the type is not there either: who asks for a token in the address bar gets the refusal behind the hash."""
    rp = party()
    assert rp.metadata["response_types_supported"] == ["code"]
    refused(rp, "unsupported_response_type", "fragment", response_type="id_token", response_mode=mode)


def test_an_error_travels_as_the_answer_would(party):
    refused(party(), "invalid_request", mode="fragment", max_age="abc", response_mode="fragment")
    refused(party(), "invalid_request", mode="form_post", max_age="abc", response_mode="form_post")


@pytest.mark.parametrize("mode", ["query", "fragment", "form_post"])
def test_any_state_comes_back_as_it_was(party, mode):
    rp = party()
    words = ['"><script>alert(1)</script>', "a&b=c#d%20e+f", "'\"<>&", "ü€😀", " a  b "]
    for word, changes in itertools.product(words, ({}, {"max_age": "abc"})):
        sent, _ = rp.parameters(state=word, response_mode=mode, **changes)
        response = rp.send(sent)
        answer = delivered(response, BASIC.redirect_uris)
        assert answer.mode == mode and answer.parameters["state"] == word
        assert "<script>alert(1)" not in response.text


def test_a_browser_app_reads_the_answer_behind_the_hash(party):
    """As AppAuth for JavaScript does."""
    answer = accepted(party(BROWSER, mode="fragment"))
    assert answer.mode == "fragment"


def test_no_form_is_posted_to_a_custom_scheme(party):
    rp = party(NATIVE)
    sent, _ = rp.parameters(response_mode="form_post")
    answer = delivered(rp.send(sent), NATIVE.redirect_uris)
    assert_redirected(answer, "invalid_request", NATIVE, sent=sent["state"])


def test_the_person_who_refuses_is_an_answer(newcomer, ada):
    rp = newcomer(THIRD_PARTY)
    answer = rp.authorize(ada, decide="refuse")
    assert "consent" in answer.pages
    assert_redirected(answer, "access_denied", THIRD_PARTY, sent=answer.sent["state"])
    granted = rp.authorize(ada)
    assert "consent" in granted.pages and "code" in granted.parameters
    assert rp.authorize().pages == [], "asked once for each set of scopes"
    assert "consent" in rp.authorize(ada, scope="openid email").pages, "and again for more"


def test_a_person_is_not_answered_for_another_whom_the_client_names(party, ada, openid_site):
    """Without a page, an address in `login_hint` that is not the person's asks for another person, whether that one has an account or not."""
    rp = party()
    other = openid_site.person()
    for hint in (other.email, "no-account@example.com"):
        refused(rp, "login_required", prompt="none", login_hint=hint)
    for changes in (
        {"prompt": "none", "login_hint": ada.email.upper()},
        {"prompt": "none", "login_hint": "ada"},
        {"login_hint": other.email},
    ):
        assert accepted(rp, **changes).pages == []


@pytest.mark.parametrize("method", ["GET", "POST"])
def test_a_limit_is_told_to_the_relying_party(method):
    site = OpenIDSite(project={"limits": {**GENEROUS, "startSignIn": {"perAddress": "1 per 1h"}}})
    try:
        site.serve()
        rp = RelyingParty(site.issuer, BASIC)
        assert rp.open(method=method).headers["location"].startswith("/demo/")
        sent, _ = rp.parameters()
        told = assert_redirected(rp.send(sent, method), "temporarily_unavailable", BASIC, sent=sent["state"])
        assert told["iss"] == site.issuer and "too many" in told["error_description"]
    finally:
        site.close()

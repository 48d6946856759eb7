"""Access tokens at userinfo, introspection and revocation: who may use them, who learns of them, and what ends them."""

import contextlib

import pytest
import requests

from support.harness import free_port
from support.jwts import claims, foreign_key, unsigned
from support.names import TIMEOUT
from support.openid.checks import assert_token_error, assert_unauthorized, short
from support.openid.registrations import API, API_SCOPE, BASIC, NARROW, NATIVE, OTHER_BASIC, POST, RESOURCE, SECOND, THIRD_PARTY
from support.openid.relying_party import FORM, RelyingParty, basic
from support.openid.times import clock_ahead

INACTIVE = {"active": False}


@contextlib.contextmanager
def an_hour_later(site):
    """Another server of the site, whose machine's clock is 61 minutes ahead."""
    server = site.serve(free_port(), through=clock_ahead("+61m"))
    try:
        yield server
    finally:
        server.kill()
        site.servers.remove(server)


def at(server, rp, endpoint):
    """The endpoint's address at another server of the site."""
    return rp.metadata[endpoint].replace(rp.issuer.removesuffix("/demo"), server.url)


def test_userinfo_without_a_token(party):
    url = party().metadata["userinfo_endpoint"]
    for answer in (
        requests.get(url, timeout=TIMEOUT),
        requests.post(url, timeout=TIMEOUT),
        requests.post(url, data={"a": "b"}, timeout=TIMEOUT),
    ):
        assert_unauthorized(answer, error=None)


def test_userinfo_never_reads_the_query(party):
    rp = party()
    token = rp.sign_in(None).tokens["access_token"]
    url = rp.metadata["userinfo_endpoint"]
    assert_unauthorized(requests.get(url, params={"access_token": token}, timeout=TIMEOUT), error=None)
    assert_unauthorized(requests.post(url, params={"access_token": token}, timeout=TIMEOUT), error=None)


def test_two_tokens_in_one_request(party):
    """RFC 6750 section 2: one method in each request."""
    rp = party()
    token = rp.sign_in(None).tokens["access_token"]
    headers = {"authorization": f"Bearer {token}"}
    answer = requests.post(rp.metadata["userinfo_endpoint"], data={"access_token": token}, headers=headers, timeout=TIMEOUT)
    assert answer.status_code == 400 and 'error="invalid_request"' in answer.headers["www-authenticate"]
    assert requests.post(rp.metadata["userinfo_endpoint"], headers=headers, timeout=TIMEOUT).status_code == 200


def test_tokens_of_other_kinds_open_nothing(openid_site, party, ada):
    rp = party(NATIVE)
    tokens = rp.sign_in(ada, scope="openid offline_access").tokens
    user = openid_site.api().succeed("signInWithPassword", {"email": ada.email, "password": ada.password, "returnSecureToken": True})
    for token in (tokens["id_token"], tokens["refresh_token"], user["idToken"], user["refreshToken"], rp.authorize(ada).code):
        assert_unauthorized(rp.userinfo(token))
        assert party(API).introspect(token).json() == INACTIVE
    assert rp.userinfo(tokens["access_token"]).status_code == 200


def test_tokens_of_relying_parties_are_no_tokens_of_apps(openid_site, party, ada):
    """What the SDKs' calls take is an ID token for the project, not one for a client."""
    tokens = party(NATIVE).sign_in(ada).tokens
    for token in (tokens["id_token"], tokens["access_token"]):
        answer = openid_site.api().call("lookup", {"idToken": token})
        assert answer.status_code == 400 and answer.json()["error"]["message"].startswith("INVALID_ID_TOKEN")


@pytest.mark.parametrize("trick", ["unsigned", "foreign key", "another signature", "more scopes", "garbage", "long"])
def test_a_forged_token(party, trick):
    rp = party()
    token = rp.sign_in(None).tokens["access_token"]
    head, body, signature = token.split(".")
    forged = {
        "unsigned": unsigned(claims(token), {"alg": "none", "typ": "at+jwt"}),
        "foreign key": foreign_key("thief").sign(claims(token)),
        "another signature": f"{head}.{body}.{signature[::-1]}",
        "more scopes": f"{head}.{unsigned({**claims(token), 'scope': 'openid email'}).split('.')[1]}.{signature}",
        "garbage": "garbage",
        "long": "a" * 7000,
    }[trick]
    assert_unauthorized(rp.userinfo(forged))
    assert rp.introspect(forged).json() == INACTIVE


def test_a_token_of_another_project(openid_site, party):
    other = RelyingParty(openid_site.other_issuer, OTHER_BASIC)
    token = other.sign_in(openid_site.person(other=True)).tokens["access_token"]
    assert other.userinfo(token).status_code == 200
    assert_unauthorized(party().userinfo(token))
    assert party().introspect(token).json() == INACTIVE
    assert other.introspect(token).json()["active"] is True


def test_a_token_that_has_expired(openid_site, party):
    rp = party()
    tokens = rp.sign_in(None, scope="openid offline_access").tokens
    bearer = {"authorization": f"Bearer {tokens['access_token']}"}
    form, headers = rp.credentials({"token": tokens["access_token"]})
    with an_hour_later(openid_site) as later:
        assert_unauthorized(requests.get(at(later, rp, "userinfo_endpoint"), headers=bearer, timeout=TIMEOUT))
        told = requests.post(at(later, rp, "introspection_endpoint"), data=form, headers=headers, timeout=TIMEOUT)
        assert told.json() == INACTIVE
        # An ID token stays a hint, however old it is.
        hint = {"id_token_hint": tokens["id_token"], "prompt": "none"}
        sent, _ = rp.parameters(**hint)
        answer = rp.browser.get(at(later, rp, "authorization_endpoint"), params=sent)
        assert "error=invalid_request" not in answer.headers["location"], answer.headers["location"]
    assert rp.userinfo(tokens["access_token"]).status_code == 200


def test_a_disabled_account(openid_site, newcomer):
    rp, person = newcomer(), openid_site.person()
    token = rp.sign_in(person).tokens["access_token"]
    openid_site.disable(person)
    assert_unauthorized(rp.userinfo(token))
    assert rp.introspect(token).json() == INACTIVE


# -- claims on demand


NAME = '{"userinfo":{"name":{"essential":true},"email":null}}'


def test_a_claim_on_demand_needs_its_scope(party, ada):
    """The parameter opens no more than the client may ask for by scopes."""
    rp = party(NARROW)
    tokens = rp.sign_in(None, scope="openid", claims=NAME).tokens
    assert rp.userinfo(tokens["access_token"]).json().keys() == {"sub"}
    assert party().userinfo(party().sign_in(None, claims=NAME).tokens["access_token"]).json()["name"] == ada.name


def test_a_claim_on_demand_needs_consent(openid_site, newcomer):
    """The person allowed the id alone."""
    rp, person = newcomer(THIRD_PARTY), openid_site.person()
    assert "consent" in rp.sign_in(person, scope="openid").answer.pages
    assert rp.sign_in(None, scope="openid").answer.pages == []
    assert "consent" in rp.authorize(person, scope="openid", claims=NAME).pages


def test_a_claim_on_demand_is_not_in_a_narrower_token(party):
    rp = party()
    wide = rp.sign_in(None, scope="openid offline_access", claims=NAME).tokens
    narrow = rp.refresh(wide["refresh_token"], scope="openid").json()
    assert rp.userinfo(narrow["access_token"]).json().keys() == {"sub"}


# -- introspection


def test_what_introspection_tells(party, ada):
    rp = party()
    signed_in = rp.sign_in(None, scope="openid email")
    answer = rp.introspect(signed_in.tokens["access_token"])
    assert answer.status_code == 200 and answer.headers["cache-control"] == "no-store"
    told = answer.json()
    said = claims(signed_in.tokens["access_token"])
    assert told["active"] is True and told["token_type"] == "Bearer" and set(told["scope"].split()) == {"openid", "email"}
    assert told["username"] == ada.email
    without = rp.sign_in(None, scope="openid").tokens["access_token"]
    assert "username" not in rp.introspect(without).json(), "the address is what the scope email opens"
    for name in ("iss", "sub", "exp", "iat", "jti", "client_id"):
        assert told[name] == said[name], name
    assert told["aud"] in (said["aud"], [said["aud"]])


def test_a_public_client_may_not_ask(party, ada):
    rp = party(NATIVE)
    token = rp.sign_in(ada).tokens["access_token"]
    assert_token_error(rp.introspect(token), "invalid_client", 401)


def test_nobody_asks_without_credentials(party):
    rp = party()
    token = rp.sign_in(None).tokens["access_token"]
    for headers in ({"authorization": basic(BASIC.id, "wrong")}, {"authorization": f"Bearer {token}"}):
        answer = rp.post("introspection_endpoint", {"token": token}, headers, credentials=False)
        assert_token_error(answer, "invalid_client", 401)
    named = rp.post("introspection_endpoint", {"token": token, "client_id": BASIC.id}, credentials=False)
    assert_token_error(named, "invalid_client", 401)
    nobody = rp.post("introspection_endpoint", {"token": token}, credentials=False)
    assert nobody.status_code in (400, 401) and "active" not in nobody.text


def test_another_clients_token_is_as_unknown_as_garbage(party):
    token = party().sign_in(None, scope="openid offline_access").tokens
    for client in (SECOND, POST):
        for each in (token["access_token"], token["refresh_token"], "garbage"):
            answer = party(client).introspect(each)
            assert answer.status_code == 200 and answer.json() == INACTIVE


def test_the_audience_of_a_token_may_ask_about_it(party):
    """The API that the token is for is a client with the audience as its id."""
    tokens = party(API).sign_in(None, scope=f"openid {API_SCOPE}").tokens
    told = party(RESOURCE).introspect(tokens["access_token"]).json()
    assert told["active"] is True and told["client_id"] == API.id and API_SCOPE in told["scope"].split()
    without = party(API).sign_in(None, scope="openid").tokens["access_token"]
    assert party(RESOURCE).introspect(without).json() == INACTIVE


def test_a_question_without_a_token(party):
    assert_token_error(party().post("introspection_endpoint", {}), "invalid_request")
    assert_token_error(party().introspect(["a", "b"]), "invalid_request")


# -- revocation


def assert_revoked(answer):
    assert answer.status_code == 200 and answer.content == b"", answer.text


@pytest.mark.parametrize("hint", [None, "refresh_token", "access_token", "unknown"])
def test_a_revoked_refresh_token_ends_its_family(party, hint):
    """A wrong hint changes nothing (RFC 7009 section 2.1)."""
    rp = party()
    tokens = rp.sign_in(None, scope="openid offline_access").tokens
    newer = rp.refresh(tokens["refresh_token"]).json()
    twin = rp.sign_in(None, scope="openid offline_access").tokens
    assert_revoked(rp.revoke(newer["refresh_token"], token_type_hint=hint))
    for token in (tokens, newer):
        assert_token_error(rp.refresh(token["refresh_token"]), "invalid_grant")
        assert_unauthorized(rp.userinfo(token["access_token"]))
        assert rp.introspect(token["access_token"]).json() == INACTIVE
    assert rp.userinfo(twin["access_token"]).status_code == 200 and rp.refresh(twin["refresh_token"]).status_code == 200


def test_a_revoked_access_token(party):
    rp = party()
    token = rp.sign_in(None).tokens["access_token"]
    assert_revoked(rp.revoke(token))
    assert_unauthorized(rp.userinfo(token))
    assert rp.introspect(token).json() == INACTIVE


def test_a_revocation_twice(party):
    rp = party()
    token = rp.sign_in(None, scope="openid offline_access").tokens["refresh_token"]
    assert_revoked(rp.revoke(token))
    assert_revoked(rp.revoke(token))


@pytest.mark.parametrize("token", ["garbage", "a" * 2000, "a.b.c", "\x00", "ü"], ids=short)
def test_a_revocation_of_what_never_was(party, token):
    assert_revoked(party().revoke(token))


def test_nothing_foreign_is_revoked(party, ada):
    for client in (BASIC, NATIVE):
        owner = party(client)
        tokens = owner.sign_in(ada, scope="openid offline_access").tokens
        for thief in (SECOND, POST, API):
            for name in ("access_token", "refresh_token"):
                assert_revoked(party(thief).revoke(tokens[name]))
        assert owner.userinfo(tokens["access_token"]).status_code == 200
        assert owner.refresh(tokens["refresh_token"]).status_code == 200


def test_a_public_client_revokes_by_its_id(party, ada):
    rp = party(NATIVE)
    tokens = rp.sign_in(ada).tokens
    assert_revoked(rp.revoke(tokens["refresh_token"]))
    assert_unauthorized(rp.userinfo(tokens["access_token"]))


def test_a_revocation_needs_credentials_and_a_token(party):
    rp = party()
    token = rp.sign_in(None).tokens["access_token"]
    assert rp.post("revocation_endpoint", {"token": token}, credentials=False).status_code in (400, 401)
    assert_token_error(rp.post("revocation_endpoint", {"token": token, "client_id": BASIC.id}, credentials=False), "invalid_client", 401)
    assert_token_error(rp.post("revocation_endpoint", {}), "invalid_request")
    assert rp.userinfo(token).status_code == 200


@pytest.mark.parametrize("name", ["introspect", "revoke"])
def test_these_endpoints_take_posted_forms_alone(openid_site, party, name):
    rp = party()
    url = f"{openid_site.issuer}/oauth2/{name}"
    _, headers = rp.credentials({})
    assert requests.get(url, params={"token": "x"}, headers=headers, timeout=TIMEOUT).status_code == 405
    assert_token_error(requests.post(url, json={"token": "x"}, headers=headers, timeout=TIMEOUT), "invalid_request")
    garbled = requests.post(url, data=b"token=%zz", headers={**headers, "content-type": FORM}, timeout=TIMEOUT)
    assert_token_error(garbled, "invalid_request")

"""Refresh tokens of relying parties: each is used once, and a copy of one ends the whole family.

<https://www.rfc-editor.org/rfc/rfc9700#section-4.14.2>
"""

import contextlib
import json
from urllib.parse import urljoin

import pytest

from support.harness import together
from support.jwts import claims
from support.openid.checks import assert_redirected, assert_token_answer, assert_token_error, short
from support.openid.registrations import API, API_SCOPE, BASIC, NATIVE, PROFILED, SECOND, STRICT, THIRD_PARTY
from support.openid.relying_party import RelyingParty
from support.openid.times import age_rotations

SCOPE = "openid email offline_access"


class Family:
    """One grant of one person, with the tokens that it gave so far."""

    def __init__(self, site, client=BASIC, scope=SCOPE):
        self.site = site
        self.person = site.person()
        self.rp = RelyingParty(site.issuer, client)
        self.signed_in = self.rp.sign_in(self.person, scope=scope)
        self.first = self.signed_in.tokens["refresh_token"]
        self.access_tokens = [self.signed_in.tokens["access_token"]]

    def use(self, token):
        body = assert_token_answer(self.rp.refresh(token))
        self.access_tokens.append(body["access_token"])
        return body["refresh_token"]

    def is_dead(self, *tokens):
        for token in tokens:
            assert_token_error(self.rp.refresh(token), "invalid_grant")
        return all(self.rp.userinfo(token).status_code == 401 for token in self.access_tokens)

    def events(self):
        return json.dumps(self.site.rows("SELECT to_jsonb(e) FROM audit_events e WHERE account_id = %s", self.person.id), default=str)


@pytest.fixture(params=[BASIC, NATIVE], ids=["confidential", "native"])
def family(request, openid_site):
    return Family(openid_site, request.param)


@contextlib.contextmanager
def reloaded_clients(site, clients):
    """Other clients in the project's file, and the present ones again afterwards."""
    provider = site.project["openIDProvider"]
    before = provider["clients"]
    try:
        provider["clients"] = clients
        site.reload(site.project["providers"])
        yield
    finally:
        provider["clients"] = before
        site.reload(site.project["providers"])


def test_a_reload_takes_scopes_from_grants_and_a_client_from_its_tokens(openid_site):
    family = Family(openid_site)
    second = family.use(family.first)
    clients = openid_site.project["openIDProvider"]["clients"]
    others = [client for client in clients if client["id"] != BASIC.id]
    with reloaded_clients(openid_site, [*others, {**BASIC.entry(), "scopes": ["openid", "offline_access"]}]):
        narrowed = assert_token_answer(family.rp.refresh(second))
        assert narrowed["scope"] == "openid offline_access"
        for token in (*family.access_tokens, narrowed["access_token"]):
            assert family.rp.userinfo(token).json() == {"sub": family.person.id}
            told = family.rp.introspect(token).json()
            assert told["scope"] == "openid offline_access" and "username" not in told
        assert family.rp.introspect(narrowed["refresh_token"]).json()["scope"] == "openid offline_access"
        assert "email" not in claims(narrowed["id_token"])
    with reloaded_clients(openid_site, [*others, {**BASIC.entry(), "scopes": ["openid", "email"]}]):
        assert family.rp.introspect(narrowed["refresh_token"]).json() == {"active": False}
        age_rotations(openid_site, family.person, 31)
        for _ in range(2):
            assert_token_error(family.rp.refresh(narrowed["refresh_token"]), "invalid_grant")
    assert "stolen" not in family.events()
    assert assert_token_answer(family.rp.refresh(narrowed["refresh_token"]))["scope"] == SCOPE
    assert "email" in family.rp.userinfo(family.access_tokens[0]).json()
    with reloaded_clients(openid_site, others):
        assert family.rp.userinfo(family.access_tokens[0]).status_code == 401
        assert RelyingParty(openid_site.issuer, API).introspect(family.access_tokens[0]).json() == {"active": False}


def test_a_reload_takes_a_redirect_uri_from_requests_that_wait(openid_site):
    rp = RelyingParty(openid_site.issuer, BASIC)
    page = urljoin(rp.issuer, rp.open().headers["location"])
    assert rp.browser.get(page).status_code == 200
    pushed = rp.push()[0].json()["request_uri"]
    clients = openid_site.project["openIDProvider"]["clients"]
    others = [client for client in clients if client["id"] != BASIC.id]
    with reloaded_clients(openid_site, [*others, {**BASIC.entry(), "redirectURIs": ["https://elsewhere.example.com/callback"]}]):
        for answer in (rp.browser.get(page), rp.send({"client_id": BASIC.id, "request_uri": pushed})):
            assert answer.status_code == 400 and "location" not in answer.headers


def test_a_reload_takes_a_user_flow_from_its_tokens(openid_site):
    provider = openid_site.project["openIDProvider"]
    rp = RelyingParty(f"{openid_site.issuer}/b2c_1_sign_in/v2.0", BASIC)
    tokens = rp.sign_in(openid_site.person(), scope="openid offline_access").tokens
    asking = RelyingParty(openid_site.issuer, BASIC)
    before = provider["userFlows"]
    for token in (tokens["access_token"], tokens["refresh_token"]):
        assert asking.introspect(token).json()["active"] is True
    try:
        provider["userFlows"] = [flow for flow in before if flow["name"] != "b2c_1_sign_in"]
        openid_site.reload(openid_site.project["providers"])
        for token in (tokens["access_token"], tokens["refresh_token"]):
            assert asking.introspect(token).json() == {"active": False}
    finally:
        provider["userFlows"] = before
        openid_site.reload(openid_site.project["providers"])


def test_a_reload_takes_scopes_from_the_page_of_consent_and_from_a_request_that_waits(openid_site):
    rp = RelyingParty(openid_site.issuer, THIRD_PARTY)
    person = openid_site.person()
    RelyingParty(openid_site.issuer, BASIC, browser=rp.browser).sign_in(person)
    sent, verifier = rp.parameters(scope="openid email phone")
    page = rp.browser.follow(rp.send(sent))
    assert "e-mail address" in page.text
    clients = openid_site.project["openIDProvider"]["clients"]
    others = [client for client in clients if client["id"] != THIRD_PARTY.id]
    with reloaded_clients(openid_site, [*others, {**THIRD_PARTY.entry(), "scopes": ["openid", "profile"]}]):
        narrowed = rp.browser.get(page.url)
        assert narrowed.status_code == 200 and "e-mail address" not in narrowed.text
        answer = rp.finish(narrowed, sent, verifier, person)
    (row,) = openid_site.rows("SELECT scopes FROM consents WHERE account_id = %s", person.id)
    assert row[0] == ["openid"]
    assert assert_token_answer(rp.redeem(answer))["scope"] == "openid"


def test_a_reload_that_takes_all_scopes_from_a_request_is_told_to_its_client(openid_site):
    rp = RelyingParty(openid_site.issuer, BASIC)
    asked = rp.open(method="POST", scope="openid email")
    clients = openid_site.project["openIDProvider"]["clients"]
    others = [client for client in clients if client["id"] != BASIC.id]
    with reloaded_clients(openid_site, [*others, {**BASIC.entry(), "scopes": ["profile"]}]):
        answer = rp.browser.get(urljoin(rp.issuer, asked.headers["location"]))
    assert_redirected(answer, "invalid_scope", BASIC)


def test_a_reload_takes_an_api_from_the_audience_at_introspection(openid_site):
    rp = RelyingParty(openid_site.issuer, API)
    token = rp.sign_in(openid_site.person(), scope=f"openid {API_SCOPE}").tokens["access_token"]
    audience = API_SCOPE.rpartition("/")[0]
    assert audience in rp.introspect(token).json()["aud"]
    clients = openid_site.project["openIDProvider"]["clients"]
    narrowed = {name: value for name, value in API.entry().items() if name != "apiScopes"}
    with reloaded_clients(openid_site, [*(client for client in clients if client["id"] != API.id), narrowed]):
        told = rp.introspect(token).json()
        assert told["scope"] == "openid" and audience not in told["aud"]


def test_a_reload_takes_scopes_and_redirect_uris_from_codes(openid_site):
    person = openid_site.person()
    rp = RelyingParty(openid_site.issuer, BASIC)
    answers = [rp.authorize(person, scope=SCOPE)] + [rp.authorize(scope=SCOPE) for _ in range(2)]
    clients = openid_site.project["openIDProvider"]["clients"]
    others = [client for client in clients if client["id"] != BASIC.id]
    with reloaded_clients(openid_site, [*others, {**BASIC.entry(), "scopes": ["openid"]}]):
        tokens = assert_token_answer(rp.redeem(answers[0]))
        assert tokens["scope"] == claims(tokens["access_token"])["scope"] == "openid"
        assert "refresh_token" not in tokens and "email" not in claims(tokens["id_token"])
    with reloaded_clients(openid_site, [*others, {**BASIC.entry(), "redirectURIs": ["https://elsewhere.example.com/callback"]}]):
        assert_token_error(rp.redeem(answers[1]), "invalid_grant")
    assert assert_token_answer(rp.redeem(answers[2]))["scope"] == SCOPE


def test_a_repeat_within_the_grace_gets_the_same_successor(family):
    """An answer was lost on its way, and the client asks again: twice here."""
    second = family.use(family.first)
    assert second != family.first
    assert family.use(family.first) == second
    assert family.use(family.first) == second
    third = family.use(second)
    assert third not in (family.first, second)
    assert family.rp.userinfo(family.access_tokens[-1]).status_code == 200


def test_a_repeat_after_the_successor_was_used_ends_the_family(family):
    second = family.use(family.first)
    third = family.use(second)
    assert_token_error(family.rp.refresh(family.first), "invalid_grant")
    assert family.is_dead(family.first, second, third), "access tokens end with the family"
    assert "clientSession.stolen" in family.events()


def test_a_repeat_after_the_grace_ends_the_family(family):
    second = family.use(family.first)
    age_rotations(family.site, family.person, 31)
    assert_token_error(family.rp.refresh(family.first), "invalid_grant")
    assert family.is_dead(second)
    assert "clientSession.stolen" in family.events()


def test_a_repeat_just_within_the_grace_does_not(family):
    second = family.use(family.first)
    age_rotations(family.site, family.person, 20)
    assert family.use(family.first) == second


def test_one_family_ends_alone(openid_site):
    family = Family(openid_site)
    other = RelyingParty(openid_site.issuer, SECOND, browser=family.rp.browser)
    others = other.sign_in(None, scope=SCOPE).tokens["refresh_token"]
    twin = family.rp.sign_in(None, scope=SCOPE).tokens["refresh_token"]
    family.use(family.use(family.first))
    assert_token_error(family.rp.refresh(family.first), "invalid_grant")
    assert_token_answer(other.refresh(others))
    assert_token_answer(family.rp.refresh(twin))


@pytest.mark.parametrize("client", [SECOND, STRICT], ids=lambda client: client.id)
def test_a_token_of_another_client(openid_site, client):
    """The thief's try does not end the family: it would let any client sign out any person."""
    family = Family(openid_site)
    assert_token_error(RelyingParty(openid_site.issuer, client).refresh(family.first), "invalid_grant")
    assert family.use(family.first)


def test_a_native_app_cannot_use_the_token_of_a_confidential_client(openid_site):
    family = Family(openid_site)
    assert_token_error(RelyingParty(openid_site.issuer, NATIVE).refresh(family.first), "invalid_grant")
    assert family.use(family.first)


@pytest.mark.parametrize("scope", ["openid email profile offline_access", "openid unknown", "profile", API_SCOPE])
def test_a_wider_scope(family, scope):
    assert_token_error(family.rp.refresh(family.first, scope=scope), "invalid_scope")
    assert family.use(family.first), "a refused request does not use the token up"


def test_a_narrower_scope_holds_for_the_access_token_alone(family):
    narrow = assert_token_answer(family.rp.refresh(family.first, scope="openid"))
    assert narrow["scope"] == "openid"
    assert set(family.rp.userinfo(narrow["access_token"]).json()) == {"sub"}
    # RFC 6749 section 6: the scope of the grant is still that of the sign-in.
    wide = assert_token_answer(family.rp.refresh(narrow["refresh_token"]))
    assert set(wide["scope"].split()) == set(SCOPE.split())
    assert family.rp.userinfo(wide["access_token"]).json()["email"] == family.person.email


def test_a_disabled_account(openid_site):
    family = Family(openid_site)
    openid_site.disable(family.person)
    assert family.is_dead(family.first)


def test_a_deleted_account(openid_site):
    family = Family(openid_site)
    api = openid_site.api()
    user = api.succeed("signInWithPassword", {"email": family.person.email, "password": family.person.password, "returnSecureToken": True})
    assert api.call("delete", {"idToken": user["idToken"]}).status_code == 200
    assert family.is_dead(family.first)


def test_a_changed_password(openid_site):
    family = Family(openid_site)
    api = openid_site.api()
    user = api.succeed("signInWithPassword", {"email": family.person.email, "password": family.person.password, "returnSecureToken": True})
    assert api.call("update", {"idToken": user["idToken"], "password": "a new password"}).status_code == 200
    assert family.is_dead(family.first)


def test_sessions_revoked_by_the_operator(openid_site):
    family = Family(openid_site)
    openid_site.run("sessions", "revoke", "demo", family.person.id, check=True)
    assert family.is_dead(family.first)


def test_a_grant_that_is_idle_for_too_long(openid_site):
    """14 days without a use; each use counts."""
    family = Family(openid_site)

    def idle(days):
        query = "UPDATE sessions SET refreshed_at = refreshed_at - %s * interval '1 day' WHERE kind = 'client' AND account_id = %s"
        openid_site.rows(query, days, family.person.id)

    idle(13.9)
    second = family.use(family.first)
    idle(13.9)
    third = family.use(second)
    idle(14.1)
    assert_token_error(family.rp.refresh(third), "invalid_grant")


def test_a_grant_that_is_too_old(openid_site):
    """90 days in all, however often it is used."""
    family = Family(openid_site)
    ends = "SELECT extract(epoch FROM expires_at - now()) / 86400 FROM sessions WHERE kind = 'client' AND account_id = %s"
    assert 89.9 < openid_site.value(ends, family.person.id) <= 90
    openid_site.rows(
        "UPDATE sessions SET expires_at = now() + interval '1 day' WHERE kind = 'client' AND account_id = %s", family.person.id
    )
    second = family.use(family.first)
    assert openid_site.value(ends, family.person.id) <= 1, "a use does not put the end off"
    openid_site.rows("UPDATE sessions SET expires_at = now() WHERE kind = 'client' AND account_id = %s", family.person.id)
    assert family.is_dead(second)


def test_a_hundred_uses_at_once_have_one_successor(family):
    """No fork, and no deadlock."""
    answers = together(100, lambda _: family.rp.refresh(family.first))
    assert [answer for answer in answers if isinstance(answer, Exception)] == []
    assert {answer.status_code for answer in answers} == {200}, [answer.text for answer in answers if answer.status_code != 200][:3]
    successors = {answer.json()["refresh_token"] for answer in answers}
    assert len(successors) == 1
    assert family.use(successors.pop())


def test_many_uses_of_a_token_and_its_successor_at_once_never_fork_the_family(family):
    """Whatever comes first, at most one line of tokens goes on."""
    second = family.use(family.first)
    answers = together(20, lambda index: family.rp.refresh(family.first if index % 2 else second))
    assert {answer.status_code for answer in answers} <= {200, 400}
    given = {answer.json()["refresh_token"] for answer in answers if answer.status_code == 200}
    alive = [token for token in given - {second} if family.rp.refresh(token).status_code == 200]
    assert len(given - {second}) <= 1 and len(alive) <= 1


@pytest.mark.parametrize("token", [None, "", "garbage", "a" * 600, "\x00", "ü" * 43], ids=short)
def test_a_token_that_never_was(party, token):
    response = party().refresh(token)
    assert_token_error(response, "invalid_grant" if token else "invalid_request")


def test_each_part_of_a_token_counts(family):
    for index in range(0, len(family.first) - 1, max(1, len(family.first) // 8)):
        letter = "A" if family.first[index] != "A" else "B"
        changed = family.first[:index] + letter + family.first[index + 1 :]
        response = family.rp.refresh(changed)
        assert_token_error(response, "invalid_grant")
    assert family.use(family.first)


def test_tokens_of_other_kinds_are_no_refresh_tokens(openid_site, ada, party):
    """Neither an app's refresh token, nor the browser's cookie, nor an access token."""
    rp = party(NATIVE)
    user = openid_site.api().succeed("signInWithPassword", {"email": ada.email, "password": ada.password, "returnSecureToken": True})
    tokens = rp.sign_in(ada).tokens
    for token in (user["refreshToken"], tokens["access_token"], tokens["id_token"], *[cookie.value for cookie in rp.browser.cookies]):
        assert_token_error(rp.refresh(token), "invalid_grant")
    refused = openid_site.api().refresh(tokens["refresh_token"])
    assert refused.status_code == 400 and "error" in refused.json(), "nor is a relying party's token an app's"


def test_the_id_token_of_a_refresh_says_the_same_of_the_person(openid_site):
    family = Family(openid_site, PROFILED, "openid profile email offline_access")
    first, second = family.signed_in.claims, claims(family.rp.refresh(family.first).json()["id_token"])
    for name in ("iss", "sub", "aud", "auth_time", "email", "name"):
        assert first.get(name) == second.get(name)
    assert first["email"] == family.person.email and first["name"] == family.person.name


def test_a_scope_of_an_api_makes_its_audience(party, ada):
    rp = party(API)
    tokens = rp.sign_in(ada, scope=f"openid offline_access {API_SCOPE}").tokens
    said = claims(tokens["access_token"])
    assert "https://contoso.onmicrosoft.com/api" in ([said["aud"]] if isinstance(said["aud"], str) else said["aud"])
    refreshed = assert_token_answer(rp.refresh(tokens["refresh_token"]))
    assert claims(refreshed["access_token"])["aud"] == said["aud"]

"""An app with AppAuth that was written for Azure AD B2C: only its host has changed.

It is told a tenant and a policy, makes the two endpoints of them, and asks for `openid profile`.
"""

from urllib.parse import quote

import pytest

from support.openid.registrations import Client
from support.relying_parties.appauth import IOS, Android, Refused, SignedOut, TryLater
from support.relying_parties.provider import Provider
from support.relying_parties.visitor import Visitor

TENANT, NAME, POLICY = "775527ff-9a37-4307-8b3d-cc311f58d925", "contoso.onmicrosoft.com", "b2c_1_susi"
REDIRECT = "com.onmicrosoft.contosob2c.exampleapp://oauth/redirect"
SIGNED_OUT = "com.onmicrosoft.contosob2c.exampleapp://oauth/signed-out"
CLIENT = Client(
    "90c0fe63-bcf2-44d5-8fb7-b8bbc0b29dc6",
    kind="native",
    authentication="none",
    redirect_uris=(REDIRECT,),
    settings={"postLogoutRedirectURIs": [SIGNED_OUT]},
)


@pytest.fixture(scope="module")
def provider():
    flow = {"name": POLICY, "kind": "signUpOrSignIn", "collect": ["displayName"], "claims": ["displayName", "objectId"]}
    provider = Provider(CLIENT, tenant={"id": TENANT, "names": [NAME]}, userFlows=[flow])
    yield provider
    provider.close()


@pytest.fixture
def visitor(provider):
    return Visitor(provider)


@pytest.fixture(params=[IOS, Android])
def library(request):
    return request.param


def endpoints(provider, tenant=NAME, policy=POLICY, prefix="/te"):
    base = f"{provider.origin}{prefix}/{tenant}/{policy}/oauth2/v2.0"
    return {"authorize": base + "/authorize", "token": base + "/token", "end_session": base + "/logout"}


@pytest.fixture
def app(provider, library):
    return library(CLIENT.id, REDIRECT, endpoints(provider), provider.authority)


def test_the_sequence_of_an_app_for_Azure_AD_B2C(provider, visitor, app):
    asked = app.authorization_url(["openid", "profile"])
    claims, answer = app.exchange(visitor.back(asked))
    assert visitor.passwords_typed == 1
    assert claims["iss"] == f"{provider.issuer}/{POLICY}/v2.0"
    assert (claims["tfp"], claims["tid"], claims["ver"]) == (POLICY, TENANT, "1.0")
    assert claims["sub"] == claims["oid"] and len(claims["oid"]) == 36, "the object id, which is a GUID"
    assert claims["name"] == visitor.person.name and "emails" not in claims, "what the policy lists"
    assert answer["refresh_token"], "a native app gets one without asking"

    seen = [answer]
    for _ in range(3):
        renewed, answer = app.refresh()
        assert {name: renewed[name] for name in ("iss", "sub", "aud", "auth_time")} == {
            name: claims[name] for name in ("iss", "sub", "aud", "auth_time")
        }
        seen.append(answer)
    assert len({answer["refresh_token"] for answer in seen}) == len({answer["access_token"] for answer in seen}) == len(seen)

    app.ended(visitor.back(app.end_session_url(answer["id_token"], SIGNED_OUT)))
    app.exchange(visitor.back(app.authorization_url(["openid", "profile"])))
    assert visitor.passwords_typed == 2, "the log-out has ended the session of the browser"


@pytest.mark.parametrize("prefix", ["", "/te", "/tfp"])
@pytest.mark.parametrize("tenant", [NAME, TENANT, NAME.upper()])
def test_each_spelling_of_tenant_and_policy_is_the_same_issuer(provider, visitor, prefix, tenant):
    app = IOS(CLIENT.id, REDIRECT, endpoints(provider, tenant, "B2C_1_SUSI", prefix), provider.authority)
    claims, _ = app.exchange(visitor.back(app.authorization_url(["openid", "profile"])))
    assert claims["iss"] == f"{provider.issuer}/{POLICY}/v2.0"


@pytest.mark.parametrize("shape", ["native", "policy"])
def test_an_app_that_discovers_its_endpoints(provider, visitor, library, shape):
    issuer = provider.issuer if shape == "native" else f"{provider.issuer}/{POLICY}/v2.0"
    app = library.discover(CLIENT.id, REDIRECT, issuer, provider.authority)
    claims, answer = app.exchange(visitor.back(app.authorization_url(["openid", "profile"])))
    assert (claims["sub"] == visitor.person.id) == (shape == "native")
    app.refresh()
    app.ended(visitor.back(app.end_session_url(answer["id_token"], SIGNED_OUT)))


def test_an_app_asks_for_further_parameters_of_B2C(provider, visitor, library):
    # Older samples name the policy in the query, and iOS puts its own query in that place.
    base = f"{provider.origin}/{NAME}/oauth2/v2.0"
    query = f"?p={POLICY}" if library is Android else ""
    app = library(CLIENT.id, REDIRECT, {"authorize": base + "/authorize" + query, "token": f"{base}/token?p={POLICY}"}, provider.authority)
    more = {} if library is Android else {"p": POLICY}
    claims, answer = app.exchange(visitor.back(app.authorization_url(["openid", "profile", CLIENT.id], ui_locales="de fr", **more)))
    assert claims["tfp"] == POLICY and answer["access_token"]


def test_the_app_stays_signed_in_when_the_provider_fails(provider, visitor, app):
    app.exchange(visitor.back(app.authorization_url(["openid", "profile"])))
    provider.rows("CREATE FUNCTION fails() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RAISE EXCEPTION 'a fault'; END $$")
    provider.rows("CREATE TRIGGER fails BEFORE UPDATE ON sessions EXECUTE FUNCTION fails()")
    try:
        with pytest.raises(TryLater):
            app.refresh()
    finally:
        provider.rows("DROP TRIGGER fails ON sessions")
        provider.rows("DROP FUNCTION fails")
    app.refresh()


def test_the_app_is_signed_out_when_the_account_is_disabled(provider, visitor, app):
    app.exchange(visitor.back(app.authorization_url(["openid", "profile"])))
    provider.disable(visitor.person)
    with pytest.raises(SignedOut, match="invalid_grant"):
        app.refresh()


def test_the_app_learns_of_a_request_that_cannot_be_met(visitor, app):
    with pytest.raises(SignedOut, match="login_required"):
        app.exchange(visitor.back(app.authorization_url(["openid"], prompt="none")))
    app.exchange(visitor.back(app.authorization_url(["openid"])))
    # Another app may have taken the scheme for itself, so the person must at least look.
    with pytest.raises(SignedOut, match="account_selection_required"):
        app.exchange(visitor.back(app.authorization_url(["openid"], prompt="none")))
    claims, _ = app.exchange(visitor.back(app.authorization_url(["openid"])))
    assert claims["sub"] and visitor.passwords_typed == 1


def test_an_app_of_another_client_gets_nothing(provider, visitor, library):
    app = library(CLIENT.id, "com.example.thief://oauth/redirect", endpoints(provider), provider.authority)
    response = visitor.visit(app.authorization_url(["openid", "profile"]))
    assert response.status_code == 400 and "location" not in response.headers
    assert quote(app.redirect_uri, safe="") not in response.text and app.redirect_uri not in response.text


def test_the_stand_in_notices_what_the_libraries_notice(app):
    app.authorization_url(["openid"])
    for address in (f"{REDIRECT}?code=c&state=another", f"{REDIRECT}?code=c", f"{REDIRECT}/x?code=c&state={app.state}"):
        with pytest.raises(Refused):
            app.query(address, REDIRECT, app.state)
    with pytest.raises(Refused):
        app.accepted({"access_token": "t", "expires_in": 3600 if isinstance(app, Android) else "3600"})

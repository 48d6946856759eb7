"""A website with authlib signs people in, refreshes, asks about tokens, revokes them and signs out, by each way that a client proves itself."""

import pytest
from authlib.integrations.base_client import OAuthError
from authlib.integrations.requests_client import OAuth2Session

from support.jwts import Key
from support.openid.registrations import Client
from support.relying_parties.authlib_website import METHODS, AuthlibWebsite
from support.relying_parties.provider import Provider, secret
from support.relying_parties.visitor import Visitor

# The client's authentication here, and the algorithm of its key. As authlib documents it, an assertion of RS256 does not name its key.
WAYS = {
    "basic": ("basic", None),
    "post": ("post", None),
    "RS256": ("privateKeyJwt", "RS256"),
    "ES256": ("privateKeyJwt", "ES256"),
    "public": ("none", None),
}


def registered(way, website):
    authentication, algorithm = WAYS[way]
    return Client(
        f"authlib-{way}",
        kind="browser" if authentication == "none" else "confidential",
        authentication=authentication,
        redirect_uris=(website.origin + "/callback",),
        secrets=(secret(),) if authentication in ("basic", "post") else (),
        key=Key(f"{way}-key", algorithm=algorithm) if algorithm else None,
        settings={"postLogoutRedirectURIs": [website.origin + "/signed_out"]},
    )


@pytest.fixture(scope="module")
def places():
    websites = {way: AuthlibWebsite() for way in WAYS}
    clients = {way: registered(way, website) for way, website in websites.items()}
    provider = Provider(*clients.values())
    for way, website in websites.items():
        website.start(provider, clients[way], WAYS[way][1] or "RS256", kid=clients[way].key.kid if way == "ES256" else None)
    yield provider, websites, clients
    for part in (*websites.values(), provider):
        part.close()


@pytest.fixture(params=WAYS)
def place(request, places):
    provider, websites, clients = places
    return provider, websites[request.param], clients[request.param]


def test_a_person_signs_in_refreshes_and_signs_out(place):
    provider, website, client = place
    visitor = Visitor(provider, website.origin)
    told = website.told(visitor, "/sign_in")
    claims = told["token"]["userinfo"]
    assert claims["sub"] == told["userinfo"]["sub"] == visitor.person.id
    assert claims["iss"] == provider.issuer and claims["aud"] == client.id
    assert told["userinfo"]["email"] == visitor.person.email

    seen = [told["token"]]
    for _ in range(3):
        seen.append(website.told(visitor, "/refresh")["token"])
    for kind in ("access_token", "refresh_token", "id_token"):
        assert len({token[kind] for token in seen}) == len(seen), kind

    assert visitor.visit(website.origin + "/sign_out").text == "signed out"
    website.told(visitor, "/sign_in")
    assert visitor.passwords_typed == 2


def session(provider, website, client, token):
    """The library's client without a website."""
    made = OAuth2Session(
        client.id,
        client.secret,
        token_endpoint_auth_method=METHODS[client.authentication],
        revocation_endpoint_auth_method=METHODS[client.authentication],
        token=token,
    )
    made.verify = provider.authority
    return made


@pytest.mark.parametrize("place", ["basic", "post"], indirect=True)
def test_a_client_asks_about_its_tokens_and_revokes_them(place):
    provider, website, client = place
    token = website.told(Visitor(provider, website.origin), "/sign_in")["token"]
    caller = session(provider, website, client, token)
    known = caller.introspect_token(f"{provider.issuer}/oauth2/introspect", token["access_token"]).json()
    assert known["active"] is True and known["client_id"] == client.id and known["sub"] == token["userinfo"]["sub"]
    assert caller.revoke_token(f"{provider.issuer}/oauth2/revoke", token["refresh_token"], "refresh_token").status_code == 200
    known = caller.introspect_token(f"{provider.issuer}/oauth2/introspect", token["access_token"]).json()
    assert known == {"active": False}
    with pytest.raises(OAuthError, match="invalid_grant"):
        caller.refresh_token(f"{provider.issuer}/oauth2/token", token["refresh_token"])

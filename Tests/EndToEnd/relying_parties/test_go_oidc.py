"""A website in Go signs people in with go-oidc and golang.org/x/oauth2, as Debian packages them."""

import pytest

from support.openid.registrations import Client
from support.relying_parties.go_website import GoWebsite
from support.relying_parties.provider import Provider, secret
from support.relying_parties.visitor import Visitor


# Go's library tries the header first, and then the form: a refused client must not use up the code.
@pytest.fixture(scope="module", params=["basic", "post"])
def place(request):
    website = GoWebsite()
    # A secret that RFC 6749 has a client encode in the header.
    client = Client(
        "go-website",
        authentication=request.param,
        redirect_uris=(website.callback,),
        secrets=(secret(":%2B+ &=/"),),
        settings={"postLogoutRedirectURIs": [website.signed_out]},
    )
    provider = Provider(client)
    website.start(provider, client)
    yield provider, website
    website.close()
    provider.close()


def test_a_person_signs_in_refreshes_and_signs_out(place):
    provider, website = place
    visitor = Visitor(provider, website.origin)
    told = website.told(visitor, "/sign-in")
    assert told["subject"] == told["id_token"]["sub"] == visitor.person.id
    assert (told["email"], told["email_verified"]) == (visitor.person.email, False)
    assert told["userinfo"]["name"] == visitor.person.name

    seen = [told]
    for _ in range(3):
        seen.append(website.told(visitor, "/refresh"))
        assert {name: seen[-1]["id_token"][name] for name in ("iss", "sub", "aud", "auth_time", "sid")} == {
            name: told["id_token"][name] for name in ("iss", "sub", "aud", "auth_time", "sid")
        }
    for kind in ("access_token", "refresh_token"):
        assert len({answer[kind] for answer in seen}) == len(seen)

    left = visitor.visit(website.origin + "/sign-out")
    assert left.status_code == 200 and left.text == "signed out\n", left.text
    website.told(visitor, "/sign-in")
    assert visitor.passwords_typed == 2


def test_a_second_sign_in_asks_for_no_password(place):
    provider, website = place
    visitor = Visitor(provider, website.origin)
    first = website.told(visitor, "/sign-in")
    again = website.told(visitor, "/sign-in")
    assert visitor.passwords_typed == 1
    assert again["id_token"]["auth_time"] == first["id_token"]["auth_time"]

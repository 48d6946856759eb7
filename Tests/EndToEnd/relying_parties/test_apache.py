"""Debian's Apache with mod_auth_openidc keeps pages for people who signed in here: claims, refreshes, log-outs."""

from urllib.parse import quote

import pytest
import requests

from support.browser.drivers import Chromium
from support.browser.tab import Tab
from support.harness import wait_until
from support.jwts import Key
from support.names import TIMEOUT
from support.openid.registrations import Client
from support.relying_parties.apache import Apache
from support.relying_parties.hosted_page import refusals, sign_in
from support.relying_parties.provider import Provider, secret
from support.relying_parties.visitor import Visitor

# How Apache asks, gets its answer and proves itself: the client's authentication here, and directives of the module.
WAYS = {
    "query": ("basic", {"ProviderTokenEndpointAuth": "client_secret_basic"}),
    "form_post": ("post", {"ProviderTokenEndpointAuth": "client_secret_post", "ResponseMode": "form_post"}),
    "private_key_jwt": ("privateKeyJwt", {"ProviderTokenEndpointAuth": "private_key_jwt"}),
}


class Place:
    """The provider, and one Apache for each way."""

    def __init__(self):
        self.apaches = {way: Apache() for way in WAYS}
        self.key = Key("apache-key")
        self.clients = {way: self.client(way, authentication) for way, (authentication, _) in WAYS.items()}
        # Which posts log-outs by plain http.
        self.provider = Provider(*self.clients.values(), development=True)
        for way, (_, directives) in WAYS.items():
            self.apaches[way].start(self.provider, self.clients[way], **directives)

    def client(self, way, authentication):
        apache = self.apaches[way]
        signs = authentication == "privateKeyJwt"
        return Client(
            f"apache-{way}",
            authentication=authentication,
            redirect_uris=(apache.callback,),
            secrets=() if signs else (secret(),),
            key=self.key if signs else None,
            settings={"postLogoutRedirectURIs": [apache.signed_out], "backChannelLogoutURI": apache.back_channel},
        )

    def visitor(self, person=None):
        return Visitor(self.provider, *(apache.origin for apache in self.apaches.values()), person=person)

    def close(self):
        for part in (*self.apaches.values(), self.provider):
            part.close()


@pytest.fixture(scope="module")
def place():
    place = Place()
    yield place
    place.close()


@pytest.fixture(params=WAYS)
def way(request):
    return request.param


@pytest.fixture
def apache(place, way):
    return place.apaches[way]


def test_a_protected_page_shows_who_signed_in(place, apache):
    visitor = place.visitor()
    known = apache.environment(visitor)
    assert visitor.passwords_typed == 1
    assert known["REMOTE_USER"] == known["OIDC_CLAIM_sub"] == visitor.person.id
    assert known["OIDC_CLAIM_iss"] == place.provider.issuer
    assert known["OIDC_CLAIM_email"] == visitor.person.email
    assert known["OIDC_CLAIM_name"] == visitor.person.name
    told = apache.told(visitor)
    assert told["userinfo"]["sub"] == told["id_token"]["sub"] == visitor.person.id
    assert told["userinfo"]["email_verified"] is False
    assert told["id_token"]["nonce"] and told["refresh_token"]


def test_the_module_refreshes_again_and_again(place, apache):
    visitor = place.visitor()
    apache.environment(visitor)
    seen = [apache.told(visitor)]
    for _ in range(3):
        assert apache.refresh(visitor) == apache.page, f"an error was added: {apache.log()}"
        seen.append(apache.told(visitor))
    for kind in ("access_token", "refresh_token"):
        assert len({told[kind] for told in seen}) == len(seen)
    assert apache.environment(visitor)["OIDC_CLAIM_sub"] == visitor.person.id
    assert visitor.passwords_typed == 1


def test_a_log_out_ends_both_sessions_and_the_tokens(place, apache, way):
    visitor = place.visitor()
    apache.environment(visitor)
    told = apache.told(visitor)
    left = visitor.visit(apache.sign_out)
    assert (left.url, left.text) == (apache.signed_out, "You have left.")
    assert not apache.knows(visitor)
    info = {"authorization": "Bearer " + told["access_token"]}
    answer = requests.get(f"{place.provider.issuer}/oauth2/userinfo", headers=info, verify=place.provider.authority, timeout=TIMEOUT)
    assert answer.status_code == 401, "the module has revoked it"
    apache.environment(visitor)
    assert visitor.passwords_typed == 2, "the provider's session has ended too"


def test_one_sign_in_opens_all_sites_and_a_log_out_at_one_closes_all(place):
    visitor = place.visitor()
    for apache in place.apaches.values():
        apache.environment(visitor)
    assert visitor.passwords_typed == 1
    first, *others = place.apaches.values()
    stranger = place.visitor()
    others[0].environment(stranger)
    visitor.visit(first.sign_out)
    # The provider posts a logout token to each of them.
    for apache in others:
        wait_until(lambda: not apache.knows(visitor), what=f"the end of the session, by {apache.log()}")
    assert others[0].knows(stranger), "another person's session goes on"


def test_a_person_who_cancels_is_told_by_Apache(place, apache, way):
    visitor = place.visitor()
    visitor.decide = "cancel"
    response = visitor.visit(apache.page)
    assert response.url.startswith(apache.callback) and not apache.knows(visitor)
    # In an address, this version of the module takes an error that names its issuer (RFC 9207) for the wish of a third party to sign the person in.
    assert ("access_denied" if way == "form_post" else "target_link_uri") in response.text


def test_an_answer_in_the_name_of_another_provider_is_refused(place):
    visitor, apache = place.visitor(), place.apaches["query"]
    asked = visitor.get(apache.page).headers["location"]
    visitor.origins.discard(apache.origin)
    answer = visitor.back(asked)
    ours = f"iss={quote(place.provider.issuer, safe='')}"
    assert ours in answer
    refused = visitor.get(answer.replace(ours, "iss=https%3A%2F%2Fother.example.com"))
    assert not refused.is_redirect and not apache.knows(visitor)
    assert "does not match the issuer" in apache.log()


def test_a_person_signs_in_and_out_in_a_real_browser(place, tmp_path):
    driver = Chromium(tmp_path)
    try:
        tab, person, apache = Tab(driver), place.provider.person(), place.apaches["form_post"]
        driver.get(apache.page)
        sign_in(tab, place.provider, person)
        tab.at(apache.page)
        assert f"OIDC_CLAIM_email={person.email}" in tab.text()
        driver.get(apache.sign_out)
        tab.at(apache.signed_out)
        driver.get(apache.page)
        tab.at(place.provider.origin)
        assert not refusals(tab)
    finally:
        driver.quit()

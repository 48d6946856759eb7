"""The provider in the URLs of Azure AD B2C, so that an app that was written for it needs only another host.

<https://learn.microsoft.com/azure/active-directory-b2c/openid-connect>
"""

import base64
import json
import re
import uuid

import pytest
import requests

from support.jwts import claims
from support.names import TIMEOUT
from support.openid.checks import assert_page, assert_redirected, assert_token_answer, assert_token_error, assert_unauthorized
from support.openid.registrations import API, API_SCOPE, BASIC, ISSUER_FLOWS, NATIVE, SUSI, TENANT, TENANT_NAME
from support.openid.relying_party import RelyingParty

WELL_KNOWN = "v2.0/.well-known/openid-configuration"
SHAPES = {
    "tenant and policy": "/{tenant}/{policy}/{tail}",
    "te": "/te/{tenant}/{policy}/{tail}",
    "tfp": "/tfp/{tenant}/{policy}/{tail}",
    "p": "/{tenant}/{tail}?p={policy}",
}
TENANTS = ["demo", TENANT, TENANT.upper(), TENANT_NAME, "Contoso.OnMicrosoft.com"]


def address(site, shape, tail, tenant=TENANT_NAME, policy=SUSI):
    return site.url + SHAPES[shape].format(tenant=tenant, policy=policy, tail=tail)


def fetch(url):
    return requests.get(url, timeout=TIMEOUT, allow_redirects=False)


@pytest.fixture
def flow(openid_site, signed_in):
    """Makes a relying party of a user flow."""

    def make(client=BASIC, style="policy", policy=None, **options):
        url = address(openid_site, "tenant and policy", WELL_KNOWN, policy=policy or ISSUER_FLOWS[style])
        issuer = fetch(url).json()["issuer"]
        return RelyingParty(issuer, client, discovery=url, **{"browser": signed_in, **options})

    return make


def test_the_document_is_the_same_at_every_address(openid_site):
    usual = fetch(address(openid_site, "tenant and policy", WELL_KNOWN))
    assert usual.status_code == 200 and usual.headers["access-control-allow-origin"] == "*"
    for shape in SHAPES:
        for tenant in TENANTS:
            for policy in (SUSI, "B2C_1_SuSi"):
                found = fetch(address(openid_site, shape, WELL_KNOWN, tenant, policy))
                assert found.status_code == 200 and found.content == usual.content, (shape, tenant, policy)


def test_the_endpoints_have_no_query(openid_site):
    """AppAuth replaces the query of an endpoint by its own."""
    document = fetch(address(openid_site, "p", WELL_KNOWN)).json()
    for name, value in document.items():
        if isinstance(value, str):
            assert "?" not in value and "#" not in value, name
    assert "error" not in document and None not in document.values()
    assert {"userinfo_endpoint", "end_session_endpoint", "jwks_uri", "token_endpoint", "authorization_endpoint"} <= set(document)


@pytest.mark.parametrize("shape", SHAPES)
def test_the_keys_are_at_every_address(openid_site, shape):
    native = requests.get(f"{openid_site.issuer}/oauth2/jwks", timeout=TIMEOUT).json()
    assert fetch(address(openid_site, shape, "discovery/v2.0/keys")).json() == native


def test_the_issuer_of_each_style(openid_site):
    def issuer(style):
        return fetch(address(openid_site, "tenant and policy", WELL_KNOWN, policy=ISSUER_FLOWS[style])).json()["issuer"]

    assert re.fullmatch(re.escape(openid_site.url) + r"/[^/]+/b2c_1_susi/v2\.0", issuer("policy"))
    assert issuer("tfp") == f"{openid_site.url}/tfp/{TENANT}/b2c_1_tfp/v2.0/"
    assert issuer("default") == f"{openid_site.url}/{TENANT}/v2.0/"
    for style in ("policy", "tfp"):
        at_issuer = fetch(issuer(style).removesuffix("/") + "/.well-known/openid-configuration")
        assert at_issuer.json()["issuer"] == issuer(style), "the issuer's own address has its document"
        twice = fetch(issuer(style).removesuffix("/") + "//.well-known/openid-configuration")
        assert twice.content == at_issuer.content, "AppAuth for JavaScript appends to a slash"


@pytest.mark.parametrize("style", ISSUER_FLOWS)
def test_a_sign_in_by_a_user_flow(openid_site, flow, ada, style):
    rp = flow(NATIVE, style)
    signed_in = rp.sign_in(ada, scope=f"openid offline_access {NATIVE.id}")
    said, tokens = signed_in.claims, signed_in.tokens
    assert said["iss"] == rp.issuer and said["aud"] == NATIVE.id
    assert (said["tfp"], said["ver"], said["tid"]) == (ISSUER_FLOWS[style], "1.0", TENANT)
    assert said["sub"] == said["oid"] == str(uuid.UUID(said["oid"])) and uuid.UUID(said["oid"]).version == 5
    assert said["emails"] == [ada.email] and said["email"] == ada.email and said["email_verified"] is False
    assert said["name"] == ada.name and "newUser" not in said
    assert type(tokens["not_before"]) is int and type(tokens["id_token_expires_in"]) is int
    assert type(tokens["refresh_token_expires_in"]) is int and tokens["refresh_token_expires_in"] > 0
    assert "client_info" not in tokens
    access = claims(tokens["access_token"])
    assert access["azp"] == NATIVE.id and "scp" in access and access["iss"] == rp.issuer
    assert access["aud"] == NATIVE.id, "a client asks for its own id to get a token for itself"
    refreshed = assert_token_answer(rp.refresh(tokens["refresh_token"]))
    again = claims(refreshed["id_token"])
    assert [again[name] for name in ("iss", "sub", "aud", "tfp", "oid")] == [said[name] for name in ("iss", "sub", "aud", "tfp", "oid")]


def test_a_person_is_the_same_in_all_flows_and_another_one_in_the_native_shape(flow, party, ada):
    subjects = {flow(style=style).sign_in(ada).claims["sub"] for style in ISSUER_FLOWS}
    assert len(subjects) == 1
    assert party().sign_in(None).claims["sub"] == ada.id not in subjects


def test_userinfo_of_a_user_flow(flow, ada):
    rp = flow()
    signed_in = rp.sign_in(ada, scope="openid email")
    told = rp.userinfo(signed_in.tokens["access_token"])
    assert told.status_code == 200 and told.json()["sub"] == signed_in.claims["sub"] and told.json()["email"] == ada.email


def test_an_access_token_is_of_its_own_issuer(flow, party, ada):
    """The person has another subject at the other one."""
    of_flow, native = flow(), party()
    by_flow = of_flow.sign_in(ada).tokens["access_token"]
    assert of_flow.userinfo(by_flow).status_code == 200
    assert_unauthorized(native.userinfo(by_flow))
    assert_unauthorized(flow(style="tfp").userinfo(by_flow))
    assert_unauthorized(of_flow.userinfo(native.sign_in(None).tokens["access_token"]))


def test_a_token_for_an_api_is_not_for_userinfo(flow, ada):
    """It has the API as its one audience, and the API could otherwise ask who the person is."""
    rp = flow(API)
    token = rp.sign_in(ada, scope=f"openid profile {API_SCOPE}").tokens["access_token"]
    assert claims(token)["aud"] == API_SCOPE.rpartition("/")[0] and claims(token)["scp"] == "read"
    assert_unauthorized(rp.userinfo(token))
    assert rp.userinfo(rp.sign_in(ada, scope="openid profile").tokens["access_token"]).json()["name"] == ada.name


def test_client_info_on_demand(flow, ada):
    """MSAL for Objective-C fails without it."""
    signed_in = flow(NATIVE).sign_in(ada, client_info="1")
    encoded = signed_in.tokens["client_info"]
    assert "=" not in encoded
    said = json.loads(base64.urlsafe_b64decode(encoded + "=" * (-len(encoded) % 4)))
    assert said == {"uid": f"{signed_in.claims['oid']}-{SUSI}", "utid": TENANT}


@pytest.mark.parametrize("shape", SHAPES)
def test_every_endpoint_at_every_address(openid_site, flow, ada, shape):
    """The sample for AppAuth on iOS has `/te/` in both endpoints; older ones have `?p=`."""
    rp = flow()
    own = dict(rp.metadata)
    for name, tail in {"authorization": "authorize", "token": "token", "end_session": "logout"}.items():
        own[f"{name}_endpoint"] = address(openid_site, shape, f"oauth2/v2.0/{tail}")
    rp.found = own
    if shape == "p":
        # An app puts `p` into its request, beside the other parameters.
        rp.found["authorization_endpoint"] = own["authorization_endpoint"].partition("?")[0]
        signed_in = rp.sign_in(ada, p=SUSI)
    else:
        signed_in = rp.sign_in(ada)
    assert signed_in.claims["tfp"] == SUSI and signed_in.claims["iss"] == rp.issuer
    assert rp.log_out().status_code == 200


def test_addresses_that_mean_nothing(openid_site):
    for shape in SHAPES:
        for tail in (WELL_KNOWN, "discovery/v2.0/keys", "oauth2/v2.0/authorize"):
            assert fetch(address(openid_site, shape, tail, tenant="unknown.onmicrosoft.com")).status_code == 404, (shape, tail)
            assert fetch(address(openid_site, shape, tail, policy="b2c_1_unknown")).status_code == 404, (shape, tail)
    assert_page(fetch(address(openid_site, "tenant and policy", "oauth2/v2.0/authorize", policy="b2c_1_unknown")), 404)
    assert fetch(f"{openid_site.url}/plain-project/{SUSI}/{WELL_KNOWN}").status_code == 404


def test_two_policies_in_one_address(openid_site):
    other = ISSUER_FLOWS["tfp"]
    url = address(openid_site, "tenant and policy", "oauth2/v2.0/authorize")
    assert_page(fetch(f"{url}?p={other}"), 400)
    assert_page(fetch(f"{address(openid_site, 'p', 'oauth2/v2.0/authorize')}&p={SUSI}"), 400)
    assert fetch(f"{address(openid_site, 'tenant and policy', WELL_KNOWN)}?p={SUSI.upper()}").status_code == 200, (
        "the same twice is no conflict"
    )
    assert fetch(f"{address(openid_site, 'tenant and policy', WELL_KNOWN)}?p={other}").status_code == 400


def test_a_code_of_another_policy(flow):
    """Azure AD B2C says AADB2C90088."""
    for other in (flow(style="tfp"), flow(policy="b2c_1_same_issuer")):
        answer = flow(style="default").authorize(scope="openid offline_access")
        assert assert_token_error(other.redeem(answer), "invalid_grant").startswith("AADB2C90088")


def test_a_refresh_token_of_another_policy(flow):
    rp = flow(style="default")
    token = rp.sign_in(None, scope="openid offline_access").tokens["refresh_token"]
    assert assert_token_error(flow(policy="b2c_1_same_issuer").refresh(token), "invalid_grant").startswith("AADB2C90088")
    assert assert_token_error(flow(style="tfp").refresh(token), "invalid_grant").startswith("AADB2C90088")
    assert_token_answer(rp.refresh(token))


def test_a_pushed_request_of_another_policy(flow):
    """Also where the two have one issuer."""
    rp = flow(style="default")
    for other in (flow(style="tfp"), flow(policy="b2c_1_same_issuer")):
        response, _, _ = rp.push()
        assert response.status_code == 201
        answer = other.send({"client_id": BASIC.id, "request_uri": response.json()["request_uri"]})
        assert "code=" not in answer.headers.get("location", "") and answer.status_code == 400


def test_the_native_shape_is_not_a_policy(flow, party):
    """What one shape gave, the other one does not take."""
    answer = flow().authorize(scope="openid offline_access")
    assert_token_error(party().redeem(answer), "invalid_grant")
    assert_token_error(flow().redeem(party().authorize()), "invalid_grant")
    token = flow().sign_in(None, scope="openid offline_access").tokens["refresh_token"]
    assert_token_error(party().refresh(token), "invalid_grant")


def test_errors_have_the_words_of_azure(flow):
    told = assert_token_error(flow().refresh("garbage"), "invalid_grant")
    assert re.match(r"AADB2C\d{5}: .*Correlation ID: \S+ .*Timestamp: \S+", told), told


def test_the_person_who_cancels(openid_site, flow, ada):
    rp = flow(browser=None)
    answer = rp.authorize(ada, decide="cancel")
    told = assert_redirected(answer, "access_denied", BASIC, sent=answer.sent["state"])
    assert told["error_description"].startswith("AADB2C90091: ")


def test_a_flow_that_signs_in_alone_makes_no_account(openid_site):
    """The other flow's page offers both."""
    from support.openid.pages import Browser, Page

    offers = {}
    for policy in ("b2c_1_sign_in", SUSI):
        url = address(openid_site, "tenant and policy", WELL_KNOWN, policy=policy)
        rp = RelyingParty(fetch(url).json()["issuer"], BASIC, discovery=url, browser=Browser(openid_site.url))
        page = Page(rp.browser.follow(rp.open()))
        offers[policy] = [link for link in page.links if "signUp" in link]
    assert not offers["b2c_1_sign_in"] and offers[SUSI]

"""Microsoft's own rules, against a stand-in with tenants, keys of tenants, and Graph."""

import json
import secrets
from uuid import uuid4

import pytest
from werkzeug.wrappers import Response

from support.clients.api import assert_error, posted
from support.clients.flows import ClientFlow, WebFlow, query_of, refused
from support.servers.site import Site, a_site


def test_an_employee_signs_in(site, api, microsoft):
    flow = WebFlow(site, "microsoft.com", parameters={"prompt": "select_account", "domain_hint": "contoso.example", "login_hint": "alice"})
    url = flow.authorization_url(scopes="mail.read")
    assert url.startswith(microsoft.url + "/common/oauth2/v2.0/authorize?")
    query = query_of(url)
    assert query["prompt"] == "select_account" and query["domain_hint"] == "contoso.example"
    assert {"openid", "profile", "email", "User.Read", "mail.read"} <= set(query["scope"].split())
    assert query["code_challenge_method"] == "S256", "sent though Microsoft's metadata does not list it"
    answer = flow.redeem(flow.returned(microsoft.login()(url))).json()
    assert answer["providerId"] == "microsoft.com"
    assert answer["federatedId"] == microsoft.users["alice"]["oid"], "the object id, not the pairwise sub"
    assert answer["displayName"] == "Alice Graph" and answer["firstName"] == "Alice" and answer["lastName"] == "Graph"
    profile = json.loads(answer["rawUserInfo"])
    assert profile["jobTitle"] == "Tester" and profile["id"] == microsoft.users["alice"]["oid"]
    assert "photoUrl" not in answer, "Microsoft has no address for photos"
    assert answer["oauthAccessToken"] and answer["oauthIdToken"]
    assert answer["emailVerified"] is False
    assert site.rows("SELECT subject, tenant FROM identities WHERE account_id = %s", answer["localId"]) == [
        (microsoft.users["alice"]["oid"], microsoft.CONTOSO)
    ]

    photo = api.call(
        "providerPhoto", {"idToken": answer["idToken"], "providerId": "microsoft.com", "oauthAccessToken": answer["oauthAccessToken"]}
    )
    assert photo.status_code == 200 and photo.headers["content-type"] == "image/png" and photo.content == microsoft.photo_bytes


def test_a_private_account_has_the_sixteen_digit_id(site, microsoft):
    answer = WebFlow(site, "microsoft.com").run(microsoft.login("carol"))
    assert answer["federatedId"] == "4b2eabcdef123456"
    assert site.rows("SELECT subject, alias FROM identities WHERE account_id = %s", answer["localId"]) == [
        ("4b2eabcdef123456", "00000000-0000-0000-4b2e-abcdef123456")
    ]
    assert answer["emailVerified"] is True, "Microsoft runs outlook.com"


def test_Graph_out_of_order_fails_nothing(site, microsoft):
    for number, answer in enumerate(
        (microsoft.graph_error(), Response("<html>", 500), {"id": "somebody-else", "displayName": "Mallory"}, [])
    ):
        microsoft.answers["me"] = answer
        user = f"graph-{number}"
        answer = WebFlow(site, "microsoft.com").run(microsoft.login(user))
        assert answer["displayName"] == user and json.loads(answer["rawUserInfo"])["tid"] == microsoft.CONTOSO


def test_SEC_03_a_tenant_id_that_is_not_the_issuers_is_refused(site, microsoft):
    microsoft.claims = lambda claims: {"tid": microsoft.FABRIKAM}
    refused(site, microsoft, user="alice")
    for tid in ("not-a-guid", "", 7, None, microsoft.CONTOSO.upper(), "../" + microsoft.CONTOSO):
        microsoft.claims = lambda claims, tid=tid: {"tid": tid}
        refused(site, microsoft, user="alice")


def test_SEC_01_a_key_of_one_tenant_signs_for_no_other(site, microsoft):
    for key, user in ((microsoft.consumer_key, "alice"), (microsoft.fabrikam_key, "alice"), (microsoft.fabrikam_key, "carol")):
        microsoft.mint = key.sign
        refused(site, microsoft, user=user)
    microsoft.mint = microsoft.fabrikam_key.sign
    assert WebFlow(site, "microsoft.com").run(microsoft.login("bob"))["federatedId"] == microsoft.users["bob"]["oid"]


def test_a_token_of_the_old_endpoint_is_refused(site, microsoft):
    for changes in ({"ver": "1.0"}, {"ver": None}, {"ver": "1.0", "iss": f"https://sts.windows.net/{microsoft.CONTOSO}/"}):
        microsoft.claims = lambda claims, changes=changes: changes
        refused(site, microsoft, user="alice")


def test_a_token_for_Graph_is_none_for_us(site, microsoft):
    microsoft.claims = lambda claims: {"aud": "00000003-0000-0000-c000-000000000000"}
    refused(site, microsoft, user="alice")


def test_an_access_token_without_ID_token_is_refused_with_the_reason(site, api, microsoft):
    microsoft.token_extra = {"id_token": None}
    refused(site, microsoft, user="alice")
    message = assert_error(
        posted(api, {"providerId": "microsoft.com", "access_token": "a-token-of-some-other-app"}), "INVALID_IDP_RESPONSE"
    )
    assert "token" in message.split(" : ", 1)[1]


def test_a_posted_credential_of_a_sister_app(site, api, microsoft):
    token = microsoft.id_token("alice", aud=microsoft.SISTER)
    assert posted(api, {"providerId": "microsoft.com", "id_token": token}).status_code == 200
    stale = microsoft.id_token("alice", iat=1_700_000_000)
    assert_error(posted(api, {"providerId": "microsoft.com", "id_token": stale}), "INVALID_IDP_RESPONSE")


def test_SEC_03_an_address_that_a_foreign_tenant_wrote_matches_no_account(site, api, fake_issuer, microsoft):
    """nOAuth: any administrator can write any address into an account of theirs."""
    victim = posted(api, {"providerId": "oidc.fake", "id_token": fake_issuer.id_token("noauth", email="ceo@victim.example")}).json()
    for shape in (None, False, "yes", 0, "false", [], {"true": 1}):
        before = site.counts()
        oid = f"{secrets.token_hex(4)}-6666-4666-8666-000000000006"
        microsoft.claims = lambda claims: {"email": "ceo@victim.example", "oid": oid, "xms_edov": shape, "email_verified": True}
        answer = WebFlow(site, "microsoft.com").run(microsoft.login("mallory"))
        assert answer["needConfirmation"] is True and "idToken" not in answer, shape
        assert answer["emailVerified"] is False
        assert site.counts() == before
    for number, shape in enumerate((True, 1, "1", "true")):
        email = f"proven-{number}@victim.example"
        owner = posted(api, {"providerId": "oidc.fake", "id_token": fake_issuer.id_token(f"proven-{number}", email=email)}).json()
        oid = f"{secrets.token_hex(4)}-7777-4777-8777-000000000007"
        microsoft.claims = lambda claims: {"email": email, "oid": oid, "xms_edov": shape}
        answer = WebFlow(site, "microsoft.com").run(microsoft.login("proven"))
        assert answer["localId"] == owner["localId"], shape
    assert api.lookup(victim["idToken"])["providerUserInfo"][0]["providerId"] == "oidc.fake"


@pytest.mark.parametrize("tenant", ["common", "organizations"])
@pytest.mark.parametrize("kind", [WebFlow, ClientFlow])
def test_SEC_03_the_tenant_that_an_app_asks_for_is_not_one_that_the_operator_trusts(fake_issuer, microsoft, tenant, kind):
    domains = {"authoritativeDomains": ["victim.example"]}
    with a_site({"microsoft.com": microsoft.entry(tenant=tenant, **domains), "oidc.fake": fake_issuer.entry(**domains)}) as site:
        site.serve()
        microsoft.users["mallory"] = {"tid": microsoft.FABRIKAM, "oid": str(uuid4()), "email": "ceo@victim.example", "name": "Mallory"}
        api = site.servers[0].api()
        posted(api, {"providerId": "oidc.fake", "id_token": fake_issuer.id_token("chief", email="ceo@victim.example")})
        before = site.counts()
        answer = kind(site, "microsoft.com", parameters={"tenant": microsoft.FABRIKAM}).run(microsoft.login("mallory"))
        assert answer["needConfirmation"] is True and answer["emailVerified"] is False and "idToken" not in answer
        assert site.counts() == before


def test_SEC_03_a_known_object_id_with_another_tenant_is_refused(site, microsoft):
    WebFlow(site, "microsoft.com").run(microsoft.login("alice"))
    microsoft.users["evil-twin"] = {**microsoft.users["bob"], "oid": microsoft.users["alice"]["oid"]}
    refused(site, microsoft, user="evil-twin")
    del microsoft.users["evil-twin"]


@pytest.mark.parametrize(
    "tenant, admitted", [("organizations", {"alice", "bob"}), ("consumers", {"carol"}), ("aaaaaaaa-0000-4000-8000-00000000000a", {"alice"})]
)
def test_SEC_01_only_the_configured_tenants_sign_in(microsoft, tenant, admitted):
    site = Site({"microsoft.com": microsoft.entry(tenant=tenant)})
    try:
        site.serve()
        for user in ("alice", "bob", "carol"):
            flow = WebFlow(site, "microsoft.com")
            url = flow.authorization_url()
            assert url.startswith(f"{microsoft.url}/{tenant}/oauth2/v2.0/authorize?")
            response = flow.redeem(flow.returned(microsoft.login(user)(url)))
            if user in admitted:
                assert response.status_code == 200, response.text
            else:
                assert_error(response, "INVALID_IDP_RESPONSE")
        assert site.counts()["accounts"] == len(admitted)
    finally:
        site.close()


def test_the_app_may_narrow_the_tenant_and_never_widen_it(site, microsoft):
    flow = WebFlow(site, "microsoft.com", parameters={"tenant": microsoft.CONTOSO})
    url = flow.authorization_url()
    assert url.startswith(f"{microsoft.url}/{microsoft.CONTOSO}/oauth2/v2.0/authorize?") and "tenant=" not in url
    assert flow.redeem(flow.returned(microsoft.login("alice")(url))).status_code == 200
    flow = WebFlow(site, "microsoft.com", parameters={"tenant": microsoft.CONTOSO})
    assert_error(flow.redeem(flow.to_app(microsoft.login("bob"))), "INVALID_IDP_RESPONSE")

    narrow = Site({"microsoft.com": microsoft.entry(tenant=microsoft.CONTOSO)})
    try:
        narrow.serve()
        for wish in ("common", "organizations", "consumers", microsoft.FABRIKAM, "fabrikam.example", "../evil", "a b", "x" * 300):
            response = WebFlow(narrow, "microsoft.com", parameters={"tenant": wish}).start()
            assert response.headers["location"].startswith(narrow.page), wish
            assert query_of(response.headers["location"])["error"] == "invalid_request"
    finally:
        narrow.close()

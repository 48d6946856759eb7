"""Azure AD B2C: one issuer for all policies of a tenant, and what its user flows do."""

from support.clients.api import assert_error, posted
from support.clients.flows import WebFlow, query_of, refused
from support.clients.handler import BrowserFlow
from support.servers.site import Site


def test_a_person_signs_in_and_comes_back(site, b2c):
    flow = WebFlow(site, "oidc.b2c")
    asked = flow.authorization_url()
    assert asked.startswith(f"{b2c.url}/{b2c.TENANT}/{b2c.SIGN_IN.lower()}/oauth2/v2.0/authorize?")
    answer = flow.redeem(flow.returned(b2c.login("customer")(asked))).json()
    assert answer["isNewUser"] is True and answer["displayName"] == "customer"
    assert answer["email"] == "customer@customer.example", "the first of a list"
    assert answer["emailVerified"] is False, "B2C does not say it"
    assert answer["oauthExpireIn"] == 3600, "which B2C writes as a text"
    assert "oauthAccessToken" not in answer and answer["oauthIdToken"], "it was not asked for one"
    again = WebFlow(site, "oidc.b2c").run(b2c.login("customer"))
    assert again["localId"] == answer["localId"] and not again.get("isNewUser")
    assert WebFlow(site, "oidc.b2c").run(b2c.login("another"))["localId"] != answer["localId"]


def test_an_app_posts_an_ID_token_of_the_policy(site, api, b2c):
    token = b2c.id_token("posted")
    first = posted(api, {"providerId": "oidc.b2c", "id_token": token}).json()
    assert first["isNewUser"] is True and first["federatedId"]
    assert WebFlow(site, "oidc.b2c").run(b2c.login("posted"))["localId"] == first["localId"]


def test_a_token_of_another_policy_of_the_tenant_is_refused(site, api, b2c):
    before = site.counts()
    for claims in ({"tfp": b2c.WEAK.lower()}, {"tfp": None}, {"tfp": None, "acr": b2c.WEAK}):
        b2c.claims = lambda _, claims=claims: claims
        assert_error(posted(api, {"providerId": "oidc.b2c", "id_token": b2c.id_token("weak")}), "INVALID_IDP_RESPONSE")
        refused(site, b2c, user="weak")
    b2c.claims = lambda _: {"tfp": None, "acr": b2c.SIGN_IN}
    assert posted(api, {"providerId": "oidc.b2c", "id_token": b2c.id_token("older")}).status_code == 200
    assert site.counts()["accounts"] == before["accounts"] + 1


def test_an_app_cannot_choose_another_policy(site, b2c):
    flow = WebFlow(site, "oidc.b2c", parameters={"p": b2c.WEAK})
    assert query_of(flow.start().headers["location"])["error"] == "invalid_request"


def test_a_sub_that_all_people_share_signs_nobody_in(b2c):
    b2c.subject = "Not supported currently. Use oid claim."
    site = Site({"oidc.b2c": b2c.entry(subjectClaim="sub")})
    try:
        site.serve()
        refused(site, b2c, user="shared")
    finally:
        site.close()


def test_a_code_at_the_wrong_policy_is_refused_with_B2Cs_code_in_the_log(b2c):
    # The document of one policy with the token endpoint of another.
    b2c.discovery_extra = {"token_endpoint": f"{b2c.url}/{b2c.TENANT}/{b2c.WEAK.lower()}/oauth2/v2.0/token"}
    site = Site({"oidc.b2c": b2c.entry()})
    try:
        server = site.serve()
        refused(site, b2c, user="misled")
        server.logged("invalid_grant AADB2C90088")
    finally:
        site.close()


def test_a_policy_with_an_issuer_of_its_own(b2c):
    entry = b2c.entry(b2c.COMPATIBLE)
    del entry["discoveryURL"]
    assert "/tfp/" in entry["issuer"]
    site = Site({"oidc.b2c": entry})
    try:
        site.serve()
        answer = WebFlow(site, "oidc.b2c").run(b2c.login("compatible"))
        assert answer["isNewUser"] is True
        b2c.claims = lambda _: {"iss": b2c.issuer(b2c.SIGN_IN)}
        refused(site, b2c, user="compatible")
    finally:
        site.close()


def test_a_person_who_cancels_or_forgot_the_password_is_told_to_the_app(site, b2c):
    for says, message in (
        ("cancelled", "The sign-in was cancelled at the provider."),
        ("forgotten password", "The person asked to reset the password."),
    ):
        b2c.says = says
        back = query_of(WebFlow(site, "oidc.b2c").to_app(b2c.login("forgetful")))
        assert back["error"] == "access_denied" and message in back["error_description"]
        event = BrowserFlow(site, "oidc.b2c").finished(b2c.login("forgetful"))["event"]
        assert event["error"]["code"] == "auth/user-cancelled" and message in event["error"]["message"]


def test_an_access_token_comes_when_the_client_itself_is_asked_for(b2c):
    site = Site({"oidc.b2c": b2c.entry(scopes=[b2c.client_id])})
    try:
        site.serve()
        assert WebFlow(site, "oidc.b2c").run(b2c.login("scoped"))["oauthAccessToken"].startswith("at.")
    finally:
        site.close()

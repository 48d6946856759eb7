"""LinkedIn's own rules: no nonce, no PKCE, no native tokens, and no word about addresses."""

import json
import secrets

import pytest

from support.clients.api import assert_error, posted
from support.clients.flows import ClientFlow, WebFlow, query_of, refused
from support.servers.site import a_site


def test_a_person_signs_in(site, linkedin):
    flow = WebFlow(site, "linkedin.com")
    url = flow.authorization_url()
    assert url.startswith(linkedin.url + "/v2/authorization?")
    query = query_of(url)
    assert query["scope"] == "openid profile email" and "code_challenge" not in query
    assert query["redirect_uri"] == f"{site.url}/__/auth/handler/linkedin.com"
    answer = flow.redeem(flow.returned(linkedin.login()(url))).json()
    assert answer["federatedId"] == "782bbtaQ" and answer["displayName"] == "Ada" and answer["language"] == "en_US"
    assert answer["email"] == "ada@work.example.com" and answer["emailVerified"] is False
    assert answer["photoUrl"] == "https://media.example/ada.jpg" and json.loads(answer["rawUserInfo"])["email_verified"] == "true"
    again = WebFlow(site, "linkedin.com").run(linkedin.login("ada"))
    assert (again["localId"], again.get("isNewUser", False)) == (answer["localId"], False)


def test_a_locale_in_parts(site, linkedin):
    linkedin.claims = lambda claims: {"locale": None}
    answer = WebFlow(site, "linkedin.com").run(linkedin.login("locale-in-parts"))
    assert answer["language"] == "en-US"
    assert json.loads(answer["rawUserInfo"])["locale"] == {"country": "US", "language": "en"}


def test_a_client_posts_where_linkedin_sent_its_browser(site, linkedin):
    flow = ClientFlow(site, "linkedin.com", continue_uri=site.url + "/__/auth/handler/linkedin.com")
    assert flow.run(linkedin.login("client-at-linkedin"))["isNewUser"]


@pytest.mark.parametrize("error", ["user_cancelled_login", "user_cancelled_authorize"])
def test_a_person_says_no_by_names_of_linkedins_own(site, linkedin, error):
    flow = WebFlow(site, "linkedin.com")
    query = query_of(flow.authorization_url())
    back = flow.callback(f"{query['redirect_uri']}?error={error}&error_description=The+user+cancelled&state={query['state']}")
    assert back.status_code == 303 and query_of(back.headers["location"])["error"] == "access_denied"


def test_no_token_that_an_app_posts_is_accepted(api, linkedin, nothing_is_written):
    token = linkedin.id_token("victim")
    for more in ({}, {"nonce": "a-raw-nonce"}, {"access_token": "an-opaque-token-of-linkedin"}):
        message = assert_error(posted(api, {"providerId": "linkedin.com", "id_token": token, **more}), "INVALID_IDP_RESPONSE")
        assert "has no nonce" in message
    assert_error(posted(api, {"providerId": "linkedin.com", "access_token": "an-opaque-token-of-linkedin"}), "INVALID_IDP_RESPONSE")


def test_a_nonce_that_comes_nevertheless_is_compared(site, linkedin):
    linkedin.claims = lambda claims: {"nonce": "of-another-sign-in"}
    refused(site, linkedin, code="MISSING_OR_INVALID_NONCE")


def test_an_address_joins_no_account_even_if_linkedin_has_verified_it(fake_issuer, linkedin):
    providers = {"oidc.fake": fake_issuer.entry(), "linkedin.com": linkedin.entry(emailTrust="claim")}
    with a_site(providers) as site:
        api = site.serve().api()
        user = "join-" + secrets.token_hex(4)
        owner = posted(api, {"providerId": "oidc.fake", "id_token": fake_issuer.id_token(user)}).json()
        answer = WebFlow(site, "linkedin.com").run(linkedin.login(user))
        assert answer["needConfirmation"] is True and "idToken" not in answer and answer["emailVerified"] is True
        later = {"requestUri": "http://localhost", "pendingToken": answer["pendingToken"], "idToken": owner["idToken"]}
        assert api.succeed("signInWithIdp", {**later, "returnSecureToken": True})["localId"] == owner["localId"]
        assert WebFlow(site, "linkedin.com").run(linkedin.login("verified-" + user))["emailVerified"] is True


def test_an_answer_at_the_address_of_all_providers_is_refused(site, linkedin):
    """Nothing else keeps a hostile provider from LinkedIn's codes."""
    flow = WebFlow(site, "linkedin.com")
    back = linkedin.login("mix-up-at-linkedin")(flow.authorization_url())
    assert flow.callback(back.replace("/handler/linkedin.com", "/handler")).status_code == 400
    assert linkedin.count("/oauth/v2/accessToken") == 0


def test_an_entry_by_the_other_name(linkedin):
    entry = linkedin.entry(name="LinkedIn", clientAuth="post", pkce="off", nonce="unsupported", emailTrust="never", ownCallback=True)
    with a_site({"oidc.linkedin": entry}) as site:
        site.serve()
        answer = WebFlow(site, "oidc.linkedin").run(linkedin.login("by-the-other-name"))
        assert answer["providerId"] == "oidc.linkedin" and answer["emailVerified"] is False
        assert "another person who gets hold of a code" in site.run("check").stdout


def test_check_live_finds_nothing_to_mend(linkedin):
    with a_site({"linkedin.com": linkedin.entry()}) as site:
        told = [line for line in site.run("check", "--live").stdout.splitlines() if "  linkedin.com  " in line]
        assert told[0].endswith("  ok"), told

"""Yahoo's own rules: keys of two kinds, an answer in the address, and its word for its own mailboxes."""

import hashlib
import json
import secrets

import pytest

from support.clients.api import assert_error, posted
from support.clients.flows import ClientFlow, WebFlow, query_of
from support.jwts import Key
from support.leaks import note
from support.servers.site import a_site


def credential(token, **more):
    return {"providerId": "yahoo.com", "id_token": token, **more}


def test_a_person_signs_in(site, yahoo):
    flow = WebFlow(site, "yahoo.com", parameters={"prompt": "login", "language": "de"})
    query = query_of(flow.authorization_url(scopes="fspt-r"))
    assert query["scope"] == "openid profile email fspt-r" and query["prompt"] == "login" and "response_mode" not in query
    flow = WebFlow(site, "yahoo.com")
    answer = flow.run(yahoo.login("ada"))
    assert answer["federatedId"] == "EXAMPLEGUIDOFADA" and answer["emailVerified"] is True and answer["screenName"] == "ada"
    assert answer["photoUrl"] == "https://s.yimg.example/ada.png", "only the profile has it"
    assert json.loads(answer["rawUserInfo"])["nickname"] == "ada" and answer["oauthIdToken"] and answer["oauthAccessToken"]
    again = WebFlow(site, "yahoo.com").run(yahoo.login("ada"))
    assert (again["localId"], again.get("isNewUser", False)) == (answer["localId"], False)
    assert ClientFlow(site, "yahoo.com").run(yahoo.login("ada"))["localId"] == answer["localId"]


def test_a_token_counts_by_whichever_kind_of_key_it_is_signed(site, api, yahoo):
    for key in yahoo.keys:
        yahoo.mint = key.sign
        assert WebFlow(site, "yahoo.com").run(yahoo.login("many-keys"))["idToken"], key.kid
        assert posted(api, credential(yahoo.id_token("many-keys", key=key))).status_code == 200, key.kid


def test_a_key_signs_in_its_own_way_alone(api, yahoo, nothing_is_written):
    """A short name is easily met by another key, of another kind."""
    for key in (Key("0"), Key("4", algorithm="ES256"), Key("0", algorithm="ES256"), Key(yahoo.ec.kid), Key("5")):
        assert_error(posted(api, credential(yahoo.id_token("victim", key=key))), "INVALID_IDP_RESPONSE")


@pytest.mark.parametrize(
    "email, verified, joins",
    [
        ("{}@yahoo.com", True, True),
        ("{}@YAHOO.com", True, True),
        ("{}@yahoo.com", False, False),
        ("{}@yahoo.co.uk", True, False),
        ("{}@example.com", True, False),
        ("{}@mail.yahoo.com", True, False),
    ],
)
def test_its_word_joins_accounts_at_its_own_domain_alone(api, fake_issuer, yahoo, email, verified, joins):
    user = "y-" + secrets.token_hex(4)
    email = email.format(user)
    posted(api, {"providerId": "oidc.fake", "id_token": fake_issuer.id_token(user, email=email)})
    answer = posted(api, credential(yahoo.id_token(user, email=email, email_verified=verified))).json()
    assert ("idToken" in answer, answer.get("needConfirmation", False)) == (joins, not joins), answer


def test_an_app_posts_an_ID_token_with_its_nonce(api, yahoo):
    raw = note("a-raw-nonce-for-yahoo-" + secrets.token_hex(8))
    token = yahoo.id_token("posted-at-yahoo", nonce=hashlib.sha256(raw.encode()).hexdigest())
    assert posted(api, credential(token, nonce=raw)).json()["isNewUser"]
    assert_error(posted(api, credential(token)), "MISSING_OR_INVALID_NONCE")


def test_an_access_token_alone_is_refused(api, yahoo, nothing_is_written):
    message = assert_error(posted(api, {"providerId": "yahoo.com", "access_token": "an-opaque-token-of-yahoo"}), "INVALID_IDP_RESPONSE")
    assert "does not say which app" in message


def test_a_person_says_no(site, yahoo):
    flow = WebFlow(site, "yahoo.com")
    query = query_of(flow.authorization_url())
    back = flow.callback(f"{query['redirect_uri']}?error=access_denied&state={query['state']}")
    assert back.status_code == 303 and query_of(back.headers["location"])["error"] == "access_denied"


def test_an_answer_by_form_post_is_not_offered(yahoo):
    with a_site({"yahoo.com": yahoo.entry(flow="idToken")}) as site:
        told = site.run("check", "--live").stdout
        assert "The provider lists no response mode form_post" in told


def test_a_token_is_revoked_where_the_document_has_the_older_name_of_the_endpoint(site, api, yahoo):
    person = WebFlow(site, "yahoo.com").run(yahoo.login("leaves-yahoo"))
    assert person["oauthAccessToken"] in yahoo.tokens
    body = {"providerId": "yahoo.com", "idToken": person["idToken"], "tokenType": "ACCESS_TOKEN", "token": person["oauthAccessToken"]}
    answer = api.post("/v2/accounts:revokeToken", body)
    assert (answer.status_code, answer.json()) == (200, {}) and person["oauthAccessToken"] not in yahoo.tokens

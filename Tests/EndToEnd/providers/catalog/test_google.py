"""Google's own rules, against a stand-in that says which client an access token was issued to."""

import hashlib
import json

import pytest

from support.clients.api import assert_error, posted
from support.clients.flows import WebFlow
from support.leaks import note
from support.servers.site import Site


def with_access_token(token):
    return {"providerId": "google.com", "access_token": token}


def with_id_token(token, **more):
    return {"providerId": "google.com", "id_token": token, **more}


def test_a_person_signs_in(site, google):
    answer = WebFlow(site, "google.com", parameters={"prompt": "select_account"}).run(google.login("ada"))
    assert answer["federatedId"] == f"{google.url}/110248495921238986420"
    assert site.rows("SELECT subject FROM identities WHERE account_id = %s", answer["localId"]) == [("110248495921238986420",)]
    profile = json.loads(answer["rawUserInfo"])
    assert profile["id"] == "110248495921238986420" and profile["verified_email"] is True and "sub" not in profile
    assert answer["emailVerified"] is True and answer["firstName"] == "Ada" and answer["oauthIdToken"] and answer["oauthAccessToken"]


def test_an_app_posts_tokens_that_it_got_itself(api, google):
    first = posted(api, with_id_token(google.id_token("a-google-app"))).json()
    again = posted(api, with_access_token(google.issue("a-google-app"))).json()
    assert first["isNewUser"] and again["localId"] == first["localId"] and again["federatedId"] == first["federatedId"]


def test_a_nonce_of_googles_own_sdk_is_no_obstacle(api, google):
    hashed = hashlib.sha256(note(b"a-raw-nonce-of-an-app".decode()).encode()).hexdigest()
    token = google.id_token("a-nonce", nonce=hashed)
    assert posted(api, with_id_token(token)).status_code == 200
    assert posted(api, with_id_token(token, nonce="a-raw-nonce-of-an-app")).status_code == 200
    assert_error(posted(api, with_id_token(token, nonce="another-raw-nonce")), "MISSING_OR_INVALID_NONCE")


def test_an_access_token_of_another_app_is_refused(api, google, nothing_is_written):
    for token in (google.issue("victim", client="000000000000-mallory"), "ya29.made-up", "a&sub=1"):
        assert_error(posted(api, with_access_token(token)), "INVALID_IDP_RESPONSE")
    google.answers["userinfo"] = google.person("victim") | {"sub": "another-person"}
    assert_error(posted(api, with_access_token(google.issue("ada"))), "INVALID_IDP_RESPONSE")


@pytest.mark.parametrize("user, joins", [("ada", True), ("worker", True), ("a-stranger", False)])
def test_google_joins_accounts_where_it_runs_the_mailbox(site, api, fake_issuer, google, user, joins):
    email = google.person(user)["email"]
    owner = posted(api, {"providerId": "oidc.fake", "id_token": fake_issuer.id_token(f"owner-of-{user}", email=email)}).json()
    answer = posted(api, with_id_token(google.id_token(user, **google.person(user)))).json()
    assert ("idToken" in answer, answer.get("needConfirmation", False)) == (joins, not joins), (owner, answer)


def test_only_people_of_the_workspace_sign_in(google):
    site = Site({"google.com": google.entry(hostedDomains=["shop.example"])})
    try:
        api = site.serve().api()
        assert WebFlow(site, "google.com").run(google.login("worker"))["email"] == "worker@shop.example"
        for fields in (with_id_token(google.id_token("ada")), with_access_token(google.issue("ada"))):
            assert "domain" in assert_error(posted(api, fields), "INVALID_IDP_RESPONSE")
    finally:
        site.close()

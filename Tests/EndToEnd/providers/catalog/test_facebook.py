"""Facebook's own rules: OAuth 2.0 with proofs of our app, and the ID tokens of Limited Login, against a stand-in that checks both."""

import hashlib
import json
import secrets
import time

import pytest

from support.clients.api import assert_error, posted
from support.clients.flows import ClientFlow, WebFlow, query_of, refused
from support.jwts import foreign_key, hmac_signed, unsigned
from support.leaks import note
from support.servers.site import a_site


def credential(token, **more):
    return {"providerId": "facebook.com", "access_token": token, **more}


def limited(token, **more):
    return {"providerId": "facebook.com", "id_token": token, **more}


# -- by redirect


def test_a_person_signs_in(site, facebook):
    flow = WebFlow(site, "facebook.com", parameters={"display": "popup", "auth_type": "rerequest", "locale": "de_DE"})
    url = flow.authorization_url(scopes="user_birthday")
    assert url.startswith(f"{facebook.url}/{facebook.VERSION}/dialog/oauth?")
    query = query_of(url)
    assert query["scope"] == "public_profile email user_birthday" and query["auth_type"] == "rerequest" and "nonce" not in query
    assert query["redirect_uri"] == f"{site.url}/__/auth/handler/facebook.com"
    answer = flow.redeem(flow.returned(facebook.login()(url))).json()
    assert answer["federatedId"] == "10215241773831025"
    assert (answer["displayName"], answer["firstName"], answer["lastName"]) == ("Ada Lovelace", "Ada", "Lovelace")
    assert answer["email"] == "ada@social.example.com" and answer["emailVerified"] is False
    assert answer["photoUrl"] == f"{facebook.url}/graph/10215241773831025/picture", "an address that does not end"
    assert json.loads(answer["rawUserInfo"])["picture"]["data"]["url"].startswith("https://cdn.example/")
    assert answer["oauthAccessToken"] in facebook.tokens and answer["oauthExpireIn"] == 5183944 and "oauthIdToken" not in answer
    assert site.rows("SELECT subject FROM identities WHERE account_id = %s", answer["localId"]) == [("10215241773831025",)]
    again = WebFlow(site, "facebook.com").run(facebook.login("ada"))
    assert (again["localId"], again.get("isNewUser", False)) == (answer["localId"], False)


def test_the_fragment_of_facebooks_answer_does_not_reach_the_app(site, facebook):
    flow = WebFlow(site, "facebook.com")
    back = facebook.login("with-a-fragment-at-facebook")(flow.authorization_url())
    assert back.endswith("#_=_")
    answer = flow.callback(back)
    # A browser appends the fragment of the address that it comes from, unless the new address has one.
    assert answer.status_code == 303 and answer.headers["location"].endswith("#")
    assert flow.redeem(note(answer.headers["location"])).json()["isNewUser"]


def test_a_client_posts_where_facebook_sent_its_browser_with_the_fragment(site, facebook):
    flow = ClientFlow(site, "facebook.com", continue_uri=site.url + "/__/auth/handler/facebook.com")
    assert flow.run(facebook.login("client-flow-at-facebook"))["isNewUser"]


def test_a_person_says_no(site, facebook):
    flow = WebFlow(site, "facebook.com")
    query = query_of(flow.authorization_url())
    no = "error=access_denied&error_code=200&error_reason=user_denied&error_description=Permissions+error"
    back = flow.callback(f"{query['redirect_uri']}?{no}&state={query['state']}#_=_")
    assert back.status_code == 303 and query_of(back.headers["location"])["error"] == "access_denied"
    assert facebook.count(f"/graph/{facebook.VERSION}/oauth/access_token") == 0


def test_an_answer_at_the_address_of_all_providers_is_refused(site, facebook):
    flow = WebFlow(site, "facebook.com")
    back = facebook.login("mix-up")(flow.authorization_url())
    assert flow.callback(back.replace("/handler/facebook.com", "/handler")).status_code == 400


@pytest.mark.parametrize("code", [1, 101, 191])
def test_a_wrong_client_is_told_to_the_operator_alone(site, facebook, code):
    facebook.answers["token"] = facebook.error(400, code, "Error validating client secret.")
    assert "does not accept this server as its client" in refused(site, facebook)
    assert site.servers[0].logged(f"token endpoint: status 400, error {code}")


def test_a_used_code_is_refused(site, facebook):
    facebook.answers["token"] = facebook.error(400, 100, "This authorization code has been used by ada@social.example.com.", 36009)
    assert "refused the code (100)" in refused(site, facebook)


@pytest.mark.parametrize("code", [2, 4, 17, 32, 341, 613])
def test_a_limit_that_is_reached_is_an_outage(site, api, facebook, nothing_is_written, code):
    for endpoint in ("token", "me", "debug_token"):
        facebook.answers = {endpoint: facebook.error(400, code, "Application request limit reached")}
        if endpoint != "debug_token":
            refused(site, facebook, code="NETWORK_REQUEST_FAILED")
        if endpoint != "token":
            assert_error(posted(api, credential(facebook.issue())), "NETWORK_REQUEST_FAILED")


@pytest.mark.parametrize("answer", [{"id": 7.5}, {"id": None}, {"id": "me"}, {"id": ""}, {"name": "Ada"}, [], "7", {"id": "1" * 33}])
def test_a_profile_without_a_number_is_refused(site, facebook, answer):
    facebook.answers["me"] = answer
    refused(site, facebook)


@pytest.mark.parametrize("email", [None, "", "not an address"])
def test_a_person_without_an_address_signs_in(site, facebook, email):
    user = "phone-" + secrets.token_hex(4)
    facebook.users[user] = facebook.stranger(user) | {"email": email}
    answer = WebFlow(site, "facebook.com").run(facebook.login(user))
    assert "email" not in answer and answer["idToken"]


# -- an access token that an app posts


def test_an_app_posts_an_access_token_of_our_app(site, api, facebook):
    token = facebook.issue("an-app-posted-at-facebook")
    answer = posted(api, credential(token)).json()
    assert answer["oauthAccessToken"] == token and answer["isNewUser"]
    by_redirect = WebFlow(site, "facebook.com").run(facebook.login("an-app-posted-at-facebook"))
    assert by_redirect["localId"] == answer["localId"]


def test_an_access_token_of_another_app_is_refused(site, api, facebook, nothing_is_written):
    page = facebook.issue("victim", kind="PAGE")
    for token in (facebook.issue("victim", client="999888777666555"), "EAAG" + secrets.token_hex(20), page, "a&access_token=b"):
        assert "not issued to this app" in assert_error(posted(api, credential(token)), "INVALID_IDP_RESPONSE")
    assert facebook.count(f"/graph/{facebook.VERSION}/me") == 0, "a token that is not ours is not used"
    assert site.servers[0].logged("The access token was not issued to this app. token check: status 400, code 100")


@pytest.mark.parametrize(
    "changes",
    [
        {"is_valid": "true"},
        {"is_valid": None},
        {"app_id": "999888777666555"},
        {"app_id": None},
        {"app_id": ["111222333444555"]},
        {"type": "APP"},
        {"type": None},
        {"user_id": None},
        {"user_id": "7"},
        {"user_id": 7},
    ],
)
def test_an_answer_about_another_token_is_refused(api, facebook, nothing_is_written, changes):
    token = facebook.issue("victim")
    facebook.answers["debug_token"] = {"data": facebook.about(facebook.tokens[token], **changes)}
    assert_error(posted(api, credential(token)), "INVALID_IDP_RESPONSE")


def test_numbers_may_be_numbers(api, facebook):
    token = facebook.issue("in-numbers-at-facebook")
    about = facebook.about(facebook.tokens[token])
    facebook.answers["debug_token"] = {"data": about | {"app_id": int(about["app_id"]), "user_id": int(about["user_id"])}}
    assert posted(api, credential(token)).json()["isNewUser"]


def test_a_check_that_does_not_work_is_told_to_the_operator_alone(site, api, facebook, nothing_is_written):
    facebook.answers["debug_token"] = facebook.error(400, 190, "Invalid OAuth access token signature.")
    assert "190" not in assert_error(posted(api, credential(facebook.issue("checked"))), "INVALID_IDP_RESPONSE")
    assert site.servers[0].logged("does not work with clientId and clientSecret: status 400, code 190, trace AbCdEfGh")


def test_an_address_joins_no_account(api, fake_issuer, facebook):
    user = "join-" + secrets.token_hex(4)
    owner = posted(api, {"providerId": "oidc.fake", "id_token": fake_issuer.id_token(user)}).json()
    assert owner["email"] == f"{user}@example.com"
    for fields in (credential(facebook.issue(user)), limited(facebook.limited_token(user))):
        answer = posted(api, fields).json()
        assert answer["needConfirmation"] is True and "idToken" not in answer
    later = api.succeed(
        "signInWithIdp",
        {"requestUri": "http://localhost", "pendingToken": answer["pendingToken"], "idToken": owner["idToken"], "returnSecureToken": True},
    )
    assert later["localId"] == owner["localId"]


# -- Limited Login


def test_limited_login_is_the_same_person(site, api, facebook):
    raw = note("a-raw-nonce-of-" + secrets.token_hex(8))
    token = facebook.limited_token("limited-at-facebook", nonce=hashlib.sha256(raw.encode()).hexdigest())
    first = posted(api, limited(token, nonce=raw)).json()
    assert first["isNewUser"] and first["oauthIdToken"] == token and first["emailVerified"] is False
    profile = json.loads(first["rawUserInfo"])
    assert profile["id"] == first["federatedId"] and profile["first_name"] == "Limited-At-Facebook" and "aud" not in profile
    assert first["photoUrl"] == f"{facebook.url}/graph/{profile['id']}/picture"
    assert WebFlow(site, "facebook.com").run(facebook.login("limited-at-facebook"))["localId"] == first["localId"]
    assert facebook.count("/.well-known/openid-configuration") == facebook.count("/.well-known/openid-configuration/") == 0


def test_the_nonce_must_fit(api, facebook, nothing_is_written):
    raw = note("another-raw-nonce-" + secrets.token_hex(8))
    hashed = hashlib.sha256(raw.encode()).hexdigest()
    for claim, posted_nonce in ((hashed, None), (None, raw), (raw, raw), (hashed.upper(), raw), (hashed, "wrong"), (hashed, "")):
        fields = limited(facebook.limited_token("victim", nonce=claim), **({} if posted_nonce is None else {"nonce": posted_nonce}))
        assert_error(posted(api, fields), "MISSING_OR_INVALID_NONCE")


def now():
    return int(time.time())


@pytest.mark.parametrize(
    "changes",
    [
        {"iss": "https://evil.example"},
        {"iss": None},
        {"aud": "999888777666555"},
        {"aud": None},
        {"azp": "999888777666555"},
        {"exp": now() - 61},
        {"exp": None},
        {"iat": now() + 3600},
        {"iat": now() - 7200},
        {"sub": None},
        {"sub": "not-a-number"},
        {"sub": 7},
    ],
)
def test_SEC_12_an_ID_token_with_wrong_claims_is_refused(api, facebook, nothing_is_written, changes):
    assert_error(posted(api, limited(facebook.limited_token("victim", **changes))), "INVALID_IDP_RESPONSE")


def test_SEC_12_an_ID_token_that_facebook_did_not_sign_is_refused(api, facebook, nothing_is_written):
    claims = {"iss": facebook.url, "aud": facebook.client_id, "sub": "1", "iat": now(), "exp": now() + 600}
    tokens = [
        unsigned(claims),
        hmac_signed(claims, facebook.key.public_pem(), facebook.key.kid),
        foreign_key(facebook.key.kid).sign(claims),
        facebook.key.sign(claims)[:-4],
        "a.b.c",
    ]
    for token in tokens:
        assert_error(posted(api, limited(note(token))), "INVALID_IDP_RESPONSE")


def test_SEC_01_a_foreign_token_causes_no_request(api, facebook):
    seen = len(facebook.requests)
    for issuer in ("https://evil.example", facebook.url + "/", facebook.limited, facebook.url.upper()):
        assert_error(posted(api, limited(facebook.limited_token("victim", iss=issuer))), "INVALID_IDP_RESPONSE")
    assert len(facebook.requests) == seen


def test_the_second_issuer_is_for_entries_that_name_it_and_has_its_own_keys(facebook):
    with a_site({"facebook.com": facebook.entry(limitedIssuer=facebook.limited)}) as site:
        api = site.serve().api()
        token = facebook.limited_token("second-host-at-facebook", iss=facebook.limited, key=facebook.limited_key)
        first = posted(api, limited(token)).json()
        again = posted(api, limited(facebook.limited_token("second-host-at-facebook"))).json()
        assert first["isNewUser"] and again["localId"] == first["localId"]
        for issuer, key in ((facebook.limited, facebook.key), (facebook.url, facebook.limited_key)):
            crossed = facebook.limited_token("victim", iss=issuer, key=key)
            assert_error(posted(api, limited(crossed)), "INVALID_IDP_RESPONSE")


def test_limited_login_can_be_switched_off(facebook):
    with a_site({"facebook.com": facebook.entry(limitedLogin=False)}) as site:
        api = site.serve().api()
        refusal = assert_error(posted(api, limited(facebook.limited_token())), "INVALID_CREDENTIAL_OR_PROVIDER_ID")
        assert "no access token" in refusal and not facebook.requests
        # An ID token is not a token of Graph, either.
        assert_error(posted(api, credential(facebook.limited_token())), "INVALID_IDP_RESPONSE")
        assert posted(api, credential(facebook.issue())).json()["isNewUser"]


def test_check_live_asks_whether_facebook_knows_the_client(facebook):
    with a_site({"facebook.com": facebook.entry()}) as site:

        def told():
            return [line for line in site.run("check", "--live").stdout.splitlines() if "  facebook.com  " in line][0]

        assert told().endswith("  ok")
        facebook.answers["jwks"] = {"keys": []}
        assert "has no key that can be used" in told()
        facebook.answers.clear()
        facebook.client_id = "999"
        try:
            assert "The provider does not accept clientId and clientSecret" in told()
        finally:
            del facebook.client_id

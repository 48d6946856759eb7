"""Apple's own rules, against a stand-in that verifies client secrets, posts its answers, and says a name once."""

import hashlib
import json
import secrets
from urllib.parse import quote, urlencode

import pytest

from support.clients.api import assert_error, posted
from support.clients.flows import ClientFlow, WebFlow, query_of, refused
from support.clients.handler import BrowserFlow
from support.harness import home
from support.issuers.apple import write_p8
from support.jwts import Key, foreign_key
from support.leaks import note
from support.servers.site import a_site

V3 = "/www.googleapis.com/identitytoolkit/v3/relyingparty/verifyAssertion"


def credential(apple, user, **claims):
    """What an iPhone has after a sign-in: an ID token for the app, and the nonce before it was hashed."""
    raw = note(secrets.token_urlsafe(24))
    claims = {"aud": apple.BUNDLES[0], "nonce": hashlib.sha256(raw.encode()).hexdigest(), **claims}
    return {"providerId": "apple.com", "id_token": apple.id_token(user, **claims), "nonce": raw}


def account(api, answer):
    return api.lookup(answer["idToken"])


# -- by redirect


def test_a_person_signs_in_and_says_the_name_once(site, api, apple):
    flow = WebFlow(site, "apple.com")
    url = flow.authorization_url()
    assert url.startswith(apple.url + "/auth/authorize?") and "scope=name%20email&" in url
    asked = query_of(url)
    assert asked["response_mode"] == "form_post" and asked["nonce"] and asked["code_challenge"]
    first = flow.redeem(flow.returned(apple.login("tim")(url))).json()
    assert first["isNewUser"] and first["federatedId"] == "001234.tim.0042"
    assert first["displayName"] == "Tim Appleseed" and (first["firstName"], first["lastName"]) == ("Tim", "Appleseed")
    assert first["email"] == "tim@example.com" and first["emailVerified"] is True, "not the address beside the name"
    profile = json.loads(first["rawUserInfo"])
    assert profile["name"] == {"firstName": "Tim", "lastName": "Appleseed"} and profile["email_verified"] == "true"
    assert "photoUrl" not in first and apple.tokens[first["oauthRefreshToken"]] == ("tim", apple.client_id)
    again = WebFlow(site, "apple.com").run(apple.login("tim"))
    assert (again["localId"], again.get("isNewUser", False)) == (first["localId"], False)
    assert "displayName" not in again, "Apple did not say it"
    kept = account(api, again)
    assert kept["displayName"] == "Tim Appleseed"
    assert [entry["displayName"] for entry in kept["providerUserInfo"]] == ["Tim Appleseed"], "and nothing forgot it"


def test_an_SDK_gets_the_name(site, apple):
    answer = BrowserFlow(site, "apple.com").run(apple.login("an-sdk"))
    assert answer["isNewUser"] and answer["displayName"] == "An-Sdk Appleseed"


def test_a_client_posts_what_apple_posted_to_it(site, apple):
    flow = ClientFlow(site, "apple.com")
    page, _, form = apple.login("client-at-apple")(flow.authorization_url()).partition("?")
    answer = flow.redeem(page, postBody=form).json()
    assert answer["isNewUser"] and answer["displayName"] == "Client-At-Apple Appleseed"


def test_a_person_says_no(site, apple):
    apple.declined = "user_cancelled_authorize"
    flow = WebFlow(site, "apple.com")
    assert query_of(flow.to_app(apple.login("no")))["error"] == "access_denied"
    event = BrowserFlow(site, "apple.com").finished(apple.login("no"))["event"]
    assert event["error"]["code"] == "auth/user-cancelled"
    assert apple.count("/auth/token") == 0


@pytest.mark.parametrize("user", ["{", '{"name":7}', "[]", json.dumps({"name": {"firstName": "x" * 5000}}), ""])
def test_a_name_that_cannot_be_read_is_no_obstacle(site, apple, user):
    apple.callback_extra = {"user": user}
    assert "displayName" not in WebFlow(site, "apple.com").run(apple.login("odd-name-" + secrets.token_hex(4)))


def test_a_key_that_is_not_the_teams_is_told_to_the_operator_alone(apple):
    stolen = home / "another.p8"
    write_p8(stolen, Key("unused", algorithm="ES256"))
    entries = {
        "the key": apple.entry(privateKey={"file": str(stolen)}),
        "the key's id": apple.entry(keyId="Z9Z9Z9Z9Z9"),
        "the team": apple.entry(teamId="Z9Z9Z9Z9Z9"),
        "the client": apple.entry(clientId="com.example.not-registered"),
    }
    for name, entry in entries.items():
        with a_site({"apple.com": entry}) as site:
            site.serve()
            if name != "the client":
                assert "does not accept this server as its client" in refused(site, apple), name
                assert site.servers[0].logged("invalid_client")
            check = site.run("check", "--live")
            assert (
                check.returncode != 0 and "The provider does not accept clientId and the keys that its secret is made of" in check.stdout
            ), (
                name,
                check,
            )
            assert "invalid_client" in check.stdout + check.stderr


def test_check_live_finds_nothing_to_mend(apple):
    with a_site({"apple.com": apple.entry()}) as site:
        check = site.run("check", "--live")
        assert check.returncode == 0, check.stdout + check.stderr
        assert apple.count("/.well-known/openid-configuration") == 0 and apple.count("/auth/token") == 1


def test_a_hostile_issuer_gets_no_code_of_apple(site, apple, fake_issuer):
    """Mix-up (RFC 9700, 4.4): the issuer sends the victim to Apple with the state of its own flow, and waits for the code at its token endpoint."""
    attacker = WebFlow(site, "apple.com")
    begun = query_of(attacker.authorization_url())
    assert begun["redirect_uri"] == site.url + "/__/auth/handler/apple.com", "the one registered address"
    victim = WebFlow(site, "oidc.fake")
    state = query_of(victim.authorization_url())["state"]
    back = apple.login("mix-up-victim")(f"{apple.url}/auth/authorize?{urlencode({**begun, 'state': state}, quote_via=quote)}")
    victim.answers_by_post = True
    assert victim.callback(back).status_code == 400
    assert fake_issuer.count("/token") == 0


# -- with a credential


def test_an_iphone_posts_its_token(api, apple):
    first = posted(api, credential(apple, "an-iphone")).json()
    assert first["isNewUser"] and first["emailVerified"] is True and "displayName" not in first
    again = posted(api, credential(apple, "an-iphone", aud=apple.BUNDLES[1])).json()
    assert again["localId"] == first["localId"], "one person in all apps of the team"


@pytest.mark.parametrize("first, last", [("Ada", "Lovelace"), ("Zoë 💫", 'O"Neil'), ("100% A+B", "Marks & Spencer=x"), ("{", "}&user={")])
def test_an_iphone_posts_the_name_without_encoding_it(api, apple, first, last):
    """The iOS SDK's post body is the decoded query of a URL."""
    name = json.dumps({"name": {"firstName": first, "lastName": last}}, separators=(",", ":"), ensure_ascii=False)
    fields = credential(apple, "named-" + secrets.token_hex(4))
    body = "&".join(f"{field}={value}" for field, value in {**fields, "user": name}.items())
    answer = api.post(V3, {"requestUri": "http://localhost", "postBody": body, "returnSecureToken": True})
    assert answer.status_code == 200, answer.text
    assert answer.json()["displayName"] == f"{first} {last}"
    assert account(api, answer.json())["displayName"] == f"{first} {last}"


def test_the_code_of_an_iphone_gives_the_tokens_of_its_app(site, api, apple):
    body = {**credential(apple, "with-a-code", aud=apple.BUNDLES[1]), "code": apple.native("with-a-code", apple.BUNDLES[1])}
    answer = posted(api, body).json()
    assert apple.tokens[answer["oauthRefreshToken"]] == ("with-a-code", apple.BUNDLES[1]) and answer["isNewUser"]
    before = site.counts()
    for code in (apple.native("another-person", apple.BUNDLES[1]), apple.native("with-a-code", apple.BUNDLES[0]), "made-up", body["code"]):
        fields = {**credential(apple, "with-a-code", aud=apple.BUNDLES[1]), "code": note(code)}
        assert_error(posted(api, fields), "INVALID_IDP_RESPONSE")
    assert site.counts() == before


def test_a_nonce_is_required(api, apple, nothing_is_written):
    good = credential(apple, "nonce")
    raw = good["nonce"]
    for fields in (
        {**good, "nonce": ""},
        {**good, "nonce": "another-nonce"},
        {**good, "nonce": hashlib.sha256(raw.encode()).hexdigest()},
        {**good, "id_token": apple.id_token("nonce", aud=apple.BUNDLES[0])},
        {**good, "id_token": apple.id_token("nonce", aud=apple.BUNDLES[0]), "nonce": ""},
        {**good, "id_token": apple.id_token("nonce", aud=apple.BUNDLES[0], nonce=raw)},
        {**good, "id_token": apple.id_token("nonce", aud=apple.BUNDLES[0], nonce=hashlib.sha256(raw.encode()).hexdigest().upper())},
        {**good, "id_token": apple.id_token("nonce", aud=apple.BUNDLES[0], nonce_supported=None), "nonce": ""},
    ):
        assert_error(posted(api, fields), "MISSING_OR_INVALID_NONCE")


@pytest.mark.parametrize("supported", [False, "false"])
@pytest.mark.parametrize("raw", ["", "a-raw-nonce-of-an-app"])
def test_an_old_device_has_no_nonce(api, apple, supported, raw):
    token = apple.id_token("old-" + secrets.token_hex(4), aud=apple.BUNDLES[0], nonce_supported=supported)
    answer = posted(api, {"providerId": "apple.com", "id_token": token, "nonce": raw})
    assert answer.status_code == 200, answer.text


def test_an_access_token_alone_is_refused(api, apple, nothing_is_written):
    seen = len(apple.requests)
    token = apple.give("ada", apple.client_id)
    assert_error(posted(api, {"providerId": "apple.com", "access_token": token}), "INVALID_IDP_RESPONSE")
    assert_error(posted(api, {"providerId": "apple.com", "code": apple.native("ada")}), "INVALID_CREDENTIAL_OR_PROVIDER_ID")
    assert len(apple.requests) == seen


def test_a_token_of_another_app_is_refused(api, apple, nothing_is_written):
    for audience in ("com.mallory.game", [apple.BUNDLES[0], "com.mallory.game"], apple.NAMES[0], ""):
        assert_error(posted(api, credential(apple, "victim", aud=audience)), "INVALID_IDP_RESPONSE")


# -- quirks


@pytest.mark.parametrize("name", [0, 1])
def test_apple_has_two_names(site, api, apple, name):
    apple.claims = lambda claims: {"iss": apple.NAMES[name]}
    user = f"name-{name}"
    first = WebFlow(site, "apple.com").run(apple.login(user))
    apple.claims = lambda claims: {"iss": apple.NAMES[1 - name]}
    assert posted(api, credential(apple, user)).json()["localId"] == first["localId"], "the same person by both"


def test_SEC_01_a_foreign_issuer_causes_no_request(api, apple, nothing_is_written):
    seen = len(apple.requests)
    for name in ("https://appleid.apple.com.evil.example", "https://account.apple.com/", "https://evil.example", apple.url + "/"):
        fields = credential(apple, "victim", iss=name, key=foreign_key("evil"))
        assert_error(posted(api, fields), "INVALID_IDP_RESPONSE")
    assert len(apple.requests) == seen


@pytest.mark.parametrize(
    "value, verified", [(True, True), ("true", True), (False, False), ("false", False), ("TRUE", False), (1, False), (None, False)]
)
def test_an_address_is_verified_by_a_truth_value_or_its_text(api, apple, value, verified):
    answer = posted(api, credential(apple, "verified-" + secrets.token_hex(4), email_verified=value)).json()
    assert answer["emailVerified"] is verified


def test_a_person_without_an_address_is_a_person(api, apple):
    answer = posted(api, credential(apple, "shy", email=None, email_verified=None, is_private_email=None)).json()
    assert answer["isNewUser"] and "email" not in answer and "emailVerified" not in answer


def test_an_address_joins_its_account_and_a_relay_address_does_not(api, apple, fake_issuer):
    user = "join-" + secrets.token_hex(4)
    claims = {"email": f"{user}@trusted.example", "email_verified": True}
    owner = posted(api, {"providerId": "oidc.fake", "id_token": fake_issuer.id_token(user, **claims)}).json()
    assert posted(api, credential(apple, user, email=f"{user}@trusted.example")).json()["localId"] == owner["localId"]
    relay = {"email": f"{user}@privaterelay.appleid.com", "email_verified": "true", "is_private_email": "true"}
    owner = posted(api, {"providerId": "oidc.fake", "id_token": fake_issuer.id_token("relay-" + user, **relay)}).json()
    answer = posted(api, credential(apple, "relay-" + user, **relay)).json()
    assert answer["needConfirmation"] is True and "idToken" not in answer
    # The person who has both may link them.
    linked = posted(api, credential(apple, "relay-" + user, **relay), idToken=owner["idToken"]).json()
    assert linked["localId"] == owner["localId"]


def test_a_transfer_to_another_team_opens_no_other_account(site, api, apple):
    first = posted(api, credential(apple, "before-the-transfer")).json()
    moved = posted(api, credential(apple, "moved", sub="005678.moved", transfer_sub=json.loads(first["rawUserInfo"])["sub"])).json()
    assert moved["localId"] != first["localId"] and site.servers[0].logged("being transferred to another team")


# -- revocation


def revoke(api, body):
    return api.post("/v2/accounts:revokeToken", {"providerId": "apple.com", **body})


def test_the_JS_SDK_revokes_an_access_token(site, api, apple):
    person = WebFlow(site, "apple.com").run(apple.login("leaves-the-web"))
    assert person["oauthAccessToken"] in apple.tokens
    answer = revoke(api, {"idToken": person["idToken"], "tokenType": "ACCESS_TOKEN", "token": person["oauthAccessToken"]})
    assert (answer.status_code, answer.json()) == (200, {})
    assert person["oauthAccessToken"] not in apple.tokens and person["oauthRefreshToken"] not in apple.tokens
    again = revoke(api, {"idToken": person["idToken"], "tokenType": 1, "token": person["oauthRefreshToken"]})
    assert again.status_code == 200, "a token that is gone is revoked"
    # Our own session goes on: the app deletes the account next.
    assert api.succeed("delete", {"idToken": person["idToken"]})


@pytest.mark.parametrize("token_type, token", [("ACCESS_TOKEN", "oauthAccessToken"), ("REFRESH_TOKEN", "oauthRefreshToken")])
def test_a_token_of_a_native_app_is_revoked_in_the_name_of_the_app(api, apple, token_type, token):
    app = apple.BUNDLES[1]
    person = posted(api, {**credential(apple, "leaves-the-phone", aud=app), "code": apple.native("leaves-the-phone", app)}).json()
    assert person[token] in apple.tokens
    answer = revoke(api, {"idToken": person["idToken"], "tokenType": token_type, "token": person[token]})
    assert (answer.status_code, answer.json()) == (200, {}) and person[token] not in apple.tokens


@pytest.mark.parametrize("bundle", [0, 1])
def test_the_iOS_SDK_revokes_by_a_new_code(api, apple, bundle):
    app = apple.BUNDLES[bundle]
    person = posted(api, {**credential(apple, "leaves", aud=app), "code": apple.native("leaves", app)}).json()
    code = apple.native("leaves", app)
    answer = revoke(api, {"idToken": person["idToken"], "tokenType": "3", "token": code})
    assert (answer.status_code, answer.json()) == (200, {}) and person["oauthRefreshToken"] not in apple.tokens
    assert_error(revoke(api, {"idToken": person["idToken"], "tokenType": "3", "token": code}), "INVALID_IDP_RESPONSE")


def test_a_revocation_that_is_none_asks_apple_nothing(site, api, apple, fake_issuer):
    person = posted(api, credential(apple, "stays")).json()
    other = posted(api, {"providerId": "oidc.fake", "id_token": fake_issuer.id_token("revokes-nothing")}).json()
    body = {"idToken": person["idToken"], "tokenType": "ACCESS_TOKEN", "token": note(secrets.token_urlsafe(24))}
    seen = len(apple.requests)
    for change, code in [
        ({"idToken": None}, "MISSING_ID_TOKEN"),
        ({"idToken": "x"}, "INVALID_ID_TOKEN"),
        ({"token": ""}, "INVALID_CREDENTIAL_OR_PROVIDER_ID"),
        ({"tokenType": None}, "Invalid JSON payload received.*"),
        ({"tokenType": "TOKEN_TYPE_UNSPECIFIED"}, "Invalid JSON payload received.*"),
        ({"tokenType": 4}, "Invalid JSON payload received.*"),
        ({"providerId": None}, "INVALID_PROVIDER_ID"),
        ({"providerId": "oidc.fake"}, "INVALID_PROVIDER_ID"),
        ({"idToken": other["idToken"]}, "INVALID_PROVIDER_ID"),
        ({"idToken": other["idToken"], "providerId": "oidc.fake"}, "INVALID_PROVIDER_ID"),
    ]:
        assert_error(revoke(api, {**body, **change}), code)
    assert len(apple.requests) == seen
    api.succeed("delete", {"idToken": person["idToken"]})
    assert_error(revoke(api, body), "USER_NOT_FOUND")
    assert len(apple.requests) == seen, "the caller's account is gone"


def test_a_revocation_that_apple_refuses_is_told(api, apple):
    person = posted(api, credential(apple, "tries")).json()
    body = {"idToken": person["idToken"], "tokenType": "ACCESS_TOKEN", "token": note(secrets.token_urlsafe(24))}
    for answer, code in [
        (apple.data.error("invalid_client"), "INVALID_IDP_RESPONSE"),
        (apple.refuse("unsupported_token_type"), "INVALID_IDP_RESPONSE"),
        (apple.refuse("server_error", 503), "NETWORK_REQUEST_FAILED"),
    ]:
        apple.answers["revoke"] = answer
        assert_error(revoke(api, body), code)

"""The main job: signing in with an issuer that is not ours, end to end, by each of the ways in."""

import base64
import hashlib
import http.client
import json
import secrets
from urllib.parse import unquote_plus, urlencode

import pytest
import requests

from support.clients.api import assert_error, posted
from support.clients.flows import ClientFlow, WebFlow, query_of
from support.harness import together
from support.jwts import claims
from support.leaks import note
from support.names import API_KEY, NUMBER, TIMEOUT
from support.servers.site import Site, a_site


@pytest.fixture
def fresh_site(real_issuer):
    """A site without any sign-in yet."""
    with a_site({"oidc.real": real_issuer.entry()}) as site:
        site.serve()
        yield site


def test_the_whole_way_of_a_browser_app(fresh_site, real_issuer):
    site, api = fresh_site, fresh_site.servers[0].api()
    flow = WebFlow(site, "oidc.real")
    started = flow.start()
    assert started.status_code == 302
    assert started.headers["cache-control"] == "no-store"
    assert started.headers["referrer-policy"] == "no-referrer"
    cookie = started.headers["set-cookie"].lower()
    assert "httponly" in cookie and "samesite=lax" in cookie and "path=/" in cookie

    to_provider = query_of(started.headers["location"])
    assert started.headers["location"].startswith(real_issuer.url + "/oauth2/authorize?")
    assert to_provider["client_id"] == real_issuer.client_id
    assert to_provider["redirect_uri"] == site.url + "/__/auth/handler"
    assert to_provider["code_challenge_method"] == "S256" and to_provider["code_challenge"] != flow.challenge
    assert {"state", "nonce"} <= set(to_provider) and to_provider["state"] != flow.state
    assert flow.verifier not in started.headers["location"]
    assert started.headers["location"].endswith("#"), "no fragment of ours travels on to the provider"

    at_handler = real_issuer.login("ada")(started.headers["location"])
    provider_code = query_of(at_handler)["code"]
    back = flow.callback(at_handler)
    assert back.status_code == 303
    assert back.headers["cache-control"] == "no-store" and back.headers["referrer-policy"] == "no-referrer"
    assert back.headers["location"].startswith(site.page + "?")
    answer = query_of(back.headers["location"])
    assert set(answer) == {"code", "flow", "state", "iss"}
    assert answer["state"] == flow.state and answer["iss"] == site.issuer
    assert answer["code"] != provider_code, "the provider's code never reaches the app"
    assert not flow.browser.cookies, "the flow's cookie is cleared"

    response = flow.redeem(back.headers["location"])
    assert response.status_code == 200, response.text
    assert response.headers["cache-control"] == "no-store"
    first = response.json()
    assert first["kind"] == "identitytoolkit#VerifyAssertionResponse"
    assert first["providerId"] == "oidc.real" and first["federatedId"] == "ada"
    assert first["isNewUser"] is True and first["expiresIn"] == "3600"
    assert first["email"] == "ada@example.com" and first["displayName"] == "Ada Lovelace"
    assert first["firstName"] == "Ada" and first["lastName"] == "Lovelace"
    profile = json.loads(first["rawUserInfo"])
    assert isinstance(first["rawUserInfo"], str) and profile["sub"] == "ada" and profile["email"] == "ada@example.com"
    assert claims(first["oauthIdToken"])["sub"] == "ada"
    assert first["oauthAccessToken"] and first["pendingToken"] and first["refreshToken"] and first["idToken"]
    for placeholder in ("needConfirmation", "errorMessage", "mfaPendingCredential"):
        assert placeholder not in first, "the SDKs test for presence"

    assert site.rows("SELECT email, display_name FROM accounts WHERE account_id = %s", first["localId"]) == [
        ("ada@example.com", "Ada Lovelace")
    ]
    assert site.rows("SELECT provider_id, subject FROM identities WHERE account_id = %s", first["localId"]) == [("oidc.real", "ada")]

    user = api.lookup(first["idToken"])
    assert user["localId"] == first["localId"] and user["email"] == "ada@example.com"
    for number in ("validSince", "createdAt", "lastLoginAt"):
        assert isinstance(user[number], str) and user[number].isdecimal(), "64-bit numbers are strings"
    assert user["providerUserInfo"][0]["rawId"] == user["providerUserInfo"][0]["federatedId"] == "ada"

    again = WebFlow(site, "oidc.real").run(real_issuer.login("ada"))
    assert again["localId"] == first["localId"]
    assert "isNewUser" not in again

    refreshed = api.refresh(again["refreshToken"]).json()
    assert refreshed["user_id"] == first["localId"]

    deleted = api.succeed("delete", {"idToken": again["idToken"]})
    assert deleted == {"kind": "identitytoolkit#DeleteAccountResponse"}
    assert site.value("SELECT count(*) FROM accounts WHERE account_id = %s", first["localId"]) == 0
    assert site.value("SELECT count(*) FROM identities WHERE account_id = %s", first["localId"]) == 0
    for token in (refreshed["refresh_token"], first["refreshToken"]):
        message = api.refresh(token).json()["error"]["message"]
        assert message in ("USER_NOT_FOUND", "TOKEN_EXPIRED")
    assert_error(api.call("lookup", {"idToken": again["idToken"]}), "USER_NOT_FOUND")
    assert WebFlow(site, "oidc.real").run(real_issuer.login("ada"))["isNewUser"] is True


def test_the_person_says_no(site, real_issuer):
    flow = WebFlow(site, "oidc.real")
    denied = real_issuer.deny(flow.authorization_url())
    state = query_of(flow.authorization_url())["state"]
    if "state=" not in denied:
        denied += "&" + urlencode({"state": state})
    back = flow.callback(denied)
    assert back.status_code == 303 and back.headers["location"].startswith(site.page)
    answer = query_of(back.headers["location"])
    assert answer["error"] == "access_denied" and answer["state"] == flow.state and answer["iss"] == site.issuer
    assert "code" not in answer
    again = flow.callback(denied)
    assert again.status_code == 303 and again.headers["location"] == site.page, "the flow is over, and the app hears nothing more of it"


@pytest.mark.parametrize("page", ["handler", "own page"])
def test_the_way_of_a_client_with_a_session_id(site, fake_issuer, page):
    uri = {"handler": site.url + "/__/auth/handler", "own page": "https://app.example.com/callback"}[page]
    flow = ClientFlow(site, "oidc.fake", continue_uri=uri)
    url = flow.authorization_url()
    assert query_of(url)["redirect_uri"] == uri
    answered = fake_issuer.login("client-" + page.replace(" ", "-"))(url)
    assert answered.startswith(uri + "?")
    response = flow.redeem(answered)
    assert response.status_code == 200, response.text
    assert response.json().get("isNewUser") is True and response.json()["providerId"] == "oidc.fake", response.json()
    assert_error(flow.redeem(answered), "INVALID_IDP_RESPONSE")


def test_a_native_session_id_is_the_hash_and_only_the_secret_redeems(site, fake_issuer):
    secret = note(secrets.token_urlsafe(24))
    hashed = hashlib.sha256(secret.encode()).hexdigest()
    flow = ClientFlow(site, "oidc.fake", session=hashed)
    answered = fake_issuer.login("hashed")(flow.authorization_url())
    assert_error(flow.redeem(answered), "INVALID_IDP_RESPONSE")
    flow.session = secret
    assert flow.redeem(answered).status_code == 200


def test_create_auth_uri_makes_a_session_id_when_none_is_given(site, api, fake_issuer):
    answer = api.succeed("createAuthUri", {"providerId": "oidc.fake", "continueUri": site.url + "/__/auth/handler"})
    assert len(note(answer["sessionId"])) >= 20
    flow = ClientFlow(site, "oidc.fake", session=answer["sessionId"])
    assert flow.redeem(fake_issuer.login("made")(answer["authUri"])).status_code == 200


def test_create_auth_uri_says_nothing_of_an_address(api):
    answer = api.succeed("createAuthUri", {"identifier": "ada@example.com", "continueUri": "http://localhost"})
    assert set(answer) == {"kind", "sessionId"}


def test_a_posted_credential(site, api, fake_issuer):
    token = fake_issuer.id_token("native")
    response = posted(api, {"providerId": "oidc.fake", "id_token": token})
    assert response.status_code == 200, response.text
    assert response.json()["isNewUser"] is True and response.json()["oauthIdToken"] == token


def test_a_posted_credential_with_a_nonce(api, fake_issuer):
    raw = note(secrets.token_urlsafe(16))
    hashed = hashlib.sha256(raw.encode()).hexdigest()
    good = fake_issuer.id_token("with-nonce", nonce=hashed)
    assert posted(api, {"providerId": "oidc.fake", "id_token": good, "nonce": raw}).status_code == 200
    for claim, sent in [(hashed, None), (None, raw), (raw, raw), (hashed.upper(), raw), (hashed, hashed), (hashed, raw + "x")]:
        token = fake_issuer.id_token("with-nonce", nonce=claim)
        body = {"providerId": "oidc.fake", "id_token": token} | ({"nonce": sent} if sent else {})
        assert_error(posted(api, body), "MISSING_OR_INVALID_NONCE")


def test_a_posted_access_token_alone_is_refused(site, api, fake_issuer):
    before = site.counts()
    for provider in ("oidc.fake", "microsoft.com"):
        assert_error(posted(api, {"providerId": provider, "access_token": "an-access-token-of-some-app"}), "INVALID_IDP_RESPONSE")
    assert site.counts() == before


def test_SEC_05_a_pending_token_works_once(site, api, fake_issuer):
    first = posted(api, {"providerId": "oidc.fake", "id_token": fake_issuer.id_token("pending")}).json()
    body = {"requestUri": "http://localhost", "pendingToken": first["pendingToken"], "returnSecureToken": True}
    again = api.succeed("signInWithIdp", body)
    assert again["localId"] == first["localId"] and "isNewUser" not in again
    assert again["oauthIdToken"] and "pendingToken" not in again, "each signs in once, and brings no other"
    assert_error(api.call("signInWithIdp", body), "INVALID_PENDING_TOKEN")
    fresh = posted(api, {"providerId": "oidc.fake", "id_token": fake_issuer.id_token("pending")}).json()["pendingToken"]
    broken = note(fresh[:-2] + ("AA" if fresh[-2:] != "AA" else "BB"))
    for token in ("garbage", broken):
        assert_error(api.call("signInWithIdp", {**body, "pendingToken": token}), "INVALID_PENDING_TOKEN")
    answers = together(50, lambda _: api.call("signInWithIdp", {**body, "pendingToken": fresh}).status_code)
    assert sorted(answers, key=str) == [200] + [400] * 49


def test_a_pending_token_of_a_deleted_account_makes_none(site, api, fake_issuer):
    user = posted(api, {"providerId": "oidc.fake", "id_token": fake_issuer.id_token("pending-" + secrets.token_hex(4))}).json()
    api.succeed("delete", {"idToken": user["idToken"]})
    before = site.counts()
    assert_error(
        api.call("signInWithIdp", {"requestUri": "http://localhost", "pendingToken": user["pendingToken"]}), "INVALID_PENDING_TOKEN"
    )
    assert site.counts() == before


def test_a_pending_token_stays_with_its_account_when_a_link_with_it_is_refused(site, api, fake_issuer):
    user, other = (
        posted(api, {"providerId": "oidc.fake", "id_token": fake_issuer.id_token(f"pending-{secrets.token_hex(4)}")}).json() for _ in "12"
    )
    body = {"requestUri": "http://localhost", "returnIdpCredential": True}
    refused = api.succeed("signInWithIdp", {**body, "pendingToken": user["pendingToken"], "idToken": other["idToken"]})
    assert refused["errorMessage"] == "FEDERATED_USER_ID_ALREADY_LINKED"
    api.succeed("delete", {"idToken": user["idToken"]})
    before = site.counts()
    assert_error(api.call("signInWithIdp", {**body, "pendingToken": refused["pendingToken"]}), "INVALID_PENDING_TOKEN")
    assert site.counts() == before


@pytest.mark.parametrize("named, accepted", [("github.com", False), ("oidc.fake", True), ("OIDC.Fake", True)])
def test_SEC_04_a_pending_token_is_of_the_provider_that_the_client_names(api, fake_issuer, named, accepted):
    user = posted(api, {"providerId": "oidc.fake", "id_token": fake_issuer.id_token("pending-" + secrets.token_hex(4))}).json()
    answer = posted(api, {"providerId": named}, pendingToken=user["pendingToken"])
    if accepted:
        assert answer.status_code == 200 and answer.json()["localId"] == user["localId"]
    else:
        assert_error(answer, "INVALID_CREDENTIAL_OR_PROVIDER_ID")


def test_parameters_and_scopes_of_the_app_reach_the_provider(site, fake_issuer):
    flow = WebFlow(site, "oidc.fake", parameters={"prompt": "login", "login_hint": "someone", "ui": "a b&c=d"})
    query = query_of(flow.authorization_url(scopes="calendar,files.read"))
    assert (query["prompt"], query["login_hint"], query["ui"]) == ("login", "someone", "a b&c=d")
    assert {"openid", "calendar", "files.read"} <= set(query["scope"].split())


def test_the_project_config(api, site):
    for path in ("/v1/projects", "/identitytoolkit/v3/relyingparty/getProjectConfig"):
        answer = requests.get(site.url + path, params={"key": API_KEY}, timeout=TIMEOUT)
        assert answer.status_code == 200
        assert answer.json() == {"projectId": NUMBER, "authorizedDomains": site.project["authorizedDomains"]}


def test_every_spelling_of_every_path(site, api, fake_issuer):
    body = {"requestUri": "http://localhost", "postBody": urlencode({"providerId": "oidc.fake", "id_token": fake_issuer.id_token("paths")})}
    snake = {"request_uri": body["requestUri"], "post_body": body["postBody"], "return_secure_token": True}
    for path in (
        "/v1/accounts:signInWithIdp",
        "/identitytoolkit.googleapis.com/v1/accounts:signInWithIdp",
        "/www.googleapis.com/identitytoolkit/v3/relyingparty/verifyAssertion",
        "/identitytoolkit/v3/relyingparty/verifyAssertion",
    ):
        for fields in (body, snake):
            response = api.post(path, fields)
            assert response.status_code == 200, (path, response.text)
    user = response.json()
    for path in (
        "/v1/accounts:lookup",
        "/identitytoolkit.googleapis.com/v1/accounts:lookup",
        "/www.googleapis.com/identitytoolkit/v3/relyingparty/getAccountInfo",
        "/identitytoolkit/v3/relyingparty/getAccountInfo",
    ):
        answer = api.post(path, {"idToken": user["idToken"]})
        assert answer.json()["kind"] == "identitytoolkit#GetAccountInfoResponse", (path, answer.text)
    for path in ("/v1/token", "/securetoken.googleapis.com/v1/token"):
        assert api.post(path, {"grant_type": "refresh_token", "refresh_token": user["refreshToken"]}).status_code == 200
    for path in ("/v1/accounts:createAuthUri", "/www.googleapis.com/identitytoolkit/v3/relyingparty/createAuthUri"):
        assert api.post(path, {"provider_id": "oidc.fake", "continue_uri": site.url + "/__/auth/handler"}).status_code == 200
    assert api.post("/www.googleapis.com/identitytoolkit/v3/relyingparty/deleteAccount", {"id_token": user["idToken"]}).status_code == 200


def test_the_address_of_one_provider_takes_only_its_answers(site, fake_issuer):
    flow = WebFlow(site, "oidc.fake")
    answered = fake_issuer.login("mix-up")(flow.authorization_url())
    assert flow.callback(answered.replace("/handler?", "/handler/oidc.real?")).status_code == 400
    assert flow.callback(answered.replace("/handler?", "/handler/oidc.fake?")).status_code == 303


def test_a_code_flow_takes_no_ID_token_from_the_browser(site, fake_issuer):
    flow = WebFlow(site, "oidc.fake")
    asked = query_of(flow.authorization_url())
    forged = fake_issuer.id_token("front-channel", nonce=asked["nonce"])
    crossed = requests.post(
        asked["redirect_uri"], data={"id_token": forged, "state": asked["state"]}, allow_redirects=False, timeout=TIMEOUT
    )
    if crossed.status_code == 303:
        back = flow.callback(crossed.headers["location"])
        if back.status_code == 303 and "code=" in back.headers["location"]:
            assert_error(flow.redeem(back.headers["location"]), "INVALID_IDP_RESPONSE")
    assert site.value("SELECT count(*) FROM identities WHERE subject = 'front-channel'") == 0


def test_a_database_that_fails_in_the_middle_keeps_nothing_half(fake_issuer):
    site = Site({"oidc.fake": fake_issuer.entry()})
    try:
        server = site.serve()
        site.rows(
            "CREATE FUNCTION fail() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RAISE EXCEPTION 'no room for %', NEW.account_id; END $$"
        )
        site.rows("CREATE TRIGGER fail BEFORE INSERT ON sessions FOR EACH ROW EXECUTE FUNCTION fail()")
        flow = WebFlow(site, "oidc.fake")
        back = flow.to_app(fake_issuer.login("half"))
        response = flow.redeem(back)
        assert response.status_code == 500 and not response.headers["content-type"].startswith("application/json")
        assert "room" not in response.text and "sessions" not in response.text
        assert site.counts() == {"accounts": 0, "identities": 0, "sessions": 0}
        assert '"error"' in server.logged("request failed")
        site.rows("DROP TRIGGER fail ON sessions")
        assert_error(flow.redeem(back), "INVALID_IDP_RESPONSE")
        assert WebFlow(site, "oidc.fake").run(fake_issuer.login("half"))["isNewUser"] is True
    finally:
        site.close()


def test_chunked_bodies_and_kept_connections(site):
    connection = http.client.HTTPConnection("127.0.0.1", site.port, timeout=TIMEOUT)
    connection.connect()
    socket = connection.sock
    for body in ([b'{"idTo', b'ken":', b'"x"}'], b'{"idToken":"x"}') * 3:
        connection.request(
            "POST", "/v1/accounts:lookup?key=" + API_KEY, body, {"content-type": "application/json"}, encode_chunked=isinstance(body, list)
        )
        response = connection.getresponse()
        assert response.status == 400 and json.loads(response.read())["error"]["message"] == "INVALID_ID_TOKEN"
        assert connection.sock is socket, "the connection stays"
    connection.close()


@pytest.mark.parametrize("method", ["basic", "post"])
def test_a_client_secret_of_odd_characters_reaches_the_provider(fake_issuer, method):
    secret = note("p:a%s+w ör/d&=?#'\"é" + secrets.token_hex(8))
    seen = {}

    def token(request):
        authorization = request.headers.get("authorization", "")
        if authorization:
            name, _, word = base64.b64decode(authorization.removeprefix("Basic ")).decode().partition(":")
            seen["basic"] = (unquote_plus(name), unquote_plus(word))
        if "client_secret" in request.form:
            seen["post"] = (request.form["client_id"], request.form["client_secret"])
        return fake_issuer.refuse("invalid_client", 401)

    fake_issuer.answers["token"] = token
    site = Site({"oidc.fake": fake_issuer.entry(clientAuth=method, clientSecret={"file": "../client.secret"})})
    try:
        (site.folder / "client.secret").write_text(secret + "\n")
        site.serve()
        flow = WebFlow(site, "oidc.fake")
        assert_error(flow.redeem(flow.to_app(fake_issuer.login())), "INVALID_IDP_RESPONSE")
        assert seen == {method: (fake_issuer.client_id, secret)}
    finally:
        site.close()

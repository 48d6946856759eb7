"""Twitter's own rules, and OAuth 1.0a, against a stand-in that checks every signature."""

import json
import secrets
import time
from urllib.parse import parse_qsl, urlencode, urlsplit

from support.clients.api import assert_error, posted
from support.clients.flows import ClientFlow, WebFlow, query_of, refused
from support.leaks import note
from support.servers.site import a_site
from support.tables import for_each


def credential(token, secret=None, **more):
    return {"providerId": "twitter.com", "access_token": token, **({"oauth_token_secret": secret} if secret else {}), **more}


def changed(url, **fields):
    """An answer with other values; `None` leaves a field out."""
    query = {**dict(parse_qsl(urlsplit(url).query)), **fields}
    return note(url.partition("?")[0] + "?" + urlencode({name: value for name, value in query.items() if value is not None}))


def test_a_person_signs_in(site, twitter):
    flow = WebFlow(site, "twitter.com", parameters={"lang": "de", "force_login": "true"})
    url = flow.authorization_url(scopes="tweet.read")
    assert url.startswith(twitter.url + "/oauth/authenticate?")
    query = query_of(url)
    assert set(query) == {"oauth_token", "lang", "force_login"}, "no scope, no state and no PKCE"
    (requested,) = twitter.requested.values()
    assert requested["callback"].startswith(site.url + "/__/auth/handler?state=demo.")
    answer = flow.redeem(flow.returned(twitter.login()(url))).json()
    assert answer["federatedId"] == "9007199254740993", "the text, not the number"
    assert answer["screenName"] == answer["username"] == "ada" and answer["displayName"] == "Ada Lovelace"
    assert json.loads(answer["rawUserInfo"])["screen_name"] == "ada"
    assert answer["email"] == "ada@short.example.com" and answer["emailVerified"] is False
    assert answer["photoUrl"] == "https://pbs.example/ada_normal.jpg"
    assert twitter.tokens[answer["oauthAccessToken"]]["secret"] == answer["oauthTokenSecret"] and "oauthIdToken" not in answer
    assert site.rows("SELECT subject FROM identities WHERE account_id = %s", answer["localId"]) == [("9007199254740993",)]
    again = WebFlow(site, "twitter.com").run(twitter.login("ada"))
    assert (again["localId"], again.get("isNewUser", False)) == (answer["localId"], False)
    assert len(twitter.nonces) == 6, "each request has a nonce of its own"


def test_a_client_posts_where_twitter_sent_its_browser(site, twitter):
    flow = ClientFlow(site, "twitter.com")
    answer = flow.run(twitter.login("a-tweeter-at-a-client"))
    assert answer["screenName"] == "a-tweeter-at-a-client" and answer["isNewUser"]


def test_an_app_posts_an_access_token_of_our_client(api, twitter):
    token, secret = twitter.issue("a-tweeter-of-an-app")
    answer = posted(api, credential(token, secret)).json()
    assert answer["screenName"] == "a-tweeter-of-an-app" and answer["idToken"]
    assert (answer["oauthAccessToken"], answer["oauthTokenSecret"]) == (token, secret)


def test_an_access_token_of_another_app_is_refused(site, api, twitter, nothing_is_written):
    token, secret = twitter.issue("victim")
    foreign = twitter.issue("victim", client=twitter.OTHER_CLIENT)
    for pair in (foreign, (token, foreign[1]), ("x" * 4096, secret), (token, "a\r\nb: c")):
        message = assert_error(posted(api, credential(*pair)), "INVALID_IDP_RESPONSE")
        assert "not issued to this app" in message


@for_each([{}, {"oauth_token_secret": ""}, {"id_token": "a.b.c", "access_token": ""}])
def test_a_credential_without_its_secret_is_refused(fields, site, api, twitter, nothing_is_written):
    token, _ = twitter.issue("victim")
    message = assert_error(posted(api, {**credential(token), **fields}), "INVALID_CREDENTIAL_OR_PROVIDER_ID")
    assert "oauth_token_secret" in message or "access token" in message
    assert twitter.count("/1.1/account/verify_credentials.json") == 0


def test_a_plan_without_the_call_is_told_to_the_operator_alone(site, api, twitter, nothing_is_written):
    twitter.answers["user"] = twitter.error(403, 453, "You currently have access to a subset of X API V2 endpoints")
    message = assert_error(posted(api, credential(*twitter.issue("planned"))), "INVALID_IDP_RESPONSE")
    assert "453" not in message and "plan" not in message
    assert site.servers[0].logged("The plan of this app at X does not include this call (code 453)")
    refused(site, twitter)


def test_an_outage_writes_nothing(site, api, twitter, nothing_is_written):
    for status in (429, 500, 503):
        twitter.answers["user"] = twitter.error(status, 130, "Over capacity")
        refused(site, twitter, code="NETWORK_REQUEST_FAILED")
        assert_error(posted(api, credential(*twitter.issue())), "NETWORK_REQUEST_FAILED")


@for_each([{"id": 7}, {"id_str": 7}, {"id_str": None}, {"id_str": "7 or 8"}, [], "7"])
def test_a_profile_without_a_number_is_refused(answer, site, twitter):
    twitter.answers["user"] = answer
    refused(site, twitter)


@for_each(["", None, "not an address"])
def test_a_person_without_an_address_signs_in(email, site, twitter):
    user = "shy-" + secrets.token_hex(4)
    twitter.users[user] = twitter.stranger(user) | {"email": email}
    answer = WebFlow(site, "twitter.com").run(twitter.login(user))
    assert "email" not in answer and "emailVerified" not in answer and answer["idToken"]


def test_an_address_joins_no_account(site, api, fake_issuer, twitter):
    user = "join-" + secrets.token_hex(4)
    owner = posted(api, {"providerId": "oidc.fake", "id_token": fake_issuer.id_token(user)}).json()
    assert owner["email"] == f"{user}@example.com"
    answer = posted(api, credential(*twitter.issue(user))).json()
    assert answer["needConfirmation"] is True and "idToken" not in answer
    # The pending token keeps the token with its secret.
    later = api.succeed(
        "signInWithIdp",
        {"requestUri": "http://localhost", "pendingToken": answer["pendingToken"], "idToken": owner["idToken"], "returnSecureToken": True},
    )
    assert later["localId"] == owner["localId"] and later["oauthTokenSecret"] == answer["oauthTokenSecret"]


# -- the flow


@for_each(["false", "TRUE", ""])
def test_a_callback_that_is_not_confirmed_begins_nothing(confirmed, site, twitter):
    twitter.discovery_extra = {"oauth_callback_confirmed": confirmed}
    response = WebFlow(site, "twitter.com").start()
    assert response.status_code == 303 and query_of(response.headers["location"])["error"] == "server_error"
    assert site.servers[0].logged("does not speak OAuth 1.0a")


def test_a_start_during_an_outage_is_told_to_the_app(site, twitter):
    twitter.answers["request_token"] = twitter.error(503, 130, "Over capacity")
    response = WebFlow(site, "twitter.com").start()
    assert query_of(response.headers["location"])["error"] == "temporarily_unavailable"


def test_a_wrong_secret_is_told_to_the_operator_alone(site, twitter):
    twitter.answers["request_token"] = twitter.data.error("could not authenticate")
    response = WebFlow(site, "twitter.com").start()
    assert query_of(response.headers["location"])["error"] == "server_error"
    assert site.servers[0].logged("request token: status 401: The provider does not accept clientId and clientSecret")


def test_a_person_says_no(site, twitter):
    twitter.callback_extra = {"oauth_verifier": None, "oauth_token": None, "denied": "the-request-token"}
    flow = WebFlow(site, "twitter.com")
    back = flow.callback(twitter.login()(flow.authorization_url()))
    assert back.status_code == 303
    assert query_of(back.headers["location"])["error"] == "access_denied"
    # Also when the answer says both.
    twitter.callback_extra = {"denied": "the-request-token"}
    flow = ClientFlow(site, "twitter.com")
    assert_error(flow.redeem(twitter.login()(flow.authorization_url())), "USER_CANCELLED")
    assert twitter.count("/oauth/access_token") == 0


@for_each(["oauth_token", "oauth_verifier", "denied"])
def test_an_answer_with_a_field_twice_is_refused(field, site, twitter):
    flow = WebFlow(site, "twitter.com")
    back = twitter.login()(flow.authorization_url())
    twice = note(back + "&" + urlencode([(field, "a"), (field, "b")]))
    assert flow.callback(twice).status_code == 400
    assert flow.callback(back).status_code == 303, "the flow still waits for its answer"


def test_an_answer_of_another_sign_in_is_refused(site, twitter):
    """The attacker approves a request token of their own, and sends its answer into the victim's sign-in."""
    attacker, victim = WebFlow(site, "twitter.com"), WebFlow(site, "twitter.com")
    approved = query_of(twitter.login("attacker")(attacker.authorization_url()))
    back = twitter.login("victim")(victim.authorization_url())
    before = site.counts()
    foreign = changed(back, oauth_token=approved["oauth_token"], oauth_verifier=approved["oauth_verifier"])
    message = assert_error(victim.redeem(victim.returned(foreign)), "INVALID_IDP_RESPONSE")
    assert "another sign-in" in message
    assert site.counts() == before and twitter.count("/oauth/access_token") == 0


@for_each([{"oauth_verifier": None}, {"oauth_verifier": ""}, {"oauth_verifier": "guessed"}, {"oauth_token": None}])
def test_an_answer_without_its_verifier_is_refused(fields, site, twitter):
    flow = WebFlow(site, "twitter.com")
    before = site.counts()
    response = flow.callback(changed(twitter.login()(flow.authorization_url()), **fields))
    if response.status_code == 303:
        assert_error(flow.redeem(note(response.headers["location"])), "INVALID_IDP_RESPONSE")
    else:
        assert response.status_code == 400 and fields == {"oauth_verifier": None}
    assert site.counts() == before


def test_a_verifier_works_once(site, twitter):
    flow = ClientFlow(site, "twitter.com")
    back = twitter.login("once")(flow.authorization_url())
    assert flow.redeem(back).json()["isNewUser"]
    assert_error(flow.redeem(back), "INVALID_IDP_RESPONSE")
    assert twitter.count("/oauth/access_token") == 1
    # Nor in another sign-in, whose request token it does not belong to.
    other = ClientFlow(site, "twitter.com")
    verifier = query_of(back)["oauth_verifier"]
    assert_error(other.redeem(changed(twitter.login("once")(other.authorization_url()), oauth_verifier=verifier)), "INVALID_IDP_RESPONSE")


def test_an_address_of_its_own(twitter):
    with a_site({"twitter.com": twitter.entry(ownCallback=True)}) as site:
        site.serve()
        flow = WebFlow(site, "twitter.com")
        back = twitter.login("apart")(flow.authorization_url())
        assert urlsplit(back).path == "/__/auth/handler/twitter.com"
        elsewhere = back.replace("/handler/twitter.com", "/handler")
        assert flow.callback(elsewhere).status_code == 400
        assert flow.redeem(flow.returned(back)).json()["screenName"] == "apart"


def test_check_live_asks_for_a_request_token(twitter):
    with a_site({"twitter.com": twitter.entry()}) as site:

        def told():
            return [line for line in site.run("check", "--live").stdout.splitlines() if "  twitter.com  " in line][0]

        twitter.callbacks = [site.url + "/__/auth/handler"]
        assert told().endswith("  ok")
        twitter.callbacks = []
        assert "The callback URL is not registered with the app at X" in told()
        twitter.callbacks = None
        twitter.client_id = "another-consumer-key"
        try:
            assert "does not accept clientId and clientSecret" in told()
        finally:
            del twitter.client_id


def test_a_clock_that_is_wrong_is_named(site, twitter, monkeypatch):
    now = time.time()
    monkeypatch.setattr("support.issuers.twitter.time.time", lambda: now + 3600)
    assert query_of(WebFlow(site, "twitter.com").start().headers["location"])["error"] == "server_error"
    assert site.servers[0].logged("The clock of this server is wrong")

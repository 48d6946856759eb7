"""Twitter by OAuth 2.0 with PKCE, against a stand-in that plays both protocols; and the way from one to the other."""

import json
import secrets
from urllib.parse import urlsplit

import pytest

from support.clients.api import assert_error, posted
from support.clients.flows import ClientFlow, WebFlow, query_of, refused
from support.leaks import note
from support.servers.site import a_site
from support.tables import for_each


@pytest.fixture(scope="module")
def x(doubles):
    """The stand-in, speaking OAuth 2.0."""
    double = doubles["twitter.com"]
    double.reset()
    double.protocol = "oauth2"
    yield double
    double.reset()


@pytest.fixture(scope="module")
def site(x, doubles):
    with a_site({"twitter.com": x.entry(), "oidc.fake": doubles["oidc.fake"].entry()}) as site:
        site.serve()
        yield site


@pytest.fixture(scope="module")
def api(site):
    return site.servers[0].api()


@pytest.fixture(autouse=True)
def honest(x):
    yield
    x.reset()
    x.protocol = "oauth2"


def credential(token, secret=None):
    return {"providerId": "twitter.com", "access_token": token, **({"oauth_token_secret": secret} if secret else {})}


def test_a_person_signs_in(site, x):
    flow = WebFlow(site, "twitter.com", parameters={"lang": "de"})
    url = flow.authorization_url(scopes="offline.access")
    assert url.startswith(x.url + "/i/oauth2/authorize?")
    query = query_of(url)
    assert query["scope"] == "users.read tweet.read users.email offline.access" and query["lang"] == "de" and "nonce" not in query
    assert query["redirect_uri"] == f"{site.url}/__/auth/handler/twitter.com", "an address of its own"
    answer = flow.redeem(flow.returned(x.login()(url))).json()
    assert answer["federatedId"] == "9007199254740993" and answer["displayName"] == "Ada Lovelace"
    assert answer["screenName"] == answer["username"] == "ada"
    profile = json.loads(answer["rawUserInfo"])
    assert profile["username"] == profile["screen_name"] == "ada" and profile["id"] == profile["id_str"] == "9007199254740993"
    assert answer["email"] == "ada@short.example.com" and answer["emailVerified"] is False
    assert answer["photoUrl"] == profile["profile_image_url"] == "https://pbs.example/ada_normal.jpg"
    assert answer["oauthAccessToken"] in x.tokens and answer["oauthExpireIn"] == 7200 and answer["oauthRefreshToken"]
    assert "oauthTokenSecret" not in answer and "oauthIdToken" not in answer
    (exchange,) = [form for method, path, form in x.requests if path == "/2/oauth2/token"]
    assert exchange[":authorization"].startswith("Basic ") and "client_secret" not in exchange
    assert not x.requested, "no request token"
    again = WebFlow(site, "twitter.com").run(x.login("ada"))
    assert (again["localId"], again.get("isNewUser", False)) == (answer["localId"], False)


def test_a_client_posts_where_x_sent_its_browser(site, x):
    flow = ClientFlow(site, "twitter.com", continue_uri=site.url + "/__/auth/handler/twitter.com")
    assert flow.run(x.login("a-client-at-x"))["screenName"] == "a-client-at-x"


def test_a_person_says_no(site, x):
    flow = WebFlow(site, "twitter.com")
    query = query_of(flow.authorization_url())
    back = flow.callback(f"{query['redirect_uri']}?error=access_denied&state={query['state']}")
    assert back.status_code == 303 and query_of(back.headers["location"])["error"] == "access_denied"
    assert x.count("/2/oauth2/token") == 0


def test_an_answer_at_the_address_of_all_providers_is_refused(site, x):
    flow = WebFlow(site, "twitter.com")
    back = x.login("mixed-up-at-x")(flow.authorization_url())
    assert flow.callback(back.replace("/handler/twitter.com", "/handler")).status_code == 400


def test_an_answer_of_the_other_protocol_is_refused(site, x):
    """A request token and its verifier prove nothing where the entry speaks OAuth 2.0."""
    before = site.counts()
    flow = WebFlow(site, "twitter.com")
    query = query_of(flow.authorization_url())
    back = flow.callback(f"{query['redirect_uri']}?state={query['state']}&oauth_token=a&oauth_verifier=b")
    if back.status_code == 303 and "code" in query_of(back.headers["location"]):
        assert_error(flow.redeem(note(back.headers["location"])), "INVALID_IDP_RESPONSE")
    else:
        assert back.status_code == 400 or "error" in query_of(back.headers["location"])
    assert site.counts() == before and x.count("/2/oauth2/token") == x.count("/oauth/access_token") == 0


# -- a token that an app posts


def test_a_token_of_oauth1_is_the_same_person(site, api, x):
    token, secret = x.issue("native-at-x")
    first = posted(api, credential(token, secret)).json()
    assert first["isNewUser"] and first["screenName"] == "native-at-x"
    assert (first["oauthAccessToken"], first["oauthTokenSecret"]) == (token, secret)
    assert WebFlow(site, "twitter.com").run(x.login("native-at-x"))["localId"] == first["localId"]
    foreign = x.issue("native-at-x", client=x.OTHER_CLIENT)
    assert "not issued to this app" in assert_error(posted(api, credential(*foreign)), "INVALID_IDP_RESPONSE")


def test_an_access_token_of_oauth2_opens_nothing(site, api, x):
    """It does not say which app it was issued to: not even our own client's is taken."""
    own = WebFlow(site, "twitter.com").run(x.login("bearer-at-x"))["oauthAccessToken"]
    before, seen = site.counts(), len(x.requests)
    for token in (own, "a-made-up-access-token", "x" * 4096):
        refusal = assert_error(posted(api, credential(token)), "INVALID_IDP_RESPONSE")
        assert "does not say which app" in refusal and "ID token" not in refusal
    assert len(x.requests) == seen, "what cannot be checked costs no request"
    assert_error(posted(api, credential(own, note("a-made-up-secret"))), "INVALID_IDP_RESPONSE")
    assert site.counts() == before


def test_tokens_of_oauth1_need_the_consumer_keys(x):
    entry = {name: value for name, value in x.entry().items() if not name.startswith("consumer")}
    with a_site({"twitter.com": entry}) as site:
        api = site.serve().api()
        assert_error(posted(api, credential(*x.issue("native-at-x"))), "INVALID_IDP_RESPONSE")
        assert not x.requests
        assert WebFlow(site, "twitter.com").run(x.login("without-keys-at-x"))["isNewUser"]


# -- the profile


@for_each([{}, {"data": {"id": 7}}, {"data": {"id": "7a"}}, {"data": []}, {"id": "7"}, [], "7"])
def test_a_profile_without_a_number_is_refused(answer, site, x):
    x.answers["user"] = answer
    refused(site, x)


@for_each(["", None, "not an address"])
def test_a_person_without_an_address_signs_in(email, site, x):
    user = "shy-" + secrets.token_hex(4)
    x.users[user] = x.stranger(user) | {"email": email}
    answer = WebFlow(site, "twitter.com").run(x.login(user))
    assert "email" not in answer and answer["idToken"]


def test_an_address_joins_no_account(site, api, doubles, x):
    user = "join-" + secrets.token_hex(4)
    owner = posted(api, {"providerId": "oidc.fake", "id_token": doubles["oidc.fake"].id_token(user)}).json()
    assert owner["email"] == f"{user}@example.com"
    answer = WebFlow(site, "twitter.com").run(x.login(user))
    assert answer["needConfirmation"] is True and "idToken" not in answer


@for_each([(403, "client-forbidden", {"reason": "client-not-enrolled"}), (402, "credits", {})])
def test_a_plan_without_the_call_is_told_to_the_operator_alone(status, kind, more, site, x):
    x.answers["user"] = x.problem(status, "Forbidden", kind, **more)
    message = refused(site, x)
    assert kind not in message and "plan" not in message
    assert site.servers[0].logged(f"profile: status {status}, problem {more.get('reason', kind)}: The app at X may not make this call")


def test_an_outage_writes_nothing(site, x):
    for status in (429, 500, 503):
        x.answers = {"user": x.problem(status, "Outage", "about:blank")}
        refused(site, x, code="NETWORK_REQUEST_FAILED")


def test_a_wrong_client_is_told_to_the_operator_alone(site, x):
    x.answers["token"] = x.data.error("wrong client")
    assert "does not accept this server as its client" in refused(site, x)
    assert site.servers[0].logged("token endpoint: status 401, error unauthorized_client")


# -- the operator


def test_check_live_asks_for_both_clients(x):
    with a_site({"twitter.com": x.entry()}) as site:

        def told():
            return [line for line in site.run("check", "--live").stdout.splitlines() if "  twitter.com  " in line]

        assert told()[0].endswith("  ok")
        x.client_id = "another-consumer-key"
        try:
            assert "does not accept consumerKey and consumerSecret" in told()[0]
        finally:
            del x.client_id
        x.OAUTH2_CLIENT = "another-client"
        try:
            assert "unauthorized_client" in told()[0]
        finally:
            del x.OAUTH2_CLIENT


def test_people_keep_their_accounts_when_the_operator_switches(x):
    x.protocol = "oauth1"
    with a_site({"twitter.com": x.entry()}) as site:
        server = site.serve()
        before = WebFlow(site, "twitter.com").run(x.login("moved-at-x"))
        assert before["isNewUser"] and before["oauthTokenSecret"]
        x.protocol = "oauth2"
        with site.reloaded_with(**{"twitter.com": x.entry()}):
            flow = WebFlow(site, "twitter.com")
            url = flow.authorization_url()
            assert urlsplit(url).path == "/i/oauth2/authorize"
            after = flow.redeem(flow.returned(x.login("moved-at-x")(url))).json()
            assert (after["localId"], after.get("isNewUser", False)) == (before["localId"], False)
            assert after["federatedId"] == before["federatedId"] and "oauthTokenSecret" not in after
            # An app that still has a token of before.
            native = posted(server.api(), credential(before["oauthAccessToken"], before["oauthTokenSecret"])).json()
            assert native["localId"] == before["localId"]
        # And back again.
        x.protocol = "oauth1"
        assert WebFlow(site, "twitter.com").run(x.login("moved-at-x"))["localId"] == before["localId"]

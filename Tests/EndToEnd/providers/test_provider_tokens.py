"""Tokens of providers that are kept for back ends, where an entry says so."""

import base64
import hashlib
import json
import re
import secrets
import time

import pytest
from werkzeug.wrappers import Response

from support.accounts import person
from support.clients.api import posted
from support.clients.flows import WebFlow
from support.clients.provider_tokens import end_access_tokens, get, renewed
from support.harness import together, wait_until
from support.leaks import note, secrets_in_database
from support.servers.site import Site, a_site, write_secret

KEPT = "SELECT count(*) FROM provider_tokens WHERE account_id = %s"


@pytest.fixture(scope="module")
def site(doubles):
    """`oidc.other` is the same issuer, and keeps nothing."""
    kept = ("oidc.fake", "apple.com", "twitter.com")
    site = Site({**{name: doubles[name].entry(storeProviderTokens=True) for name in kept}, "oidc.other": doubles["oidc.fake"].entry()})
    site.serve()
    yield site
    stored = secrets_in_database(site)
    site.close()
    assert not stored, "SEC-21: a copy of the database opens nothing"


@pytest.fixture
def issuer(fake_issuer):
    """It gives refresh tokens, each of which works once."""
    fake_issuer.gives_refresh_tokens = True
    return fake_issuer


@pytest.fixture
def api(site):
    return site.servers[0].api()


@pytest.fixture
def signed_in(site, issuer):
    return WebFlow(site, "oidc.fake").run(issuer.login(person()))


def test_a_back_end_gets_the_token_of_a_sign_in_and_newer_ones(site, issuer, signed_in):
    uid = signed_in["localId"]
    assert signed_in["oauthRefreshToken"] and signed_in["oauthExpireIn"] == 3599, "the app gets them once"
    answer = get(site, uid)
    assert set(answer) == {"accessToken", "expiresAt"} and answer["accessToken"] == signed_in["oauthAccessToken"]
    assert re.fullmatch(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z", answer["expiresAt"])
    plain = site.run("provider-tokens", "get", "demo", uid, "oidc.fake", check=True, prints_secret=True)
    assert plain.stdout == answer["accessToken"] + "\n"
    assert issuer.renewals == 0
    for count in (1, 2):
        end_access_tokens(site)
        newer = get(site, uid)
        assert newer["accessToken"] != answer["accessToken"] and issuer.renewals == count
        answer = newer
    assert get(site, uid) == answer, "which is good for a while"
    events = [json.loads(line) for line in site.run("audit", "list", "demo", "--account", uid, "--json").stdout.splitlines()]
    told = {"action": "providerTokens.given", "actorKind": "command", "actor": "provider-tokens get", "localId": uid}
    assert events.pop(0)["action"] == "account.created"
    assert [{**event, "time": ""} for event in events] == [{"time": "", **told, "providerId": "oidc.fake", "details": {}}] * 5


def test_several_who_ask_at_once_use_a_refresh_token_once(site, issuer, signed_in):
    end_access_tokens(site)

    def slow(request):
        time.sleep(0.5)
        return issuer.token(request)

    issuer.answers["token"] = slow
    answers = together(4, lambda _: get(site, signed_in["localId"]))
    assert len({answer["accessToken"] for answer in answers}) == 1 and issuer.renewals == 1


def test_what_a_provider_refuses_to_renew_is_gone(site, issuer, signed_in):
    uid = signed_in["localId"]
    end_access_tokens(site)
    issuer.refresh_tokens.clear()
    assert f"the person of account {uid} must sign in with oidc.fake again. The provider refused the refresh token (invalid_grant)." in get(
        site, uid
    )
    assert site.value(KEPT, uid) == 0
    assert f"no tokens of oidc.fake are stored for account {uid}" in get(site, uid)


@pytest.mark.parametrize("status, error, words", [(503, "", "does not answer"), (401, "invalid_client", "does not accept this server")])
def test_an_outage_and_a_wrong_secret_end_nothing(site, issuer, signed_in, status, error, words):
    end_access_tokens(site)
    issuer.answers["token"] = lambda _: Response(json.dumps({"error": error} if error else {}), status, content_type="application/json")
    for _ in range(2):
        answer = get(site, signed_in["localId"])
        assert "oidc.fake gives no newer token" in answer and words in answer
    issuer.answers.clear()
    assert get(site, signed_in["localId"])["accessToken"] and issuer.renewals == 1


def test_a_sign_in_without_a_refresh_token_keeps_the_former(site, issuer):
    name = person()
    WebFlow(site, "oidc.fake").run(issuer.login(name))
    issuer.gives_refresh_tokens = False
    again = WebFlow(site, "oidc.fake").run(issuer.login(name))
    assert "oauthRefreshToken" not in again
    assert renewed(site, again)
    # The provider gave no other one for it, and takes each once.
    end_access_tokens(site)
    assert "must sign in with oidc.fake again" in get(site, again["localId"])


def test_tokens_end_with_the_identity_and_the_account(site, api, issuer, signed_in):
    other = posted(api, {"providerId": "oidc.other", "id_token": issuer.id_token(person())}, idToken=signed_in["idToken"]).json()
    assert site.value(KEPT, other["localId"]) == 1
    unlinked = api.succeed("update", {"idToken": other["idToken"], "deleteProvider": ["oidc.fake"]})
    assert site.value(KEPT, unlinked["localId"]) == 0
    leaver = WebFlow(site, "oidc.fake").run(issuer.login(person()))
    assert site.value(KEPT, leaver["localId"]) == 1
    api.succeed("delete", {"idToken": leaver["idToken"]})
    assert site.value(KEPT, leaver["localId"]) == 0
    assert f"project demo has no account {leaver['localId']}" in get(site, leaver["localId"])


def test_a_disabled_account_gets_nothing(site, issuer, signed_in):
    uid = signed_in["localId"]
    end_access_tokens(site)
    site.rows("UPDATE accounts SET disabled = true WHERE account_id = %s", uid)
    assert f"account {uid} is disabled" in get(site, uid) and issuer.renewals == 0


def test_nothing_is_kept_unless_the_entry_says_so(site, issuer):
    uid = WebFlow(site, "oidc.other").run(issuer.login(person()))["localId"]
    assert site.value(KEPT, uid) == 0
    assert "its entry lacks storeProviderTokens: true" in get(site, uid, "oidc.other")
    assert "project demo has no provider oidc.none" in get(site, uid, "oidc.none")
    assert "does not have a project nowhere" in get(site, uid, project="nowhere")


def test_what_an_app_posts_is_not_kept(site, api, issuer):
    """Nothing says whose access token that is, so a back end could be made to act for another person."""
    body = {"providerId": "oidc.fake", "id_token": issuer.id_token(person()), "access_token": note("at.of-another-person-entirely")}
    signed_in = posted(api, body).json()
    assert signed_in["oauthAccessToken"] == body["access_token"]
    assert "no tokens of oidc.fake are stored" in get(site, signed_in["localId"])


def test_OAuth_1_keeps_the_token_and_its_secret(site, twitter):
    signed_in = WebFlow(site, "twitter.com").run(twitter.login("keeper"))
    token, secret = signed_in["oauthAccessToken"], signed_in["oauthTokenSecret"]
    assert get(site, signed_in["localId"], "twitter.com") == {"accessToken": token, "accessTokenSecret": secret}
    plain = site.run("provider-tokens", "get", "demo", signed_in["localId"], "twitter.com", check=True, prints_secret=True)
    assert plain.stdout == f"{token}\n{secret}\n"


def test_apple_renews_for_the_client_that_it_gave_the_token_to(site, api, apple):
    """A client secret is made for each request."""
    assert renewed(site, WebFlow(site, "apple.com").run(apple.login("on-the-web")))
    app, nonce = apple.BUNDLES[0], note(secrets.token_urlsafe(24))
    hashed = hashlib.sha256(nonce.encode()).hexdigest()
    credential = {"id_token": apple.id_token("in-an-app", aud=app, nonce=hashed), "nonce": nonce, "code": apple.native("in-an-app", app)}
    signed_in = posted(api, {"providerId": "apple.com", **credential}).json()
    assert renewed(site, signed_in)


@pytest.fixture
def keepers(issuer):
    """A site with three entries that keep tokens, and the account that signed in with the first."""
    names = ("oidc.fake", "oidc.off", "oidc.gone")
    with a_site({name: issuer.entry(storeProviderTokens=True) for name in names}) as site:
        site.serve()
        uids = [WebFlow(site, name).run(issuer.login(person()))["localId"] for name in names]
        yield site, uids[0]


def test_a_changed_master_key_moves_them(keepers):
    site, uid = keepers
    stored = get(site, uid)
    write_secret(site.folder / "new.key", note(base64.b64encode(secrets.token_bytes(32)).decode()))
    site.settings["masterKey"] = [{"file": "new.key"}, {"file": "master.key"}]
    site.write()
    assert site.servers[0].stop() == 0
    sealed = site.run("keys", "reseal")
    assert "3 sets of provider tokens" in sealed.stdout, sealed.stdout + sealed.stderr
    site.settings["masterKey"] = {"file": "new.key"}
    site.write()
    assert get(site, uid) == stored


def test_a_provider_that_is_removed_or_keeps_none_any_more_loses_them(keepers, issuer):
    site, uid = keepers
    assert site.servers[0].stop() == 0
    del site.project["providers"]["oidc.gone"]
    site.project["providers"]["oidc.off"]["enabled"] = False
    site.write()
    server = site.serve()
    wait_until(lambda: site.value("SELECT count(*) FROM provider_tokens") < 3, what="the deletion")
    kept = [provider for (provider,) in site.rows("SELECT provider_id FROM provider_tokens ORDER BY 1")]
    assert kept == ["oidc.fake", "oidc.off"], "a provider that is only switched off loses nothing"
    assert server.stop() == 0
    site.project["providers"] = {"oidc.fake": issuer.entry(), "oidc.off": issuer.entry()}
    site.write()
    site.serve()
    wait_until(lambda: site.value("SELECT count(*) FROM provider_tokens") == 0, what="the deletion of the others")

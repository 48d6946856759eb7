"""GitHub's own rules, against a stand-in with its sign-in page, its token endpoint and its API."""

import json
import secrets
from urllib.parse import urlencode

import pytest
from werkzeug.wrappers import Response

from support.clients.api import assert_error, posted
from support.clients.flows import ClientFlow, WebFlow, query_of, refused


def credential(token, **more):
    return {"providerId": "github.com", "access_token": token, **more}


def test_a_developer_signs_in(site, github):
    flow = WebFlow(site, "github.com", parameters={"login": "ada", "allow_signup": "false"})
    url = flow.authorization_url(scopes="repo")
    assert url.startswith(github.url + "/login/oauth/authorize?")
    query = query_of(url)
    assert query["scope"] == "user:email repo" and query["login"] == "ada" and "nonce" not in query
    answer = flow.redeem(flow.returned(github.login()(url))).json()
    assert answer["federatedId"] == "9007199254740993", "read as a whole number, not as a double"
    assert answer["screenName"] == answer["username"] == "ada" and "displayName" not in answer, "a user name is not a name"
    assert json.loads(answer["rawUserInfo"])["login"] == "ada", "where the JS SDK looks for the user name"
    assert answer["email"] == "ada@code.example.com" and answer["emailVerified"] is False, "not the public one of the profile"
    assert answer["photoUrl"].startswith("https://avatars.example/")
    assert github.tokens[answer["oauthAccessToken"]]["scopes"] == ["user:email", "repo"] and "oauthIdToken" not in answer
    assert site.rows("SELECT subject FROM identities WHERE account_id = %s", answer["localId"]) == [("9007199254740993",)]
    again = WebFlow(site, "github.com").run(github.login("ada"))
    assert (again["localId"], again.get("isNewUser", False)) == (answer["localId"], False)


def test_a_client_posts_where_github_sent_its_browser(site, github):
    answer = ClientFlow(site, "github.com").run(github.login("client-at-github"))
    assert answer["screenName"] == "client-at-github" and answer["isNewUser"]


def test_an_app_posts_an_access_token_of_our_client(api, github):
    token = github.issue("an-app-posted")
    answer = posted(api, credential(token)).json()
    assert answer["screenName"] == "an-app-posted" and answer["oauthAccessToken"] == token and answer["idToken"]


def test_an_access_token_of_another_app_is_refused(site, api, github, nothing_is_written):
    for token in (github.issue("victim", client="Ov23li-of-mallory"), "ghp_" + secrets.token_hex(18), "x" * 4096):
        message = assert_error(posted(api, credential(token)), "INVALID_IDP_RESPONSE")
        assert "not issued to this app" in message
    # Another app's token with the answer for our own.
    github.answers["check"] = {"app": {"client_id": github.client_id}, "user": {"id": 7}}
    assert_error(posted(api, credential(github.issue("victim"))), "INVALID_IDP_RESPONSE")
    github.answers["check"] = {"app": {"client_id": "Ov23li-of-mallory"}, "user": github.profile("victim")}
    assert_error(posted(api, credential(github.issue("victim"))), "INVALID_IDP_RESPONSE")


@pytest.mark.parametrize("fields", [{"id_token": "a.b.c"}, {"access_token": ""}, {"access_token": "a\r\nb: c"}])
def test_a_credential_that_is_none_is_refused(site, api, github, nothing_is_written, fields):
    assert_error(posted(api, {"providerId": "github.com", **fields}), "INVALID_CREDENTIAL_OR_PROVIDER_ID")


def test_an_outage_of_the_api_writes_nothing(site, api, github, nothing_is_written):
    for endpoint in ("user", "emails"):
        github.answers[endpoint] = Response("down", 502)
        refused(site, github, code="NETWORK_REQUEST_FAILED")
        assert_error(posted(api, credential(github.issue())), "NETWORK_REQUEST_FAILED")
        github.answers.clear()


@pytest.mark.parametrize("answer", [{"id": "7"}, {"id": 7.5}, {"id": None}, {"login": "ada"}, [], "7"])
def test_a_profile_without_a_number_is_refused(site, github, answer):
    github.answers["user"] = answer
    refused(site, github)


def test_a_wrong_secret_is_told_to_the_operator_alone(site, github):
    github.answers["token"] = github.data.error("incorrect_client_credentials")
    message = refused(site, github)
    assert "does not accept this server as its client" in message
    assert site.servers[0].logged("incorrect_client_credentials")


def test_an_address_joins_no_account_by_itself(site, api, fake_issuer, github):
    """GitHub's word is not proof of a mailbox, by Firebase's rules."""
    user = "join-" + secrets.token_hex(4)
    owner = posted(api, {"providerId": "oidc.fake", "id_token": fake_issuer.id_token(user)}).json()
    assert owner["email"] == f"{user}@example.com"
    answer = posted(api, credential(github.issue(user))).json()
    assert answer["needConfirmation"] is True and "idToken" not in answer


def test_a_person_without_a_usable_address_gets_an_account_without_one(site, github):
    github.users["shy"] = github.stranger("shy") | {"emails": [github.mailbox("7+shy@users.noreply.github.com")]}
    github.users["new"] = github.stranger("new") | {"emails": [github.mailbox("new@example.com", verified=False)]}
    for user in ("shy", "new"):
        answer = WebFlow(site, "github.com").run(github.login(user))
        assert "email" not in answer and answer["idToken"]


def test_an_answer_may_leave_the_issuer_out_and_name_no_other(site, github):
    github.callback_extra = {}
    assert WebFlow(site, "github.com").run(github.login("without-iss"))["idToken"]
    for issuer in (github.url, "https://evil.example", github.url + "/login/oauth/"):
        github.callback_extra = {"iss": issuer}
        flow = WebFlow(site, "github.com")
        assert flow.callback(github.login("foreign-iss")(flow.authorization_url())).status_code == 400


def test_a_hostile_issuer_gets_no_code_of_github(site, github, fake_issuer):
    """Mix-up (RFC 9700, 4.4): the issuer sends the victim to GitHub with the state of its own flow, and waits for the code at its token endpoint."""
    attacker = WebFlow(site, "github.com")
    challenge = query_of(attacker.authorization_url())["code_challenge"]
    for iss in (True, False):
        github.callback_extra = github.callback_extra if iss else {}
        for address in ("", "/github.com", "/oidc.fake"):
            victim = WebFlow(site, "oidc.fake")
            state = query_of(victim.authorization_url())["state"]
            query = {
                "client_id": github.client_id,
                "redirect_uri": f"{site.url}/__/auth/handler{address}",
                "state": state,
                "scope": "user:email",
                "code_challenge": challenge,
                "code_challenge_method": "S256",
            }
            back = github.login("mixed-up-at-github")(f"{github.url}/login/oauth/authorize?{urlencode(query)}")
            answer = victim.callback(back)
            if not iss and address != "/github.com":
                # GitHub sends codes to these addresses only where the operator registered the address above them.
                assert answer.status_code == 303
            else:
                assert answer.status_code == 400, (iss, address, answer.text)
    assert fake_issuer.count("/token") == 0

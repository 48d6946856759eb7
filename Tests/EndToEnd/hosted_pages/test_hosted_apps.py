"""Apps with a Firebase SDK at the hosted pages: their own page gets a one-time token in its fragment."""

from urllib.parse import parse_qsl, urlencode

import jwt
import pytest

from support.accounts import address
from support.hosted_pages.stage import PASSWORD, account
from support.leaks import note
from support.names import API_KEY

# One of the project's redirectURLs.
PAGE = "https://app.example.com/signed-in?kept=1"
STATE = "a-state-of-the-app/with=signs&more"


def start(stage, **changes):
    parameters = {"redirectUrl": PAGE, "state": STATE, **changes}
    return f"{stage.url}/demo/sign-in?{urlencode({name: value for name, value in parameters.items() if value is not None})}"


def arrived(stage, url):
    """The fragment that the app's page finds."""
    page, _, fragment = url.partition("#")
    assert page == PAGE, url
    fields = dict(parse_qsl(fragment))
    assert fields["state"] == STATE and fields["iss"] == f"{stage.url}/demo"
    note(fields.get("token"))
    return fields


def trade(api, token):
    return api.call("signInWithCustomToken", {"token": token, "returnSecureToken": True})


@pytest.fixture
def token(stage, visitor, known):
    return arrived(stage, visitor.sign_in(visitor.open(start(stage)), known, PASSWORD))["token"]


def test_an_apps_page_signs_in(stage, visitor, api, known):
    page = visitor.open(start(stage, prompt="login"))
    assert "to continue to Acme" in page.text
    fields = arrived(stage, visitor.sign_in(page, known, PASSWORD))
    answer = trade(api, fields["token"])
    assert answer.status_code == 200, answer.text
    body = answer.json()
    claims = jwt.decode(note(body["idToken"]), options={"verify_signature": False})
    assert body["isNewUser"] is False and body["expiresIn"] == "3600"
    assert claims["email"] == known and claims["firebase"]["sign_in_provider"] == "password" and claims["aud"] == "demo"
    api.succeed("lookup", {"idToken": body["idToken"]})
    refreshed = api.post("/v1/token", {"grant_type": "refresh_token", "refresh_token": note(body["refreshToken"])}).json()
    assert jwt.decode(note(refreshed["id_token"]), options={"verify_signature": False})["auth_time"] == claims["auth_time"]


def test_the_time_of_the_sign_in_stays(stage, visitor, api, token, known):
    stage.rows(
        "UPDATE sessions SET auth_time = auth_time - interval '1 hour' WHERE kind = 'browser' AND account_id = "
        "(SELECT account_id FROM accounts WHERE email = %s)",
        known,
    )
    again = arrived(stage, visitor.open(start(stage)))["token"]
    claims = jwt.decode(trade(api, again).json()["idToken"], options={"verify_signature": False})
    assert claims["iat"] - claims["auth_time"] >= 3600


def test_a_token_works_once_and_a_second_use_ends_what_it_made(api, token):
    session = trade(api, token).json()
    note(session["refreshToken"])
    again = trade(api, token)
    assert again.status_code == 400 and again.json()["error"]["message"].startswith("INVALID_CUSTOM_TOKEN")
    refused = api.post("/v1/token", {"grant_type": "refresh_token", "refresh_token": session["refreshToken"]})
    assert "TOKEN_EXPIRED" in refused.text


def test_a_token_lives_a_minute(stage, api, token):
    stage.rows("UPDATE authorization_requests SET expires_at = now() WHERE status = 'granted'")
    assert trade(api, token).json()["error"]["message"].startswith("INVALID_CUSTOM_TOKEN")


def test_a_token_belongs_to_its_project(stage, token):
    other = stage.servers[0].api("open-project-key")
    assert trade(other, token).json()["error"]["message"].startswith("INVALID_CUSTOM_TOKEN")


def test_a_token_dies_with_the_session_and_with_the_account(stage, visitor, api, token, known):
    second = arrived(stage, visitor.open(start(stage)))["token"]
    stage.rows("UPDATE accounts SET disabled = true WHERE email = %s", known)
    assert trade(api, token).json()["error"]["message"] == "USER_DISABLED"
    stage.rows("UPDATE accounts SET disabled = false WHERE email = %s", known)
    stage.run("sessions", "revoke", "demo", stage.value("SELECT account_id FROM accounts WHERE email = %s", known), check=True)
    assert trade(api, second).json()["error"]["message"].startswith("INVALID_CUSTOM_TOKEN")


@pytest.mark.parametrize("text", ["gatehouse-", "gatehouse-x", "gatehouse-" + "A" * 64])
def test_made_up_tokens_open_nothing(api, text):
    assert trade(api, text).json()["error"]["message"].startswith("INVALID_CUSTOM_TOKEN")


def test_codes_and_tokens_do_not_pass_for_one_another(stage, visitor, api, known, token):
    asked = stage.request()
    answer = asked.answer(visitor.open(asked.url))
    assert trade(api, "gatehouse-" + answer["code"]).json()["error"]["message"].startswith("INVALID_CUSTOM_TOKEN")
    code = note(token.removeprefix("gatehouse-"))
    for client in ("demo", asked.client):
        refused = visitor.post(
            asked.token_endpoint,
            data={"grant_type": "authorization_code", "code": code, "redirect_uri": PAGE, "client_id": client},
        )
        assert refused.status_code in (400, 401) and "access_token" not in refused.text
    assert trade(api, token).status_code == 200


@pytest.mark.parametrize(
    "changes",
    [
        {"redirectUrl": "https://evil.example/"},
        {"redirectUrl": None, "request": "x"},
        {"redirectUrl": ""},
        {"state": None},
        {"state": ""},
        {"state": "x" * 2049},
        {"state": "a\nb"},
        {"prompt": "nonsense"},
    ],
)
def test_a_start_that_is_not_sound_goes_nowhere(stage, visitor, changes):
    page = visitor.open(start(stage, **changes))
    assert page.status == 400 and not page.forms


def test_a_page_that_only_begins_like_a_registered_one_is_refused(stage, visitor):
    assert visitor.open(start(stage, redirectUrl=PAGE + "x")).status == 400
    assert visitor.open(start(stage) + "&state=twice").status == 400


def test_the_app_learns_that_the_person_cancelled(stage, visitor):
    fields = arrived(stage, visitor.press(visitor.open(start(stage)), "cancel"))
    assert fields["error"] == "access_denied" and "token" not in fields


def test_without_a_session_and_without_a_page_there_is_an_error(stage, visitor):
    assert arrived(stage, visitor.open(start(stage, prompt="none")))["error"] == "login_required"


def test_a_token_for_a_page_that_was_removed_opens_nothing(stage, visitor, api, known, token):
    pages = stage.project["redirectURLs"]
    try:
        stage.project["redirectURLs"] = ["https://app.example.com/another"]
        stage.reload(stage.project["providers"])
        assert trade(api, token).json()["error"]["message"].startswith("INVALID_CUSTOM_TOKEN")
    finally:
        stage.project["redirectURLs"] = pages
        stage.reload(stage.project["providers"])
    assert trade(api, token).status_code == 200


def test_another_account_can_be_chosen(stage, visitor, api, token):
    other = account(stage, api, address())["email"]
    page = visitor.click(visitor.open(start(stage, prompt="select_account")), "other")
    fields = arrived(stage, visitor.sign_in(page, other, PASSWORD))
    claims = jwt.decode(trade(api, fields["token"]).json()["idToken"], options={"verify_signature": False})
    assert claims["email"] == other


def test_a_project_that_is_not_a_provider_has_no_page(stage, visitor):
    assert visitor.open(start(stage).replace("/demo/", "/open-project/")).status == 404
    assert API_KEY not in start(stage)

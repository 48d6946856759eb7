"""Codes that development mode lists, and their links."""

import html
from urllib.parse import parse_qsl, urlencode

import pytest
import requests

from support.clients.api import API, assert_error
from support.clients.emulator import ask, codes, follow, mailed, member
from support.leaks import note_url
from support.names import API_KEY, TIMEOUT


def test_codes_are_listed_as_they_were_mailed_the_newest_last(development):
    email, token = member(development)
    new = f"new-{email}"
    before = len(codes(development))
    mailed(development, "VERIFY_EMAIL", idToken=token)
    mailed(development, "PASSWORD_RESET", email=email)
    mailed(development, "EMAIL_SIGNIN", email=email)
    mailed(development, "VERIFY_AND_CHANGE_EMAIL", idToken=token, newEmail=new)
    listed = codes(development)[before:]
    kinds = ["VERIFY_EMAIL", "PASSWORD_RESET", "EMAIL_SIGNIN", "VERIFY_AND_CHANGE_EMAIL"]
    assert [(code["email"], code["requestType"]) for code in listed] == [(email, kind) for kind in kinds]
    for code in listed:
        assert code.pop("newEmail", None) == (new if code["requestType"] == "VERIFY_AND_CHANGE_EMAIL" else None)
        assert set(code) == {"email", "requestType", "oobCode", "oobLink"}
        address, _, query = code["oobLink"].partition("?")
        assert address == development.url + "/emulator/action"
        fields = dict(parse_qsl(query))
        assert fields["oobCode"] == code["oobCode"] and fields["apiKey"] == API_KEY and fields["lang"] == "en"
        assert (
            fields["mode"]
            == {
                "PASSWORD_RESET": "resetPassword",
                "EMAIL_SIGNIN": "signIn",
                "VERIFY_EMAIL": "verifyEmail",
                "VERIFY_AND_CHANGE_EMAIL": "verifyAndChangeEmail",
            }[code["requestType"]]
        )
        assert API(development.url).succeed("resetPassword", {"oobCode": code["oobCode"]})["requestType"] == code["requestType"]
    assert "other" not in str(ask(development, "GET", "/emulator/v1/projects/other/oobCodes").json())

    # Mails that were not sent, and codes that are used or expired, are not listed.
    API(development.url).succeed("sendOobCode", {"requestType": "PASSWORD_RESET", "email": "nobody@example.com"})
    API(development.url).succeed("update", {"oobCode": listed[0]["oobCode"]})
    development.rows("UPDATE action_codes SET expires_at = now() - interval '1 s' WHERE kind = 'signIn' AND project_id = 'demo'")
    assert [code["requestType"] for code in codes(development)[before:]] == ["PASSWORD_RESET", "VERIFY_AND_CHANGE_EMAIL"]


@pytest.mark.parametrize("kind", ["PASSWORD_RESET", "VERIFY_EMAIL", "EMAIL_SIGNIN"])
def test_a_link_that_a_back_end_made_is_listed_as_if_it_were_mailed(development, kind):
    email, _ = member(development)
    before = len(codes(development))
    wish = {"requestType": kind, "email": email, "returnOobLink": True, "continueUrl": "http://localhost:3000/in"}
    made = ask(development, "POST", "/v1/projects/demo/accounts:sendOobCode", wish, authorization="Bearer owner").json()
    note_url(made["oobLink"])
    (listed,) = codes(development)[before:]
    assert (listed["email"], listed["requestType"]) == (email, kind)
    assert listed["oobCode"] == dict(parse_qsl(made["oobLink"].partition("?")[2]))["oobCode"]
    page = requests.get(development.url + "/emulator/codes", timeout=TIMEOUT).text
    assert listed["oobCode"] in page and html.escape(made["oobLink"], quote=False) in page


def test_a_link_that_is_followed_does_its_work_once(development):
    api = API(development.url)
    email, token = member(development)
    used = {"error": "The code of this link is used, expired or for something else.", "instructions": "Ask for a new link."}

    verify = mailed(development, "VERIFY_EMAIL", idToken=token)["oobLink"]
    assert follow(verify, "HEAD")[0] == 405
    assert follow(verify) == (200, {"success": "The e-mail address has been verified.", "email": email})
    assert api.lookup(token)["emailVerified"] is True
    assert follow(verify) == (400, used)

    reset = mailed(development, "PASSWORD_RESET", email=email)["oobLink"]
    assert follow(reset) == (400, {"error": "The link has no newPassword.", "instructions": "Append &newPassword= and the new password."})
    weak = requests.get(reset + "&newPassword=12345", timeout=TIMEOUT)
    assert_error(weak, "WEAK_PASSWORD")
    assert follow(reset + "&newPassword=battery+staple") == (200, {"success": "The password has been reset.", "email": email})
    token = api.succeed("signInWithPassword", {"email": email, "password": "battery staple"})["idToken"]

    new = f"new-{email}"
    change = mailed(development, "VERIFY_AND_CHANGE_EMAIL", idToken=token, newEmail=new)["oobLink"]
    assert follow(change) == (200, {"success": "The e-mail address has been changed.", "newEmail": new})
    recover = codes(development)[-1]
    assert (recover["email"], recover["requestType"]) == (email, "RECOVER_EMAIL")
    assert follow(note_url(recover["oobLink"])) == (200, {"success": "The former e-mail address has been restored.", "email": email})


def test_a_link_leads_on_to_the_app(development):
    email, token = member(development)
    verify = mailed(development, "VERIFY_EMAIL", idToken=token, continueUrl="http://localhost:3000/done?kept=1")["oobLink"]
    assert follow(verify) == (303, "http://localhost:3000/done?kept=1")

    link = mailed(development, "EMAIL_SIGNIN", email=email)
    status, location = follow(link["oobLink"])
    address, _, query = note_url(location).partition("?")
    fields = dict(parse_qsl(query))
    assert (status, address) == (303, "http://localhost:3000/in")
    assert fields == {"kept": "1", "mode": "signIn", "oobCode": link["oobCode"], "apiKey": API_KEY, "lang": "en"}
    answer = API(development.url).succeed("signInWithEmailLink", {"email": email, "oobCode": link["oobCode"]})
    assert answer["email"] == email, "the app itself redeems the code"

    link = mailed(development, "EMAIL_SIGNIN", email=email, continueUrl="http://localhost:3000/in?oobCode=stranger&kept=1&apiKey=evil")
    _, location = follow(link["oobLink"])
    assert note_url(location).count("oobCode=") == location.count("apiKey=") == 1 and link["oobCode"] in location


@pytest.mark.parametrize(
    "change",
    [
        {"mode": "resetPassword"},
        {"mode": "verifyAndChangeEmail"},
        {"mode": "revertSecondFactorAddition"},
        {"mode": None},
        {"oobCode": None},
        {"oobCode": "nonsense"},
        {"apiKey": None},
        {"apiKey": "other-api-key"},
        {"continueUrl": "https://evil.example/"},
        {"continueUrl": "javascript:alert(1)"},
        {"continueUrl": "//evil.example"},
    ],
    ids=str,
)
def test_a_link_that_was_changed_does_nothing(development, change):
    _, token = member(development)
    code = mailed(development, "VERIFY_EMAIL", idToken=token)
    address, _, query = code["oobLink"].partition("?")
    fields = {name: value for name, value in {**dict(parse_qsl(query)), **change}.items() if value is not None}
    status, answer = follow(f"{address}?{urlencode(fields)}")
    assert status == 400 and set(answer) == {"error", "instructions"}
    assert API(development.url).lookup(token)["emailVerified"] is False
    assert code in codes(development)

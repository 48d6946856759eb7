"""A token of one project proves nothing in another one, in whichever call it is sent."""

import json
from urllib.parse import urlencode

import pytest

from support import accounts
from support.administrators import ServiceAccount
from support.clients.api import API, assert_error
from support.clients.emulator import mailed
from support.description import each_call

# These look at the ID token only once a code or a provider has proved something, so they have tests of their own.
PROVEN_FIRST = ("IdentityToolkit.SignInWithEmailLink", "IdentityToolkit.SignInWithIDP")
WITH_TOKENS = [call for call in each_call("apiKey") if "idToken" in call.fields]
CLIENTS = [call for call in WITH_TOKENS if call.id not in PROVEN_FIRST]
ADMINISTRATORS = [call for call in each_call("administrator") if "idToken" in call.fields]
PLAUSIBLE = {
    "email": "somebody@example.com",
    "password": "correct horse battery",
    "displayName": "Mallory",
    "requestType": "VERIFY_EMAIL",
    "providerId": "google.com",
    "token": "t",
    "tokenType": "ACCESS_TOKEN",
    "oauthAccessToken": "t",
    "oobCode": "",
    "validDuration": 3600,
    "sessionInfo": "t",
    "code": "t",
    "mfaEnrollmentId": "t",
    "phoneEnrollmentInfo": {"phoneNumber": "+16505550101"},
    "phoneVerificationInfo": {"sessionInfo": "t", "code": "t"},
    "localId": "",
}


@pytest.fixture(scope="module")
def foreign(production):
    """An ID token of a person of the other project."""
    return API(production.url, "other-api-key").succeed("signUp", {"returnSecureToken": True})["idToken"]


def sent(call, token):
    return {**{name: value for name, value in PLAUSIBLE.items() if name in call.fields and value}, "idToken": token}


@pytest.mark.parametrize("call", CLIENTS, ids=str)
def test_an_ID_token_of_another_project_is_refused_with_a_key(production, foreign, call):
    before = production.counts()
    answer = API(production.url).post(call.path(), sent(call, foreign))
    assert answer.status_code == 400, answer.text
    assert production.counts() == before
    # The very same request is understood with a token of the own project: it was the token that was refused.
    own = accounts.anonymous(API(production.url)).json()["idToken"]
    accepted = API(production.url).post(call.path(), sent(call, own))
    refusal = answer.json()["error"]["message"]
    assert accepted.status_code == 200 or accepted.json()["error"]["message"] != refusal, refusal


@pytest.fixture(scope="module")
def headers(production):
    return ServiceAccount.create(production, "deputy").header()


@pytest.mark.parametrize("call", ADMINISTRATORS, ids=str)
def test_an_ID_token_of_another_project_proves_nothing_in_the_body_of_an_administrator(production, foreign, headers, call):
    api = API(production.url, key=None)
    answer = api.post(call.path(), sent(call, foreign), headers=headers)
    # A call that does not look at it answers as without it.
    ignored = api.post(call.path(), sent(call, None), headers=headers)
    assert answer.status_code == 400 or answer.text == ignored.text, answer.text
    assert foreign not in answer.text


@pytest.mark.parametrize("call", [call for call in WITH_TOKENS if call.id in PROVEN_FIRST], ids=str)
def test_an_ID_token_of_another_project_links_nothing(development, call):
    foreign = API(development.url, "other-api-key").succeed("signUp", {"returnSecureToken": True})["idToken"]
    api = API(development.url)
    for token in (foreign, accounts.anonymous(api).json()["idToken"]):
        if call.id.endswith("EmailLink"):
            email = accounts.address()
            proof = {"email": email, "oobCode": mailed(development, "EMAIL_SIGNIN", email=email)["oobCode"]}
        else:
            person = urlencode({"providerId": "google.com", "id_token": json.dumps({"sub": accounts.person()})})
            proof = {"requestUri": "http://localhost", "postBody": person}
        answer = api.post(call.path(), {**proof, "idToken": token})
        if token is foreign:
            assert_error(answer, "INVALID_ID_TOKEN")
        else:
            assert answer.status_code == 200, answer.text


def test_there_are_calls_with_ID_tokens():
    assert len(CLIENTS) > 5
    assert {call.id for call in WITH_TOKENS} >= set(PROVEN_FIRST)

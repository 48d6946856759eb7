"""Clients that were made for Firebase and know nothing of us: Pyrebase4 from PyPI with its hosts rewritten, and the REST guide's curl lines."""

import json
import subprocess
from urllib.parse import urlsplit

import pyrebase
import pytest
import requests

from support.clients.api import assert_error
from support.leaks import note
from support.mail.mailbox import Mailbox
from support.names import API_KEY, METHODS, TIMEOUT
from support.servers.site import Site


@pytest.fixture(scope="module")
def place():
    site = Site(
        project={"signIn": METHODS, "emailEnumerationProtection": False},
        settings={"mail": {"transport": "file", "folder": "mails", "from": "Gatehouse <no-reply@example.com>"}},
    )
    site.serve()
    yield site
    site.close()


@pytest.fixture(scope="module")
def mailbox(place):
    return Mailbox(place.folder / "mails")


@pytest.fixture
def firebase(place, monkeypatch):
    """Pyrebase4 as it is, but that every request goes to our server: to the path of the Google host that it asks for."""
    send = requests.Session.send
    hosts = {"www.googleapis.com", "identitytoolkit.googleapis.com", "securetoken.googleapis.com"}

    def rewritten(self, request, **options):
        parts = urlsplit(request.url)
        if parts.hostname in hosts:
            request.url = f"{place.url}/{parts.hostname}{parts.path}?{parts.query}"
            request.headers["Host"] = urlsplit(place.url).netloc
        return send(self, request, **options)

    monkeypatch.setattr(requests.Session, "send", rewritten)
    config = {"apiKey": API_KEY, "authDomain": "app.example.com", "databaseURL": "https://app.example.com", "storageBucket": "none"}
    return pyrebase.initialize_app(config).auth()


def test_pyrebase_from_sign_up_to_deletion(firebase, mailbox):
    email, password = "pyrebase@example.com", note("correct horse battery")
    made = firebase.create_user_with_email_and_password(email, password)
    user = firebase.sign_in_with_email_and_password(email, password)
    assert user["localId"] == made["localId"] and user["registered"] is True
    with pytest.raises(requests.HTTPError, match="INVALID_PASSWORD"):
        firebase.sign_in_with_email_and_password(email, "wrong password")

    refreshed = firebase.refresh(user["refreshToken"])
    assert refreshed["userId"] == made["localId"]
    info = firebase.get_account_info(refreshed["idToken"])["users"][0]
    assert info["email"] == email and info["emailVerified"] is False

    assert firebase.send_email_verification(user["idToken"])["email"] == email
    assert mailbox.link(email, "verifyEmail")

    profile = firebase.update_profile(user["idToken"], display_name="Py Rebase")
    assert profile["displayName"] == "Py Rebase"
    changed = firebase.change_password(user["idToken"], note("another long password"))
    moved = firebase.change_email(changed["idToken"], "moved@example.com")
    assert moved["email"] == "moved@example.com"
    assert mailbox.link(email, "recoverEmail"), "the old address is told"

    firebase.send_password_reset_email("moved@example.com")
    code = mailbox.code("moved@example.com", "resetPassword")
    firebase.verify_password_reset_code(code, note("a third long password"))
    user = firebase.sign_in_with_email_and_password("moved@example.com", "a third long password")
    assert firebase.get_account_info(user["idToken"])["users"][0]["emailVerified"] is True
    firebase.delete_user_account(user["idToken"])
    with pytest.raises(requests.HTTPError, match="EMAIL_NOT_FOUND"):
        firebase.sign_in_with_email_and_password("moved@example.com", "a third long password")


def test_pyrebase_signs_in_without_a_name(firebase):
    user = firebase.sign_in_anonymous()
    info = firebase.get_account_info(user["idToken"])["users"]
    assert [account["localId"] for account in info] == [user["localId"]]
    assert firebase.refresh(user["refreshToken"])["userId"] == user["localId"]


def curl(place, call, body, *, form=False):
    """As the REST guide has it: `curl '…:signUp?key=…' -H 'Content-Type: …' --data-binary '…'`; gives status and answer."""
    kind = "application/x-www-form-urlencoded" if form else "application/json"
    command = [
        "curl",
        "-sS",
        "-w",
        "\n%{http_code}",
        f"{place.url}/v1/{call}?key={API_KEY}",
        "-H",
        f"Content-Type: {kind}",
        "--data-binary",
        body,
    ]
    text, _, status = subprocess.run(command, check=True, capture_output=True, text=True, timeout=TIMEOUT).stdout.rpartition("\n")
    return int(status), json.loads(text)


def test_the_rest_guide_by_curl(place, mailbox):
    def post(call, **fields):
        status, answer = curl(place, call, json.dumps(fields))
        assert status == 200, answer
        return answer

    email, password = "rest@example.com", note("correct horse battery")
    anonymous = post("accounts:signUp", returnSecureToken=True)
    linked = post("accounts:signUp", idToken=anonymous["idToken"], email=email, password=password, returnSecureToken=True)
    assert linked["localId"] == anonymous["localId"]
    user = post("accounts:signInWithPassword", email=email, password=password, returnSecureToken=True)
    status, tokens = curl(place, "token", f"grant_type=refresh_token&refresh_token={user['refreshToken']}", form=True)
    assert status == 200 and tokens["user_id"] == user["localId"] and tokens["token_type"] == "Bearer"
    post("accounts:update", idToken=tokens["id_token"], displayName="REST", photoUrl="https://example.com/r.png", returnSecureToken=True)
    assert post("accounts:lookup", idToken=tokens["id_token"])["users"][0]["photoUrl"] == "https://example.com/r.png"

    post("accounts:sendOobCode", requestType="VERIFY_EMAIL", idToken=tokens["id_token"])
    verified = post("accounts:update", oobCode=mailbox.code(email, "verifyEmail"))
    assert verified["email"] == email and verified["emailVerified"] is True

    assert post("accounts:sendOobCode", requestType="PASSWORD_RESET", email=email)["email"] == email
    code = mailbox.code(email, "resetPassword")
    for _ in range(2):
        inspected = post("accounts:resetPassword", oobCode=code)
        assert inspected["requestType"] == "PASSWORD_RESET" and inspected["email"] == email
    post("accounts:resetPassword", oobCode=code, newPassword=note("another long password"))
    status, refused = curl(place, "accounts:resetPassword", json.dumps({"oobCode": code, "newPassword": "again and again"}))
    assert status == 400 and refused["error"]["message"] == "INVALID_OOB_CODE"
    assert_error(place.servers[0].api().refresh(tokens["refresh_token"]), "TOKEN_EXPIRED")

    link_mail = {"requestType": "EMAIL_SIGNIN", "email": email, "continueUrl": "https://app.example.com/finish", "canHandleCodeInApp": True}
    post("accounts:sendOobCode", **link_mail)
    user = post("accounts:signInWithEmailLink", email=email, oobCode=mailbox.code(email, "signIn"))
    assert user["localId"] == anonymous["localId"]
    post("accounts:update", idToken=user["idToken"], deleteProvider=["password"])
    post("accounts:delete", idToken=user["idToken"])
    status, gone = curl(place, "accounts:lookup", json.dumps({"idToken": user["idToken"]}))
    assert status == 400 and gone["error"]["message"] == "USER_NOT_FOUND"

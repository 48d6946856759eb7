"""Sign-in by phone from end to end: two processes on one database, and the codes that development mode shows."""

import json

import pytest

from support.clients.api import API, assert_error
from support.clients.emulator import ask
from support.harness import together, wait_until
from support.mail.mailing_site import MailingSite
from support.names import OTHER

ADA, TEST = "+4930123456", "+16505550101"
PHONE = {"enabled": True, "regions": ["DE"], "transport": {"file": {"folder": "messages"}}, "testNumbers": {TEST: "123456"}}


@pytest.fixture(scope="module")
def site():
    site = MailingSite(project={"phone": PHONE}, settings={"developmentProject": "demo"})
    site.others["other"] = {**OTHER, "phone": PHONE}
    site.write()
    for port in (None, site.port + 1):
        site.serve(port)
    yield site
    site.close()


@pytest.fixture
def apis(site):
    return [server.api() for server in site.servers]


def code_of(site, session):
    codes = ask(site, "GET", "/emulator/v1/projects/demo/verificationCodes").json()["verificationCodes"]
    return next(code["code"] for code in codes if code["sessionInfo"] == session)


def test_a_code_of_one_process_signs_in_at_another_once(site, apis):
    session = apis[0].succeed("sendVerificationCode", {"phoneNumber": ADA})["sessionInfo"]
    body = {"sessionInfo": session, "code": code_of(site, session)}
    answers = together(50, lambda index: apis[index % 2].call("signInWithPhoneNumber", body))
    statuses = [answer.status_code for answer in answers]
    assert statuses.count(200) == 1, [answer.text for answer in answers]
    for answer in answers:
        if answer.status_code != 200:
            assert answer.json()["error"]["message"] in ("INVALID_SESSION_INFO", "SESSION_EXPIRED")
    assert site.value("SELECT count(*) FROM accounts WHERE phone_number = %s", ADA) == 1
    assert session not in ask(site, "GET", "/emulator/v1/projects/demo/verificationCodes").text


def test_a_proof_of_another_accounts_number_signs_in_once(site, apis):
    def code():
        return {"sessionInfo": apis[0].succeed("sendVerificationCode", {"phoneNumber": TEST})["sessionInfo"], "code": "123456"}

    holder = apis[0].succeed("signInWithPhoneNumber", code())
    guest = apis[0].succeed("signUp", {"returnSecureToken": True})
    taken = apis[1].succeed("signInWithPhoneNumber", {**code(), "idToken": guest["idToken"]})
    proof = {"temporaryProof": taken["temporaryProof"], "phoneNumber": TEST}
    answers = together(20, lambda index: apis[index % 2].call("signInWithPhoneNumber", proof))
    opened = [answer.json() for answer in answers if answer.status_code == 200]
    assert len(opened) == 1 and opened[0]["localId"] == holder["localId"]
    assert {answer.json()["error"]["message"] for answer in answers if answer.status_code != 200} == {"INVALID_TEMPORARY_PROOF"}


def test_SEC_25_a_code_of_one_project_is_none_in_another(site, apis):
    session = apis[0].succeed("sendVerificationCode", {"phoneNumber": TEST})["sessionInfo"]
    other = API(site.url, OTHER["apiKeys"][0])
    assert_error(other.call("signInWithPhoneNumber", {"sessionInfo": session, "code": "123456"}), "INVALID_SESSION_INFO")
    apis[0].succeed("signInWithPhoneNumber", {"sessionInfo": session, "code": "123456"})


def test_the_page_of_development_mode_shows_codes_that_still_work(site, apis):
    session = apis[0].succeed("sendVerificationCode", {"phoneNumber": "+4930123488"})["sessionInfo"]
    code = code_of(site, session)
    page = ask(site, "GET", "/emulator/codes?project=demo").text
    assert "+4930123488" in page and f"<code>{code}</code>" in page
    apis[0].succeed("signInWithPhoneNumber", {"sessionInfo": session, "code": code})
    assert f"<code>{code}</code>" not in ask(site, "GET", "/emulator/codes?project=demo").text


def test_the_v3_names_are_the_same_calls(site, apis):
    old = "/identitytoolkit/v3/relyingparty/"
    session = apis[0].post(old + "sendVerificationCode", {"phoneNumber": TEST}).json()["sessionInfo"]
    answer = apis[0].post(old + "verifyPhoneNumber", {"sessionInfo": session, "code": "123456", "operation": "SIGN_UP_OR_IN"})
    assert answer.status_code == 200 and answer.json()["phoneNumber"] == TEST


def test_messages_are_written_into_a_folder_in_development_mode(site, apis):
    number = "+4930123499"
    session = apis[0].succeed("sendVerificationCode", {"phoneNumber": number})["sessionInfo"]

    def texts():
        # Relative to the project's file.
        return [file.read_text() for file in (site.folder / "projects/messages").glob("*.txt")]

    wait_until(lambda: any(text.startswith(number) for text in texts()))
    (text,) = [text for text in texts() if text.startswith(number)]
    assert code_of(site, session) in text and "@app.example.com #" in text


def test_SEC_28_the_owner_of_an_address_is_told_of_a_number_and_can_take_it_away(site, apis):
    made = apis[0].succeed("signUp", {"email": "ada@example.com", "password": "correct horse", "returnSecureToken": True})
    site.rows("UPDATE accounts SET email_verified = true, email_proven = true WHERE account_id = %s", made["localId"])
    session = apis[0].succeed("sendVerificationCode", {"phoneNumber": "+4930123477"})["sessionInfo"]
    body = {"sessionInfo": session, "code": code_of(site, session), "idToken": made["idToken"]}
    apis[0].succeed("signInWithPhoneNumber", body)
    mail = site.mail("ada@example.com")
    assert "A phone number was linked" in mail.text
    code = site.code("ada@example.com")
    apis[0].succeed("update", {"oobCode": code})
    assert site.value("SELECT phone_number FROM accounts WHERE account_id = %s", made["localId"]) is None


def test_SEC_29_no_call_adds_a_test_number_and_the_log_counts_them(site, apis):
    assert any("testNumbers" in line and "1 of them" in line for line in site.servers[0].log().splitlines())
    before = json.dumps(site.project["phone"])
    config = {"signIn": {"phoneNumber": {"enabled": True, "testPhoneNumbers": {"+16505550199": "111111"}}}}
    assert ask(site, "PATCH", "/v2/projects/demo/config", config).status_code >= 400
    assert json.dumps(site.project["phone"]) == before
    session = apis[0].call("sendVerificationCode", {"phoneNumber": "+16505550199"})
    assert_error(session, "OPERATION_NOT_ALLOWED")

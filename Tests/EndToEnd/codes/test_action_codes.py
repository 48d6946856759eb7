"""accounts:sendOobCode, resetPassword, update by code and signInWithEmailLink: every row of their tables, with mails from a real server."""

import http.client
import json
import re

import pytest

from support.accounts import address, sign_up
from support.clients.api import assert_error
from support.clients.flows import query_of
from support.harness import free_port, together
from support.jwts import claims
from support.leaks import note
from support.mail.mailing_site import APP, link_in
from support.names import API_KEY, PRODUCTION, TIMEOUT
from support.servers.site import Site
from support.tables import for_each


@pytest.fixture(scope="module")
def opened(site):
    return site.servers[0].api("open-project-key")


def send(api, kind, **more):
    return api.call("sendOobCode", {"requestType": kind, **more})


# ---------------------------------------------------------------------------------------------------------------------------------
# sendOobCode: what is refused, in order


@for_each(
    [
        ({}, "MISSING_REQ_TYPE"),
        ({"requestType": None}, "MISSING_REQ_TYPE"),
        ({"requestType": 0}, "MISSING_REQ_TYPE"),
        ({"requestType": "0"}, "MISSING_REQ_TYPE"),
        ({"requestType": "OOB_REQ_TYPE_UNSPECIFIED"}, "MISSING_REQ_TYPE"),
        ({"requestType": "PASSWORD_RESET", "returnOobLink": True, "continueUrl": "x"}, "INSUFFICIENT_PERMISSION"),
        ({"requestType": 1, "continueUrl": "nonsense"}, "INVALID_CONTINUE_URI"),
        ({"requestType": 1, "continueUrl": "/path"}, "INVALID_CONTINUE_URI"),
        ({"requestType": 1, "continueUrl": "javascript:alert(1)"}, "INVALID_CONTINUE_URI"),
        ({"requestType": 1, "continueUrl": "https://app.example.com@evil.example/"}, "INVALID_CONTINUE_URI"),
        ({"requestType": 1, "continueUrl": "https://evil.example\\@app.example.com/"}, "INVALID_CONTINUE_URI"),
        ({"requestType": 1, "continueUrl": "http://app.example.com/"}, "INVALID_CONTINUE_URI"),
        ({"requestType": 1, "continueUrl": "https://app.example.com/" + "a" * 2048}, "INVALID_CONTINUE_URI"),
        ({"requestType": 1, "continueUrl": "https://evil.example/"}, "UNAUTHORIZED_DOMAIN"),
        ({"requestType": 1, "continueUrl": "https://app.example.com.evil.example/"}, "UNAUTHORIZED_DOMAIN"),
        ({"requestType": 1, "canHandleCodeInApp": True}, "MISSING_CONTINUE_URI"),
        ({"requestType": 1, "iOSAppStoreId": "1"}, "MISSING_IOS_BUNDLE_ID"),
        ({"requestType": 1, "androidInstallApp": True}, "MISSING_ANDROID_PACKAGE_NAME"),
        ({"requestType": 1, "androidMinimumVersionCode": "12"}, "MISSING_ANDROID_PACKAGE_NAME"),
        ({"requestType": 1, "dynamicLinkDomain": "x.page.link"}, "INVALID_DYNAMIC_LINK_DOMAIN"),
        ({"requestType": 1, "linkDomain": "evil.example"}, "INVALID_HOSTING_LINK_DOMAIN"),
        ({"requestType": "PASSWORD_RESET"}, "MISSING_EMAIL"),
        ({"requestType": "PASSWORD_RESET", "email": ""}, "MISSING_EMAIL"),
        ({"requestType": "PASSWORD_RESET", "email": "nobody"}, "INVALID_EMAIL"),
        ({"requestType": "EMAIL_SIGNIN"}, "MISSING_EMAIL"),
        ({"requestType": "EMAIL_SIGNIN", "email": "nobody"}, "INVALID_EMAIL"),
        ({"requestType": "VERIFY_EMAIL"}, "INVALID_ID_TOKEN"),
        ({"requestType": "VERIFY_EMAIL", "idToken": "x"}, "INVALID_ID_TOKEN"),
        ({"requestType": "VERIFY_AND_CHANGE_EMAIL"}, "MISSING_NEW_EMAIL"),
        ({"requestType": "VERIFY_AND_CHANGE_EMAIL", "newEmail": "x"}, "INVALID_NEW_EMAIL"),
        ({"requestType": "VERIFY_AND_CHANGE_EMAIL", "newEmail": "a@b.example"}, "MISSING_ID_TOKEN"),
        ({"requestType": "VERIFY_AND_CHANGE_EMAIL", "newEmail": "a@b.example", "idToken": "x"}, "INVALID_ID_TOKEN"),
        ({"requestType": "RECOVER_EMAIL", "email": "a@b.example"}, "OPERATION_NOT_ALLOWED"),
        ({"requestType": 2}, "OPERATION_NOT_ALLOWED"),
        ({"requestType": "3"}, "OPERATION_NOT_ALLOWED"),
        ({"requestType": 8}, "OPERATION_NOT_ALLOWED"),
    ],
)
def test_what_cannot_be_asked_for(body, code, demo):
    assert_error(demo.call("sendOobCode", body), code)


@for_each(["NONSENSE", 9, -1, 1.5, [], True])
def test_a_type_that_is_none_is_malformed(kind, demo):
    response = demo.call("sendOobCode", {"requestType": kind})
    assert response.status_code == 400
    assert response.json()["error"]["status"] == "INVALID_ARGUMENT"


def test_ways_to_sign_in_that_are_switched_off(site):
    closed = site.servers[0].api("closed-project-key")
    assert_error(send(closed, "EMAIL_SIGNIN", email="a@example.com"), "OPERATION_NOT_ALLOWED")
    assert_error(send(closed, "PASSWORD_RESET", email="a@example.com"), "OPERATION_NOT_ALLOWED")
    assert_error(closed.call("resetPassword", {"oobCode": "x", "newPassword": "correct horse"}), "PASSWORD_LOGIN_DISABLED")
    assert_error(closed.call("signInWithEmailLink", {"oobCode": "x", "email": "a@example.com"}), "OPERATION_NOT_ALLOWED")


def test_a_server_without_mail_says_so():
    # In development mode, mails can always go into the log.
    quiet = Site(settings=PRODUCTION, project={"signIn": {"password": True}, "redirectURLs": [], "authorizedDomains": ["auth.example.com"]})
    quiet.settings.pop("mail", None)
    quiet.write()
    try:
        quiet.serve()
        assert_error(send(quiet.servers[0].api(), "PASSWORD_RESET", email="a@example.com"), "OPERATION_NOT_ALLOWED")
    finally:
        quiet.close()


def test_addresses_are_told_only_where_they_are_not_protected(site, demo, opened):
    for api in (demo, opened):
        taken = sign_up(api)["email"]
        caller = sign_up(api)
        unknown = send(api, "PASSWORD_RESET", email=address())
        known = send(api, "VERIFY_AND_CHANGE_EMAIL", newEmail=taken, idToken=caller["idToken"])
        if api is opened:
            assert_error(unknown, "EMAIL_NOT_FOUND")
            assert_error(known, "EMAIL_EXISTS")
        else:
            assert unknown.status_code == known.status_code == 200
        assert site.mails(taken) == []


def test_SEC_15_an_unknown_address_gets_the_same_answer_and_no_mail(site, demo):
    known, unknown = sign_up(demo)["email"], address()
    answers = [send(demo, "PASSWORD_RESET", email=email) for email in (known, unknown)]
    assert [answer.status_code for answer in answers] == [200, 200]
    assert answers[0].text.replace(known, "") == answers[1].text.replace(unknown, "")
    assert {name for name in answers[0].headers} == {name for name in answers[1].headers}
    site.mail(known)
    assert site.mails(unknown) == []


# ---------------------------------------------------------------------------------------------------------------------------------
# What arrives


@pytest.mark.parametrize("kind", ["PASSWORD_RESET", 1, "1"])
def test_a_reset_is_mailed_and_does_what_it_says(site, demo, kind):
    email = sign_up(demo)["email"]
    answer = demo.succeed("sendOobCode", {"requestType": kind, "email": email.upper()})
    assert answer == {"kind": "identitytoolkit#GetOobConfirmationCodeResponse", "email": email}
    query = query_of(site.link(email))
    assert list(query) == ["mode", "oobCode", "apiKey", "lang"]
    assert (query["mode"], query["apiKey"], query["lang"]) == ("resetPassword", API_KEY, "en")
    code = query["oobCode"]
    inspected = demo.succeed("resetPassword", {"oobCode": code})
    assert inspected == {"kind": "identitytoolkit#ResetPasswordResponse", "requestType": "PASSWORD_RESET", "email": email}
    assert_error(demo.call("resetPassword", {"oobCode": code, "newPassword": "short"}), "WEAK_PASSWORD")
    used = demo.succeed("resetPassword", {"oobCode": code, "newPassword": "battery staple"})
    assert used == inspected
    assert_error(demo.call("resetPassword", {"oobCode": code, "newPassword": "battery staple"}), "INVALID_OOB_CODE")
    assert_error(demo.call("signInWithPassword", {"email": email, "password": "correct horse"}), "INVALID_LOGIN_CREDENTIALS")
    signed_in = demo.succeed("signInWithPassword", {"email": email, "password": "battery staple"})
    assert claims(signed_in["idToken"])["email_verified"] is True


def test_a_reset_ends_the_sessions(site, demo):
    person = sign_up(demo)
    send(demo, "PASSWORD_RESET", email=person["email"])
    demo.succeed("resetPassword", {"oobCode": site.code(person["email"]), "newPassword": "battery staple"})
    assert_error(demo.refresh(person["refreshToken"]), "TOKEN_EXPIRED")


def test_the_old_names_of_the_calls(site, demo):
    path = "/identitytoolkit/v3/relyingparty/"
    email = address()
    assert demo.post(path + "getOobConfirmationCode", {"requestType": 6, "email": email, "continueUrl": APP}).status_code == 200
    code = site.code(email)
    assert demo.post(path + "resetPassword", {"oobCode": code}).json()["requestType"] == "EMAIL_SIGNIN"
    answer = demo.post(path + "emailLinkSignin", {"email": email, "oobCode": code})
    assert answer.json()["kind"] == "identitytoolkit#EmailLinkSigninResponse"


def test_what_is_missing_of_a_code(demo):
    assert_error(demo.call("resetPassword", {}), "MISSING_OOB_CODE")
    assert_error(demo.call("resetPassword", {"newPassword": "correct horse"}), "MISSING_OOB_CODE")
    assert_error(demo.call("resetPassword", {"email": "a@b.example", "oldPassword": "a", "newPassword": "b"}), "OPERATION_NOT_ALLOWED")
    assert_error(demo.call("resetPassword", {"oobCode": "nonsense"}), "INVALID_OOB_CODE")
    assert_error(demo.call("update", {"oobCode": "nonsense"}), "INVALID_OOB_CODE")
    assert_error(demo.call("signInWithEmailLink", {}), "MISSING_EMAIL")
    assert_error(demo.call("signInWithEmailLink", {"email": "x"}), "INVALID_EMAIL")
    assert_error(demo.call("signInWithEmailLink", {"email": "a@b.example"}), "MISSING_OOB_CODE")
    assert_error(demo.call("signInWithEmailLink", {"email": "a@b.example", "oobCode": "nonsense"}), "INVALID_OOB_CODE")


def test_an_expired_code_is_told_from_none(site, demo):
    person = sign_up(demo)
    send(demo, "PASSWORD_RESET", email=person["email"])
    code = site.code(person["email"])
    site.rows("UPDATE action_codes SET expires_at = now() - interval '1 second' WHERE email = %s", person["email"])
    assert_error(demo.call("resetPassword", {"oobCode": code}), "EXPIRED_OOB_CODE")
    assert_error(demo.call("resetPassword", {"oobCode": code, "newPassword": "battery staple"}), "EXPIRED_OOB_CODE")


def test_a_mail_speaks_the_apps_language(site, demo):
    person = sign_up(demo)
    headers = {"X-Firebase-Locale": "de-AT", "Accept-Language": "fr"}
    demo.post("/v1/accounts:sendOobCode", {"requestType": "VERIFY_EMAIL", "idToken": person["idToken"]}, headers=headers)
    mail = site.mail(person["email"])
    assert query_of(link_in(mail))["lang"] == "de"
    assert "Bestätigen Sie" in mail["subject"] or "bestätigen" in mail.text


def test_an_address_is_proven(site, demo):
    person = sign_up(demo)
    answer = demo.succeed("sendOobCode", {"requestType": "VERIFY_EMAIL", "idToken": person["idToken"], "continueUrl": APP})
    assert answer["email"] == person["email"]
    query = query_of(site.link(person["email"]))
    assert (query["mode"], query["continueUrl"]) == ("verifyEmail", APP)
    assert demo.succeed("resetPassword", {"oobCode": query["oobCode"]})["requestType"] == "VERIFY_EMAIL"
    answer = demo.succeed("update", {"oobCode": query["oobCode"]})
    assert answer["kind"] == "identitytoolkit#SetAccountInfoResponse"
    assert (answer["localId"], answer["email"], answer["emailVerified"]) == (person["localId"], person["email"], True)
    assert not {"idToken", "refreshToken"} & set(answer)
    assert demo.lookup(person["idToken"])["emailVerified"] is True
    assert_error(demo.call("update", {"oobCode": query["oobCode"]}), "INVALID_OOB_CODE")


def test_an_address_changes_by_mail_and_comes_back_by_mail(site, demo):
    person, new = sign_up(demo), address()
    answer = demo.succeed("sendOobCode", {"requestType": "VERIFY_AND_CHANGE_EMAIL", "idToken": person["idToken"], "newEmail": new})
    assert answer["email"] == person["email"]
    code = site.code(new)
    inspected = demo.succeed("resetPassword", {"oobCode": code})
    assert (inspected["requestType"], inspected["email"], inspected["newEmail"]) == ("VERIFY_AND_CHANGE_EMAIL", person["email"], new)
    assert demo.succeed("update", {"oobCode": code})["email"] == new
    assert_error(demo.refresh(person["refreshToken"]), "TOKEN_EXPIRED")
    notice = site.mail(person["email"])
    assert new in notice.text
    back = query_of(link_in(notice))
    assert back["mode"] == "recoverEmail"
    inspected = demo.succeed("resetPassword", {"oobCode": back["oobCode"]})
    assert (inspected["requestType"], inspected["email"], inspected["newEmail"]) == ("RECOVER_EMAIL", person["email"], new)
    assert demo.succeed("update", {"oobCode": back["oobCode"]})["email"] == person["email"]


def test_an_address_that_is_taken_meanwhile(site, demo):
    person, new = sign_up(demo), address()
    send(demo, "VERIFY_AND_CHANGE_EMAIL", idToken=person["idToken"], newEmail=new)
    code = site.code(new)
    sign_up(demo, new)
    assert_error(demo.call("update", {"oobCode": code}), "EMAIL_EXISTS")


def test_a_change_of_ones_own_tells_the_former_address(site, opened):
    person, new = sign_up(opened), address()
    opened.succeed("update", {"idToken": person["idToken"], "email": new, "returnSecureToken": True})
    assert query_of(site.link(person["email"]))["mode"] == "recoverEmail"


def test_a_link_signs_in(site, demo):
    email = address()
    demo.succeed("sendOobCode", {"requestType": "EMAIL_SIGNIN", "email": email, "continueUrl": APP, "canHandleCodeInApp": True})
    query = query_of(site.link(email))
    assert (query["mode"], query["continueUrl"]) == ("signIn", APP)
    code = query["oobCode"]
    assert demo.succeed("resetPassword", {"oobCode": code}) == {
        "kind": "identitytoolkit#ResetPasswordResponse",
        "requestType": "EMAIL_SIGNIN",
    }
    assert_error(demo.call("signInWithEmailLink", {"email": address(), "oobCode": code}), "INVALID_EMAIL")
    answer = demo.succeed("signInWithEmailLink", {"email": email.upper(), "oobCode": code})
    assert set(answer) == {"kind", "localId", "email", "isNewUser", "idToken", "refreshToken", "expiresIn"}
    assert (answer["email"], answer["isNewUser"]) == (email, True)
    token = claims(answer["idToken"])
    assert token["email_verified"] is True
    assert token["firebase"]["sign_in_provider"] == "password"
    user = demo.lookup(answer["idToken"])
    assert user["emailLinkSignin"] is True
    assert [provider["providerId"] for provider in user["providerUserInfo"]] == ["password"]
    assert_error(demo.call("signInWithEmailLink", {"email": email, "oobCode": code}), "INVALID_OOB_CODE")

    send(demo, "EMAIL_SIGNIN", email=email)
    again = demo.succeed("signInWithEmailLink", {"email": email, "oobCode": site.code(email, 2)})
    assert (again["localId"], again["isNewUser"]) == (answer["localId"], False)


def test_a_link_makes_an_anonymous_account_permanent(site, demo):
    anonymous, email = demo.succeed("signUp", {"returnSecureToken": True}), address()
    send(demo, "EMAIL_SIGNIN", email=email)
    answer = demo.succeed("signInWithEmailLink", {"email": email, "oobCode": site.code(email), "idToken": anonymous["idToken"]})
    assert (answer["localId"], answer["isNewUser"]) == (anonymous["localId"], False)
    assert demo.lookup(answer["idToken"])["email"] == email


def test_an_address_of_another_account_cannot_be_linked(site, demo):
    email = sign_up(demo)["email"]
    anonymous = demo.succeed("signUp", {"returnSecureToken": True})
    send(demo, "EMAIL_SIGNIN", email=email)
    body = {"email": email, "oobCode": site.code(email), "idToken": anonymous["idToken"]}
    assert_error(demo.call("signInWithEmailLink", body), "EMAIL_EXISTS")


# ---------------------------------------------------------------------------------------------------------------------------------
# Attacks


def test_SEC_02_who_made_an_account_for_a_strangers_address_loses_it_to_the_link(site, demo):
    attacker = sign_up(demo, password="the attacker's")
    send(demo, "VERIFY_AND_CHANGE_EMAIL", idToken=attacker["idToken"], newEmail=(mine := address()))
    pending = site.code(mine)
    send(demo, "EMAIL_SIGNIN", email=attacker["email"])
    victim = demo.succeed("signInWithEmailLink", {"email": attacker["email"], "oobCode": site.code(attacker["email"])})
    assert victim["localId"] == attacker["localId"]
    assert_error(demo.refresh(attacker["refreshToken"]), "TOKEN_EXPIRED")
    assert_error(demo.call("signInWithPassword", {"email": attacker["email"], "password": "the attacker's"}), "INVALID_LOGIN_CREDENTIALS")
    assert_error(demo.call("update", {"oobCode": pending}), "INVALID_OOB_CODE")
    assert demo.refresh(victim["refreshToken"]).status_code == 200


def test_SEC_05_fifty_uses_of_one_code_on_two_servers_give_one_success(site, demo):
    second = site.serve(port=free_port())
    apis = [demo, second.api()]
    email = address()
    send(demo, "EMAIL_SIGNIN", email=email)
    code = site.code(email)
    answers = together(50, lambda index: apis[index % 2].call("signInWithEmailLink", {"email": email, "oobCode": code}))
    assert sorted(answer.status_code for answer in answers) == [200] + [400] * 49
    for answer in answers:
        if answer.status_code == 400:
            assert_error(answer, "INVALID_OOB_CODE")
    assert site.value("SELECT count(*) FROM accounts WHERE email = %s", email) == 1


FORGED = [
    {"Host": "evil.example"},
    {"Host": "evil.example:8443"},
    {"X-Forwarded-Host": "evil.example"},
    {"X-Forwarded-Host": "evil.example", "X-Forwarded-Proto": "https", "X-Forwarded-Port": "444", "X-Forwarded-Prefix": "/evil"},
    {"Forwarded": "host=evil.example;proto=https"},
    {"X-Original-Host": "evil.example", "X-Host": "evil.example", "X-Original-URL": "/evil", "X-Rewrite-URL": "/evil"},
    {"Origin": "https://evil.example", "Referer": "https://evil.example/page"},
    {"Via": "1.1 evil.example", "X-Forwarded-Server": "evil.example"},
]


def test_SEC_07_nothing_that_a_request_says_changes_a_mail(site, demo):
    email = sign_up(demo)["email"]
    body = json.dumps({"requestType": "PASSWORD_RESET", "email": email})

    def post(target, headers):
        connection = http.client.HTTPConnection("127.0.0.1", site.servers[0].port, timeout=TIMEOUT)
        connection.putrequest("POST", target, skip_host="Host" in headers, skip_accept_encoding=True)
        for name, value in {**headers, "Content-Type": "application/json", "Content-Length": str(len(body))}.items():
            connection.putheader(name, value)
        connection.endheaders(body.encode())
        status = connection.getresponse().status
        connection.close()
        return status

    path = f"/v1/accounts:sendOobCode?key={API_KEY}"
    requests = [(path, {})] + [(path, headers) for headers in FORGED] + [("http://evil.example" + path, {"Host": "evil.example"})]
    bodies = []
    for target, headers in requests:
        if post(target, headers) != 200:
            continue  # refused altogether
        mail = site.mail(email, len(bodies) + 1)
        code = note(query_of(link_in(mail))["oobCode"])
        bodies.append([part.replace(code, "CODE") for part in (mail["from"], mail["subject"], mail.text, mail.html)])
        assert link_in(mail).startswith(site.url + "/__/auth/action?")
    assert len(bodies) >= 8
    assert all(body == bodies[0] for body in bodies)
    assert not any("evil" in part for body in bodies for part in body)


def test_SEC_21_no_code_is_in_the_database_as_it_is(site, demo):
    email = sign_up(demo)["email"]
    send(demo, "PASSWORD_RESET", email=email)
    code = site.code(email)
    for table in ("action_codes", "deliveries", "accounts", "sessions"):
        assert all(code not in str(row) for row in site.rows(f"SELECT t::text FROM {table} t"))
    assert re.fullmatch("[A-Za-z0-9_-]{43}", code)

"""createAuthUri, recaptchaConfig, and the former names of the calls."""

import requests

from support.accounts import address, sign_up
from support.clients.api import assert_error
from support.names import PROJECT, TIMEOUT


def test_methods_of_an_address(rest, demo, opened):
    email = address()
    for api in (demo, opened):
        sign_up(api, email)
    body = {"identifier": email.upper(), "continueUri": "http://localhost"}
    hidden = demo.succeed("createAuthUri", body)
    assert set(hidden) == {"kind", "sessionId"} and hidden == {
        **demo.succeed("createAuthUri", {**body, "identifier": "x@y.example"}),
        **hidden,
    }
    told = opened.succeed("createAuthUri", body)
    assert told["registered"] is True and told["signinMethods"] == ["password"] and told["allProviders"] == ["password"]
    told = opened.succeed("createAuthUri", {**body, "identifier": "nobody@example.com"})
    assert told["registered"] is False and told["signinMethods"] == []
    assert_error(opened.call("createAuthUri", {"continueUri": "http://localhost"}), "MISSING_IDENTIFIER")
    assert_error(opened.call("createAuthUri", {"identifier": email}), "MISSING_CONTINUE_URI")
    assert_error(opened.call("createAuthUri", {**body, "identifier": "no address"}), "INVALID_IDENTIFIER")
    assert_error(opened.call("createAuthUri", {**body, "continueUri": "no uri"}), "INVALID_CONTINUE_URI")
    # As browsers have it in location.href.
    page = "https://app.example.com/list?filter[state]=open|closed#^top" + "x" * 9000
    assert opened.succeed("createAuthUri", {**body, "continueUri": page})["registered"] is True
    for wrong in ("https://", "ftp://app.example.com/", "https://a b/"):
        assert_error(opened.call("createAuthUri", {**body, "continueUri": wrong}), "INVALID_CONTINUE_URI")


def test_an_account_is_found_by_the_address_of_its_provider(rest, opened):
    made, provided = sign_up(opened), address()
    project, account = rest.rows("SELECT project_id, account_id FROM accounts WHERE account_id = %s", made["localId"])[0]
    rest.rows(
        "INSERT INTO identities (project_id, provider_id, subject, account_id, email, linked_at, last_sign_in_at)"
        " VALUES (%s, 'oidc.acme', %s, %s, %s, now(), now())",
        project,
        provided,
        account,
        provided,
    )
    answer = opened.succeed("createAuthUri", {"identifier": provided, "continueUri": "http://localhost"})
    assert answer["registered"] is True and answer["allProviders"] == ["password", "oidc.acme"]
    stranger = opened.succeed("createAuthUri", {"identifier": address(), "continueUri": "http://localhost"})
    assert stranger["registered"] is False


def test_recaptcha_is_off_for_everything(rest, demo):
    url = rest.url + "/v2/recaptchaConfig"
    query = {"key": demo.key, "clientType": "CLIENT_TYPE_WEB", "version": "RECAPTCHA_ENTERPRISE"}
    answer = requests.get(url, params=query, timeout=TIMEOUT).json()
    assert answer["recaptchaKey"].split("/") == ["projects", PROJECT, "keys", "off"]
    assert {(state["provider"], state["enforcementState"]) for state in answer["recaptchaEnforcementState"]} == {
        ("EMAIL_PASSWORD_PROVIDER", "OFF"),
        ("PHONE_PROVIDER", "OFF"),
    }
    for missing, code in (("clientType", "MISSING_CLIENT_TYPE"), ("version", "MISSING_RECAPTCHA_VERSION")):
        rest_of = {name: value for name, value in query.items() if name != missing}
        assert_error(requests.get(url, params=rest_of, timeout=TIMEOUT), code)
    assert_error(requests.get(url, params={**query, "version": "V2"}, timeout=TIMEOUT), "INVALID_RECAPTCHA_VERSION")
    answer = requests.get(rest.url + "/v1/recaptchaParams", params={"key": demo.key}, timeout=TIMEOUT).json()
    assert answer == {"kind": "identitytoolkit#GetRecaptchaParamResponse", "recaptchaSiteKey": "none"}, "the JS SDK stops without a key"
    assert_error(demo.post("/v1/accounts:verifyIosClient", {"appToken": "aa", "isSandbox": True}), "MISSING_IOS_APP_TOKEN")


def test_the_v3_names_and_snake_case_do_the_same(rest, demo):
    email = address()
    base = "/www.googleapis.com/identitytoolkit/v3/relyingparty/"
    made = demo.post(base + "signupNewUser", {"email": email, "password": "correct horse", "return_secure_token": True}).json()
    again = demo.post(base + "verifyPassword", {"email": email, "password": "correct horse"}).json()
    assert again["localId"] == made["localId"]
    assert demo.post(base + "setAccountInfo", {"id_token": again["idToken"], "display_name": "Ada"}).json()["displayName"] == "Ada"
    assert demo.post(base + "getAccountInfo", {"id_token": again["idToken"]}).json()["users"][0]["displayName"] == "Ada"
    assert demo.post(base + "deleteAccount", {"id_token": again["idToken"]}).status_code == 200

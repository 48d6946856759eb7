"""`Authorization: Bearer owner`, projects made on the fly, and ID tokens without a signature: for programs of this machine, in development mode,
for the development project and those made on the fly, and for no other caller (SEC-22)."""

import base64
import json
import signal

import jwt
import pytest
import requests

from support.accounts import sign_up
from support.clients.api import API, assert_error
from support.clients.emulator import ask, guest
from support.jwts import claims
from support.leaks import note
from support.names import API_KEY, METHODS, OTHER, TIMEOUT
from support.servers.site import FILES_ALONE, Site, a_site

OWNERS = ["Bearer owner", "bearer OWNER", "Bearer ya29.token"]
# Every way not to be a program of this machine, or a page that it serves; and what the answer is.
STRANGERS = [
    ({"x-forwarded-for": "127.0.0.1"}, 401),
    ({"forwarded": "for=127.0.0.1"}, 401),
    ({"via": "1.1 tunnel"}, 401),
    ({"cf-connecting-ip": "127.0.0.1"}, 401),
    ({"host": "rebound.example.com"}, 401),
    ({"host": "192.168.1.5:8080"}, 401),
    ({"origin": "https://evil.example"}, 403),
    ({"origin": "null"}, 403),
    ({"sec-fetch-site": "cross-site"}, 403),
]


@pytest.fixture(scope="module")
def unsigned():
    """A development project whose ID tokens have no signature, as `gatehouse dev` has it."""
    site = Site(
        settings={"developmentProject": "demo", "loops": 2},
        project={"signIn": METHODS, "tokens": {"issuer": "firebase", "algorithm": "none"}},
        others={"other": {**OTHER, "signIn": METHODS}},
    )
    site.serve()
    yield site
    site.close()


def delete(site, project, account, **headers):
    """A call of administrators, as Admin SDKs make it in emulator mode."""
    return requests.post(
        f"{site.url}/identitytoolkit.googleapis.com/v1/projects/{project}/accounts:delete",
        json={"localId": account},
        headers={"authorization": "Bearer owner", **headers},
        timeout=TIMEOUT,
    )


def accounts(site, project):
    return site.value("SELECT count(*) FROM accounts WHERE project_id = %s", project)


# -- Bearer owner


@pytest.mark.parametrize("token", OWNERS)
def test_programs_of_this_machine_administer_the_development_project(development, token):
    made = guest(development).json()
    assert delete(development, "demo", made["localId"], authorization=token).json() == {"kind": "identitytoolkit#DeleteAccountResponse"}
    assert_error(API(development.url).call("lookup", {"idToken": made["idToken"]}), "USER_NOT_FOUND")


def test_a_call_without_a_project_is_for_the_development_project(development):
    made = guest(development).json()
    answer = requests.post(
        development.url + "/v1/accounts:delete",
        json={"localId": made["localId"]},
        headers={"authorization": "Bearer owner"},
        timeout=TIMEOUT,
    )
    assert answer.status_code == 200, answer.text


@pytest.mark.parametrize("token", OWNERS)
def test_SEC_22_the_owner_is_unknown_in_production(production, token):
    made = guest(production).json()
    for project in ("demo", "made-on-the-fly"):
        assert_error(delete(production, project, made["localId"], authorization=token), "Invalid Credentials", 401)
    API(production.url).succeed("delete", {"idToken": made["idToken"]})


def test_SEC_22_the_owner_is_unknown_without_a_development_project(site):
    made = {"localId": "somebody"}
    for project in ("demo", "made-on-the-fly"):
        assert_error(delete(site, project, made["localId"]), "Invalid Credentials", 401)


@pytest.mark.parametrize("headers, status", STRANGERS, ids=str)
def test_SEC_22_the_owner_is_of_this_machine(development, headers, status):
    made = guest(development).json()
    before = development.counts()
    for project in ("demo", "never-made"):
        refused = delete(development, project, made["localId"], **headers)
        assert refused.status_code == status, refused.text
    assert development.counts() == before
    listed = ask(development, "GET", "/emulator/codes").text
    assert "never-made" not in listed, "a stranger makes no project"


def test_SEC_22_the_owner_does_not_administer_other_projects_of_the_server(development):
    made = guest(development, "other-api-key").json()
    assert_error(delete(development, "other", made["localId"]), "Invalid Credentials", 401)
    assert API(development.url, "other-api-key").lookup(made["idToken"])["localId"] == made["localId"]


def test_SEC_22_other_calls_of_apps_take_no_owner(development):
    for path in ("/v1/accounts:signInWithPassword", "/v1/token"):
        assert_error(API(development.url).post(path, {}, headers={"authorization": "Bearer owner"}), "Invalid Credentials", 401)


# -- projects on the fly


def test_a_project_is_made_when_it_is_named(development):
    made = guest(development, "project:first-suite").json()
    assert claims(made["idToken"])["aud"] == "first-suite"
    again = guest(development, "project:second-suite").json()
    assert API(development.url, "project:first-suite").lookup(made["idToken"])["localId"] == made["localId"]
    for key in ("project:second-suite", "any", API_KEY):
        assert_error(API(development.url, key).call("lookup", {"idToken": made["idToken"]}), "INVALID_ID_TOKEN")
    assert ask(development, "DELETE", "/emulator/v1/projects/first-suite/accounts").json() == {}
    assert (accounts(development, "first-suite"), accounts(development, "second-suite")) == (0, 1)
    assert delete(development, "second-suite", again["localId"]).status_code == 200
    refreshed = (
        API(development.url, "project:second-suite").refresh(guest(development, "project:second-suite").json()["refreshToken"]).json()
    )
    assert refreshed["project_id"].isdigit() and refreshed["project_id"] not in ("100000000001", "200000000002")


def test_a_project_on_the_fly_has_switches_codes_and_mails_of_its_own(development):
    path = "/emulator/v1/projects/switched-suite"
    body = {"emailPrivacyConfig": {"enableImprovedEmailPrivacy": False}}
    assert ask(development, "PATCH", path + "/config", body).json()["emailPrivacyConfig"] == {"enableImprovedEmailPrivacy": False}
    api = API(development.url, "project:switched-suite")
    assert_error(api.call("sendOobCode", {"requestType": "PASSWORD_RESET", "email": "nobody@example.com"}), "EMAIL_NOT_FOUND")
    made = api.succeed("signUp", {"email": "suite@example.com", "password": "analytical engine"})
    api.succeed("sendOobCode", {"requestType": "PASSWORD_RESET", "email": "suite@example.com"})
    (code,) = ask(development, "GET", path + "/oobCodes").json()["oobCodes"]
    note(code["oobCode"])
    reset = requests.get(code["oobLink"] + "&newPassword=" + note("difference engine"), timeout=TIMEOUT)
    assert reset.json()["authEmulator"]["email"] == "suite@example.com", reset.text
    body = {"email": "suite@example.com", "password": "difference engine"}
    assert api.succeed("signInWithPassword", body)["localId"] == made["localId"]
    assert ask(development, "GET", "/emulator/v1/projects/demo/config").json()["emailPrivacyConfig"] == {"enableImprovedEmailPrivacy": True}


def test_codes_to_phones_are_listed_and_none_are_sent(development):
    for project in ("demo", "phone-suite"):
        answer = ask(development, "GET", f"/emulator/v1/projects/{project}/verificationCodes")
        assert answer.status_code == 200 and answer.json() == {"verificationCodes": []}


@pytest.mark.parametrize("name", ["abc", "emulator"])
def test_a_name_that_is_not_a_projects_is_refused(development, name):
    for refused in (delete(development, name, "somebody"), ask(development, "DELETE", f"/emulator/v1/projects/{name}/accounts")):
        assert refused.status_code == 400 and "INVALID_PROJECT_ID" in refused.text, refused.text
    assert_error(guest(development, f"project:{name}"), "API key not valid. Please pass a valid API key.")


def test_SEC_22_keys_of_projects_on_the_fly_are_for_this_machine(development):
    assert_error(
        guest(development, "project:from-elsewhere", x_forwarded_for="127.0.0.1"), "API key not valid. Please pass a valid API key."
    )
    assert "from-elsewhere" not in ask(development, "GET", "/emulator/codes").text, "no project is made"


def test_SEC_22_a_key_does_not_lead_to_a_project_of_a_file_by_its_id(development):
    assert_error(guest(development, "project:other"), "API key not valid. Please pass a valid API key.")


def test_SEC_22_production_makes_no_project(production):
    assert_error(guest(production, "project:suite"), "API key not valid. Please pass a valid API key.")
    assert ask(production, "DELETE", "/emulator/v1/projects/suite/accounts").status_code == 404
    assert accounts(production, "suite") == 0


def test_a_reload_forgets_projects_on_the_fly_and_their_accounts_stay():
    with a_site(settings={"developmentProject": "demo"}, project={"signIn": METHODS}) as site:
        server = site.serve()
        made = guest(site, "project:kept-suite").json()
        server.signal(signal.SIGHUP)
        server.logged('"reloaded"')
        assert API(site.url, "project:kept-suite").lookup(made["idToken"])["localId"] == made["localId"]


# -- tokens without a signature


def forged(token, header=None, **changes):
    body = {name: value for name, value in {**claims(token), **changes}.items() if value is not ...}
    parts = [json.dumps(part).encode() for part in (header or {"alg": "none", "typ": "JWT"}, body)]
    return note(".".join(base64.urlsafe_b64encode(part).rstrip(b"=").decode() for part in parts) + ".")


def test_ID_tokens_have_no_signature_and_work_at_every_call(unsigned):
    api = API(unsigned.url, "any")
    made = api.succeed("signUp", {"email": "none@example.com", "password": "analytical engine"})
    for token in (made["idToken"], api.refresh(made["refreshToken"]).json()["id_token"]):
        assert token.count(".") == 2 and token.endswith(".")
        assert jwt.get_unverified_header(token) == {"alg": "none", "typ": "JWT"}
        assert claims(token)["iss"] == "https://securetoken.google.com/demo"
        assert api.lookup(token)["localId"] == made["localId"]
    api.succeed("update", {"idToken": made["idToken"], "displayName": "None"})
    api.succeed("sendOobCode", {"requestType": "VERIFY_EMAIL", "idToken": made["idToken"]})
    flown = guest(unsigned, "project:flown-suite").json()["idToken"]
    assert flown.endswith(".") and claims(flown)["iss"] == "https://securetoken.google.com/flown-suite"
    api.succeed("delete", {"idToken": made["idToken"]})
    assert_error(api.call("lookup", {"idToken": made["idToken"]}), "USER_NOT_FOUND")


def test_SEC_22_an_unsigned_token_needs_a_live_session(unsigned):
    api = API(unsigned.url, "any")
    token = guest(unsigned).json()["idToken"]
    stranger = guest(unsigned).json()["idToken"]
    assert api.lookup(forged(token))["localId"] == claims(token)["sub"]
    for changes in ({"sid": ...}, {"sid": "AAAA"}, {"aud": "other"}, {"iss": "https://evil.example"}, {"sub": ...}, {"exp": "never"}):
        assert_error(api.call("lookup", {"idToken": forged(token, **changes)}), "INVALID_ID_TOKEN")
    for changes in ({"sid": "A" * len(claims(token)["sid"])}, {"sub": claims(stranger)["sub"]}, {"exp": 1}):
        assert_error(api.call("lookup", {"idToken": forged(token, **changes)}), "TOKEN_EXPIRED")
    for header in ({"alg": "HS256"}, {"alg": "NONE"}, {"alg": "none", "crit": ["x"]}, {"alg": "RS256", "kid": "x"}):
        assert_error(api.call("lookup", {"idToken": forged(token, header)}), "INVALID_ID_TOKEN")


@pytest.mark.parametrize("claim", ["iat", "exp", "auth_time"])
@pytest.mark.parametrize("time", [2**63 - 1, 2**63 // 1_000_000, -(2**63)])
def test_a_time_beyond_every_calendar_ends_no_server(unsigned, claim, time):
    api = API(unsigned.url, "any")
    token = sign_up(api)["idToken"]
    for call in ("lookup", "delete"):
        assert api.call(call, {"idToken": forged(token, **{claim: time})}).status_code in (200, 400)
    assert requests.get(unsigned.url + "/health/live", timeout=TIMEOUT).status_code == 200


def test_a_character_that_no_text_may_have_is_refused_in_the_claims(unsigned):
    api = API(unsigned.url, "any")
    token = forged(sign_up(api)["idToken"], sub="a\0b")
    for call in ("lookup", "update", "delete"):
        assert_error(api.call(call, {"idToken": token}), "INVALID_ID_TOKEN")


@pytest.mark.parametrize("headers", [headers for headers, _ in STRANGERS], ids=str)
def test_SEC_22_strangers_get_signed_tokens_and_need_them(unsigned, headers):
    token = guest(unsigned).json()["idToken"]
    api = API(unsigned.url)
    refused = api.post("/v1/accounts:lookup", {"idToken": token}, headers=headers)
    assert_error(refused, "INVALID_ID_TOKEN")
    signed = guest(unsigned, **{name.replace("-", "_"): value for name, value in headers.items()}).json()["idToken"]
    assert jwt.get_unverified_header(signed)["alg"] == "RS256"
    assert api.post("/v1/accounts:lookup", {"idToken": signed}, headers=headers).status_code == 200


def test_SEC_22_other_projects_sign_their_tokens(unsigned):
    token = guest(unsigned, "other-api-key").json()["idToken"]
    assert jwt.get_unverified_header(token)["alg"] == "RS256"
    assert_error(API(unsigned.url, "other-api-key").call("lookup", {"idToken": forged(token)}), "INVALID_ID_TOKEN")


def test_SEC_22_signing_servers_take_no_unsigned_tokens(development, production):
    for site in (development, production):
        token = guest(site).json()["idToken"]
        assert jwt.get_unverified_header(token)["alg"] == "RS256"
        assert_error(API(site.url).call("lookup", {"idToken": forged(token)}), "INVALID_ID_TOKEN")
        API(site.url).succeed("delete", {"idToken": token})


@pytest.mark.parametrize(
    "settings, other, reason",
    [
        ({"development": False, "publicURL": "https://auth.example.com"}, False, "tokens.algorithm: expected one of: RS256, ES256"),
        ({}, False, "tokens.algorithm: none is only for the project that developmentProject names"),
        ({"developmentProject": "demo"}, True, "tokens.algorithm: none is only for the project that developmentProject names"),
    ],
)
def test_SEC_22_the_check_refuses_unsigned_tokens_elsewhere(settings, other, reason):
    none = {"tokens": {"algorithm": "none"}}
    project = {"redirectURLs": []} if other else {"redirectURLs": [], **none}
    others = {"other": {**OTHER, **none}} if other else {}
    with a_site(settings=settings, project=project, others=others, **FILES_ALONE) as site:
        report = site.run("check")
        assert report.returncode == 1 and reason in report.stdout, report.stdout
        assert site.run("serve").returncode != 0

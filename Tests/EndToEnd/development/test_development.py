"""Development mode: what it gives to this machine, and that it gives it to nobody else and nowhere else (SEC-22)."""

import contextlib
import itertools
import signal
import socket
from urllib.parse import parse_qsl, urlencode

import jwt
import pytest
import requests

from support.clients import API, assert_error
from support.common import API_KEY, TIMEOUT, note, note_url
from support.harness import Site, a_site

HELPERS = [
    ("DELETE", "/emulator/v1/projects/demo/accounts"),
    ("GET", "/emulator/v1/projects/demo/config"),
    ("PATCH", "/emulator/v1/projects/demo/config"),
    ("GET", "/emulator/v1/projects/demo/oobCodes"),
    ("GET", "/emulator/action"),
]
numbers = itertools.count(1)
METHODS = {"password": True, "emailLink": True, "anonymous": True}
OTHER = {"project": "other", "number": 200000000002, "apiKeys": ["other-api-key"], "authorizedDomains": ["other.example.com"]}


@pytest.fixture(scope="module")
def development():
    """As `make run` has it, beside a project of another team's."""
    site = Site(settings={"developmentProject": "demo", "loops": 3}, project={"signIn": METHODS}, others={"other": {**OTHER, "signIn": METHODS}})
    site.serve()
    yield site
    site.close()


@pytest.fixture(scope="module")
def production():
    settings = {"development": False, "publicURL": "https://auth.example.com"}
    site = Site(settings=settings, project={"signIn": METHODS, "redirectURLs": [], "authorizedDomains": ["auth.example.com", "localhost"]})
    site.serve()
    yield site
    site.close()


def ask(site, method, path, body=None, **headers):
    headers = {name.replace("_", "-"): value for name, value in headers.items()}
    return requests.request(method, site.url + path, json=body, headers=headers, timeout=TIMEOUT)


def sign_up(site, key=API_KEY, **headers):
    headers = {name.replace("_", "-"): value for name, value in headers.items()}
    return API(site.url, key).post("/v1/accounts:signUp", {"returnSecureToken": True}, headers=headers)


def aud(answer):
    return jwt.decode(answer["idToken"], options={"verify_signature": False})["aud"]


# -- production has none of it


@pytest.mark.parametrize("method, path", [*HELPERS, ("GET", "/emulator/v1/projects/demo/verificationCodes")])
@pytest.mark.parametrize("headers", [{}, {"authorization": "Bearer owner"}, {"origin": "http://localhost:3000"}], ids=str)
def test_SEC_22_production_knows_none_of_the_routes(production, method, path, headers):
    unknown = ask(production, method, "/nothing", **headers)
    answer = ask(production, method, path, **headers)
    assert answer.status_code == unknown.status_code == 404
    assert answer.content == unknown.content
    assert {name for name in answer.headers} == {name for name in unknown.headers}
    assert ask(production, method, path + "?key=" + API_KEY, **headers).status_code == 404


def test_SEC_22_production_says_nothing_of_an_emulator(production):
    assert ask(production, "GET", "/").text == "Gatehouse\n"
    assert "DEVELOPMENT" not in production.servers[0].log()


@pytest.mark.parametrize("key", ["fake-api-key", "any", "owner", "demo", API_KEY + "x", API_KEY.upper()])
def test_SEC_22_production_takes_no_key_but_its_own(production, key):
    response = sign_up(production, key)
    assert_error(response, "API key not valid. Please pass a valid API key.")
    assert response.json()["error"]["details"][0]["reason"] == "API_KEY_INVALID"
    assert production.counts()["accounts"] == 0


@pytest.mark.parametrize("value", ["Bearer owner", "bearer OWNER", "Bearer ya29.token"])
@pytest.mark.parametrize("mode", ["production", "development"])
def test_SEC_22_owner_is_nobody(request, mode, value):
    site = request.getfixturevalue(mode)
    for path in ("/v1/accounts:signUp", "/v1/accounts:lookup", "/v1/accounts:update", "/v1/accounts:delete", "/v1/token"):
        for key in (API_KEY, None):
            response = API(site.url).post(path, {"localId": "somebody"}, key=key, headers={"authorization": value})
            assert_error(response, "Invalid Credentials", 401)
    for path in ("/v1/projects/demo/accounts", "/v1/projects/demo/accounts:lookup", "/v2/projects/demo/config"):
        assert API(site.url).post(path, {}, key=None, headers={"authorization": value}).status_code == 404


# -- where it may listen


@pytest.mark.parametrize("host", ["0.0.0.0", "[::]", "192.168.1.5", "[2001:db8::1]", "[::ffff:10.0.0.1]", "128.0.0.1"])
def test_SEC_22_development_on_another_listener_is_refused(host):
    with a_site(migrate=False) as site:
        site.settings["listen"] = f"{host}:{site.port}"
        site.write()
        report = site.run("check")
        assert report.returncode != 0 and "development: only goes with a loopback address to listen on" in report.stdout
        refused = site.run("serve")
        assert refused.returncode != 0 and "loopback" in refused.stdout + refused.stderr
        site.settings.update(development=False, publicURL="https://auth.example.com")
        site.project["redirectURLs"] = []
        site.write()
        assert "listen" not in site.run("check").stdout


@pytest.mark.parametrize("listen", ["gatehouse.internal:80", "localhost.:80", "127.1:80", "0:80", "::1:80", "[127.0.0.1]:80", "8080", ":80", "*:80"])
def test_SEC_22_where_to_listen_is_an_address_and_never_a_name_to_resolve(listen):
    with a_site(migrate=False) as site:
        site.settings["listen"] = listen
        site.write()
        report = site.run("check")
        assert report.returncode != 0 and "listen: expected an IP address" in report.stdout, report.stdout


@pytest.mark.parametrize("host, reached", [("localhost", "127.0.0.1"), ("127.0.0.2", "127.0.0.2"), ("[::1]", "::1"), ("127.0.0.1", "127.0.0.1")])
def test_SEC_22_every_loopback_address_will_do_and_is_the_only_one(host, reached):
    with a_site() as site:
        site.settings["listen"] = f"{host}:{site.port}"
        site.write()
        server = site.serve(wait=False)
        server.logged('"serving"')
        assert "DEVELOPMENT MODE" in server.log().splitlines()[0]
        for address in ("127.0.0.1", "127.0.0.2", "::1"):
            with contextlib.closing(socket.socket(socket.AF_INET6 if ":" in address else socket.AF_INET)) as client:
                assert (client.connect_ex((address, site.port)) == 0) == (address == reached), address


def test_SEC_22_the_development_project_needs_development_mode():
    with a_site(migrate=False) as site:
        site.settings.update(development=False, publicURL="https://auth.example.com", developmentProject="demo")
        site.project["redirectURLs"] = []
        site.write()
        report = site.run("check")
        assert report.returncode != 0 and "developmentProject: is for development: true alone" in report.stdout
        site.settings.update(development=True, developmentProject="absent")
        site.write()
        report = site.run("check")
        assert report.returncode != 0 and "developmentProject: absent is the id of no project file" in report.stdout


# -- who is this machine

STRANGERS = [
    {"x_forwarded_for": "203.0.113.9"},
    {"x_forwarded_for": "127.0.0.1, 203.0.113.9"},
    {"forwarded": "for=203.0.113.9"},
    {"forwarded": "for=203.0.113.9", "x_forwarded_for": "127.0.0.1"},
    {"x_real_ip": "203.0.113.9"},
    {"host": "rebound.example.com"},
    {"host": "rebound.example.com:8080"},
    {"host": "192.168.1.5:8080"},
]


@pytest.mark.parametrize("headers", STRANGERS, ids=str)
def test_SEC_22_what_comes_from_elsewhere_is_refused(development, headers):
    for method, path in [*HELPERS, ("GET", "/")]:
        assert_error(ask(development, method, path, **headers), "This path answers programs of the server's own machine alone.", 403)
    assert_error(sign_up(development, "any-key", **headers), "API key not valid. Please pass a valid API key.")
    assert sign_up(development, API_KEY, **headers).status_code == 200, "a key of the project is one everywhere"


@pytest.mark.parametrize("header", ["Via", "X-Forwarded-Host", "X-Forwarded-Proto", "CF-Connecting-IP", "X-Client-IP"])
def test_SEC_22_a_proxy_on_this_machine_brings_nobody_in(development, header):
    for value in ("127.0.0.1", "localhost", ""):
        assert ask(development, "GET", "/", **{header: value}).status_code == 403
        assert_error(sign_up(development, "any-key", **{header: value}), "API key not valid. Please pass a valid API key.")


@pytest.mark.parametrize("url", ["https://auth.example.com", "http://192.168.1.5:8080", "https://localhost.example.com", "http://10.0.2.2"])
def test_SEC_22_development_has_no_public_address(url):
    with a_site(settings={"publicURL": url}, migrate=False) as site:
        report = site.run("check")
        assert report.returncode != 0 and "is not a name of this machine" in report.stdout and "publicURL: " in report.stdout
        assert site.run("serve").returncode != 0


@pytest.mark.parametrize("proxies", [["10.0.0.0/8"], ["127.0.0.0/8"]])
def test_SEC_22_development_trusts_no_proxies(proxies):
    with a_site(settings={"trustedProxies": proxies}, migrate=False) as site:
        report = site.run("check")
        assert report.returncode != 0 and "trustedProxies: does not go with development: true" in report.stdout
        assert site.run("serve").returncode != 0


@pytest.mark.parametrize("url", ["http://localhost:8080", "https://auth.shop.localhost", "http://127.0.0.2:81", "http://[::1]:8080"])
def test_every_name_of_this_machine_will_do_for_development(url):
    with a_site(settings={"publicURL": url}, migrate=False) as site:
        assert "publicURL:" not in site.run("check").stdout


@pytest.mark.parametrize("origin", ["https://evil.example", "http://localhost.evil.example", "null", "http://other.example.com.evil.example"])
def test_SEC_22_pages_of_strangers_in_a_browser_of_this_machine_are_refused(development, origin):
    for method, path in [*HELPERS, ("GET", "/")]:
        refused = ask(development, method, path, origin=origin)
        assert refused.status_code == 403 and "authorizedDomains" in refused.json()["error"]["message"]


def test_SEC_22_what_a_strangers_page_embeds_or_links_to_is_refused(development):
    for method, path in [*HELPERS, ("GET", "/")]:
        refused = ask(development, method, path, sec_fetch_site="cross-site", sec_fetch_mode="no-cors")
        assert refused.status_code == 403 and "authorizedDomains" in refused.json()["error"]["message"]
        # An app at localhost is cross-site to 127.0.0.1: its Origin says who asks.
        own = ask(development, method, path, {} if method == "PATCH" else None, sec_fetch_site="cross-site", origin="http://localhost:3000")
        assert own.status_code == (400 if path == "/emulator/action" else 200)
    for site in ("none", "same-origin", "same-site"):
        assert ask(development, "GET", "/", sec_fetch_site=site).status_code == 200


@pytest.mark.parametrize("origin", ["http://localhost:3000", "http://127.0.0.1:9876", "http://app.localhost", "https://app.example.com"])
def test_pages_of_this_machine_and_of_authorized_domains_may_read_the_answers(development, origin):
    for method, path in [*HELPERS, ("GET", "/")]:
        answer = ask(development, method, path, {} if method == "PATCH" else None, origin=origin)
        assert answer.status_code == (400 if path == "/emulator/action" else 200)
        assert answer.headers["access-control-allow-origin"] == origin
    preflight = ask(development, "OPTIONS", HELPERS[0][1], origin=origin, access_control_request_method="DELETE")
    assert preflight.status_code == 204 and "DELETE" in preflight.headers["access-control-allow-methods"]


# -- any key


@pytest.mark.parametrize("key", ["any", "fake-api-key", "AIzaSyD-9tSrke72PouQMnMX-a7eZSW0jkFMBWY", "a b", "ü"])
def test_any_key_is_the_development_projects(development, key):
    assert aud(sign_up(development, key).json()) == "demo"
    header = requests.post(development.url + "/v1/accounts:signUp", json={}, headers={"x-goog-api-key": key.encode()}, timeout=TIMEOUT)
    assert aud(header.json()) == "demo"


def test_real_keys_still_choose_among_projects(development):
    assert aud(sign_up(development, API_KEY).json()) == "demo"
    assert aud(sign_up(development, "other-api-key").json()) == "other"


def test_no_key_is_no_key(development):
    for key in (None, ""):
        assert sign_up(development, key).status_code == 403
    twice = requests.post(development.url + "/v1/accounts:signUp?key=a&key=b", json={}, timeout=TIMEOUT)
    assert_error(twice, "API key not valid. Please pass a valid API key.")


def test_without_a_development_project_keys_are_what_they_are_in_production(site):
    assert_error(sign_up(site, "any"), "API key not valid. Please pass a valid API key.")


# -- the emulator's own calls


def test_the_server_says_that_it_is_ready(development):
    assert ask(development, "GET", "/").json() == {"authEmulator": {"ready": True}}
    assert ask(development, "GET", "/?key=x").headers["content-type"].startswith("application/json")


def test_the_switches_are_read_and_set_one_by_one_for_every_loop():
    with a_site(settings={"developmentProject": "demo", "loops": 3}, project={"signIn": METHODS}) as site:
        server = site.serve()
        path = "/emulator/v1/projects/demo/config"

        def switches(duplicates, privacy):
            return {"signIn": {"allowDuplicateEmails": duplicates}, "emailPrivacyConfig": {"enableImprovedEmailPrivacy": privacy}}

        assert ask(site, "GET", path).json() == switches(False, True)
        assert ask(site, "PATCH", path, {"emailPrivacyConfig": {"enableImprovedEmailPrivacy": False}}).json() == switches(False, False)
        assert ask(site, "PATCH", path, {"signIn": {"allowDuplicateEmails": True}}).json() == switches(True, False)
        assert ask(site, "PATCH", path, {}).json() == switches(True, False)
        assert ask(site, "PATCH", path, {"sign_in": {"allow_duplicate_emails": None}, "unknown": 1}).json() == switches(True, False)
        # A new connection each time, so that all loops are asked.
        for _ in range(20):
            assert ask(site, "GET", path).json() == switches(True, False)
            question = {"identifier": "nobody@example.com", "continueUri": "http://localhost/"}
            assert API(site.url).succeed("createAuthUri", question)["registered"] is False

        assert_error(ask(site, "PATCH", path, {"signIn": {"allowDuplicateEmails": "perhaps"}}), "Invalid JSON payload received.*")
        assert_error(ask(site, "PATCH", path, ["signIn"]), "Invalid JSON payload received.*")
        assert ask(site, "GET", path).json() == switches(True, False)

        server.signal(signal.SIGHUP)
        server.logged('"reloaded"')
        assert ask(site, "GET", path).json() == switches(False, True), "the files count again"


def test_all_accounts_of_one_project_are_deleted(development):
    mine = [sign_up(development).json() for _ in range(3)]
    theirs = sign_up(development, "other-api-key").json()
    person(development)
    mailed(development, "EMAIL_SIGNIN", email="somebody@example.com")
    answer = ask(development, "DELETE", "/emulator/v1/projects/demo/accounts")
    assert answer.status_code == 200 and answer.json() == {}
    api = API(development.url)
    for user in mine:
        assert_error(api.call("lookup", {"idToken": user["idToken"]}), "USER_NOT_FOUND")
        assert_error(api.refresh(user["refreshToken"]), "TOKEN_EXPIRED")
    assert API(development.url, "other-api-key").lookup(theirs["idToken"])["localId"] == theirs["localId"]
    for table in ("accounts", "identities", "sessions", "sign_in_flows", "action_codes", "mail_outbox", "rate_limits"):
        assert development.value(f"SELECT count(*) FROM {table} WHERE project_id = 'demo'") == 0
    assert ask(development, "DELETE", "/emulator/v1/projects/demo/accounts", {}).json() == {}, "an SDK may send a body"


@pytest.mark.parametrize("method, path", [helper for helper in HELPERS if "demo" in helper[1]])
def test_a_project_that_is_not_configured_is_not_found(development, method, path):
    assert_error(ask(development, method, path.replace("demo", "absent")), "Not Found", 404)


def test_other_methods_and_other_paths_answer_as_everywhere(development):
    assert ask(development, "POST", "/emulator/v1/projects/demo/config").status_code == 405
    assert ask(development, "GET", "/emulator/v1/projects/demo/nothing").status_code == 404
    assert ask(development, "GET", "/emulator/v1/projects/demo/tenants/t/oobCodes").status_code == 404


# -- codes


def person(site, name="person"):
    email = f"{name}-{next(numbers)}@example.com"
    return email, API(site.url).succeed("signUp", {"email": email, "password": "correct horse", "returnSecureToken": True})["idToken"]


def codes(site):
    return ask(site, "GET", "/emulator/v1/projects/demo/oobCodes").json()["oobCodes"]


def mailed(site, kind, **wish):
    """Asks for a code, and gives it as it is listed."""
    if kind == "EMAIL_SIGNIN":
        wish = {"continueUrl": "http://localhost:3000/in?kept=1", "canHandleCodeInApp": True, **wish}
    API(site.url).succeed("sendOobCode", {"requestType": kind, **wish})
    code = codes(site)[-1]
    note(code["oobCode"])
    note_url(code["oobLink"])
    assert code["requestType"] == kind
    return code


def follow(site, link, method="GET"):
    response = requests.request(method, link, allow_redirects=False, timeout=TIMEOUT)
    return response.status_code, response.json()["authEmulator"] if response.content and response.status_code != 303 else response.headers.get("location")


def test_codes_are_listed_as_they_were_mailed_the_newest_last(development):
    email, token = person(development)
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
        assert fields["mode"] == {"PASSWORD_RESET": "resetPassword", "EMAIL_SIGNIN": "signIn", "VERIFY_EMAIL": "verifyEmail",
                                  "VERIFY_AND_CHANGE_EMAIL": "verifyAndChangeEmail"}[code["requestType"]]
        assert API(development.url).succeed("resetPassword", {"oobCode": code["oobCode"]})["requestType"] == code["requestType"]
    assert "other" not in str(ask(development, "GET", "/emulator/v1/projects/other/oobCodes").json())

    # What was not mailed, what is used, and what has expired is not listed.
    API(development.url).succeed("sendOobCode", {"requestType": "PASSWORD_RESET", "email": "nobody@example.com"})
    API(development.url).succeed("update", {"oobCode": listed[0]["oobCode"]})
    development.rows("UPDATE action_codes SET expires_at = now() - interval '1 s' WHERE kind = 'signIn' AND project_id = 'demo'")
    assert [code["requestType"] for code in codes(development)[before:]] == ["PASSWORD_RESET", "VERIFY_AND_CHANGE_EMAIL"]


def test_a_link_that_is_followed_does_its_work_once(development):
    api = API(development.url)
    email, token = person(development)
    used = {"error": "The code of this link is used, expired or for something else.", "instructions": "Ask for a new link."}

    verify = mailed(development, "VERIFY_EMAIL", idToken=token)["oobLink"]
    assert follow(development, verify, "HEAD")[0] == 405
    assert follow(development, verify) == (200, {"success": "The e-mail address has been verified.", "email": email})
    assert api.lookup(token)["emailVerified"] is True
    assert follow(development, verify) == (400, used)

    reset = mailed(development, "PASSWORD_RESET", email=email)["oobLink"]
    assert follow(development, reset) == (
        400, {"error": "The link has no newPassword.", "instructions": "Append &newPassword= and the new password."})
    weak = requests.get(reset + "&newPassword=12345", timeout=TIMEOUT)
    assert_error(weak, "WEAK_PASSWORD")
    assert follow(development, reset + "&newPassword=battery+staple") == (200, {"success": "The password has been reset.", "email": email})
    token = api.succeed("signInWithPassword", {"email": email, "password": "battery staple"})["idToken"]

    new = f"new-{email}"
    change = mailed(development, "VERIFY_AND_CHANGE_EMAIL", idToken=token, newEmail=new)["oobLink"]
    assert follow(development, change) == (200, {"success": "The e-mail address has been changed.", "newEmail": new})
    recover = codes(development)[-1]
    assert (recover["email"], recover["requestType"]) == (email, "RECOVER_EMAIL")
    assert follow(development, note_url(recover["oobLink"])) == (200, {"success": "The former e-mail address is back.", "email": email})


def test_a_link_leads_on_to_the_app(development):
    email, token = person(development)
    verify = mailed(development, "VERIFY_EMAIL", idToken=token, continueUrl="http://localhost:3000/done?kept=1")["oobLink"]
    assert follow(development, verify) == (303, "http://localhost:3000/done?kept=1")

    link = mailed(development, "EMAIL_SIGNIN", email=email)
    status, location = follow(development, link["oobLink"])
    address, _, query = note_url(location).partition("?")
    fields = dict(parse_qsl(query))
    assert (status, address) == (303, "http://localhost:3000/in")
    assert fields == {"kept": "1", "mode": "signIn", "oobCode": link["oobCode"], "apiKey": API_KEY, "lang": "en"}
    answer = API(development.url).succeed("signInWithEmailLink", {"email": email, "oobCode": link["oobCode"]})
    assert answer["email"] == email, "the app itself redeems the code"

    link = mailed(development, "EMAIL_SIGNIN", email=email, continueUrl="http://localhost:3000/in?oobCode=stranger&kept=1&apiKey=evil")
    _, location = follow(development, link["oobLink"])
    assert note_url(location).count("oobCode=") == location.count("apiKey=") == 1 and link["oobCode"] in location


@pytest.mark.parametrize(
    "change",
    [
        {"mode": "resetPassword"}, {"mode": "verifyAndChangeEmail"}, {"mode": "revertSecondFactorAddition"}, {"mode": None}, {"oobCode": None},
        {"oobCode": "nonsense"}, {"apiKey": None}, {"apiKey": "other-api-key"}, {"continueUrl": "https://evil.example/"},
        {"continueUrl": "javascript:alert(1)"}, {"continueUrl": "//evil.example"},
    ],
    ids=str,
)
def test_a_link_that_was_changed_does_nothing(development, change):
    _, token = person(development)
    code = mailed(development, "VERIFY_EMAIL", idToken=token)
    address, _, query = code["oobLink"].partition("?")
    fields = {name: value for name, value in {**dict(parse_qsl(query)), **change}.items() if value is not None}
    status, answer = follow(development, f"{address}?{urlencode(fields)}")
    assert status == 400 and set(answer) == {"error", "instructions"}
    assert API(development.url).lookup(token)["emailVerified"] is False
    assert code in codes(development)

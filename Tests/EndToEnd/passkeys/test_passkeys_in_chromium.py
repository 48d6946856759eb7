"""Passkeys in a browser of its own mind: Chromium, with its virtual authenticator. A page of an app makes the calls."""

import pytest
from werkzeug.wrappers import Request, Response

from support.accounts import sign_up
from support.browser.drivers import Chromium
from support.browser.front import Front
from support.certificates import Certificate
from support.clients.api import API
from support.harness import free_port
from support.names import API_KEY, METHODS
from support.passkeys import AUTHENTICATOR, from_b64
from support.servers.site import Site
from support.web_server import WebServer

PAGE = """<!doctype html><meta charset="utf-8"><title>App</title><link rel="icon" href="data:,"><script>
const call = async (name, body) => {
  const response = await fetch(`${server}/v2/accounts/${name}?key=${key}`, {
    method: "POST", headers: {"content-type": "application/json"}, body: JSON.stringify(body)});
  const answer = await response.json();
  if (!response.ok) throw new Error(answer.error.message);
  return answer;
};
const outcome = (work, done) => work().then(value => done({value}), error => done({error: error.name === "Error" ? error.message : error.name}));
const register = async (idToken) => {
  const options = (await call("passkeyEnrollment:start", {idToken})).credentialCreationOptions;
  const credential = await navigator.credentials.create({publicKey: PublicKeyCredential.parseCreationOptionsFromJSON(options)});
  return call("passkeyEnrollment:finalize", {idToken, authenticatorRegistrationResponse: credential.toJSON(), name: "browser"});
};
const request = async (mediation) => {
  const options = (await call("passkeySignIn:start", {})).credentialRequestOptions;
  const publicKey = PublicKeyCredential.parseRequestOptionsFromJSON(options);
  return navigator.credentials.get(mediation ? {publicKey, mediation} : {publicKey});
};
const signIn = async (mediation) =>
  call("passkeySignIn:finalize", {authenticatorAuthenticationResponse: (await request(mediation)).toJSON()});
</script><input autocomplete="username webauthn" autofocus>"""


@pytest.fixture(scope="module")
def stage(tmp_path_factory):
    server = f"http://localhost:{free_port()}"
    script = f"<script>const server = '{{}}', key = '{API_KEY}'</script>"
    site = Site()
    web = WebServer(Request.application(lambda _: Response(script.format(site.url) + PAGE, content_type="text/html; charset=utf-8")))
    origin = web.url.replace("127.0.0.1", "localhost")
    site.project |= {"signIn": METHODS, "passkeys": {"rpId": "localhost", "origins": [origin]}, "redirect": {"publicURL": server}}
    site.write()
    site.serve()
    driver = Chromium(tmp_path_factory.mktemp("chromium"))
    yield Stage(site, driver, origin)
    driver.quit()
    web.close()
    site.close()


class Stage:
    def __init__(self, site, driver, origin):
        self.site, self.driver, self.origin = site, driver, origin
        self.api = API(site.url)

    def run(self, script, *arguments):
        """What a promise of the page becomes: its value, or the error's text."""
        script = f"const done = arguments[arguments.length - 1]; outcome(() => {script}, done)"
        result = self.driver.execute_async_script(script, *arguments)
        return result.get("value"), result.get("error")


@pytest.fixture
def browser(stage):
    """The app's page, in a browser with an authenticator whose person is always verified."""
    stage.driver.get(stage.origin)
    stage.driver.add_virtual_authenticator(AUTHENTICATOR)
    yield stage
    stage.driver.remove_virtual_authenticator()


def registered(browser):
    account = sign_up(browser.api)
    answer, error = browser.run("register(arguments[0])", account["idToken"])
    assert error is None and answer["localId"] == account["localId"]
    return account


def test_registers_and_signs_in(browser):
    account = registered(browser)
    (credential,) = browser.driver.get_credentials()
    assert credential.rp_id == "localhost" and credential.is_resident_credential
    answer, error = browser.run("signIn()")
    assert error is None and answer["localId"] == account["localId"]
    shown = browser.api.lookup(answer["idToken"])["passkeyInfo"]
    assert [(from_b64(entry["credentialId"]), entry["name"]) for entry in shown] == [(from_b64(credential.id), "browser")]


def test_signs_in_from_a_field_that_offers_passkeys(browser):
    account = registered(browser)
    answer, error = browser.run("signIn('conditional')")
    assert error is None and answer["localId"] == account["localId"]


def test_makes_no_second_passkey_on_one_authenticator(browser):
    account = registered(browser)
    assert browser.run("register(arguments[0])", account["idToken"])[1] == "InvalidStateError"


def test_SEC_42_a_person_who_is_not_verified_has_no_way_in(browser):
    registered(browser)
    browser.driver.set_user_verified(False)
    answer, error = browser.run("signIn()")
    assert answer is None and error == "NotAllowedError"


@pytest.mark.parametrize(
    "bits, word", [({"isBogusSignature": True}, "signature"), ({"isBadUV": True}, "userVerification"), ({"isBadUP": True}, "userPresence")]
)
def test_SEC_42_an_authenticator_that_lies_is_refused(browser, bits, word):
    registered(browser)
    override(browser, bits)
    _, error = browser.run("signIn()")
    assert error == f"INVALID_AUTHENTICATOR_RESPONSE : {word}"


def override(browser, bits):
    """Has the authenticator lie. Selenium's authenticator and the one of the protocol have the same id."""
    browser.driver.execute_cdp_cmd("WebAuthn.setResponseOverrideBits", {"authenticatorId": browser.driver.virtual_authenticator_id, **bits})


def test_SEC_45_a_counter_that_goes_back_is_refused(browser):
    account = registered(browser)
    assert browser.run("signIn()")[1] is None
    (credential,) = browser.driver.get_credentials()
    stored = "UPDATE passkeys SET sign_count = 1000, backup_eligible = false, backup_state = false WHERE account_id = %s"
    browser.site.rows(stored, account["localId"])
    assert browser.run("signIn()")[1] == "INVALID_AUTHENTICATOR_RESPONSE : counter"
    browser.site.rows("UPDATE passkeys SET sign_count = 0 WHERE account_id = %s", account["localId"])
    assert browser.run("signIn()")[1] is None
    assert credential.sign_count >= 1


def test_a_passkey_that_was_removed_here_is_unknown(browser):
    account = registered(browser)
    (credential,) = browser.driver.get_credentials()
    browser.api.succeed("update", {"idToken": account["idToken"], "deletePasskey": [credential.id]})
    assert browser.run("signIn()")[1] == "PASSKEY_ENROLLMENT_NOT_FOUND"


def test_a_person_without_a_passkey_can_cancel(browser):
    assert browser.run("signIn()")[1] == "NotAllowedError"


def test_two_authenticators_open_one_account(browser):
    account = registered(browser)
    (first,) = browser.driver.get_credentials()
    browser.driver.remove_virtual_authenticator()
    browser.driver.add_virtual_authenticator(AUTHENTICATOR)
    assert browser.run("register(arguments[0])", account["idToken"])[1] is None
    (second,) = browser.driver.get_credentials()
    assert second.id != first.id
    assert browser.run("signIn()")[0]["localId"] == account["localId"]
    shown = browser.api.lookup(account["idToken"])["passkeyInfo"]
    assert {from_b64(entry["credentialId"]) for entry in shown} == {from_b64(first.id), from_b64(second.id)}


def test_a_related_site_uses_the_passkeys_of_this_one(tmp_path):
    """The site of the passkeys is the host of the server's pages; the app is at another site, which the file of the first one names."""
    certificate = Certificate(tmp_path, names=["auth.shop.example", "shop.example.net", "other.example.org"])
    server, app = "https://auth.shop.example", "https://shop.example.net"
    page = f"<script>const server = '{server}', key = '{API_KEY}'</script>" + PAGE
    web = WebServer(Request.application(lambda _: Response(page, content_type="text/html; charset=utf-8")), certificate=certificate)
    site = Site(
        settings={"publicURL": server, "development": False},
        project={
            "signIn": METHODS,
            "redirectURLs": [],
            "authorizedDomains": ["auth.shop.example", "shop.example.net", "other.example.org"],
            "passkeys": {"rpId": "auth.shop.example", "relatedOrigins": [app]},
        },
    )
    front = Front(site.serve().port, certificate=certificate)
    port = web.url.rpartition(":")[2]
    rules = [f"MAP auth.shop.example 127.0.0.1:{front.port}"] + [
        f"MAP {host} 127.0.0.1:{port}" for host in ("shop.example.net", "other.example.org")
    ]
    driver = Chromium(tmp_path / "chromium", *rules, trusts=certificate)
    try:
        stage = Stage(site, driver, app)
        driver.get(app)
        driver.add_virtual_authenticator(AUTHENTICATOR)
        account = registered(stage)
        (credential,) = driver.get_credentials()
        assert credential.rp_id == "auth.shop.example"
        answer, error = stage.run("signIn()")
        assert error is None and answer["localId"] == account["localId"]
        driver.get("https://other.example.org")
        assert stage.run("signIn()")[1] == "SecurityError"
    finally:
        driver.quit()
        for part in (front, web, site):
            part.close()

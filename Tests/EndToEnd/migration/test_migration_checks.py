"""What `check` and `doctor` say of the section `migration`: whether it can work, and what is left to do at Google afterwards."""

import time

from werkzeug.wrappers import Response

from support.clients.api import assert_error
from support.jwts import CUSTOM_TOKEN_AUDIENCE
from support.leaks import logs, note
from support.migration.moving_site import MovingSite


def live(site):
    result = site.run("check", "--live")
    return result.returncode, result.stdout


def test_SEC_52_live_shows_that_the_project_is_the_operators(firebase_of_module, firebase):
    site = MovingSite(firebase_of_module, settings={"databasePool": {}})
    try:
        status, told = live(site)
        assert status == 0 and "demo  migration.firebase  ok" in told
        site.project["migration"]["firebase"]["projectNumber"] += 1
        site.write()
        status, told = live(site)
        assert status == 1 and "names another projectNumber" in told and "compare projectId, projectNumber" in told
        site.project["migration"]["firebase"]["projectNumber"] -= 1
        site.write()
        firebase.trouble["config"] = Response('{"error":{"code":403,"message":"The caller does not have permission"}}', 403)
        status, told = live(site)
        assert status == 1 and "does not show that the Firebase project is yours" in told
        firebase.trouble.clear()
        firebase.trouble["refresh"] = Response('{"error":{"code":403,"message":"Requests from this IP address are blocked."}}', 403)
        status, told = live(site)
        assert status == 1 and "The API key does not redeem refresh tokens" in told and "from the addresses of this server" in told
    finally:
        site.close()


def test_live_tries_an_impossible_login_and_a_look_up(firebase_of_module, firebase):
    site = MovingSite(firebase_of_module, {"passwords": "changed", "unknownUsers": "import"}, settings={"databasePool": {}})
    try:
        assert live(site)[0] == 0 and firebase.count("password") == 1 and firebase.count("lookup") == 1
        firebase.trouble["password"] = Response('{"error":{"code":400,"message":"PASSWORD_LOGIN_DISABLED"}}', 400)
        status, told = live(site)
        assert status == 1 and "Google does not judge passwords" in told and "PASSWORD_LOGIN_DISABLED" in told
        assert "turn on sign-in by e-mail and password" in told
        firebase.trouble.clear()
        firebase.trouble["lookup"] = Response('{"error":{"code":403,"message":"The caller does not have permission"}}', 403)
        status, told = live(site)
        assert status == 1 and "The service account cannot look up accounts" in told and "set unknownUsers to refuse" in told
        # What is not asked for is not tried.
        site.project["migration"]["firebase"] |= {"passwords": "off", "unknownUsers": "refuse"}
        site.write()
        assert live(site)[0] == 0
    finally:
        site.close()


def test_SEC_58_the_operator_is_told_to_clean_up_at_google(firebase_of_module, firebase):
    site = MovingSite(firebase_of_module, {"until": "2026-01-01"})
    try:
        told = site.run("check").stdout
        assert "migration.firebase.until" in told and f"delete the API key and the key of {firebase.client_email} at Google" in told
        site.serve()
        assert "migration.firebase.until" in site.run("doctor").stdout
    finally:
        site.close()


def test_SEC_58_googles_keys_are_in_no_row_and_no_log(firebase_of_module, firebase):
    site = MovingSite(firebase_of_module)
    try:
        api = site.serve().api()
        site.move("ada", customAttributes='{"admin": true}')
        assert api.refresh(firebase.sign_in("ada", "custom", claims={"plan": "gold"})["refreshToken"]).status_code == 200
        assert firebase.count("access_token") == 1
        seen = "".join(log.read_text(errors="replace") for log in logs if site.folder in log.parents)
        tables = [name for (name,) in site.rows("SELECT tablename FROM pg_tables WHERE schemaname = 'public'")]
        seen += "".join(str(site.rows(f"SELECT t::text FROM {name} t")) for name in tables)
        pem = firebase.service_key.private_pem().decode().splitlines()[1]
        secrets = [firebase.api_key, pem, *firebase.access_tokens, *firebase.sessions]
        assert seen and not [secret for secret in secrets if secret in seen]
    finally:
        site.close()


def test_a_back_end_goes_on_signing_custom_tokens_with_its_key_of_google(firebase_of_module, firebase):
    site = MovingSite(firebase_of_module)
    try:
        api = site.serve().api()
        site.move("ada")
        now = int(time.time())
        claims = {"iss": firebase.client_email, "sub": firebase.client_email, "aud": CUSTOM_TOKEN_AUDIENCE, "uid": "ada"}
        token = note(firebase.service_key.sign({**claims, "iat": now, "exp": now + 3600}))
        assert_error(api.call("signInWithCustomToken", {"token": token}), "INVALID_CUSTOM_TOKEN")
        file = site.folder / "projects/google.json"
        told = site.run("service-accounts", "import", "demo", file, check=True).stdout
        assert told == f"Key {firebase.service_key.kid} of {firebase.client_email} signs custom tokens of the project demo.\n"
        assert "refreshToken" in api.succeed("signInWithCustomToken", {"token": token, "returnSecureToken": True})
        assert "customTokens" in site.run("service-accounts", "list", "demo").stdout
        assert "PRIVATE" not in str(site.rows("SELECT k::text FROM service_account_keys k"))
        again = site.run("service-accounts", "import", "demo", file)
        assert again.returncode == 1 and f"project demo has the key {firebase.service_key.kid} already" in again.stderr
        file.write_text('{"type": "authorized_user"}')
        wrong = site.run("service-accounts", "import", "demo", file)
        assert wrong.returncode == 1 and "is not the key file of a service account" in wrong.stderr
        site.write()
        site.run("service-accounts", "revoke", "demo", "--key", firebase.service_key.kid, check=True)
        assert_error(api.call("signInWithCustomToken", {"token": token}), "INVALID_CUSTOM_TOKEN")
    finally:
        site.close()

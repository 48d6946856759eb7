"""Passkeys by the REST calls, with an authenticator of the tests, and with two verifiers of other authors that judge the same bytes."""

import copy
import json
import random

import jwt
import pytest
import webauthn
from fido2.server import Fido2Server
from fido2.webauthn import AttestedCredentialData, PublicKeyCredentialRpEntity, UserVerificationRequirement
from webauthn.helpers import parse_authentication_options_json, parse_registration_options_json

from support import golden
from support.accounts import address, sign_up
from support.clients.administrator import Administrator
from support.clients.api import API, assert_error
from support.harness import free_port, together
from support.names import API_KEY, METHODS
from support.passkeys import ORIGIN, PASSKEYS, RP_ID, Authenticator, PasskeyAPI, b64, from_b64
from support.servers.site import a_site


@pytest.fixture(scope="module")
def stage():
    with a_site(project={"passkeys": PASSKEYS, "signIn": METHODS}) as site:
        site.serve()
        yield site


@pytest.fixture(scope="module")
def api(stage):
    return API(stage.url)


@pytest.fixture(scope="module")
def passkeys(api):
    return PasskeyAPI(api)


def claims(token):
    return jwt.decode(token, options={"verify_signature": False})


@pytest.mark.parametrize("algorithm", [-7, -8, -257])
def test_a_passkey_is_added_shown_used_and_removed(api, passkeys, algorithm):
    account = sign_up(api)
    authenticator, answer = passkeys.enrol(account["idToken"], Authenticator(algorithm), name="key", displayName="My key")
    assert answer["localId"] == account["localId"] and set(answer) == {"localId", "idToken", "refreshToken", "expiresIn"}
    info = api.lookup(answer["idToken"])["passkeyInfo"]
    assert info == [{"credentialId": b64(authenticator.id), "name": "key", "displayName": "My key"}]
    signed_in = passkeys.sign_in(authenticator).json()
    assert signed_in["localId"] == account["localId"]
    firebase = claims(signed_in["idToken"])["firebase"]
    assert firebase["sign_in_provider"] == firebase["sign_in_second_factor"] == "passkey"
    assert api.refresh(signed_in["refreshToken"]).status_code == 200
    removed = api.succeed("update", {"idToken": account["idToken"], "deletePasskey": [b64(authenticator.id)]})
    assert removed["idToken"] and removed["refreshToken"]
    assert_error(passkeys.sign_in(authenticator), "PASSKEY_ENROLLMENT_NOT_FOUND")
    assert "passkeyInfo" not in api.lookup(account["idToken"])
    assert api.refresh(signed_in["refreshToken"]).status_code == 400


def test_an_operator_and_a_back_end_see_passkeys_and_take_them_away(stage, api, passkeys):
    account = sign_up(api)
    held = [passkeys.enrol(account["idToken"], Authenticator(), name=f"key {number}")[0] for number in range(3)]
    signed_in = [passkeys.sign_in(authenticator).json() for authenticator in held]
    shown = stage.run("users", "get", "demo", account["localId"], check=True).stdout
    lines = [line.split() for line in shown.splitlines() if line.startswith("passkey")]
    assert lines == [["passkey", b64(held[number].id), "key", str(number)] for number in range(3)], shown
    told = json.loads(stage.run("users", "get", "demo", account["localId"], "--json", check=True).stdout)
    assert [passkey["credentialId"] for passkey in told["passkeyInfo"]] == [b64(authenticator.id) for authenticator in held]
    strange = stage.run("users", "update", "demo", account["localId"], "--remove-passkey", "strange")
    assert strange.returncode == 1 and "has no passkey strange" in strange.stderr
    stage.run("users", "update", "demo", account["localId"], "--remove-passkey", b64(held[0].id), check=True)
    Administrator(stage).succeed("update", {"localId": account["localId"], "deletePasskey": [b64(held[1].id)]})
    for number, tokens in enumerate(signed_in):
        assert api.refresh(tokens["refreshToken"]).status_code == (200 if number == 2 else 400)
        assert passkeys.sign_in(held[number]).status_code == (200 if number == 2 else 400)
    acts = stage.rows("SELECT actor_kind FROM audit_events WHERE action = 'passkey.removed' AND account_id = %s", account["localId"])
    assert acts == [("command",), ("administrator",)]


def test_answers_are_exactly_these(stage, api, passkeys):
    account = sign_up(api, "golden-passkey@example.com")
    authenticator = Authenticator()
    authenticator.id = bytes(range(1, 21))

    def check(name, call, **body):
        return golden.check(name, passkeys.call(call, **body), [(stage.url, "<url>")])

    started = passkeys.call("passkeyEnrollment:start", idToken=account["idToken"])
    handle = started.json()["credentialCreationOptions"]["user"]["id"]
    golden.check("passkeyEnrollmentStart", started, [(handle, "<user handle>")])
    response = authenticator.create(started.json()["credentialCreationOptions"])
    body = {"idToken": account["idToken"], "authenticatorRegistrationResponse": response}
    check("passkeyEnrollmentFinalize", "passkeyEnrollment:finalize", **body)
    check("passkeyEnrollmentFinalize.used", "passkeyEnrollment:finalize", **body)
    request = check("passkeySignInStart", "passkeySignIn:start")["credentialRequestOptions"]
    assertion = authenticator.get(request)
    check("passkeySignInFinalize", "passkeySignIn:finalize", authenticatorAuthenticationResponse=assertion)
    check("passkeySignInFinalize.used", "passkeySignIn:finalize", authenticatorAuthenticationResponse=assertion)
    check("passkeySignInFinalize.missing", "passkeySignIn:finalize")
    golden.check("lookup.passkey", api.call("lookup", {"idToken": account["idToken"]}))


def test_a_guest_becomes_a_person_with_a_passkey(api, passkeys):
    guest = api.succeed("signUp", {"returnSecureToken": True})
    authenticator, answer = passkeys.enrol(guest["idToken"])
    assert claims(answer["idToken"])["firebase"]["sign_in_provider"] == "passkey"
    assert passkeys.sign_in(authenticator).json()["localId"] == guest["localId"]


def test_two_verifiers_of_other_authors_read_the_options_and_accept_what_we_accept(api, passkeys):
    token = sign_up(api)["idToken"]
    options = passkeys.creation_options(token)
    parsed = parse_registration_options_json(options)
    assert parsed.rp.id == RP_ID and [parameter.alg for parameter in parsed.pub_key_cred_params] == [-8, -7, -257]
    authenticator = Authenticator()
    response = authenticator.create(options, packed=True)
    registered = webauthn.verify_registration_response(
        credential=response,
        expected_challenge=from_b64(options["challenge"]),
        expected_rp_id=RP_ID,
        expected_origin=ORIGIN,
        require_user_verification=True,
    )
    assert registered.credential_id == authenticator.id
    server = Fido2Server(PublicKeyCredentialRpEntity(id=RP_ID, name="demo"))
    data = server.register_complete(state(options["challenge"]), response)
    passkeys.succeed("passkeyEnrollment:finalize", idToken=token, authenticatorRegistrationResponse=response)

    request = passkeys.request_options()
    assert parse_authentication_options_json(request).rp_id == RP_ID
    assertion = authenticator.get(request)
    assert accepted_by_webauthn(assertion, request["challenge"], registered)
    assert accepted_by_fido2(assertion, request["challenge"], data.credential_data)
    assert passkeys.finish(assertion).status_code == 200


def state(challenge):
    return {"challenge": challenge, "user_verification": UserVerificationRequirement.REQUIRED}


def accepted_by_webauthn(assertion, challenge, registered):
    try:
        webauthn.verify_authentication_response(
            credential=assertion,
            expected_challenge=from_b64(challenge),
            expected_rp_id=RP_ID,
            expected_origin=ORIGIN,
            credential_public_key=registered.credential_public_key,
            credential_current_sign_count=0,
            require_user_verification=True,
        )
        return True
    except Exception:
        return False


def accepted_by_fido2(assertion, challenge, credential: AttestedCredentialData):
    try:
        Fido2Server(PublicKeyCredentialRpEntity(id=RP_ID, name="demo")).authenticate_complete(state(challenge), [credential], assertion)
        return True
    except Exception:
        return False


def test_SEC_44_no_changed_byte_is_accepted_by_us_or_by_the_others(api, passkeys):
    """10,000 assertions of which one byte is another one; the seed makes each run the same."""
    token = sign_up(api)["idToken"]
    options = passkeys.creation_options(token)
    authenticator = Authenticator(-8)
    response = authenticator.create(options)
    registered = webauthn.verify_registration_response(
        credential=response, expected_challenge=from_b64(options["challenge"]), expected_rp_id=RP_ID, expected_origin=ORIGIN
    )
    credential = Fido2Server(PublicKeyCredentialRpEntity(id=RP_ID, name="demo")).register_complete(state(options["challenge"]), response)
    passkeys.succeed("passkeyEnrollment:finalize", idToken=token, authenticatorRegistrationResponse=response)
    request = passkeys.request_options()
    honest = authenticator.get(request)
    chance = random.Random(44)
    for _ in range(10_000):
        changed = copy.deepcopy(honest)
        name = chance.choice(["clientDataJSON", "authenticatorData", "signature"])
        value = bytearray(from_b64(changed["response"][name]))
        value[chance.randrange(len(value))] ^= chance.randrange(1, 256)
        changed["response"][name] = b64(bytes(value))
        assert not accepted_by_webauthn(changed, request["challenge"], registered), (name, value)
        assert not accepted_by_fido2(changed, request["challenge"], credential.credential_data), (name, value)
        answer = passkeys.finish(changed)
        assert answer.status_code == 400, (name, value)
        assert answer.json()["error"]["message"].split(" : ")[0] in ("INVALID_AUTHENTICATOR_RESPONSE", "PASSKEY_CHALLENGE_TIMEOUT")
    # None of them has used the challenge up.
    assert passkeys.finish(honest).status_code == 200


def test_SEC_40_two_processes_accept_one_answer_once(stage, api, passkeys):
    second = stage.serve(free_port())
    processes = [passkeys, PasskeyAPI(API(second.url))]
    authenticator, _ = passkeys.enrol(sign_up(api)["idToken"])
    for _ in range(5):
        assertion = authenticator.get(passkeys.request_options())
        answers = together(20, lambda index: processes[index % 2].finish(assertion))
        codes = [answer.status_code for answer in answers]
        assert codes.count(200) == 1, [answer.text for answer in answers if answer.status_code != 200][:3]


def test_SEC_42_a_person_who_is_not_verified_is_refused(api, passkeys):
    authenticator, _ = passkeys.enrol(sign_up(api)["idToken"])
    for flags, word in [(0x19, "userVerification"), (0x1C, "userPresence"), (0x15, "backup"), (0x05, "backup")]:
        authenticator.flags = flags
        assert assert_error(passkeys.sign_in(authenticator), "INVALID_AUTHENTICATOR_RESPONSE").endswith(word)


def test_SEC_41_look_alikes_are_refused(api, passkeys):
    authenticator, _ = passkeys.enrol(sign_up(api)["idToken"])
    for origin in [
        "https://example.com.evil",
        "https://app.example.com:444",
        "http://app.example.com",
        "null",
        "https://APP.example.com",
        "https://app.example.com/",
        "android:apk-key-hash:AAAA",
    ]:
        authenticator.origin = origin
        assert assert_error(passkeys.sign_in(authenticator), "INVALID_AUTHENTICATOR_RESPONSE").endswith("origin")
    authenticator.origin, authenticator.rp_id = ORIGIN, "app.example.com"
    assert assert_error(passkeys.sign_in(authenticator), "INVALID_AUTHENTICATOR_RESPONSE").endswith("rpId")


def test_apples_dialect_is_read(api, passkeys):
    """Standard base64 with padding, and none of the members that say the same twice."""

    def spoken(response):
        words = {name: standard(value) for name, value in response["response"].items()}
        return {"id": standard(response["id"]), "response": words}

    def standard(text):
        return text.replace("-", "+").replace("_", "/") + "=" * (-len(text) % 4)

    token = sign_up(api)["idToken"]
    authenticator = Authenticator()
    response = spoken(authenticator.create(passkeys.creation_options(token)))
    passkeys.succeed("passkeyEnrollment:finalize", idToken=token, authenticatorRegistrationResponse=response)
    assert passkeys.finish(spoken(authenticator.get(passkeys.request_options()))).status_code == 200


def test_a_passkey_takes_the_place_of_a_second_factor(stage, api, passkeys):
    email = address()
    account = sign_up(api, email)
    authenticator, _ = passkeys.enrol(account["idToken"])
    factors = '[{"mfaEnrollmentId": "f", "displayName": "app", "totpInfo": {}, "enrolledAt": "2026-01-01T00:00:00Z"}]'
    stage.rows("UPDATE accounts SET second_factors = %s WHERE account_id = %s", factors, account["localId"])
    pending = api.succeed("signInWithPassword", {"email": email, "password": "correct horse"})
    credential = pending["mfaPendingCredential"]
    options = passkeys.succeed("mfaSignIn:start", mfaPendingCredential=credential, passkeySignInInfo={})
    options = options["passkeyResponseInfo"]["credentialRequestOptions"]
    assert [entry["id"] for entry in options["allowCredentials"]] == [b64(authenticator.id)]
    answer = passkeys.succeed(
        "mfaSignIn:finalize", mfaPendingCredential=credential, authenticatorAuthenticationResponse=authenticator.get(options)
    )
    firebase = claims(answer["idToken"])["firebase"]
    assert (firebase["sign_in_provider"], firebase["sign_in_second_factor"]) == ("password", "passkey")
    # By itself it is enough, too.
    assert passkeys.sign_in(authenticator).status_code == 200


def test_SEC_45_a_copy_is_noticed_and_the_owner_told(stage, api, passkeys):
    account = sign_up(api)
    authenticator = Authenticator(backed_up=False)
    passkeys.enrol(account["idToken"], authenticator)
    authenticator.count = 7
    assert passkeys.sign_in(authenticator).status_code == 200
    for _ in range(2):
        assert assert_error(passkeys.sign_in(authenticator), "INVALID_AUTHENTICATOR_RESPONSE").endswith("counter")
    listed = stage.run("audit", "list", "demo", "--account", account["localId"]).stdout
    assert listed.count("passkey.suspected") == 1, listed
    authenticator.count = 8
    assert passkeys.sign_in(authenticator).status_code == 200


def test_a_challenge_that_is_not_ours_is_refused_in_the_words_of_the_sdks(api, passkeys):
    authenticator, _ = passkeys.enrol(sign_up(api)["idToken"])
    options = passkeys.request_options()
    options["challenge"] = b64(bytes(33))
    assert_error(passkeys.finish(authenticator.get(options)), "PASSKEY_CHALLENGE_TIMEOUT")


def test_SEC_46_starts_leave_nothing_behind(stage, passkeys):
    before = stage.value("SELECT count(*) FROM spent_tokens")
    for _ in range(300):
        passkeys.request_options()
    assert stage.value("SELECT count(*) FROM spent_tokens") == before


def test_passkeys_move_with_their_accounts_to_a_project_of_the_same_site(stage, api, passkeys):
    account = sign_up(api)
    authenticator = Authenticator(backed_up=False)
    passkeys.enrol(account["idToken"], authenticator, name="key")
    authenticator.count = 3
    assert passkeys.sign_in(authenticator).status_code == 200
    exported = stage.folder / "accounts.ndjson"
    stage.run("export", "json", "demo", exported, check=True)
    with a_site(project={"passkeys": PASSKEYS, "signIn": METHODS}) as site:
        site.run("import", "json", "demo", exported, "--yes", check=True)
        there = PasskeyAPI(API(site.serve().url))
        assert assert_error(there.sign_in(authenticator), "INVALID_AUTHENTICATOR_RESPONSE").endswith("counter")
        authenticator.count = 4
        assert there.sign_in(authenticator).json()["localId"] == account["localId"]
        again = site.folder / "again.ndjson"
        site.run("export", "json", "demo", again, check=True)
        (line,) = [line for line in again.read_text().splitlines() if f'"{account["localId"]}"' in line]
        assert '"name":"key"' in line and '"signCount":"4"' in line and f'"userHandle":"{b64(authenticator.user_handle)}"' in line
    with a_site(project={"passkeys": {"rpId": "app.example.com"}, "signIn": METHODS}) as site:
        told = site.run("import", "json", "demo", exported, "--dry-run")
        assert "passkey of another site" in told.stdout + told.stderr


def test_a_project_without_the_section_has_none_of_it():
    with a_site() as site:
        site.serve()
        assert_error(PasskeyAPI(API(site.url, API_KEY)).call("passkeySignIn:start"), "PASSKEY_NOT_ENABLED")

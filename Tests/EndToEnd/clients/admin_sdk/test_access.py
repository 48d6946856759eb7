"""What a back end may do: the key file, its rights, its project, and the end of all of it."""

import json

import pytest
import requests
from firebase_admin import exceptions

from support.accounts import person
from support.admin_sdk.back_end import Process
from support.admin_sdk.pages import commands, example
from support.clients.backend import make_key
from support.leaks import note
from support.names import PROJECT, TIMEOUT
from support.servers.site import write_secret


@pytest.fixture
def stage(production_stage):
    return production_stage


def back_end(stage, *rights, project=PROJECT):
    """A back end of its own, with a new key file."""
    path = make_key(stage.site, project, "b" + person()[-8:], *(["--rights", ",".join(rights)] if rights else []))
    return stage.process.app(path), path


CALLS = {
    "readUsers": lambda sdk, user: sdk.get_user(user["localId"]),
    "manageUsers": lambda sdk, user: sdk.set_custom_user_claims(user["localId"], {"a": 1}),
    "mintLinks": lambda sdk, user: sdk.generate_password_reset_link(user["email"]),
    "sessionCookies": lambda sdk, user: sdk.create_session_cookie(user["idToken"], 600),
}


@pytest.mark.parametrize("right", CALLS)
def test_a_right_permits_its_calls_and_no_other(stage, right):
    user = stage.api.succeed("signUp", {"email": f"{person()}@example.com", "password": "correct horse", "returnSecureToken": True})
    sdk, _ = back_end(stage, right)
    for other, call in CALLS.items():
        if other == right:
            call(sdk, user)
        else:
            with pytest.raises(exceptions.PermissionDeniedError):
                call(sdk, user)
    assert (stage.sdk.get_user(user["localId"]).custom_claims == {"a": 1}) == (right == "manageUsers")


def test_password_hashes_need_a_right_of_their_own(stage):
    email = f"{person()}@example.com"
    uid = stage.sdk.create_user(email=email, password="correct horse").uid

    def listed(sdk):
        return next(user for page in sdk.pages() for user in page if user.uid == uid)

    assert listed(stage.sdk).password_hash in (None, "UkVEQUNURUQ=")
    reader, _ = back_end(stage, "readUsers", "readPasswordHashes")
    shown = listed(reader)
    assert shown.password_hash not in (None, "", "UkVEQUNURUQ=")


def test_a_key_file_opens_its_own_project_alone(stage):
    foreign = stage.process.app(stage.key("other"), PROJECT)
    for ask in (
        lambda: foreign.get_user_by_email("ada@example.com"),
        lambda: foreign.create_user(uid=person()),
        lambda: foreign.pages(),
        lambda: foreign.delete_users(["a"]),
        lambda: foreign.generate_password_reset_link("ada@example.com"),
    ):
        with pytest.raises(exceptions.PermissionDeniedError):
            ask()


def test_a_revoked_key_ends_at_once_although_its_access_token_is_fresh(stage):
    sdk, path = back_end(stage)
    uid = sdk.create_user().uid
    stage.site.run("service-accounts", "revoke", PROJECT, "--key", json.loads(path.read_text())["private_key_id"], check=True)
    with pytest.raises((exceptions.UnauthenticatedError, AssertionError), match="Credentials|credentials|invalid_grant"):
        sdk.delete_user(uid)
    assert stage.sdk.get_user(uid).uid == uid


def test_a_back_end_in_emulator_mode_manages_nobody_in_production(stage):
    process = Process({"FIREBASE_AUTH_EMULATOR_HOST": f"127.0.0.1:{stage.site.port}"})
    try:
        uid = stage.sdk.create_user().uid
        with pytest.raises(exceptions.UnauthenticatedError):
            process.app().delete_user(uid)
        assert stage.sdk.get_user(uid).uid == uid
    finally:
        process.close()


def in_its_folder(stage):
    """What makes an example find its key file."""
    folder = stage.key().parent
    write_secret(folder / "backend.json", stage.key().read_text())
    return f"import os\nos.chdir({str(folder)!r})\n"


def test_the_example_without_an_SDK(stage):
    """As it stands on the page, in the network of the back end."""
    email = "ada@example.com"
    stage.sdk.create_user(email=email)
    script = in_its_folder(stage) + example("admin-sdk.md", "python", "rest") + "found = users[0]\n"
    names = stage.process.do("execute", script, {})
    note(names["access_token"])
    assert names["found"]["email"] == email
    # The same for a shell, and the token, which must not be in any log.
    folder = stage.key().parent
    printed = stage.process.run(f"cd {folder}\n" + commands("admin-sdk.md", "rest") + '\nprintf "\\n%s" "$access_token"')
    answer, _, token = printed.strip().rpartition("\n")
    note(token)
    assert [user["email"] for user in json.loads(answer)["users"]] == [email]


def test_the_example_of_production(stage):
    user = stage.api.succeed("signUp", {"returnSecureToken": True})
    script = in_its_folder(stage) + example("admin-sdk.md", "python", "production")
    script += "firebase_admin.delete_app(app)\n"
    stage.process.do("execute", script, {"id_token": user["idToken"]})
    assert stage.sdk.get_user(user["localId"]).custom_claims == {"role": "admin"}


def test_the_example_of_emulator_mode(development_stage):
    script = example("admin-sdk.md", "python", "emulator") + "firebase_admin.delete_app(app)\n"
    development_stage.process.do("execute", script, {})
    # A project that the server makes on the fly.
    assert development_stage.process.app(project="demo-project").get_user_by_email("ada@example.com").uid


def test_the_guard_against_emulator_mode(development_stage):
    guard = example("admin-sdk.md", "python", "guard")
    process = development_stage.process
    assert process.run("python3 - <<'E'\n" + guard + "E\necho fine").strip() == "fine"
    with pytest.raises(AssertionError, match="must not be set"):
        process.run("python3 - <<'E'\n" + guard + "E\n", APP_ENV="production")


@pytest.mark.parametrize("authorization", ["Bearer owner", "bearer OWNER", "Bearer ya29.a", "Bearer gatehouse_AAAA", "Basic b3duZXI6", ""])
def test_SEC_22_nothing_else_opens_the_calls_in_production(stage, authorization):
    address = f"{stage.site.url}/v1/projects/{PROJECT}/accounts:lookup"
    answer = requests.post(address, json={"localId": ["a"]}, headers={"authorization": authorization}, timeout=TIMEOUT)
    assert answer.status_code == 401, answer.text

"""`gatehouse dev`: one command in place of Firebase's Auth emulator."""

import json
import os
import pathlib
import re
import signal
import stat
import subprocess

import firebase_admin
import jwt
import pytest
import requests
from firebase_admin import auth

from support.clients.api import API, assert_error
from support.harness import BINARY, free_port, home, wait_until
from support.jwts import claims
from support.names import TIMEOUT
from support.servers.dev import a_dev
from support.servers.postgres import cluster

pytestmark = pytest.mark.long


@pytest.fixture(scope="module")
def dev():
    with a_dev() as dev:
        yield dev.wait_ready()


def header(token):
    return jwt.get_unverified_header(token)


def test_it_prints_the_lines_that_lead_to_it(dev):
    printed = wait_until(lambda: "look at it" in dev.printed() and dev.printed(), what="the lines")
    assert f"export FIREBASE_AUTH_EMULATOR_HOST=127.0.0.1:{dev.port}\n" in printed
    assert "export GCLOUD_PROJECT=demo-project\n" in printed
    assert f'connectAuthEmulator(auth, "http://localhost:{dev.port}");' in printed
    assert f"http://localhost:{dev.port}/emulator/\n" in printed


def test_an_app_and_a_back_end_need_nothing_else(dev, monkeypatch):
    api = API(dev.url + "/identitytoolkit.googleapis.com", "any")
    made = api.succeed("signUp", {"email": "ada@example.com", "password": "analytical engine", "returnSecureToken": True})
    assert header(made["idToken"]) == {"alg": "none", "typ": "JWT"} and made["idToken"].endswith(".")
    assert claims(made["idToken"])["aud"] == "demo-project"
    assert api.lookup(made["idToken"])["email"] == "ada@example.com"
    refreshed = API(dev.url, "any").refresh(made["refreshToken"]).json()
    assert header(refreshed["id_token"])["alg"] == "none"
    monkeypatch.setenv("FIREBASE_AUTH_EMULATOR_HOST", f"127.0.0.1:{dev.port}")
    app = firebase_admin.initialize_app(options={"projectId": "demo-project"}, name="gatehouse dev")
    try:
        assert auth.verify_id_token(made["idToken"], app=app)["uid"] == made["localId"]
        auth.delete_user(made["localId"], app=app)
    finally:
        firebase_admin.delete_app(app)
    assert_error(api.call("lookup", {"idToken": made["idToken"]}), "USER_NOT_FOUND")


def test_a_hook_of_a_back_end_on_this_machine_is_asked(dev, gateway):
    gateway.answers = [(200, "{}")]
    hooks = {"triggers": {"beforeSignIn": {"functionUri": gateway.url}}}
    config = f"{dev.url}/v2/projects/demo-project/config"
    owner = {"headers": {"Authorization": "Bearer owner"}, "timeout": TIMEOUT}
    assert requests.patch(config, json={"blockingFunctions": hooks}, **owner).status_code == 200
    API(dev.url, "any").succeed("signUp", {"email": "asked@example.com", "password": "correct horse", "returnSecureToken": True})
    assert len(gateway.requests) == 1
    requests.patch(config, params={"updateMask": "blockingFunctions"}, json={}, **owner)


def test_the_files_are_the_owners_alone(dev):
    (folder,) = pathlib.Path(dev.temporary).glob("gatehouse-dev-*")
    for name in ("master.key", "database.url", "gatehouse.yaml", "projects/project.yaml"):
        assert stat.S_IMODE((folder / "data" / name).stat().st_mode) == 0o600, name
    assert stat.S_IMODE((folder / "socket").stat().st_mode) == 0o700
    assert stat.S_IMODE((folder / "data/postgres").stat().st_mode) == 0o700


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGKILL])
def test_nothing_is_left_when_it_ends(number):
    with a_dev() as dev:
        dev.wait_ready()
        assert len(dev.leftovers()) > 1
        status = dev.stop(number)
        assert status == (-signal.SIGKILL if number == signal.SIGKILL else 0)
        wait_until(lambda: not dev.leftovers(), what="the end of PostgreSQL and the folder")


def test_data_in_a_folder_stay():
    # A user of another name may run PostgreSQL, and has to get through.
    folder = pathlib.Path(home) / f"data-{free_port()}"
    os.chmod(home, 0o755)
    with a_dev("--data", folder, "--project", "kept-project") as dev:
        dev.wait_ready()
        made = API(dev.url, "any").succeed("signUp", {"returnSecureToken": True})
        assert dev.stop() == 0 and folder.exists()
    with a_dev("--data", folder, "--project", "kept-project", "--signed-tokens") as dev:
        dev.wait_ready()
        again = API(dev.url, "any").refresh(made["refreshToken"]).json()
        assert again["user_id"] == made["localId"] and header(again["id_token"])["alg"] == "RS256"
        assert_error(API(dev.url, "any").call("lookup", {"idToken": made["idToken"]}), "INVALID_ID_TOKEN")
        config = folder / "gatehouse.yaml"
        with a_dev("--data", folder) as second:
            assert second.wait() == 1 and f"another gatehouse dev uses {folder}" in second.printed(), second.printed()
        assert API(dev.url, "any").refresh(again["refresh_token"]).status_code == 200, "the first one goes on"
        listed = subprocess.run([BINARY, "keys", "list", "--config", config], capture_output=True, text=True, timeout=TIMEOUT)
        assert listed.returncode == 0 and "RS256" in listed.stdout, listed.stderr


@pytest.mark.parametrize("named", [{"GCLOUD_PROJECT": "from-variable"}, {"GOOGLE_CLOUD_PROJECT": "from-variable"}])
def test_a_command_runs_beside_it_with_its_variables(named):
    script = """
import json, os, sys, urllib.request
host = os.environ["FIREBASE_AUTH_EMULATOR_HOST"]
request = urllib.request.Request(f"http://{host}/v1/accounts:signUp?key=x", b"{}", {"content-type": "application/json"})
print(json.dumps([os.environ["GCLOUD_PROJECT"], os.environ["GOOGLE_CLOUD_PROJECT"], "localId" in json.load(urllib.request.urlopen(request))]))
sys.exit(7)
"""
    with a_dev(command=["python3", "-c", script], **named) as dev:
        assert dev.wait() == 7, dev.printed()
        assert json.loads(dev.printed()) == ["from-variable", "from-variable", True]
        assert not dev.leftovers()


def test_a_command_is_told_to_end_with_it():
    with a_dev(command=["sleep", "1000"]) as dev:
        dev.wait_ready()
        assert dev.stop(signal.SIGTERM) == 128 + signal.SIGTERM
        assert not dev.leftovers()


def test_a_command_ends_with_it_when_it_is_killed():
    with a_dev(command=["sleep", "1000"]) as dev:
        dev.wait_ready()
        command = wait_until(lambda: children(dev.process.pid, "sleep"), what="the command")
        dev.stop(signal.SIGKILL)
        wait_until(lambda: not pathlib.Path(f"/proc/{command}").exists() and not dev.leftovers(), what="the end of everything")


def children(process, name):
    """The id of the child of a process that runs this program; `None` without one."""
    for child in pathlib.Path(f"/proc/{process}/task").glob("*/children"):
        for number in child.read_text().split():
            if pathlib.Path(f"/proc/{number}/comm").read_text().strip() == name:
                return int(number)


def test_doctor_examines_it(dev):
    (config,) = pathlib.Path(dev.temporary).glob("gatehouse-dev-*/data/gatehouse.yaml")
    told = subprocess.run([BINARY, "doctor", "--json", "--config", config], capture_output=True, text=True, timeout=TIMEOUT)
    parts = {part["part"]: [finding["code"] for finding in part["findings"]] for part in json.loads(told.stdout)["parts"]}
    assert {part: codes for part, codes in parts.items() if codes} == {"settings": ["settings.development"]}, told.stdout
    assert told.returncode == 1 and {"database", "data", "server", "publicURL"} < set(parts)


def test_a_command_that_is_not_there_is_told():
    with a_dev(command=["no-such-command"]) as dev:
        assert dev.wait() == 1 and "the command cannot be run: no-such-command: No such file or directory" in dev.printed()


@pytest.mark.parametrize(
    "options, reason",
    [
        (["--project", "No"], "cannot be a project's id"),
        (["--project", "emulator"], "cannot be a project's id"),
        (["--port", "70000"], "--port is a number from 1 to 65535"),
        (["--database", "postgresql:///none"], "--database needs --data"),
    ],
)
def test_a_wrong_option_is_told(options, reason):
    told = subprocess.run([BINARY, "dev", *options], capture_output=True, text=True, timeout=TIMEOUT)
    assert told.returncode == 64 and reason in told.stderr, told.stderr


def test_a_port_that_is_taken_is_told(dev):
    with a_dev(port=dev.port) as other:
        assert other.wait() == 1 and f"cannot listen on 127.0.0.1:{dev.port} (listen)" in other.printed()


def test_of_two_that_start_at_the_same_time_one_gets_the_port():
    with a_dev() as one, a_dev(port=one.port) as other:
        wait_until(lambda: one.process.poll() is not None or other.process.poll() is not None, what="the end of one")
        refused, serving = (one, other) if one.process.poll() is not None else (other, one)
        assert refused.wait() == 1
        assert re.search(
            rf"another gatehouse dev on this machine has the port {one.port}|cannot listen on 127.0.0.1:{one.port}", refused.printed()
        )
        serving.wait_ready()


def test_a_database_of_ones_own():
    database = cluster().create()
    folder = pathlib.Path(home) / f"data-{free_port()}"
    with a_dev("--data", folder, "--database", database) as dev:
        dev.wait_ready()
        API(dev.url, "any").succeed("signUp", {"returnSecureToken": True})
        assert not (folder / "postgres").exists()
        assert dev.stop() == 0

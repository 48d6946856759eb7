"""`gatehouse export`: all accounts of a project in files, for this server and for Firebase."""

import base64
import hashlib
import json
import stat
import subprocess

import pytest

from support.accounts import anonymous, sign_up
from support.leaks import note
from support.names import METHODS, PROJECT, TIMEOUT
from support.servers.site import a_site

FIREBASE = "$firebase-scrypt$ln=14,r=8,key=0a1b$AAECAwQFBgcICQoLDA0ODw$" + "A" * 86
ARGON2 = "$argon2id$v=19$m=4096,t=3,p=2$AAECAwQFBgcICQoLDA0ODw$aJJgV/AKKE+EZ8pjJnbpA+6dvBQZiVkUFu3/rPMfAMs"


@pytest.fixture(scope="module")
def site():
    with a_site(project={"signIn": METHODS}) as site:
        site.serve()
        yield site


@pytest.fixture(scope="module")
def users(site):
    """Accounts by the names of what they are here for."""
    api = site.servers[0].api()
    users = {name: sign_up(api) for name in ("scrypt", "firebase", "argon2", "oidc", "factor")} | {"anonymous": anonymous(api).json()}
    ids = {name: user["localId"] for name, user in users.items()}
    site.rows("UPDATE accounts SET password_hash = %s WHERE account_id = %s", FIREBASE, ids["firebase"])
    site.rows("UPDATE accounts SET password_hash = %s WHERE account_id = %s", ARGON2, ids["argon2"])
    site.rows(
        "INSERT INTO identities (project_id, provider_id, subject, account_id, email_verified, linked_at, last_sign_in_at, linked_unproven)"
        " VALUES (%s, 'oidc.acme', 's', %s, false, now(), now(), true)", PROJECT, ids["oidc"],
    )  # fmt: skip
    factors = [{"mfaEnrollmentId": "f", "phoneInfo": "+15551234567"}, {"mfaEnrollmentId": "t", "totpInfo": {}}]
    site.rows("UPDATE accounts SET second_factors = %s WHERE account_id = %s", json.dumps(factors), ids["factor"])
    return ids


def mode(path):
    return stat.S_IMODE(path.stat().st_mode)


def hashed(user):
    return note(user["passwordHash"])


def test_json_has_every_account_in_the_order_of_ids_and_the_same_bytes_each_time(site, users):
    file = site.folder / "accounts.ndjson"
    result = site.run("export", "json", PROJECT, file)
    assert result.returncode == 0 and f"{len(users)} accounts in {file}." in result.stderr
    assert mode(file) == 0o600
    records = [json.loads(line) for line in file.read_text().splitlines()]
    assert [record["localId"] for record in records] == sorted(users.values())
    by_id = {record["localId"]: record for record in records}
    assert by_id[users["firebase"]]["passwordHash"] == FIREBASE
    assert by_id[users["anonymous"]]["anonymous"] is True and "passwordHash" not in by_id[users["anonymous"]]
    assert by_id[users["oidc"]]["providerUserInfo"][0]["linkedUnproven"] is True
    assert by_id[users["factor"]]["mfaInfo"][1] == {"mfaEnrollmentId": "t", "totpInfo": {}}

    printed = site.run("export", "json", PROJECT, prints_secret=True)
    assert printed.stdout == file.read_text()
    again = site.run("export", "json", PROJECT, file)
    assert again.returncode == 1 and "is there already" in again.stderr, "a file is never replaced"
    assert site.run("export", "json", "nosuchproject").returncode == 1


def test_firebase_gets_a_file_for_each_hash_scheme_and_the_lines_to_run(site, users):
    folder = site.folder / "firebase"
    result = site.run("export", "firebase", PROJECT, f"{folder}/")
    assert result.returncode == 0, result.stderr
    assert f" sh {folder}/import.sh" in result.stderr
    assert "1 × password: Firebase cannot check hashes of argon2id" in result.stderr
    assert "1 × second factor other than a phone" in result.stderr
    (ours,) = {path.name for path in folder.glob("scrypt-*.json") if not path.name.endswith(".admin.json")}
    assert {path.name for path in folder.iterdir()} == {
        ours, ours.replace(".json", ".admin.json"), "firebase-scrypt-14-8-0a1b.json", "without-password.json", "import.sh",
    }  # fmt: skip
    assert mode(folder) == 0o700 and all(mode(path) == 0o600 for path in folder.iterdir())

    def ids(name, member):
        return [user[member] for user in json.loads((folder / name).read_text())["users"]]

    assert ids(ours, "localId") == [users["scrypt"]]
    assert ids("firebase-scrypt-14-8-0a1b.json", "localId") == [users["firebase"]]
    assert ids("without-password.json", "localId") == sorted([users["argon2"], users["anonymous"]])
    admin = ours.replace(".json", ".admin.json")
    assert ids(admin, "uid") == sorted([users["oidc"], users["factor"]])
    assert json.loads((folder / admin).read_text())["hash"]["algorithm"] == "STANDARD_SCRYPT"
    not_known = {"localId", "email", "emailVerified", "passwordHash", "salt", "createdAt", "lastSignedInAt"}
    assert not {name for user in json.loads((folder / ours).read_text())["users"] for name in user} - not_known


def test_the_hash_for_firebase_is_the_scrypt_that_its_line_names(site, users):
    """The command line of Firebase would give these numbers to Google, which computes scrypt by them."""
    folder = site.folder / "checked"
    password = note("a password that is exported")
    user = sign_up(site.servers[0].api(), password=password)
    assert site.run("export", "firebase", PROJECT, folder).returncode == 0
    script = (folder / "import.sh").read_text()
    line = next(line for line in script.splitlines() if line.startswith("firebase auth:import scrypt-"))
    options = dict(word.removeprefix("--").split("=") for word in line.split() if word.startswith("--") and "=" in word)
    records = json.loads((folder / line.split()[2]).read_text())["users"]
    record = next(record for record in records if record["localId"] == user["localId"])
    derived = hashlib.scrypt(
        password.encode(), salt=base64.b64decode(record["salt"]), n=int(options["mem-cost"]), r=int(options["block-size"]),
        p=int(options["parallelization"]), dklen=int(options["dk-len"]), maxmem=64 << 20,
    )  # fmt: skip
    assert options["hash-algo"] == "STANDARD_SCRYPT" and base64.b64encode(derived).decode() == hashed(record)


def test_SEC_58_the_script_asks_for_signer_keys_and_runs_each_line(site, users, tmp_path):
    folder = site.folder / "run"
    assert site.run("export", "firebase", PROJECT, folder).returncode == 0
    double = tmp_path / "firebase"
    double.write_text('#!/bin/sh\nfor word in "$@"; do printf "%s|" "$word"; done\necho\n')
    double.chmod(0o700)
    environment = {"PATH": f"{tmp_path}:/usr/bin:/bin", "FIREBASE_PROJECT": "acme"}

    def run(**more):
        command = ["sh", folder / "import.sh"]
        return subprocess.run(command, env=environment | more, capture_output=True, text=True, timeout=TIMEOUT)

    refused = run()
    assert refused.returncode != 0 and "SIGNER_KEY_0a1b" in refused.stderr and not refused.stdout
    done = run(SIGNER_KEY_0a1b="key of=", SALT_SEPARATOR_0a1b="Bw==")
    assert done.returncode == 0, done.stderr
    calls = done.stdout.splitlines()
    assert "auth:import|without-password.json|--project|acme|" in calls
    scrypt = (
        "auth:import|firebase-scrypt-14-8-0a1b.json|--hash-algo=SCRYPT|--hash-key=key of=|--salt-separator=Bw==|--rounds=8|--mem-cost=14|"
    )
    assert scrypt + "--project|acme|" in calls
    assert len(calls) == 3 and ".admin.json: the CLI would refuse it" in done.stderr


def test_an_export_never_mixes_with_what_is_there(site, users):
    folder = site.folder / "full"
    folder.mkdir()
    (folder / "other").write_text("kept")
    refused = site.run("export", "firebase", PROJECT, folder)
    assert refused.returncode == 1 and "is not an empty directory" in refused.stderr
    assert [path.name for path in folder.iterdir()] == ["other"]
    (folder / "other").unlink()
    assert site.run("export", "firebase", PROJECT, folder).returncode == 0

"""`gatehouse import firebase` and `import json`: files of accounts, from the first look to the first sign-in."""

import hashlib
import json
import os
import pty
import stat
import subprocess

import pytest

from support.harness import BINARY
from support.leaks import note
from support.names import METHODS, PROJECT, TIMEOUT
from support.servers.site import a_site

# Firebase's published example of its scrypt (https://github.com/firebase/scrypt).
SIGNER_KEY = note("jxspr8Ki0RYycVU8zykbdLGjFQ3McFUH0uiiTvC8pVMXAn210wjLNmdZJzxUECKbm0QsEmYUSDzZvpjeJ9WmXA==")
HASH = "lSrfV15cpx95/sZS2W9c9Kp6i/LVgQNDNC/qzrCnh1SAyZvqmZqAjTdn3aoItz+VHjoZilo78198JAdRuid5lQ=="
SALT = "42xEC+ixf3L2lw=="
PASSWORD = note("user1password")
BLOCK = f"""hash_config {{
  algorithm: SCRYPT,
  base64_signer_key: {SIGNER_KEY},
  base64_salt_separator: Bw==,
  rounds: 8,
  mem_cost: 14,
}}
"""


@pytest.fixture
def site():
    with a_site(project={"signIn": METHODS}) as site:
        site.serve()
        (site.folder / "hashes.txt").write_text(BLOCK)
        yield site


def run(site, kind, file, *options, text=""):
    command = [BINARY, "import", kind, PROJECT, str(file), *map(str, options), "--config", site.config]
    result = subprocess.run(command, env=site.environment(), input=text, capture_output=True, text=True, timeout=TIMEOUT)
    assert SIGNER_KEY not in result.stdout + result.stderr and PASSWORD not in result.stdout + result.stderr
    return result


def users_file(site, users, name="users.json"):
    file = site.folder / name
    file.write_text('{"users": [\n' + ",\n".join(json.dumps(user) for user in users) + "\n]}")
    return file


def hashes(site):
    return ["--hash-config", site.folder / "hashes.txt"]


def user(number, **members):
    return {
        "localId": f"uid{number}", "email": f"user{number}@example.com", "emailVerified": True, "passwordHash": HASH, "salt": SALT,
        "createdAt": "1500000000123", "lastSignedInAt": "1600000000456", "providerUserInfo": [],
    } | members  # fmt: skip


def sign_in(site, email, password=PASSWORD):
    return site.servers[0].api().call("signInWithPassword", {"email": email, "password": password, "returnSecureToken": True})


def accounts(site):
    return site.value("SELECT count(*) FROM accounts")


def stored_hash(site, uid):
    return site.value("SELECT password_hash FROM accounts WHERE account_id = %s", uid)


def rejected(file):
    return [json.loads(line) for line in (file.parent / f"{file.name}.rejected.jsonl").read_text().splitlines()]


def test_a_person_signs_in_with_the_old_password_and_gets_a_hash_of_ours(site):
    file = users_file(site, [user(1, customAttributes='{"role":"admin"}')])
    result = run(site, "firebase", file, *hashes(site), "--yes")
    assert result.returncode == 0, result.stderr
    assert "1 would be new" in result.stdout and "1 new" in result.stdout and "oidc.*" in result.stdout
    assert stored_hash(site, "uid1").startswith("$firebase-scrypt$ln=14,r=8,key=642e5b016a039985$")

    assert sign_in(site, "user1@example.com", "another password").status_code == 400
    signed_in = sign_in(site, "User1@example.com")
    assert signed_in.status_code == 200 and signed_in.json()["localId"] == "uid1"
    assert stored_hash(site, "uid1").startswith("$scrypt$")
    assert sign_in(site, "user1@example.com").status_code == 200

    told = json.loads(site.run("users", "get", PROJECT, "uid1", "--json").stdout)
    assert told["emailVerified"] and told["customAttributes"] in ('{"role":"admin"}', {"role": "admin"})
    assert site.value("SELECT email_proven FROM accounts")
    dump = "".join(str(row) for row in site.rows("SELECT to_jsonb(k) FROM hash_keys k"))
    assert dump and SIGNER_KEY not in dump, "SEC-58: the key is sealed"


def test_a_second_run_passes_over_what_has_not_changed(site):
    file = users_file(site, [user(1), user(2)])
    assert run(site, "firebase", file, *hashes(site), "--yes").returncode == 0
    again = run(site, "firebase", file, *hashes(site), "--yes")
    assert again.returncode == 0 and "2 unchanged since the last import" in again.stdout and "new" not in again.stdout.split("What")[0]
    users_file(site, [user(1), user(2, displayName="Grace"), user(3)])
    changed = run(site, "firebase", file, *hashes(site), "--yes")
    assert changed.returncode == 0, changed.stderr
    for line in ("1 new", "1 changed", "1 unchanged"):
        assert f"  {line}" in changed.stdout
    assert site.value("SELECT display_name FROM accounts WHERE account_id = 'uid2'") == "Grace"
    assert site.value("SELECT count(*) FROM hash_keys") == 1


def test_a_dry_run_stores_nothing(site):
    file = users_file(site, [user(1), user(2, email="user1@example.com"), user(3, localId="uid1"), user(4, phoneNumber="555")])
    result = run(site, "firebase", file, *hashes(site), "--dry-run")
    assert result.returncode == 3 and "1 would be new" in result.stdout and "3 refused" in result.stdout, result.stderr
    assert accounts(site) == 0 and site.value("SELECT count(*) FROM hash_keys") == 0
    codes = [(row["line"], row["uid"], row["code"]) for row in rejected(file)]
    assert sorted(codes) == [
        (3, "uid2", "DUPLICATE_EMAIL"), (4, "uid1", "DUPLICATE_UID"), (5, "uid4", "INVALID_PHONE_NUMBER"),
    ]  # fmt: skip
    assert rejected(file)[0]["message"] == "the account uid1, which stands before this one, has the same address", "both uids are named"


def test_without_a_terminal_an_import_must_be_told_to_go_on(site):
    file = users_file(site, [user(1)])
    result = run(site, "firebase", file, *hashes(site))
    assert result.returncode == 1 and "add --yes" in result.stderr and "1 would be new" in result.stdout
    assert accounts(site) == 0


@pytest.mark.parametrize(("answer", "stored"), [("y\n", 1), ("n\n", 0), ("\n", 0)])
def test_on_a_terminal_it_asks(site, answer, stored):
    file = users_file(site, [user(1)])
    command = [BINARY, "import", "firebase", PROJECT, str(file), *map(str, hashes(site)), "--config", site.config]
    ours, theirs = pty.openpty()
    os.write(ours, answer.encode())
    result = subprocess.run(command, env=site.environment(), stdin=theirs, capture_output=True, text=True, timeout=TIMEOUT)
    os.close(ours)
    os.close(theirs)
    assert result.returncode == 0 and "Import? [y/N]" in result.stderr
    assert accounts(site) == stored


def test_what_is_refused_is_in_a_file_and_the_others_are_stored(site):
    users = [user(1), user(2, passwordHash="!"), user(3, localId="a\u0001b"), user(4, mfaInfo=[{"phoneInfo": "+*****00"}])]
    users += [user(5, email="user1@example.com"), user(6, email="not an address"), user(7)]
    file = users_file(site, users)
    result = run(site, "firebase", file, *hashes(site), "--yes")
    assert result.returncode == 3, result.stderr
    assert {row[0] for row in site.rows("SELECT account_id FROM accounts")} == {"uid1", "uid7"}
    found = {row["line"]: row["code"] for row in rejected(file)}
    assert found == {
        3: "INVALID_PASSWORD_HASH", 4: "INVALID_UID", 5: "INVALID_SECOND_FACTOR", 6: "DUPLICATE_EMAIL", 7: "INVALID_EMAIL",
    }  # fmt: skip
    message = next(row["message"] for row in rejected(file) if row["code"] == "DUPLICATE_EMAIL")
    assert "uid1" in message, "both uids are named"
    assert stat.S_IMODE((site.folder / "users.json.rejected.jsonl").stat().st_mode) == 0o600

    users_file(site, [user(1), user(7)])
    assert run(site, "firebase", file, *hashes(site), "--yes").returncode == 0
    assert not (site.folder / "users.json.rejected.jsonl").exists(), "the file is that of the last run"


def test_what_an_operator_should_look_at_counts_the_accounts_that_are_taken(site):
    run(site, "firebase", users_file(site, [user(1)]), *hashes(site), "--yes")
    ages = {"createdAt": None, "lastSignedInAt": None}
    users = [user(2, **ages), user(3, email="no", **ages), user(4, email="user2@example.com", **ages)]
    # This one alone is refused by the database.
    users.append(user(5, email="user1@example.com", **ages))
    result = run(site, "firebase", users_file(site, users), *hashes(site), "--dry-run")
    assert "1 would be new" in result.stdout and "3 refused" in result.stdout and "  1 × no time of creation" in result.stdout


def test_nothing_is_imported_where_refused_accounts_could_not_be_written(site):
    file = users_file(site, [user(1)])
    (site.folder / "users.json.rejected.jsonl").mkdir()
    for option in ("--dry-run", "--yes"):
        result = run(site, "firebase", file, *hashes(site), option)
        assert result.returncode == 1 and not result.stdout
        assert "nothing was imported: the file of refused accounts, " in result.stderr
        assert f"Move {file} to a folder that the user " in result.stderr and " can write to" in result.stderr
    assert accounts(site) == 0


def test_a_hash_without_parameters_is_refused(site):
    file = users_file(site, [user(1), user(2, passwordHash=None, salt=None)])
    result = run(site, "firebase", file, "--yes")
    assert result.returncode == 3 and accounts(site) == 1
    assert "--hash-config" in rejected(file)[0]["message"]


@pytest.mark.parametrize(("file", "reason"), [
    (BLOCK.replace("  base64_salt_separator: Bw==,\n", ""), "saltSeparator: it is missing"),
    (BLOCK.replace("rounds: 8", "rounds: 14").replace("mem_cost: 14", "mem_cost: 8"), "are rounds and mem_cost swapped?"),
    ("nonsense", "neither JSON nor a block"),
])  # fmt: skip
def test_a_fault_in_the_parameters_is_named(site, file, reason):
    (site.folder / "hashes.txt").write_text(file)
    result = run(site, "firebase", users_file(site, [user(1)]), *hashes(site), "--yes")
    assert result.returncode == 1 and reason in result.stderr and "hashes.txt" in result.stderr


def test_a_known_login_is_tried_before_anything_is_stored(site):
    file = users_file(site, [user(1), user(2, passwordHash=None, salt=None)])
    right = run(site, "firebase", file, *hashes(site), "--dry-run", "--verify", "User1@example.com", text=PASSWORD + "\n")
    assert right.returncode == 0 and "The password of user1@example.com fits its hash." in right.stderr

    wrong = run(site, "firebase", file, *hashes(site), "--yes", "--verify", "user1@example.com", text="wrong\n")
    assert wrong.returncode == 1 and "does not fit the hash" in wrong.stderr and "Bw==" in wrong.stderr
    (site.folder / "hashes.txt").write_text(BLOCK.replace("Bw==", '""'))
    separator = run(site, "firebase", file, *hashes(site), "--yes", "--verify", "user1@example.com", text=PASSWORD + "\n")
    assert separator.returncode == 1 and "the salt separator is missing" in separator.stderr

    for address, reason in [("user2@example.com", "has no password"), ("other@example.com", "has the address"), ("x", "not an e-mail")]:
        result = run(site, "firebase", file, *hashes(site), "--yes", "--verify", address, text=PASSWORD + "\n")
        assert result.returncode == 1 and reason in result.stderr
    assert accounts(site) == 0


def test_csv_comes_over_but_for_rows_that_do_not_fit(site):
    def row(values):
        return "".join(f"{values.get(column, '')}," for column in range(52)) + "\n"

    def person(number, **more):
        return {0: f"uid{number}", 1: f"user{number}@example.com", 2: "true", 3: HASH, 4: SALT, 23: "1500000000123"} | more

    file = site.folder / "users.csv"
    file.write_text(row(person(1) | {5: '"Ada, ""A"""', 28: "apple-1"}) + row(person(2) | {6: "https://x.example/?a,b"}) + row(person(3)))
    result = run(site, "firebase", file, *hashes(site), "--yes")
    assert result.returncode == 3, result.stderr
    assert [row["line"] for row in rejected(file)] == [2]
    assert sign_in(site, "user1@example.com").json()["localId"] == "uid1"
    assert site.value("SELECT display_name FROM accounts WHERE account_id = 'uid1'") == 'Ada, "A"'
    assert site.rows("SELECT provider_id, subject FROM identities") == [("apple.com", "apple-1")]
    assert "apple.com" in result.stdout and "clientId: …" in result.stdout, "the project's file lacks the provider"


def test_a_cut_file_is_found_and_its_accounts_can_be_taken(site):
    file = users_file(site, [user(1), user(2)])
    file.write_text(file.read_text()[:-100])
    result = run(site, "firebase", file, *hashes(site), "--yes")
    assert result.returncode == 1 and "so the file is cut" in result.stderr and "users.json ends at line 3" in result.stderr
    assert accounts(site) == 0
    assert run(site, "firebase", file, *hashes(site), "--yes", "--accept-cut").returncode == 3
    assert accounts(site) == 1


def test_json_brings_hashes_of_other_systems(site):
    digest = hashlib.sha256(b"salt" + PASSWORD.encode()).hexdigest()
    custom = {
        "algorithm": "sha256", "hash": {"value": digest, "encoding": "hex"},
        "salt": {"value": "salt", "encoding": "utf8", "position": "prefix"},
    }  # fmt: skip
    # crypt_blowfish's test.
    bcrypt = {"localId": "b", "email": "b@example.com", "passwordHash": "$2a$05$CCCCCCCCCCCCCCCCCCCCC.E5YPO9kmyuRGyh0XouQYb4YMJKvyOeW"}
    file = site.folder / "users.ndjson"
    rows = [bcrypt, {"user_id": "auth0|s", "email": "s@example.com", "custom_password_hash": custom}]
    file.write_text("".join(json.dumps(row) + "\n" for row in rows))
    result = run(site, "json", file, "--yes")
    assert result.returncode == 0, result.stderr
    assert digest not in stored_hash(site, "auth0|s") and stored_hash(site, "auth0|s").startswith("$wrapped$sha256$")
    assert sign_in(site, "b@example.com", "U*U").json()["localId"] == "b"
    assert sign_in(site, "s@example.com").json()["localId"] == "auth0|s"
    assert stored_hash(site, "auth0|s").startswith("$scrypt$") and stored_hash(site, "b").startswith("$scrypt$")


def test_mails_and_accounts_without_a_way_to_sign_in_follow_the_options(site):
    bare = {"localId": "bare"}
    file = users_file(site, [user(1), bare])
    result = run(site, "firebase", file, *hashes(site), "--yes", "--mails", "told", "--without-credential", "skip")
    assert result.returncode == 0 and "1 left out" in result.stdout, result.stderr
    assert site.rows("SELECT account_id, email_verified, email_proven FROM accounts") == [("uid1", True, False)]
    assert run(site, "firebase", file, *hashes(site), "--yes").returncode == 0
    assert site.value("SELECT custom_auth FROM accounts WHERE account_id = 'bare'")


def test_files_of_other_kinds_get_a_sentence(site):
    file = site.folder / "users.json"
    for content, reason in [(b"\x1f\x8b\x08", "gunzip"), (b"{}", "no member users"), (b"", "is empty"), (b"hello\n", "neither the JSON")]:
        file.write_bytes(content.ljust(4) if content.startswith(b"\x1f") else content)
        result = run(site, "firebase", file, "--yes")
        assert result.returncode == 1 and reason in result.stderr and not result.stdout
    assert "cannot be opened" in run(site, "firebase", site.folder / "none.json", "--yes").stderr
    assert "not a pipe" in run(site, "firebase", site.folder, "--yes").stderr

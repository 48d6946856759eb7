"""100,000 accounts of 14 kinds: in, out, into an empty project, and out again. Nothing is lost on the way, so the two exports are equal."""

import base64
import hashlib
import json
import subprocess

import pytest

from support.harness import BINARY
from support.leaks import note
from support.names import METHODS, OTHER, PROJECT
from support.servers.site import a_site

COUNT = 100_000
SIGNER_KEY = note(base64.b64encode(bytes(range(64))).decode())
BLOCK = f"hash_config {{ algorithm: SCRYPT, base64_signer_key: {SIGNER_KEY}, base64_salt_separator: Bw==, rounds: 8, mem_cost: 14 }}\n"
BCRYPT = "$2a$10$N9qo8uLOickgx2ZMRZoMyeIjZAgcfl7p92ldGxad68LJZdL17lhWy"
ARGON2 = "$argon2id$v=19$m=4096,t=3,p=2$AAECAwQFBgcICQoLDA0ODw$aJJgV/AKKE+EZ8pjJnbpA+6dvBQZiVkUFu3/rPMfAMs"
# Far more than a command takes here, on a machine that does other things, too.
PATIENCE = 300


def firebase(digest, **members):
    return {"passwordHash": base64.b64encode(digest).decode(), "salt": base64.b64encode(digest[:10]).decode(), **members}


def linked(provider, number, **members):
    return {"providerUserInfo": [{"providerId": provider, "rawId": f"{provider}-{number}", "email": f"at{number}@{provider}", **members}]}


# What each kind has besides its id, its times and its address.
KINDS = [
    lambda n, digest: firebase(digest),
    lambda n, digest: firebase(digest, emailVerified=True, displayName=f"Ada {n} 🌍", photoUrl=f"https://example.com/{n}.png"),
    lambda n, digest: linked("google.com", n, displayName="G", photoUrl="https://example.com/g.png"),
    lambda n, digest: linked("apple.com", n) | {"email": None},
    lambda n, digest: linked("oidc.acme", n) | firebase(digest),
    lambda n, digest: linked("saml.acme", n),
    lambda n, digest: {"email": None, "phoneNumber": f"+1555{n:07}"},
    lambda n, digest: {"email": None, "customAuth": True},
    lambda n, digest: {"emailLinkSignin": True, "emailVerified": True},
    lambda n, digest: firebase(digest, disabled=True, validSince="1650000000"),
    lambda n, digest: firebase(digest, customAttributes='{"role": "admin",  "n": %d}' % n),
    lambda n, digest: firebase(digest, mfaInfo=[{"mfaEnrollmentId": "t", "displayName": "phone", "totpInfo": {}}]),
    lambda n, digest: firebase(digest, mfaInfo=[{"mfaEnrollmentId": "p", "phoneInfo": "+15555550100"}]),
    lambda n, digest: {"initialEmail": f"first{n}@example.com", "lastRefreshAt": "2024-01-02T03:04:05.678Z"},
]


def user(number):
    digest = hashlib.sha512(str(number).encode()).digest()
    fields = {
        "localId": base64.b32encode(digest[:17]).decode()[:28],
        "email": f"Person{number}@Example.com",
        "createdAt": str(1_600_000_000_000 + number),
        "lastLoginAt": str(1_700_000_000_000 + number),
        **KINDS[number % len(KINDS)](number, digest),
    }
    return {name: value for name, value in fields.items() if value is not None}


@pytest.fixture(scope="module")
def site():
    with a_site(project={"signIn": METHODS}, others={OTHER["project"]: OTHER}) as site:
        yield site


def run(site, *words):
    command = [BINARY, *map(str, words), "--config", site.config]
    result = subprocess.run(command, env=site.environment(), stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=PATIENCE)
    assert result.returncode == 0, result.stderr[-2000:]
    assert SIGNER_KEY not in result.stdout + result.stderr
    return result


def test_the_second_export_equals_the_first(site):
    source, first, second = (site.folder / name for name in ("users.json", "first.ndjson", "second.ndjson"))
    hashes = site.folder / "hashes.txt"
    hashes.write_text(BLOCK)
    with source.open("w") as file:
        file.write('{"users": [\n' + ",\n".join(json.dumps(user(number)) for number in range(COUNT)) + "\n]}\n")
    run(site, "import", "firebase", PROJECT, source, "--hash-config", hashes, "--yes")
    # Hashes of other systems, such as no file of Firebase's has.
    ids = [user(number)["localId"] for number in (0, 14)]
    for id, text in zip(ids, (BCRYPT, ARGON2)):
        site.rows("UPDATE accounts SET password_hash = %s WHERE account_id = %s", text, id)
    run(site, "export", "json", PROJECT, first)
    assert SIGNER_KEY not in first.read_text()
    run(site, "import", "json", OTHER["project"], first, "--hash-config", hashes, "--yes")
    assert site.value("SELECT count(*) FROM accounts WHERE project_id = %s", OTHER["project"]) == COUNT
    run(site, "export", "json", OTHER["project"], second)
    with first.open("rb") as one, second.open("rb") as other:
        for line, (here, there) in enumerate(zip(one, other, strict=True), 1):
            assert here == there, f"line {line}"
    # An import again finds every account unchanged.
    again = run(site, "import", "json", OTHER["project"], first, "--hash-config", hashes, "--yes")
    assert f"{COUNT} unchanged" in again.stdout + again.stderr, again.stderr[-2000:]
    records = {record["localId"]: record for record in map(json.loads, first.open())}
    for number in range(100):
        expected, record = user(number), records[user(number)["localId"]]
        for name in ("displayName", "photoUrl", "phoneNumber", "customAttributes", "createdAt", "initialEmail", "validSince", "mfaInfo"):
            if name in expected:
                assert str(record[name]) == str(expected[name]), (number, name)
        assert record.get("email") == (expected["email"].lower() if "email" in expected else None)

"""`gatehouse import supabase`, `auth0` and `keycloak`: people of other systems sign in with their passwords, and leave again without a loss.

The hashes are of PyPI's bcrypt 4.0.1 and argon2-cffi 25.1.0, of Python's hashlib, and of Supabase's own tests (`internal/crypto`).
"""

import json

import pytest
import requests

from support.administrators import ServiceAccount
from support.jwts import claims
from support.leaks import note
from support.names import METHODS, OTHER, PROJECT, TIMEOUT
from support.servers.site import a_site

PASSWORD = note("correct horse 1")
BCRYPT = "$2b$10$abcdefghijklmnopqrstuuFzaLl22Q/4sUS1B6HLw8.TDaHis0CLy"
ARGON2 = "$argon2id$v=19$m=4096,t=3,p=2$AAECAwQFBgcICQoLDA0ODw$aJJgV/AKKE+EZ8pjJnbpA+6dvBQZiVkUFu3/rPMfAMs"
SIGNER_KEY = note("ou9tdYTGyYm8kuR6Dt0Bp0kDuAYoXrK16mbZO4yGwAn3oLspjnN0/c41v8xZnO1n14J3MjKj1b2g6AUCAlFwMw==")
FIREBASE_PASSWORD = note("mytestpassword")
FIREBASE = (
    f"$fbscrypt$v=1,n=14,r=8,p=1,ss=Bw==,sk={SIGNER_KEY}"
    "$C0sHCg9ek77hsg==$zKVTMvnWVw5BBOZNUdnsalx4c4c7y/w7IS5p6Ut2+CfEFFlz37J9huyQfov4iizN8dbjvEJlM5tQaJP84+hfTw=="
)
SALT = "AAECAwQFBgcICQoLDA0ODw=="
PBKDF2 = "ByHME0Bcgq21SQPoMfWNB1SaFhqIjABc2ZC5otQcKxSbbsIHRjpipX/ct3/vbB8EowDJ16g1vttexzDUD5mGmw=="
KEYCLOAK_ARGON2 = "kr5LV/SdMqKsgEb2JCw2DJDoZraCPCdmEjM0ujKSlgU="


@pytest.fixture(scope="module")
def site():
    other = {**OTHER, "authorizedDomains": ["localhost"], "signIn": METHODS}
    with a_site(project={"signIn": METHODS}, others={"other": other}) as site:
        site.serve()
        yield site


@pytest.fixture(scope="module")
def api(site):
    return site.servers[0].api()


def imported(site, *arguments, expected=0):
    result = site.run("import", *arguments, "--yes")
    assert result.returncode == expected, result.stdout + result.stderr
    return result.stdout + result.stderr


def signed_in(api, email, password=PASSWORD):
    return api.succeed("signInWithPassword", {"email": email, "password": password, "returnSecureToken": True})


def scheme(site, account):
    return site.value("SELECT split_part(password_hash, '$', 2) FROM accounts WHERE account_id = %s", account)


def table(name, *rows):
    """A table in a dump by pg_dump."""
    columns = sorted({column for row in rows for column in row})
    lines = ["\t".join("\\N" if row.get(column) is None else row[column].replace("\\", "\\\\") for column in columns) for row in rows]
    return "\n".join([f"COPY {name} ({', '.join(columns)}) FROM stdin;", *lines, "\\.", "", ""])


def supabase_user(id, email, **columns):
    return {"id": id, "email": email, "email_confirmed_at": "2023-01-01 00:00:00+00", "created_at": "2023-01-01 00:00:00+00", **columns}


@pytest.fixture(scope="module")
def dump(site):
    file = site.folder / "dump.sql"
    identity = {"user_id": "s-1", "provider": "google", "provider_id": "108", "identity_data": '{"email": "sb1@example.com"}'}
    factor = {"id": "f", "user_id": "s-4", "factor_type": "totp", "status": "verified", "secret": "GEZDGNBVGY3TQOJQ"}
    file.write_text(
        table("auth.identities", identity)
        + table("auth.mfa_factors", factor)
        + table(
            "auth.users",
            supabase_user("s-1", "sb1@example.com", encrypted_password=BCRYPT, raw_app_meta_data='{"role": "admin", "provider": "email"}'),
            supabase_user("s-2", "sb2@example.com", encrypted_password=ARGON2),
            supabase_user("s-3", "sb3@example.com", encrypted_password=FIREBASE),
            supabase_user("s-4", "sb4@example.com", encrypted_password=BCRYPT),
            supabase_user("s-5", "SB1@example.com"),
            supabase_user("s-6", "sb6@example.com", deleted_at="2023-01-01 00:00:00+00"),
        )
    )
    return file


def test_people_of_supabase_sign_in_with_their_passwords(site, api, dump):
    told = imported(site, "supabase", PROJECT, dump, expected=3)
    rejected = [json.loads(line) for line in (site.folder / "dump.sql.rejected.jsonl").read_text().splitlines()]
    assert [(fault["uid"], fault["code"]) for fault in rejected] == [("s-5", "DUPLICATE_EMAIL")], told
    for number, password in enumerate([PASSWORD, PASSWORD, FIREBASE_PASSWORD], 1):
        user = signed_in(api, f"sb{number}@example.com", password)
        assert user["localId"] == f"s-{number}"
        assert scheme(site, user["localId"]) == "scrypt", "the sign-in made the hash anew"
        if number == 1:
            assert claims(user["idToken"])["role"] == "admin"
    assert site.value("SELECT subject FROM identities WHERE account_id = 's-1'") == "108"
    assert site.rows("SELECT 1 FROM accounts WHERE account_id = 's-6'") == []


def test_SEC_55_a_second_factor_that_came_along_is_not_passed_over(api):
    waiting = api.succeed("signInWithPassword", {"email": "sb4@example.com", "password": PASSWORD, "returnSecureToken": True})
    assert "idToken" not in waiting and waiting["mfaInfo"] == [{"mfaEnrollmentId": "f", "totpInfo": {}}]


def test_an_administrator_sees_that_there_is_a_factor_and_not_its_secret(site):
    header = ServiceAccount.create(site, "lookup").header()
    url = f"{site.url}/v1/projects/{PROJECT}/accounts:lookup"
    answer = requests.post(url, json={"localId": ["s-4"]}, headers=header, timeout=TIMEOUT)
    assert answer.status_code == 200, answer.text
    assert answer.json()["users"][0]["mfaInfo"] == [{"mfaEnrollmentId": "f", "totpInfo": {}}]


def test_people_of_auth0_sign_in_with_their_passwords(site, api):
    oid = "5dea9f9c82dd7c0e76e4ec93"
    users, hashes = site.folder / "users.ndjson", site.folder / "hashes.ndjson"
    user = {
        "user_id": f"auth0|{oid}", "email": "auth0@example.com", "email_verified": True, "name": "Ada",
        "created_at": "2020-01-01T00:00:00.000Z", "app_metadata": {"plan": "pro"}, "user_metadata": {"colour": "red"},
        "identities": [{"provider": "auth0", "user_id": oid, "connection": "Users"}, {"provider": "github", "user_id": 7}],
    }  # fmt: skip
    users.write_text(json.dumps(user) + "\n")
    hashes.write_text(json.dumps({"_id": {"$oid": oid}, "email": user["email"], "passwordHash": BCRYPT}) + "\n")
    refused = site.run("import", "auth0", PROJECT, users, "--passwords", hashes, "--yes")
    assert refused.returncode == 64 and "--uid" in refused.stderr, "which id back ends store is not guessed"
    told = imported(site, "auth0", PROJECT, users, "--passwords", hashes, "--uid", "tail")
    assert "user metadata" in told
    signed = signed_in(api, "auth0@example.com")
    assert signed["localId"] == oid and claims(signed["idToken"])["plan"] == "pro"
    assert scheme(site, oid) == "scrypt"
    assert site.rows("SELECT provider_id, subject FROM identities WHERE account_id = %s", oid) == [("github.com", "7")]


def keycloak_user(id, **members):
    return {
        "id": id,
        "username": id,
        "enabled": True,
        "emailVerified": True,
        "email": f"{id}@example.com",
        "createdTimestamp": 1700000000000,
    } | members


def keycloak_password(value, data):
    return {"type": "password", "secretData": json.dumps({"value": value, "salt": SALT}), "credentialData": json.dumps(data)}


def test_people_of_keycloak_sign_in_with_their_passwords(site, api):
    argon2 = {"type": ["id"], "version": ["1.3"], "memory": ["7168"], "parallelism": ["1"], "hashLength": ["32"]}
    realm, mapping = site.folder / "realm.json", site.folder / "attributes.json"
    realm.write_text(
        json.dumps(
            {
                "realm": "acme",
                "users": [
                    keycloak_user("kc1", credentials=[keycloak_password(PBKDF2, {"hashIterations": 27500, "algorithm": "pbkdf2-sha256"})]),
                    keycloak_user(
                        "kc2",
                        attributes={"team": ["red"]},
                        credentials=[
                            keycloak_password(KEYCLOAK_ARGON2, {"hashIterations": 5, "algorithm": "argon2", "additionalParameters": argon2})
                        ],
                    ),
                ],
            }
        )
    )
    mapping.write_text(json.dumps({"attributes": {"team": "claims.team"}}))
    imported(site, "keycloak", PROJECT, realm, "--attributes", mapping)
    assert signed_in(api, "kc1@example.com")["localId"] == "kc1"
    assert claims(signed_in(api, "kc2@example.com")["idToken"])["team"] == "red"
    assert scheme(site, "kc1") == scheme(site, "kc2") == "scrypt"
    proven = site.rows("SELECT email_verified, email_proven FROM accounts WHERE account_id = 'kc1'")
    assert proven == [(True, False)], "an administrator of Keycloak may have said so by hand"


def test_what_leaves_and_comes_back_is_the_same(site, dump):
    """Also accounts that have not signed in since they came: their hashes leave as they are."""
    imported(site, "supabase", "other", dump, expected=3)
    first, second = site.folder / "first.ndjson", site.folder / "second.ndjson"
    assert site.run("export", "json", "other", first).returncode == 0
    config = site.folder / "hash.json"
    config.write_text(
        json.dumps({"hashAlgorithm": "SCRYPT", "signerKey": SIGNER_KEY, "saltSeparator": "Bw==", "rounds": 8, "memoryCost": 14})
    )
    site.rows("DELETE FROM accounts WHERE project_id = 'other'")
    imported(site, "json", "other", first, "--hash-config", config)
    assert site.run("export", "json", "other", second).returncode == 0
    assert second.read_text() == first.read_text()


def test_a_file_of_another_kind_is_refused_with_a_remedy(site):
    file = site.folder / "inserts.sql"
    file.write_text("INSERT INTO auth.users (id) VALUES ('1');\n")
    refused = site.run("import", "supabase", PROJECT, file, "--yes")
    assert refused.returncode == 1 and "make it without --inserts" in refused.stderr
    file.write_text('{"realm": "acme"}')
    refused = site.run("import", "keycloak", PROJECT, file, "--yes")
    assert refused.returncode == 1 and "has no member users" in refused.stderr and not refused.stdout


def test_a_name_of_a_provider_that_the_source_does_not_have_is_told(site, dump):
    told = site.run("import", "supabase", PROJECT, dump, "--provider", "Google=oidc.own", "--dry-run").stdout
    assert "  0 × identity of Google, as --provider spells it; the source has those of google\n" in told

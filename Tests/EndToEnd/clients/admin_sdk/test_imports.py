"""`import_users`: accounts with the ids, passwords and identities of another system. The hashes are made by Python's own hashlib and hmac, or are
published ones."""

import base64
import hashlib
import hmac

import pytest
from firebase_admin import auth

PASSWORD = "correct horse"
SALT = b"some salt"
KEY = b"a key of the other system"
# Firebase's published vector. <https://github.com/firebase/scrypt>
SIGNER_KEY = "jxspr8Ki0RYycVU8zykbdLGjFQ3McFUH0uiiTvC8pVMXAn210wjLNmdZJzxUECKbm0QsEmYUSDzZvpjeJ9WmXA=="
FIREBASE_HASH = "lSrfV15cpx95/sZS2W9c9Kp6i/LVgQNDNC/qzrCnh1SAyZvqmZqAjTdn3aoItz+VHjoZilo78198JAdRuid5lQ=="
# John the Ripper's vector of "U*U".
BCRYPT = b"$2y$05$CCCCCCCCCCCCCCCCCCCCC.E5YPO9kmyuRGyh0XouQYb4YMJKvyOeW"


def hmac_of(name):
    return hmac.new(KEY, SALT + PASSWORD.encode(), name).digest()


def rounds_of(name, rounds):
    digest = SALT + PASSWORD.encode()
    for _ in range(rounds):
        digest = hashlib.new(name, digest).digest()
    return digest


def pbkdf2(name, rounds):
    return hashlib.pbkdf2_hmac(name, PASSWORD.encode(), SALT, rounds)


SCHEMES = {
    "hmac_sha512": (auth.UserImportHash.hmac_sha512(KEY), hmac_of("sha512")),
    "hmac_sha256": (auth.UserImportHash.hmac_sha256(KEY), hmac_of("sha256")),
    "hmac_sha1": (auth.UserImportHash.hmac_sha1(KEY), hmac_of("sha1")),
    "hmac_md5": (auth.UserImportHash.hmac_md5(KEY), hmac_of("md5")),
    "md5": (auth.UserImportHash.md5(rounds=2), rounds_of("md5", 2)),
    "sha1": (auth.UserImportHash.sha1(rounds=1), rounds_of("sha1", 1)),
    "sha256": (auth.UserImportHash.sha256(rounds=5), rounds_of("sha256", 5)),
    "sha512": (auth.UserImportHash.sha512(rounds=1), rounds_of("sha512", 1)),
    "pbkdf_sha1": (auth.UserImportHash.pbkdf_sha1(rounds=1000), pbkdf2("sha1", 1000)),
    "pbkdf2_sha256": (auth.UserImportHash.pbkdf2_sha256(rounds=1000), pbkdf2("sha256", 1000)),
    "standard_scrypt": (
        auth.UserImportHash.standard_scrypt(memory_cost=1024, parallelization=1, block_size=8, derived_key_length=64),
        hashlib.scrypt(PASSWORD.encode(), salt=SALT, n=1024, r=8, p=1, dklen=64),
    ),
}


def record(uid, **fields):
    return auth.ImportUserRecord(uid=uid, email=f"{uid}@example.com", **fields)


def sign_in(stage, email, password):
    return stage.api.call("signInWithPassword", {"email": email, "password": password, "returnSecureToken": True})


@pytest.mark.parametrize("scheme", SCHEMES)
def test_a_password_of_each_scheme_signs_in(stage, sdk, scheme):
    algorithm, digest = SCHEMES[scheme]
    uid = f"of-{scheme}"
    result = sdk.call("auth", "import_users", [record(uid, password_hash=digest, password_salt=SALT)], hash_alg=algorithm)
    assert (result.success_count, result.failure_count) == (1, 0), [error.reason for error in result.errors]
    assert sign_in(stage, f"{uid}@example.com", "wrong").status_code == 400
    for _ in range(2):  # The second time by the hash that the first one has made.
        answer = sign_in(stage, f"{uid}@example.com", PASSWORD)
        assert answer.status_code == 200 and answer.json()["localId"] == uid, answer.text


def test_firebases_own_hash_and_bcrypt(stage, sdk):
    scrypt = auth.UserImportHash.scrypt(key=base64.b64decode(SIGNER_KEY), salt_separator=base64.b64decode("Bw=="), rounds=8, memory_cost=14)
    firebase = record("firebase", password_hash=base64.b64decode(FIREBASE_HASH), password_salt=base64.b64decode("42xEC+ixf3L2lw=="))
    assert sdk.call("auth", "import_users", [firebase], hash_alg=scrypt).failure_count == 0
    assert sign_in(stage, "firebase@example.com", "user1password").status_code == 200
    bcrypt = record("bcrypt", password_hash=BCRYPT)
    assert sdk.call("auth", "import_users", [bcrypt], hash_alg=auth.UserImportHash.bcrypt()).failure_count == 0
    assert sign_in(stage, "bcrypt@example.com", "U*U").status_code == 200


def test_everything_of_an_account_comes_along(stage, sdk):
    user = auth.ImportUserRecord(
        uid="whole",
        email="whole@example.com",
        email_verified=True,
        display_name="Ada",
        phone_number="+15555550123",
        photo_url="https://example.com/ada.png",
        disabled=False,
        custom_claims={"role": "admin"},
        user_metadata=auth.UserMetadata(creation_timestamp=1_600_000_000_000, last_sign_in_timestamp=1_600_000_100_000),
        provider_data=[auth.UserProvider(uid="g-1", provider_id="google.com", email="ada@gmail.com", display_name="Ada L")],
    )
    assert sdk.call("auth", "import_users", [user]).failure_count == 0
    found = sdk.call("auth", "get_user", "whole")
    assert (found.display_name, found.phone_number, found.email_verified) == ("Ada", "+15555550123", True)
    assert found.custom_claims == {"role": "admin"} and found.photo_url == "https://example.com/ada.png"
    assert found.user_metadata.creation_timestamp == 1_600_000_000_000
    assert {provider.provider_id: provider.uid for provider in found.provider_data}["google.com"] == "g-1"


def test_an_account_of_the_same_id_is_replaced_and_others_are_refused_one_by_one(stage, sdk):
    first = sdk.call("auth", "import_users", [record("first", display_name="One"), record("second")])
    assert first.failure_count == 0
    again = sdk.call(
        "auth",
        "import_users",
        [
            record("first", display_name="Two"),
            auth.ImportUserRecord(uid="thief", email="second@example.com"),
            auth.ImportUserRecord(uid="third", phone_number="+15555550177"),
            auth.ImportUserRecord(uid="fourth", phone_number="+15555550177"),
        ],
    )
    assert (again.success_count, again.failure_count) == (2, 2)
    assert [(error.index, error.reason.split(" : ")[0]) for error in again.errors] == [
        (1, "DUPLICATE_EMAIL"),
        (3, "DUPLICATE_PHONE_NUMBER"),
    ]
    assert "second" in again.errors[0].reason
    assert sdk.call("auth", "get_user", "first").display_name == "Two"
    with pytest.raises(auth.UserNotFoundError):
        sdk.call("auth", "get_user", "thief")

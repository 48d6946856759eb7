"""Users of a Firebase project of every kind, as `accounts:batchGet` gives them."""

import base64
import functools

from support.leaks import note
from support.migration.hashes import scrypt_hash

PASSWORD = note("a password of a person who moves")
SALT = b"salt of all"


@functools.cache
def password():
    """The members of a hash by Firebase itself. Computing one takes its time."""
    return {"passwordHash": base64.b64encode(scrypt_hash(PASSWORD, SALT)).decode(), "salt": base64.b64encode(SALT).decode(), "version": 0}


def identity(provider, number, **members):
    return {"providerUserInfo": [{"providerId": provider, "rawId": f"{provider}-{number}", **members}]}


# The members of a user beside those that all have.
KINDS = {
    "password": lambda number: {**password(), "passwordUpdatedAt": 1_600_000_000_000, **identity("password", number)},
    "google": lambda number: identity("google.com", number, displayName="Grace Hopper", email=f"g{number}@example.com"),
    "apple": lambda number: identity("apple.com", number),
    "oidc": lambda number: identity("oidc.acme", number),
    "saml": lambda number: identity("saml.corp", number),
    "phone": lambda number: {"phoneNumber": f"+1555000{number:04}", **identity("phone", number, phoneNumber=f"+1555000{number:04}")},
    "anonymous": lambda number: {},
    "custom": lambda number: {"customAuth": True, "displayName": "Ünicode 🚪"},
    "link": lambda number: {"emailLinkSignin": True},
    "disabled": lambda number: {"disabled": True, **password(), "passwordUpdatedAt": 1_600_000_000_000},
    "claims": lambda number: {"customAttributes": '{"role": "admin", "level":3}', "customAuth": True},
    "totp": lambda number: {**password(), "mfaInfo": [{"mfaEnrollmentId": "t", "enrolledAt": "2023-01-01T00:00:00Z", "totpInfo": {}}]},
    "phone-factor": lambda number: {**password(), "mfaInfo": [{"mfaEnrollmentId": "p", "phoneInfo": f"+1555100{number:04}"}]},
    "imported": lambda number: {"passwordHash": base64.b64encode(b"$2b$10$a hash").decode(), "version": 1},
}
WITH_ADDRESS = {"password", "google", "apple", "oidc", "saml", "link", "disabled", "totp", "phone-factor", "imported"}


def user(kind, number):
    address = {"email": f"{kind}-{number}@example.com", "emailVerified": number % 2 == 0} if kind in WITH_ADDRESS else {}
    return {
        "localId": f"{kind}-{number}",
        "createdAt": str(1_500_000_000_123 + number),
        "lastLoginAt": str(1_600_000_000_456 + number),
        "lastRefreshAt": "2020-09-13T12:26:41.500Z",
        "validSince": str(1_500_000_001 + number),
        **address,
        **KINDS[kind](number),
    }

"""What everything here shares: the names of the test project, and the secrets that were seen, which no log may hold (SEC-21)."""

import pathlib
import re
import secrets
from urllib.parse import parse_qsl, urlsplit

API_KEY = "demo-api-key"
PROJECT = "demo"
NUMBER = "100000000001"
CLIENT_SECRET = "a-client-secret-" + secrets.token_hex(8)
# Ends a test that hangs; no machine is so slow.
TIMEOUT = 120
BAD_CREDENTIAL = "INVALID_CREDENTIAL_OR_PROVIDER_ID"
ANDROID = {"package": "com.example.droid", "sha1": "da39a3ee5e6b4b0d3255bfef95601890afd80709"}
APPLE = {"bundleId": "com.example.apple", "clientId": "7-a1b2.apps.googleusercontent.com", "appId": "1:7:ios:a1b2"}
APPS = [{"ios": APPLE}, {"android": ANDROID}]


issued: set[str] = set()
logs: list[pathlib.Path] = []
SECRET_FIELDS = {
    "idToken",
    "refreshToken",
    "pendingToken",
    "oauthIdToken",
    "oauthAccessToken",
    "oauthRefreshToken",
    "access_token",
    "id_token",
    "refresh_token",
    "code",
    "state",
    "code_verifier",
    "client_secret",
    "nonce",
    "sessionId",
    "password",
    "newPassword",
    "oldPassword",
    "oobCode",
    "oobLink",
    "token",
}


def note(value):
    """Remembers a secret that the server gave out or was given; gives it back."""
    if isinstance(value, str) and len(value) >= 12 and not re.fullmatch("[0-9a-f]{64}", value):  # hashes are public
        issued.add(value)
    return value


def note_fields(fields):
    for name, value in fields.items() if isinstance(fields, dict) else fields:
        if name in SECRET_FIELDS:
            note(value)


def note_url(url):
    parts = urlsplit(url)
    note_fields(parse_qsl(parts.query))
    note_fields(parse_qsl(parts.fragment))
    return url

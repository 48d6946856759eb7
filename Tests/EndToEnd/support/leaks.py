"""The secrets that the tests saw, and a search for them where no secret may be: in logs, and in the database (SEC-21)."""

import pathlib
import re
from urllib.parse import parse_qsl, urlsplit

from support.names import CLIENT_SECRET

issued: set[str] = set()
logs: list[pathlib.Path] = []
SECRET_FIELDS = {
    "idToken",
    "refreshToken",
    "customToken",
    "pendingToken",
    "oauthIdToken",
    "oauthAccessToken",
    "oauthRefreshToken",
    "oauthTokenSecret",
    "oauth_token",
    "oauth_token_secret",
    "oauth_verifier",
    "denied",
    "access_token",
    "id_token",
    "refresh_token",
    "code",
    "state",
    "code_verifier",
    "client_secret",
    "nonce",
    "sessionId",
    "sessionInfo",
    "temporaryProof",
    "password",
    "newPassword",
    "oldPassword",
    "oobCode",
    "oobLink",
    "token",
}


def note(value):
    """Remembers a secret that the server has issued or received, and returns it."""
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


def secrets():
    """Secrets that the server has issued or received. Values that tests invented to be refused, and short words, are not secrets."""
    return {value for value in issued | {CLIENT_SECRET} if len(value) >= 20 and len(set(value)) >= 8}


def secrets_in_logs():
    """The first characters of each secret that a log contains, with the log's name."""
    wanted = secrets()
    texts = {path.name: path.read_text(errors="replace") for path in logs}
    return [(secret[:6] + "…", name) for name, text in texts.items() for secret in wanted if secret in text]


def secrets_in_database(site):
    """The first characters of the secrets that a table holds as they travel, by table. It should hold hashes and sealed values."""
    wanted = secrets()
    found = {}
    for (table,) in site.rows("SELECT tablename FROM pg_tables WHERE schemaname = 'public'"):
        # The app's own state travels through the browser's address bar and returns to the app unchanged.
        text = "\n".join(str(row) for row in site.rows(f"SELECT to_jsonb(t) - 'app_state' FROM {table} t"))
        hits = [secret[:6] + "…" for secret in wanted if secret in text or secret.encode().hex() in text]
        if hits:
            found[table] = hits[:3]
    return found

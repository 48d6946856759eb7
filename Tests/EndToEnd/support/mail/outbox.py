"""Mails put straight into the outbox, and what waits there."""

import base64
import json
import secrets

from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.ciphers.aead import AESGCM
from cryptography.hazmat.primitives.kdf.hkdf import HKDF

from support.leaks import note


def put(site, to="ada@example.com", kind="resetPassword", language="en", project="demo", due="now()", lifetime="1 hour", **more):
    """Puts a mail into the outbox, as a committed transaction does; returns the link's secret."""
    code = note("code-" + secrets.token_urlsafe(24))
    link = f"https://auth.example.com/__/auth/action?mode={kind}&oobCode={code}&lang={language}"
    letter = json.dumps({"kind": kind, "to": to, "language": language, "link": link, **more}).encode()
    letter += b" " * (1024 - len(letter) % 1024)
    master = base64.b64decode(site.master_key)
    key = HKDF(algorithm=hashes.SHA256(), length=32, salt=None, info=b"gatehouse mail outbox").derive(master)
    mail, nonce = secrets.token_bytes(16), secrets.token_bytes(12)
    sealed = b"\x01" + nonce + AESGCM(key).encrypt(nonce, letter, f"mail {project} {mail.hex()}".encode())
    site.rows(
        "INSERT INTO deliveries (project_id, kind, delivery_id, payload, due_at, created_at, expires_at) "
        f"VALUES (%s, 'mail', %s, %s, {due}, now(), now() + %s::interval)",
        project,
        mail,
        sealed,
        lifetime,
    )
    return code


def waiting(site):
    """How many mails the outbox has; in development mode those that were sent, too, which stay there. Without those that were given up."""
    return site.value("SELECT count(*) FROM deliveries WHERE kind = 'mail' AND outcome IS NULL")


def now(site):
    """Ends the pauses and leases of all that is to be delivered, mails and messages of log-outs."""
    site.rows("UPDATE deliveries SET due_at = now() WHERE due_at < 'infinity'")

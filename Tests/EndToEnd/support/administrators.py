"""Service accounts and their access tokens, made as the server makes them: so the tests also have tokens that are expired or forged."""

import base64
import hashlib
import hmac
import json
import struct
import time
from dataclasses import dataclass

from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.kdf.hkdf import HKDF

from support.leaks import note

RIGHTS = ("customTokens", "readUsers", "manageUsers", "mintLinks", "sessionCookies", "readPasswordHashes")


@dataclass
class ServiceAccount:
    site: object
    email: str
    key_id: str

    @classmethod
    def create(cls, site, name, *, project="demo", rights=RIGHTS):
        """A new service account with exactly these rights."""
        made = site.run("service-accounts", "create", project, name, check=True, prints_secret=True)
        key = json.loads(made.stdout)
        note(key["private_key"])
        site.rows(
            "UPDATE service_accounts SET rights = %s WHERE project_id = %s AND email = %s", list(rights), project, key["client_email"]
        )
        return cls(site, key["client_email"], key["private_key_id"])

    def token(self, lifetime=3600, master_key=None):
        """An access token that expires in so many seconds; made with another key than the server's, it is forged."""
        secret = base64.b64decode(master_key or self.site.master_key)
        key = HKDF(hashes.SHA256(), 32, salt=b"", info=b"gatehouse access tokens of administrators").derive(secret)
        body = b"\x01" + struct.pack(">q", int(time.time()) + lifetime) + self.key_id.encode() + self.email.encode()
        token = body + hmac.digest(key, body, hashlib.sha256)
        return note("gatehouse_" + base64.urlsafe_b64encode(token).decode().rstrip("="))

    def header(self, **options):
        return {"Authorization": f"Bearer {self.token(**options)}"}

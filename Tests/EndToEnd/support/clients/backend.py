"""An app's own back end, which signs custom tokens with a key file that the operator made."""

import json
import os
import subprocess
import time

import firebase_admin
import jwt
from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat, load_pem_private_key
from firebase_admin import auth, credentials

from support.harness import BINARY, counter
from support.jwts import CUSTOM_TOKEN_AUDIENCE, b64
from support.leaks import note
from support.names import PROJECT, TIMEOUT


def make_key(site, project=PROJECT, account="backend", *options):
    """An operator's step: the command's output goes to a file; returns the file."""
    path = site.folder / f"{project}-{account}-{next(counter)}.json"
    with open(os.open(path, os.O_CREAT | os.O_WRONLY, 0o600), "wb") as file:
        command = [BINARY, "service-accounts", "create", project, account, *options, "--config", site.config]
        result = subprocess.run(command, env=site.environment(), stdout=file, stderr=subprocess.PIPE, text=True, timeout=TIMEOUT)
    assert result.returncode == 0, result.stderr
    key = json.loads(path.read_text())
    for line in key["private_key"].splitlines()[1:-1]:
        note(line)
        assert line not in result.stderr
    assert key["private_key_id"] in result.stderr and key["client_email"] in result.stderr
    return path


class Backend:
    """A developer's own server: the Admin SDK with our key file, and any JWT library for what the SDK would not sign."""

    def __init__(self, path):
        self.key = json.loads(path.read_text())
        self.private = load_pem_private_key(self.key["private_key"].encode(), None)
        self.public_pem = self.private.public_key().public_bytes(Encoding.PEM, PublicFormat.SubjectPublicKeyInfo)
        self.app = firebase_admin.initialize_app(credentials.Certificate(str(path)), name=str(path))

    def close(self):
        firebase_admin.delete_app(self.app)

    def admin_token(self, uid, claims=None):
        return note(auth.create_custom_token(uid, claims, app=self.app).decode())

    def claims(self, uid="ada", **changes):
        now = int(time.time())
        email = self.key["client_email"]
        claims = {"iss": email, "sub": email, "aud": CUSTOM_TOKEN_AUDIENCE, "iat": now, "exp": now + 3600, "uid": uid, **changes}
        return {name: value for name, value in claims.items() if value is not ...}

    def token(self, *arguments, key=None, algorithm="RS256", headers=None, **changes):
        headers = {"kid": self.key["private_key_id"], **(headers or {})}
        headers = {name: value for name, value in headers.items() if value is not None}
        return note(jwt.encode(self.claims(*arguments, **changes), key or self.private, algorithm, headers=headers))

    def raw_token(self, body):
        signed = b64({"alg": "RS256", "typ": "JWT"}) + "." + b64(body.encode())
        return note(signed + "." + b64(jwt.algorithms.RSAAlgorithm(jwt.algorithms.RSAAlgorithm.SHA256).sign(signed.encode(), self.private)))

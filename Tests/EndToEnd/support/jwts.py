"""JSON Web Tokens: keys that sign them, and tokens that nothing should believe."""

import base64
import functools
import hashlib
import hmac
import json
import time

import jwt
from cryptography.hazmat.primitives import serialization
from cryptography.hazmat.primitives.asymmetric import ec, rsa

from support.harness import wait_until

# The audience of a custom token.
CUSTOM_TOKEN_AUDIENCE = "https://identitytoolkit.googleapis.com/google.identity.identitytoolkit.v1.IdentityToolkit"


class Key:
    """A signing key, for RS256 or ES256, and its JWK; `owner` is Microsoft's `issuer` member."""

    def __init__(self, kid, owner=None, algorithm="RS256"):
        self.kid = kid
        self.algorithm = algorithm
        elliptic = algorithm == "ES256"
        self.private = (
            ec.generate_private_key(ec.SECP256R1()) if elliptic else rsa.generate_private_key(public_exponent=65537, key_size=2048)
        )
        form = jwt.algorithms.ECAlgorithm if elliptic else jwt.algorithms.RSAAlgorithm
        self.jwk = {**json.loads(form.to_jwk(self.private.public_key())), "kid": kid, "use": "sig"}
        self.jwk.pop("key_ops", None)
        if owner:
            self.jwk["issuer"] = owner

    def sign(self, claims):
        # Without PyJWT's own checks of claims, since some tests need wrong ones.
        return jwt.api_jws.encode(json.dumps(claims).encode(), self.private, self.algorithm, headers={"kid": self.kid})

    def private_pem(self):
        return self.private.private_bytes(serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption())

    def public_pem(self):
        return self.private.public_key().public_bytes(serialization.Encoding.PEM, serialization.PublicFormat.SubjectPublicKeyInfo)


@functools.cache
def foreign_key(kid):
    """A key that no issuer of these tests publishes. Making one takes long, so there is one for each name."""
    return Key(kid)


def claims(token):
    """What a token says, without a look at its signature."""
    return jwt.decode(token, options={"verify_signature": False})


def wait_past(*tokens):
    """Waits until a new token has a later time than these: tokens of one second cannot be told apart."""
    latest = max(claims(token)["iat"] for token in tokens)
    wait_until(lambda: time.time() >= latest + 1, what="the next second")


def b64(data):
    data = data if isinstance(data, bytes) else json.dumps(data).encode()
    return base64.urlsafe_b64encode(data).rstrip(b"=").decode()


def unsigned(claims, header=None):
    return f"{b64(header or {'alg': 'none', 'typ': 'JWT'})}.{b64(claims)}."


def hmac_signed(claims, secret, kid):
    """HS256 with any bytes as the key; PyJWT itself refuses public keys here."""
    body = f"{b64({'alg': 'HS256', 'typ': 'JWT', 'kid': kid})}.{b64(claims)}"
    return f"{body}.{b64(hmac.new(secret, body.encode(), hashlib.sha256).digest())}"

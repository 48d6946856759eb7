"""Tokens that a back end must refuse."""

from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat

from support.clients.api import API
from support.harness import free_port
from support.jwts import b64, claims, foreign_key, hmac_signed, unsigned
from support.openid.times import clock_ahead


def expired_token(site):
    """An ID token of the site that ended an hour ago. To be asked for before the site's own server starts, which then has older keys."""
    server = site.serve(free_port(), through=clock_ahead("-2h"))
    token = API(server.url).succeed("signUp", {"returnSecureToken": True})["idToken"]
    server.stop()
    return token


def forgeries(own, other, expired, keys):
    """What no back end of the project may believe, with what is wrong about it.

    From a valid token of this project, one of another project, an expired one, and the key set of the project (`jwt.PyJWKClient`).
    """
    kid = keys.get_signing_key_from_jwt(own)
    header, body, signature = own.split(".")
    said = claims(own)
    pem = kid.key.public_bytes(Encoding.PEM, PublicFormat.SubjectPublicKeyInfo)
    yield "signed with a key of a stranger", foreign_key(kid.key_id).sign(said)
    yield "signed with a key that is not published", foreign_key("no-such-key").sign(said)
    yield "not signed", unsigned(said)
    yield "not signed, with a key id", unsigned(said, {"alg": "none", "kid": kid.key_id})
    yield "without its signature", f"{header}.{body}."
    yield "signed with the public key as a secret", hmac_signed(said, pem, kid.key_id)
    yield "with another account", f"{header}.{b64({**said, 'sub': 'victim', 'user_id': 'victim'})}.{signature}"
    yield "of another project", other
    yield "expired", expired
    yield "not a token", "not.a.token"

"""Service accounts of a Firebase project: the key files that an operator downloads, and Google's rules for the custom tokens that they sign."""

import json

import jwt

from support.jwts import CUSTOM_TOKEN_AUDIENCE, Key
from support.leaks import note
from support.migration.people import Refused

# https://firebase.google.com/docs/auth/admin/create-custom-tokens#sign_custom_tokens_with_additional_claims
RESERVED = set("acr amr at_hash aud auth_time azp cnf c_hash exp firebase iat iss jti nbf nonce sub".split())


class ServiceAccount:
    def __init__(self, name, project_id):
        self.project_id = project_id
        self.email = f"{name}@{project_id}.iam.gserviceaccount.com"
        self.key = Key(f"key-of-{name}")

    def file(self):
        return json.dumps(
            {
                "type": "service_account",
                "project_id": self.project_id,
                "private_key_id": self.key.kid,
                "private_key": note(self.key.private_pem().decode()),
                "client_email": self.email,
            }
        )


def read_custom_token(token, signer):
    """The claims of a token that this account signed. Anything else is refused, as Google does by its documents.

    https://firebase.google.com/docs/auth/admin/create-custom-tokens#create_custom_tokens_using_a_third-party_jwt_library
    """
    try:
        assert jwt.get_unverified_header(token)["kid"] == signer.key.kid
        claims = jwt.decode(
            token,
            signer.key.public_pem(),
            ["RS256"],
            audience=CUSTOM_TOKEN_AUDIENCE,
            issuer=signer.email,
            options={"require": ["exp", "iat", "sub", "uid"]},
        )
        assert claims["sub"] == signer.email and claims["exp"] - claims["iat"] <= 3600
        assert isinstance(claims["uid"], str) and 1 <= len(claims["uid"]) <= 128
    except (jwt.PyJWTError, AssertionError, KeyError) as error:
        raise Refused("INVALID_CUSTOM_TOKEN") from error
    developer = claims.get("claims", {})
    if not isinstance(developer, dict) or len(json.dumps(developer, separators=(",", ":"))) > 1000:
        raise Refused("INVALID_CLAIMS")
    for name in RESERVED & set(developer):
        raise Refused(f"FORBIDDEN_CLAIM : {name}")
    return claims

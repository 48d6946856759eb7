"""A stand-in for Google: an issuer with tokens for other clients, a check of access tokens, and a profile."""

import json
import secrets

from werkzeug.wrappers import Response

from support.issuers.fake_issuer import FakeIssuer
from support.leaks import note


class FakeGoogle(FakeIssuer):
    """An issuer that also says which client an access token was issued to."""

    provider = "google.com"
    client_id = "000000000000-web.apps.googleusercontent.com"
    settings = {}

    def __init__(self):
        super().__init__()
        self.users = {
            "ada": self.stranger("ada") | {"sub": "110248495921238986420", "email": "ada.lovelace@gmail.com"},
            "worker": self.stranger("worker") | {"sub": "110000000000000000001", "email": "worker@shop.example", "hd": "shop.example"},
        }

    def entry(self, **more):
        return {**super().entry(), "tokenInfoURL": self.url + "/tokeninfo", "userInfoURL": self.url + "/userinfo", **more}

    def endpoint(self, path):
        return "tokeninfo" if path == "/tokeninfo" else super().endpoint(path)

    def stranger(self, user):
        return super().stranger(user) | {"picture": f"https://lh3.example/{user}=s96-c", "given_name": user.title(), "locale": "en"}

    def issue(self, user="ada", client=None):
        """An access token of this person, for our client or another one."""
        token = note("ya29." + secrets.token_urlsafe(24))
        self.tokens[token] = {"user": user, "client": client or self.client_id}
        return token

    def access_token(self, user):
        return self.issue(user)

    def tokeninfo(self, request):
        """The values are texts, and an unknown token is a bad request."""
        grant = self.tokens.get(request.args.get("access_token"))
        if not grant:
            error = {"error": "invalid_token", "error_description": "Invalid Value"}
            return Response(json.dumps(error), 400, content_type="application/json")
        return {
            "azp": grant["client"],
            "aud": grant["client"],
            "sub": self.person(grant["user"])["sub"],
            "scope": "openid https://www.googleapis.com/auth/userinfo.email https://www.googleapis.com/auth/userinfo.profile",
            "exp": "2000000000",
            "expires_in": "3599",
            "access_type": "online",
        }

    def userinfo(self, request):
        grant = self.granted(request)
        return self.person(grant["user"]) if grant else Response("{}", 401, content_type="application/json")

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

    def __init__(self):
        super().__init__()
        self.users = {
            "ada": self.stranger("ada") | {"sub": "110248495921238986420", "email": "ada.lovelace@gmail.com"},
            "worker": self.stranger("worker") | {"sub": "110000000000000000001", "email": "worker@shop.example", "hd": "shop.example"},
        }

    def reset(self):
        super().reset()
        self.tokens = {}

    def entry(self, **more):
        return {
            "clientId": self.client_id,
            "clientSecret": {"env": "CLIENT_SECRET"},
            "issuer": self.url,
            "tokenInfoURL": self.url + "/tokeninfo",
            "userInfoURL": self.url + "/userinfo",
            **more,
        }

    def endpoint(self, path):
        return "tokeninfo" if path == "/tokeninfo" else super().endpoint(path)

    def stranger(self, user):
        return super().stranger(user) | {"picture": f"https://lh3.example/{user}=s96-c", "given_name": user.title(), "locale": "en"}

    def issue(self, user="ada", client=None):
        """An access token of this person, for our client or another one."""
        token = note("ya29." + secrets.token_urlsafe(24))
        self.tokens[token] = {"user": user, "client": client or self.client_id}
        return token

    def token(self, request):
        with self.lock:
            grant = self.codes.get(request.form.get("code", ""))
        answer = super().token(request)
        if isinstance(answer, dict) and grant and "access_token" in answer:
            answer["access_token"] = self.issue(grant["user"])
        return answer

    def claims_of(self, user):
        return self.users.get(user) or self.stranger(user)

    def tokeninfo(self, request):
        """The values are texts, and an unknown token is a bad request."""
        grant = self.tokens.get(request.args.get("access_token"))
        if not grant:
            error = {"error": "invalid_token", "error_description": "Invalid Value"}
            return Response(json.dumps(error), 400, content_type="application/json")
        return {
            "azp": grant["client"],
            "aud": grant["client"],
            "sub": self.claims_of(grant["user"])["sub"],
            "scope": "openid https://www.googleapis.com/auth/userinfo.email https://www.googleapis.com/auth/userinfo.profile",
            "exp": "2000000000",
            "expires_in": "3599",
            "access_type": "online",
        }

    def userinfo(self, request):
        grant = self.tokens.get(request.headers.get("authorization", "").removeprefix("Bearer "))
        return self.claims_of(grant["user"]) if grant else Response("{}", 401, content_type="application/json")

"""A stand-in for Google: an issuer with tokens for other clients, a check of access tokens, and a profile."""

import secrets

from support.issuers.fake_issuer import FakeIssuer
from support.leaks import note
from support.provider_data import ProviderData


class FakeGoogle(FakeIssuer):
    """An issuer that also says which client an access token was issued to."""

    provider = "google.com"
    client_id = "000000000000-web.apps.googleusercontent.com"
    settings = {}
    data = ProviderData("google.com")

    def __init__(self):
        super().__init__()
        self.users = {
            "ada": self.stranger("ada") | {"sub": "110248495921238986420", "email": "ada.lovelace@gmail.com"},
            "worker": self.stranger("worker") | {"sub": "110000000000000000001", "email": "worker@shop.example", "hd": "shop.example"},
        }

    def entry(self, **more):
        return {**super().entry(), "tokenInfoURL": self.url + "/tokeninfo", "userInfoURL": self.url + "/userinfo", **more}

    def endpoint(self, path):
        return {
            "/.well-known/openid-configuration": "discovery",
            "/o/oauth2/v2/auth": "authorize",
            "/token": "token",
            "/oauth2/v3/certs": "jwks",
            "/tokeninfo": "tokeninfo",
            "/userinfo": "userinfo",
        }.get(path)

    def stranger(self, user):
        names = {"name": user, "given_name": user.title(), "family_name": "Lovelace"}
        return self.data.answer("person", sub=user, email=f"{user}@example.com", **names)

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
            return self.data.error("unknown token")
        return self.data.answer("tokeninfo", client=grant["client"], sub=self.person(grant["user"])["sub"])

    def userinfo(self, request):
        grant = self.granted(request)
        return self.person(grant["user"]) if grant else self.data.error("no credentials")

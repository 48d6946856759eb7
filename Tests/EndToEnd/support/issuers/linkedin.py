"""A stand-in for LinkedIn: no nonce, no PKCE for a client with a secret, and texts where others have truth values."""

import secrets

from support.issuers.fake_issuer import FakeIssuer
from support.leaks import note
from support.names import CLIENT_SECRET


class FakeLinkedIn(FakeIssuer):
    """An issuer that does not repeat the nonce, and refuses a verifier. `answers` takes the place of an endpoint, as with every issuer."""

    provider = "linkedin.com"
    client_id = "77a1b2c3d4e5f6"
    binds_codes = False

    def __init__(self):
        super().__init__()
        self.url = self.web.url + "/oauth"
        self.users = {"ada": self.stranger("ada") | {"sub": "782bbtaQ"}}

    def reset(self):
        super().reset()
        self.tokens = {}

    def entry(self, **more):
        return {"clientId": self.client_id, "clientSecret": {"env": "CLIENT_SECRET"}, "issuer": self.url, **more}

    def discovery(self, request):
        document = super().discovery(request)
        document.pop("code_challenge_methods_supported")
        return {
            **document,
            "authorization_endpoint": self.url + "/v2/authorization",
            "token_endpoint": self.url + "/v2/accessToken",
            "userinfo_endpoint": self.web.url + "/v2/userinfo",
            "jwks_uri": self.url + "/openid/jwks",
            "token_endpoint_auth_methods_supported": ["client_secret_post"],
            **self.discovery_extra,
        }

    def endpoint(self, path):
        return {
            "/oauth/.well-known/openid-configuration": "discovery",
            "/oauth/v2/authorization": "authorize",
            "/oauth/v2/accessToken": "token",
            "/oauth/openid/jwks": "jwks",
            "/v2/userinfo": "userinfo",
        }.get(path)

    def problems(self, query):
        return [
            query.get("client_id") != self.client_id,
            query.get("response_type") != "code",
            "openid" not in query.get("scope", "").split(),
            not query.get("state"),
            "code_challenge" in query,
            not query.get("redirect_uri"),
        ]

    def stranger(self, user):
        return {
            "sub": user,
            "email": f"{user}@example.com",
            "email_verified": "true",
            "name": user.title(),
            "picture": f"https://media.example/{user}.jpg",
            "locale": "en_US",
        }

    def base_claims(self, user, nonce):
        return super().base_claims(user, None)

    def token(self, request):
        form = request.form
        with self.lock:
            grant = self.codes.pop(form.get("code", ""), None)
        if (form.get("client_id"), form.get("client_secret")) != (self.client_id, CLIENT_SECRET) or "code_verifier" in form:
            return self.refuse("invalid_client", 401)
        if grant is None or form.get("redirect_uri") != grant["redirect_uri"]:
            return self.refuse("invalid_request")
        token = note("AQX" + secrets.token_urlsafe(32))
        self.tokens[token] = grant["user"]
        id_token = self.id_token(grant["user"])
        answer = {
            "access_token": token,
            "expires_in": 5183999,
            "scope": "email,openid,profile",
            "token_type": "Bearer",
            "id_token": id_token,
        }
        return {name: value for name, value in {**answer, **self.token_extra}.items() if value is not None}

    def userinfo(self, request):
        user = self.tokens.get(request.headers.get("authorization", "").removeprefix("Bearer "))
        if user is None:
            return self.refuse("REVOKED_ACCESS_TOKEN", 401)
        claims = self.users.get(user) or self.stranger(user)
        return {**claims, "email_verified": True, "locale": {"country": "US", "language": "en"}}

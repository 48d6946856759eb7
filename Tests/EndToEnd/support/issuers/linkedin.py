"""A stand-in for LinkedIn: no nonce, no PKCE for a client with a secret, and texts where others have truth values."""

from support.issuers.fake_issuer import FakeIssuer
from support.names import CLIENT_SECRET


class FakeLinkedIn(FakeIssuer):
    """An issuer that does not repeat the nonce, and refuses a verifier. `answers` takes the place of an endpoint, as with every issuer."""

    provider = "linkedin.com"
    client_id = "77a1b2c3d4e5f6"
    binds_codes = False
    names_pkce = False
    settings = {}
    access_token_prefix = "AQX"

    def __init__(self):
        super().__init__()
        self.url = self.web.url + "/oauth"
        self.users = {"ada": self.stranger("ada") | {"sub": "782bbtaQ"}}

    def discovery(self, request):
        return {
            **super().discovery(request),
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
        answer = {
            "access_token": self.access_token(grant["user"]),
            "expires_in": 5183999,
            "scope": "email,openid,profile",
            "token_type": "Bearer",
            "id_token": self.id_token(grant["user"]),
        }
        return {name: value for name, value in {**answer, **self.token_extra}.items() if value is not None}

    def userinfo(self, request):
        user = self.granted(request)
        if user is None:
            return self.refuse("REVOKED_ACCESS_TOKEN", 401)
        return {**self.person(user), "email_verified": True, "locale": {"country": "US", "language": "en"}}

"""A stand-in for LinkedIn: no nonce, no PKCE for a client with a secret, and texts where others have truth values."""

from support.issuers.fake_issuer import FakeIssuer
from support.names import CLIENT_SECRET
from support.provider_data import ProviderData


class FakeLinkedIn(FakeIssuer):
    """An issuer that does not repeat the nonce, and refuses a verifier. `answers` takes the place of an endpoint, as with every issuer."""

    provider = "linkedin.com"
    client_id = "77a1b2c3d4e5f6"
    binds_codes = False
    settings = {}
    data = ProviderData("linkedin.com")
    access_token_prefix = "AQX"

    def __init__(self):
        super().__init__()
        self.url = self.web.url + "/oauth"
        self.users = {"ada": self.stranger("ada") | {"sub": "782bbtaQ", "email": "ada@work.example.com"}}

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
        return self.data.answer("person", sub=user, email=f"{user}@example.com", name=user.title(), user=user)

    def base_claims(self, user, nonce):
        return super().base_claims(user, None)

    def token(self, request):
        form = request.form
        with self.lock:
            grant = self.codes.pop(form.get("code", ""), None)
        if (form.get("client_id"), form.get("client_secret")) != (self.client_id, CLIENT_SECRET) or "code_verifier" in form:
            return self.data.error("bad client")
        if grant is None or form.get("redirect_uri") != grant["redirect_uri"]:
            return self.data.error("bad code")
        tokens = {"access_token": self.access_token(grant["user"]), "id_token": self.id_token(grant["user"])}
        answer = self.data.answer("token", **tokens)
        return {name: value for name, value in {**answer, **self.token_extra}.items() if value is not None}

    def userinfo(self, request):
        user = self.granted(request)
        if user is None:
            return self.data.error("revoked token")
        return self.person(user) | self.data.answer("userinfo")

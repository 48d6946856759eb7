"""A stand-in for Yahoo: keys of two kinds in one set, some with short names, and a profile with what the ID token lacks."""

from werkzeug import Response

from support.issuers.fake_issuer import FakeIssuer
from support.jwts import Key
from support.provider_data import ProviderData


class FakeYahoo(FakeIssuer):
    """An issuer that answers in the address alone, and signs with RSA or P-256; `mint = ec.sign` has it sign with the latter."""

    provider = "yahoo.com"
    client_id = "dj0yJmk9-a-client"
    settings = {}
    data = ProviderData("yahoo.com")

    def __init__(self):
        super().__init__()
        self.key = Key("0")
        self.ec = Key("3466d51f7dd0c780565688c183921816c45889ad", algorithm="ES256")
        self.keys = [Key("6ff94cdad11e7c3ac08dc9ec3c44844b87e364f7"), self.ec, self.key, Key("4")]
        self.users = {"ada": self.stranger("ada") | {"sub": "EXAMPLEGUIDOFADA", "email": "ada@yahoo.com"}}

    def endpoint(self, path):
        return {
            "/.well-known/openid-configuration": "discovery",
            "/oauth2/request_auth": "authorize",
            "/oauth2/get_token": "token",
            "/openid/v1/certs": "jwks",
            "/openid/v1/userinfo": "userinfo",
            "/oauth2/revoke": "revoke",
        }.get(path)

    def problems(self, query):
        return [*super().problems(query), query.get("response_mode", "query") != "query"]

    def stranger(self, user):
        return self.data.answer("person", sub=user, email=f"{user}@example.com", name=user.title())

    def revoke(self, request):
        if not self.knows(self.sent_by_client(request)):
            return self.refuse("invalid_client", 401)
        self.tokens.pop(request.form.get("token"), None)
        return Response("", 200)

    def userinfo(self, request):
        user = self.granted(request)
        if user is None:
            return self.data.error("unknown token")
        return self.person(user) | self.data.answer("userinfo", nickname=user)

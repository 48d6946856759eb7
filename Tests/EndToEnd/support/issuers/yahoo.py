"""A stand-in for Yahoo: keys of two kinds in one set, some with short names, and a profile with what the ID token lacks."""

from support.issuers.fake_issuer import FakeIssuer
from support.jwts import Key


class FakeYahoo(FakeIssuer):
    """An issuer that answers in the address alone, and signs with RSA or P-256; `mint = ec.sign` has it sign with the latter."""

    provider = "yahoo.com"
    client_id = "dj0yJmk9-a-client"
    names_pkce = False
    settings = {}

    def __init__(self):
        super().__init__()
        self.key = Key("0")
        self.ec = Key("3466d51f7dd0c780565688c183921816c45889ad", algorithm="ES256")
        self.keys = [Key("6ff94cdad11e7c3ac08dc9ec3c44844b87e364f7"), self.ec, self.key, Key("4")]
        self.users = {"ada": self.stranger("ada") | {"sub": "EXAMPLEGUIDOFADA", "email": "ada@yahoo.com"}}

    def discovery(self, request):
        return {
            **super().discovery(request),
            "authorization_endpoint": self.url + "/oauth2/request_auth",
            "token_endpoint": self.url + "/oauth2/get_token",
            "userinfo_endpoint": self.url + "/openid/v1/userinfo",
            "token_revocation_endpoint": self.url + "/oauth2/revoke",
            "jwks_uri": self.url + "/openid/v1/certs",
            "id_token_signing_alg_values_supported": ["ES256", "RS256"],
            "token_endpoint_auth_methods_supported": ["client_secret_basic", "client_secret_post"],
            "response_modes_supported": ["query"],
            "claims_parameter_supported": False,
            **self.discovery_extra,
        }

    def endpoint(self, path):
        return {
            "/.well-known/openid-configuration": "discovery",
            "/oauth2/request_auth": "authorize",
            "/oauth2/get_token": "token",
            "/openid/v1/certs": "jwks",
            "/openid/v1/userinfo": "userinfo",
        }.get(path)

    def problems(self, query):
        return [*super().problems(query), query.get("response_mode", "query") != "query"]

    def stranger(self, user):
        return super().stranger(user) | {"given_name": user.title(), "locale": "en-US"}

    def userinfo(self, request):
        user = self.granted(request)
        if user is None:
            return self.refuse("invalid_token", 401)
        return {**self.person(user), "nickname": user, "picture": f"https://s.yimg.example/{user}.png", "profile_images": {"image32": "…"}}

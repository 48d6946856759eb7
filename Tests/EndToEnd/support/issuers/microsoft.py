"""A stand-in for Microsoft: tenants, keys of tenants, and Graph."""

import hashlib

import jwt
from werkzeug.wrappers import Response

from support.issuers.fake_issuer import FakeIssuer
from support.jwts import Key
from support.provider_data import ProviderData


class FakeMicrosoft(FakeIssuer):
    """Tenants that share one authority: templated issuer, an owner for each key, `tid` and `oid`, and Graph."""

    provider = "microsoft.com"
    client_id = "11111111-2222-3333-4444-555555555555"
    data = ProviderData("microsoft.com")
    # An app of the same operator.
    SISTER = "99999999-8888-7777-6666-555555555555"
    CONTOSO = "aaaaaaaa-0000-4000-8000-00000000000a"
    FABRIKAM = "bbbbbbbb-0000-4000-8000-00000000000b"
    CONSUMERS = "9188040d-6c67-4c5b-b112-36a304b66dad"

    def __init__(self):
        super().__init__()
        template = self.url + "/{tenantid}/v2.0"
        self.key = Key("any-tenant", template)
        self.consumer_key = Key("consumers-only", f"{self.url}/{self.CONSUMERS}/v2.0")
        self.fabrikam_key = Key("fabrikam-only", f"{self.url}/{self.FABRIKAM}/v2.0")
        self.keys = [self.key, self.consumer_key, self.fabrikam_key]
        self.users = {
            "alice": {
                "tid": self.CONTOSO,
                "oid": "0a11ce00-1111-4111-8111-000000000001",
                "email": "alice@contoso.example",
                "name": "Alice",
            },
            "bob": {"tid": self.FABRIKAM, "oid": "0b0b0000-2222-4222-8222-000000000002", "email": "bob@fabrikam.example", "name": "Bob"},
            "carol": {"tid": self.CONSUMERS, "oid": "00000000-0000-0000-4b2e-abcdef123456", "email": "carol@outlook.com", "name": "Carol"},
        }

    def reset(self):
        super().reset()
        self.photo_bytes = b"\x89PNG\r\n\x1a\n" + b"not really a picture"

    def entry(self, **more):
        return {
            "clientId": self.client_id,
            "clientSecret": {"env": "CLIENT_SECRET"},
            "clientAuth": "post",
            "allowedAudiences": [self.SISTER],
            "tenant": "common",
            "authority": self.url,
            "graphBase": self.url + "/graph",
            **more,
        }

    def endpoint(self, path):
        parts = path.strip("/").split("/")
        if parts[0] == "graph":
            return {"/graph/v1.0/me": "me", "/graph/v1.0/me/photo/$value": "photo"}.get(path)
        return {
            "v2.0/.well-known/openid-configuration": "discovery",
            "oauth2/v2.0/authorize": "authorize",
            "oauth2/v2.0/token": "token",
            "discovery/v2.0/keys": "jwks",
        }.get("/".join(parts[1:]))

    def discovery(self, request):
        tenant = request.path.split("/")[1]
        shown = "{tenantid}" if tenant in ("common", "organizations", "consumers") else tenant
        return self.data.answer("discovery", base=self.url, tenant=tenant, shown=shown) | self.discovery_extra

    def base_claims(self, user, nonce):
        person = self.person(user)
        told = {"tenant": person["tid"], "oid": person["oid"], "name": person["name"], "username": person["email"]}
        sub = hashlib.sha256(user.encode()).hexdigest()[:40]
        return super().base_claims(user, nonce) | self.data.answer("claims", base=self.url, sub=sub, **told)

    def stranger(self, user):
        return {
            "tid": self.CONTOSO,
            "oid": f"{hashlib.md5(user.encode()).hexdigest()[:8]}-3333-4333-8333-000000000003",
            "name": user,
            "email": f"{user}@contoso.example",
        }

    def assertion_audience(self):
        return self.url + "/common/oauth2/v2.0/token"

    def read_assertion(self, assertion):
        assert jwt.get_unverified_header(assertion)["alg"] == "PS256"
        return super().read_assertion(assertion)

    def graph_error(self):
        return self.data.error("bad token")

    def me(self, request):
        user = self.granted(request)
        if not user:
            return self.graph_error()
        claims = self.person(user)
        graph_id = claims["oid"] if claims["tid"] != self.CONSUMERS else claims["oid"][19:].replace("-", "")
        return self.data.answer("me", name=claims["name"], mail=None, user=claims["email"], id=graph_id)

    def photo(self, request):
        if not self.granted(request):
            return self.graph_error()
        return Response(self.photo_bytes, content_type="image/png")

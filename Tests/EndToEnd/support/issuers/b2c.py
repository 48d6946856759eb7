"""A stand-in for Azure AD B2C: one tenant with several policies, of which each may have the issuer of the tenant or one of its own."""

from urllib.parse import urlencode

from werkzeug.wrappers import Response

from support.issuers.fake_issuer import FakeIssuer
from support.provider_data import ProviderData


class FakeB2C(FakeIssuer):
    """Documents below a policy that name the tenant's issuer, a list of addresses, numbers as strings, codes that only their policy redeems.

    <https://learn.microsoft.com/azure/active-directory-b2c/openid-connect>
    """

    provider = "oidc.b2c"
    client_id = "22222222-3333-4444-5555-666666666666"
    data = ProviderData("azure-ad-b2c")
    TENANT = "contoso.onmicrosoft.com"
    TENANT_ID = "cccccccc-0000-4000-8000-00000000000c"
    SIGN_IN, WEAK, COMPATIBLE = "B2C_1_signin", "B2C_1_weak", "B2C_1_compatible"

    def __init__(self):
        super().__init__()
        self.users = {}

    def reset(self):
        super().reset()
        self.subject = None
        self.says = None
        self.current = self.SIGN_IN.lower()

    def issuer(self, policy):
        """The issuer of a policy: that of the tenant, unless the policy has the setting for issuers of their own."""
        own = f"tfp/{self.TENANT_ID}/{policy.lower()}" if policy.lower() == self.COMPATIBLE.lower() else self.TENANT_ID
        return f"{self.url}/{own}/v2.0/"

    def document(self, policy):
        return f"{self.url}/{self.TENANT}/{policy}/v2.0/.well-known/openid-configuration"

    def entry(self, policy=SIGN_IN, **more):
        return {
            "issuer": self.issuer(policy),
            "discoveryURL": self.document(policy),
            "policy": policy,
            "clientId": self.client_id,
            "clientSecret": {"env": "CLIENT_SECRET"},
            "clientAuth": "post",
            "subjectClaim": "oid",
            **more,
        }

    def policy(self, request):
        parts = request.path.strip("/").split("/")
        return parts[2] if parts[0] == "tfp" else parts[1]

    def endpoint(self, path):
        parts = path.strip("/").split("/")
        # Below an issuer of its own, a policy has its document where the standard expects it.
        if parts[0] == "tfp":
            return "discovery" if parts[3:] == ["v2.0", ".well-known", "openid-configuration"] else None
        if parts[0] != self.TENANT:
            return None
        return {
            "v2.0/.well-known/openid-configuration": "discovery",
            "oauth2/v2.0/authorize": "authorize",
            "oauth2/v2.0/token": "token",
            "discovery/v2.0/keys": "jwks",
        }.get("/".join(parts[2:]))

    def discovery(self, request):
        policy = self.policy(request)
        base = f"{self.url}/{self.TENANT}"
        return self.data.answer("discovery", base=base, policy=policy.lower(), issuer=self.issuer(policy)) | self.discovery_extra

    def authorize(self, request):
        if self.says:
            answer = self.data.errors[self.says]["body"] | {"state": request.args["state"]}
            return Response("", 302, {"Location": request.args["redirect_uri"] + "?" + urlencode(answer)})
        answer = super().authorize(request)
        with self.lock:
            for grant in self.codes.values():
                grant.setdefault("policy", self.policy(request).lower())
        return answer

    def token(self, request):
        with self.lock:
            grant = self.codes.get(request.form.get("code", ""))
        at = self.policy(request).lower()
        if grant and grant["policy"] != at:
            return self.data.error("other policy", actual=grant["policy"], expected=at)
        self.current = at
        answer = super().token(request)
        if isinstance(answer, dict):
            told = self.data.answer("token", id_token=answer["id_token"])
            asked_for_access = self.client_id in grant["scope"].split()
            return told | ({"access_token": answer["access_token"]} if asked_for_access else {})
        return answer

    def base_claims(self, user, nonce):
        claims = super().base_claims(user, nonce)
        oid = f"{user.encode().hex()[:8]:0<8}-4444-4444-8444-{user.encode().hex()[8:20]:0<12}"
        told = {"policy": self.current, "oid": oid, "sub": self.subject or oid, "name": claims["name"], "emails": [claims.pop("email")]}
        return claims | self.data.answer("claims", **told) | {"iss": self.issuer(self.current)}

    def stranger(self, user):
        return {"email": f"{user}@customer.example", "name": user}

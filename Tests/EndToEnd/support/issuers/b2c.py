"""A stand-in for Azure AD B2C: one tenant with several policies, of which each may have the issuer of the tenant or one of its own."""

import json
import secrets
from urllib.parse import urlencode

from werkzeug.wrappers import Response

from support.issuers.fake_issuer import FakeIssuer


class FakeB2C(FakeIssuer):
    """Documents below a policy that name the tenant's issuer, a list of addresses, numbers as strings, codes that only their policy redeems.

    <https://learn.microsoft.com/azure/active-directory-b2c/openid-connect>
    """

    provider = "oidc.b2c"
    client_id = "22222222-3333-4444-5555-666666666666"
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
        base = f"{self.url}/{self.TENANT}/{policy.lower()}"
        return {
            "issuer": self.issuer(policy),
            "authorization_endpoint": base + "/oauth2/v2.0/authorize",
            "token_endpoint": base + "/oauth2/v2.0/token",
            "jwks_uri": base + "/discovery/v2.0/keys",
            "response_modes_supported": ["query", "fragment", "form_post"],
            "response_types_supported": ["code", "id_token"],
            "scopes_supported": ["openid"],
            "subject_types_supported": ["pairwise"],
            "id_token_signing_alg_values_supported": ["RS256"],
            "token_endpoint_auth_methods_supported": ["client_secret_post", "client_secret_basic"],
            **self.discovery_extra,
        }

    def authorize(self, request):
        if self.says:
            answer = {
                "error": "access_denied",
                "error_description": f"{self.says}\r\nCorrelation ID: 0000\r\n",
                "state": request.args["state"],
            }
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
            text = f"AADB2C90088: The provided grant has not been issued for this endpoint. Actual Value : {grant['policy']} and Expected Value : {at}"
            answer = {"error": "invalid_grant", "error_description": f"{text}\r\nCorrelation ID: {secrets.token_hex(4)}\r\n"}
            return Response(json.dumps(answer), 400, content_type="application/json")
        self.current = at
        answer = super().token(request)
        if isinstance(answer, dict):
            asked = grant["scope"].split()
            if self.client_id not in asked:
                answer.pop("access_token", None)
            answer.update(expires_in="3600", not_before="1442340812", id_token_expires_in="3600", profile_info="e30", scope="openid")
        return answer

    def base_claims(self, user, nonce):
        claims = super().base_claims(user, nonce)
        oid = f"{user.encode().hex()[:8]:0<8}-4444-4444-8444-{user.encode().hex()[8:20]:0<12}"
        claims.update(
            iss=self.issuer(self.current),
            tfp=self.current,
            oid=oid,
            sub=self.subject or oid,
            ver="1.0",
            emails=claims.pop("email", "").split(),
        )
        claims.pop("email_verified", None)
        return claims

    def stranger(self, user):
        return {"email": f"{user}@customer.example", "name": user, "idp": "local", "newUser": True}

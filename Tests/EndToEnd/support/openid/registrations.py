"""What the project's file says of the OpenID provider: clients of each kind, and user flows."""

import re
import secrets
from dataclasses import dataclass, field

from support.jwts import Key, foreign_key
from support.leaks import note


def _secret(extra=""):
    return note(secrets.token_urlsafe(24) + extra)


@dataclass(frozen=True)
class Client:
    """A client as its developer knows it; `settings` are further keys of its entry in the project's file."""

    id: str
    kind: str = "confidential"
    authentication: str = "basic"
    redirect_uris: tuple = ("https://rp.example.com/callback",)
    secrets: tuple = ()
    key: Key | None = None
    settings: dict = field(default_factory=dict)
    project: str = "demo"

    @property
    def secret(self):
        return self.secrets[0] if self.secrets else None

    @property
    def redirect_uri(self):
        return self.redirect_uris[0]

    @property
    def signed_out_uri(self):
        return self.settings["postLogoutRedirectURIs"][0]

    @property
    def needs_pkce(self):
        return self.settings.get("pkce", "required") == "required"

    def variable(self, index):
        """The environment variable of a secret."""
        return re.sub("[^A-Z0-9]", "_", f"{self.project}_{self.id}_secret_{index}".upper())

    def environment(self):
        return {self.variable(index): secret for index, secret in enumerate(self.secrets)}

    def entry(self):
        """This client in the project's file."""
        entry = {
            "id": self.id,
            "name": self.id.title(),
            "kind": self.kind,
            "redirectURIs": list(self.redirect_uris),
            "authentication": self.authentication,
            **self.settings,
        }
        if self.secrets:
            entry["secrets"] = [{"env": self.variable(index)} for index in range(len(self.secrets))]
        if self.key:
            entry["keys"] = f"{self.id}.jwks.json"
        return entry


SIGNED_OUT = {"postLogoutRedirectURIs": ["https://rp.example.com/signed-out", "https://rp.example.com/signed-out?app=1"]}
# Most modules of the certification suite send no PKCE.
CERTIFICATION = {**SIGNED_OUT, "pkce": "optional"}
API_SCOPE = "https://contoso.onmicrosoft.com/api/read"

BASIC = Client("certification-basic", secrets=(_secret(),), settings=CERTIFICATION)
POST = Client("certification-post", authentication="post", secrets=(_secret(),), settings=CERTIFICATION)
SECOND = Client(
    "certification-second", redirect_uris=("https://second.example.com/callback",), secrets=(_secret(),), settings=CERTIFICATION
)
WITH_QUERY = Client(
    "redirect-with-query",
    redirect_uris=("https://rp.example.com/callback?dummy1=lorem&dummy2=ipsum",),
    secrets=(_secret(),),
    settings=CERTIFICATION,
)
# A GUID, as Azure AD B2C has them.
NATIVE = Client(
    "90c0fe63-bcf2-44d5-8fb7-b8bbc0b29dc6",
    kind="native",
    authentication="none",
    redirect_uris=("com.onmicrosoft.contosob2c.exampleapp://oauth/redirect", "http://127.0.0.1/any-port", "http://localhost:4711/one-port"),
    settings={"postLogoutRedirectURIs": ["com.onmicrosoft.contosob2c.exampleapp://oauth/signed-out"], "apiScopes": [API_SCOPE]},
)
BROWSER = Client(
    "browser-app",
    kind="browser",
    authentication="none",
    redirect_uris=("http://localhost:5173/callback",),
    settings={"postLogoutRedirectURIs": ["http://localhost:5173/"]},
)
# PKCE as it is without a word; three secrets, with ever more of what RFC 6749 has a client encode.
STRICT = Client("confidential-strict", secrets=(_secret(), _secret(":/~"), _secret(":%2B+ &=/")), settings=SIGNED_OUT)
SIGNING = Client("confidential-signing", authentication="privateKeyJwt", key=foreign_key("rp-key"), settings=CERTIFICATION)
THIRD_PARTY = Client(
    "third-party",
    redirect_uris=("https://third.example.net/callback",),
    secrets=(_secret(),),
    settings={"consent": True, "pkce": "optional"},
)
PUSHING = Client("pushing", secrets=(_secret(),), settings={"pushedRequests": "required", "pkce": "optional"})
PROFILED = Client("profile-in-token", secrets=(_secret(),), settings={**CERTIFICATION, "profileInIDToken": True})
API = Client("api-caller", secrets=(_secret(),), settings={"pkce": "optional", "apiScopes": [API_SCOPE]})
# It may know the person by the id alone.
NARROW = Client("narrow", secrets=(_secret(),), settings={"pkce": "optional", "scopes": ["openid", "offline_access"]})
# It is the audience of the API's scopes, and asks about the tokens that it receives.
RESOURCE = Client("https://contoso.onmicrosoft.com/api", secrets=(_secret(),), settings={"pkce": "optional"})

CLIENTS = (BASIC, POST, SECOND, WITH_QUERY, NATIVE, BROWSER, STRICT, SIGNING, THIRD_PARTY, PUSHING, PROFILED, API, RESOURCE, NARROW)

# The second project has a client with the id of one of the first, and another secret.
OTHER_BASIC = Client("certification-basic", secrets=(_secret(),), settings=CERTIFICATION, project="other")
OTHER_NATIVE = Client(
    "other-native", kind="native", authentication="none", redirect_uris=("com.example.other://oauth/redirect",), settings={}
)

TENANT = "775527ff-9a37-4307-8b3d-cc311f58d925"
TENANT_NAME = "contoso.onmicrosoft.com"
OTHER_TENANT = "1b0f7ab0-33d5-4ab1-9a3c-6f9b7a5a0f11"
SUSI = "b2c_1_susi"
ISSUER_FLOWS = {"policy": SUSI, "tfp": "b2c_1_tfp", "default": "b2c_1_default"}
ALL_CLAIMS = ["displayName", "objectId", "emails", "identityProvider", "isNewUser"]


def user_flow(name, **more):
    return {"name": name, "kind": "signUpOrSignIn", "collect": ["displayName"], "claims": ALL_CLAIMS, **more}


def provider_settings():
    """`openIDProvider` of the first project."""
    return {
        "tenant": {"id": TENANT, "names": [TENANT_NAME]},
        "userFlows": [
            *(user_flow(name, issuer=style) for style, name in ISSUER_FLOWS.items()),
            user_flow("b2c_1_sign_in", kind="signIn"),
            # It has the issuer of another one.
            user_flow("b2c_1_same_issuer", issuer="default"),
        ],
        "clients": [client.entry() for client in CLIENTS],
    }


def other_provider_settings():
    """`openIDProvider` of the second project."""
    return {
        "tenant": {"id": OTHER_TENANT, "names": ["fabrikam.onmicrosoft.com"]},
        "userFlows": [user_flow(SUSI)],
        "clients": [OTHER_BASIC.entry(), OTHER_NATIVE.entry()],
    }

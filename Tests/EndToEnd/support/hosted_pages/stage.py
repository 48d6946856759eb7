"""The stage of the suites of hosted pages: a server that mails, relying parties, and what people do there."""

import re

from support.hosted_pages.relying_party import CLIENT, NATIVE, NATIVE_REDIRECT, THIRD_PARTY, Asked, RelyingParty
from support.leaks import note
from support.mail.mailing_site import MailingSite

PASSWORD = "correct horse battery"
TENANT = "775527ff-9a37-4307-8b3d-cc311f58d925"
CLAIMS = ["displayName", "givenName", "surname", "objectId", "emails", "identityProvider", "isNewUser"]
FLOWS = {
    "b2c_1_susi": {"kind": "signUpOrSignIn", "collect": ["displayName", "givenName", "surname"]},
    "b2c_1_sign_in": {"kind": "signIn"},
    "b2c_1_sign_up": {"kind": "signUp"},
    "b2c_1_reset": {"kind": "passwordReset"},
    "b2c_1_profile": {"kind": "profileEdit", "collect": ["displayName", "surname"]},
    "b2c_1_providers_first": {"kind": "signUpOrSignIn", "providers": ["oidc.fake", "password"]},
    "b2c_1_mail_only": {"kind": "signUpOrSignIn", "providers": ["emailLink"]},
}


class HostedSite(MailingSite):
    """`demo` is a provider with all user flows, and one of another project shares nothing with it."""

    def __init__(self, issuer=None, project=None, provider=None, **options):
        self.rp = RelyingParty()
        providers = {"oidc.fake": issuer.entry(name="Fake Login")} if issuer else {}
        super().__init__(
            project={
                "branding": {"name": "Acme", "accent": "#225588"},
                "providers": providers,
                "openIDProvider": {
                    "tenant": {"id": TENANT, "names": ["acme.example.com"]},
                    "userFlows": [
                        {"name": name, "claims": CLAIMS, **flow} for name, flow in FLOWS.items() if issuer or "oidc" not in str(flow)
                    ],
                    "clients": self.rp.clients(),
                    **(provider or {}),
                },
                **(project or {}),
            },
            **options,
        )

    def serve_with_passkeys(self, **settings):
        """Serves it at the host to which its passkeys belong."""
        self.url = self.settings["publicURL"] = f"http://localhost:{self.port}"
        self.project["passkeys"] = {"rpId": "localhost", **settings}
        self.write()
        self.serve()

    def request(self, flow=None, client=CLIENT, **parameters):
        """A request of a relying party; `flow`: by the address of a user flow."""
        base = f"{self.url}/demo/{flow}/oauth2/v2.0" if flow else f"{self.url}/demo/oauth2"
        return Asked(base, NATIVE_REDIRECT if client == NATIVE else self.rp.redirect_uri, client, **parameters)

    def third_party(self, **parameters):
        return self.request(client=THIRD_PARTY, **parameters)

    def digits(self, address, count=1):
        """The code in the n-th mail to this address."""
        return re.search(r"^\d{6}$", self.mail(address, count).text.replace("\r", ""), re.MULTILINE).group()

    def close(self):
        super().close()
        self.rp.close()


def wrong(digits):
    """Other digits than these."""
    return f"{(int(digits) + 1) % 1_000_000:06}"


def account(site, api, email, password=PASSWORD, **more):
    """A person with a password."""
    return api.succeed("signUp", {"email": email, "password": note(password), "returnSecureToken": True, **more})

"""A site with two projects that are OpenID providers, and the people who sign in at them."""

import json
from dataclasses import dataclass

from support.accounts import address, sign_up, update
from support.leaks import note
from support.names import METHODS, OTHER
from support.openid.registrations import CLIENTS, OTHER_BASIC, other_provider_settings, provider_settings
from support.servers.site import Site

OTHER_KEY = OTHER["apiKeys"][0]
# A tenant of `demo` that is a provider like `other`, with the same clients.
TENANT = "customer-a"
TENANTS_DIRECTORY = "0f1c5c12-9f0e-4a6f-9d0e-6a5d4c3b2a10"


@dataclass(frozen=True)
class Person:
    """Somebody with an account of the project, who knows its password."""

    email: str
    password: str
    id: str
    name: str


class OpenIDSite(Site):
    """`demo`, `other` and a tenant of `demo` are OpenID providers; the project `plain` is not one."""

    def __init__(self, *, provider=None, other=None, clients=CLIENTS, **options):
        """`provider`, `other`: `openIDProvider` of the two projects. `clients`: those of the first, whose keys the site has."""
        self.clients = clients
        super().__init__(
            project={
                "signIn": METHODS,
                "openIDProvider": provider or provider_settings(),
                **options.pop("project", {}),
            },
            others={
                "other": {**OTHER, "signIn": METHODS, "openIDProvider": other or other_provider_settings()},
                "plain": {
                    "project": "plain-project",
                    "number": 200000000003,
                    "apiKeys": ["plain-api-key"],
                    "authorizedDomains": ["localhost"],
                },
            },
            tenants={
                TENANT: {
                    "signIn": METHODS,
                    "openIDProvider": {
                        **other_provider_settings(),
                        "tenant": {"id": TENANTS_DIRECTORY, "names": ["tenant.onmicrosoft.com"]},
                    },
                }
            },
            **options,
        )

    def write(self):
        super().write()
        for client in self.clients:
            if client.key:
                (self.folder / f"projects/{client.id}.jwks.json").write_text(json.dumps({"keys": [client.key.jwk]}))

    def environment(self):
        variables = {name: value for client in self.clients for name, value in client.environment().items()}
        # The second project's client of the same id has a variable of its own.
        return {**super().environment(), **variables, **OTHER_BASIC.environment()}

    @property
    def other_issuer(self):
        return f"{self.url}/other"

    def api(self, other=False):
        return self.servers[0].api(OTHER_KEY) if other else self.servers[0].api()

    def person(self, other=False, name="Ada Lovelace", tenant=None):
        """A new account with a password and a name, at one of the projects, or in a tenant."""
        email, password = address(), note("correct horse battery")
        made = sign_up(self.api(other), email, password, tenantId=tenant)
        answer = update(self.api(other), made["idToken"], displayName=name)
        assert answer.status_code == 200, answer.text
        return Person(email, password, made["localId"], name)

    def disable(self, person):
        self.rows("UPDATE accounts SET disabled = true WHERE account_id = %s", person.id)

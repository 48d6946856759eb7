"""The server of each suite here, with a project for each way that a project may treat passwords."""

import pytest

from support.names import METHODS
from support.servers.site import Site


@pytest.fixture(scope="module")
def rest():
    """`demo` protects addresses from enumeration, `open` does not, `closed` has everything switched off."""

    def project(name, number, **more):
        return {"project": name, "number": number, "apiKeys": [f"{name}-key"], "authorizedDomains": ["localhost"], **more}

    site = Site(
        project={"signIn": METHODS},
        others={
            "open": project("open-project", 2, signIn=METHODS, emailEnumerationProtection=False),
            "closed": project("closed-project", 3),
            "members": project("members-only", 4, signIn={**METHODS, "signUp": False, "deletion": False}),
            "policy": project(
                "policy-project",
                5,
                signIn=METHODS,
                emailEnumerationProtection=False,
                passwordPolicy={"enforcement": "enforce", "minLength": 10, "numeric": True, "forceUpgradeOnSignIn": True},
            ),
            "static": project("static-project", 6, signIn=METHODS, sessions={"refresh": "static"}),
        },
    )
    site.serve()
    yield site
    site.close()


@pytest.fixture(scope="module")
def demo(rest):
    return rest.servers[0].api()


@pytest.fixture(scope="module")
def opened(rest):
    return rest.servers[0].api("open-project-key")

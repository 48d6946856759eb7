"""Sites that send text messages by a transport."""

import pytest

from support.gateway import signing_secret
from support.servers.site import Site

REGIONS = ["DE", "US"]


@pytest.fixture
def sites():
    """Makes and serves sites whose project sends by a transport."""
    made = []

    def make(transport, variables=None, settings=None, **phone):
        site = Site(
            settings=settings,
            project={
                "phone": {"enabled": True, "regions": REGIONS, "transport": transport, **phone},
                "signIn": {"password": True, "anonymous": True},
                "branding": {"name": "Acme"},
            },
        )
        site.variables = variables or {}
        made.append(site)
        site.serve()
        return site

    yield make
    for site in made:
        site.close()


@pytest.fixture(name="signing_secret")
def new_signing_secret():
    return signing_secret()

"""A server in production and one in development mode, for the tests that go through every call."""

import pytest

from support.names import METHODS, OTHER, PRODUCTION
from support.servers.site import Site

PROVIDER = {
    "clients": [{"id": "app", "kind": "native", "authentication": "none", "redirectURIs": ["com.example.app:/back"]}],
}


def projects():
    return {"signIn": METHODS, "openIDProvider": PROVIDER}


@pytest.fixture(scope="module")
def production():
    site = Site(
        settings=PRODUCTION,
        project={**projects(), "redirectURLs": [], "authorizedDomains": ["auth.example.com", "localhost"]},
        others={"other": {**OTHER, **projects()}},
    )
    site.serve()
    yield site
    site.close()


@pytest.fixture(scope="module")
def development():
    site = Site(settings={"developmentProject": "demo"}, project=projects(), others={"other": {**OTHER, **projects()}})
    site.serve()
    yield site
    site.close()

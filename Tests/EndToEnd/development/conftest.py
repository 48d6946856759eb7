"""A server in development mode, as `make run` has it, and one in production."""

import pytest

from support.names import METHODS, OTHER, PRODUCTION
from support.servers.site import Site


@pytest.fixture(scope="module")
def development():
    """As `make run` has it, beside a project of another team's."""
    site = Site(
        settings={"developmentProject": "demo", "loops": 3}, project={"signIn": METHODS}, others={"other": {**OTHER, "signIn": METHODS}}
    )
    site.serve()
    yield site
    site.close()


@pytest.fixture(scope="module")
def production():
    site = Site(
        settings=PRODUCTION, project={"signIn": METHODS, "redirectURLs": [], "authorizedDomains": ["auth.example.com", "localhost"]}
    )
    site.serve()
    yield site
    site.close()

"""What the suites of moving here from Firebase share: a double of Google, and a site whose people come from there."""

import pytest

from support.migration.firebase import Firebase
from support.migration.fixed_names import NotHere
from support.migration.moving_site import MovingSite


@pytest.fixture(scope="module")
def firebase_of_module():
    try:
        firebase = Firebase()
    except NotHere as reason:
        pytest.skip(str(reason))
    yield firebase
    firebase.close()


@pytest.fixture(scope="module")
def site_of_module(firebase_of_module):
    site = MovingSite(firebase_of_module)
    site.serve()
    yield site
    site.close()


@pytest.fixture
def firebase(firebase_of_module):
    """Honest and without people when the test begins."""
    firebase_of_module.reset()
    yield firebase_of_module
    firebase_of_module.reset()


@pytest.fixture
def moving(site_of_module, firebase):
    """The site, with one server."""
    return site_of_module


@pytest.fixture
def api(moving):
    return moving.servers[0].api()

import pytest

from support.leaks import secrets_in_database
from support.openid.pages import Browser
from support.openid.registrations import BASIC
from support.openid.relying_party import RelyingParty
from support.openid.site import OpenIDSite


@pytest.fixture(scope="session")
def openid_site():
    """One site with one server, whose projects `demo` and `other` are OpenID providers."""
    site = OpenIDSite()
    site.serve()
    yield site
    stored = secrets_in_database(site)
    site.close()
    assert not stored, "SEC-21: a copy of the database opens nothing"


@pytest.fixture(scope="session")
def ada(openid_site):
    return openid_site.person()


@pytest.fixture(scope="session")
def _signed_in(openid_site, ada):
    browser = Browser(openid_site.url)
    RelyingParty(openid_site.issuer, BASIC, browser=browser).sign_in(ada)
    return browser


@pytest.fixture
def signed_in(_signed_in):
    """A browser in which Ada is signed in. Tests that sign out or in anew take a browser of their own."""
    return _signed_in.copy()


@pytest.fixture
def party(openid_site, signed_in):
    """Makes relying parties of the first project, at the browser in which Ada is signed in."""

    def make(client=BASIC, **options):
        return RelyingParty(openid_site.issuer, client, **{"browser": signed_in, **options})

    return make


@pytest.fixture
def newcomer(openid_site):
    """Makes relying parties of the first project, each at a browser in which nobody has signed in."""

    def make(client=BASIC, **options):
        return RelyingParty(openid_site.issuer, client, **options)

    return make

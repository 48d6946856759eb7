"""The stage of the suites of hosted pages."""

import pytest

from support.accounts import address
from support.browser.drivers import Chromium
from support.hosted_pages.stage import HostedSite, account
from support.hosted_pages.visitor import Visitor


@pytest.fixture(scope="module")
def stage(fake_issuer_of_session):
    site = HostedSite(fake_issuer_of_session)
    site.serve()
    yield site
    site.close()


@pytest.fixture
def visitor(stage):
    return Visitor(stage)


@pytest.fixture
def api(stage):
    return stage.servers[0].api()


@pytest.fixture
def known(stage, api):
    """The address of a new account with a password."""
    return account(stage, api, address())["email"]


@pytest.fixture(scope="module")
def driver(tmp_path_factory):
    driver = Chromium(tmp_path_factory.mktemp("chromium"))
    yield driver
    driver.quit()

"""The stage of the suites of the console."""

import pytest

from support.browser.drivers import Chromium
from support.console import ConsoleSite, Operator


@pytest.fixture(scope="module")
def stage(fake_issuer_of_session):
    site = ConsoleSite(fake_issuer_of_session)
    site.serve()
    yield site
    site.close()


@pytest.fixture
def staff(stage, fake_issuer):
    """The people at the provider, who are honest again for each test."""
    fake_issuer.users["ben"] = {"sub": "ben-1", "email": "ben@trusted.example", "email_verified": True}
    fake_issuer.users["vera"] = {"sub": "vera", "email": "vera@example.com", "email_verified": True}
    yield fake_issuer
    for name in ("ben", "vera"):
        fake_issuer.users.pop(name, None)
    stage.rows("DELETE FROM console_operators")


@pytest.fixture
def browser(stage, staff):
    return Operator(stage)


@pytest.fixture(scope="module")
def driver(tmp_path_factory):
    driver = Chromium(tmp_path_factory.mktemp("chromium"))
    yield driver
    driver.quit()

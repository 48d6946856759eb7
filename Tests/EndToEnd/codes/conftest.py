"""A site that mails, for the suites here that have none of their own."""

import pytest

from support.mail.mailing_site import MailingSite


@pytest.fixture(scope="module")
def site():
    site = MailingSite()
    site.serve()
    yield site
    site.close()


@pytest.fixture(scope="module")
def demo(site):
    return site.servers[0].api()

"""A site that mails, whose people may enrol second factors."""

import pytest

from support.harness import free_port
from support.mail.mailing_site import UNLIMITED, MailingSite


@pytest.fixture(scope="module")
def site():
    unlimited = {**UNLIMITED, "secondFactor": {"perAccount": "none", "perAddress": "none"}, "changeSignInMethods": {"perMailbox": "none"}}
    site = MailingSite(project={"mfa": {"state": "enabled", "rememberDevice": "30d"}, "limits": unlimited})
    site.serve()
    site.serve(free_port())
    yield site
    site.close()


@pytest.fixture
def api(site):
    return site.servers[0].api()

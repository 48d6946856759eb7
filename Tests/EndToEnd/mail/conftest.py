"""An SMTP server, certificates for one, and sites that mail as production does."""

import pytest

from support.certificates import Certificate
from support.mail.smtp import Post
from support.names import PRODUCTION
from support.servers.site import Site


@pytest.fixture
def post():
    post = Post()
    yield post
    post.close()


@pytest.fixture(scope="module")
def certificate(tmp_path_factory):
    return Certificate(tmp_path_factory.mktemp("certificates"))


@pytest.fixture
def sites():
    made = []

    def make(mail, serve=True, **more):
        # Rows leave the outbox when they are sent, as in production: development would keep them to be looked at.
        settings = {**PRODUCTION, "logLevel": "trace", "mail": mail}
        project = {"authorizedDomains": ["app.example.com", "auth.example.com"], "redirectURLs": [], **more.pop("project", {})}
        site = Site(settings={**settings, **more}, project=project)
        made.append(site)
        if serve:
            site.serve()
        return site

    yield make
    for site in made:
        site.close()

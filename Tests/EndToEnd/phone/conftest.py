"""Gateways of text messages that are played here, and sites that send by them."""

import base64
import secrets

import pytest

from support.leaks import note
from support.servers.site import Site
from support.web_server import WebServer

REGIONS = ["DE", "US"]


class Gateway:
    """Keeps the requests that come, and answers as it is told."""

    def __init__(self):
        self.requests = []
        # Status and body of the next answers; the last one repeats.
        self.answers = [(200, "")]
        self.server = WebServer(self.answer)
        self.url = self.server.url

    def answer(self, environ, start):
        body = environ["wsgi.input"].read(int(environ.get("CONTENT_LENGTH") or 0))
        headers = {name[5:].replace("_", "-").lower(): value for name, value in environ.items() if name.startswith("HTTP_")}
        headers["content-type"] = environ.get("CONTENT_TYPE", "")
        self.requests.append({"path": environ["PATH_INFO"], "headers": headers, "body": body})
        status, text = self.answers[0]
        if len(self.answers) > 1:
            self.answers.pop(0)
        start(f"{status} Status", [("content-type", "application/json")])
        return [text.encode()]

    def close(self):
        self.server.close()


@pytest.fixture
def gateway():
    gateway = Gateway()
    yield gateway
    gateway.close()


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


@pytest.fixture
def signing_secret():
    return note("whsec_" + base64.b64encode(secrets.token_bytes(32)).decode())

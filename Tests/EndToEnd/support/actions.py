"""Codes by mail in the end-to-end tests: a site that mails to a real SMTP server, the mails by address, and their links."""

import re
from html.parser import HTMLParser

import pytest
import requests

from support import harness
from support.clients import query_of
from support.common import TIMEOUT, note_url
from support.harness import wait_until
from support.mail import Post

ON = {"password": True, "anonymous": True, "emailLink": True}
UNLIMITED = {
    "signUp": {"perAddress": "none"},
    "password": {"perAccountAndAddress": "none", "perAccount": "none", "perAddress": "none"},
    "actionCode": {"perAddress": "none"},
    **{action: {second: "none", "perAccount": "none", "perAddress": "none"} for action, second in harness.MAILS.items()},
}
APP = "https://app.example.com/finish?cart=7#top"


def project(name, number, **more):
    return {
        "project": name, "number": number, "apiKeys": [f"{name}-key", "spare-" + name], "authorizedDomains": ["app.example.com"],
        "limits": UNLIMITED, **more,
    }


class MailingSite(harness.Site):
    """`demo` protects addresses from enumeration, `open-project` does not, `closed-project` has everything switched off."""

    def __init__(self, **options):
        self.post = Post()
        self.read = 0
        others = {
            "open": project("open-project", 2, signIn=ON, emailEnumerationProtection=False),
            "closed": project("closed-project", 3),
            "policy": project(
                "policy-project", 4, signIn=ON,
                passwordPolicy={"enforcement": "enforce", "minLength": 10, "numeric": True, "uppercase": True},
            ),
        }
        settings = {"mail": self.post.settings(), **options.pop("settings", {})}
        demo = {"signIn": ON, "limits": UNLIMITED, "branding": {"name": "Acme", "accent": "#225588"}, **options.pop("project", {})}
        super().__init__(settings=settings, project=demo, others=others, **options)

    def mails(self, address):
        return [mail for mail in self.post.messages if mail.recipients == [address]]

    def mail(self, address, count=1):
        """The mail of this number to this address, once it has come."""
        wait_until(lambda: len(self.mails(address)) >= count, what=f"mail {count} to {address}")
        return self.mails(address)[count - 1]

    def link(self, address, count=1):
        return link_in(self.mail(address, count))

    def code(self, address, count=1):
        return query_of(self.link(address, count))["oobCode"]

    def close(self):
        super().close()
        self.post.close()


def link_in(mail):
    return note_url(re.search(r"https?://\S+", mail.text).group())


counter = iter(range(10_000))


def address():
    return f"person{next(counter)}@example.com"


def sign_up(api, email=None, password="correct horse"):
    answer = api.succeed("signUp", {"email": email or address(), "password": password, "returnSecureToken": True})
    return answer


class Page(HTMLParser):
    """An action page as a browser without scripts sees it."""

    def __init__(self, response):
        super().__init__()
        self.response = response
        self.fields = {}
        self.form = None
        self.links = {}
        self.text = ""
        self.language = None
        self.feed(response.text)

    def handle_starttag(self, tag, attributes):
        attributes = dict(attributes)
        if tag == "html":
            self.language = attributes["lang"]
        if tag == "form":
            self.form = attributes
        if tag == "input":
            self.fields[attributes["name"]] = attributes.get("value", "")
        if tag == "a":
            self.links[attributes.get("id", "")] = attributes["href"]

    def handle_data(self, text):
        self.text += text

    def submit(self, *, headers=None, **fields):
        assert self.form["method"] == "post"
        url = requests.compat.urljoin(self.response.url, self.form["action"])
        return Page(requests.post(url, data={**self.fields, **fields}, headers=headers, timeout=TIMEOUT, allow_redirects=False))


def opened(url, **options):
    return Page(requests.get(url, timeout=TIMEOUT, allow_redirects=False, **options))


# Fixtures of the modules that import them.


@pytest.fixture(scope="module")
def site():
    site = MailingSite()
    site.serve()
    yield site
    site.close()


@pytest.fixture(scope="module")
def demo(site):
    return site.servers[0].api()

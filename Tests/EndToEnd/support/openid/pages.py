"""A browser without scripts at the hosted pages: it reads the forms in the HTML, fills them in and sends them."""

from html.parser import HTMLParser
from urllib.parse import urljoin, urlsplit

import requests

from support.leaks import note, note_fields
from support.names import TIMEOUT


def note_secrets(fields):
    """Remembers the secrets in a form. State and nonce are the relying party's own, and stay with the request as they are.
    Verifiers of PKCE are remembered where they are made; some tests send other values in their place."""
    note_fields({name: value for name, value in fields.items() if name not in ("state", "nonce", "code_verifier")})


class Form:
    def __init__(self, attributes):
        self.action = attributes.get("action") or ""
        self.method = (attributes.get("method") or "get").upper()
        # Names and values of the input fields; the buttons as (name, value, id).
        self.fields = {}
        self.buttons = []


class Page(HTMLParser):
    """What a browser without scripts sees of a response."""

    def __init__(self, response):
        super().__init__()
        self.response = response
        self.url = response.url
        self.forms = []
        self.links = []
        self.metas = []
        self.scripts = 0
        self.inside = None
        self.feed(response.text)

    def handle_starttag(self, tag, attributes):
        said = dict(attributes)
        if tag == "form":
            self.inside = Form(said)
            self.forms.append(self.inside)
        elif tag == "a" and "href" in said:
            self.links.append(said["href"])
        elif tag == "meta":
            self.metas.append(said)
        elif tag == "script":
            self.scripts += 1
        elif self.inside is not None and tag == "input":
            self.field(said)
        elif self.inside is not None and tag == "button" and said.get("type", "submit") == "submit":
            self.inside.buttons.append((said.get("name"), said.get("value", ""), said.get("id")))

    def field(self, said):
        kind = said.get("type", "text")
        if kind == "submit":
            self.inside.buttons.append((said.get("name"), said.get("value", ""), said.get("id")))
        elif said.get("name") and (kind not in ("checkbox", "radio") or "checked" in said):
            self.inside.fields[said["name"]] = said.get("value") or ""

    def handle_endtag(self, tag):
        if tag == "form":
            self.inside = None

    def form_with_step(self, step):
        """The first form that has a button for this step, and the button."""
        return next(((form, button) for form in self.forms for button in form.buttons if button[:2] == ("do", step)), None)


class Browser(requests.Session):
    """A person's browser: it keeps cookies and follows redirects within the provider. It never opens an address of a relying party."""

    def __init__(self, origin):
        super().__init__()
        self.origin = origin

    def copy(self):
        """Another browser with the same cookies."""
        twin = Browser(self.origin)
        twin.cookies.update(self.cookies)
        return twin

    def request(self, method, url, **options):
        options["allow_redirects"] = False
        options.setdefault("timeout", TIMEOUT)
        response = super().request(method, url, **options)
        for cookie in self.cookies:
            note(cookie.value)
        return response

    def is_ours(self, url):
        return url.startswith(self.origin + "/") or url == self.origin

    def follow(self, response):
        """Follows redirects until a page, or an address that is not the provider's; gives the last response."""
        for _ in range(10):
            if response.status_code not in (302, 303):
                return response
            target = urljoin(response.url, response.headers["location"])
            if not self.is_ours(target):
                return response
            response = self.get(target)
        raise AssertionError(f"redirects without end, at last {response.url}")

    def submit(self, page, form, button=None, **filled):
        """Sends a form as the press of a button does; gives the response after redirects."""
        fields = {**form.fields, **filled}
        if button and button[0]:
            fields[button[0]] = button[1]
        note_secrets(fields)
        target = urljoin(page.url, form.action)
        assert self.is_ours(target), f"a hosted page posts to {urlsplit(target).netloc}"
        # As browsers send it from a page of the same origin.
        headers = {"origin": self.origin, "sec-fetch-site": "same-origin"}
        if form.method == "POST":
            return self.follow(self.post(target, data=fields, headers=headers))
        return self.follow(self.get(target, params=fields, headers=headers))

"""A person's browser without scripts and without a screen: it keeps cookies, reads the forms and sends them."""

from html.parser import HTMLParser
from urllib.parse import urljoin, urlsplit

import requests

from support.leaks import note, note_fields
from support.names import TIMEOUT


class Page(HTMLParser):
    """A page as such a browser sees it: its forms with their fields and buttons, its links by id, its text."""

    def __init__(self, response):
        super().__init__()
        self.response, self.url, self.status = response, response.url, response.status_code
        self.forms, self.links, self.fields, self.said = [], {}, {}, []
        self.language = None
        self.ids = set()
        self.feed(response.text)
        self.text = " ".join(" ".join(self.said).split())

    def handle_starttag(self, tag, attributes):
        has = dict(attributes)
        self.ids.update([has["id"]] if "id" in has else [])
        if tag == "html":
            self.language = has["lang"]
        if tag == "form":
            self.forms.append({"action": has["action"], "method": has["method"], "fields": {}, "buttons": set()})
        if tag == "input" and has.get("name"):
            self.fields[has["name"]] = has
            if has.get("type") != "checkbox" or "checked" in has:
                self.forms[-1]["fields"][has["name"]] = has.get("value") or ""
        if tag == "button":
            self.forms[-1]["buttons"].add((has.get("name"), has.get("value")))
        if tag == "a":
            self.links[has.get("id")] = has["href"]

    def handle_data(self, data):
        if self.get_starttag_text() and not self.get_starttag_text().startswith("<style"):
            self.said.append(data)

    def form(self, button):
        found = [form for form in self.forms if button in form["buttons"]]
        assert found, f"no button {button} on {self.url}: {self.text}"
        return found[0]

    def offers(self, name, value):
        return any((name, value) in form["buttons"] for form in self.forms)


class Visitor(requests.Session):
    """It stays at the provider: a redirect to any other address ends the journey, and that address is what it gives."""

    def __init__(self, site, language="en"):
        super().__init__()
        self.site = site
        self.headers["accept-language"] = language

    def open(self, url, **options):
        return self.follow(self.get(url, allow_redirects=False, timeout=TIMEOUT, **options))

    def follow(self, response):
        """The page at the end of the redirects; the address itself where that is not the provider's."""
        for _ in range(12):
            for cookie in self.cookies:
                note(cookie.value)
            if response.status_code not in (302, 303):
                return Page(response)
            target = urljoin(response.url, response.headers["location"])
            if urlsplit(target).netloc != urlsplit(self.site.url).netloc:
                return target
            response = self.get(target, allow_redirects=False, timeout=TIMEOUT)
        raise AssertionError(f"redirects without end at {response.url}")

    def press(self, page, do="", provider=None, headers=None, **fields):
        """Fills in the form that has this button, and presses it."""
        button = ("provider", provider) if provider else ("do", do)
        form = page.form(button)
        filled = {**form["fields"], **fields, button[0]: button[1]}
        note_fields({name: value for name, value in filled.items() if name == "password"})
        own = {"origin": "null", "sec-fetch-site": "same-origin"}
        response = self.post(
            urljoin(page.url, form["action"]), data=filled, headers={**own, **(headers or {})}, allow_redirects=False, timeout=TIMEOUT
        )
        return self.follow(response)

    def click(self, page, link):
        return self.open(urljoin(page.url, page.links[link]))

    def sign_in(self, page, email, password):
        return self.press(page, "password", email=email, password=password)

    def at_provider(self, url):
        """Goes where the provider of an issuer sends a browser that has agreed, and back."""
        answer = requests.get(url, allow_redirects=False, timeout=TIMEOUT)
        return self.open(answer.headers["location"])

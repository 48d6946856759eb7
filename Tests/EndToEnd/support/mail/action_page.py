"""The page that links in mails lead to, as a browser without scripts sees it."""

from html.parser import HTMLParser

import requests

from support.names import TIMEOUT


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

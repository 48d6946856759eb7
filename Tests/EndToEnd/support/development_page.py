"""The page that takes a provider's place in development mode, as a person without a browser uses it."""

import html
import re
from urllib.parse import parse_qsl, urlsplit

import requests

from support.leaks import note_url
from support.names import TIMEOUT

PATH = "/__/auth/development"
PERSON = {"email": "ada@example.com", "email_verified": "on", "name": "Ada Lovelace", "screen_name": "countess"}


def links(page):
    """Where its links lead, by their texts."""
    found = re.findall(r'<a [^>]*href="([^"]*)"[^>]*>(.*?)</a>', page.text, re.S)
    return {" ".join(re.sub("<[^>]+>", " ", html.unescape(text)).split()): note_url(html.unescape(href)) for href, text in found}


def look(authorization_url, **headers):
    """The page at the address that a start leads to."""
    page = requests.get(authorization_url.rstrip("#"), headers=headers, timeout=TIMEOUT)
    assert page.status_code == 200, page.text
    return page


def as_new(authorization_url, **person):
    """Makes a person up; gives where the browser goes on."""
    url = urlsplit(authorization_url)
    assert url.path == PATH, authorization_url
    fields = {**dict(parse_qsl(url.query)), "act": "make", **(person or PERSON)}
    address = f"{url.scheme}://{url.netloc}{url.path}"
    answer = requests.get(address, params=fields, allow_redirects=False, timeout=TIMEOUT)
    assert answer.status_code == 303, answer.text
    return note_url(answer.headers["location"])


def making_up(**person):
    """A login that makes this person up, for the flows of `support.clients`."""
    return lambda authorization_url: as_new(authorization_url, **person)


def choosing(text):
    """A login that takes the page's link of this text."""
    return lambda authorization_url: links(look(authorization_url))[text]

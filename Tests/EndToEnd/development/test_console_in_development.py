"""`/emulator/`: the operator console in development mode, without a sign-in."""

import base64
import re

import pytest
import requests

from support.clients.api import API
from support.leaks import note
from support.names import TIMEOUT

BASE = "/emulator"


def ask(site, path, method="get", **more):
    return requests.request(method, site.url + BASE + path, timeout=TIMEOUT, allow_redirects=False, **more)


def named(uid):
    """An id as addresses of the console have it."""
    return base64.urlsafe_b64encode(uid.encode()).decode().rstrip("=")


@pytest.fixture
def person(development):
    made = API(development.url).succeed("signUp", {"email": "console@example.com", "password": note("analytical engine")})
    yield made["localId"]
    requests.delete(f"{development.url}/emulator/v1/projects/demo/accounts", timeout=TIMEOUT)


def test_it_opens_without_a_sign_in_and_changes_things(development, person):
    assert "/emulator/projects/demo/users" in requests.get(development.url + "/emulator/codes", timeout=TIMEOUT).text
    assert "<h1>Overview</h1>" in ask(development, "").text
    assert "/emulator/codes?project=demo" in ask(development, "/projects/demo/users").text
    for path in ("/", "/keys", "/configuration", "/projects/demo/users", f"/projects/demo/users/{named(person)}", "/projects/other/audit"):
        answer = ask(development, path)
        assert answer.status_code == 200 and "sign-out" not in answer.text, path
        links = re.findall(r'(?:href|action)="(/[^"]*)"', answer.text)
        assert links and all(link.startswith("/emulator/") for link in links), links
    act = f"/projects/demo/users/{named(person)}/disable"
    token = re.search(r'name="token" value="([^"]*)"', ask(development, act).text)[1]
    assert ask(development, act, "post", data={"token": "made up"}).status_code == 403
    done = ask(development, act, "post", data={"token": token})
    assert done.status_code == 303 and done.headers["location"].startswith(f"{BASE}/projects/demo/users/{named(person)}")
    assert requests.get(development.url + done.headers["location"], timeout=TIMEOUT).status_code == 200
    assert development.value("SELECT disabled FROM accounts WHERE account_id = %s", person)


def test_SEC_22_only_this_machine_opens_it(development, production):
    for headers in ({"x-forwarded-for": "203.0.113.7"}, {"host": "evil.example"}, {"origin": "https://evil.example"}):
        assert ask(development, "/", headers=headers).status_code == 403, headers
    # A page of the app may make the emulator's calls, and opens no page of the console.
    for site in ("same-site", "cross-site"):
        app = {"origin": "http://localhost:7777", "sec-fetch-site": site}
        assert ask(development, "/", headers=app).status_code == 403, site
    assert ask(development, "/", headers={"origin": "http://localhost:7777"}).status_code == 403
    cross = {"sec-fetch-site": "cross-site"}
    assert ask(development, "/projects/demo/users", headers=cross).status_code == 403
    assert ask(production, "/").status_code == 404

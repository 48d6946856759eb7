"""The calls that only development mode has, as SDKs and test suites make them."""

import requests

from support import accounts
from support.clients.api import API
from support.leaks import note, note_url
from support.names import API_KEY, TIMEOUT

# Every call, with its method.
HELPERS = [
    ("DELETE", "/emulator/v1/projects/demo/accounts"),
    ("GET", "/emulator/v1/projects/demo/config"),
    ("PATCH", "/emulator/v1/projects/demo/config"),
    ("GET", "/emulator/v1/projects/demo/oobCodes"),
    ("GET", "/emulator/action"),
]


def ask(site, method, path, body=None, **headers):
    """One request, as a client that sends these headers."""
    headers = {name.replace("_", "-"): value for name, value in headers.items()}
    return requests.request(method, site.url + path, json=body, headers=headers, timeout=TIMEOUT)


def guest(site, key=API_KEY, **headers):
    """Asks for a guest's account with a key, as a client that sends these headers; gives the response."""
    headers = {name.replace("_", "-"): value for name, value in headers.items()}
    return API(site.url, key).post("/v1/accounts:signUp", {"returnSecureToken": True}, headers=headers)


def member(site):
    """The address and an ID token of a person who has just signed up."""
    made = accounts.sign_up(API(site.url))
    return made["email"], made["idToken"]


def codes(site):
    """All codes that are pending, the newest last."""
    return ask(site, "GET", "/emulator/v1/projects/demo/oobCodes").json()["oobCodes"]


def mailed(site, kind, **wish):
    """Asks for a code, and gives it as it is listed."""
    if kind == "EMAIL_SIGNIN":
        wish = {"continueUrl": "http://localhost:3000/in?kept=1", "canHandleCodeInApp": True, **wish}
    API(site.url).succeed("sendOobCode", {"requestType": kind, **wish})
    code = codes(site)[-1]
    note(code["oobCode"])
    note_url(code["oobLink"])
    assert code["requestType"] == kind
    return code


def follow(link, method="GET"):
    """Follows a link of a mail: the status, and what the page says or where it leads."""
    response = requests.request(method, link, allow_redirects=False, timeout=TIMEOUT)
    return response.status_code, response.json()[
        "authEmulator"
    ] if response.content and response.status_code != 303 else response.headers.get("location")

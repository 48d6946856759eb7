"""Sites with tight limits, and calls from several addresses."""

import contextlib
import unittest.mock

import urllib3

from support.names import PRODUCTION
from support.servers.site import a_site, limits

# Only production has proxies.
PROXY = {**PRODUCTION, "trustedProxies": ["127.0.0.0/8"]}
LOCKED = (
    "TOO_MANY_ATTEMPTS_TRY_LATER : Access to this account has been temporarily disabled due to many failed login attempts. "
    "You can immediately restore it by resetting your password or you can try again later."
)
BLOCKED = "TOO_MANY_ATTEMPTS_TRY_LATER : We have blocked all requests from this device due to unusual activity. Try again later."
PASSWORDS = {
    "signIn": {"password": True, "anonymous": True},
    "authorizedDomains": ["auth.example.com", "127.0.0.1", "localhost", "app.example.com"],
    "redirectURLs": [],
}
SLOW = "per 30d"  # so slow that nothing comes back while a test runs


@contextlib.contextmanager
def coming_from(address):
    """Every connection comes from this address of the loopback network, where no proxy is trusted to say so."""
    connect = urllib3.util.connection.create_connection
    with unittest.mock.patch(
        "urllib3.util.connection.create_connection", lambda *to, **options: connect(*to, **{**options, "source_address": (address, 0)})
    ):
        yield


def call(api, method, body, address="192.0.2.1", **headers):
    return api.post(f"/v1/accounts:{method}", body, headers={"X-Forwarded-For": address, **headers})


def try_password(api, email, password="wrong password", address="192.0.2.1"):
    return call(api, "signInWithPassword", {"email": email, "password": password, "returnSecureToken": True}, address)


def codes(answers):
    return [answer.json()["error"]["message"] if answer.status_code != 200 else 200 for answer in answers]


def a_limited_site(**changes):
    return a_site(settings=PROXY, project={**PASSWORDS, "limits": limits(**changes)})


def a_limited_site_with(issuer, **changes):
    """Issuers on this machine are for development mode, which has no proxies."""
    return a_site({"oidc.fake": issuer.entry()}, project={"signIn": PASSWORDS["signIn"], "limits": limits(**changes)})

"""oidc-provider-mock, from PyPI."""

import os

import requests

from support.leaks import note_url
from support.names import TIMEOUT
from support.real_issuers.real_issuer import RealIssuer
from support.web_server import WebServer

os.environ["AUTHLIB_INSECURE_TRANSPORT"] = "1"


class ProviderMock(RealIssuer):
    """It knows `ada` and `others`, their claims by their names, and signs in any other person too."""

    def __init__(self, others=None):
        import oidc_provider_mock

        users = [
            oidc_provider_mock.User(
                sub="ada",
                claims={
                    "email": "ada@example.com",
                    "email_verified": True,
                    "name": "Ada Lovelace",
                    "given_name": "Ada",
                    "family_name": "Lovelace",
                    "picture": "https://example.com/ada.png",
                },
            ),
            *(oidc_provider_mock.User(sub=sub, claims=claims) for sub, claims in (others or {}).items()),
        ]
        self.web = WebServer(oidc_provider_mock.app(user_claims=users))
        self.url = self.web.url

    def login(self, subject="ada"):
        """Does what a person does at the issuer's page; returns the address to which the browser is sent."""

        def at(url):
            form = requests.get(url, timeout=TIMEOUT)
            assert form.status_code == 200 and "<form" in form.text, form.text
            answer = requests.post(url, data={"sub": subject}, allow_redirects=False, timeout=TIMEOUT)
            assert answer.status_code == 302, answer.text
            return note_url(answer.headers["location"])

        return at

    def deny(self, url):
        answer = requests.post(url, data={"action": "deny"}, allow_redirects=False, timeout=TIMEOUT)
        return note_url(answer.headers["location"])

    def close(self):
        self.web.close()

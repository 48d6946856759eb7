"""The calls of administrators, as an Admin SDK makes them."""

import json
import time

import jwt
import requests

from support.clients.backend import make_key
from support.leaks import note
from support.names import PROJECT, TIMEOUT


class Administrator:
    """A back end with an access token of a service account of the site."""

    def __init__(self, site):
        self.url = site.url
        key = json.loads(make_key(site, account="administrator").read_text())
        now = int(time.time())
        claims = {
            "iss": key["client_email"],
            "sub": key["client_email"],
            "aud": "https://oauth2.googleapis.com/token",
            "iat": now,
            "exp": now + 3600,
            "scope": "https://www.googleapis.com/auth/identitytoolkit",
        }
        assertion = jwt.encode(claims, key["private_key"], "RS256", headers={"kid": key["private_key_id"]})
        body = {"grant_type": "urn:ietf:params:oauth:grant-type:jwt-bearer", "assertion": assertion}
        self.token = note(requests.post(f"{self.url}/token", data=body, timeout=TIMEOUT).json()["access_token"])

    def call(self, name, body=None):
        """One call: `update` stands for the project's `accounts:update`. Without a body it is a GET."""
        return requests.request(
            "GET" if body is None else "POST",
            f"{self.url}/v1/projects/{PROJECT}/accounts{':' if name else ''}{name}",
            json=body,
            headers={"authorization": f"Bearer {self.token}"},
            timeout=TIMEOUT,
        )

    def succeed(self, name, body):
        response = self.call(name, body)
        assert response.status_code == 200, response.text
        return response.json()

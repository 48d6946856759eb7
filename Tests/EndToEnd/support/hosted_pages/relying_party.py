"""A relying party in this process: it sends people to the provider, and trades what they bring for tokens."""

import base64
import hashlib
import secrets
from urllib.parse import parse_qsl, urlencode, urlsplit

import jwt
import requests
from werkzeug.wrappers import Request, Response

from support.leaks import note
from support.names import TIMEOUT
from support.web_server import WebServer

CLIENT = "shop"
NATIVE = "field-app"
NATIVE_REDIRECT = "com.example.field://oauth/done"
THIRD_PARTY = "third-party"


class RelyingParty:
    """Its page at the redirect URI shows what it got, so that a browser has a place to arrive at."""

    def __init__(self):
        self.web = WebServer(Request.application(self.respond))
        self.redirect_uri = f"http://localhost:{self.web.server.port}/callback"

    def respond(self, request):
        if request.path != "/callback":
            return Response(status=404)
        html = '<!doctype html><html lang="en"><title>Shop</title><link rel="icon" href="data:,"><body><h1 id="arrived">Shop</h1>'
        return Response(html, content_type="text/html; charset=utf-8")

    def clients(self):
        """Entries of the project's file."""
        common = {"kind": "browser", "redirectURIs": [self.redirect_uri], "scopes": ["openid", "profile", "email", "offline_access"]}
        return [
            {"id": CLIENT, "name": "Corner Shop", **common},
            {"id": THIRD_PARTY, "name": "Third Party", "consent": True, **common},
            {"id": NATIVE, "name": "Field app", "kind": "native", "redirectURIs": [NATIVE_REDIRECT]},
        ]

    def close(self):
        self.web.close()


class Asked:
    """One authorization request of a client."""

    def __init__(self, base, redirect_uri, client=CLIENT, scope="openid profile email", **more):
        """`base`: the issuer of the project, or of a user flow without its `/v2.0`."""
        self.token_endpoint = f"{base}/token"
        self.redirect_uri, self.client = redirect_uri, client
        self.state, self.nonce, self.verifier = (note(secrets.token_urlsafe(32)) for _ in range(3))
        challenge = base64.urlsafe_b64encode(hashlib.sha256(self.verifier.encode()).digest()).rstrip(b"=").decode()
        parameters = {
            "client_id": client,
            "redirect_uri": redirect_uri,
            "response_type": "code",
            "scope": scope,
            "state": self.state,
            "nonce": self.nonce,
            "code_challenge": challenge,
            "code_challenge_method": "S256",
            **more,
        }
        self.url = f"{base}/authorize?{urlencode(parameters)}"

    def answer(self, url):
        """The answer that the browser brought to the redirect URI; it is this request's."""
        address, _, query = url.partition("?")
        assert address == self.redirect_uri, url
        fields = dict(parse_qsl(urlsplit("?" + query).query))
        assert fields["state"] == self.state
        if "code" in fields:
            note(fields["code"])
        return fields

    def redeemed(self, url):
        """The claims of the ID token that the code is worth."""
        answer = self.answer(url)
        assert "code" in answer, answer
        response = requests.post(
            self.token_endpoint,
            data={
                "grant_type": "authorization_code",
                "code": answer["code"],
                "redirect_uri": self.redirect_uri,
                "client_id": self.client,
                "code_verifier": self.verifier,
            },
            timeout=TIMEOUT,
        )
        assert response.status_code == 200, response.text
        claims = jwt.decode(response.json()["id_token"], options={"verify_signature": False})
        assert claims["nonce"] == self.nonce and claims["aud"] == self.client
        return claims

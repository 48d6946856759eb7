"""A website with authlib's client for Flask, from PyPI. <https://docs.authlib.org>"""

import secrets

import flask
from authlib.integrations.flask_client import OAuth
from authlib.oauth2.rfc7523 import PrivateKeyJWT
from joserfc.jwk import ECKey, RSAKey

from support.certificates import of_any_name
from support.harness import free_port
from support.leaks import note_fields
from support.web_server import WebServer

METHODS = {"basic": "client_secret_basic", "post": "client_secret_post", "privateKeyJwt": "private_key_jwt", "none": "none"}


def key_of(client):
    """The client's private key, as the library takes it."""
    kind = ECKey if client.key.algorithm == "ES256" else RSAKey
    return kind.import_key(client.key.private_pem())


class AuthlibWebsite:
    """Starts with `start`, once the provider knows its client. It keeps the tokens of each visitor in memory."""

    def __init__(self):
        self.app = flask.Flask(__name__)
        self.app.secret_key = secrets.token_bytes(32)
        self.app.config["SESSION_COOKIE_NAME"] = "authlib"
        for name in ("sign_in", "callback", "me", "refresh", "sign_out", "signed_out"):
            self.app.add_url_rule("/" + name, view_func=getattr(self, name), endpoint=name)
        self.tokens = {}
        port = free_port()
        self.web = WebServer(self.app, port, of_any_name(), "127.0.0.1")
        self.origin = self.web.url

    def start(self, provider, client, algorithm="RS256", kid=None):
        """`algorithm`, `kid`: of the assertions of a client that signs."""
        signs = PrivateKeyJWT(headers={"kid": kid} if kid else None, alg=algorithm)
        self.client = OAuth(self.app, update_token=self.keep).register(
            "gatehouse",
            client_id=client.id,
            client_secret=key_of(client) if client.key else client.secret,
            server_metadata_url=f"{provider.issuer}/.well-known/openid-configuration",
            client_kwargs={
                "scope": "openid profile email offline_access",
                "code_challenge_method": "S256",
                "token_endpoint_auth_method": METHODS[client.authentication],
                "verify": provider.authority,
            },
            client_auth_methods=[signs],
        )

    @property
    def token(self):
        token = self.tokens.get(flask.session.get("id"))
        return token or flask.abort(401)

    def keep(self, name, token, refresh_token=None, access_token=None):
        note_fields(token)
        self.tokens[flask.session["id"]].update(token)

    def sign_in(self):
        return self.client.authorize_redirect(self.origin + "/callback")

    def callback(self):
        token = self.client.authorize_access_token()
        note_fields(token)
        flask.session["id"] = secrets.token_urlsafe(16)
        self.tokens[flask.session["id"]] = token
        return flask.redirect("/me")

    def me(self):
        """What the ID token and the userinfo endpoint say. The library refreshes before it asks, where the access token has expired."""
        return {"userinfo": self.client.userinfo(token=self.token), "token": self.token}

    def refresh(self):
        self.token["expires_at"] = 1
        return self.me()

    def sign_out(self):
        return self.client.logout_redirect(self.origin + "/signed_out", id_token_hint=self.token["id_token"])

    def signed_out(self):
        self.client.validate_logout_response()
        self.tokens.pop(flask.session.pop("id"))
        return "signed out"

    def told(self, visitor, path="/me"):
        """What the website knows of a person who is signed in, after a visit of one of its pages."""
        response = visitor.visit(self.origin + path)
        assert response.status_code == 200, f"{response.status_code} at {response.url}: {response.text}"
        return response.json()

    def close(self):
        self.web.close()

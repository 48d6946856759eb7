"""A stand-in for GitHub: the sign-in page, the token endpoint, and the parts of its API that a sign-in asks."""

import hashlib
import json
import secrets
from base64 import b64encode
from urllib.parse import urlencode

from werkzeug.wrappers import Response

from support.issuers.fake_issuer import FakeIssuer
from support.jwts import b64
from support.leaks import note
from support.names import CLIENT_SECRET
from support.provider_data import ProviderData


class FakeGitHub(FakeIssuer):
    """OAuth 2.0 without ID tokens. `answers` takes the place of an endpoint, as with every issuer."""

    provider = "github.com"
    client_id = "Ov23li-a-client"
    has_id_tokens = False
    data = ProviderData("github.com")

    def __init__(self):
        super().__init__()
        # One number that a double cannot hold, and a person without a name.
        self.users = {
            "ada": {"id": 9007199254740993, "login": "ada", "name": None, "emails": [self.mailbox("ada@code.example.com")]},
            "bob": {"id": 2, "login": "bob", "name": "Bob", "emails": [self.mailbox("bob@example.com", verified=False)]},
        }

    def reset(self):
        super().reset()
        # RFC 9207.
        self.callback_extra = {"iss": self.url + "/login/oauth"}

    def entry(self, **more):
        secret = {"env": "CLIENT_SECRET"}
        return {"clientId": self.client_id, "clientSecret": secret, "baseURL": self.url, "apiBase": self.url + "/api", **more}

    def endpoint(self, path):
        return {
            "/login/oauth/authorize": "authorize",
            "/login/oauth/access_token": "token",
            "/api/user": "user",
            "/api/user/emails": "emails",
            f"/api/applications/{self.client_id}/token": "check",
        }.get(path)

    def mailbox(self, email, **changes):
        return self.data.answer("emails", email=email)[0] | changes

    def stranger(self, user):
        number = int.from_bytes(hashlib.sha256(user.encode()).digest()[:6])
        return {"id": number, "login": user, "name": user.title(), "emails": [self.mailbox(f"{user}@example.com")]}

    # -- signing in

    def problems(self, query):
        return [
            query.get("client_id") != self.client_id,
            query.get("response_type", "code") != "code",
            not query.get("state"),
            "nonce" in query,
            query.get("code_challenge_method") != "S256",
            not query.get("code_challenge"),
            not query.get("redirect_uri"),
        ]

    def issue(self, user="ada", scopes=("user:email",), client=None):
        """An access token of this person, for our client or another one."""
        token = note("gho_" + secrets.token_urlsafe(24))
        self.tokens[token] = {"user": user, "scopes": scopes, "client": client or self.client_id}
        return token

    def token(self, request):
        form = request.form
        with self.lock:
            grant = self.codes.pop(form.get("code", ""), None)
        if form.get("client_id") != self.client_id or form.get("client_secret") != CLIENT_SECRET:
            return self.data.error("incorrect_client_credentials")
        challenge = b64(hashlib.sha256(form.get("code_verifier", "").encode()).digest())
        if grant is None or form.get("redirect_uri") != grant["redirect_uri"] or challenge != grant["code_challenge"]:
            return self.data.error("bad_verification_code")
        scopes = grant["scope"].split()
        answer = self.data.answer("token", token=self.issue(grant["user"], scopes), scope=",".join(scopes)) | self.token_extra
        answer = {name: value for name, value in answer.items() if value is not None}
        if request.headers.get("accept") != "application/json":
            return Response(urlencode(answer), content_type="application/x-www-form-urlencoded")
        return answer

    # -- the API

    def granted(self, request):
        """GitHub refuses requests that name no program."""
        return super().granted(request) if request.headers.get("user-agent") else None

    def profile(self, user):
        return self.data.answer("user", **self.person(user))

    def user(self, request):
        grant = self.granted(request)
        return self.profile(grant["user"]) if grant else self.data.error("bad credentials")

    def emails(self, request):
        grant = self.granted(request)
        if not grant:
            return self.data.error("bad credentials")
        return self.person(grant["user"])["emails"] if "user:email" in grant["scopes"] else self.data.error("not found")

    def check(self, request):
        pair = b64encode(f"{self.client_id}:{CLIENT_SECRET}".encode()).decode()
        if request.method != "POST" or request.headers.get("authorization") != f"Basic {pair}":
            return self.data.error("bad credentials")
        token = note(json.loads(request.get_data())["access_token"])
        grant = self.tokens.get(token)
        if grant is None or grant["client"] != self.client_id:
            return self.data.error("not found")
        return self.data.answer("check", token=token, client=self.client_id, user=self.profile(grant["user"]))

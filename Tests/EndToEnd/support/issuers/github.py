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


class FakeGitHub(FakeIssuer):
    """OAuth 2.0 without ID tokens. `answers` takes the place of an endpoint, as with every issuer."""

    provider = "github.com"
    client_id = "Ov23li-a-client"
    has_id_tokens = False

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

    @staticmethod
    def mailbox(email, primary=True, verified=True):
        return {"email": email, "primary": primary, "verified": verified, "visibility": "private"}

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

    def refuse(self, error, status=200):
        """GitHub answers 200 to a code that it refuses."""
        return super().refuse(error, status)

    def token(self, request):
        form = request.form
        with self.lock:
            grant = self.codes.pop(form.get("code", ""), None)
        if form.get("client_id") != self.client_id or form.get("client_secret") != CLIENT_SECRET:
            return self.refuse("incorrect_client_credentials")
        challenge = b64(hashlib.sha256(form.get("code_verifier", "").encode()).digest())
        if grant is None or form.get("redirect_uri") != grant["redirect_uri"] or challenge != grant["code_challenge"]:
            return self.refuse("bad_verification_code")
        scopes = grant["scope"].split()
        answer = {"access_token": self.issue(grant["user"], scopes), "token_type": "bearer", "scope": ",".join(scopes), **self.token_extra}
        answer = {name: value for name, value in answer.items() if value is not None}
        if request.headers.get("accept") != "application/json":
            return Response(urlencode(answer), content_type="application/x-www-form-urlencoded")
        return answer

    # -- the API

    def error(self, status, message):
        return Response(json.dumps({"message": message, "status": str(status)}), status, content_type="application/json")

    def granted(self, request):
        """GitHub refuses requests that name no program."""
        return super().granted(request) if request.headers.get("user-agent") else None

    def profile(self, user):
        person = self.person(user)
        return {
            "login": person["login"],
            "id": person["id"],
            "avatar_url": f"https://avatars.example/u/{person['id']}?v=4",
            "type": "User",
            "name": person["name"],
            "email": "public@elsewhere.example",
        }

    def user(self, request):
        grant = self.granted(request)
        return self.profile(grant["user"]) if grant else self.error(401, "Bad credentials")

    def emails(self, request):
        grant = self.granted(request)
        if not grant:
            return self.error(401, "Bad credentials")
        return self.person(grant["user"])["emails"] if "user:email" in grant["scopes"] else self.error(404, "Not Found")

    def check(self, request):
        pair = b64encode(f"{self.client_id}:{CLIENT_SECRET}".encode()).decode()
        if request.method != "POST" or request.headers.get("authorization") != f"Basic {pair}":
            return self.error(401, "Bad credentials")
        token = note(json.loads(request.get_data())["access_token"])
        grant = self.tokens.get(token)
        if grant is None or grant["client"] != self.client_id:
            return self.error(404, "Not Found")
        return {"id": 1, "token": token, "app": {"client_id": self.client_id, "name": "App"}, "user": self.profile(grant["user"])}

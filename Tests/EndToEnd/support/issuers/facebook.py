"""A stand-in for Facebook: the dialog, the token endpoint, the parts of Graph that a sign-in asks, and the keys of Limited Login."""

import hashlib
import hmac
import json
import secrets
import time

from werkzeug.wrappers import Response

from support.issuers.fake_issuer import FakeIssuer
from support.jwts import Key, b64
from support.leaks import note
from support.names import CLIENT_SECRET
from support.provider_data import ProviderData


class FakeFacebook(FakeIssuer):
    """OAuth 2.0 without ID tokens by redirect; `limited_token` makes one of Limited Login. `answers` takes the place of an endpoint."""

    provider = "facebook.com"
    client_id = "111222333444555"
    has_id_tokens = False
    VERSION = "v25.0"
    data = ProviderData("facebook.com")

    def __init__(self):
        super().__init__()
        self.users = {"ada": {"id": "10215241773831025", "name": "Ada Lovelace", "email": "ada@social.example.com"}}
        # Each of the two hosts has keys of its own.
        self.limited_key = Key("limited-1")

    def entry(self, **more):
        secret = {"env": "CLIENT_SECRET"}
        return {"clientId": self.client_id, "clientSecret": secret, "baseURL": self.url, "graphBase": self.url + "/graph", **more}

    @property
    def limited(self):
        return self.url + "/limited"

    def endpoint(self, path):
        return {
            f"/{self.VERSION}/dialog/oauth": "authorize",
            f"/graph/{self.VERSION}/oauth/access_token": "token",
            f"/graph/{self.VERSION}/me": "me",
            f"/graph/{self.VERSION}/debug_token": "debug_token",
            "/.well-known/oauth/openid/jwks/": "jwks",
            "/limited/.well-known/oauth/openid/jwks/": "limited_jwks",
        }.get(path)

    def stranger(self, user):
        number = int.from_bytes(hashlib.sha256(user.encode()).digest()[:6])
        return {"id": str(number), "name": user.title(), "email": f"{user}@example.com"}

    def error(self, status, code, message, subcode=None):
        """An error with another number or text than those that the stand-in itself answers."""
        error = {"message": message, "type": "OAuthException", "code": code, "fbtrace_id": "AbCdEfGh"}
        return Response(
            json.dumps({"error": error | ({"error_subcode": subcode} if subcode else {})}), status, content_type="application/json"
        )

    # -- signing in

    def problems(self, query):
        return [
            query.get("client_id") != self.client_id,
            query.get("response_type") != "code",
            not query.get("state"),
            "nonce" in query,
            query.get("code_challenge_method") != "S256",
            not query.get("code_challenge"),
            not query.get("redirect_uri"),
        ]

    def authorize(self, request):
        answer = super().authorize(request)
        if answer.status_code == 302:
            answer.headers["Location"] += "#_=_"
        return answer

    def issue(self, user="ada", client=None, kind="USER"):
        """An access token of this person, for our app or another one."""
        token = note("EAAG" + secrets.token_urlsafe(32).replace("_", "x").replace("-", "y"))
        self.tokens[token] = {"user": user, "client": client or self.client_id, "kind": kind}
        return token

    def token(self, request):
        form = request.form
        with self.lock:
            grant = self.codes.pop(form.get("code", ""), None)
        if form.get("client_id") != self.client_id:
            return self.data.error("unknown app")
        if form.get("client_secret") != CLIENT_SECRET:
            return self.data.error("wrong secret")
        if grant is None:
            return self.data.error("used code")
        challenge = b64(hashlib.sha256(form.get("code_verifier", "").encode()).digest())
        if form.get("redirect_uri") != grant["redirect_uri"] or challenge != grant["code_challenge"]:
            return self.data.error("other redirect URI")
        answer = self.data.answer("token", token=self.issue(grant["user"])) | self.token_extra
        return {name: value for name, value in answer.items() if value is not None}

    # -- Graph

    def proven(self, request):
        """The token of a call, if the call also proves that it is the token's app that makes it."""
        token = self.bearer_token(request)
        proof = hmac.new(CLIENT_SECRET.encode(), token.encode(), hashlib.sha256).hexdigest()
        return token if request.args.getlist("appsecret_proof") == [proof] else None

    @staticmethod
    def named(person):
        first, _, last = (person.get("name") or "").partition(" ")
        return {"id": person["id"], "first": first, "last": last, "email": person.get("email")}

    def me(self, request):
        token = self.proven(request)
        if token is None:
            return self.data.error("no proof")
        if token not in self.tokens:
            return self.data.error("ended token")
        return self.profile(self.tokens[token]["user"], request.args.get("fields", "").split(","))

    def profile(self, user, fields=("id", "name", "first_name", "last_name", "email", "picture")):
        person = self.person(user)
        all = self.data.answer("me", **self.named(person)) | person
        return {name: all[name] for name in fields if all.get(name)}

    def debug_token(self, request):
        if self.proven(request) != f"{self.client_id}|{CLIENT_SECRET}":
            return self.data.error("wrong app token")
        grant = self.tokens.get(note(request.args["input_token"]))
        if grant is None:
            return self.data.answer("debug_token, not a token")
        if grant["client"] != self.client_id:
            return self.data.error("foreign token")
        return {"data": self.about(grant)}

    def about(self, grant, **changes):
        """What Graph says of a token that is good."""
        person = self.person(grant["user"])
        answer = self.data.answer("debug_token", app=grant["client"], id=person["id"], expiry=int(time.time()) + 7776000)
        return {**answer["data"], "type": grant["kind"], **changes}

    # -- Limited Login

    def limited_token(self, user="ada", nonce=None, key=None, **changes):
        """An ID token, as the SDK gives it to an app."""
        now = int(time.time())
        person = self.person(user)
        claims = {
            **self.data.answer("limited", issuer=self.url, app=self.client_id, **self.named(person)),
            "name": person.get("name"),
            "iat": now,
            "exp": now + 3600,
            "jti": secrets.token_hex(8),
            "nonce": nonce,
            **changes,
        }
        return note((key or self.key).sign({name: value for name, value in claims.items() if value is not None}))

    def limited_jwks(self, request):
        return {"keys": [self.limited_key.jwk]}

"""A stand-in for Twitter: OAuth 1.0a with signatures that it checks by itself, OAuth 2.0 with PKCE, and the calls that say who signed in."""

import hashlib
import hmac
import json
import secrets
import time
from base64 import b64encode
from urllib.parse import parse_qsl, quote, unquote, urlencode, urlsplit

from werkzeug.wrappers import Response

from support.issuers.fake_issuer import FakeIssuer
from support.jwts import b64
from support.leaks import note
from support.names import CLIENT_SECRET
from support.provider_data import ProviderData


def encoded(text):
    return quote(text, safe="-._~")


class FakeTwitter(FakeIssuer):
    """Both protocols, with the same people; `protocol` is the one of its entry, and which other tests use.

    By OAuth 1.0a, each request must be signed, at the right time and with a nonce that was not seen before. `answers` takes the place of an
    endpoint, as with every issuer; `authorize`, `token` and `user` are those of the protocol. `callbacks` are the registered addresses, where
    not all will do.
    """

    provider = "twitter.com"
    protocols = ("oauth1", "oauth2")
    # The consumer key, and the client of OAuth 2.0.
    client_id = "a-consumer-key"
    OAUTH2_CLIENT = "TTNNNVIzQmVW:1:ci"
    # Whose tokens a stranger's app has.
    OTHER_CLIENT = "of-mallory"
    has_id_tokens = False
    access_token_prefix = "bDNn"
    data = ProviderData("twitter.com")

    def __init__(self):
        super().__init__()
        # A number that a double cannot hold.
        self.users = {"ada": {"id": 9007199254740993, "screen_name": "ada", "name": "Ada Lovelace", "email": "ada@short.example.com"}}

    def reset(self):
        super().reset()
        self.protocol = "oauth1"
        self.requested = {}
        self.nonces = set()
        self.callbacks = None

    @property
    def code_field(self):
        return "code" if self.protocol == "oauth2" else "oauth_verifier"

    def entry(self, **more):
        secret = {"env": "CLIENT_SECRET"}
        if self.protocol == "oauth1":
            return {"clientId": self.client_id, "clientSecret": secret, "apiBase": self.url, **more}
        own = {"clientId": self.OAUTH2_CLIENT, "clientSecret": secret, "consumerKey": self.client_id, "consumerSecret": secret}
        return {"protocol": "oauth2", **own, "baseURL": self.url, "apiBase": self.url, **more}

    def endpoint(self, path):
        return {
            "/oauth/request_token": "request_token",
            "/oauth/authenticate": "authorize",
            "/oauth/access_token": "token",
            "/1.1/account/verify_credentials.json": "user",
            "/i/oauth2/authorize": "authorize",
            "/2/oauth2/token": "token",
            "/2/users/me": "user",
        }.get(path)

    @staticmethod
    def is_oauth2(request):
        return request.path.startswith(("/2/", "/i/"))

    def stranger(self, user):
        number = int.from_bytes(hashlib.sha256(user.encode()).digest()[:7])
        return {"id": number, "screen_name": user, "name": user.title(), "email": f"{user}@example.com"}

    # -- answers

    def refusal(self, error):
        return {"denied": "the-request-token"} if self.protocol == "oauth1" else super().refusal(error)

    def error(self, status, code, message):
        """An error of the API with another number than those that the stand-in itself answers."""
        return Response(json.dumps({"errors": [{"code": code, "message": message}]}), status, content_type="application/json")

    def form(self, fields):
        return Response(urlencode(fields), content_type="text/html; charset=utf-8")

    # -- signatures

    def signed(self, request, tokens, method):
        """The protocol's parameters of a request whose signature is right; the error otherwise."""
        scheme, _, header = request.headers.get("authorization", "").partition(" ")
        pairs = [tuple(unquote(part).strip('"') for part in field.split("=", 1)) for field in header.split(", ")]
        fields = dict(pairs)
        if scheme != "OAuth" or len(fields) != len(pairs) or request.method != method:
            return self.data.error("bad authentication data")
        for name in ("oauth_token", "oauth_verifier", "oauth_nonce"):
            note(fields.get(name))
        token = tokens.get(fields.get("oauth_token"))
        if "oauth_token" in fields and token is None:
            return self.data.error("ended token")
        if abs(time.time() - int(fields["oauth_timestamp"])) > 300:
            return self.data.error("wrong clock")
        with self.lock:
            known = fields["oauth_nonce"] in self.nonces
            self.nonces.add(fields["oauth_nonce"])
        parts = urlsplit(request.url)
        all = [pair for pair in pairs if pair[0] != "oauth_signature"] + parse_qsl(parts.query, keep_blank_values=True)
        normalized = "&".join(f"{name}={value}" for name, value in sorted((encoded(name), encoded(value)) for name, value in all))
        base = "&".join(encoded(part) for part in (method, f"{parts.scheme}://{parts.netloc}{parts.path}", normalized))
        # A token of another client is signed with that client's secret.
        owner = token["client"] if token else self.client_id
        secret = CLIENT_SECRET if owner == self.client_id else "a-secret-" + owner
        key = f"{encoded(secret)}&{encoded(token['secret'] if token else '')}"
        signature = b64encode(hmac.new(key.encode(), base.encode(), hashlib.sha1).digest()).decode()
        proper = fields["oauth_signature_method"] == "HMAC-SHA1" and fields.get("oauth_version", "1.0") == "1.0"
        if fields["oauth_consumer_key"] != owner or known or not proper or fields["oauth_signature"] != signature:
            return self.data.error("could not authenticate")
        return fields

    # -- signing in

    def request_token(self, request):
        fields = self.signed(request, {}, "POST")
        if isinstance(fields, Response):
            return fields
        callback = fields["oauth_callback"]
        if self.callbacks is not None and callback.partition("?")[0] not in self.callbacks:
            text = '<error code="415">Callback URL not approved for this client application.</error>'
            return Response(f'<?xml version="1.0" encoding="UTF-8"?><errors>{text}</errors>', 403, content_type="application/xml")
        token, secret = note(secrets.token_urlsafe(20)), note(secrets.token_urlsafe(24))
        note(dict(parse_qsl(urlsplit(callback).query)).get("state"))
        with self.lock:
            self.requested[token] = {"secret": secret, "callback": callback, "client": self.client_id}
        return self.form(self.data.answer("request_token", token=token, secret=secret) | self.discovery_extra)

    def authorize(self, request):
        if self.is_oauth2(request):
            return super().authorize(request)
        query = request.args
        for name in query:
            assert len(query.getlist(name)) == 1 or name == "login_hint", name
        granted = self.requested.get(query.get("oauth_token"))
        if granted is None:
            return Response("no such request token", 400)
        granted["user"] = query.getlist("login_hint")[-1] if "login_hint" in query else "ada"
        granted["verifier"] = note(secrets.token_urlsafe(24))
        back = {"oauth_token": query["oauth_token"], "oauth_verifier": granted["verifier"], **self.callback_extra}
        back = {name: value for name, value in back.items() if value is not None}
        return Response("", 302, {"Location": granted["callback"] + "&" + urlencode(back)})

    def issue(self, user="ada", client=None):
        """An access token of this person and its secret, for our client or another one."""
        token, secret = note(f"{self.person(user)['id']}-{secrets.token_urlsafe(20)}"), note(secrets.token_urlsafe(24))
        self.tokens[token] = {"user": user, "secret": secret, "client": client or self.client_id}
        return token, secret

    def token(self, request):
        if self.is_oauth2(request):
            return self.redeemed(request)
        fields = self.signed(request, self.requested, "POST")
        if isinstance(fields, Response):
            return fields
        with self.lock:
            granted = self.requested.pop(fields["oauth_token"], None)
        if granted is None or fields.get("oauth_verifier") != granted.get("verifier"):
            return Response("Error processing your OAuth request: Invalid oauth_verifier parameter", 401)
        token, secret = self.issue(granted["user"])
        answer = self.data.answer("access_token", token=token, secret=secret, **self.named(self.person(granted["user"])))
        return self.form({name: value for name, value in {**answer, **self.token_extra}.items() if value is not None})

    # -- signing in by OAuth 2.0

    def problems(self, query):
        return [
            query.get("client_id") != self.OAUTH2_CLIENT,
            query.get("response_type") != "code",
            not {"users.read", "tweet.read"} <= set(query.get("scope", "").split()),
            not query.get("state"),
            "nonce" in query,
            query.get("code_challenge_method") != "S256",
            not query.get("code_challenge"),
            not query.get("redirect_uri"),
        ]

    def redeemed(self, request):
        """A confidential client proves itself in the header alone."""
        form = request.form
        basic = request.authorization
        if not basic or (unquote(basic.username), unquote(basic.password)) != (self.OAUTH2_CLIENT, CLIENT_SECRET):
            return self.data.error("wrong client")
        with self.lock:
            grant = self.codes.pop(form.get("code", ""), None)
        if grant is None:
            return self.data.error("wrong code")
        challenge = b64(hashlib.sha256(form.get("code_verifier", "").encode()).digest())
        if form.get("redirect_uri") != grant["redirect_uri"] or challenge != grant["code_challenge"]:
            return self.data.error("wrong verifier")
        token = note(self.access_token_prefix + secrets.token_urlsafe(40))
        scopes = grant["scope"].split()
        self.tokens[token] = {"user": grant["user"], "scopes": scopes, "client": self.OAUTH2_CLIENT, "secret": ""}
        answer = self.data.answer("token", token=token, scope=" ".join(scopes))
        if "offline.access" in scopes:
            answer["refresh_token"] = note(secrets.token_urlsafe(40))
        return {name: value for name, value in {**answer, **self.token_extra}.items() if value is not None}

    def problem(self, status, title, kind, **more):
        """An error of the API of OAuth 2.0."""
        address = f"https://api.twitter.com/2/problems/{kind}" if kind != "about:blank" else kind
        body = {"title": title, "detail": "about somebody@example.com", "type": address, "status": status, **more}
        return Response(json.dumps(body), status, content_type="application/problem+json")

    # -- the API

    @staticmethod
    def named(person):
        values = {"id": person["id"], "text_id": str(person["id"]), "user": person["screen_name"]}
        return {**values, "name": person.get("name"), "email": person.get("email")}

    def profile(self, user):
        person = self.person(user)
        return self.data.answer("verify_credentials", **self.named(person)) | person

    def me(self, user, scopes=("users.read", "tweet.read", "users.email")):
        """What the API of OAuth 2.0 says of a person."""
        me = self.data.answer("me", **self.named(self.person(user)))["data"]
        if "users.email" not in scopes or not me["confirmed_email"]:
            del me["confirmed_email"]
        return {"data": me}

    def user(self, request):
        if self.is_oauth2(request):
            grant = self.granted(request)
            if not isinstance(grant, dict) or "scopes" not in grant:
                return self.problem(401, "Unauthorized", "about:blank")
            if not {"users.read", "tweet.read"} <= set(grant["scopes"]):
                return self.problem(403, "Forbidden", "about:blank")
            return self.me(grant["user"], grant["scopes"])
        fields = self.signed(request, self.tokens, "GET")
        if isinstance(fields, Response):
            return fields
        profile = self.profile(self.tokens[fields["oauth_token"]]["user"])
        if request.args.get("include_email") != "true":
            profile.pop("email")
        return profile

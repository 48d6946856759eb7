"""A stand-in for Twitter: OAuth 1.0a with signatures that it checks by itself, and the call that says who signed in."""

import hashlib
import hmac
import json
import secrets
import time
from base64 import b64encode
from urllib.parse import parse_qsl, quote, unquote, urlencode, urlsplit

from werkzeug.wrappers import Response

from support.issuers.fake_issuer import FakeIssuer
from support.leaks import note
from support.names import CLIENT_SECRET


def encoded(text):
    return quote(text, safe="-._~")


class FakeTwitter(FakeIssuer):
    """OAuth 1.0a. Each request must be signed, at the right time and with a nonce that was not seen before.

    `answers` takes the place of an endpoint, as with every issuer. `callbacks` are the registered addresses, where not all will do.
    """

    provider = "twitter.com"
    client_id = "a-consumer-key"
    # Whose tokens a stranger's app has.
    OTHER_CLIENT = "of-mallory"
    code_field = "oauth_verifier"
    has_id_tokens = False

    def __init__(self):
        super().__init__()
        # A number that a double cannot hold.
        self.users = {"ada": {"id": 9007199254740993, "screen_name": "ada", "name": "Ada Lovelace", "email": "ada@short.example.com"}}

    def reset(self):
        super().reset()
        self.requested = {}
        self.nonces = set()
        self.callbacks = None

    def entry(self, **more):
        return {"clientId": self.client_id, "clientSecret": {"env": "CLIENT_SECRET"}, "apiBase": self.url, **more}

    def endpoint(self, path):
        return {
            "/oauth/request_token": "request_token",
            "/oauth/authenticate": "authorize",
            "/oauth/access_token": "token",
            "/1.1/account/verify_credentials.json": "user",
        }.get(path)

    def stranger(self, user):
        number = int.from_bytes(hashlib.sha256(user.encode()).digest()[:7])
        return {"id": number, "screen_name": user, "name": user.title(), "email": f"{user}@example.com"}

    # -- answers

    def refusal(self, error):
        return {"denied": "the-request-token"}

    def error(self, status, code, message="Could not authenticate you."):
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
            return self.error(400, 215, "Bad Authentication data.")
        for name in ("oauth_token", "oauth_verifier", "oauth_nonce"):
            note(fields.get(name))
        token = tokens.get(fields.get("oauth_token"))
        if "oauth_token" in fields and token is None:
            return self.error(401, 89, "Invalid or expired token.")
        if abs(time.time() - int(fields["oauth_timestamp"])) > 300:
            return self.error(401, 135, "Timestamp out of bounds.")
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
            return self.error(401, 32)
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
        answer = {"oauth_token": token, "oauth_token_secret": secret, "oauth_callback_confirmed": "true", **self.discovery_extra}
        return self.form(answer)

    def authorize(self, request):
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
        fields = self.signed(request, self.requested, "POST")
        if isinstance(fields, Response):
            return fields
        with self.lock:
            granted = self.requested.pop(fields["oauth_token"], None)
        if granted is None or fields.get("oauth_verifier") != granted.get("verifier"):
            return Response("Error processing your OAuth request: Invalid oauth_verifier parameter", 401)
        token, secret = self.issue(granted["user"])
        person = self.person(granted["user"])
        answer = {"oauth_token": token, "oauth_token_secret": secret, "user_id": person["id"], "screen_name": person["screen_name"]}
        return self.form({name: value for name, value in {**answer, **self.token_extra}.items() if value is not None})

    # -- the API

    def profile(self, user):
        person = self.person(user)
        picture = f"https://pbs.example/{person['screen_name']}_normal.jpg"
        return {**person, "id_str": str(person["id"]), "profile_image_url_https": picture, "verified": True}

    def user(self, request):
        fields = self.signed(request, self.tokens, "GET")
        if isinstance(fields, Response):
            return fields
        profile = self.profile(self.tokens[fields["oauth_token"]]["user"])
        if request.args.get("include_email") != "true":
            profile.pop("email")
        return profile

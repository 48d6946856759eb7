"""A stand-in for Apple: answers that are posted, client secrets that it verifies, a name that it says once, and revocation."""

import hashlib
import html
import json
import re
import secrets
from urllib.parse import urlencode

import jwt
import requests
from werkzeug.wrappers import Response

from support.forms import fields_of
from support.harness import home
from support.issuers.fake_issuer import FakeIssuer
from support.jwts import Key, b64
from support.leaks import note, note_url
from support.names import TIMEOUT
from support.provider_data import ProviderData
from support.servers.site import write_secret

# The longest life of a client secret, in seconds.
SECRET_LIFE = 15_777_000


def write_p8(file, key):
    """The file of a key, as Apple gives it to a team."""
    pem = key.private_pem().decode().strip()
    note("".join(pem.splitlines()[1:-1]))
    write_secret(file, pem)


class FakeApple(FakeIssuer):
    """Truth values are texts. A person's name is posted beside the first code, and never again until `reset`."""

    provider = "apple.com"
    client_id = "com.example.web"
    posts = True
    data = ProviderData("apple.com")
    TEAM = "A1B2C3D4E5"
    KEY_ID = "K1K2K3K4K5"
    # The native apps of the team.
    BUNDLES = ("com.example.ios", "com.example.mac")
    # What a token may call its issuer; the first one is also the audience of client secrets, wherever the stand-in is.
    NAMES = ("https://appleid.apple.com", "https://account.apple.com")

    def __init__(self):
        self.team_key = Key(self.KEY_ID, algorithm="ES256")
        self.key_file = home / f"AuthKey_{self.KEY_ID}.p8"
        write_p8(self.key_file, self.team_key)
        super().__init__()
        self.users = {}

    def reset(self):
        super().reset()
        self.named = set()
        self.declined = None

    def entry(self, **more):
        return {
            "clientId": self.client_id,
            "teamId": self.TEAM,
            "keyId": self.KEY_ID,
            "privateKey": {"file": str(self.key_file)},
            "bundleIds": list(self.BUNDLES),
            "baseURL": self.url,
            **more,
        }

    def endpoint(self, path):
        return {"/auth/authorize": "authorize", "/auth/token": "token", "/auth/revoke": "revoke", "/auth/keys": "jwks"}.get(path)

    def stranger(self, user):
        return self.data.answer("person", sub=f"001234.{user}.0042", email=f"{user}@example.com")

    def base_claims(self, user, nonce):
        return super().base_claims(user, nonce) | self.data.answer("claims")

    # -- the page

    def problems(self, query):
        return [
            query.get("client_id") != self.client_id,
            query.get("response_type") != "code",
            set(query.get("scope", "").split()) - {"openid", "name", "email"},
            # Required with any scope.
            query.get("scope") and query.get("response_mode") != "form_post",
            not query.get("state"),
            not query.get("nonce"),
            query.get("code_challenge_method") != "S256",
            not query.get("redirect_uri"),
        ]

    def authorize(self, request):
        query = request.args
        if any(self.problems(query)) or "+" in request.query_string.decode().split("scope=")[1].split("&")[0]:
            return Response(f"bad authorization request {dict(query)} {self.problems(query)}", 400)
        user = query.getlist("login_hint")[-1] if "login_hint" in query else "ada"
        note(query["nonce"])
        answer = {"state": note(query["state"]), "code": self.code(user, query.to_dict())}
        if self.declined:
            answer = {"state": query["state"], "error": self.declined}
        elif user not in self.named:
            self.named.add(user)
            # The address is one that the person could have changed on the way.
            answer["user"] = json.dumps(self.data.answer("user", first=user.title(), last="Appleseed", email="victim@example.com"))
        return self.page(query["redirect_uri"], {**answer, **self.callback_extra})

    def page(self, action, fields):
        inputs = "".join(
            f'<input type="hidden" name="{name}" value="{html.escape(value)}">' for name, value in fields.items() if value is not None
        )
        form = f'<form method="post" action="{html.escape(action)}">{inputs}</form><script>document.forms[0].submit()</script>'
        return Response(f"<!doctype html>{form}", content_type="text/html; charset=utf-8")

    def login(self, user=None):
        """What the page posts, as an address; the browser of a flow posts it (`RedirectFlow.callback`)."""

        def at(url):
            url = url.partition("#")[0]
            page = requests.get(url + ("&" + urlencode({"login_hint": user}) if user else ""), allow_redirects=False, timeout=TIMEOUT)
            assert page.status_code == 200, page.text
            action = html.unescape(re.search(r'action="(.*?)"', page.text)[1])
            return note_url(action + "?" + urlencode(fields_of(page.text)))

        return at

    # -- codes and tokens

    def code(self, user, asked):
        code = note(secrets.token_urlsafe(24))
        with self.lock:
            self.codes[code] = {**asked, "user": user}
        return code

    def native(self, user, bundle=BUNDLES[0]):
        """A code that a native app got, without a page."""
        return self.code(user, {"client_id": bundle, "nonce": None})

    def client(self, form):
        """The client that a form proves itself to be, by the signature of its secret; `None` for no client of ours."""
        try:
            header = jwt.get_unverified_header(form.get("client_secret", ""))
            claims = jwt.decode(
                form["client_secret"],
                self.team_key.private.public_key(),
                algorithms=["ES256"],
                audience=self.NAMES[0],
                issuer=self.TEAM,
                options={"require": ["iss", "iat", "exp", "aud", "sub"]},
            )
        except jwt.InvalidTokenError:
            return None
        client = form.get("client_id")
        proper = header.get("kid") == self.KEY_ID and claims["sub"] == client and 0 < claims["exp"] - claims["iat"] <= SECRET_LIFE
        return client if proper and client in (self.client_id, *self.BUNDLES) else None

    def give(self, user, client):
        """A token that stays good until it is revoked."""
        token = note(secrets.token_urlsafe(24))
        self.tokens[token] = (user, client)
        return token

    def token(self, request):
        form = request.form
        client = self.client(form)
        if client is None:
            return self.data.error("invalid_client")
        if form.get("grant_type") == "refresh_token":
            return self.renew(form, client)
        with self.lock:
            grant = self.codes.get(form.get("code", ""))
            # A code of another client is not used up.
            if grant is None or form.get("grant_type") != "authorization_code" or grant["client_id"] != client:
                return self.data.error("invalid_grant")
            del self.codes[form["code"]]
        challenge = b64(hashlib.sha256(form.get("code_verifier", "").encode()).digest())
        if "redirect_uri" in grant and (form.get("redirect_uri") != grant["redirect_uri"] or challenge != grant["code_challenge"]):
            return self.data.error("invalid_grant")
        tokens = {name: self.give(grant["user"], client) for name in ("access_token", "refresh_token")}
        answer = self.data.answer("token", **tokens, id_token=self.id_token(grant["user"], grant["nonce"], aud=client)) | self.token_extra
        return {name: value for name, value in answer.items() if value is not None}

    def renew(self, form, client):
        """Apple gives no other refresh token."""
        user, owner = self.tokens.get(form.get("refresh_token"), (None, None))
        if owner != client:
            return self.data.error("invalid_grant")
        answer = self.data.answer(
            "token", access_token=self.give(user, client), refresh_token=None, id_token=self.id_token(user, aud=client)
        )
        return {name: value for name, value in answer.items() if value is not None}

    def revoke(self, request):
        client = self.client(request.form)
        if client is None or request.form.get("token_type_hint") not in ("access_token", "refresh_token"):
            return self.data.error("invalid_client" if client is None else "invalid_request")
        ended = self.tokens.get(request.form.get("token"))
        if ended and ended[1] == client:
            # All that the person gave the client ends.
            self.tokens = {token: given for token, given in self.tokens.items() if given != ended}
        return Response("", 200)

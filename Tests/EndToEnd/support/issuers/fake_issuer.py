"""An OpenID Connect issuer that can misbehave."""

import hashlib
import json
import secrets
import threading
import time
from urllib.parse import unquote_plus, urlencode

import jwt
import requests
from werkzeug.wrappers import Request, Response

from support.jwts import Key, b64
from support.leaks import SECRET_FIELDS, note, note_url
from support.names import CLIENT_SECRET, TIMEOUT
from support.web_server import WebServer


class FakeIssuer:
    """An OpenID Connect issuer. It checks what is sent to it, logs every request, and lies on demand.

    `claims` changes the claims of the next ID tokens, `mint` how they are signed, `answers[endpoint]` takes the place of an endpoint. The
    person is chosen by `login_hint`; there is no page.
    """

    provider = "oidc.fake"
    client_id = "a-client-id"
    # What an answer proves itself by.
    code_field = "code"
    # False for a provider without ID tokens: tests of ID tokens leave it out.
    has_id_tokens = True
    # False for a provider where nothing binds a code to the sign-in that asked for it: neither PKCE nor a nonce.
    binds_codes = True
    # Whether it posts its answers, which bring no cookies along.
    posts = False
    # What an entry says besides the issuer and the client.
    settings = {"clientAuth": "post"}
    # What a provider says by its documents. A plain issuer says what is below.
    data = None
    # How its access tokens begin.
    access_token_prefix = "at."

    def __init__(self, certificate=None):
        self.users = {"ada": {"sub": "ada", "email": "ada@example.com", "email_verified": True, "name": "Ada Lovelace"}}
        self.key = Key("key-1")
        self.lock = threading.Lock()
        self.web = WebServer(Request.application(self.respond), certificate=certificate)
        self.url = self.web.url
        self.keys = [self.key]
        self.reset()

    def reset(self):
        self.claims = None
        self.mint = None
        self.answers = {}
        self.codes = {}
        # What each access token was issued for, by token: here, the user.
        self.tokens = {}
        self.requests = []
        self.token_extra = {}
        self.callback_extra = {}
        self.discovery_extra = {}
        self.client_key = None
        self.assertions = set()
        # Whether it gives refresh tokens; whom each of them is for; and how often one was used.
        self.gives_refresh_tokens = False
        self.refresh_tokens = {}
        self.renewals = 0

    def close(self):
        self.web.close()

    def entry(self, **more):
        return {"issuer": self.url, "clientId": self.client_id, "clientSecret": {"env": "CLIENT_SECRET"}, **self.settings, **more}

    def count(self, path):
        return sum(1 for method, seen, _ in self.requests if seen == path)

    def asked(self):
        """The names of the endpoints that were asked, in order."""
        return [self.endpoint(path) for _, path, _ in self.requests]

    def refusal(self, error):
        """What an answer has when it refuses."""
        return {"error": error}

    # -- what the browser does

    def login(self, user=None):
        def at(url):
            url = url.partition("#")[0]
            if user:
                url += ("&" if "?" in url else "?") + urlencode({"login_hint": user})
            answer = requests.get(url, allow_redirects=False, timeout=TIMEOUT)
            assert answer.status_code == 302, answer.text
            return note_url(answer.headers["location"])

        return at

    # -- endpoints

    def discovery(self, request):
        if self.data:
            return self.data.answer("discovery", base=self.web.url) | self.discovery_extra
        return {
            "issuer": self.url,
            "authorization_endpoint": self.url + "/authorize",
            "token_endpoint": self.url + "/token",
            "jwks_uri": self.url + "/jwks",
            "response_types_supported": ["code"],
            "subject_types_supported": ["public"],
            "id_token_signing_alg_values_supported": ["RS256"],
            "code_challenge_methods_supported": ["S256"],
            "token_endpoint_auth_methods_supported": ["client_secret_post", "client_secret_basic"],
            **self.discovery_extra,
        }

    def endpoint(self, path):
        return {
            "/.well-known/openid-configuration": "discovery",
            "/authorize": "authorize",
            "/token": "token",
            "/jwks": "jwks",
            "/userinfo": "userinfo",
        }.get(path)

    def respond(self, request):
        name = self.endpoint(request.path)
        form = request.form.to_dict(flat=False) if request.method == "POST" else request.args.to_dict(flat=False)
        with self.lock:
            self.requests.append((request.method, request.path, {**form, ":authorization": request.headers.get("authorization")}))
        note(request.headers.get("authorization"))
        for field, values in form.items():
            if field in SECRET_FIELDS:
                for value in values:
                    note(value)
        if name is None:
            return Response("no such page", 404)
        answer = self.answers.get(name)
        if answer is not None:
            answer = answer(request) if callable(answer) and not isinstance(answer, Response) else answer
        if answer is None:
            answer = getattr(self, name)(request)
        return answer if isinstance(answer, Response) else Response(json.dumps(answer), content_type="application/json")

    def jwks(self, request):
        return {"keys": [key.jwk for key in self.keys]}

    def problems(self, query):
        """What an authorization request lacks."""
        return [
            query.get("client_id") != self.client_id,
            query.get("response_type") != "code",
            "openid" not in query.get("scope", "").split(),
            not query.get("state"),
            not query.get("nonce"),
            query.get("code_challenge_method") != "S256",
            not query.get("code_challenge"),
            not query.get("redirect_uri"),
        ]

    def authorize(self, request):
        query = request.args
        for name in query:
            assert len(query.getlist(name)) == 1 or name == "login_hint", name
        problems = self.problems(query)
        if any(problems):
            return Response(f"bad authorization request {dict(query)} {problems}", 400)
        code = note(secrets.token_urlsafe(24))
        note(query["state"])
        note(query.get("nonce"))
        with self.lock:
            self.codes[code] = {**query.to_dict(), "user": query.getlist("login_hint")[-1] if "login_hint" in query else "ada"}
        back = {"code": code, "state": query["state"], **self.callback_extra}
        return Response("", 302, {"Location": query["redirect_uri"] + "?" + urlencode(back)})

    def refuse(self, error, status=400):
        return Response(
            json.dumps({"error": error, "error_description": f"{error} for somebody@example.com"}), status, content_type="application/json"
        )

    # The header of an assertion besides `alg`, and the address in it.
    assertion_header = {"kid": "client-key-1", "typ": "JWT"}

    def assertion_audience(self):
        return self.url

    def knows(self, form):
        """Whether the client has proven itself: by its secret, or by an assertion of its key where it has one."""
        if self.client_key is None:
            return form.get("client_id") == self.client_id and form.get("client_secret") == CLIENT_SECRET
        assertion = form.get("client_assertion", "")
        if not assertion:
            return False
        header, claims = jwt.get_unverified_header(assertion), self.read_assertion(assertion)
        return (
            "client_secret" not in form
            and form.get("client_assertion_type") == "urn:ietf:params:oauth:client-assertion-type:jwt-bearer"
            and {name: value for name, value in header.items() if name != "alg"} == self.assertion_header
            and claims["iss"] == claims["sub"] == form.get("client_id") == self.client_id
            and claims["aud"] == self.assertion_audience()
            and 0 < claims["exp"] - time.time() <= 300
            and self.is_new(claims["jti"])
        )

    def read_assertion(self, assertion):
        """The claims, once the signature is verified."""
        return jwt.decode(note(assertion), self.client_key, algorithms=["RS256", "PS256", "ES256"], options={"verify_aud": False})

    def is_new(self, jti):
        with self.lock:
            seen = jti in self.assertions
            self.assertions.add(jti)
        return not seen

    def sent_by_client(self, request):
        """The fields of a request, with the client's id and secret among them where they came by Basic authentication (RFC 6749, 2.3.1)."""
        basic = request.authorization
        if not basic or basic.type != "basic":
            return request.form
        return {**request.form, "client_id": unquote_plus(basic.username), "client_secret": unquote_plus(basic.password)}

    def token(self, request):
        form = request.form
        if form.get("grant_type") == "refresh_token":
            return self.renew(request)
        with self.lock:
            grant = self.codes.pop(form.get("code", ""), None)
        if not self.knows(self.sent_by_client(request)):
            return self.refuse("invalid_client", 401)
        if grant is None or form.get("grant_type") != "authorization_code":
            return self.refuse("invalid_grant")
        challenge = b64(hashlib.sha256(form.get("code_verifier", "").encode()).digest())
        if form.get("redirect_uri") != grant["redirect_uri"] or challenge != grant["code_challenge"]:
            return self.refuse("invalid_grant")
        answer = {
            **self.api_tokens(grant["user"]),
            "id_token": self.id_token(grant["user"], grant["nonce"]),
            **self.token_extra,
        }
        return {name: value for name, value in answer.items() if value is not None}

    def renew(self, request):
        """The answer to a refresh token, which works once."""
        if not self.knows(self.sent_by_client(request)):
            return self.refuse("invalid_client", 401)
        with self.lock:
            user = self.refresh_tokens.pop(request.form.get("refresh_token"), None)
            self.renewals += 1
        return self.api_tokens(user) if user else self.refuse("invalid_grant")

    def api_tokens(self, user):
        """New tokens for the API."""
        answer = {"access_token": self.access_token(user), "token_type": "Bearer", "expires_in": 3599}
        if self.gives_refresh_tokens:
            answer["refresh_token"] = note("rt." + secrets.token_urlsafe(24))
            self.refresh_tokens[answer["refresh_token"]] = user
        return answer

    def access_token(self, user):
        """A new access token, for our client."""
        token = note(self.access_token_prefix + secrets.token_urlsafe(24))
        self.tokens[token] = user
        return token

    @staticmethod
    def bearer_token(request):
        """The access token that a call brings."""
        return request.headers.get("authorization", "").removeprefix("Bearer ")

    def granted(self, request):
        """What the access token of a call was issued for; `None` for no token of ours."""
        return self.tokens.get(self.bearer_token(request))

    def person(self, user):
        """What is known of a user, also of one who was never here."""
        return self.users.get(user) or self.stranger(user)

    def base_claims(self, user, nonce):
        now = int(time.time())
        claims = {"iss": self.url, "aud": self.client_id, "iat": now, "exp": now + 3600, **self.person(user)}
        if nonce is not None:
            claims["nonce"] = nonce
        return claims

    def stranger(self, user):
        return {"sub": user, "email": f"{user}@example.com", "email_verified": True, "name": user}

    def id_token(self, user="ada", nonce=None, key=None, **changes):
        """An ID token that this issuer makes now; a change to `None` leaves the claim out."""
        claims = {**self.base_claims(user, nonce), **changes}
        if self.claims:
            claims = {**claims, **self.claims(claims)}
        claims = {name: value for name, value in claims.items() if value is not None}
        if self.mint and key is None:
            return note(self.mint(claims))
        return note((key or self.key).sign(claims))

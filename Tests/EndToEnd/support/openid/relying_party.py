"""A small relying party: discovery, authorization code flow with PKCE, checks of the ID token, and the other endpoints.

It checks what a careful client checks, and raises `Untrusted` where it would refuse. It is plain HTTP; `SignIn` plays the person.
"""

import base64
import hashlib
import secrets
import time
from dataclasses import dataclass, field
from urllib.parse import parse_qsl, quote_plus, urlsplit

import jwt
import requests

from support.clients.flows import pkce
from support.leaks import note
from support.names import TIMEOUT
from support.openid.pages import Browser, Page, note_secrets
from support.openid.person import SignIn

FORM = "application/x-www-form-urlencoded"


class Untrusted(Exception):
    """A careful relying party refuses this answer, for the reason in the text."""


@dataclass
class Answer:
    """The authorization response, as the relying party receives it at `uri` by `mode`."""

    uri: str
    mode: str
    parameters: dict
    response: requests.Response
    # What the request said, and the verifier of its PKCE challenge.
    sent: dict = field(default_factory=dict)
    verifier: str | None = None
    # The pages that the person saw on the way.
    pages: list = field(default_factory=list)

    @property
    def code(self):
        return self.parameters["code"]


def parameters_of(text):
    pairs = parse_qsl(text, keep_blank_values=True, strict_parsing=bool(text))
    assert len(dict(pairs)) == len(pairs), f"a parameter comes twice: {sorted(name for name, _ in pairs)}"
    note_secrets(dict(pairs))
    return dict(pairs)


def delivered(response, redirect_uris):
    """The authorization response in this response of the provider; `None` when it is a page for the person."""
    if response.status_code in (302, 303):
        location = response.headers["location"]
        parts = urlsplit(location)
        uri = next((uri for uri in redirect_uris if location.startswith(uri)), None) or location.split("?")[0].split("#")[0]
        if parts.fragment:
            return Answer(uri, "fragment", parameters_of(parts.fragment), response)
        registered = urlsplit(uri).query
        query = parts.query.removeprefix(registered).removeprefix("&") if registered else parts.query
        return Answer(uri, "query", parameters_of(query), response)
    if response.status_code == 200:
        for form in Page(response).forms:
            if form.action in redirect_uris and form.method == "POST":
                note_secrets(form.fields)
                return Answer(form.action, "form_post", form.fields, response)
    return None


class RelyingParty:
    def __init__(self, issuer, client, *, mode=None, browser=None, discovery=None):
        """`mode`: the response mode that it asks for. `discovery`: where the metadata is, when that does not follow from the issuer."""
        self.issuer = issuer
        self.client = client
        self.mode = mode
        origin = "{0.scheme}://{0.netloc}".format(urlsplit(issuer))
        self.browser = browser or Browser(origin)
        self.discovery_url = discovery or issuer.removesuffix("/") + "/.well-known/openid-configuration"
        self.found = None

    def with_browser(self, browser):
        """The same relying party at another person's browser."""
        return RelyingParty(self.issuer, self.client, mode=self.mode, browser=browser, discovery=self.discovery_url)

    @property
    def metadata(self):
        if self.found is None:
            answer = requests.get(self.discovery_url, timeout=TIMEOUT)
            assert answer.status_code == 200, answer.text
            self.found = answer.json()
            if self.found["issuer"] != self.issuer:
                raise Untrusted(f"the metadata's issuer is {self.found['issuer']}")
        return self.found

    def keys(self):
        answer = requests.get(self.metadata["jwks_uri"], timeout=TIMEOUT)
        assert answer.status_code == 200, answer.text
        return jwt.PyJWKSet.from_dict(answer.json())

    # -- the authorization endpoint

    def parameters(self, **changes):
        """A request and its PKCE verifier. `None` leaves a parameter out; a list sends it several times."""
        verifier, challenge = pkce()
        parameters = {
            "client_id": self.client.id,
            "redirect_uri": self.client.redirect_uri,
            "response_type": "code",
            "scope": "openid",
            "state": secrets.token_urlsafe(12),
            "nonce": secrets.token_urlsafe(12),
            "response_mode": self.mode,
        }
        if self.client.needs_pkce:
            parameters |= {"code_challenge": challenge, "code_challenge_method": "S256"}
        elif changes.get("code_challenge") is ...:
            changes |= {"code_challenge": challenge, "code_challenge_method": "S256"}
        parameters |= changes
        return {name: value for name, value in parameters.items() if value is not None}, verifier

    def open(self, *, method="GET", headers=None, **changes):
        """What the authorization endpoint answers to a request with these changes, before any redirect."""
        parameters, _ = self.parameters(**changes)
        return self.send(parameters, method, headers)

    def send(self, parameters, method="GET", headers=None):
        url = self.metadata["authorization_endpoint"]
        if method == "POST":
            return self.browser.post(url, data=parameters, headers=headers)
        return self.browser.get(url, params=parameters, headers=headers)

    def authorize(self, person=None, *, method="GET", decide=None, **changes):
        """One authorization: the person does on the pages what they ask for. `decide` is for `SignIn`: what to press."""
        parameters, verifier = self.parameters(**changes)
        response = self.browser.follow(self.send(parameters, method))
        return self.finish(response, parameters, verifier, person, decide)

    def finish(self, response, parameters, verifier, person=None, decide=None):
        redirect_uris = (*self.client.redirect_uris, parameters.get("redirect_uri"))
        pages = []
        while (answer := delivered(response, redirect_uris)) is None:
            if person is None or len(pages) > 6:
                raise AssertionError(f"a page instead of an answer, after {pages}: {response.status_code} {response.text[:2000]}")
            kind, response = SignIn(self.browser, person, decide).act(Page(response))
            pages.append(kind)
        answer.sent, answer.verifier, answer.pages = parameters, verifier, pages
        return answer

    def check_answer(self, answer):
        """RFC 9207 and the state: the answer is one to this request, from this provider."""
        if answer.parameters.get("state") != answer.sent.get("state"):
            raise Untrusted("the state is not that of the request")
        if answer.parameters.get("iss") != self.metadata["issuer"]:
            raise Untrusted(f"the answer comes from {answer.parameters.get('iss')}")
        return answer

    # -- the token endpoint

    def credentials(self, form, audience=None):
        """The form with this client's credentials, and the headers."""
        if self.client.authentication == "none":
            return {"client_id": self.client.id, **form}, {}
        if self.client.authentication == "post":
            return {"client_id": self.client.id, "client_secret": self.client.secret, **form}, {}
        if self.client.authentication == "privateKeyJwt":
            kind = "urn:ietf:params:oauth:client-assertion-type:jwt-bearer"
            return {"client_assertion_type": kind, "client_assertion": self.assertion(audience), **form}, {}
        return form, {"authorization": basic(self.client.id, self.client.secret)}

    def assertion(self, audience=None, **changes):
        """RFC 7523: the client signs that it is the client."""
        now = int(time.time())
        claims = {"iss": self.client.id, "sub": self.client.id, "aud": audience or self.metadata["token_endpoint"]}
        claims |= {"jti": secrets.token_urlsafe(16), "iat": now, "exp": now + 60, **changes}
        return note(self.client.key.sign({name: value for name, value in claims.items() if value is not None}))

    def post(self, endpoint, form, headers=None, credentials=True):
        """Posts a form to an endpoint of the metadata; `None` leaves a field out. `headers` replace those of the client's credentials."""
        form, own = self.credentials(form) if credentials else (form, {})
        form = {name: value for name, value in form.items() if value is not None}
        note_secrets(form)
        answer = requests.post(self.metadata[endpoint], data=form, headers={**own, **(headers or {})}, timeout=TIMEOUT)
        if answer.headers.get("content-type", "").startswith("application/json"):
            note_secrets(answer.json())
        return answer

    def token_form(self, answer, **changes):
        form = {"grant_type": "authorization_code", "code": answer.code, "redirect_uri": answer.sent.get("redirect_uri")}
        if "code_challenge" in answer.sent:
            form["code_verifier"] = answer.verifier
        return {**form, **changes}

    def redeem(self, answer, *, headers=None, **changes):
        """The token endpoint's response to the code of this answer."""
        return self.post("token_endpoint", self.token_form(answer, **changes), headers)

    def tokens(self, answer, **changes):
        self.check_answer(answer)
        response = self.redeem(answer, **changes)
        assert response.status_code == 200, response.text
        return response.json()

    def refresh(self, token, *, headers=None, **changes):
        return self.post("token_endpoint", {"grant_type": "refresh_token", "refresh_token": token, **changes}, headers)

    def sign_in(self, person, **changes):
        """A whole sign-in: the answer, the tokens and the checked claims of the ID token."""
        answer = self.authorize(person, **changes)
        tokens = self.tokens(answer)
        return SignedIn(answer, tokens, self.claims(tokens["id_token"], answer.sent.get("nonce"), tokens["access_token"]))

    # -- the ID token

    def claims(self, token, nonce=None, access_token=None):
        """The claims of an ID token, as OpenID Connect Core section 3.1.3.7 has them checked."""
        header = jwt.get_unverified_header(token)
        if header["alg"] not in self.metadata["id_token_signing_alg_values_supported"]:
            raise Untrusted(f"signed by {header['alg']}")
        try:
            key = self.keys()[header["kid"]]
            claims = jwt.decode(
                token, key, algorithms=["RS256"], audience=self.client.id, issuer=self.metadata["issuer"], options={"require": REQUIRED}
            )
        except (KeyError, jwt.PyJWTError) as error:
            raise Untrusted(f"the ID token: {error!r}") from error
        if claims.get("nonce") != nonce:
            raise Untrusted(f"the nonce is {claims.get('nonce')}")
        if isinstance(claims["aud"], list) and len(claims["aud"]) > 1 and claims.get("azp") != self.client.id:
            raise Untrusted("several audiences, and the authorized party is another one")
        if abs(claims["iat"] - time.time()) > 600:
            raise Untrusted("issued more than ten minutes away from now")
        if access_token and "at_hash" in claims and claims["at_hash"] != half_hash(access_token):
            raise Untrusted("at_hash is that of another access token")
        return claims

    # -- the other endpoints

    def userinfo(self, token, how="get"):
        url = self.metadata["userinfo_endpoint"]
        bearer = {"authorization": f"Bearer {token}"}
        if how == "get":
            return requests.get(url, headers=bearer, timeout=TIMEOUT)
        if how == "post-header":
            return requests.post(url, headers=bearer, timeout=TIMEOUT)
        return requests.post(url, data={"access_token": token}, timeout=TIMEOUT)

    def introspect(self, token, **changes):
        return self.post("introspection_endpoint", {"token": token, **changes})

    def revoke(self, token, **changes):
        return self.post("revocation_endpoint", {"token": token, **changes})

    def push(self, **changes):
        """RFC 9126: the pushed request; gives the response, what it said, and the verifier."""
        parameters, verifier = self.parameters(**changes)
        form, headers = self.credentials(parameters, self.metadata["issuer"])
        url = self.metadata["pushed_authorization_request_endpoint"]
        return requests.post(url, data=form, headers=headers, timeout=TIMEOUT), parameters, verifier

    def log_out(self, *, method="GET", **parameters):
        """Opens the logout endpoint in the browser; gives the response before any redirect."""
        url = self.metadata["end_session_endpoint"]
        if method == "POST":
            return self.browser.post(url, data=parameters)
        return self.browser.get(url, params=parameters)


REQUIRED = ["iss", "sub", "aud", "exp", "iat"]


@dataclass
class SignedIn:
    answer: Answer
    tokens: dict
    claims: dict


def basic(id, secret):
    """RFC 6749 section 2.3.1: both are form-encoded before they become HTTP Basic credentials."""
    pair = f"{quote_plus(id)}:{quote_plus(secret)}"
    return "Basic " + base64.b64encode(pair.encode()).decode()


def plain_basic(id, secret):
    """HTTP Basic credentials as clients send them that do not encode."""
    return "Basic " + base64.b64encode(f"{id}:{secret}".encode()).decode()


def half_hash(value):
    """`at_hash` and `c_hash` of RS256."""
    return base64.urlsafe_b64encode(hashlib.sha256(value.encode()).digest()[:16]).rstrip(b"=").decode()

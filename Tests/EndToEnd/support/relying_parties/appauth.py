"""AppAuth for iOS and for Android, as far as a server can tell: the requests that they send, byte by byte, and their checks of the answers.

Written after the sources of both; where they differ, a subclass says how. Neither looks at signatures.
<https://github.com/openid/AppAuth-iOS>, <https://github.com/openid/AppAuth-Android>
"""

import base64
import hashlib
import json
import secrets
import time
from urllib.parse import parse_qs, quote, quote_plus, urlsplit

import requests

from support.leaks import note, note_fields, note_url
from support.names import TIMEOUT

LATEST_SKEW = 600
REQUIRED = {
    "issuer",
    "authorization_endpoint",
    "jwks_uri",
    "response_types_supported",
    "subject_types_supported",
    "id_token_signing_alg_values_supported",
}


class SignedOut(Exception):
    """The library takes the answer for a fact about the grant: the person has to sign in again."""


class TryLater(Exception):
    """The library keeps its state, and asks again later."""


class Refused(Exception):
    """The library refuses the answer."""


def check(condition, why):
    if not condition:
        raise Refused(why)


def random_text():
    return note(secrets.token_urlsafe(32))


class AppAuth:
    """One app on one device. `endpoints` have `authorize` and `token`, and what else is known; `issuer` only where discovery was used."""

    # Characters, besides letters and digits, that it leaves as they are in a query.
    plain = ""
    headers: dict[str, str] = {}
    required = REQUIRED

    def __init__(self, client, redirect_uri, endpoints, verify, issuer=None):
        self.client, self.redirect_uri, self.endpoints, self.verify, self.issuer = client, redirect_uri, endpoints, verify, issuer
        self.refresh_token = None

    @classmethod
    def discover(cls, client, redirect_uri, issuer, verify):
        """An app that is told the issuer alone."""
        answer = requests.get(f"{issuer}/.well-known/openid-configuration", verify=verify, timeout=TIMEOUT)
        document = answer.json()
        check(answer.status_code == 200 and cls.required <= set(document), "a document without what the library needs")
        names = {"authorize": "authorization_endpoint", "token": "token_endpoint", "end_session": "end_session_endpoint"}
        endpoints = {name: document[member] for name, member in names.items() if member in document}
        return cls(client, redirect_uri, endpoints, verify, issuer=document["issuer"])

    def url(self, endpoint, parameters):
        raise NotImplementedError

    def form(self, parameters):
        raise NotImplementedError

    def parsed_id_token(self, token):
        raise NotImplementedError

    def accepted(self, answer):
        """The library's own checks of the members of a token response."""
        raise NotImplementedError

    def authorization_url(self, scopes, **more):
        self.state, self.nonce, self.verifier = random_text(), random_text(), random_text()
        challenge = base64.urlsafe_b64encode(hashlib.sha256(self.verifier.encode()).digest()).rstrip(b"=").decode()
        parameters = {
            "response_type": "code",
            "client_id": self.client,
            **more,
            "redirect_uri": self.redirect_uri,
            "scope": " ".join(scopes),
            "state": self.state,
            "nonce": self.nonce,
            "code_challenge": challenge,
            "code_challenge_method": "S256",
        }
        return self.url(self.endpoints["authorize"], parameters)

    def query(self, url, expected, state):
        """The parameters of an address that the system hands to the app, after the checks of the address and the state."""
        note_url(url)
        ours, theirs = urlsplit(expected), urlsplit(url)
        for part in ("scheme", "username", "password", "hostname", "port", "path"):
            check(getattr(ours, part) == getattr(theirs, part), f"another {part}: the app does not take the address for its own")
        fields = parse_qs(theirs.query, keep_blank_values=True)
        check(all(len(values) == 1 for values in fields.values()), "a parameter twice")
        fields = {name: values[0] for name, values in fields.items()}
        if "error" in fields:
            raise SignedOut(f"{fields['error']}: {fields.get('error_description')}")
        check(fields.get("state") == state, "State mismatch")
        return fields

    def exchange(self, url):
        """Redeems the code in the address to which the browser was sent; gives the claims of the ID token and the answer."""
        fields = self.query(url, self.redirect_uri, self.state)
        check(fields.get("code"), "no code")
        form = {
            "grant_type": "authorization_code",
            "redirect_uri": self.redirect_uri,
            "code": fields["code"],
            "code_verifier": self.verifier,
        }
        return self.tokens(form, self.nonce)

    def refresh(self):
        return self.tokens({"grant_type": "refresh_token", "refresh_token": self.refresh_token}, None)

    def tokens(self, form, nonce):
        body = self.form({**form, "client_id": self.client})
        response = requests.post(self.endpoints["token"], data=body, headers=self.headers, verify=self.verify, timeout=TIMEOUT)
        answer = self.read(response)
        note_fields(answer)
        self.accepted(answer)
        if "refresh_token" in answer:
            self.refresh_token = answer["refresh_token"]
        claims = self.parsed_id_token(answer["id_token"]) if "id_token" in answer else None
        if claims is not None:
            self.validate(claims, nonce)
        return claims, answer

    def read(self, response):
        raise NotImplementedError

    def validate(self, claims, nonce):
        now = time.time()
        audience = claims["aud"] if isinstance(claims["aud"], list) else [claims["aud"]]
        check(self.issuer is None or claims["iss"] == self.issuer, "Issuer mismatch")
        check(self.client in audience or claims.get("azp") == self.client, "Audience mismatch")
        check(claims["exp"] > now, "ID Token expired")
        check(abs(claims["iat"] - now) <= LATEST_SKEW, "Issued at time is too far from the present")
        check(nonce is None or claims.get("nonce") == nonce, "Nonce mismatch")

    def end_session_url(self, id_token, return_uri):
        self.state, self.return_uri = random_text(), return_uri
        parameters = {"id_token_hint": id_token, "post_logout_redirect_uri": return_uri, "state": self.state}
        return self.url(self.endpoints["end_session"], parameters)

    def ended(self, url):
        """Takes the address to which the browser was sent after a log-out."""
        return self.query(url, self.return_uri, self.state)

    @staticmethod
    def parts(token):
        sections = token.split(".")
        check(len(sections) > 1, "not an ID token")
        return [json.loads(base64.urlsafe_b64decode(section + "=" * (-len(section) % 4))) for section in sections[:2]]


class IOS(AppAuth):
    plain = "-._~!$'()*,:@/?"
    headers = {
        "content-type": "application/x-www-form-urlencoded; charset=UTF-8",
        "accept": "*/*",
        "user-agent": "Field/1 CFNetwork/1492 Darwin/23",
    }
    required = REQUIRED | {"token_endpoint"}

    def form(self, parameters):
        # `NSURLComponents` leaves all that a query may contain, and AppAuth encodes the plus sign that it leaves too.
        return "&".join(f"{name}={quote(value, safe=self.plain)}" for name, value in parameters.items())

    def url(self, endpoint, parameters):
        """The library puts its parameters in the place of the endpoint's own."""
        return f"{endpoint.partition('?')[0]}?{self.form(parameters)}"

    def read(self, response):
        if response.status_code == 200:
            return response.json()
        if 400 <= response.status_code < 500:
            try:
                answer = response.json()
            except ValueError:
                answer = {}
            if "error" in answer:
                raise SignedOut(answer["error"])
        raise TryLater(response.status_code)

    def accepted(self, answer):
        # A member of another type is put aside, and then the app does without it: a token without an end, or none at all.
        types = {"access_token": str, "expires_in": int, "token_type": str, "id_token": str, "refresh_token": str, "scope": str}
        for name, kind in types.items():
            check(name not in answer or type(answer[name]) is kind, f"{name} is not of the type that the library takes")
        check("access_token" in answer and "expires_in" in answer, "an access token that is never refreshed")

    def parsed_id_token(self, token):
        _, claims = self.parts(token)
        check(all(isinstance(claims.get(name), str) for name in ("iss", "sub")), "iss or sub is not a text")
        check(all(type(claims.get(name)) is int for name in ("exp", "iat")), "exp or iat is not a number")
        check(claims.get("aud"), "no aud")
        return claims


class Android(AppAuth):
    plain = "_-!.~'()*"
    headers = {
        "content-type": "application/x-www-form-urlencoded",
        "accept": "application/json",
        "user-agent": "Dalvik/2.1.0 (Linux; U; Android 14)",
    }

    def form(self, parameters):
        return "&".join(f"{name}={quote_plus(value)}" for name, value in parameters.items())

    def url(self, endpoint, parameters):
        """`Uri.Builder` appends to what the endpoint has."""
        query = "&".join(f"{name}={quote(value, safe=self.plain)}" for name, value in parameters.items())
        return f"{endpoint}{'&' if '?' in endpoint else '?'}{query}"

    def read(self, response):
        try:
            answer = response.json()
        except ValueError:
            raise TryLater(response.status_code) from None
        if "error" in answer:
            raise SignedOut(answer["error"])
        return answer

    def accepted(self, answer):
        check(isinstance(answer.get("token_type"), str) and answer["token_type"], "No value found for token_type")
        for name in ("access_token", "refresh_token", "id_token", "scope"):
            check(name not in answer or isinstance(answer[name], str) and answer[name], f"{name} must not be empty")
        check("expires_in" in answer and int(answer["expires_in"]) > 0, "an access token that is never refreshed")

    def parsed_id_token(self, token):
        _, claims = self.parts(token)
        for name in ("iss", "sub"):
            check(isinstance(claims.get(name), str), f"No value for {name}")
        for name in ("exp", "iat"):
            check(int(claims[name]) > 0, f"No value for {name}")
        check(isinstance(claims.get("aud"), (str, list)), "No value for aud")
        return claims

    def validate(self, claims, nonce):
        super().validate(claims, nonce)
        if self.issuer is not None:
            parts = urlsplit(self.issuer)
            check(parts.scheme == "https" and parts.hostname and not parts.query and not parts.fragment, "Issuer must be an https URL")
        if nonce is not None:
            check(claims.get("nonce") == nonce, "Nonce mismatch")

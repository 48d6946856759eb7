"""Clients of the handler, as SDKs are at the level of HTTP: the JS SDK (`BrowserFlow`), iOS and Android (`AppleFlow`, `AndroidFlow`)."""

import hashlib
import html
import json
import random
import re
import secrets
import string
import uuid
from urllib.parse import parse_qsl, unquote, urlsplit

from support.clients.api import API
from support.clients.flows import RedirectFlow
from support.leaks import note, note_fields, note_url
from support.names import ANDROID, API_KEY, APPLE

PAGE = "https://app.example.com/home?tab=1#/list"


def island(response):
    """The data of a page, which is all that its script knows."""
    found = re.findall(r'<script type="application/json" id="data">(.*?)</script>', response.text, re.S)
    if not found:
        # A page without a script: its result is in its button.
        links = re.findall(r'<a class="button" href="(.*?)">', response.text)
        assert len(links) == 1 and "<script" not in response.text, response.text
        return {"link": html.unescape(links[0])}
    assert len(found) == 1, response.text
    data = json.loads(found[0])
    event = data.get("event") or {}
    note(event.get("sessionId"))
    note(data.get("relay"))
    if event.get("urlResponse"):
        note_url(event["urlResponse"])
    return data


class HandlerFlow(RedirectFlow):
    """One visit of a browser to the handler and back."""

    path = "/__/auth/handler"

    def __init__(self, site, provider="oidc.fake", **changes):
        super().__init__(site, provider)
        self.changes = changes

    def query(self, **changes):
        query = {**self.parameters(), **self.changes, **changes}
        return {name: value for name, value in query.items() if value is not None}

    def finished(self, login, servers=(None, None)):
        """The data of the page at the end."""
        response = self.callback(login(self.authorization_url(servers[0])), servers[1])
        assert response.status_code == 200, response.text
        return island(response)


class BrowserFlow(HandlerFlow):
    """The JS SDK: `authType` says whether by popup or redirect, and what for."""

    def __init__(self, site, provider="oidc.fake", auth_type="signInViaPopup", *, page=PAGE, app="[DEFAULT]", **changes):
        super().__init__(site, provider, **changes)
        self.auth_type = auth_type
        self.page = page
        self.app = app
        self.relay = None
        number = "".join(random.choices(string.digits, k=10))
        self.event_id = None if auth_type == "signInViaRedirect" else number if "Popup" in auth_type else f"uid-1:::{number}"

    def parameters(self):
        return {
            "apiKey": API_KEY,
            "appName": self.app,
            "authType": self.auth_type,
            "redirectUrl": self.page,
            "v": "12.18.0",
            "eventId": self.event_id,
            "providerId": self.provider,
        }

    def authorization_url(self, server=None, **changes):
        if "Redirect" in self.auth_type:
            return super().authorization_url(server, **changes)
        response = self.start(server, **changes)
        assert response.status_code == 200, response.text
        data = island(response)
        assert data["step"] == "popup-start"
        self.relay = data["relay"]
        return self.going_to(data["authUri"])

    def redeem(self, event, server=None, **more):
        """The SDK's result of the event."""
        return redeem(server or self.site.servers[0], event, **more)

    def run(self, login, **more):
        response = self.redeem(self.finished(login)["event"], **more)
        assert response.status_code == 200, response.text
        return response.json()


def redeem(server, event, **more):
    body = {
        "requestUri": event["urlResponse"],
        "sessionId": event["sessionId"],
        "postBody": event["postBody"],
        "tenantId": event["tenantId"],
        "returnSecureToken": True,
        "returnIdpCredential": True,
        **more,
    }
    return API(server.url).call("signInWithIdp", {name: value for name, value in body.items() if value is not None})


class AppleFlow(HandlerFlow):
    """iOS: the address has the hash of a secret, the app keeps the secret."""

    path = "/emulator/auth/handler"

    def __init__(self, site, provider="oidc.fake", **changes):
        super().__init__(site, provider, **changes)
        self.secret = note("".join(random.choices(string.ascii_uppercase, k=10)) + secrets.token_hex(4).upper())
        self.event_id = "".join(random.choices(string.ascii_uppercase, k=10))

    def parameters(self):
        return {
            "apiKey": API_KEY,
            "authType": "signInWithRedirect",
            "ibi": APPLE["bundleId"],
            "clientId": APPLE["clientId"],
            "v": "FirebaseAuth.iOS/12.19.0 com.example.apple/1.0 iPhone/18.0 hw/sim",
            "eventId": self.event_id,
            "providerId": self.provider,
            "scopes": "",
            "sessionId": hashlib.sha256(self.secret.encode()).hexdigest(),
            "hl": "en",
        }

    def received(self, link):
        """The SDK's own reading of the address that opened the app (AuthWebUtils.swift, AuthURLPresenter.swift)."""
        scheme, rest = link.split("://", 1)
        assert scheme == "com.googleusercontent.apps.7-a1b2"
        place, _, query = rest.partition("?")
        assert place == "firebaseauth/link"
        inner = dict(parse_qsl(query, strict_parsing=True))["deep_link_id"]
        parts = urlsplit(inner)
        assert parts.path == "/__/auth/callback"
        fields = dict(parse_qsl(parts.query, strict_parsing=True, keep_blank_values=True))
        assert fields["authType"] == "signInWithRedirect" and fields["eventId"] == self.event_id
        note_url(fields.get("link", ""))
        return fields

    def redeem(self, link, **more):
        body = {
            "requestUri": link,
            "sessionId": self.secret,
            # URLComponents.query: not percent-encoded.
            "postBody": f"providerId={self.provider}",
            "returnSecureToken": True,
            "returnIdpCredential": True,
            "autoCreate": True,
            **more,
        }
        note_fields(body)
        return self.site.servers[0].api().post("/www.googleapis.com/identitytoolkit/v3/relyingparty/verifyAssertion", body)


class AndroidFlow(HandlerFlow):
    """Android: the address has the secret itself, which is the digest of a UUID read as if it were text."""

    path = "/emulator/auth/handler"

    def __init__(self, site, provider="oidc.fake", secret=None, **changes):
        super().__init__(site, provider, **changes)
        digest = hashlib.sha256(str(uuid.uuid4()).encode()).digest()
        self.secret = secret if secret is not None else digest.decode("utf-8", "replace")
        self.event_id = str(uuid.uuid4())

    def parameters(self):
        return {
            "apiKey": API_KEY,
            "authType": "signInWithRedirect",
            "apn": ANDROID["package"],
            "sha1Cert": ANDROID["sha1"],
            "publicKey": "CAUSAA==",
            "v": "X24.0.1",
            "eventId": self.event_id,
            "providerId": self.provider,
            "sessionId": self.secret,
        }

    def received(self, link):
        """Android's reading of the intent: `Intent.parseUri`, then the extras of GenericIdpActivity."""
        assert link.startswith("intent://firebase.auth/#Intent;") and link.endswith(";end;")
        fields = dict(part.split("=", 1) for part in link.split("#Intent;", 1)[1].split(";")[:-2])
        assert fields["scheme"] == "genericidp" and fields["package"] == ANDROID["package"]
        extras = {name: unquote(value, errors="strict") for name, value in fields.items()}
        assert extras["S.eventId"] == self.event_id and extras["S.authType"] == "signInWithRedirect"
        note_url(extras.get("S.link", ""))
        return extras

    def redeem(self, link, **more):
        body = {"requestUri": link, "sessionId": self.secret, "postBody": f"providerId={self.provider}", "returnSecureToken": True, **more}
        return self.site.servers[0].api().post("/www.googleapis.com/identitytoolkit/v3/relyingparty/verifyAssertion", body)


def shown_text(response):
    """The text of a page as a person reads it."""
    body = re.sub(r"<(script|style|title)\b.*?</\1>", "", response.text, flags=re.S)
    return html.unescape(re.sub(r"<[^>]+>", " ", body))

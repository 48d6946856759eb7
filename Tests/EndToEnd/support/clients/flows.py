"""Sign-ins through a provider: a plain browser app (`WebFlow`), and a client that brings a session id (`ClientFlow`)."""

import base64
import hashlib
import json
import secrets
from urllib.parse import parse_qsl, urlsplit, urlunsplit

import psycopg2
import requests

from support.clients.api import BAD_CREDENTIAL, assert_error, posted
from support.leaks import note, note_url
from support.names import API_KEY, TIMEOUT


def pkce():
    """A verifier and its S256 challenge."""
    verifier = note(secrets.token_urlsafe(32))
    return verifier, base64.urlsafe_b64encode(hashlib.sha256(verifier.encode()).digest()).rstrip(b"=").decode()


def query_of(url):
    note_url(url)
    fields = parse_qsl(urlsplit(url).query, keep_blank_values=True)
    assert len(dict(fields)) == len(fields), f"a parameter twice: {url}"
    return dict(fields)


def rebased(url, server):
    """The same address at another server of the site, as a load balancer would have it."""
    parts = urlsplit(server.url)
    return urlunsplit(urlsplit(url)._replace(scheme=parts.scheme, netloc=parts.netloc))


def post_answer(url, **headers):
    """Posts the provider's answer, which is in `url`, as a page of the provider has a browser without cookies do it."""
    page, _, form = url.partition("?")
    headers = {"content-type": "application/x-www-form-urlencoded", **headers}
    return requests.post(page, data=form, headers=headers, allow_redirects=False, timeout=TIMEOUT)


class RedirectFlow:
    """One visit of a browser to `path`, which redirects to the provider, and back. A subclass says by `query` what it asks for."""

    def __init__(self, site, provider):
        self.site = site
        self.provider = provider
        self.browser = requests.Session()
        # Whether the provider is asked to post its answer.
        self.answers_by_post = False
        # Where each posted answer led.
        self.resume_urls = {}

    def start(self, server=None, headers=None, **changes):
        url = (server or self.site).url + self.path
        response = self.browser.get(url, params=self.query(**changes), allow_redirects=False, timeout=TIMEOUT, headers=headers)
        for cookie in self.browser.cookies:
            note(cookie.value)
        return response

    def authorization_url(self, server=None, **changes):
        response = self.start(server, **changes)
        assert response.status_code == 302, response.text
        return self.going_to(response.headers["location"])

    def going_to(self, url):
        """The provider's page, to which the browser goes."""
        self.answers_by_post = query_of(url).get("response_mode") == "form_post"
        return note_url(url)

    def callback(self, url, server=None, browser=None):
        """What answers to the provider's answer, which is in `url`. Where the provider posts it, it does so once and without cookies, since it is
        on another site; the browser goes where that leads."""
        if self.answers_by_post and "resume=" not in url:
            if url not in self.resume_urls:
                response = post_answer(rebased(url, server) if server else url)
                if "resume=" not in response.headers.get("location", ""):
                    return response
                self.resume_urls[url] = response.headers["location"]
            url = self.resume_urls[url]
        return (browser or self.browser).get(rebased(url, server) if server else url, allow_redirects=False, timeout=TIMEOUT)


class WebFlow(RedirectFlow):
    """A plain browser app: PKCE at the start, a redirect back with a one-time code, redemption with the verifier."""

    path = "/__/auth/start"

    def __init__(self, site, provider, *, page=None, parameters=None):
        super().__init__(site, provider)
        self.page = page or site.page
        self.verifier, self.challenge = pkce()
        self.state = note(secrets.token_urlsafe(16))
        self.parameters = parameters or {}

    def query(self, **changes):
        query = {
            "apiKey": API_KEY,
            "providerId": self.provider,
            "redirectUrl": self.page,
            "code_challenge": self.challenge,
            "code_challenge_method": "S256",
            "state": self.state,
        }
        if self.parameters:
            query["customParameters"] = json.dumps(self.parameters)
        return {name: value for name, value in {**query, **changes}.items() if value is not None}

    def returned(self, url, server=None):
        """The address in the app at which the callback ends."""
        response = self.callback(url, server)
        assert response.status_code == 303, response.text
        return note_url(response.headers["location"])

    def body(self, url, **more):
        return {"requestUri": url, "sessionId": self.verifier, "returnSecureToken": True, **more}

    def redeem(self, url, server=None, **more):
        return (server or self.site.servers[0]).api().call("signInWithIdp", self.body(url, **more))

    def to_app(self, login, servers=(None, None)):
        """Start, provider's login by `login(url)`, callback; gives the address in the app."""
        return self.returned(login(self.authorization_url(servers[0])), servers[1])

    def run(self, login, **more):
        response = self.redeem(self.to_app(login), **more)
        assert response.status_code == 200, response.text
        return response.json()


class ClientFlow:
    """A client that starts by createAuthUri with a session id, and posts where the provider sent its browser."""

    def __init__(self, site, provider, *, continue_uri=None, session=None, parameters=None):
        self.site = site
        self.provider = provider
        self.continue_uri = continue_uri or site.url + "/__/auth/handler"
        self.session = session or note(secrets.token_urlsafe(24))
        self.parameters = parameters

    def start(self, **changes):
        body = {"providerId": self.provider, "continueUri": self.continue_uri, "sessionId": self.session, **changes}
        if self.parameters:
            body["customParameter"] = self.parameters
        return self.site.servers[0].api().call("createAuthUri", {name: value for name, value in body.items() if value is not None})

    def authorization_url(self):
        response = self.start()
        assert response.status_code == 200, response.text
        answer = response.json()
        assert answer["providerId"] == self.provider
        assert answer["sessionId"] == self.session
        return note_url(answer["authUri"])

    def redeem(self, url, server=None, **more):
        body = {"requestUri": note_url(url), "sessionId": self.session, "returnSecureToken": True, **more}
        return (
            (server or self.site.servers[0]).api().call("signInWithIdp", {name: value for name, value in body.items() if value is not None})
        )

    def run(self, login, **more):
        response = self.redeem(login(self.authorization_url()), **more)
        assert response.status_code == 200, response.text
        return response.json()


def flow_id(text):
    """A flow's number in the database, from the `flow` or `state` in an address."""
    encoded = text.rpartition(".")[2]
    return psycopg2.Binary(base64.urlsafe_b64decode(encoded + "=" * (-len(encoded) % 4))[:16])


def refused(site, issuer, code="INVALID_IDP_RESPONSE", user="ada-or-alice"):
    """A whole sign-in that must be refused, and must write nothing except its failed flow."""
    before = site.counts()
    flow = WebFlow(site, issuer.provider)
    back = flow.to_app(issuer.login(user))
    response = flow.redeem(back)
    message = assert_error(response, code)
    assert site.counts() == before
    assert_error(flow.redeem(back), "INVALID_IDP_RESPONSE")
    assert site.counts() == before
    return message


# The body of a call has at most 64 KiB.
MOST_OF_A_BODY = 1 << 16


def refused_at_both_doors(site, issuer):
    """The issuer's ID token opens nothing by a redirect, nor where an app posts it. The issuer is not even asked about a posted one."""
    refused(site, issuer)
    token = issuer.id_token("ada-or-alice")
    before, seen = site.counts(), len(issuer.requests)
    answer = posted(site.servers[0].api(), {"providerId": issuer.provider, "id_token": token})
    if len(str(token)) > MOST_OF_A_BODY:
        assert answer.status_code == 413
    else:
        assert_error(answer, "INVALID_IDP_RESPONSE" if token else BAD_CREDENTIAL)
    assert site.counts() == before and len(issuer.requests) == seen

"""Logout tokens: relying parties learn from server to server that a person has signed out.

<https://openid.net/specs/openid-connect-backchannel-1_0.html>
"""

import threading
import time
from urllib.parse import parse_qs

import jwt
import pytest
from werkzeug import Request, Response

from support.harness import wait_until
from support.mail.outbox import now
from support.names import TIMEOUT
from support.openid.logout import is_signed_in
from support.openid.registrations import BASIC, NATIVE, SECOND, provider_settings
from support.openid.relying_party import RelyingParty
from support.openid.site import OpenIDSite
from support.web_server import WebServer

EVENT = "http://schemas.openid.net/event/backchannel-logout"
FORM = "application/x-www-form-urlencoded"


class Ears:
    """Where relying parties hear of logouts: `/<name>` is an address of one. `/deaf` never accepts, `/slow` takes its time."""

    def __init__(self):
        self.heard = []
        self.tries = []
        self.refusals = {"deaf": 1000, "late": 1}
        self.open = threading.Event()
        self.server = WebServer(self.answer)

    def url(self, name):
        return f"{self.server.url}/{name}"

    def answer(self, environ, start_response):
        request = Request(environ)
        name = request.path.strip("/")
        self.tries.append(name)
        if name == "slow":
            self.open.wait(TIMEOUT)
        if self.refusals.get(name, 0) > 0:
            self.refusals[name] -= 1
            return Response(status=503)(environ, start_response)
        assert request.method == "POST" and request.content_type == FORM
        fields = parse_qs(request.get_data(as_text=True))
        self.heard.append((name, fields))
        return Response(status=200)(environ, start_response)

    def tokens(self, name):
        return [fields["logout_token"][0] for heard, fields in self.heard if heard == name]

    def close(self):
        self.open.set()
        self.server.close()


@pytest.fixture(scope="module")
def ears():
    ears = Ears()
    yield ears
    ears.close()


@pytest.fixture(scope="module")
def site(ears):
    names = {BASIC.id: "basic", SECOND.id: "late", NATIVE.id: "slow"}
    provider = provider_settings()
    for entry in provider["clients"]:
        if entry["id"] in names:
            entry["backChannelLogoutURI"] = ears.url(names[entry["id"]])
    site = OpenIDSite(provider=provider)
    site.serve()
    yield site
    site.close()


def signed_in(site, client=BASIC, **options):
    rp = RelyingParty(site.issuer, client, **options)
    return rp, rp.sign_in(site.person() if "browser" not in options else None)


def log_out(rp, hint):
    response = rp.log_out(id_token_hint=hint, post_logout_redirect_uri=BASIC.signed_out_uri)
    assert response.headers["location"] == BASIC.signed_out_uri


def test_a_logout_token_names_session_and_person(site, ears):
    rp, before = signed_in(site)
    log_out(rp, before.tokens["id_token"])
    wait_until(lambda: ears.tokens("basic"), what="a logout token")
    token = ears.tokens("basic").pop()
    header = jwt.get_unverified_header(token)
    assert header["typ"] == "logout+jwt"
    claims = jwt.decode(token, rp.keys()[header["kid"]], algorithms=["RS256"], audience=BASIC.id, issuer=rp.issuer)
    assert claims["sub"] == before.claims["sub"] and claims["sid"] == before.claims["sid"]
    assert claims["events"] == {EVENT: {}} and "nonce" not in claims and claims["jti"]
    assert abs(claims["iat"] - time.time()) < 60 and 0 < claims["exp"] - claims["iat"] <= 120


def test_each_relying_party_of_the_session_hears_once_and_others_nothing(site, ears):
    rp, before = signed_in(site)
    rp.sign_in(None)
    rp.sign_in(None, scope="openid offline_access")
    _, stranger = signed_in(site)
    ears.heard.clear()
    log_out(rp, before.tokens["id_token"])
    wait_until(lambda: ears.tokens("basic"), what="a logout token")
    heard = [jwt.decode(token, options={"verify_signature": False})["sid"] for token in ears.tokens("basic")]
    assert heard == [before.claims["sid"]] and stranger.claims["sid"] not in heard


def test_a_relying_party_hears_of_each_session_of_the_browser(site, ears):
    """The person signed in a second time, so the relying party knows two sessions."""
    rp, person = RelyingParty(site.issuer, BASIC), site.person()
    first = rp.sign_in(person)
    second = rp.sign_in(person, prompt="login")
    ears.heard.clear()
    log_out(rp, second.tokens["id_token"])
    wait_until(lambda: len(ears.tokens("basic")) == 2, what="a logout token for each session")
    heard = {jwt.decode(token, options={"verify_signature": False})["sid"] for token in ears.tokens("basic")}
    assert heard == {first.claims["sid"], second.claims["sid"]}


def test_a_relying_party_that_does_not_accept_is_asked_again(site, ears):
    rp, before = signed_in(site)
    second = RelyingParty(site.issuer, SECOND, browser=rp.browser)
    second.sign_in(None)
    delivered = site.servers[0].metric('gatehouse_logout_tokens_total{outcome="delivered"}')
    log_out(rp, before.tokens["id_token"])
    wait_until(lambda: ears.tokens("late"), what="the second try")
    assert ears.tries.count("late") == 2
    wait_until(
        lambda: site.servers[0].metric('gatehouse_logout_tokens_total{outcome="delivered"}') >= delivered + 2, what="both are counted"
    )
    assert site.servers[0].logged("logout token not delivered")


def test_the_browser_does_not_wait(site, ears):
    """A relying party that takes its time does not hold the person up."""
    person = site.person()
    rp = RelyingParty(site.issuer, BASIC)
    before = rp.sign_in(person)
    app = RelyingParty(site.issuer, NATIVE, browser=rp.browser)
    app.sign_in(person, redirect_uri="http://127.0.0.1:4000/any-port")
    log_out(rp, before.tokens["id_token"])
    assert not ears.tokens("slow") and not is_signed_in(rp)
    wait_until(lambda: "slow" in ears.tries, what="the slow one is asked")
    ears.open.set()
    wait_until(lambda: ears.tokens("slow"), what="the slow one accepts")


def test_a_message_survives_the_end_of_the_process(site, ears):
    rp, before = signed_in(site)
    ears.heard.clear()
    ears.tries.clear()
    ears.refusals["basic"] = 1000
    log_out(rp, before.tokens["id_token"])
    wait_until(lambda: "basic" in ears.tries, what="a try that the relying party does not accept")
    site.servers[-1].kill()
    ears.refusals["basic"] = 0
    now(site)
    site.serve()
    wait_until(lambda: ears.tokens("basic"), what="a logout token of the next process")
    claims = jwt.decode(ears.tokens("basic")[0], options={"verify_signature": False})
    assert claims["sid"] == before.claims["sid"] and abs(claims["iat"] - time.time()) < 60


def test_a_logout_token_is_of_no_other_use(site, ears):
    rp, before = signed_in(site)
    ears.heard.clear()
    log_out(rp, before.tokens["id_token"])
    wait_until(lambda: ears.tokens("basic"), what="a logout token")
    token = ears.tokens("basic")[0]
    assert rp.userinfo(token).status_code == 401
    other, _ = signed_in(site)
    refused = other.log_out(id_token_hint=token, post_logout_redirect_uri=BASIC.signed_out_uri)
    assert "location" not in refused.headers and is_signed_in(other)

"""Providers that post their answer: only the browser that started the sign-in and posted the answer goes on."""

import base64
import secrets

import requests

from support.clients.flows import WebFlow, post_answer, query_of
from support.names import TIMEOUT
from support.servers.site import a_site


def test_a_provider_that_answers_by_form_post(site, api, fake_issuer):
    flow = WebFlow(site, "oidc.posting")
    asked = flow.authorization_url()
    assert query_of(asked)["response_mode"] == "form_post"
    answered = fake_issuer.login("form-post")(asked)
    crossing = post_answer(answered)
    assert crossing.status_code == 303, crossing.text
    resume = crossing.headers["location"]
    assert resume.startswith(site.url + "/__/auth/handler?resume=")
    assert "code=" not in resume and query_of(answered)["code"] not in resume
    assert requests.get(resume, allow_redirects=False, timeout=TIMEOUT).status_code == 400, "another browser"
    response = flow.redeem(flow.returned(resume))
    assert response.status_code == 200, response.text


def test_an_answer_is_posted_only_where_the_request_asked_for_that(site, fake_issuer):
    flow = WebFlow(site, "oidc.fake")
    asked = flow.authorization_url()
    assert "response_mode" not in query_of(asked)
    answered = fake_issuer.login("not-posted")(asked)
    refused = post_answer(answered)
    assert refused.status_code == 400 and "location" not in refused.headers, refused.text
    assert flow.redeem(flow.returned(answered)).status_code == 200, "the answer itself is not used up"


def test_SEC_18_an_answer_that_another_persons_browser_posted_opens_nothing(site, fake_issuer):
    """An attacker starts a flow and has the victim sign in at the provider, which posts the answer from the victim's browser."""
    attacker = WebFlow(site, "oidc.posting")
    answered = fake_issuer.login("posted-victim")(attacker.authorization_url())
    resume = post_answer(answered).headers["location"]
    assert requests.get(resume, allow_redirects=False, timeout=TIMEOUT).status_code == 400, "the victim has no cookie of the flow"
    # The attacker has it, and knows of the ticket what the state says: the project and the flow.
    state = query_of(answered)["state"]
    url = answered.partition("?")[0]
    ticket = query_of(resume)["resume"]
    project, _, encoded = ticket.partition(".")
    flow = base64.urlsafe_b64decode(encoded)[:16]
    for guess in (flow, flow + bytes(32), flow + secrets.token_bytes(32)):
        text = f"{project}.{base64.urlsafe_b64encode(guess).decode().rstrip('=')}"
        assert attacker.callback(f"{url}?resume={text}").status_code == 400
    assert attacker.callback(f"{url}?resume={state}").status_code == 400
    assert fake_issuer.count("/token") == 0


def test_an_issuer_that_gives_ID_tokens_without_codes(fake_issuer):
    """The implicit flow, for entries that ask for it: the token comes by form_post and must bear the flow's nonce."""
    with a_site({"oidc.implicit": fake_issuer.entry(flow="idToken")}) as site:
        site.serve()
        flow = WebFlow(site, "oidc.implicit")
        asked = query_of(flow.authorization_url())
        assert (asked["response_type"], asked["response_mode"]) == ("id_token", "form_post") and asked["nonce"]

        def post(token, state=asked["state"]):
            crossed = requests.post(asked["redirect_uri"], data={"id_token": token, "state": state}, allow_redirects=False, timeout=TIMEOUT)
            assert crossed.status_code == 303, crossed.text
            return flow.redeem(flow.returned(crossed.headers["location"]))

        answer = post(fake_issuer.id_token("implicit", nonce=asked["nonce"]))
        assert answer.status_code == 200 and answer.json()["isNewUser"] is True, answer.text
        for nonce in (None, "another-nonce"):
            flow = WebFlow(site, "oidc.implicit")
            asked = query_of(flow.authorization_url())
            response = post(fake_issuer.id_token("implicit-2", nonce=nonce), asked["state"])
            assert response.json()["error"]["message"].split(" : ")[0] in ("INVALID_IDP_RESPONSE", "MISSING_OR_INVALID_NONCE")
        assert site.counts()["accounts"] == 1 and fake_issuer.count("/token") == 0

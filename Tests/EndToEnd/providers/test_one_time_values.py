"""One-time values replayed, swapped, expired, guessed and brought by others: state, code, verifier, session id."""

import hashlib
import secrets
from urllib.parse import urlencode

import pytest

from support.clients.api import BAD_CREDENTIAL, assert_error
from support.clients.flows import ClientFlow, WebFlow, flow_id, query_of

pytestmark = pytest.mark.usefixtures("nothing_is_written")


def ready(site, fake_issuer):
    """A flow that waits for its redemption, with the address in the app."""
    flow = WebFlow(site, "oidc.fake")
    return flow, flow.to_app(fake_issuer.login("one-time"))


def replaced(url, **changes):
    query = {**query_of(url), **changes}
    return url.partition("?")[0] + "?" + urlencode({name: value for name, value in query.items() if value is not None})


def test_SEC_05_a_code_of_another_flow(site, fake_issuer):
    (one, first), (_, second) = ready(site, fake_issuer), ready(site, fake_issuer)
    for flow, url in (
        (one, replaced(first, code=query_of(second)["code"])),
        (one, replaced(first, flow=query_of(second)["flow"])),
        (one, second),
        (one, replaced(first, code=None)),
        (one, replaced(first, flow=None)),
        (one, replaced(first, code="")),
        (one, replaced(first, code=query_of(first)["code"][:-1])),
        (one, replaced(first, code=query_of(first)["code"] + "=")),
    ):
        response = flow.redeem(url)
        assert response.status_code == 400 and response.json()["error"]["message"].split(" : ")[0] in (
            "INVALID_IDP_RESPONSE",
            BAD_CREDENTIAL,
        )
    for separator in ("&code=x", "&flow=x"):
        assert one.redeem(first + separator).status_code == 400, "a parameter twice"
    assert fake_issuer.count("/token") == 0


def test_SEC_05_an_expired_code(site, fake_issuer):
    flow, back = ready(site, fake_issuer)
    assert (
        site.rows("UPDATE sign_in_flows SET expires_at = now() - interval '1 second' WHERE flow_id = %s", flow_id(query_of(back)["flow"]))
        == 1
    )
    assert_error(flow.redeem(back), "INVALID_IDP_RESPONSE")
    assert fake_issuer.count("/token") == 0


def test_SEC_05_the_code_is_good_for_two_minutes_and_the_state_for_ten(site, fake_issuer):
    flow = WebFlow(site, "oidc.fake")
    answered = fake_issuer.login()(flow.authorization_url())
    left = "SELECT extract(epoch FROM expires_at - now()) FROM sign_in_flows WHERE flow_id = %s"
    assert 590 < site.value(left, flow_id(query_of(answered)["state"])) <= 600
    back = flow.returned(answered)
    assert 110 < site.value(left, flow_id(query_of(back)["flow"])) <= 120


@pytest.mark.parametrize("session", [None, "", "wrong", "x" * 10_000, "\x00", "@challenge", "@hash"])
def test_SEC_11_a_wrong_verifier_redeems_nothing(site, fake_issuer, session):
    flow, back = ready(site, fake_issuer)
    session = {"@challenge": flow.challenge, "@hash": hashlib.sha256(flow.verifier.encode()).hexdigest()}.get(session, session)
    assert_error(flow.redeem(back, sessionId=session), "INVALID_IDP_RESPONSE")
    assert fake_issuer.count("/token") == 0


def test_SEC_05_five_wrong_verifiers_burn_the_code(site, fake_issuer):
    flow, back = ready(site, fake_issuer)
    for _ in range(5):
        assert_error(flow.redeem(back, sessionId="wrong"), "INVALID_IDP_RESPONSE")
    assert_error(flow.redeem(back), "INVALID_IDP_RESPONSE")
    client = ClientFlow(site, "oidc.fake")
    answered = fake_issuer.login()(client.authorization_url())
    for _ in range(5):
        assert_error(client.redeem(answered, sessionId="wrong"), "INVALID_IDP_RESPONSE")
    assert_error(client.redeem(answered), "INVALID_IDP_RESPONSE")
    assert fake_issuer.count("/token") == 0


def test_SEC_10_the_page_that_redeems_is_the_page_of_the_flow(site, fake_issuer):
    flow, back = ready(site, fake_issuer)
    query = back.partition("?")[2]
    for page in (
        site.page + "x",
        site.page.rstrip("/"),
        site.page.replace("127.0.0.1", "localhost"),
        site.page.replace("http://", "https://"),
        "https://app.example.com/signed-in",
        "http://localhost/",
        site.page + "?kept=1&",
        site.page.upper().replace("HTTP", "http"),
    ):
        joiner = "" if page.endswith("&") else "?"
        assert_error(flow.redeem(page + joiner + query), "INVALID_IDP_RESPONSE")
    assert fake_issuer.count("/token") == 0


def test_a_page_with_a_query_of_its_own(site, fake_issuer, nothing_is_written):
    flow = WebFlow(site, "oidc.fake", page="https://app.example.com/signed-in?kept=1")
    back = flow.to_app(fake_issuer.login("kept-" + secrets.token_hex(4)))
    assert back.startswith("https://app.example.com/signed-in?kept=1&")
    assert flow.redeem(back).status_code == 200
    nothing_is_written.append(flow)


def test_a_browser_flow_is_not_redeemed_by_its_state(site, fake_issuer):
    flow = WebFlow(site, "oidc.fake")
    answered = fake_issuer.login()(flow.authorization_url())
    assert_error(flow.redeem(answered), "INVALID_IDP_RESPONSE")
    assert fake_issuer.count("/token") == 0


def test_a_clients_answer_at_another_address(site, fake_issuer):
    flow = ClientFlow(site, "oidc.fake")
    answered = fake_issuer.login()(flow.authorization_url())
    query = answered.partition("?")[2]
    for address in (
        "https://app.example.com/callback",
        site.url + "/__/auth/handler/oidc.fake",
        site.url + "/__/auth/handlerx",
        "http://localhost/",
    ):
        assert_error(flow.redeem(address + "?" + query), "INVALID_IDP_RESPONSE")
    assert fake_issuer.count("/token") == 0


def test_SEC_05_an_expired_or_swapped_state_of_a_client(site, fake_issuer):
    one, two = ClientFlow(site, "oidc.fake"), ClientFlow(site, "oidc.fake")
    first, second = (fake_issuer.login()(flow.authorization_url()) for flow in (one, two))
    assert_error(one.redeem(second), "INVALID_IDP_RESPONSE")
    assert_error(one.redeem(first, sessionId=None), "INVALID_IDP_RESPONSE")
    assert site.rows("UPDATE sign_in_flows SET expires_at = now() WHERE flow_id = %s", flow_id(query_of(first)["state"])) == 1
    assert_error(one.redeem(first), "INVALID_IDP_RESPONSE")
    assert fake_issuer.count("/token") == 0

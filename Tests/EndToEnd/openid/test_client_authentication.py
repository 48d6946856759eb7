"""How clients prove who they are at the token endpoint, and what guesses cost."""

import time

import jwt
import pytest

from support.jwts import foreign_key, hmac_signed, unsigned
from support.openid.checks import assert_token_answer, assert_token_error, assert_transient
from support.openid.registrations import BASIC, NATIVE, POST, SIGNING, STRICT
from support.openid.relying_party import RelyingParty, basic, plain_basic
from support.openid.site import OpenIDSite
from support.servers.site import GENEROUS

ASSERTION_TYPE = "urn:ietf:params:oauth:client-assertion-type:jwt-bearer"


def test_two_methods_at_once(party):
    rp = party()
    form = {**rp.token_form(rp.authorize()), "client_id": BASIC.id, "client_secret": BASIC.secret}
    headers = {"authorization": basic(BASIC.id, BASIC.secret)}
    assert_token_error(rp.post("token_endpoint", form, headers, credentials=False), "invalid_request")


def test_an_assertion_beside_a_secret(party):
    rp = party(SIGNING)
    form = {**rp.token_form(rp.authorize()), "client_secret": "a-secret-that-does-not-count"}
    assert_token_error(rp.post("token_endpoint", form), "invalid_request")


def test_the_client_of_the_form_and_that_of_the_header_differ(party):
    rp = party()
    response = rp.redeem(rp.authorize(), client_id=POST.id)
    assert response.json()["error"] in ("invalid_request", "invalid_client")
    assert_token_error(response, response.json()["error"], response.status_code)


def test_a_client_may_name_itself_beside_the_header(party):
    rp = party()
    assert_token_answer(rp.redeem(rp.authorize(), client_id=BASIC.id))


@pytest.mark.parametrize("how", ["body", "header"])
def test_a_secret_of_a_native_app(party, ada, how):
    """It is in each copy of the app, so it proves nothing."""
    rp = party(NATIVE)
    form = {"client_id": NATIVE.id, **rp.token_form(rp.authorize(ada))}
    headers = {"authorization": basic(NATIVE.id, "a-secret-of-an-app")} if how == "header" else None
    form |= {"client_secret": "a-secret-of-an-app"} if how == "body" else {}
    assert_token_error(rp.post("token_endpoint", form, headers, credentials=False), "invalid_client", 401)


@pytest.mark.parametrize("client", [BASIC, POST, SIGNING, STRICT], ids=lambda client: client.id)
def test_a_confidential_client_without_its_credentials(party, client):
    rp = party(client)
    form = {"client_id": client.id, **rp.token_form(rp.authorize())}
    assert_token_error(rp.post("token_endpoint", form, credentials=False), "invalid_client", 401)


@pytest.mark.parametrize(
    "client, words",
    [(BASIC, "client_secret_basic"), (POST, "client_secret_post"), (SIGNING, "private_key_jwt"), (NATIVE, "without client_secret")],
    ids=lambda value: getattr(value, "id", ""),
)
def test_another_method_than_the_registered_one(party, ada, client, words):
    """Each client has one method. The refusal names it, since a library may know only one."""
    rp = party(client)
    form = rp.token_form(rp.authorize(ada))
    ways = {
        "basic": (form, {"authorization": basic(client.id, client.secret or "a-secret")}),
        "post": ({**form, "client_id": client.id, "client_secret": client.secret or "a-secret"}, {}),
        "none": ({**form, "client_id": client.id}, {}),
    }
    for fields, headers in (way for name, way in ways.items() if name != client.authentication):
        refused = rp.post("token_endpoint", fields, headers, credentials=False)
        assert words in assert_token_error(refused, "invalid_client", 401), refused.text
    assert_token_answer(rp.post("token_endpoint", form))


def test_a_wrong_secret_and_an_unknown_client_are_told_alike(party):
    rp = party()
    form = rp.token_form(rp.authorize())
    told = {
        assert_token_error(rp.post("token_endpoint", form, {"authorization": basic(*pair)}), "invalid_client", 401)
        for pair in ((BASIC.id, "a-wrong-secret"), ("unknown", BASIC.secret))
    }
    assert len(told) == 1


@pytest.mark.parametrize("secret", STRICT.secrets, ids=["plain", "with a colon", "with a percent sign"])
def test_each_secret_of_a_rotation_counts(party, secret):
    rp = party(STRICT)
    assert_token_answer(rp.redeem(rp.authorize(), headers={"authorization": basic(STRICT.id, secret)}))


def test_a_secret_that_the_client_did_not_encode(party):
    """RFC 6749 section 2.3.1 has clients encode both parts, and many do not. A colon does no harm, since the id has none."""
    rp = party(STRICT)
    plain, colon, percent = STRICT.secrets
    assert_token_answer(rp.redeem(rp.authorize(), headers={"authorization": plain_basic(STRICT.id, colon)}))
    told = rp.redeem(rp.authorize(), headers={"authorization": plain_basic(STRICT.id, percent)})
    assert_token_error(told, "invalid_client", 401)


@pytest.mark.parametrize(
    "header",
    [
        "Basic",
        "Basic ",
        "Basic !!!",
        "Basic " + "A" * 3,
        "Basic Y2VydGlmaWNhdGlvbi1iYXNpYw==",
        "Bearer token",
        "Digest username=x",
        "basic" + "A" * 9000,
        basic(BASIC.id, "wrong"),
        basic(BASIC.id, ""),
        basic("", BASIC.secret),
        basic("unknown", BASIC.secret),
        basic(BASIC.id, POST.secret),
        basic(BASIC.id, BASIC.secret + "x"),
        basic(BASIC.id, BASIC.secret[:-1]),
        plain_basic(BASIC.id, "%zz"),
    ],
    ids=range(16),
)
def test_wrong_credentials(party, header):
    rp = party()
    response = rp.redeem(rp.authorize(), headers={"authorization": header})
    if response.status_code == 431:
        return
    assert_token_error(response, "invalid_client", 401)


def test_the_scheme_of_the_header_has_no_case(party):
    rp = party()
    assert_token_answer(rp.redeem(rp.authorize(), headers={"authorization": basic(BASIC.id, BASIC.secret).replace("Basic", "bAsIc")}))


# -- private_key_jwt


def redeemed(rp, assertion, type=ASSERTION_TYPE, **more):
    form = {"client_assertion_type": type, "client_assertion": assertion, **rp.token_form(rp.authorize()), **more}
    return rp.post("token_endpoint", form, credentials=False)


@pytest.mark.parametrize("audience", ["token_endpoint", "issuer"])
def test_an_assertion_for_this_provider(party, audience):
    rp = party(SIGNING)
    assert_token_answer(redeemed(rp, rp.assertion(rp.metadata[audience])))
    assert_token_answer(redeemed(rp, rp.assertion(rp.metadata[audience]), client_id=SIGNING.id))


def test_an_assertion_counts_once(party):
    rp = party(SIGNING)
    assertion = rp.assertion()
    assert_token_answer(redeemed(rp, assertion))
    assert_token_error(redeemed(rp, assertion), "invalid_client", 401)


def assertions(rp):
    """Assertions that prove nothing, by what is wrong with them."""
    now = int(time.time())
    yield "another audience", rp.assertion("https://other.example.com/token")
    yield "another project's audience", rp.assertion(rp.issuer.replace("/demo", "/other"))
    yield "another issuer", rp.assertion(iss=BASIC.id)
    yield "another subject", rp.assertion(sub=BASIC.id)
    yield "expired", rp.assertion(iat=now - 400, exp=now - 300)
    yield "without an end", rp.assertion(exp=None)
    yield "not yet", rp.assertion(nbf=now + 3600)
    yield "an end as a text", rp.assertion(exp=str(now + 60))
    yield "an end after every calendar", rp.assertion(exp=2**63 - 1)
    yield "a time of issue after every calendar", rp.assertion(iat=2**63 - 1)
    yield "a beginning after every calendar", rp.assertion(nbf=2**63 - 1)
    yield "without a subject", rp.assertion(sub=None)
    yield "without an audience", rp.assertion(aud=None)
    said = {"iss": SIGNING.id, "sub": SIGNING.id, "aud": rp.metadata["token_endpoint"], "jti": "j" * 22, "iat": now, "exp": now + 60}
    yield "unsigned", unsigned(said)
    yield "signed with the public key as a secret", hmac_signed(said, SIGNING.key.public_pem(), SIGNING.key.kid)
    yield "signed by another key of this name", jwt.encode(said, foreign_key("rp-other").private, "RS256", headers={"kid": SIGNING.key.kid})
    yield "garbage", "a.b.c"
    yield "empty", ""


CASES = [
    *("another audience", "another project's audience", "another issuer", "another subject", "expired", "without an end", "not yet"),
    *("an end after every calendar", "a time of issue after every calendar", "a beginning after every calendar"),
    *("an end as a text", "without a subject", "without an audience", "unsigned", "signed with the public key as a secret"),
    *("signed by another key of this name", "garbage", "empty"),
]


@pytest.mark.parametrize("case", CASES)
def test_an_assertion_that_proves_nothing(party, case):
    rp = party(SIGNING)
    response = redeemed(rp, dict(assertions(rp))[case])
    error = response.json()["error"]
    assert error == "invalid_client" or (error == "invalid_request" and case in ("empty", "garbage"))
    assert_token_error(response, error, response.status_code)
    assert response.status_code == (401 if error == "invalid_client" else 400)


def test_another_type_of_assertion(party):
    rp = party(SIGNING)
    response = redeemed(rp, rp.assertion(), "urn:ietf:params:oauth:client-assertion-type:saml2-bearer")
    assert response.json()["error"] in ("invalid_client", "invalid_request")


# -- guesses


def test_guesses_at_a_secret_end_in_a_limit_that_signs_nobody_out():
    """An app takes JSON with an error for the end of its session, so a limit is JSON without one. It holds for the right secret, too."""
    # In development mode, the limits of production are there on demand.
    site = OpenIDSite(project={"limits": {"defaults": True, **GENEROUS}})
    try:
        site.serve()
        rp = RelyingParty(site.issuer, BASIC)
        person = site.person()
        token = rp.sign_in(person, scope="openid offline_access").tokens["refresh_token"]
        wrong = {"authorization": basic(BASIC.id, "a-wrong-secret")}
        for _ in range(10):
            assert_token_error(rp.refresh(token, headers=wrong), "invalid_client", 401)
        for _ in range(3):
            assert_transient(rp.refresh(token, headers=wrong), 429)
        assert_transient(rp.post("revocation_endpoint", {"token": token}, wrong), 429)
        for _ in range(3):
            assert_transient(rp.refresh(token), 429)
        site.rows("DELETE FROM rate_limits")
        for _ in range(9):
            assert_token_error(rp.refresh(token, headers=wrong), "invalid_client", 401)
        for _ in range(20):
            tokens = assert_token_answer(rp.refresh(token))
            token = tokens["refresh_token"]
    finally:
        site.close()

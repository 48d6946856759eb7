"""The plans Basic OP and Form Post OP: when the person is asked, and what the request says of the person.

Each test has the name of the module of the OpenID Foundation's conformance suite that it imitates.
"""

from support.jwts import wait_past
from support.openid.checks import assert_delivered, assert_redirected
from support.openid.pages import Page
from support.openid.registrations import BASIC
from support.openid.relying_party import delivered
from support.openid.times import age_sign_ins

NEEDS_A_PAGE = {"login_required", "consent_required", "account_selection_required", "interaction_required"}


def test_oidcc_prompt_login(fresh, ada):
    first = fresh.sign_in(ada)
    assert "sign-in" in first.answer.pages
    assert fresh.sign_in(None).answer.pages == [], "without the prompt, the session is enough"
    wait_past(first.tokens["id_token"])
    again = fresh.sign_in(ada, prompt="login")
    assert "sign-in" in again.answer.pages
    assert again.claims["sub"] == first.claims["sub"]
    assert again.claims["auth_time"] > first.claims["auth_time"]


def test_oidcc_prompt_none_not_logged_in(fresh):
    sent, _ = fresh.parameters(prompt="none")
    answer = delivered(fresh.send(sent), BASIC.redirect_uris)
    assert_redirected(answer, NEEDS_A_PAGE, BASIC, mode=fresh.mode or "query", sent=sent["state"])
    assert answer.parameters["error"] == "login_required"


def test_oidcc_prompt_none_logged_in(fresh, ada):
    first = fresh.sign_in(ada, max_age="10000")
    wait_past(first.tokens["id_token"])
    sent, verifier = fresh.parameters(prompt="none")
    answer = fresh.finish(fresh.send(sent), sent, verifier)
    assert_delivered(answer, fresh.mode)
    claims = fresh.claims(fresh.tokens(answer)["id_token"], sent["nonce"])
    assert (claims["sub"], claims.get("auth_time", first.claims["auth_time"])) == (first.claims["sub"], first.claims["auth_time"])


def test_oidcc_max_age_1(openid_site, fresh):
    person = openid_site.person()
    first = fresh.sign_in(person)
    age_sign_ins(openid_site, person, 2)
    wait_past(first.tokens["id_token"])
    again = fresh.sign_in(person, max_age="1")
    assert "sign-in" in again.answer.pages
    assert again.claims["auth_time"] > first.claims["auth_time"]
    assert again.claims["iat"] - again.claims["auth_time"] < 60


def test_oidcc_max_age_10000(openid_site, fresh):
    person = openid_site.person()
    first = fresh.sign_in(person, max_age="15000")
    age_sign_ins(openid_site, person, 9000)
    again = fresh.sign_in(None, max_age="10000")
    assert again.answer.pages == []
    assert again.claims["auth_time"] == first.claims["auth_time"] - 9000, "the claim is about the sign-in, not about the request"
    age_sign_ins(openid_site, person, 1100)
    assert "sign-in" in fresh.sign_in(person, max_age="10000").answer.pages


def test_oidcc_id_token_hint(fresh, ada):
    first = fresh.sign_in(ada)
    sent, verifier = fresh.parameters(prompt="none", id_token_hint=first.tokens["id_token"])
    answer = fresh.finish(fresh.send(sent), sent, verifier)
    assert_delivered(answer, fresh.mode)
    assert fresh.claims(fresh.tokens(answer)["id_token"], sent["nonce"])["sub"] == first.claims["sub"]


def test_oidcc_login_hint(fresh, ada):
    """The hint fills the field, and signs nobody in."""
    response = fresh.browser.follow(fresh.open(login_hint=ada.email))
    page = Page(response)
    assert ada.email in [value for form in page.forms for value in form.fields.values()]
    assert fresh.sign_in(ada, login_hint=ada.email).claims["sub"] == ada.id
    # The suite asks for a person at the provider's own host.
    assert fresh.sign_in(None, login_hint="buffy@127.0.0.1").claims["sub"] == ada.id


def test_oidcc_ui_locales(fresh, ada):
    """An unknown language is no error, and a known one counts."""
    assert fresh.sign_in(ada, ui_locales="se").claims["sub"] == ada.id
    known = [tag for tag in fresh.metadata["ui_locales_supported"] if tag != "en"]
    for tag in known:
        page = fresh.browser.follow(fresh.open(ui_locales=f"se {tag}", prompt="login"))
        assert f'<html lang="{tag}"' in page.text


def test_oidcc_claims_locales(fresh, ada):
    assert fresh.sign_in(ada, claims_locales="se").claims["sub"] == ada.id


def test_oidcc_ensure_request_with_acr_values_succeeds(rp):
    claims = rp.sign_in(None, acr_values=" ".join(rp.metadata["acr_values_supported"])).claims
    assert "acr" not in claims, "Ada has no second factor; the suite warns of it"


def test_oidcc_claims_essential(rp, ada):
    answer = rp.sign_in(None, claims='{"userinfo":{"name":{"essential":true}}}')
    assert rp.userinfo(answer.tokens["access_token"]).json()["name"] == ada.name
    assert "profile" in answer.tokens["scope"].split(), "the claim brings its scope, which a consent would show"
    assert "name" not in rp.userinfo(rp.sign_in(None).tokens["access_token"]).json(), "without the claim, nothing was asked for"

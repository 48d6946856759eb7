"""Signing in at a hosted page with a provider: the way there and back, refusals, conflicts."""

from urllib.parse import parse_qs, urlencode, urlsplit

import pytest
from werkzeug.utils import redirect

from support.accounts import address
from support.hosted_pages.stage import PASSWORD, HostedSite
from support.hosted_pages.visitor import Visitor


def someone(issuer, **more):
    """A person of the issuer; it signs this person in from now on."""
    person = {"sub": address().partition("@")[0], "email": address(), "email_verified": True, "name": "Ada Lovelace", **more}
    issuer.claims = lambda claims: {**claims, **person}
    return person


@pytest.fixture
def person(fake_issuer):
    return someone(fake_issuer)


def at_provider(visitor, page):
    return visitor.press(page, provider="oidc.fake")


def refusing(error):
    def answer(request):
        return redirect(f"{request.args['redirect_uri']}?{urlencode({'error': error, 'state': request.args['state']})}")

    return answer


@pytest.mark.parametrize("flow", [None, "b2c_1_sign_up"])
def test_a_provider_signs_in(stage, visitor, person, flow):
    asked = stage.request(flow)
    page = visitor.open(asked.url)
    assert "Continue with Fake Login" in page.text
    claims = asked.redeemed(visitor.at_provider(at_provider(visitor, page)))
    assert stage.value("SELECT email FROM accounts WHERE account_id = %s OR email = %s", claims["sub"], person["email"]) == person["email"]


def test_a_new_person_is_asked_for_what_the_user_flow_wants(stage, visitor, fake_issuer):
    person = someone(fake_issuer)
    asked = stage.request("b2c_1_susi")
    page = visitor.at_provider(at_provider(visitor, visitor.open(asked.url)))
    assert page.fields["displayName"]["value"] == "Ada Lovelace"
    claims = asked.redeemed(visitor.press(page, "profile", surname="Lovelace"))
    assert (claims["name"], claims["family_name"], claims["idp"], claims["email"]) == (
        "Ada Lovelace",
        "Lovelace",
        "oidc.fake",
        person["email"],
    )
    again = stage.request("b2c_1_susi", prompt="login")
    again.redeemed(visitor.at_provider(at_provider(visitor, visitor.open(again.url))))


def test_the_order_is_that_of_the_user_flow(stage, visitor):
    text = visitor.open(stage.request("b2c_1_providers_first").url).response.text
    assert text.index("Fake Login") < text.index('type="password"')
    text = visitor.open(stage.request("b2c_1_susi").url).response.text
    assert text.index("Fake Login") > text.index('type="password"')


def test_a_hint_goes_to_the_provider_at_once(stage, visitor, person):
    asked = stage.request("b2c_1_susi", domain_hint="oidc.fake")
    url = visitor.open(asked.url)
    assert isinstance(url, str) and "/authorize" in url
    # Another hint only shows the page.
    assert visitor.open(stage.request("b2c_1_susi", domain_hint="elsewhere.com").url).status == 200


def test_what_the_client_asked_for_is_passed_on(stage, visitor):
    url = at_provider(visitor, visitor.open(stage.request(prompt="login", login_hint="grace@example.com").url))
    query = parse_qs(urlsplit(url).query)
    assert query["prompt"] == ["login"] and query["login_hint"] == ["grace@example.com"]


@pytest.mark.parametrize(
    "error, said",
    [("access_denied", "was cancelled"), ("temporarily_unavailable", "does not answer"), ("server_error", "did not work")],
)
@pytest.mark.parametrize("hint", [{}, {"domain_hint": "oidc.fake"}])
def test_a_refusal_leads_back_to_the_page(stage, visitor, fake_issuer, error, said, hint):
    asked = stage.request(**hint)
    fake_issuer.answers["authorize"] = refusing(error)
    page = visitor.open(asked.url)
    page = visitor.at_provider(page if isinstance(page, str) else at_provider(visitor, page))
    assert page.status == 200 and "Fake Login" in page.text and page.offers("do", "password")
    if error == "access_denied":
        assert said in page.text
    fake_issuer.reset()
    someone(fake_issuer)
    asked.redeemed(visitor.at_provider(at_provider(visitor, page)))


def test_a_provider_that_lies_leads_back_to_the_page(stage, visitor, fake_issuer):
    fake_issuer.claims = lambda claims: {**claims, "nonce": "another"}
    page = visitor.at_provider(at_provider(visitor, visitor.open(stage.request().url)))
    assert "did not work" in page.text and page.offers("provider", "oidc.fake")


def test_coming_back_a_second_time_leads_to_the_page(stage, visitor, fake_issuer, person):
    asked = stage.request("b2c_1_susi")
    provider = at_provider(visitor, visitor.open(asked.url))
    location = fake_issuer.login()(provider)
    page = visitor.open(location)
    assert "displayName" in page.fields
    # The browser's back button loads the provider's answer again.
    again = visitor.open(location)
    assert isinstance(again, str) or again.status < 500


def test_another_browser_cannot_finish_the_sign_in(stage, visitor, person):
    provider = at_provider(visitor, visitor.open(stage.request().url))
    stranger = Visitor(stage)
    stranger.open(stage.request().url)
    page = stranger.at_provider(provider)
    assert page.status == 400
    assert stage.value("SELECT count(*) FROM accounts WHERE email = %s", person["email"]) == 0


def test_a_disabled_account_is_told(stage, visitor, person):
    asked = stage.request()
    asked.redeemed(visitor.at_provider(at_provider(visitor, visitor.open(asked.url))))
    stage.rows("UPDATE accounts SET disabled = true WHERE email = %s", person["email"])
    page = visitor.at_provider(at_provider(visitor, visitor.open(stage.request(prompt="login").url)))
    assert page.status == 400 and "disabled" in page.text


def test_a_user_flow_for_signing_in_makes_no_account(stage, visitor, person):
    page = visitor.at_provider(at_provider(visitor, visitor.open(stage.request("b2c_1_sign_in").url)))
    assert page.status == 400 and "you cannot create one here" in page.text
    assert stage.value("SELECT count(*) FROM accounts WHERE email = %s", person["email"]) == 0


@pytest.fixture(scope="module")
def confirming(fake_issuer_of_session):
    """A project where a person links a provider only by signing in."""
    site = HostedSite(fake_issuer_of_session, project={"signIn": {"password": True, "emailLink": True, "linking": "confirm"}})
    site.serve()
    yield site
    site.close()


@pytest.mark.parametrize("verified", [True, False])
def test_an_address_of_another_account_leads_to_a_clear_way_on(confirming, fake_issuer, verified):
    api = confirming.servers[0].api()
    email = address()
    api.succeed("signUp", {"email": email, "password": PASSWORD, "returnSecureToken": True})
    someone(fake_issuer, email=email, email_verified=verified)
    visitor, asked = Visitor(confirming), confirming.request()
    page = visitor.at_provider(at_provider(visitor, visitor.open(asked.url)))
    assert page.status == 409
    if verified:
        assert f"An account with the address {email} exists already" in page.text and "Sign in with your password" in page.text
        assert page.fields["email"]["value"] == email
    else:
        # Whoever has not proven the address learns nothing of its account.
        assert "Another account has your e-mail address already" in page.text and email not in page.text
    asked.redeemed(visitor.sign_in(page, email, PASSWORD))

"""Every way in through providers that others wrote, each with its own reading of the standards."""

import hashlib
import importlib
import secrets

import pytest
import requests

from support.accounts import sign_up
from support.clients.api import assert_error, posted
from support.clients.flows import WebFlow, query_of
from support.leaks import note
from support.names import METHODS, TIMEOUT
from support.servers.site import a_site

# Those of `STRICT` insist on PKCE, on a client that proves itself in the header, and name themselves in each answer.
STRICT = {"oidc.glewlwyd": "glewlwyd.Glewlwyd", "oidc.django": "django_toolkit.DjangoToolkit"}
ISSUERS = {"oidc.mock": "provider_mock.ProviderMock", **STRICT}


@pytest.fixture(scope="module")
def issuers():
    """The issuers, by the ids of their entries."""
    made = {}
    for provider, name in ISSUERS.items():
        module, _, kind = name.rpartition(".")
        made[provider] = getattr(importlib.import_module(f"support.real_issuers.{module}"), kind)()
    yield made
    for issuer in made.values():
        issuer.close()


@pytest.fixture(scope="module")
def site(issuers):
    entries = {provider: issuer.entry() for provider, issuer in issuers.items()}
    entries["oidc.posting"] = issuers["oidc.glewlwyd"].posting_entry()
    with a_site(entries, project={"signIn": METHODS}) as site:
        for issuer in issuers.values():
            issuer.register(site.url + "/__/auth/handler")
        site.serve()
        yield site


@pytest.fixture(params=ISSUERS)
def provider(request):
    return request.param


@pytest.fixture
def issuer(issuers, provider):
    return issuers[provider]


@pytest.fixture
def api(site):
    return site.servers[0].api()


def test_a_person_signs_in_and_comes_back(site, api, provider, issuer):
    person = issuer.person()
    answer = WebFlow(site, provider).run(issuer.login(person))
    assert (answer["providerId"], answer["isNewUser"], answer["email"]) == (provider, True, person)
    assert answer["federatedId"] and answer["oauthAccessToken"] and answer["oauthIdToken"]
    assert api.lookup(answer["idToken"])["email"] == person
    again = WebFlow(site, provider).run(issuer.login(person))
    assert again["localId"] == answer["localId"] and "isNewUser" not in again
    assert again["federatedId"] == answer["federatedId"]


def test_a_provider_is_linked_and_unlinked(site, api, provider, issuer):
    account, person = sign_up(api), issuer.person()
    linked = WebFlow(site, provider).run(issuer.login(person), idToken=account["idToken"])
    assert linked["localId"] == account["localId"]
    assert WebFlow(site, provider).run(issuer.login(person))["localId"] == account["localId"]
    other = sign_up(api)
    flow = WebFlow(site, provider)
    taken = flow.redeem(flow.to_app(issuer.login(person)), idToken=other["idToken"])
    assert_error(taken, "FEDERATED_USER_ID_ALREADY_LINKED")
    left = api.succeed("update", {"idToken": linked["idToken"], "deleteProvider": [provider]})
    assert [entry["providerId"] for entry in left["providerUserInfo"]] == ["password"]
    assert WebFlow(site, provider).run(issuer.login(person))["localId"] != account["localId"]


def test_a_person_proves_again_who_they_are(site, provider, issuer):
    person = issuer.person()
    first = WebFlow(site, provider).run(issuer.login(person))
    assert WebFlow(site, provider).run(issuer.login(person), autoCreate=False)["localId"] == first["localId"]
    before = site.counts()
    flow = WebFlow(site, provider)
    assert_error(flow.redeem(flow.to_app(issuer.login(issuer.person())), autoCreate=False), "EMAIL_NOT_FOUND")
    assert site.counts() == before


@pytest.mark.parametrize(
    "provider, error, words",
    [("oidc.mock", "access_denied", "access_denied"), ("oidc.glewlwyd", "server_error", "interaction_required")],
)
def test_a_refusal_reaches_the_app(site, provider, issuer, error, words):
    flow = WebFlow(site, provider)
    before = site.counts()
    back = flow.callback(issuer.deny(flow.authorization_url()))
    assert back.status_code == 303 and back.headers["location"].startswith(site.page)
    answer = query_of(back.headers["location"])
    assert (answer["error"], answer["state"]) == (error, flow.state) and "code" not in answer
    assert words in back.headers["location"]
    assert site.counts() == before


@pytest.mark.parametrize("provider", ["oidc.django"])
def test_a_refusal_without_the_promised_name_of_the_issuer_is_shown_to_the_person(site, provider, issuer):
    """Django OAuth Toolkit names itself where it gives a code, and forgets it where the person says no (RFC 9207, 2)."""
    assert issuer.metadata()["authorization_response_iss_parameter_supported"]
    flow = WebFlow(site, provider)
    denied = issuer.deny(flow.authorization_url())
    assert query_of(denied)["error"] == "access_denied" and "iss" not in query_of(denied)
    answer = flow.callback(denied)
    assert answer.status_code == 400 and "does not name its issuer" in answer.text


def test_an_app_posts_an_ID_token_that_it_got_itself(api, provider, issuer):
    person, raw = issuer.person(), note(secrets.token_urlsafe(16))
    tokens = issuer.tokens(person, hashlib.sha256(raw.encode()).hexdigest())
    body = {"providerId": provider, "id_token": tokens["id_token"]}
    assert_error(posted(api, body), "MISSING_OR_INVALID_NONCE")
    answer = posted(api, {**body, "nonce": raw}).json()
    assert answer["isNewUser"] and answer["email"] == person
    both = posted(api, {**body, "nonce": raw, "access_token": tokens["access_token"]}).json()
    assert both["localId"] == answer["localId"]
    assert_error(posted(api, {"providerId": provider, "access_token": tokens["access_token"]}), "INVALID_IDP_RESPONSE")


def test_the_ID_token_of_a_redirect_is_worth_nothing_to_another_app(site, api, provider, issuer):
    """It bears a nonce that only the server knows."""
    answer = WebFlow(site, provider).run(issuer.login(issuer.person()))
    stolen = {"providerId": provider, "id_token": answer["oauthIdToken"]}
    assert_error(posted(api, stolen), "MISSING_OR_INVALID_NONCE")


@pytest.mark.parametrize("provider", STRICT)
def test_the_issuer_insists_on_PKCE(site, provider, issuer):
    """Without this, the sign-ins above would prove nothing of the challenge."""
    flow = WebFlow(site, provider)
    asked = flow.authorization_url()
    assert query_of(asked)["code_challenge_method"] == "S256"
    bare = "&".join(part for part in asked.rstrip("#").split("&") if not part.startswith("code_challenge"))
    answer = query_of(issuer.login(issuer.person())(bare))
    assert answer["error"] == "invalid_request" and "code" not in answer


@pytest.mark.parametrize("provider", STRICT)
def test_an_answer_that_names_another_issuer_is_refused(site, provider, issuer):
    flow = WebFlow(site, provider)
    answered = issuer.login(issuer.person())(flow.authorization_url())
    named = query_of(answered)["iss"]
    assert named == issuer.url
    mixed = [part if not part.startswith("iss=") else "iss=https://evil.example" for part in answered.partition("?")[2].split("&")]
    handler = answered.partition("?")[0]
    assert flow.callback(f"{handler}?{'&'.join(mixed)}").status_code == 400
    if issuer.metadata().get("authorization_response_iss_parameter_supported"):
        silent = [part for part in answered.partition("?")[2].split("&") if not part.startswith("iss=")]
        assert flow.callback(f"{handler}?{'&'.join(silent)}").status_code == 400
    assert flow.redeem(flow.returned(answered)).status_code == 200, "the flow still waits for its answer"


def test_what_the_ID_token_lacks_comes_from_the_userinfo_endpoint(site, issuers):
    django = issuers["oidc.django"]
    answer = WebFlow(site, "oidc.django").run(django.login(django.person()))
    assert (answer["displayName"], answer["photoUrl"]) == ("Grace Hopper", django.PICTURE)


def test_an_issuer_posts_an_ID_token(site, issuers):
    """The implicit flow, whose answer comes by form_post."""
    glewlwyd = issuers["oidc.glewlwyd"]
    person = glewlwyd.person()
    flow = WebFlow(site, "oidc.posting")
    form = glewlwyd.posted(person, flow.authorization_url())
    crossing = requests.post(site.url + "/__/auth/handler", form, allow_redirects=False, timeout=TIMEOUT)
    assert crossing.status_code == 303, crossing.text
    answer = flow.redeem(flow.returned(crossing.headers["location"])).json()
    assert (answer["email"], answer["displayName"]) == (person, "Grace Hopper")


def test_check_live_finds_nothing_wrong(site, provider):
    told = site.run("check", "--live").stdout
    assert any(f"  {provider}  " in line and line.endswith("  ok") for line in told.splitlines()), told

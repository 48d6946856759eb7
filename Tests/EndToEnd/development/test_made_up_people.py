"""Providers without a client, in development mode: a page of the server takes their place, and claims are believed (SEC-22)."""

import json
import secrets

import pytest
import requests

from support.clients.api import API, assert_error, posted
from support.clients.flows import ClientFlow, WebFlow
from support.clients.handler import AndroidFlow, AppleFlow, BrowserFlow, shown_text
from support.development_page import PATH, choosing, look, making_up
from support.harness import counter
from support.issuers import stand_ins
from support.jwts import claims, unsigned
from support.names import METHODS, OTHER, PRODUCTION, TIMEOUT
from support.servers.site import Site, a_site

# Every provider with a file of its own.
CATALOGUE = sorted({double.provider for double in stand_ins().values() if not double.provider.startswith("oidc.")})
# And an id that an operator would give.
PROVIDERS = [*CATALOGUE, "oidc.any"]


@pytest.fixture(scope="module")
def made_up():
    """As `make run` has it, with one provider that is the real one's, and one that is off."""
    off = {"enabled": False, "clientId": "any", "clientSecret": {"env": "CLIENT_SECRET"}}
    site = Site(
        {"twitter.com": {**off, "enabled": True}, "oidc.real": {**off, "issuer": "https://id.example.com"}},
        settings={"developmentProject": "demo"},
        project={"signIn": METHODS},
        others={"other": {**OTHER, "signIn": METHODS}},
    )
    site.serve()
    yield site
    site.close()


@pytest.fixture
def person():
    """A new person."""
    return {"email": f"person-{next(counter)}@example.com", "email_verified": "on", "name": "Ada Lovelace", "screen_name": "countess"}


def told(person, **more):
    """The same person as claims."""
    return json.dumps({"sub": person["email"].partition("@")[0], "email": person["email"], "email_verified": True, **more})


@pytest.mark.parametrize("provider", [name for name in PROVIDERS if name != "twitter.com"])
def test_every_provider_signs_in_without_a_client(made_up, person, provider):
    first = BrowserFlow(made_up, provider).run(making_up(**person))
    assert first["isNewUser"] is True and first["providerId"] == provider and first["email"] == person["email"]
    assert (first["displayName"], first["screenName"], first["emailVerified"]) == ("Ada Lovelace", "countess", True)
    assert claims(first["idToken"])["firebase"]["sign_in_provider"] == provider
    again = BrowserFlow(made_up, provider, "signInViaRedirect").run(choosing(f"Ada Lovelace {person['email']}"))
    assert again["localId"] == first["localId"] and "isNewUser" not in again
    page = look(BrowserFlow(made_up, provider).authorization_url())
    assert "Ada Lovelace" in shown_text(page) and "<script" not in page.text


@pytest.mark.parametrize("verified", [True, False])
def test_a_person_comes_back_as_they_were_made_up(made_up, person, verified):
    person["name"] = f"Grace {verified} {next(counter)}"
    if not verified:
        del person["email_verified"]
    answers = [BrowserFlow(made_up, "github.com").run(making_up(**person))]
    answers.append(BrowserFlow(made_up, "github.com").run(choosing(f"{person['name']} {person['email']}")))
    assert answers[0]["localId"] == answers[1]["localId"]
    assert [json.loads(answer["rawUserInfo"])["email_verified"] for answer in answers] == [verified, verified]


@pytest.mark.parametrize("flow", [WebFlow, ClientFlow, AppleFlow, AndroidFlow])
def test_every_kind_of_client_signs_in(made_up, person, flow):
    login = making_up(**person)
    if flow in (AppleFlow, AndroidFlow):
        flow = flow(made_up, "github.com")
        link = flow.received(flow.finished(login)["link"])
        answer = flow.redeem(link.get("link") or link["S.link"]).json()
    else:
        answer = flow(made_up, "github.com").run(login)
    assert answer["isNewUser"] is True and answer["email"] == person["email"]
    assert json.loads(answer["rawUserInfo"])["screen_name"] == "countess"


def test_a_client_takes_the_answer_on_a_page_of_its_own(made_up, person):
    flow = ClientFlow(made_up, "github.com", continue_uri="https://app.example.com/signed-in")
    assert flow.run(making_up(**person))["email"] == person["email"]


def test_the_answer_has_the_emulators_values(made_up):
    token = json.dumps({"sub": "g-1", "email": "g-1@example.com", "email_verified": True, "name": "G One", "given_name": "G"})
    answer = posted(API(made_up.url), {"providerId": "google.com", "id_token": token}).json()
    assert answer["federatedId"] == "https://accounts.google.com/g-1" and answer["firstName"] == "G"
    assert answer["oauthIdToken"] == token and answer["oauthAccessToken"] == "FirebaseAuthEmulatorFakeAccessToken_google.com"
    assert json.loads(answer["rawUserInfo"]) == {
        "granted_scopes": "openid https://www.googleapis.com/auth/userinfo.profile https://www.googleapis.com/auth/userinfo.email",
        "id": "g-1",
        "name": "G One",
        "given_name": "G",
        "verified_email": True,
        "locale": "en",
        "email": "g-1@example.com",
    }
    lookup = API(made_up.url).lookup(answer["idToken"])
    assert lookup["providerUserInfo"][0]["rawId"] == "g-1" and lookup["emailVerified"] is True
    other = posted(API(made_up.url), {"providerId": "github.com", "access_token": unsigned({"sub": "h-1", "name": "H"}, {"alg": "none"})})
    assert other.json()["federatedId"] == "h-1" and json.loads(other.json()["rawUserInfo"]) == {"sub": "h-1", "name": "H"}


def test_links_reauthenticates_and_confirms_as_with_real_providers(made_up, person):
    api = API(made_up.url)
    first = posted(api, {"providerId": "google.com", "id_token": told(person)}).json()
    conflict = posted(api, {"providerId": "microsoft.com", "id_token": told(person, email_verified=False)}).json()
    assert conflict["needConfirmation"] is True and "idToken" not in conflict
    linked = BrowserFlow(made_up, "microsoft.com", "linkViaPopup").run(making_up(**person), idToken=first["idToken"])
    assert linked["localId"] == first["localId"]
    again = BrowserFlow(made_up, "microsoft.com", "reauthViaPopup").run(choosing(f"Ada Lovelace {person['email']}"))
    assert again["localId"] == first["localId"]
    stranger = BrowserFlow(made_up, "microsoft.com", "reauthViaPopup")
    event = stranger.finished(making_up(email="stranger@example.com"))["event"]
    assert_error(stranger.redeem(event), "EMAIL_NOT_FOUND")
    assert_error(
        posted(api, {"providerId": "google.com", "id_token": told(person)}, idToken=api.succeed("signUp", {})["idToken"]),
        "FEDERATED_USER_ID_ALREADY_LINKED",
    )


@pytest.mark.parametrize(
    "choice, code",
    [
        ("Cancel", "auth/user-cancelled"),
        ("Google cannot be reached", "auth/network-request-failed"),
        ("Google reports an error", "auth/invalid-credential"),
    ],
)
def test_a_sign_in_can_fail(made_up, choice, code):
    data = BrowserFlow(made_up, "google.com").finished(choosing(choice))
    assert data["event"]["error"]["code"] == code


def test_a_random_person_is_filled_in_and_not_kept_until_it_signs_in(made_up):
    url = BrowserFlow(made_up, "google.com").authorization_url().rstrip("#")
    before = made_up.counts()
    pages = [requests.get(url + "&act=generate", timeout=TIMEOUT).text for _ in range(2)]
    assert all("@example.com" in page for page in pages) and pages[0] != pages[1]
    assert made_up.counts() == before


def test_an_entry_wins(made_up):
    assert BrowserFlow(made_up, "twitter.com").start().status_code == 200
    for provider in ("oidc.a_b", "saml.any", "example.com"):
        outcome = BrowserFlow(made_up, provider).start()
        assert "auth/operation-not-allowed" in outcome.text
    before = made_up.counts()
    body = {"providerId": "twitter.com", "access_token": '{"sub":"a b"}', "oauth_token_secret": "x"}
    reason = "twitter.com has an entry in the project's file, so only its own tokens count."
    assert reason in assert_error(posted(API(made_up.url), body), "INVALID_CREDENTIAL_OR_PROVIDER_ID")
    real = {**body, "access_token": "a b"}
    assert reason not in assert_error(posted(API(made_up.url), real), "INVALID_CREDENTIAL_OR_PROVIDER_ID")
    assert_error(posted(API(made_up.url), {"providerId": "oidc.real", "id_token": '{"sub":"a"}'}), "OPERATION_NOT_ALLOWED")
    assert made_up.counts() == before


FOREIGN = [{"x-forwarded-for": "127.0.0.1"}, {"via": "1.1 tunnel"}, {"host": "rebound.example.com"}]


@pytest.mark.parametrize("headers", FOREIGN, ids=str)
def test_SEC_22_a_sign_in_that_began_here_ends_here(made_up, headers):
    before = made_up.counts()
    flow = BrowserFlow(made_up, "google.com")
    url = flow.authorization_url()
    assert requests.get(url.rstrip("#"), headers=headers, timeout=TIMEOUT).status_code == 404
    answer = making_up()(url)
    refused = flow.browser.get(answer, headers=headers, allow_redirects=False, timeout=TIMEOUT)
    # The browser sends no cookie to another host.
    assert refused.status_code == 400 and ("is not enabled" in refused.text or "host" in headers)
    started = flow.start(headers=headers)
    assert PATH not in started.text
    # The flow is as it was, for the browser on this machine.
    event = flow.callback(answer)
    assert event.status_code == 200
    event = json.loads(event.text.partition('id="data">')[2].partition("</script>")[0])["event"]
    body = {"requestUri": event["urlResponse"], "sessionId": event["sessionId"]}
    assert_error(API(made_up.url).post("/v1/accounts:signInWithIdp", body, headers=headers), "OPERATION_NOT_ALLOWED")
    assert made_up.counts() == before


@pytest.mark.parametrize(
    "settings",
    [{}, PRODUCTION, {"developmentProject": "other"}],
    ids=["no-development-project", "production", "another-project"],
)
def test_SEC_22_production_makes_no_person_up(settings):
    project = {"redirectURLs": [], "authorizedDomains": ["127.0.0.1", "auth.example.com", "app.example.com"]}
    host = {"host": "auth.example.com"} if settings == PRODUCTION else {}
    with a_site(settings=settings, project=project, others={"other": OTHER}) as site:
        site.serve()
        for provider in PROVIDERS:
            assert "auth/operation-not-allowed" in BrowserFlow(site, provider).start(headers=host).text
            for token in ('{"sub":"a"}', unsigned({"sub": "a"}, {"alg": "none"})):
                for name in ("id_token", "access_token"):
                    assert_error(posted(API(site.url), {"providerId": provider, name: token}), "OPERATION_NOT_ALLOWED")
        state = f"demo.{secrets.token_urlsafe(48)}"
        query = {"client_id": "google.com", "state": state, "redirect_uri": f"{site.url}/__/auth/handler"}
        page = requests.get(site.url + PATH, params=query, timeout=TIMEOUT)
        assert page.status_code == 404
        if "development" in settings:
            assert page.content == requests.get(site.url + "/__/auth/nothing", timeout=TIMEOUT).content
        assert site.counts() == {"accounts": 0, "identities": 0, "sessions": 0}


def test_SEC_22_made_up_people_do_not_become_real(github):
    with a_site(settings={"developmentProject": "demo"}) as site:
        server = site.serve()
        posted(API(site.url), {"providerId": "github.com", "access_token": '{"sub":"1"}'}).raise_for_status()
        site.project["providers"] = {"github.com": github.entry()}
        site.write()
        assert site.run("check").returncode == 0
        check = site.run("check", "--live")
        remedy = "DELETE /emulator/v1/projects/demo/accounts"
        assert check.returncode == 1 and "database  project demo, provider github.com: users are stored under" in check.stdout, check.stdout
        assert remedy in check.stdout and "a provider id of its own" not in check.stdout, check.stdout
        server.signal(1)
        server.logged("not reloaded")
        assert "stored under the issuer development" in server.log() and remedy in server.log()
        server.stop()
        again = site.serve(wait=False)
        again.logged("stored under the issuer development")
        # Without the entry it starts, the made-up people are removed, and the entry is taken.
        site.project["providers"] = {}
        site.write()
        server = site.serve()
        requests.delete(site.url + "/emulator/v1/projects/demo/accounts", timeout=TIMEOUT).raise_for_status()
        site.project["providers"] = {"github.com": github.entry()}
        site.write()
        server.signal(1)
        server.logged('"reloaded"')
        assert BrowserFlow(site, "github.com").authorization_url().startswith(github.url)
        assert "database  ok" in site.run("check", "--live").stdout


def test_the_sample_page_learns_which_providers_need_no_client():
    with a_site(settings={"developmentProject": "demo", "sample": "."}) as site:
        site.serve()
        told = requests.get(site.url + "/sample/project.json", timeout=TIMEOUT).json()
        assert sorted(provider["id"] for provider in told["developmentProviders"]) == CATALOGUE
        foreign = requests.get(site.url + "/sample/project.json", headers=FOREIGN[0], timeout=TIMEOUT).json()
        assert foreign["developmentProviders"] == []

"""Microsoft's MSAL for Python, with its host changed: by `oidc_authority`, and by an authority in the shape of Azure AD B2C."""

import threading
import webbrowser
from urllib.parse import parse_qsl, urlsplit

import msal
import pytest

from support.browser.drivers import Chromium
from support.browser.tab import Tab
from support.harness import free_port, wait_for_end
from support.leaks import note_fields
from support.names import TIMEOUT
from support.openid.registrations import Client
from support.relying_parties.hosted_page import sign_in
from support.relying_parties.provider import Provider, secret
from support.relying_parties.visitor import Visitor

TENANT, NAME = "775527ff-9a37-4307-8b3d-cc311f58d925", "contoso.onmicrosoft.com"
SUSI, TFP = "b2c_1_susi", "B2C_1_second"
REDIRECT = "https://app.example.com/signed-in"
API_SCOPE = "https://contoso.onmicrosoft.com/api/read"
MORE = {"apiScopes": [API_SCOPE]}
PUBLIC = Client(
    "11111111-9a37-4307-8b3d-cc311f58d925",
    kind="native",
    authentication="none",
    redirect_uris=("http://localhost", "http://localhost/"),
    settings=MORE,
)
CONFIDENTIAL = Client(
    "22222222-9a37-4307-8b3d-cc311f58d925", authentication="post", redirect_uris=(REDIRECT,), secrets=(secret(),), settings=MORE
)

pytestmark = pytest.mark.filterwarnings("ignore:response_mode='form_post' is recommended")


@pytest.fixture(scope="module")
def provider():
    claims = ["displayName", "objectId", "emails"]
    flows = [{"name": name.lower(), "kind": "signUpOrSignIn", "claims": claims} for name in (SUSI, TFP)]
    provider = Provider(PUBLIC, CONFIDENTIAL, tenant={"id": TENANT, "names": [NAME]}, userFlows=flows)
    yield provider
    provider.close()


@pytest.fixture
def visitor(provider):
    return Visitor(provider)


def application(provider, client, **authority):
    options = {"verify": provider.authority, **authority}
    if client is PUBLIC:
        return msal.PublicClientApplication(client.id, **options)
    return msal.ConfidentialClientApplication(client.id, client_credential=client.secret, **options)


def signed_in(app, visitor, client, scopes):
    """A sign-in: an application on a person's machine gets its answer in an address, a website by `form_post`, as MSAL recommends."""
    if client is PUBLIC:
        flow = app.initiate_auth_code_flow(scopes, redirect_uri="http://localhost:4711/")
        answer = dict(parse_qsl(urlsplit(visitor.back(flow["auth_uri"])).query))
    else:
        flow = app.initiate_auth_code_flow(scopes, redirect_uri=REDIRECT, response_mode="form_post")
        form = visitor.posted_back(flow["auth_uri"])
        assert form.action == REDIRECT
        answer = form.fields
    return noted(app.acquire_token_by_auth_code_flow(flow, answer))


def noted(result):
    assert "error" not in result, result
    note_fields(result)
    return result


@pytest.fixture(params=[PUBLIC, CONFIDENTIAL], ids=["public", "confidential"])
def client(request):
    return request.param


def check_silent(app, scopes, first):
    """The library answers out of its cache, and with the refresh token where it must; again and again."""
    (account,) = app.get_accounts()
    cached = app.acquire_token_silent(scopes, account=account)
    assert cached["access_token"] == first["access_token"]
    seen = {first["access_token"]}
    for _ in range(3):
        seen.add(noted(app.acquire_token_silent(scopes, account=account, force_refresh=True))["access_token"])
    assert len(seen) == 4
    return account


def test_an_application_with_the_issuer_as_its_authority(provider, visitor, client):
    app = application(provider, client, oidc_authority=provider.issuer)
    scopes = ["email"]
    result = signed_in(app, visitor, client, scopes)
    claims = result["id_token_claims"]
    assert (claims["iss"], claims["sub"], claims["aud"]) == (provider.issuer, visitor.person.id, client.id)
    check_silent(app, scopes, result)


@pytest.mark.parametrize("policy", [SUSI, TFP])
@pytest.mark.parametrize("scope", ["the client itself", "an API"])
def test_an_application_for_Azure_AD_B2C(provider, visitor, client, policy, scope):
    app = application(provider, client, authority=f"{provider.origin}/{NAME}/{policy}")
    scopes = [client.id] if scope == "the client itself" else [API_SCOPE]
    result = signed_in(app, visitor, client, scopes)
    claims = result["id_token_claims"]
    assert claims["tfp"] == policy.lower() and claims["emails"] == [visitor.person.email]
    account = check_silent(app, scopes, result)
    assert account["home_account_id"] == f"{claims['oid']}-{policy.lower()}.{TENANT}", "by client_info"


def test_two_policies_have_two_accounts_in_one_cache(provider, visitor, client):
    cache = msal.SerializableTokenCache()
    for policy in (SUSI, TFP):
        app = application(provider, client, authority=f"{provider.origin}/{NAME}/{policy}", token_cache=cache)
        signed_in(app, visitor, client, [client.id])
    assert visitor.passwords_typed == 1, "one session of the browser"
    assert len({account["home_account_id"] for account in app.get_accounts()}) == 2


def test_an_account_that_was_disabled_gets_no_token(provider, visitor, client):
    app = application(provider, client, authority=f"{provider.origin}/{NAME}/{SUSI}")
    signed_in(app, visitor, client, [client.id])
    provider.disable(visitor.person)
    (account,) = app.get_accounts()
    refused = app.acquire_token_silent_with_error([client.id], account=account, force_refresh=True)
    assert refused["error"] == "invalid_grant"


def test_an_application_opens_the_browser_and_listens_on_its_machine(provider, tmp_path, monkeypatch):
    app = application(provider, PUBLIC, authority=f"{provider.origin}/{NAME}/{SUSI}")
    person, driver, port = provider.person(), Chromium(tmp_path), free_port()

    def go(url):
        tab = Tab(driver)
        driver.get(url)
        sign_in(tab, provider, person)
        tab.at(f"http://localhost:{port}")

    threads = []

    def opened(url):
        threads.append(threading.Thread(target=go, args=(url,)))
        threads[0].start()
        return True

    monkeypatch.setattr(webbrowser, "open", opened)
    try:
        # The answer is posted to the address on which the library listens.
        result = noted(app.acquire_token_interactive([PUBLIC.id], port=port, timeout=TIMEOUT))
        assert result["id_token_claims"]["emails"] == [person.email]
        wait_for_end(*threads)
    finally:
        driver.quit()

"""`gatehouse check` and the start refuse clients whose settings could not be safe, with the rule and what to do."""

import secrets

import pytest

from support.leaks import note
from support.names import PRODUCTION
from support.openid.checks import short
from support.openid.registrations import BASIC, NATIVE, SECOND, provider_settings, user_flow
from support.openid.site import OpenIDSite
from support.servers.site import FILES_ALONE, write_secret

OWN = "com.example.app"
BACKSLASH = "com.example.app:\\oauth\\redirect"


def checked(*clients, **more):
    site = OpenIDSite(provider={**provider_settings(), "clients": list(clients), **more}, **FILES_ALONE)
    try:
        result = site.run("check")
        return result.returncode, result.stdout + result.stderr
    finally:
        site.close()


def native(*uris, **more):
    return {**NATIVE.entry(), "redirectURIs": list(uris), "postLogoutRedirectURIs": [], **more}


def confidential(*uris, **more):
    entry = {**BASIC.entry(), "redirectURIs": list(uris), "postLogoutRedirectURIs": [], **more}
    return {name: value for name, value in entry.items() if value is not None}


def test_good_clients_pass():
    for uri in (
        f"{OWN}://oauth/",
        f"{OWN}://oauth/redirect",
        f"{OWN}:/oauth",
        "http://127.0.0.1/x",
        "http://[::1]:80/x",
        "http://localhost/x",
        "https://app.example.com/x",
    ):
        status, output = checked(native(uri))
        assert status == 0, output


@pytest.mark.parametrize(
    "uri, words",
    [
        (f"{OWN}://oauth", "has no path behind its host"),
        (f"{OWN}:oauth", "path"),
        ("com.example_app://oauth/redirect", "underscore in its scheme"),
        (f"{OWN}://my_host/redirect", "underscore in its host"),
        ("exampleapp://oauth/redirect", "scheme without a dot"),
        ("javascript:alert(1)//x", "scheme javascript"),
        ("intent://oauth/redirect", "scheme intent"),
        ("file:///etc/passwd", "scheme file"),
        ("http://app.example.com/callback", "plain http"),
        ("http://127.0.0.1.evil.test/callback", "plain http"),
        ("https://app.example.com/callback#x", "fragment"),
        ("https://user@app.example.com/callback", "user information"),
        ("https://*.example.com/callback", "wildcard"),
        ("https://app.example.com/a/../callback", "segment"),
        ("https://app.example.com/a/%2E%2e/callback", "segment"),
        (BACKSLASH, "backslash"),
        ("https://app.example.com/call back", "character"),
        ("https://app.example.com/callback\n", "character"),
        ("/callback", "absolute"),
        ("callback", "absolute"),
    ],
    ids=short,
)
def test_a_redirect_uri_that_breaks_a_rule(uri, words):
    status, output = checked(native(uri))
    assert status == 1 and "redirectURIs" in output and words in output, output


def test_two_apps_with_one_scheme():
    """A phone would ask its owner which app is meant."""
    other = {**native(f"{OWN}://other/redirect"), "id": "another-app"}
    status, output = checked(native(f"{OWN}://oauth/redirect"), other)
    assert status == 1 and OWN in output and NATIVE.id in output, output
    upper = {**native(f"{OWN.upper()}://other/redirect"), "id": "another-app"}
    assert checked(native(f"{OWN}://oauth/redirect"), upper)[0] == 1, "the case of a scheme does not count"
    elsewhere = {**native("com.example.second://other/redirect"), "id": "another-app"}
    status, output = checked(native(f"{OWN}://oauth/redirect"), elsewhere)
    assert status == 0, output


def test_two_clients_with_one_id():
    status, output = checked(BASIC.entry(), {**SECOND.entry(), "id": BASIC.id})
    assert status == 1 and "another client" in output, output


@pytest.mark.parametrize(
    "client, words",
    [
        (native(f"{OWN}://oauth/", pkce="optional"), "pkce"),
        (native(f"{OWN}://oauth/", authentication="basic"), "authentication"),
        (native(f"{OWN}://oauth/", secrets=[{"env": "CLIENT_SECRET"}]), "secrets"),
        (confidential("https://rp.example.com/callback", authentication="none"), "authentication"),
        (confidential("https://rp.example.com/callback", secrets=None), "secrets"),
        (confidential("https://rp.example.com/callback", secrets=[]), "secrets"),
        (confidential("https://rp.example.com/callback", authentication="privateKeyJwt", secrets=None), "keys"),
        (confidential(f"{OWN}://oauth/"), "redirectURIs"),
        (confidential(), "redirectURIs"),
        (confidential("https://rp.example.com/callback", scopes=["openid", "admin"]), "scopes"),
        (confidential("https://rp.example.com/callback", id="demo"), "id"),
        (confidential("https://rp.example.com/callback", id="a b"), "id"),
        (confidential("https://rp.example.com/callback", kind="public"), "kind"),
        (confidential("https://rp.example.com/callback", secret="in the file"), "unknown key"),
        (confidential("https://rp.example.com/callback", secrets=["in the file"]), "secrets"),
    ],
    ids=range(15),
)
def test_a_client_that_could_not_be_safe(client, words):
    status, output = checked(client)
    assert status == 1 and words in output, output
    assert "in the file" not in output, "no secret is printed"


@pytest.mark.parametrize("secret", ["x", "a" * 40, "abc" * 10, "123456789012345678901", None], ids=short)
def test_a_secret_that_can_be_guessed(secret):
    """Guesses are bounded for each address alone, so the secret itself must be good. Development mode notes it."""
    entry = confidential("https://rp.example.com/callback", secrets=[{"file": "../client.secret"}])
    for settings in ({}, PRODUCTION):
        site = OpenIDSite(provider={**provider_settings(), "clients": [entry]}, settings=settings, **FILES_ALONE)
        try:
            write_secret(site.folder / "client.secret", secret or note(secrets.token_hex(32)))
            result = site.run("check")
            output = result.stdout + result.stderr
            told = "secrets" in output and "may be guessed" in output and "openssl rand -hex 32" in output
            assert told == (secret is not None), output
            assert result.returncode == 0 if not settings else result.returncode == 1, output
            assert secret is None or len(secret) < 9 or secret not in output, "no secret is printed"
        finally:
            site.close()


@pytest.mark.parametrize("name", ["susi", "B2C_1_susi", "b2c_1_", "b2c_1_a b", "b2c_1_" + "a" * 64])
def test_a_name_that_is_not_a_user_flows(name):
    status, output = checked(BASIC.entry(), userFlows=[user_flow(name)])
    assert status == 1 and "userFlows" in output, output


@pytest.mark.parametrize("name", ["common", "TFP", "te", "health"])
def test_a_tenant_that_other_addresses_begin_with(name):
    status, output = checked(BASIC.entry(), userFlows=[], tenant={"id": "775527ff-9a37-4307-8b3d-cc311f58d925", "names": [name]})
    assert status == 1 and "names" in output, output


def test_two_projects_with_one_tenant():
    """An address would mean both."""
    site = OpenIDSite(other={**provider_settings(), "clients": [SECOND.entry()]}, **FILES_ALONE)
    try:
        result = site.run("check")
        assert result.returncode == 1 and "is used already, by" in result.stdout and "openIDProvider.tenant.names" in result.stdout, (
            result.stdout
        )
    finally:
        site.close()

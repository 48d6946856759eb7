"""Access tokens of service accounts, by Google's own library and by the commands of an operator."""

import json

import google.auth.exceptions
import google.auth.transport.requests
import jwt
import pytest
import requests
from google.oauth2 import service_account

from support.clients.api import assert_error
from support.clients.backend import make_key
from support.leaks import note
from support.names import PROJECT, TIMEOUT
from support.servers.site import a_site

SCOPES = ["https://www.googleapis.com/auth/cloud-platform"]


@pytest.fixture(scope="module")
def site():
    with a_site(project={"signIn": {"anonymous": True}}) as site:
        site.serve()
        yield site


def credentials_of(path):
    """What google-auth makes of a key file, as it stands."""
    credentials = service_account.Credentials.from_service_account_file(str(path), scopes=SCOPES)
    credentials.refresh(google.auth.transport.requests.Request())
    note(credentials.token)
    return credentials


def config(site, token):
    return requests.get(f"{site.url}/v2/projects/{PROJECT}/config", headers={"authorization": f"Bearer {token}"}, timeout=TIMEOUT)


def test_googles_library_gets_a_token_with_our_key_file(site):
    path = make_key(site, account="google-auth")
    assert json.loads(path.read_text())["token_uri"] == f"{site.url}/token"
    credentials = credentials_of(path)
    assert config(site, credentials.token).json()["name"] == f"projects/{PROJECT}/config"


def test_the_rights_of_an_account_are_the_operators(site):
    path = make_key(site, account="rights")
    token = credentials_of(path).token
    listed = [line for line in site.run("service-accounts", "list", PROJECT, check=True).stdout.splitlines() if "  rights@" in line]
    assert listed[0].split()[-2:] == ["live", "customTokens,readUsers,manageUsers,mintLinks,sessionCookies"]
    assert config(site, token).status_code == 200
    told = site.run("service-accounts", "set-rights", PROJECT, "rights", "--rights", "manageUsers, sessionCookies", check=True).stdout
    assert told == f"rights@{PROJECT}.iam.gserviceaccount.com has the rights: manageUsers, sessionCookies.\n"
    refused = config(site, token)
    assert refused.status_code == 403 and "does not have the right readUsers" in refused.text
    # Another key leaves the account's rights as they are, unless the operator names others.
    make_key(site, account="rights")
    assert config(site, token).status_code == 403
    site.run("service-accounts", "create", PROJECT, "rights", "--rights", "none", check=True, prints_secret=True)
    assert "does not have the right readUsers" in config(site, token).text
    site.run("service-accounts", "create", PROJECT, "rights", "--rights", "readUsers", check=True)
    assert config(site, token).status_code == 200


def test_a_revoked_key_gets_no_token_and_its_tokens_end(site):
    path = make_key(site, account="revoked")
    token = credentials_of(path).token
    site.run("service-accounts", "revoke", PROJECT, "--account", "revoked", check=True)
    assert config(site, token).status_code == 401
    with pytest.raises(google.auth.exceptions.RefreshError, match="invalid_grant"):
        credentials_of(path)


def test_a_session_cookie_is_signed_by_its_own_keys_which_rotate_by_themselves(site):
    token = credentials_of(make_key(site, account="cookies")).token
    user = site.servers[0].api().call("signUp", {}).json()

    def cookie():
        answer = requests.post(
            f"{site.url}/v1/projects/{PROJECT}:createSessionCookie",
            json={"idToken": user["idToken"], "validDuration": "3600"},
            headers={"authorization": f"Bearer {token}"},
            timeout=TIMEOUT,
        )
        return note(answer.json()["sessionCookie"])

    first = cookie()
    old = jwt.get_unverified_header(first)["kid"]
    new = site.run("keys", "rotate", "--purpose", "sessionCookie", check=True).stdout.strip()
    duties = {line.split("  ")[0]: line for line in site.run("keys", "list", check=True).stdout.splitlines()}
    assert "  sessionCookie  published, signs from " in duties[new]
    assert sum(", until " in line for line in duties.values()) == 1, "the keys of ID tokens stay as they are"
    site.rows("UPDATE session_cookie_keys SET signs_from = now() WHERE kid = %s", new)
    site.servers[0].stop()
    site.servers.clear()
    site.serve()
    second = cookie()
    assert jwt.get_unverified_header(second)["kid"] == new
    keys = jwt.PyJWKClient(f"{site.url}/v1/sessionCookiePublicKeys")
    for text, kid in [(first, old), (second, new)]:
        key = keys.get_signing_key_from_jwt(text)
        claims = jwt.decode(text, key, algorithms=["RS256"], audience=PROJECT, issuer=f"https://session.firebase.google.com/{PROJECT}")
        assert key.key_id == kid and claims["sub"] == user["localId"] and claims["exp"] - claims["iat"] == 3600
    ids = {key["kid"] for key in requests.get(site.issuer + "/oauth2/jwks", timeout=TIMEOUT).json()["keys"]}
    assert not ids & {old, new}
    assert_error(site.servers[0].api().call("lookup", {"idToken": second}), "INVALID_ID_TOKEN")

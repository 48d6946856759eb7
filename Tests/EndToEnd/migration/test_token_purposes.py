"""Each kind of token is taken where it belongs, and nowhere else (SEC-59): a matrix of what this server makes or takes, and of what takes it.

In process, `TokenPurposeTests` has the kinds that are told to nobody but a relying party, and `test_hostile_issuers.py` has those of other issuers.
"""

import json
import time
from urllib.parse import parse_qs, urlsplit

import jwt
import pytest
import requests

from support.accounts import address, sign_up
from support.clients.administrator import Administrator
from support.clients.backend import Backend, make_key
from support.leaks import note
from support.migration.data_site import DataSite
from support.names import TIMEOUT
from support.openid.registrations import NATIVE, SIGNING
from support.openid.relying_party import RelyingParty
from support.openid.site import Person


class Purposes(DataSite):
    """A site with everything that makes a token, and one of each kind."""

    def __init__(self, firebase):
        clients = {"clients": [NATIVE.entry(), SIGNING.entry()]}
        super().__init__(firebase, project={"openIDProvider": clients})
        self.server = self.serve()
        self.api = self.server.api()
        self.admin = Administrator(self)
        self.back_end = Backend(make_key(self))
        self.store_key_of_signer()
        self.tokens = self.one_of_each_kind()

    def write(self):
        super().write()
        (self.folder / f"projects/{SIGNING.id}.jwks.json").write_text(json.dumps({"keys": [SIGNING.key.jwk]}))

    def store_key_of_signer(self):
        """As if a back end here had the key that signs for Firebase: then only the rule about purposes is between the two."""
        signer = self.firebase.signer
        key = json.dumps({**signer.key.jwk, "alg": "RS256"})
        self.rows("INSERT INTO service_accounts (project_id, email, client_id, created_at) VALUES ('demo', %s, '7', now())", signer.email)
        self.rows(
            "INSERT INTO service_account_keys (project_id, email, key_id, public_key, created_at) VALUES ('demo', %s, %s, %s, now())",
            signer.email,
            signer.key.kid,
            key,
        )

    def one_of_each_kind(self):
        email, password = address(), note("correct horse battery")
        person = sign_up(self.api, email, password)
        ada = Person(email, password, person["localId"], "Ada")
        self.move("moved")
        googles = self.firebase.sign_in("moved")
        self.party, self.signing = RelyingParty(self.issuer, NATIVE), RelyingParty(self.issuer, SIGNING)
        party = self.party.sign_in(ada, scope="openid offline_access").tokens
        self.answer = self.party.authorize(ada)
        return {
            "ID token": person["idToken"],
            "refresh token": person["refreshToken"],
            "session cookie": self.cookie(person["idToken"]).json()["sessionCookie"],
            "custom token of a back end": self.back_end.token(person["localId"]),
            "custom token for data": self.api.succeed("createFirebaseToken", {"idToken": person["idToken"]})["customToken"],
            "assertion of a back end": self.assertion(),
            "access token of a back end": self.admin.token,
            "ID token of a relying party": party["id_token"],
            "access token of a relying party": party["access_token"],
            "refresh token of a relying party": party["refresh_token"],
            "code of a relying party": self.answer.code,
            "assertion of a relying party": self.signing.assertion(),
            "ID token of Google": googles["idToken"],
            "refresh token of Google": googles["refreshToken"],
            "code of a mail": self.mailed_code(email),
        }

    def assertion(self):
        now = int(time.time())
        key = self.back_end.key
        claims = {"iss": key["client_email"], "sub": key["client_email"], "aud": key["token_uri"], "iat": now, "exp": now + 3600}
        claims["scope"] = "https://www.googleapis.com/auth/identitytoolkit"
        return note(jwt.encode(claims, key["private_key"], "RS256", headers={"kid": key["private_key_id"]}))

    def mailed_code(self, email):
        link = self.admin.succeed("sendOobCode", {"requestType": "PASSWORD_RESET", "email": email, "returnOobLink": True})["oobLink"]
        return note(parse_qs(urlsplit(link).query)["oobCode"][0])

    # -- the places that take a token; each gives the answer

    def cookie(self, token):
        return requests.post(
            f"{self.url}/v1/projects/demo:createSessionCookie",
            json={"idToken": token, "validDuration": 300},
            headers={"authorization": f"Bearer {self.admin.token}"},
            timeout=TIMEOUT,
        )

    def access(self, token):
        grant = "urn:ietf:params:oauth:grant-type:jwt-bearer"
        return requests.post(f"{self.url}/token", data={"grant_type": grant, "assertion": token}, timeout=TIMEOUT)

    def administer(self, token):
        headers = {"authorization": f"Bearer {token}"}
        return requests.post(f"{self.url}/v1/projects/demo/accounts:lookup", json={"localId": ["moved"]}, headers=headers, timeout=TIMEOUT)

    def authenticate(self, token):
        """A client that proves itself and then shows a refresh token that nobody made: the first is what counts."""
        kind = "urn:ietf:params:oauth:client-assertion-type:jwt-bearer"
        form = {"grant_type": "refresh_token", "refresh_token": "x", "client_assertion_type": kind, "client_assertion": token}
        answer = requests.post(self.signing.metadata["token_endpoint"], data=form, timeout=TIMEOUT)
        if answer.json()["error"] == "invalid_grant":
            answer.status_code = 200
        return answer


IN_PLACES = {
    "accounts:lookup": (lambda site, token: site.api.call("lookup", {"idToken": token}), {"ID token", "ID token of Google"}),
    "accounts:update": (
        lambda site, token: site.api.call("update", {"idToken": token, "displayName": "Ada"}),
        {"ID token", "ID token of Google"},
    ),
    "accounts:createFirebaseToken": (lambda site, token: site.api.call("createFirebaseToken", {"idToken": token}), {"ID token"}),
    "createSessionCookie": (lambda site, token: site.cookie(token), {"ID token"}),
    "/v1/token": (lambda site, token: site.api.refresh(token), {"refresh token", "refresh token of Google"}),
    "accounts:signInWithCustomToken": (
        lambda site, token: site.api.call("signInWithCustomToken", {"token": token}),
        {"custom token of a back end"},
    ),
    "/token": (lambda site, token: site.access(token), {"assertion of a back end"}),
    "a call of administrators": (lambda site, token: site.administer(token), {"access token of a back end"}),
    "userinfo": (lambda site, token: site.party.userinfo(token), {"access token of a relying party"}),
    "a relying party's refresh": (lambda site, token: site.party.refresh(token), {"refresh token of a relying party"}),
    "a relying party's code": (lambda site, token: site.party.redeem(site.answer, code=token), {"code of a relying party"}),
    "a relying party's assertion": (lambda site, token: site.authenticate(token), {"assertion of a relying party"}),
    "accounts:resetPassword": (lambda site, token: site.api.call("resetPassword", {"oobCode": token}), {"code of a mail"}),
}


@pytest.fixture(scope="module")
def purposes(firebase_of_module):
    firebase_of_module.reset()
    site = Purposes(firebase_of_module)
    yield site
    site.back_end.close()
    site.close()


@pytest.mark.parametrize("place", IN_PLACES)
def test_SEC_59_a_token_is_taken_for_its_purpose_alone(place, purposes):
    take, kinds = IN_PLACES[place]
    answers = {kind: take(purposes, token).status_code for kind, token in purposes.tokens.items()}
    assert all(status < 500 for status in answers.values()), answers
    assert {kind for kind, status in answers.items() if status == 200} == kinds, answers


def test_each_kind_is_for_one_of_these_places_or_for_a_reader_elsewhere(purposes):
    elsewhere = {"session cookie", "custom token for data", "ID token of a relying party"}
    assert set(purposes.tokens) == elsewhere.union(*(kinds for _, kinds in IN_PLACES.values()))

"""The realms of one server, and what people of one are given there: a table of every call with what it takes of a realm."""

import json
from urllib.parse import urlencode

import pyotp
import requests

from support.accounts import address, person
from support.authenticator import Authenticator
from support.clients.api import API
from support.clients.flows import WebFlow
from support.development_page import making_up
from support.leaks import note
from support.names import API_KEY, METHODS, PROJECT, TIMEOUT
from support.passkeys import Authenticator as Passkey
from support.passkeys import PasskeyAPI

PASSWORD = "correct horse"
NUMBER, FACTOR = "+16505550101", "+16505550102"
SETTINGS = {
    "signIn": METHODS,
    "mfa": {"state": "enabled", "sms": True},
    "phone": {"enabled": True, "testNumbers": {NUMBER: "123456", FACTOR: "123456"}},
    "passkeys": {"rpId": "example.com", "origins": ["https://app.example.com"]},
}


class Realm(API):
    """The calls in a realm. `tenant`: `None` for the project itself."""

    def __init__(self, site, tenant=None, key=API_KEY, project=PROJECT):
        super().__init__(site.url, key)
        self.site, self.tenant, self.project = site, tenant, project

    def __str__(self):
        return self.storage_id

    def leads_to_realm_of(self, body, giver):
        """Whether a call with this body names no other realm than the giver's: its project's key names none of the tenants, and a token does."""
        return self.project == giver.project and not self.tenant and bool({"idToken", "token", "refresh_token"} & body.keys())

    @property
    def storage_id(self):
        return f"{self.project}/{self.tenant}" if self.tenant else self.project

    def post(self, path, body=None, **options):
        if self.tenant and isinstance(body, dict) and path != "/v1/token":
            body = {**body, "tenantId": self.tenant}
        elif self.tenant and path == "/v1/token":
            path += f"?tenantId={self.tenant}"
        return super().post(path, body, **options)

    def mailed(self, kind, **wish):
        """The code of a mail."""
        if kind == "EMAIL_SIGNIN":
            wish = {"continueUrl": "http://localhost:3000/in", "canHandleCodeInApp": True, **wish}
        self.succeed("sendOobCode", {"requestType": kind, **wish})
        realm = f"{self.project}/tenants/{self.tenant}" if self.tenant else self.project
        listed = requests.get(f"{self.url}/emulator/v1/projects/{realm}/oobCodes", timeout=TIMEOUT).json()["oobCodes"]
        code = listed[-1]
        assert code["requestType"] == kind and (not self.tenant or f"tenantId={self.tenant}" in code["oobLink"])
        return note(code["oobCode"])

    def member(self, email=None):
        return self.succeed("signUp", {"email": email or address(), "password": PASSWORD, "returnSecureToken": True})

    def mfa(self, path, **body):
        answer = self.post(f"/v2/accounts/{path}", body)
        assert answer.status_code == 200, answer.text
        return answer.json()

    def code_for(self, number):
        return self.succeed("sendVerificationCode", {"phoneNumber": number})["sessionInfo"]


def verified(realm):
    """A person whose address is proven, which second factors need."""
    email = address()
    made = realm.member(email)
    realm.site.rows("UPDATE accounts SET email_verified = true, email_proven = true WHERE email = %s", email)
    return {**made, "email": email}


def with_app(realm):
    """A person with an authenticator app, and the app."""
    made = verified(realm)
    return made, Authenticator(realm, made["idToken"])


def pending(realm):
    made, app = with_app(realm)
    body = {"email": made["email"], "password": PASSWORD, "returnSecureToken": True}
    return app, realm.succeed("signInWithPassword", body)["mfaPendingCredential"]


def with_phone(realm):
    made = verified(realm)
    started = realm.mfa("mfaEnrollment:start", idToken=made["idToken"], phoneEnrollmentInfo={"phoneNumber": FACTOR})
    proof = {"sessionInfo": started["phoneSessionInfo"]["sessionInfo"], "code": "123456"}
    done = realm.mfa("mfaEnrollment:finalize", idToken=made["idToken"], phoneVerificationInfo=proof)
    id = realm.lookup(done["idToken"])["mfaInfo"][0]["mfaEnrollmentId"]
    body = {"email": made["email"], "password": PASSWORD, "returnSecureToken": True}
    return {"mfaPendingCredential": realm.succeed("signInWithPassword", body)["mfaPendingCredential"], "mfaEnrollmentId": id}


def start_by_phone(realm):
    return {**with_phone(realm), "phoneSignInInfo": {}}


def finish_by_phone(realm):
    begun = with_phone(realm)
    session = realm.mfa("mfaSignIn:start", **begun, phoneSignInInfo={})["phoneResponseInfo"]["sessionInfo"]
    return {
        "mfaPendingCredential": begun["mfaPendingCredential"],
        "phoneVerificationInfo": {"sessionInfo": session, "code": "123456"},
    }


def finish_by_app(realm):
    app, credential = pending(realm)
    return {
        "mfaPendingCredential": credential,
        "mfaEnrollmentId": app.id,
        "totpVerificationInfo": {"verificationCode": app.code()},
    }


def enrolment(realm):
    token = verified(realm)["idToken"]
    info = realm.mfa("mfaEnrollment:start", idToken=token, totpEnrollmentInfo={})["totpSessionInfo"]
    code = pyotp.TOTP(note(info["sharedSecretKey"])).now()
    return {"idToken": token, "totpVerificationInfo": {"sessionInfo": info["sessionInfo"], "verificationCode": code}}


def withdrawal(realm):
    _, app = with_app(realm)
    return {"idToken": app.id_token, "mfaEnrollmentId": app.id}


def registration(realm):
    token = realm.member()["idToken"]
    return {"idToken": token, "authenticatorRegistrationResponse": Passkey().create(PasskeyAPI(realm).creation_options(token))}


def assertion(realm):
    passkeys = PasskeyAPI(realm)
    authenticator, _ = passkeys.enrol(realm.member()["idToken"])
    return {"authenticatorAuthenticationResponse": authenticator.get(passkeys.request_options())}


def temporary_proof(realm):
    """The proof of a number that another account has."""
    realm.succeed("signInWithPhoneNumber", {"sessionInfo": realm.code_for(NUMBER), "code": "123456"})
    token = realm.member()["idToken"]
    taken = realm.succeed("signInWithPhoneNumber", {"sessionInfo": realm.code_for(NUMBER), "code": "123456", "idToken": token})
    return {"temporaryProof": taken["temporaryProof"], "phoneNumber": NUMBER}


def at_provider():
    name = person()
    return {"providerId": "google.com", "id_token": json.dumps({"sub": name, "email": f"{name}@gmail.com", "email_verified": True})}


def pending_token(realm):
    answer = realm.succeed("signInWithIdp", {"requestUri": "http://localhost", "postBody": urlencode(at_provider())})
    return {"requestUri": "http://localhost", "pendingToken": answer["pendingToken"], "returnSecureToken": True}


def link_provider(realm):
    return {"requestUri": "http://localhost", "postBody": urlencode(at_provider()), "idToken": realm.member()["idToken"]}


def flow(realm):
    """The result of a redirect to a provider."""
    web = WebFlow(realm.site, "google.com")
    more = {"tenantId": realm.tenant, "apiKey": realm.key}
    url = web.returned(making_up(email=f"{person()}@gmail.com", email_verified="on")(web.authorization_url(**more)))
    return web.body(url)


def link_in_mail(realm):
    email = address()
    return {"email": email, "oobCode": realm.mailed("EMAIL_SIGNIN", email=email)}


def of(realm, **more):
    return {"idToken": realm.member()["idToken"], **more}


# For each call, what it takes of a realm: a body that succeeds there once, and nowhere else. Several where a call takes several things.
TABLE = {
    "DeleteAccount": [of],
    "FinalizeMFAEnrollment": [enrolment],
    "FinalizeMFASignIn": [finish_by_app, finish_by_phone],
    "FinalizePasskeyEnrollment": [registration],
    "FinalizePasskeySignIn": [assertion],
    "GenerateRecoveryCodes": [lambda realm: {"idToken": with_app(realm)[1].id_token}],
    "Lookup": [of],
    "ResetPassword": [
        lambda realm: {"oobCode": realm.mailed("PASSWORD_RESET", email=verified(realm)["email"]), "newPassword": "another horse"}
    ],
    "SecureToken": [lambda realm: {"grant_type": "refresh_token", "refresh_token": realm.member()["refreshToken"]}],
    "SendOOBCode": [lambda realm: of(realm, requestType="VERIFY_EMAIL")],
    "SignInWithCustomToken": [lambda realm: {"token": realm.site.custom_token(realm), "returnSecureToken": True}],
    "SignInWithEmailLink": [link_in_mail, lambda realm: {**link_in_mail(realm), "idToken": realm.member()["idToken"]}],
    "SignInWithIDP": [pending_token, link_provider, flow],
    "SignInWithPhoneNumber": [
        lambda realm: {"sessionInfo": realm.code_for(NUMBER), "code": "123456"},
        temporary_proof,
        lambda realm: {"sessionInfo": realm.code_for(FACTOR), "code": "123456", "idToken": realm.member()["idToken"]},
    ],
    "SignUp": [
        lambda realm: {
            "idToken": realm.succeed("signUp", {"returnSecureToken": True})["idToken"],
            "email": address(),
            "password": PASSWORD,
        }
    ],
    "StartMFAEnrollment": [lambda realm: {"idToken": verified(realm)["idToken"], "totpEnrollmentInfo": {}}],
    "StartMFASignIn": [start_by_phone],
    "StartPasskeyEnrollment": [of],
    "UpdateAccount": [
        lambda realm: of(realm, displayName="Mallory"),
        lambda realm: {"oobCode": realm.mailed("VERIFY_EMAIL", idToken=realm.member()["idToken"])},
    ],
    "WithdrawMFAEnrollment": [withdrawal],
}
# These need a provider that answers, or data at Firebase. What they take is an ID token alone, by the same rule as the others.
WITHOUT_SUCCESS = {
    "CreateFirebaseToken": lambda realm: of(realm),
    "ProviderPhoto": lambda realm: of(realm, providerId="google.com", oauthAccessToken="t"),
    "RevokeToken": lambda realm: of(realm, providerId="apple.com", tokenType="ACCESS_TOKEN", token="t"),
}
# These take nothing that a realm gave.
OPEN = {"CreateAuthURI", "SendVerificationCode", "SignInWithPassword", "StartPasskeySignIn", "VerifyIOSClient"}

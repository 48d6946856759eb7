"""An authenticator app, by pyotp: an implementation of RFC 6238 that is not ours."""

import time

import pyotp

from support.accounts import sign_up
from support.leaks import note


class Authenticator:
    """The app of one account, and the calls that it is for."""

    def __init__(self, api, id_token, name="My phone"):
        self.api = api
        started = mfa(api, "mfaEnrollment:start", idToken=id_token, totpEnrollmentInfo={})
        assert started.status_code == 200, started.text
        info = started.json()["totpSessionInfo"]
        note(info["sharedSecretKey"])
        assert (info["hashingAlgorithm"], info["verificationCodeLength"], info["periodSec"]) == ("SHA1", 6, 30)
        self.session = info["sessionInfo"]
        self.totp = pyotp.TOTP(info["sharedSecretKey"])
        done = mfa(
            api,
            "mfaEnrollment:finalize",
            idToken=id_token,
            displayName=name,
            totpVerificationInfo={"sessionInfo": self.session, "verificationCode": self.totp.now()},
        )
        assert done.status_code == 200, done.text
        self.id_token = done.json()["idToken"]
        self.id = api.lookup(self.id_token)["mfaInfo"][-1]["mfaEnrollmentId"]

    def code(self, steps=1):
        """The code of a later period: the next one counts already, and was not used."""
        return self.totp.at(int(time.time()) + 30 * steps)

    def finish(self, pending, code=None, **more):
        return mfa(
            self.api,
            "mfaSignIn:finalize",
            mfaPendingCredential=pending,
            mfaEnrollmentId=self.id,
            totpVerificationInfo={"verificationCode": code or self.code()},
            **more,
        )


def mfa(api, call, **body):
    return api.post(f"/v2/accounts/{call}", body)


def proven(site, api):
    """A person with a password whose address is proven: one mail has gone there."""
    person = sign_up(api)
    api.succeed("sendOobCode", {"requestType": "VERIFY_EMAIL", "idToken": person["idToken"]})
    api.succeed("update", {"oobCode": site.code(person["email"])})
    return person


def pending(api, email, password="correct horse"):
    """The secret of a sign-in that waits for a second factor."""
    answer = api.succeed("signInWithPassword", {"email": email, "password": password, "returnSecureToken": True})
    assert "idToken" not in answer and "refreshToken" not in answer
    return answer["mfaPendingCredential"]

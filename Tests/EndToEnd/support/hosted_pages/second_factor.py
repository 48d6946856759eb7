"""People with a second factor at the hosted pages: an authenticator app, which is pyotp."""

import time
from urllib.parse import parse_qsl, unquote, urlsplit

import pyotp

from support.hosted_pages.stage import PASSWORD
from support.leaks import note, note_fields


class App:
    """An authenticator app. Each code that it gives is of another period, since each counts once."""

    def __init__(self, address):
        """`address`: what its camera read."""
        parts = urlsplit(address)
        self.fields = dict(parse_qsl(parts.query, strict_parsing=True))
        assert parts.scheme == "otpauth" and parts.netloc == "totp"
        self.label = unquote(parts.path[1:])
        self.totp = pyotp.parse_uri(address)
        note(self.fields["secret"])
        self.used = set()

    def code(self):
        """A code of the oldest period that the server takes and that was not used. Away from the end of a period, after which it would not."""
        if (left := 30 - time.time() % 30) < 3:
            time.sleep(left)
        now = int(time.time()) // 30
        step = next(step for step in (now - 1, now, now + 1) if step not in self.used and not any(used > step for used in self.used))
        self.used.add(step)
        return self.totp.at(step * 30)


def called(api, name, body):
    """The answer of a call of the second version."""
    response = api.post(f"/v2/accounts/{name}", body)
    assert response.status_code == 200, response.text
    note_fields(response.json())
    return response.json()


def enrol(api, email, password=PASSWORD):
    """Gives the account of a proven address an authenticator app, by the calls of an SDK."""
    signed_in = api.succeed("signInWithPassword", {"email": email, "password": password, "returnSecureToken": True})
    started = called(api, "mfaEnrollment:start", {"idToken": signed_in["idToken"], "totpEnrollmentInfo": {}})
    info = started["totpSessionInfo"]
    app = App(f"otpauth://totp/Acme:{email}?secret={info['sharedSecretKey']}&issuer=Acme&algorithm=SHA1&digits=6")
    body = {
        "idToken": signed_in["idToken"],
        "totpVerificationInfo": {"sessionInfo": info["sessionInfo"], "verificationCode": app.code()},
    }
    finished = called(api, "mfaEnrollment:finalize", body)
    return app, finished["idToken"]


def prove(site, email):
    """Makes the address of an account a proven one."""
    site.rows("UPDATE accounts SET email_verified = true, email_proven = true WHERE email = %s", email)

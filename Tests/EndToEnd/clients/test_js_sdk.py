"""The calls of an unmodified Firebase SDK in headless Chromium, one after the other, against the real binary.

Name a bundle that defines `window.firebase` (all exports of firebase/app and firebase/auth) in FIREBASE_JS_BUNDLE; without it these
tests are skipped. The SDK is pointed here in both ways: `emulator` is `connectAuthEmulator` to a server in development mode;
`production` is `auth.config.apiHost` and `tokenApiHost`, over TLS, to a server in production mode.
"""

import itertools
import json
import pathlib
import time

import jwt
import pytest
import requests
from werkzeug.wrappers import Request, Response

from support.browser.drivers import Chromium
from support.browser.stage import BUNDLE, Front
from support.common import API_KEY, TIMEOUT, note, note_url
from support.harness import Site
from support.issuers import WebServer

pytestmark = pytest.mark.skipif(not BUNDLE, reason="FIREBASE_JS_BUNDLE names no bundle of the Firebase SDK")
CALLS = pathlib.Path(__file__).parents[1] / "support/browser/calls.js"
ON = {"password": True, "emailLink": True, "anonymous": True}
PASSWORD = "correct horse"
numbers = itertools.count(1)


class Pages:
    """An app's page that does nothing by itself, but load the SDK. Its policy is the strictest that an app can have."""

    def __init__(self):
        self.web = WebServer(Request.application(self.respond))
        self.port = int(self.web.url.rpartition(":")[2])

    def respond(self, request):
        if request.path in ("/bundle.js", "/calls.js"):
            file = pathlib.Path(BUNDLE) if request.path == "/bundle.js" else CALLS
            return Response(file.read_bytes(), content_type="text/javascript; charset=utf-8")
        html = '<!doctype html><link rel="icon" href="data:,"><title>App</title><script src="/bundle.js"></script><script src="/calls.js"></script>'
        policy = f"default-src 'none'; img-src data:; script-src 'self'; connect-src {request.args['server']}"
        return Response(html, content_type="text/html; charset=utf-8", headers={"content-security-policy": policy})

    def close(self):
        self.web.close()


class Place:
    """A server and an SDK that is pointed at it. `run` does the work of an app, with a signed-out `auth` at first."""

    def __init__(self, mode, site, driver, page, **connection):
        self.mode = mode
        self.site = site
        self.driver = driver
        self.page = page
        self.connection = connection

    def open(self):
        self.driver.get(self.page)
        self.driver.get_log("browser")
        self.driver.execute_script("window.auth = connect(arguments[0])", {"name": f"app-{next(numbers)}", **self.connection})
        return self

    def run(self, body, *arguments):
        """What the body of an async function returns, in which all of the SDK's exports are names."""
        script = """
            const done = arguments[arguments.length - 1];
            const names = Object.keys(window.firebase).filter((name) => /^[a-z]\\w*$/i.test(name) && name !== "app" && name !== "auth");
            const work = new (async () => {}).constructor("args", ...names, arguments[0]);
            work(arguments[1], ...names.map((name) => window.firebase[name])).then(
              (value) => done({ value: value ?? null }), (error) => done({ error: error.code ?? String(error), detail: String(error.stack) }));
        """
        answer = self.driver.execute_async_script(script, body, list(arguments))
        assert "value" in answer, f"{answer}; {self.driver.get_log('browser')}"
        return answer["value"]

    def email(self):
        return f"user-{next(numbers)}@example.com"

    def sign_up(self):
        email = self.email()
        self.run("await createUserWithEmailAndPassword(auth, ...args)", email, PASSWORD)
        return email

    # -- what only development mode has

    def helper(self, method, path, body=None):
        response = requests.request(method, f"{self.site.url}/emulator/v1/projects/demo/{path}", json=body, timeout=TIMEOUT)
        assert response.status_code == 200, response.text
        return response.json()

    def mailed(self, email, kind):
        """The newest code of a kind for the account of an address."""
        codes = [code for code in self.helper("GET", "oobCodes")["oobCodes"] if (code["email"], code["requestType"]) == (email, kind)]
        assert codes, f"no {kind} for {email}"
        note(codes[-1]["oobCode"])
        note_url(codes[-1]["oobLink"])
        return codes[-1]

    def privacy(self, on):
        self.helper("PATCH", "config", {"emailPrivacyConfig": {"enableImprovedEmailPrivacy": on}})


@pytest.fixture(scope="module")
def driver(tmp_path_factory):
    driver = Chromium(tmp_path_factory.mktemp("chromium"))
    yield driver
    driver.quit()


@pytest.fixture(scope="module")
def places(driver, fake_issuer_of_session):
    pages = Pages()
    development = Site({"oidc.fake": fake_issuer_of_session.entry()}, settings={"developmentProject": "demo"}, project={"signIn": ON})
    production = Site(project={"signIn": ON, "redirectURLs": [], "authorizedDomains": ["auth.shop.test", "localhost"]})
    front = Front(production.port)
    host = f"auth.shop.test:{front.port}"
    production.settings.update(development=False, publicURL=f"https://{host}", mail={"transport": "file", "from": "no-reply@shop.test", "folder": "mails"})
    for site in (development, production):
        site.write()
        site.serve()
    base = f"http://localhost:{pages.port}/?server="
    yield {
        "emulator": Place("emulator", development, driver, base + development.url, apiKey="any-key-will-do", emulator=development.url),
        "production": Place("production", production, driver, base + f"https://{host}", apiKey=API_KEY, apiHost=host),
    }
    for part in (pages, front, development, production):
        part.close()


@pytest.fixture(params=["emulator", "production"])
def app(request, places):
    return places[request.param].open()


@pytest.fixture
def emulated(places):
    place = places["emulator"].open()
    place.privacy(True)
    yield place
    place.privacy(True)


def claims(token):
    return jwt.decode(token, options={"verify_signature": False})


# -- accounts with a password


def test_signing_up_out_and_in_again(app):
    email = app.email()
    up = app.run(
        """
        const credential = await createUserWithEmailAndPassword(auth, ...args);
        const { isNewUser, providerId } = getAdditionalUserInfo(credential);
        return [profile(credential.user), credential.operationType, isNewUser, providerId, credential.user === auth.currentUser];
        """, email.upper(), PASSWORD)
    uid = up[0].pop("uid")
    expected = {"email": email, "verified": False, "anonymous": False, "name": None, "photo": None, "providers": ["password"]}
    assert up == [expected, "signIn", True, "password", True]
    again = app.run(
        """
        await signOut(auth);
        if (auth.currentUser) throw new Error("still signed in");
        const credential = await signInWithEmailAndPassword(auth, ...args);
        return [profile(credential.user), getAdditionalUserInfo(credential)?.isNewUser];
        """, email, PASSWORD)
    assert again == [{"uid": uid, **expected}, False]


def test_tokens_are_refreshed_and_say_who_it_is(app):
    email = app.sign_up()
    old, new, result = app.run(
        """
        const old = await auth.currentUser.getIdToken();
        const before = auth.currentUser.refreshToken;
        const fresh = await auth.currentUser.getIdToken(true);
        const { claims, signInProvider, token } = await auth.currentUser.getIdTokenResult();
        return [old, fresh, { same: token === fresh, signInProvider, email: claims.email, rotated: before !== auth.currentUser.refreshToken }];
        """)
    assert result == {"same": True, "signInProvider": "password", "email": email, "rotated": True}
    for token in (note(old), note(new)):
        key = jwt.PyJWKClient(app.site.url + "/demo/oauth2/jwks").get_signing_key_from_jwt(token)
        verified = jwt.decode(token, key, algorithms=["RS256"], audience="demo", issuer=app.site.settings["publicURL"] + "/demo")
        assert verified["firebase"] == {"identities": {"email": [email]}, "sign_in_provider": "password"}


def test_parallel_refreshes_of_two_tabs_agree(app):
    app.sign_up()
    assert app.run(
        """
        const other = connect({ ...args[0], name: "other-" + Math.random() });
        await updateCurrentUser(other, auth.currentUser);
        const tokens = await Promise.all([auth, other].map((each) => each.currentUser.getIdToken(true)));
        await Promise.all([auth, other].map((each) => each.currentUser.getIdToken(true)));
        return [auth, other].map((each) => Boolean(each.currentUser)).concat(tokens.every(Boolean));
        """, app.connection) == [True, True, True]


def test_a_session_outlives_the_page(app):
    email = app.email()
    app.connection["persistence"] = "browserLocalPersistence"
    name = f"kept-{next(numbers)}"
    try:
        app.driver.execute_script("window.auth = connect(arguments[0])", {"name": name, **app.connection})
        app.run("await createUserWithEmailAndPassword(auth, ...args)", email, PASSWORD)
        app.open()
        app.driver.execute_script("window.auth = connect(arguments[0])", {"name": name, **app.connection})
        assert app.run("await auth.authStateReady(); return auth.currentUser?.email") == email
        app.run("await signOut(auth)")
    finally:
        del app.connection["persistence"]


def test_profiles_are_written_and_cleared(app):
    app.sign_up()
    shown = app.run(
        """
        const user = auth.currentUser;
        await updateProfile(user, { displayName: "Ada", photoURL: "https://example.com/ada.png" });
        const set = profile(user);
        await updateProfile(user, { displayName: null, photoURL: null });
        const cleared = profile(user);
        await user.reload();
        return [set, cleared, profile(user)].map(({ name, photo }) => [name, photo]);
        """)
    assert shown == [["Ada", "https://example.com/ada.png"], [None, None], [None, None]]


def test_a_new_password_replaces_the_old_one(app):
    email = app.sign_up()
    assert app.run(
        """
        await updatePassword(auth.currentUser, "battery staple");
        await auth.currentUser.reload();
        await auth.currentUser.getIdToken(true);
        const [email, old] = args;
        const refused = await codeOf(signInWithEmailAndPassword(auth, email, old));
        return [refused, (await signInWithEmailAndPassword(auth, email, "battery staple")).user.email];
        """, email, PASSWORD) == ["auth/invalid-credential", email]


def test_reauthentication_is_of_the_same_person(app):
    other = app.sign_up()
    email = app.sign_up()
    assert app.run(
        """
        const [email, other, password] = args;
        const user = auth.currentUser;
        const result = await reauthenticateWithCredential(user, EmailAuthProvider.credential(email, password));
        return [
          result.operationType, result.user.uid === user.uid,
          await codeOf(reauthenticateWithCredential(user, EmailAuthProvider.credential(email, "wrong"))),
          await codeOf(reauthenticateWithCredential(user, EmailAuthProvider.credential(other, password))),
        ];
        """, email, other, PASSWORD) == ["reauthenticate", True, "auth/invalid-credential", "auth/user-mismatch"]


def test_an_account_is_deleted(app):
    email = app.sign_up()
    assert app.run(
        """
        const user = auth.currentUser;
        await deleteUser(user);
        return [auth.currentUser, await codeOf(user.getIdToken(true)), await codeOf(signInWithEmailAndPassword(auth, ...args))];
        """, email, PASSWORD) == [None, "auth/user-token-expired", "auth/invalid-credential"]


def test_errors_have_the_codes_that_apps_know(app):
    email = app.sign_up()
    assert app.run(
        """
        const [email, password] = args;
        return {
          wrong: await codeOf(signInWithEmailAndPassword(auth, email, "wrong")),
          unknown: await codeOf(signInWithEmailAndPassword(auth, "nobody@example.com", password)),
          malformed: await codeOf(signInWithEmailAndPassword(auth, "nobody", password)),
          empty: await codeOf(signInWithEmailAndPassword(auth, email, "")),
          taken: await codeOf(createUserWithEmailAndPassword(auth, email, password)),
          weak: await codeOf(createUserWithEmailAndPassword(auth, "weak@example.com", "12345")),
          noAddress: await codeOf(createUserWithEmailAndPassword(auth, "weak", password)),
          direct: await codeOf(updateEmail(auth.currentUser, "direct@example.com")),
          code: await codeOf(applyActionCode(auth, "nonsense")),
          reset: await codeOf(confirmPasswordReset(auth, "nonsense", password)),
          check: await codeOf(checkActionCode(auth, "nonsense")),
          link: await codeOf(signInWithEmailLink(auth, email, location.origin + "/?mode=signIn&oobCode=nonsense&apiKey=x")),
          custom: await codeOf(signInWithCustomToken(auth, "nonsense")),
          idp: await codeOf(signInWithCredential(auth, new OAuthProvider("oidc.absent").credential({ idToken: "x" }))),
          url: await codeOf(sendPasswordResetEmail(auth, email, { url: "https://evil.example/", handleCodeInApp: true })),
        };
        """, email, PASSWORD) == {
            "wrong": "auth/invalid-credential",
            "unknown": "auth/invalid-credential",
            "malformed": "auth/invalid-email",
            "empty": "auth/missing-password",
            "taken": "auth/email-already-in-use",
            "weak": "auth/weak-password",
            "noAddress": "auth/invalid-email",
            "direct": "auth/operation-not-allowed",
            "code": "auth/invalid-action-code",
            "reset": "auth/invalid-action-code",
            "check": "auth/invalid-action-code",
            "link": "auth/invalid-action-code",
            "custom": "auth/invalid-custom-token",
            "idp": "auth/operation-not-allowed",
            "url": "auth/unauthorized-continue-uri",
        }


def test_a_password_is_measured_by_the_projects_policy(app):
    assert app.run(
        """
        const short = await validatePassword(auth, "12345");
        const long = await validatePassword(auth, "123456");
        return [short.isValid, short.meetsMinPasswordLength, long.isValid, long.passwordPolicy.customStrengthOptions.minPasswordLength];
        """) == [False, False, True, 6]


def test_a_wrong_key_is_told_in_production(places):
    app = places["production"].open()
    assert app.run(
        """
        const lost = connect({ ...args[0], apiKey: "any-key", name: "lost" });
        return await codeOf(signInAnonymously(lost));
        """, app.connection) == "auth/api-key-not-valid.-please-pass-a-valid-api-key."


# -- what happens elsewhere meanwhile


def test_what_ends_a_session_elsewhere_signs_out_here(app):
    def after(change):
        email = app.sign_up()
        uid = app.run("return auth.currentUser.uid")
        change(uid)
        return app.run(
            """
            const code = await codeOf(auth.currentUser.getIdToken(true));
            return [code, auth.currentUser, await signInWithEmailAndPassword(auth, ...args).then(() => "in", (error) => error.code)];
            """, email, PASSWORD)

    revoked = after(lambda uid: app.site.run("sessions", "revoke", "demo", uid, check=True))
    assert revoked == ["auth/user-token-expired", None, "in"]
    disabled = after(lambda uid: app.site.rows("UPDATE accounts SET disabled = true WHERE account_id = %s", uid))
    assert disabled == ["auth/user-disabled", None, "auth/user-disabled"]
    deleted = after(lambda uid: app.site.rows("DELETE FROM accounts WHERE account_id = %s", uid))
    assert deleted == ["auth/user-token-expired", None, "auth/invalid-credential"]


def test_an_old_sign_in_must_be_done_again(app):
    email = app.sign_up()
    app.site.rows("UPDATE sessions SET auth_time = auth_time - interval '10 minutes' WHERE account_id = %s", app.run("return auth.currentUser.uid"))
    assert app.run(
        """
        const user = auth.currentUser;
        await user.getIdToken(true);
        const refused = [await codeOf(updatePassword(user, "battery staple")), await codeOf(deleteUser(user))];
        await reauthenticateWithCredential(user, EmailAuthProvider.credential(...args));
        await updatePassword(user, "battery staple");
        return [...refused, Boolean(auth.currentUser)];
        """, email, PASSWORD) == ["auth/requires-recent-login", "auth/requires-recent-login", True]


# -- guests, and what is linked


def test_a_guest_becomes_a_person(app):
    email = app.email()
    guest, linked, again = app.run(
        """
        const { user } = await signInAnonymously(auth);
        const guest = [profile(user), (await user.getIdTokenResult()).signInProvider];
        const result = await linkWithCredential(user, EmailAuthProvider.credential(...args));
        const linked = [profile(result.user), result.operationType, (await user.getIdTokenResult()).signInProvider];
        await signOut(auth);
        return [guest, linked, profile((await signInWithEmailAndPassword(auth, ...args)).user)];
        """, email, PASSWORD)
    uid = guest[0]["uid"]
    assert guest == [{**guest[0], "email": None, "anonymous": True, "providers": []}, "anonymous"]
    assert linked[0] == {**linked[0], "uid": uid, "email": email, "anonymous": False, "providers": ["password"]}
    assert linked[1:] == ["link", "password"]
    assert again["uid"] == uid


def test_linking_what_others_have_is_refused(app):
    taken = app.sign_up()
    own = app.sign_up()
    assert app.run(
        """
        const [taken, own, password] = args;
        const again = await codeOf(linkWithCredential(auth.currentUser, EmailAuthProvider.credential(own, password)));
        const { user } = await signInAnonymously(auth);
        return [again, await codeOf(linkWithCredential(user, EmailAuthProvider.credential(taken, password))), user.isAnonymous];
        """, taken, own, PASSWORD) == ["auth/provider-already-linked", "auth/email-already-in-use", True]


def test_a_provider_and_a_password_are_linked_and_unlinked(emulated, fake_issuer):
    app = emulated
    email = app.email()
    token = fake_issuer.id_token(f"linked-{next(numbers)}", email=email, email_verified=True)
    shown = app.run(
        """
        const [email, password, idToken] = args;
        const credential = new OAuthProvider("oidc.fake").credential({ idToken });
        const { user } = await signInWithCredential(auth, credential);
        const first = profile(user).providers;
        await linkWithCredential(user, EmailAuthProvider.credential(email, password));
        const both = profile(user).providers.sort();
        await unlink(user, "oidc.fake");
        const one = profile(user).providers;
        return [first, both, one, await codeOf(unlink(user, "oidc.fake"))];
        """, email, PASSWORD, token)
    assert shown == [["oidc.fake"], ["oidc.fake", "password"], ["password"], "auth/no-such-provider"]


def test_a_custom_token_signs_in(app):
    key = app.site.run("service-accounts", "create", "demo", check=True).stdout
    account = json.loads(key)
    now = int(time.time())
    payload = {
        "iss": account["client_email"], "sub": account["client_email"], "iat": now, "exp": now + 3600, "uid": f"custom-{next(numbers)}",
        "aud": "https://identitytoolkit.googleapis.com/google.identity.identitytoolkit.v1.IdentityToolkit", "claims": {"role": "admin"},
    }
    token = jwt.encode(payload, account["private_key"], algorithm="RS256", headers={"kid": account["private_key_id"]})
    assert app.run(
        """
        const { user } = await signInWithCustomToken(auth, args[0]);
        await user.getIdToken(true);
        const { claims, signInProvider } = await user.getIdTokenResult();
        return [user.uid, signInProvider, claims.role];
        """, note(token)) == [payload["uid"], "custom", "admin"]


# -- codes in mails


def test_a_forgotten_password_is_reset(emulated):
    app = emulated
    email = app.sign_up()
    app.run("await sendPasswordResetEmail(auth, args[0], { url: location.origin + '/done', handleCodeInApp: false })", email)
    letter = app.mailed(email, "PASSWORD_RESET")
    assert app.run(
        """
        const [email, code, link] = args;
        const user = auth.currentUser;
        const url = ActionCodeURL.parseLink(link);
        const shown = [await verifyPasswordResetCode(auth, code), (await checkActionCode(auth, code)).operation, url.operation, url.code === code];
        const weak = await codeOf(confirmPasswordReset(auth, code, "12345"));
        await confirmPasswordReset(auth, code, "battery staple");
        const twice = await codeOf(confirmPasswordReset(auth, code, "battery staple"));
        // The session that was open before is over.
        const over = await codeOf(user.getIdToken(true));
        const back = (await signInWithEmailAndPassword(auth, email, "battery staple")).user.emailVerified;
        return [...shown, weak, twice, over, back];
        """, email, letter["oobCode"], letter["oobLink"]) == [
            email, "PASSWORD_RESET", "PASSWORD_RESET", True, "auth/weak-password", "auth/invalid-action-code", "auth/user-token-expired", True]
    assert letter["oobCode"] not in str(app.helper("GET", "oobCodes")), "a used code is not pending any more"


def test_a_reset_for_nobody_says_nothing_and_mails_nothing(emulated):
    app = emulated
    nobody = app.email()
    app.run("await sendPasswordResetEmail(auth, args[0])", nobody)
    assert nobody not in str(app.helper("GET", "oobCodes"))
    app.privacy(False)
    assert app.run("return await codeOf(sendPasswordResetEmail(auth, args[0]))", nobody) == "auth/user-not-found"


def test_an_address_is_proven(emulated):
    app = emulated
    email = app.sign_up()
    app.run("await sendEmailVerification(auth.currentUser)")
    letter = app.mailed(email, "VERIFY_EMAIL")
    assert app.run(
        """
        const [code] = args;
        const { operation, data } = await checkActionCode(auth, code);
        await applyActionCode(auth, code);
        await auth.currentUser.reload();
        const { claims } = await auth.currentUser.getIdTokenResult(true);
        return [operation, data.email, auth.currentUser.emailVerified, claims.email_verified, await codeOf(applyActionCode(auth, code))];
        """, letter["oobCode"]) == ["VERIFY_EMAIL", email, True, True, "auth/invalid-action-code"]


def test_an_address_is_changed_and_the_change_taken_back(emulated):
    app = emulated
    email, new = app.sign_up(), app.email()
    app.run("await verifyBeforeUpdateEmail(auth.currentUser, args[0])", new)
    change = app.mailed(email, "VERIFY_AND_CHANGE_EMAIL")
    assert change["newEmail"] == new
    assert app.run(
        """
        const [code, email, password] = args;
        const { operation, data } = await checkActionCode(auth, code);
        await applyActionCode(auth, code);
        const over = await codeOf(auth.currentUser.getIdToken(true));
        const { user } = await signInWithEmailAndPassword(auth, email, password);
        return [operation, data.email, data.previousEmail, over, user.emailVerified];
        """, change["oobCode"], new, PASSWORD) == ["VERIFY_AND_CHANGE_EMAIL", new, email, "auth/user-token-expired", True]
    recover = app.mailed(email, "RECOVER_EMAIL")
    assert app.run(
        """
        const [code, email, password] = args;
        const { operation, data } = await checkActionCode(auth, code);
        await applyActionCode(auth, code);
        await sendPasswordResetEmail(auth, email);
        return [operation, data.email, await codeOf(signInWithEmailAndPassword(auth, args[3], password))];
        """, recover["oobCode"], email, PASSWORD, new) == ["RECOVER_EMAIL", email, "auth/invalid-credential"]
    reset = app.mailed(email, "PASSWORD_RESET")
    app.run("await confirmPasswordReset(auth, ...args)", reset["oobCode"], PASSWORD)
    assert app.run("return (await signInWithEmailAndPassword(auth, ...args)).user.email", email, PASSWORD) == email


def test_a_link_in_a_mail_signs_in(emulated):
    app = emulated
    email = app.email()

    def link():
        app.run("await sendSignInLinkToEmail(auth, args[0], { url: location.origin + '/done?kept=1', handleCodeInApp: true })", email)
        return app.mailed(email, "EMAIL_SIGNIN")["oobLink"]

    first = link()
    new = app.run(
        """
        const [email, link] = args;
        if (!isSignInWithEmailLink(auth, link)) throw new Error("no link of an SDK");
        const other = await codeOf(signInWithEmailLink(auth, "other@example.com", link));
        const credential = await signInWithEmailLink(auth, email, link);
        const twice = await codeOf(signInWithEmailLink(auth, email, link));
        return [other, profile(credential.user), getAdditionalUserInfo(credential).isNewUser, twice];
        """, email, first)
    assert new[0] == "auth/invalid-email" and new[2:] == [True, "auth/invalid-action-code"]
    assert new[1] == {**new[1], "email": email, "verified": True, "providers": ["password"]}
    again = app.run(
        """
        const [email, link] = args;
        const result = await reauthenticateWithCredential(auth.currentUser, EmailAuthProvider.credentialWithLink(email, link));
        return [result.user.uid, result.operationType];
        """, email, link())
    assert again == [new[1]["uid"], "reauthenticate"]

    guest, email = app.run("return (await signInAnonymously(auth)).user.uid"), app.email()
    linked = app.run(
        "return profile((await linkWithCredential(auth.currentUser, EmailAuthProvider.credentialWithLink(...args))).user)", email, link())
    assert linked == {**linked, "uid": guest, "email": email, "verified": True, "anonymous": False}


def test_how_an_address_signs_in_is_told_only_unprotected(emulated):
    app = emulated
    email = app.sign_up()
    ask = "return [await fetchSignInMethodsForEmail(auth, args[0]), await fetchSignInMethodsForEmail(auth, 'nobody@example.com')]"
    assert app.run(ask, email) == [[], []]
    app.privacy(False)
    assert app.run(ask, email) == [["password"], []]
    assert app.run(
        """
        const [email, password] = args;
        return [await codeOf(signInWithEmailAndPassword(auth, email, "wrong")), await codeOf(signInWithEmailAndPassword(auth, "nobody@example.com", password))];
        """, email, PASSWORD) == ["auth/wrong-password", "auth/user-not-found"]


def test_an_unprotected_address_is_changed_at_once(emulated):
    app = emulated
    email, new = app.sign_up(), app.email()
    app.privacy(False)
    assert app.run(
        """
        const user = auth.currentUser;
        await updateEmail(user, args[0]);
        await user.getIdToken(true);
        return [user.email, user.emailVerified];
        """, new) == [new, False]
    assert app.mailed(email, "RECOVER_EMAIL")


def test_a_clean_slate_between_tests(emulated):
    app = emulated
    email = app.sign_up()
    app.run("await sendEmailVerification(auth.currentUser)")
    assert app.helper("DELETE", "accounts") == {}
    assert app.helper("GET", "oobCodes") == {"oobCodes": []}
    assert app.run(
        """
        const user = auth.currentUser;
        return [await codeOf(user.getIdToken(true)), auth.currentUser, await codeOf(signInWithEmailAndPassword(auth, ...args))];
        """, email, PASSWORD) == ["auth/user-token-expired", None, "auth/invalid-credential"]

"""The Firebase JS SDK's calls for accounts with a password."""

import hashlib
import secrets

import jwt

from support.browser.app_pages import needs_bundle
from support.browser.sdk_page import PASSWORD
from support.harness import counter
from support.leaks import note

pytestmark = needs_bundle


def test_signing_up_out_and_in_again(app):
    email = app.email()
    up = app.run(
        """
        const credential = await createUserWithEmailAndPassword(auth, ...args);
        const { isNewUser, providerId } = getAdditionalUserInfo(credential);
        return [profile(credential.user), credential.operationType, isNewUser, providerId, credential.user === auth.currentUser];
        """,
        email.upper(),
        PASSWORD,
    )
    uid = up[0].pop("uid")
    expected = {"email": email, "verified": False, "anonymous": False, "name": None, "photo": None, "providers": ["password"]}
    assert up == [expected, "signIn", True, "password", True]
    again = app.run(
        """
        await signOut(auth);
        if (auth.currentUser) throw new Error("still signed in");
        const credential = await signInWithEmailAndPassword(auth, ...args);
        return [profile(credential.user), getAdditionalUserInfo(credential)?.isNewUser];
        """,
        email,
        PASSWORD,
    )
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
        """
    )
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
        """,
        app.connection,
    ) == [True, True, True]


def test_a_session_outlives_the_page(app):
    email = app.email()
    app.connection["persistence"] = "browserLocalPersistence"
    name = f"kept-{next(counter)}"
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
        """
    )
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
        """,
        email,
        PASSWORD,
    ) == ["auth/invalid-credential", email]


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
        """,
        email,
        other,
        PASSWORD,
    ) == ["reauthenticate", True, "auth/invalid-credential", "auth/user-mismatch"]


def test_an_account_is_deleted(app):
    email = app.sign_up()
    assert app.run(
        """
        const user = auth.currentUser;
        await deleteUser(user);
        return [auth.currentUser, await codeOf(user.getIdToken(true)), await codeOf(signInWithEmailAndPassword(auth, ...args))];
        """,
        email,
        PASSWORD,
    ) == [None, "auth/user-token-expired", "auth/invalid-credential"]


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
          idp: await codeOf(signInWithCredential(auth, new OAuthProvider("absent.example").credential({ idToken: "x" }))),
          url: await codeOf(sendPasswordResetEmail(auth, email, { url: "https://evil.example/", handleCodeInApp: true })),
        };
        """,
        email,
        PASSWORD,
    ) == {
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
        """
    ) == [False, False, True, 6]


def test_a_wrong_key_is_told_in_production(places):
    app = places["production"].open()
    assert (
        app.run(
            """
        const lost = connect({ ...args[0], apiKey: "any-key", name: "lost" });
        return await codeOf(signInAnonymously(lost));
        """,
            app.connection,
        )
        == "auth/api-key-not-valid.-please-pass-a-valid-api-key."
    )


def test_what_ends_a_session_elsewhere_signs_out_here(app):
    def after(change):
        email = app.sign_up()
        uid = app.run("return auth.currentUser.uid")
        change(uid)
        return app.run(
            """
            const code = await codeOf(auth.currentUser.getIdToken(true));
            return [code, auth.currentUser, await signInWithEmailAndPassword(auth, ...args).then(() => "in", (error) => error.code)];
            """,
            email,
            PASSWORD,
        )

    revoked = after(lambda uid: app.site.run("sessions", "revoke", "demo", uid, check=True))
    assert revoked == ["auth/user-token-expired", None, "in"]
    disabled = after(lambda uid: app.site.rows("UPDATE accounts SET disabled = true WHERE account_id = %s", uid))
    assert disabled == ["auth/user-disabled", None, "auth/user-disabled"]
    deleted = after(lambda uid: app.site.rows("DELETE FROM accounts WHERE account_id = %s", uid))
    assert deleted == ["auth/user-token-expired", None, "auth/invalid-credential"]


def test_an_old_sign_in_must_be_done_again(app):
    email = app.sign_up()
    app.site.rows(
        "UPDATE sessions SET auth_time = auth_time - interval '10 minutes' WHERE account_id = %s", app.run("return auth.currentUser.uid")
    )
    assert app.run(
        """
        const user = auth.currentUser;
        await user.getIdToken(true);
        const refused = [await codeOf(updatePassword(user, "battery staple")), await codeOf(deleteUser(user))];
        await reauthenticateWithCredential(user, EmailAuthProvider.credential(...args));
        await updatePassword(user, "battery staple");
        return [...refused, Boolean(auth.currentUser)];
        """,
        email,
        PASSWORD,
    ) == ["auth/requires-recent-login", "auth/requires-recent-login", True]


def test_an_access_token_of_github_signs_in(emulated, github):
    token = github.issue("a-person-with-an-sdk")
    told = emulated.run(
        """
        const result = await signInWithCredential(auth, GithubAuthProvider.credential(args[0]));
        const { providerId, username, profile, isNewUser } = getAdditionalUserInfo(result);
        return [providerId, username, profile.login, isNewUser, GithubAuthProvider.credentialFromResult(result).accessToken];
        """,
        token,
    )
    assert told == ["github.com", "a-person-with-an-sdk", "a-person-with-an-sdk", True, token]
    foreign = github.issue("a-person-with-an-sdk", client="of another app")
    call = "return codeOf(signInWithCredential(auth, GithubAuthProvider.credential(args[0])))"
    assert emulated.run(call, foreign) == "auth/invalid-credential"


def test_a_token_of_twitter_signs_in_with_its_secret(emulated, twitter):
    token, secret = twitter.issue("a-tweeter-with-an-sdk")
    told = emulated.run(
        """
        const result = await signInWithCredential(auth, TwitterAuthProvider.credential(...args));
        const { providerId, username, profile, isNewUser } = getAdditionalUserInfo(result);
        const { accessToken, secret } = TwitterAuthProvider.credentialFromResult(result);
        return [providerId, username, profile.screen_name, isNewUser, accessToken, secret];
        """,
        token,
        secret,
    )
    assert told == ["twitter.com", "a-tweeter-with-an-sdk", "a-tweeter-with-an-sdk", True, token, secret]
    call = "return codeOf(signInWithCredential(auth, TwitterAuthProvider.credential(...args)))"
    foreign = twitter.issue("a-tweeter-with-an-sdk", client=twitter.OTHER_CLIENT)
    assert emulated.run(call, *foreign) == "auth/invalid-credential"


def test_a_token_of_apple_signs_in_with_its_nonce_and_is_revoked(emulated, apple):
    nonce, token = note(secrets.token_urlsafe(24)), apple.give("an-apple-person-with-an-sdk", apple.client_id)
    hashed = hashlib.sha256(nonce.encode()).hexdigest()
    told = emulated.run(
        """
        const [idToken, rawNonce, accessToken] = args;
        const result = await signInWithCredential(auth, new OAuthProvider("apple.com").credential({ idToken, rawNonce, accessToken }));
        const { providerId, profile, isNewUser } = getAdditionalUserInfo(result);
        await revokeAccessToken(auth, OAuthProvider.credentialFromResult(result).accessToken);
        return [providerId, profile.sub, isNewUser, result.user.emailVerified];
        """,
        apple.id_token("an-apple-person-with-an-sdk", nonce=hashed),
        nonce,
        token,
    )
    assert told == ["apple.com", "001234.an-apple-person-with-an-sdk.0042", True, True] and token not in apple.tokens
    call = "return codeOf(signInWithCredential(auth, new OAuthProvider('apple.com').credential({ idToken: args[0], rawNonce: args[1] })))"
    assert emulated.run(call, apple.id_token("an-apple-person-with-an-sdk", nonce=hashed), "another-nonce") == (
        "auth/missing-or-invalid-nonce"
    )

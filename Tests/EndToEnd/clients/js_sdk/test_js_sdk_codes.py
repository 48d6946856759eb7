"""The Firebase JS SDK's calls for codes in mails."""

from support.browser.app_pages import needs_bundle
from support.browser.sdk_page import PASSWORD

pytestmark = needs_bundle


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
        """,
        email,
        letter["oobCode"],
        letter["oobLink"],
    ) == [
        email,
        "PASSWORD_RESET",
        "PASSWORD_RESET",
        True,
        "auth/weak-password",
        "auth/invalid-action-code",
        "auth/user-token-expired",
        True,
    ]
    assert letter["oobCode"] not in str(app.helper("GET", "oobCodes")), "a used code is not pending any more"


def test_a_reset_for_an_unknown_address_says_nothing_and_mails_nothing(emulated):
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
        """,
        letter["oobCode"],
    ) == ["VERIFY_EMAIL", email, True, True, "auth/invalid-action-code"]


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
        """,
        change["oobCode"],
        new,
        PASSWORD,
    ) == ["VERIFY_AND_CHANGE_EMAIL", new, email, "auth/user-token-expired", True]
    recover = app.mailed(email, "RECOVER_EMAIL")
    assert app.run(
        """
        const [code, email, password] = args;
        const { operation, data } = await checkActionCode(auth, code);
        await applyActionCode(auth, code);
        await sendPasswordResetEmail(auth, email);
        return [operation, data.email, await codeOf(signInWithEmailAndPassword(auth, args[3], password))];
        """,
        recover["oobCode"],
        email,
        PASSWORD,
        new,
    ) == ["RECOVER_EMAIL", email, "auth/invalid-credential"]
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
        """,
        email,
        first,
    )
    assert new[0] == "auth/invalid-email" and new[2:] == [True, "auth/invalid-action-code"]
    assert new[1] == {**new[1], "email": email, "verified": True, "providers": ["password"]}
    again = app.run(
        """
        const [email, link] = args;
        const result = await reauthenticateWithCredential(auth.currentUser, EmailAuthProvider.credentialWithLink(email, link));
        return [result.user.uid, result.operationType];
        """,
        email,
        link(),
    )
    assert again == [new[1]["uid"], "reauthenticate"]

    guest, email = app.run("return (await signInAnonymously(auth)).user.uid"), app.email()
    linked = app.run(
        "return profile((await linkWithCredential(auth.currentUser, EmailAuthProvider.credentialWithLink(...args))).user)", email, link()
    )
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
        """,
        email,
        PASSWORD,
    ) == ["auth/wrong-password", "auth/user-not-found"]


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
        """,
        new,
    ) == [new, False]
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
        """,
        email,
        PASSWORD,
    ) == ["auth/user-token-expired", None, "auth/invalid-credential"]

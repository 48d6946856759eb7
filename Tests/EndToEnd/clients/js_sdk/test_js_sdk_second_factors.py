"""Second factors with the Firebase JS SDK: authenticator apps and codes by text message, asked for after every first factor."""

import time

import pyotp

from support.browser.app_pages import needs_bundle
from support.browser.sdk_page import PASSWORD
from support.leaks import note
from support.mail.mailbox import Mailbox

pytestmark = needs_bundle

TEST = "+16505550101"
PROJECT = {
    "mfa": {"state": "enabled", "sms": True},
    "phone": {
        "enabled": True,
        "regions": ["DE"],
        "testNumbers": {TEST: "123456"},
        "transport": {"twilio": {"accountSid": "AC" + "0" * 32, "secret": {"env": "CLIENT_SECRET"}, "from": "+491511234567"}},
    },
}
OWN = "const verifier = { type: 'recaptcha', verify: async () => 'a token of the app', _reset() {} };"
# Ends a sign-in that asks for a second factor; `window.resolver` keeps what the SDK knows of it.
ASKED = """
const asked = async (work) => {
  try { await work; } catch (error) {
    if (error.code !== "auth/multi-factor-auth-required") throw error;
    window.resolver = getMultiFactorResolver(auth, error);
    return resolver.hints.map((hint) => [hint.factorId, hint.displayName, hint.phoneNumber ?? null]);
  }
  throw new Error("no second factor was asked for");
};
"""
PROVED = """
const shown = async (user) => {
  const { signInProvider, signInSecondFactor, claims } = await user.getIdTokenResult();
  return [user.uid, signInProvider, signInSecondFactor, claims.firebase.second_factor_identifier ?? null];
};
"""


def proven(place):
    """A person whose address is verified, who has just signed in."""
    email = place.sign_up()
    place.site.rows("UPDATE accounts SET email_verified = true, email_proven = true WHERE email = %s", email)
    return email, place.run("await auth.currentUser.reload(); await auth.currentUser.getIdToken(true); return auth.currentUser.uid")


def enrol(place, name="My phone"):
    """Enrols an authenticator app. The person reads the address of the SDK's QR code."""
    url = place.run(
        """
        const session = await multiFactor(auth.currentUser).getSession();
        window.secret = await TotpMultiFactorGenerator.generateSecret(session);
        return secret.generateQrCodeUrl(auth.currentUser.email, "Acme");
        """
    )
    totp = pyotp.parse_uri(url)
    note(totp.secret)
    assert (totp.issuer, totp.digits, totp.interval) == ("Acme", 6, 30)
    place.run(
        """
        const [code, name] = args;
        await multiFactor(auth.currentUser).enroll(TotpMultiFactorGenerator.assertionForEnrollment(secret, code), name);
        """,
        totp.now(),
        name,
    )
    return totp


def next_code(totp):
    """The next code: the present one may have been used."""
    return totp.at(int(time.time()) + 30)


def test_an_authenticator_app_is_enrolled_asked_for_and_withdrawn(app):
    email, uid = proven(app)
    totp = enrol(app)
    factors = "multiFactor(auth.currentUser).enrolledFactors.map((info) => [info.factorId, info.displayName])"
    assert app.run(f"{PROVED} return [{factors}, await shown(auth.currentUser)]")[0] == [["totp", "My phone"]]
    hints = app.run(f"{ASKED} await signOut(auth); return asked(signInWithEmailAndPassword(auth, ...args))", email, PASSWORD)
    assert hints == [["totp", "My phone", None]]
    assert (
        app.run(
            """
        const assertion = TotpMultiFactorGenerator.assertionForSignIn(resolver.hints[0].uid, args[0]);
        return codeOf(resolver.resolveSignIn(assertion));
        """,
            "000000",
        )
        == "auth/invalid-verification-code"
    )
    signed_in = app.run(
        f"""
        {PROVED}
        const {{ user, operationType }} = await resolver.resolveSignIn(TotpMultiFactorGenerator.assertionForSignIn(resolver.hints[0].uid, args[0]));
        return [operationType, ...(await shown(user))];
        """,
        next_code(totp),
    )
    assert signed_in[:4] == ["signIn", uid, "password", "totp"] and signed_in[4]
    left = app.run(
        """
        const factors = multiFactor(auth.currentUser);
        await factors.unenroll(factors.enrolledFactors[0]);
        await signOut(auth);
        const { user } = await signInWithEmailAndPassword(auth, ...args);
        return [multiFactor(user).enrolledFactors.length, user.uid];
        """,
        email,
        PASSWORD,
    )
    assert left == [0, uid]


def test_a_phone_is_enrolled_and_asked_for(app):
    email, uid = proven(app)
    app.run(
        f"""
        {OWN}
        const session = await multiFactor(auth.currentUser).getSession();
        const id = await new PhoneAuthProvider(auth).verifyPhoneNumber({{ phoneNumber: args[0], session }}, verifier);
        const assertion = PhoneMultiFactorGenerator.assertion(PhoneAuthProvider.credential(id, "123456"));
        await multiFactor(auth.currentUser).enroll(assertion, "Work phone");
        """,
        TEST,
    )
    hints = app.run(f"{ASKED} await signOut(auth); return asked(signInWithEmailAndPassword(auth, ...args))", email, PASSWORD)
    assert hints == [["phone", "Work phone", "+*******0101"]]
    signed_in = app.run(
        f"""
        {OWN} {PROVED}
        const provider = new PhoneAuthProvider(auth);
        const id = await provider.verifyPhoneNumber({{ multiFactorHint: resolver.hints[0], session: resolver.session }}, verifier);
        const wrong = PhoneMultiFactorGenerator.assertion(PhoneAuthProvider.credential(id, "000000"));
        const refused = await codeOf(resolver.resolveSignIn(wrong));
        const right = PhoneMultiFactorGenerator.assertion(PhoneAuthProvider.credential(id, "123456"));
        return [refused, ...(await shown((await resolver.resolveSignIn(right)).user))];
        """
    )
    assert signed_in[:4] == ["auth/invalid-verification-code", uid, "password", "phone"]
    # The account may have the number as a way to sign in, but the number does not open it.
    linked_and_refused = app.run(
        f"""
        {OWN}
        const link = await linkWithPhoneNumber(auth.currentUser, args[0], verifier);
        const {{ user }} = await link.confirm("123456");
        const linked = [user.uid, user.phoneNumber];
        await signOut(auth);
        const sent = await signInWithPhoneNumber(auth, args[0], verifier);
        return [...linked, await codeOf(sent.confirm("123456"))];
        """,
        TEST,
    )
    assert linked_and_refused == [uid, TEST, "auth/unsupported-first-factor"]
    app.run(f"{ASKED} await asked(signInWithEmailAndPassword(auth, ...args))", email, PASSWORD)
    left = app.run(
        f"""
        {OWN}
        const id = await new PhoneAuthProvider(auth).verifyPhoneNumber({{ multiFactorHint: resolver.hints[0], session: resolver.session }}, verifier);
        const {{ user }} = await resolver.resolveSignIn(PhoneMultiFactorGenerator.assertion(PhoneAuthProvider.credential(id, "123456")));
        const factors = multiFactor(user);
        await factors.unenroll(factors.enrolledFactors[0]);
        await signOut(auth);
        return multiFactor((await signInWithEmailAndPassword(auth, ...args)).user).enrolledFactors.length;
        """,
        email,
        PASSWORD,
    )
    assert left == 0


def test_a_link_by_mail_is_a_first_factor_alone(emulated):
    place = emulated
    email, uid = proven(place)
    totp = enrol(place)
    place.run(
        "await signOut(auth); await sendSignInLinkToEmail(auth, args[0], { url: location.origin + '/in', handleCodeInApp: true })", email
    )
    letter = place.mailed(email, "EMAIL_SIGNIN")
    assert place.run(f"{ASKED} return asked(signInWithEmailLink(auth, ...args))", email, letter["oobLink"])[0][0] == "totp"
    assert (
        place.run(
            "return (await resolver.resolveSignIn(TotpMultiFactorGenerator.assertionForSignIn(resolver.hints[0].uid, args[0]))).user.uid",
            next_code(totp),
        )
        == uid
    )


def test_reauthentication_asks_for_it_too(app):
    email, uid = proven(app)
    totp = enrol(app)
    credential = "EmailAuthProvider.credential(...args)"
    assert app.run(f"{ASKED} return asked(reauthenticateWithCredential(auth.currentUser, {credential}))", email, PASSWORD)[0][0] == "totp"
    assert app.run(
        """
        const { user, operationType } = await resolver.resolveSignIn(TotpMultiFactorGenerator.assertionForSignIn(resolver.hints[0].uid, args[0]));
        await updatePassword(user, "another battery");
        return [user.uid, operationType];
        """,
        next_code(totp),
    ) == [uid, "reauthenticate"]


def test_the_mail_about_a_new_factor_takes_it_away(emulated):
    place = emulated
    email, _ = proven(place)
    enrol(place, "Thief's phone")
    code = Mailbox(place.site.folder / "mails").code(email, "revertSecondFactorAddition")
    assert place.run(
        """
        const { operation, data } = await checkActionCode(auth, args[0]);
        await applyActionCode(auth, args[0]);
        await signOut(auth);
        const { user } = await signInWithEmailAndPassword(auth, args[1], args[2]);
        const { displayName, factorId } = data.multiFactorInfo;
        return [operation, data.email, displayName, factorId, multiFactor(user).enrolledFactors.length];
        """,
        code,
        email,
        PASSWORD,
    ) == ["REVERT_SECOND_FACTOR_ADDITION", email, "Thief's phone", "totp", 0]

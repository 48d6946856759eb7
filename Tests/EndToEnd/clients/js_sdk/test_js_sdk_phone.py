"""Phone numbers with the Firebase JS SDK: its own verifier, an app's own, and one over our captcha.js."""

import pytest

from support.browser.app_pages import needs_bundle
from support.browser.drivers import Chromium
from support.browser.front import Front
from support.browser.sdk_page import Place, SDKPage
from support.captcha import CaptchaServices
from support.leaks import note
from support.names import API_KEY, METHODS
from support.servers.site import Site

pytestmark = needs_bundle

TEST, FIRST, OTHER = "+16505550101", "+16505550103", "+16505550102"
PHONE = {"enabled": True, "regions": ["DE"], "testNumbers": {TEST: "123456", FIRST: "123456", OTHER: "654321"}}
PROJECT = {
    "phone": {
        **PHONE,
        "transport": {"twilio": {"accountSid": "AC" + "0" * 32, "secret": {"env": "CLIENT_SECRET"}, "from": "+491511234567"}},
    }
}
# Any object of this form is a verifier for the SDK.
OWN = "const verifier = { type: 'recaptcha', verify: async () => 'a token of the app', _reset() {} };"


def code_for(app, number):
    """The digits that were sent, as development mode lists them."""
    return note(
        next(entry["code"] for entry in app.helper("GET", "verificationCodes")["verificationCodes"] if entry["phoneNumber"] == number)
    )


def test_a_number_signs_in_with_a_verifier_of_the_app(app):
    first, second = app.run(
        f"""
        {OWN}
        const uids = [];
        for (let round = 0; round < 2; round++) {{
          const confirmation = await signInWithPhoneNumber(auth, args[0], verifier);
          const {{ user }} = await confirmation.confirm(args[1]);
          uids.push([user.uid, user.phoneNumber, user.providerData[0].providerId, (await user.getIdTokenResult()).signInProvider]);
          await signOut(auth);
        }}
        return uids;
        """,
        TEST,
        "123456",
    )
    assert first == second and first[1:] == [TEST, "phone", "phone"]


def test_a_wrong_code_and_a_wrong_number_are_told(app):
    assert app.run(
        f"""
        {OWN}
        const confirmation = await signInWithPhoneNumber(auth, args[0], verifier);
        return [
          await codeOf(confirmation.confirm("000000")), await codeOf(signInWithPhoneNumber(auth, "030 123", verifier)),
          await codeOf(signInWithPhoneNumber(auth, "+33123456789", verifier)),
        ];
        """,
        TEST,
    ) == ["auth/invalid-verification-code", "auth/invalid-phone-number", "auth/operation-not-allowed"]


def test_the_verifier_of_the_sdk_in_emulator_mode(emulated):
    app = emulated
    number = "+4930123477"
    app.run(
        """
        const holder = document.body.appendChild(Object.assign(document.createElement("div"), { id: "captcha" }));
        const verifier = new RecaptchaVerifier(auth, holder, { size: "invisible" });
        window.confirmation = await signInWithPhoneNumber(auth, args[0], verifier);
        """,
        number,
    )
    assert app.run("return (await confirmation.confirm(args[0])).user.phoneNumber", code_for(app, number)) == number


def test_a_number_is_linked_changed_and_unlinked(app):
    uid, *shown = app.run(
        f"""
        {OWN}
        const {{ user }} = await createUserWithEmailAndPassword(auth, args[0], "correct horse");
        const provider = new PhoneAuthProvider(auth);
        const credential = async (number, code) => PhoneAuthProvider.credential(await provider.verifyPhoneNumber(number, verifier), code);
        await (await linkWithPhoneNumber(user, args[1], verifier)).confirm("123456");
        const linked = user.phoneNumber;
        await updatePhoneNumber(user, await credential(args[2], "654321"));
        await user.reload();
        const changed = user.phoneNumber;
        const again = await reauthenticateWithCredential(user, await credential(args[2], "654321"));
        const twice = await codeOf(linkWithPhoneNumber(user, args[1], verifier));
        await unlink(user, "phone");
        return [user.uid, linked, changed, again.user.uid === user.uid, twice, user.phoneNumber, user.providerData.map((info) => info.providerId)];
        """,
        app.email(),
        FIRST,
        OTHER,
    )
    assert shown == [FIRST, OTHER, True, "auth/provider-already-linked", None, ["password"]]


def test_a_number_of_another_account_gives_a_credential_for_it(app):
    assert app.run(
        f"""
        {OWN}
        const first = (await (await signInWithPhoneNumber(auth, args[0], verifier)).confirm("123456")).user.uid;
        await createUserWithEmailAndPassword(auth, args[1], "correct horse");
        let error;
        try {{ await (await linkWithPhoneNumber(auth.currentUser, args[0], verifier)).confirm("123456"); }} catch (caught) {{ error = caught; }}
        const credential = PhoneAuthProvider.credentialFromError(error);
        const back = await signInWithCredential(auth, credential);
        return [error.code, back.user.uid === first, await codeOf(signInWithCredential(auth, credential))];
        """,
        TEST,
        app.email(),
    ) == ["auth/account-exists-with-different-credential", True, "auth/invalid-credential"]


@pytest.mark.parametrize("size", ["invisible", "normal"])
def test_the_verifier_of_the_sdk_over_our_captcha(tmp_path, size):
    number = f"+49301234{['invisible', 'normal'].index(size)}8"
    services, pages = CaptchaServices(), SDKPage()
    captcha = {"captcha": {"turnstile": services.settings("turnstile")}}
    site = Site(settings={"developmentProject": "demo"}, project={"signIn": METHODS, "phone": {**PROJECT["phone"], **captcha}})
    site.serve()
    front = Front(site.port)
    host = f"auth.shop.test:{front.port}"
    driver = Chromium(tmp_path)
    page = f"http://localhost:{pages.port}/?server=https://{host}&captcha={services.url}&key={API_KEY}"
    try:
        app = Place("production", site, driver, page, apiKey=API_KEY, apiHost=host).open()
        app.run(
            """
            const [size, number] = args;
            const holder = document.body.appendChild(document.createElement("div"));
            const verifier = new RecaptchaVerifier(auth, holder, { size });
            if (size === "normal") {
              await verifier.render();
              while (!holder.querySelector(".captcha-widget")) await new Promise((next) => setTimeout(next, 50));
              holder.querySelector(".captcha-widget").click();
            }
            window.confirmation = await signInWithPhoneNumber(auth, number, verifier);
            """,
            size,
            number,
        )
        assert not services.tokens and next(services.numbers) == 2, "the service was asked about one token"
        assert app.run("return (await confirmation.confirm(args[0])).user.phoneNumber", code_for(app, number)) == number
    finally:
        driver.quit()
        for part in (services, pages, front, site):
            part.close()

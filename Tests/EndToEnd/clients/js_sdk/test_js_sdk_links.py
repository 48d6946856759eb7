"""The Firebase JS SDK's calls for guests, for what is linked, and for custom tokens."""

import json
import time

import jwt

from support.browser.app_pages import needs_bundle
from support.browser.sdk_page import PASSWORD
from support.harness import counter
from support.jwts import CUSTOM_TOKEN_AUDIENCE
from support.leaks import note

pytestmark = needs_bundle


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
        """,
        email,
        PASSWORD,
    )
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
        """,
        taken,
        own,
        PASSWORD,
    ) == ["auth/provider-already-linked", "auth/email-already-in-use", True]


def test_a_provider_and_a_password_are_linked_and_unlinked(emulated, fake_issuer):
    app = emulated
    email = app.email()
    token = fake_issuer.id_token(f"linked-{next(counter)}", email=email, email_verified=True)
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
        """,
        email,
        PASSWORD,
        token,
    )
    assert shown == [["oidc.fake"], ["oidc.fake", "password"], ["password"], "auth/no-such-provider"]


def test_a_custom_token_signs_in(app):
    key = app.site.run("service-accounts", "create", "demo", check=True).stdout
    account = json.loads(key)
    now = int(time.time())
    payload = {
        "iss": account["client_email"],
        "sub": account["client_email"],
        "iat": now,
        "exp": now + 3600,
        "uid": f"custom-{next(counter)}",
        "aud": CUSTOM_TOKEN_AUDIENCE,
        "claims": {"role": "admin"},
    }
    token = jwt.encode(payload, account["private_key"], algorithm="RS256", headers={"kid": account["private_key_id"]})
    assert app.run(
        """
        const { user } = await signInWithCustomToken(auth, args[0]);
        await user.getIdToken(true);
        const { claims, signInProvider } = await user.getIdTokenResult();
        return [user.uid, signInProvider, claims.role];
        """,
        note(token),
    ) == [payload["uid"], "custom", "admin"]

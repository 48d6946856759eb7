"""Tenants with the Firebase JS SDK: `auth.tenantId` says which one is meant."""

from support.browser.app_pages import needs_bundle
from support.browser.sdk_page import PASSWORD
from support.names import METHODS

pytestmark = needs_bundle

TENANTS = {"customer-a": {"displayName": "Customer A", "signIn": METHODS}, "customer-b": {"signIn": METHODS}}


def test_the_same_address_is_another_person_in_each_tenant(app):
    email = app.email()
    made = app.run(
        """
        const [email, password] = args, made = [];
        for (const tenant of ["customer-a", "customer-b", null]) {
          auth.tenantId = tenant;
          const { user } = await createUserWithEmailAndPassword(auth, email, password);
          const { claims } = await user.getIdTokenResult();
          made.push([user.uid, user.tenantId, claims.firebase.tenant ?? null]);
          await signOut(auth);
        }
        return made;
        """,
        email,
        PASSWORD,
    )
    assert [row[1:] for row in made] == [["customer-a", "customer-a"], ["customer-b", "customer-b"], [None, None]]
    assert len({row[0] for row in made}) == 3


def test_a_person_of_a_tenant_signs_in_again_refreshes_and_changes_the_account(app):
    email = app.email()
    shown = app.run(
        """
        const [email, password] = args;
        auth.tenantId = "customer-a";
        await createUserWithEmailAndPassword(auth, email, password);
        await signOut(auth);
        const { user } = await signInWithEmailAndPassword(auth, email, password);
        await user.getIdToken(true);
        await updateProfile(user, { displayName: "Ada" });
        await user.reload();
        await updatePassword(user, "battery staple");
        const before = [user.displayName, user.tenantId, (await user.getIdTokenResult(true)).claims.firebase.tenant];
        await deleteUser(user);
        return before;
        """,
        email,
        PASSWORD,
    )
    assert shown == ["Ada", "customer-a", "customer-a"]


def test_a_person_of_one_tenant_is_not_taken_into_another(app):
    email = app.email()
    codes = app.run(
        """
        const [email, password] = args, codes = [];
        auth.tenantId = "customer-a";
        const { user } = await createUserWithEmailAndPassword(auth, email, password);
        for (const tenant of ["customer-b", null, "not-there"]) {
          auth.tenantId = tenant;
          await updateCurrentUser(auth, user).catch((error) => codes.push(error.code));
          await signInWithEmailAndPassword(auth, email, password).catch((error) => codes.push(error.code));
        }
        return codes;
        """,
        email,
        PASSWORD,
    )
    wrong = ["auth/tenant-id-mismatch", "auth/invalid-credential"]
    assert codes == [*wrong, *wrong, "auth/tenant-id-mismatch", "auth/tenant-not-found"]


def test_a_custom_token_and_a_new_password_in_a_tenant(emulated):
    email = emulated.email()
    emulated.run(
        "auth.tenantId = 'customer-a'; await createUserWithEmailAndPassword(auth, ...args); await sendPasswordResetEmail(auth, args[0])",
        email,
        PASSWORD,
    )
    codes = emulated.helper("GET", "tenants/customer-a/oobCodes")["oobCodes"]
    link = next(code for code in codes if code["email"] == email)
    assert "tenantId=customer-a" in link["oobLink"]
    parsed, uid = emulated.run(
        """
        const [link, email] = args;
        const parsed = ActionCodeURL.parseLink(link);
        auth.tenantId = parsed.tenantId;
        await confirmPasswordReset(auth, parsed.code, "battery staple");
        const { user } = await signInWithEmailAndPassword(auth, email, "battery staple");
        return [parsed.tenantId, user.uid];
        """,
        link["oobLink"],
        email,
    )
    assert parsed == "customer-a" and uid

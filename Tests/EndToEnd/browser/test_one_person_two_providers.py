"""One person with two providers that know the same address, in headless Chromium: the conflict, its way out, and the way back."""

import pytest

from support.browser.sign_in import complaints, in_settings

FIRST, SECOND = "google.com", "microsoft.com"


@pytest.fixture
def at_both(setting, google, microsoft, person):
    """The person, whom both providers know by the same address. The second provider's word for an address joins no accounts."""
    microsoft.users[person] = {**microsoft.stranger(person), "email": f"{person}@example.com"}
    setting.add_provider(FIRST, google.entry())
    setting.add_provider(SECOND, microsoft.entry())
    yield person
    del microsoft.users[person]


@in_settings()
@pytest.mark.parametrize("via", ["popup", "redirect"])
def test_the_conflict_is_solved_by_linking(setting, at_both, via):
    app = setting.open()

    def sign_in(provider, by="popup"):
        return app.closed().act(by, "signIn", provider, login_hint=at_both)

    # The person begins with the first provider.
    begun = sign_in(FIRST, via).result()
    assert (begun["isNew"], begun["email"]) == (True, f"{at_both}@example.com")
    uid = begun["uid"]

    # Months later they choose the second one. They are not signed in, and nothing is made.
    app.script("return client.signOut()")
    before = setting.site.counts()
    assert sign_in(SECOND, via).error() == "auth/account-exists-with-different-credential"
    assert setting.site.counts() == before

    # The app asks them to sign in as before, and links what the second provider said.
    assert sign_in(FIRST).result()["uid"] == uid
    linked = app.script("return client.linkPending()")
    assert (linked["operation"], linked["uid"], linked["provider"]) == ("link", uid, SECOND)
    assert app.providers() == [FIRST, SECOND]

    # From now on both lead to the same account.
    for provider in (SECOND, FIRST):
        app.script("return client.signOut()")
        result = sign_in(provider, via).result()
        assert (result["uid"], result["isNew"]) == (uid, False)

    # Before something that matters the person proves again who they are. Another person does not.
    assert app.closed().act(via, "reauth", SECOND, login_hint=at_both).result()["uid"] == uid
    assert app.closed().act(via, "reauth", FIRST, login_hint=f"not-{at_both}").error() == "auth/user-mismatch"

    # They take the second provider away again: it opens the account no more, and the conflict is back.
    assert sign_in(FIRST).result()["uid"] == uid
    assert app.script("return client.unlink(arguments[0])", SECOND) == uid
    assert app.providers() == [FIRST]
    app.script("return client.signOut()")
    assert sign_in(SECOND, via).error() == "auth/account-exists-with-different-credential"
    assert sign_in(FIRST, via).result()["uid"] == uid
    assert complaints(app) == []

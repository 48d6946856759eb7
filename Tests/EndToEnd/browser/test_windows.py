"""Windows that lose one another."""

from support.browser.sign_in import asking, in_settings


@in_settings()
def test_an_app_that_keeps_its_windows_to_itself_cannot_sign_in_by_pop_up(setting):
    app = setting.open(coop="same-origin").hurry().act("popup", "signIn", "oidc.one")
    app.popup().until(lambda: "lost" in app.text(), "word of the loss")
    assert app.error() == "auth/popup-closed-by-user"


@in_settings()
def test_an_app_that_allows_pop_ups_signs_in(setting, person):
    app = setting.open(coop="same-origin-allow-popups")
    assert app.act("popup", "signIn", "oidc.one", login_hint=person).result()["isNew"]


@in_settings()
def test_an_app_that_embeds_only_what_agrees_signs_in(setting, person):
    app = setting.open(coep="require-corp")
    assert app.act("popup", "signIn", "oidc.one", login_hint=person).result()["isNew"]
    assert app.closed().act("redirect", "signIn", "oidc.one", login_hint=person).result()


@in_settings()
def test_an_issuer_that_keeps_its_windows_to_itself(setting, fake_issuer, person):
    """Its page cuts the window off from the app; the result comes by way of the server, if the SDK still waits."""
    asking(fake_issuer, **{"cross-origin-opener-policy": "same-origin"})
    app = setting.open().act("popup", "signIn", "oidc.one", login_hint=person)
    app.popup().click("#yes")
    assert app.result()["isNew"]
    app.closed()

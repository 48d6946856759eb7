"""Pages of hosts that the project does not know."""

import requests

from support.browser.sign_in import in_settings
from support.names import TIMEOUT


def evil(setting):
    return "127.0.0.1" if setting.mode == "emulator" else "app.evil.test"


@in_settings()
def test_sec_18_a_page_of_an_unknown_host_cannot_use_the_frame(setting):
    app = setting.open(evil(setting)).hurry().act("popup", "signIn", "oidc.one")
    # Without gapi.js, the SDK only knows that the frame is silent.
    assert app.error() == ("auth/unauthorized-domain" if setting.client == "sdk" else "auth/network-request-failed")
    assert any("frame-ancestors" in text or "Refused to frame" in text for text in app.complaints())


@in_settings()
def test_a_page_of_an_unknown_host_is_told_at_once_that_it_is_not_authorized(setting):
    app = setting.open(evil(setting), gapi=True)
    # A frame that only is silent gives auth/network-request-failed, five seconds later.
    assert app.act("popup", "signIn", "oidc.one").error() == "auth/unauthorized-domain"


@in_settings()
def test_sec_10_a_page_of_an_unknown_host_cannot_start(setting, fake_issuer):
    app = setting.open(evil(setting)).act("redirect", "signIn", "oidc.one")
    if (setting.client, setting.mode) == ("sdk", "authDomain"):
        # Here the SDK asks first.
        assert app.error() == "auth/unauthorized-domain"
        return
    app.at("/auth/handler")
    assert "authorized" in app.text()
    assert fake_issuer.count("/authorize") == 0


@in_settings(clients=["player"])
def test_sec_10_the_pages_name_their_frame_and_their_domains(setting):
    page = requests.get(f"{setting.site.url}/__/auth/iframe?apiKey=demo-api-key&appName=x", timeout=TIMEOUT)
    policy = dict(part.strip().partition(" ")[::2] for part in page.headers["content-security-policy"].split(";"))
    assert "https://app.shop.localhost:*" in policy["frame-ancestors"].split() and "*" not in policy["frame-ancestors"].split()
    assert "unsafe" not in page.headers["content-security-policy"]
    assert "cross-origin-opener-policy" not in page.headers and "x-frame-options" not in page.headers

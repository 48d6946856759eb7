"""The SDK in headless Chromium, pointed here in both ways that it can be.

`emulator` is `connectAuthEmulator` to a server in development mode; `production` is `auth.config.apiHost` and `tokenApiHost`, over TLS, to a
server in production mode.
"""

import pytest

from support.browser.drivers import Chromium
from support.browser.front import Front
from support.browser.sdk_page import Place, SDKPage
from support.names import API_KEY, METHODS
from support.servers.site import Site


@pytest.fixture(scope="module")
def driver(tmp_path_factory):
    driver = Chromium(tmp_path_factory.mktemp("chromium"))
    yield driver
    driver.quit()


@pytest.fixture(scope="module")
def places(driver, doubles, request):
    """The servers; a module's `PROJECT` has more settings of their project, and its `TENANTS` are tenants of it."""
    more, tenants = getattr(request.module, "PROJECT", {}), getattr(request.module, "TENANTS", {})
    pages = SDKPage()
    development = Site(
        {name: doubles[name].entry() for name in ("oidc.fake", "apple.com", "github.com", "twitter.com")},
        settings={"developmentProject": "demo"},
        project={"signIn": METHODS, **more},
        tenants=tenants,
    )
    production = Site(
        project={"signIn": METHODS, "redirectURLs": [], "authorizedDomains": ["auth.shop.test", "localhost"], **more}, tenants=tenants
    )
    front = Front(production.port)
    host = f"auth.shop.test:{front.port}"
    production.settings.update(
        development=False, publicURL=f"https://{host}", mail={"transport": "file", "from": "no-reply@shop.test", "folder": "mails"}
    )
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

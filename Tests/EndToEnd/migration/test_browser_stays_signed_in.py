"""M4: a person who is signed in at Firebase in a browser stays signed in when the app's page names this server.

`sdk` is an unmodified Firebase SDK (FIREBASE_JS_BUNDLE names a bundle of it), `kept` a page of ours that plays it.
"""

import secrets
from urllib.parse import urlencode

import pytest
from werkzeug.wrappers import Response

from support.browser.app_pages import needs_bundle
from support.browser.drivers import Chromium
from support.browser.front import Front
from support.browser.sdk_page import PASSWORD, Place, SDKPage
from support.jwts import claims
from support.migration.firebase_of_apps import FirebaseOfApps
from support.migration.fixed_names import NotHere
from support.migration.moving_site import MovingSite
from support.names import API_KEY

GOOGLE = ("https://identitytoolkit.googleapis.com", "https://securetoken.googleapis.com")
SIGNED_IN = "await auth.authStateReady(); return auth.currentUser?.uid"


@pytest.fixture(scope="module")
def firebase_of_module():
    try:
        firebase = FirebaseOfApps()
    except NotHere as reason:
        pytest.skip(str(reason))
    yield firebase
    firebase.close()


class Stage:
    """The server behind TLS, the app's pages, and a browser for which Google's names lead to the double."""

    def __init__(self, firebase, folder):
        self.site = MovingSite(firebase)
        self.pages = SDKPage()
        self.front = Front(self.site.port)
        self.host = f"auth.shop.test:{self.front.port}"
        self.url = f"https://{self.host}"
        mails = {"transport": "file", "from": "no-reply@shop.test", "folder": "mails"}
        self.site.settings.update(development=False, publicURL=self.url, mail=mails)
        self.site.project.update(authorizedDomains=["auth.shop.test", "localhost"], redirectURLs=[])
        self.site.write()
        self.site.serve()
        self.driver = Chromium(folder, *(f"MAP {url.removeprefix('https://')} {firebase.names.address}" for url in GOOGLE))

    def open(self, client, name, servers, **connection):
        """The app's page, whose policy lets it ask these servers alone. The name of the app is what the SDK keeps a person under."""
        page = f"http://localhost:{self.pages.port}/?" + urlencode({"client": client, "server": " ".join(servers)})
        connection |= {"apiKey": API_KEY, "name": name, "persistence": "indexedDBLocalPersistence"}
        return Place("migration", self.site, self.driver, page, **connection).open()

    def close(self):
        self.driver.quit()
        for part in (self.front, self.pages, self.site):
            part.close()


@pytest.fixture(scope="module")
def stage(firebase_of_module, tmp_path_factory):
    stage = Stage(firebase_of_module, tmp_path_factory.mktemp("chromium"))
    yield stage
    stage.close()


def sign_in_there(stage, firebase, client, lifetime):
    """A new person, who is on both sides, signs in by the page that names Google. Gives the uid."""
    uid = f"person-{secrets.token_hex(4)}"
    email = f"{uid}@example.com"
    stage.site.move(uid, email=email, password=PASSWORD)
    firebase.lifetime = lifetime
    try:
        stage.open(client, uid, GOOGLE).run("await signInWithEmailAndPassword(auth, ...args)", email, PASSWORD)
    finally:
        del firebase.lifetime
    assert firebase.count("password") == 1 and firebase.count("own_account") > 0
    firebase.calls.clear()
    stage.driver.requests()
    return uid


# With less than half a minute left, the SDK renews an ID token before it asks anything.
RAN_OUT = 20
clients = pytest.mark.parametrize("client", ["kept", pytest.param("sdk", marks=needs_bundle)])


@clients
@pytest.mark.parametrize("mode", ["apiHost", "emulator"])
@pytest.mark.parametrize("lifetime", [3600, RAN_OUT], ids=["valid", "ran-out"])
def test_a_person_stays_signed_in_when_the_page_names_this_server(stage, firebase, client, mode, lifetime):
    uid = sign_in_there(stage, firebase, client, lifetime)
    connection = {"apiHost": stage.host} if mode == "apiHost" else {"emulator": stage.url}

    here = stage.open(client, uid, [stage.url], **connection)
    assert here.run(SIGNED_IN) == uid
    first = claims(here.run("return auth.currentUser.getIdToken(true)"))
    assert first["sub"] == uid and first["iss"].startswith(stage.url) and first["firebase"]["sign_in_provider"] == "password"
    assert firebase.count("refresh") == 1, "asked by the server"

    # From the second refresh on, nothing of Google's is needed, also after another start.
    firebase.calls.clear()
    here.run("return auth.currentUser.getIdToken(true)")
    again = stage.open(client, uid, [stage.url], **connection)
    assert again.run(SIGNED_IN) == uid
    again.run("return auth.currentUser.getIdToken(true)")
    assert firebase.calls == []
    assert not [address for address, _ in stage.driver.requests() if address.startswith(GOOGLE)], "asked by the browser"
    rows = stage.site.rows("SELECT bridged, sign_in_provider, ended_at FROM sessions WHERE account_id = %s", uid)
    assert rows == [(True, "password", None)]
    assert f"  {uid}  session.bridged  " in stage.site.run("audit", "list", "demo", "--account", uid, check=True).stdout


@clients
def test_M7_while_google_is_down_the_browser_forgets_nobody(stage, firebase, client):
    uid = sign_in_there(stage, firebase, client, RAN_OUT)
    firebase.trouble["refresh"] = Response("busy", 503)
    assert stage.open(client, uid, [stage.url], apiHost=stage.host).run(SIGNED_IN) == uid
    assert firebase.count("refresh") > 0
    firebase.trouble.clear()
    here = stage.open(client, uid, [stage.url], apiHost=stage.host)
    assert here.run(SIGNED_IN) == uid
    assert claims(here.run("return auth.currentUser.getIdToken()"))["iss"].startswith(stage.url)


@clients
def test_a_person_who_was_disabled_here_is_signed_out(stage, firebase, client):
    uid = sign_in_there(stage, firebase, client, 3600)
    stage.site.administrator.succeed("update", {"localId": uid, "disableUser": True})
    assert stage.open(client, uid, [stage.url], apiHost=stage.host).run(SIGNED_IN) is None

"""The README's lines for an app of one's own, word for word, at `http://localhost`, on a server as `make run` starts it: in Chromium and in
Firefox, with an unmodified SDK where FIREBASE_JS_BUNDLE names one."""

import pytest

from support import accounts
from support.browser.drivers import Chromium, Firefox
from support.browser.readme import LINES, TAG, ReadmeApp, ReadmePages
from support.real_issuers.provider_mock import ProviderMock
from support.servers.make_run import MakeRun, printed

# The issuer only knows this person's address from the person.
UNPROVEN = "unproven"


@pytest.fixture(scope="module")
def site():
    issuer = ProviderMock({UNPROVEN: {"email": "grace@example.com", "email_verified": False}})
    site = MakeRun(issuer.url)
    site.serve()
    yield site
    site.close()
    issuer.close()


@pytest.fixture(scope="module", params=[Chromium, Firefox], ids=["chromium", "firefox"])
def driver(request, tmp_path_factory):
    driver = request.param(tmp_path_factory.mktemp("browser"))
    yield driver
    driver.quit()


@pytest.fixture(scope="module")
def pages(site):
    pages = ReadmePages(site.port)
    yield pages
    pages.close()


@pytest.fixture
def app(driver, pages):
    app = ReadmeApp(driver, pages.origin)
    yield app
    assert app.thrown() == []


@pytest.fixture
def person():
    """A new person."""
    return accounts.person()


def test_make_run_prints_the_lines_of_the_README():
    said = printed(8080, "my-app")
    for line in (*TAG.splitlines(), *LINES.splitlines()):
        assert line.startswith("import ") or line in said, line
    assert "http://localhost:8080/sample/" in said and "127.0.0.1" not in said and "docs/clients/web.md" in said


def test_a_pop_up_signs_in(app, site, person):
    result = app.act("popup", "signIn").answer(person).result()
    assert (result["operation"], result["provider"], result["isNew"]) == ("signIn", "oidc.demo", True)
    assert site.rows("SELECT provider_id, subject FROM identities WHERE account_id = %s", result["uid"]) == [("oidc.demo", person)]
    app.closed()


def test_a_redirect_signs_in(app, person):
    result = app.act("redirect", "signIn").answer(person).result()
    assert (result["operation"], result["provider"], result["isNew"]) == ("signIn", "oidc.demo", True)
    assert app.driver.current_url == app.url
    assert app.open().settled() is None


@pytest.mark.parametrize("via", ["popup", "redirect"])
def test_a_guest_links_an_identity(app, person, via):
    uid = app.client("guest")
    linked = app.act(via, "link").answer(person).result()
    assert (linked["operation"], linked["uid"]) == ("link", uid)
    assert app.providers() == ["oidc.demo"]


@pytest.mark.parametrize("via", ["popup", "redirect"])
def test_a_person_reauthenticates(app, person, via):
    uid = app.act(via, "signIn").answer(person).result()["uid"]
    again = app.closed().act(via, "reauth").answer(person).result()
    assert (again["operation"], again["uid"]) == ("reauth", uid)
    assert app.closed().act(via, "reauth").answer(f"not-{person}").error() == "auth/user-mismatch"


def test_an_identity_of_another_account_is_not_linked(app, person):
    uid = app.act("popup", "signIn").answer(person).result()["uid"]
    app.closed().client("signOut")
    assert app.client("guest") != uid
    assert app.act("popup", "link").answer(person).error() == "auth/credential-already-in-use"
    assert app.closed().providers() == []


def test_an_address_of_another_account_is_linked_after_its_password(app, site):
    password = {"email": "grace@example.com", "password": "correct horse", "isNew": True}
    uid = app.client("password", password)
    app.client("signOut")
    assert app.act("popup", "signIn").answer(UNPROVEN).error() == "auth/account-exists-with-different-credential"
    assert app.closed().client("password", {**password, "isNew": False}) == uid
    linked = app.client("linkPending")
    assert (linked["operation"], linked["uid"]) == ("link", uid)
    assert app.providers() == ["oidc.demo", "password"]
    # The next browser starts with an empty state.
    site.servers[0].api("any").succeed("delete", {"idToken": site.servers[0].api("any").succeed("signInWithPassword", password)["idToken"]})


@pytest.mark.parametrize("via", ["popup", "redirect"])
def test_a_person_refuses(app, via):
    app.act(via, "signIn").answer(None)
    assert app.error() == "auth/user-cancelled"
    app.closed()

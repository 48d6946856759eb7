"""The README's lines for an app of one's own, word for word, at `http://localhost`, on a server as `make run` starts it: in Chromium and in
Firefox, with an unmodified SDK where FIREBASE_JS_BUNDLE names one."""

import pytest

from support.browser.drivers import Chromium, Firefox
from support.browser.hosted_page import HostedPage
from support.browser.readme import LINES, TAG, ReadmeApp, ReadmePages
from support.browser.tab import Tab
from support.servers.make_run import PASSWORD, MakeRun, Person, printed

pytestmark = pytest.mark.long


@pytest.fixture(scope="module")
def site():
    site = MakeRun()
    site.serve()
    yield site
    site.close()


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
def person(site):
    """A new person, whose address is not proven."""
    return site.person()


def test_make_run_prints_the_lines_of_the_README():
    said = printed(8080, "my-app")
    for line in (*TAG.splitlines(), *LINES.splitlines()):
        assert line.startswith("import ") or line in said, line
    assert "http://localhost:8080/sample/" in said and "127.0.0.1" not in said and "docs/clients/web.md" in said
    assert f"as ada@example.com or charles@example.com, with the password: {PASSWORD}\n" in said


@pytest.mark.parametrize("way", ["at-oidc.demo", "at-hosted"])
@pytest.mark.parametrize("email, name", [("ada@example.com", "Ada Lovelace"), ("charles@example.com", "Charles Babbage")])
def test_the_people_that_it_prints_sign_in_at_the_sample_page(site, driver, way, email, name):
    """By the page's own call and through the hosted page of the project, which leads to the same provider."""
    tab = Tab(driver)
    driver.get(f"http://localhost:{site.port}/sample/")
    tab.click(f"[id='{way}']")
    if way == "at-hosted":
        tab.at("/my-app/sign-in").click("button[value='oidc.demo']")
    HostedPage(tab).sign_in(Person(email, ""))
    tab.until(lambda: driver.find_element("id", "name").text == name, name)
    assert driver.find_element("id", "address").text == f"{email}, not verified"
    tab.click("#sign-out")
    tab.until(lambda: driver.find_element("id", "at-hosted").is_displayed(), "page of before")


def test_a_pop_up_signs_in(app, site, person):
    result = app.act("popup", "signIn").answer(person).result()
    assert (result["operation"], result["provider"], result["isNew"]) == ("signIn", "oidc.demo", True)
    assert site.rows("SELECT provider_id, subject FROM identities WHERE account_id = %s", result["uid"]) == [("oidc.demo", person.subject)]
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
def test_a_person_reauthenticates(app, site, person, via):
    uid = app.act(via, "signIn").answer(person).result()["uid"]
    again = app.closed().act(via, "reauth").answer(person).result()
    assert (again["operation"], again["uid"]) == ("reauth", uid)
    assert app.closed().act(via, "reauth").answer(site.person()).error() == "auth/user-mismatch"


def test_an_identity_of_another_account_is_not_linked(app, person):
    uid = app.act("popup", "signIn").answer(person).result()["uid"]
    app.closed().client("signOut")
    assert app.client("guest") != uid
    assert app.act("popup", "link").answer(person).error() == "auth/credential-already-in-use"
    assert app.closed().providers() == []


def test_an_address_of_another_account_is_linked_after_its_password(app, site, person):
    password = {"email": person.email, "password": "correct horse", "isNew": True}
    uid = app.client("password", password)
    app.client("signOut")
    assert app.act("popup", "signIn").answer(person).error() == "auth/account-exists-with-different-credential"
    assert app.closed().client("password", {**password, "isNew": False}) == uid
    linked = app.client("linkPending")
    assert (linked["operation"], linked["uid"]) == ("link", uid)
    assert app.providers() == ["oidc.demo", "password"]


@pytest.mark.parametrize("via", ["popup", "redirect"])
def test_a_person_refuses(app, via):
    app.act(via, "signIn").answer(None)
    assert app.error() == "auth/user-cancelled"
    app.closed()

"""Development mode in real browsers: the page at `/emulator/codes`, and the addresses of pages."""

import pytest
import requests

from support.browser.drivers import Chromium, Firefox
from support.browser.tab import Tab
from support.clients.emulator import ask, codes
from support.harness import wait_until
from support.leaks import note
from support.names import API_KEY, METHODS, TIMEOUT
from support.servers.site import Site
from support.web_server import WebServer

BROWSERS = {"chromium": Chromium, "firefox": Firefox}


@pytest.fixture(scope="module", params=BROWSERS)
def driver(request, tmp_path_factory):
    driver = BROWSERS[request.param](tmp_path_factory.mktemp(request.param))
    yield driver
    driver.quit()


@pytest.fixture(scope="module")
def developed():
    site = Site(
        settings={"developmentProject": "demo"},
        project={
            "signIn": METHODS,
            "authorizedDomains": ["localhost", "127.0.0.1", "app.example.com"],
            "emailEnumerationProtection": False,
        },
    )
    site.serve()
    yield site
    site.close()


class Person(Tab):
    """A developer at `/emulator/codes`."""

    def press(self, selector):
        """Presses a button or a link, and waits for the page that answers it."""
        before = self.script("return performance.timeOrigin")
        self.click(selector)
        self.until(
            lambda: self.script("return document.readyState === 'complete' && performance.timeOrigin") not in (False, before), "answer"
        )
        assert "403" not in self.driver.title and "authorizedDomains" not in self.text(), self.text()
        return self

    def write(self, **fields):
        for name, value in fields.items():
            field = self.driver.find_element("id", name.replace("_", "-"))
            field.clear()
            field.send_keys(value)
        return self


def test_each_button_of_the_emulators_page_does_what_it_says(developed, driver):
    ask(developed, "DELETE", "/emulator/v1/projects/demo/accounts").raise_for_status()
    person = Person(driver)
    driver.get(f"http://localhost:{developed.port}/emulator/codes?live=off")
    person.press("#live").press("#stop").press("#add").press(".button.plain")
    person.press("#add").write(email="ada@example.com", password=note("analytical engine"), display_name="Ada").press("#go")
    assert developed.counts()["accounts"] == 1 and "ada@example.com" in person.text()
    driver.get(f"http://localhost:{developed.port}/emulator/codes?live=off")
    person.press("#accounts a.button").write(continue_url="http://localhost:3000/in").press("#go")
    (code,) = codes(developed)
    note(code["oobCode"])
    assert code["requestType"] == "EMAIL_SIGNIN" and code["email"] == "ada@example.com"
    driver.get(f"http://localhost:{developed.port}/emulator/codes?live=off")
    person.press("#accounts button[value=delete]")
    assert developed.counts()["accounts"] == 0
    driver.get(f"http://localhost:{developed.port}/emulator/codes?live=off")
    person.press("#add").write(email="bob@example.com", password=note("difference engine")).press("#go")
    driver.get(f"http://localhost:{developed.port}/emulator/codes?live=off")
    person.press("#clear")
    assert developed.counts() == {"accounts": 0, "identities": 0, "sessions": 0}


@pytest.mark.parametrize("driver", ["chromium"], indirect=True)
def test_another_sites_page_presses_no_button_there(developed, driver):
    """With the form of that page, as any site could have it. Firefox finds no hosts below `.test`."""

    def page(environ, start):
        start("200 OK", [("content-type", "text/html"), ("referrer-policy", environ["PATH_INFO"].strip("/"))])
        fields = "".join(f'<input name="{name}" value="{value}">' for name, value in {"project": "demo", "do": "clear"}.items())
        form = f'<form method="post" action="http://localhost:{developed.port}/emulator/codes">{fields}<button id="go">x</button></form>'
        return [form.encode()]

    ask(developed, "DELETE", "/emulator/v1/projects/demo/accounts").raise_for_status()
    key = f"{developed.url}/v1/accounts:signUp?key={API_KEY}"
    requests.post(key, json={"returnSecureToken": True}, timeout=TIMEOUT).raise_for_status()
    stranger = WebServer(page)
    try:
        for policy in ("no-referrer", "unsafe-url"):
            driver.get(f"{stranger.url.replace('127.0.0.1', 'evil.test')}/{policy}")
            driver.find_element("id", "go").click()
            wait_until(lambda: driver.current_url.endswith("/emulator/codes"), what="the answer")
            assert developed.counts()["accounts"] == 1, policy
    finally:
        stranger.close()


# What browsers report of a page, and what developers write by hand.
ADDRESSES = [
    "https://app.example.com",
    "HTTPS://APP.example.com:443/A?filter[a]=1",
    "https://app.example.com/|[x]?{y}|^`\\'#{z}|^",
    'https://app.example.com/{x}`"<>',
    "https://app.example.com/é a?é b#é c",
    "https://app.example.com/a/../b/./c/%2e%2E/d/..",
    "https://app.example.com/%zz?%z#%",
    "https://app.example.com/?'\"<>#\"<>`'",
    "http://localhost:80/in?a=b&c=/?d",
]


def kept(site, driver, address):
    """The address of the link that the server mails for a page."""
    body = {"requestType": "EMAIL_SIGNIN", "email": "ada@example.com", "continueUrl": address}
    answer = ask(site, "POST", f"/v1/accounts:sendOobCode?key={API_KEY}", body)
    assert answer.status_code == 200, (address, answer.text)
    link = note(codes(site)[-1]["oobLink"])
    return driver.execute_script("return new URL(arguments[0]).searchParams.get('continueUrl')", link)


def test_addresses_of_pages_are_kept_as_the_browser_writes_them(developed, driver):
    """Browsers differ in a few characters of paths (`|`, `^`), so what a developer wrote is the same address for the browser."""
    written = [driver.execute_script("return new URL(arguments[0]).href", address) for address in ADDRESSES]
    assert [kept(developed, driver, address) for address in written] == written
    ours = [kept(developed, driver, address) for address in ADDRESSES]
    assert [driver.execute_script("return new URL(arguments[0]).href", address) for address in ours] == written


def test_a_name_of_this_machine_leads_to_the_servers_of_tests(driver):
    """Another program may have the same port at IPv6, where browsers ask first."""

    def page(text):
        def answer(_, start):
            start("200 OK", [("content-type", "text/html")])
            return [text]

        return answer

    ours = WebServer(page(b"ours"))
    stranger = WebServer(page(b"a stranger's"), port=int(ours.url.rpartition(":")[2]), host="::1")
    try:
        for host in ("localhost", "app.localhost"):
            driver.get(f"http://{host}:{ours.url.rpartition(':')[2]}/")
            assert driver.find_element("tag name", "body").text == "ours"
    finally:
        ours.close()
        stranger.close()

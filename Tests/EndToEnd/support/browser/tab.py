"""What a person and an app do in a browser."""

import contextlib
import json
import time
from urllib.parse import urlencode

from selenium.common.exceptions import WebDriverException

from support.harness import counter
from support.names import TIMEOUT


def until(driver, condition, what, timeout=TIMEOUT):
    """Waits for a condition.

    A page that gives way to the next while it is looked at fails in several ways, one of them the driver's own; each is a reason to look again.
    """
    end = time.monotonic() + timeout
    while time.monotonic() < end:
        with contextlib.suppress(WebDriverException):
            value = condition()
            if value:
                return value
        time.sleep(0.05)
    raise AssertionError(f"no {what}; {state(driver)}")


def click(driver, selector):
    """Clicks once the page has loaded: until then it may move under the click, which is lost then."""

    def clicked():
        if driver.execute_script("return document.readyState") != "complete":
            return False
        driver.find_element("css selector", selector).click()
        return True

    until(driver, clicked, f"{selector} to click")


def arrived(driver, end, text=""):
    """Waits until the window in front is at an address with this end, and its page is there, with this text in it."""

    def there():
        return (
            driver.execute_script("return document.readyState") == "complete"
            and driver.current_url.endswith(end)
            and text in driver.page_source
        )

    until(driver, there, f"page at {end} with {text!r}")


def state(driver):
    """What every window shows, and what the browser complained of."""
    told = []
    for handle in driver.window_handles:
        driver.switch_to.window(handle)
        body = driver.execute_script("return document.body ? document.body.innerText : ''")
        told.append(f"{driver.current_url} says {body!r}")
    return "; ".join([*told, *driver.complaints()])


class Tab:
    """The app's page in the browser, and the windows that it opens."""

    def __init__(self, driver):
        self.driver = driver
        for extra in driver.window_handles[1:]:
            driver.switch_to.window(extra)
            driver.close()
        driver.switch_to.window(driver.window_handles[0])
        driver.get("about:blank")
        driver.forget()
        self.handle = driver.current_window_handle

    def script(self, text, *arguments):
        return self.driver.execute_script(text, *arguments)

    def until(self, condition, what, timeout=TIMEOUT):
        return until(self.driver, condition, what, timeout)

    def state(self):
        return state(self.driver)

    def complaints(self):
        return self.driver.complaints()

    def home(self):
        self.driver.switch_to.window(self.handle)
        return self

    def popup(self):
        """Switches to the sign-in window."""
        handle = self.until(lambda: next((h for h in self.driver.window_handles if h != self.handle), None), "sign-in window")
        self.driver.switch_to.window(handle)
        return self

    def at(self, part, timeout=TIMEOUT):
        """Waits until the window in front is at such an address, and its page is there."""

        def there():
            # Firefox answers nothing for a window whose first page is on its way.
            return part in (self.script("return document.readyState === 'complete' ? location.href : ''") or "")

        self.until(there, f"page at {part}", timeout)
        return self

    def click(self, selector):
        click(self.driver, selector)

    def text(self):
        return self.script("return document.body.innerText")

    def requests(self):
        """Every request since the last call, as [address, type of resource]."""
        return self.driver.requests()


class App(Tab):
    """An app whose page is open: `act` starts a sign-in, `outcome` waits for its result."""

    def __init__(self, driver, origin, **wish):
        super().__init__(driver)
        self.url = f"{origin}/page?" + urlencode({"appName": f"app-{next(counter)}", **wish})
        self.open()

    def open(self):
        self.driver.get(self.url)
        self.until(lambda: self.script("return Boolean(window.client)"), "client")
        return self

    def hurry(self):
        """Makes player.js give up sooner than the SDK does."""
        self.script("window.closedGrace = 500; window.frameLimit = 1500")
        return self

    def act(self, via, action, provider, scopes=None, **parameters):
        options = {"providerId": provider, **({"parameters": parameters} if parameters else {}), **({"scopes": scopes} if scopes else {})}
        self.home().script("act(...arguments)", via, action, options)
        return self

    def outcome(self, timeout=TIMEOUT):
        self.home()
        return self.until(lambda: self.script("return window.outcome"), "outcome", timeout)

    def result(self, timeout=TIMEOUT):
        outcome = self.outcome(timeout)
        assert "result" in outcome, f"{outcome}; {self.state()}"
        return outcome["result"]

    def error(self, timeout=TIMEOUT):
        outcome = self.outcome(timeout)
        assert "error" in outcome, outcome
        return outcome["error"]

    def providers(self):
        return self.home().script("return client.providers()")

    def closed(self):
        """Waits until the sign-in window is closed."""
        self.until(lambda: len(self.driver.window_handles) == 1, "end of the sign-in window")
        return self

    def thrown(self):
        """The errors that the app's error monitor has kept, which is emptied by this."""
        self.home().driver.get("/".join(self.url.split("/")[:3]) + "/errors.js")
        kept = self.script("return sessionStorage.getItem('thrown')")
        self.script("sessionStorage.removeItem('thrown')")
        return json.loads(kept or "[]")

    def settled(self):
        """The result of an earlier redirect that a newly opened page has found, if any."""
        return self.until(lambda: self.script("return window.settled"), "answer")["result"]

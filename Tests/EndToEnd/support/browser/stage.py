"""What the browser tests stand on: servers for the app's pages, TLS in front of servers, and what a person does. The browsers are in
drivers.py."""

import asyncio
import datetime
import itertools
import json
import os
import pathlib
import ssl
import tempfile
import threading
import time
from urllib.parse import urlencode

from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import NameOID
import pytest
import requests
from selenium.common.exceptions import WebDriverException
from werkzeug.wrappers import Request, Response

from support.common import TIMEOUT
from support.issuers import WebServer

FOLDER = pathlib.Path(__file__).parent
BUNDLE = os.environ.get("FIREBASE_JS_BUNDLE")
needs_bundle = pytest.mark.skipif(not BUNDLE, reason="FIREBASE_JS_BUNDLE names no bundle of the Firebase SDK")
names = itertools.count(1)


def settings(clients=("player", "sdk"), modes=("emulator", "authDomain")):
    for client, mode in itertools.product(clients, modes):
        yield pytest.param((client, mode), id=f"{client}-{mode}", marks=[needs_bundle] if client == "sdk" else [])


class Front:
    """TLS in front of a server of this machine, as a reverse proxy would have it: bytes in, the same bytes out."""

    certificate = None

    def __init__(self, port):
        self.target = port
        self.loop = asyncio.new_event_loop()
        started = threading.Event()
        self.thread = threading.Thread(target=self.run, args=(started,), daemon=True)
        self.thread.start()
        started.wait(10)

    @classmethod
    def context(cls):
        if cls.certificate is None:
            key = ec.generate_private_key(ec.SECP256R1())
            name = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, "everything.test")])
            now = datetime.datetime.now(datetime.timezone.utc)
            day = datetime.timedelta(days=1)
            builder = x509.CertificateBuilder(name, name, key.public_key(), x509.random_serial_number(), now - day, now + day)
            cls.certificate = pathlib.Path(tempfile.mkdtemp(prefix="gatehouse-e2e-tls-")) / "both.pem"
            cls.certificate.write_bytes(
                key.private_bytes(serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption())
                + builder.sign(key, hashes.SHA256()).public_bytes(serialization.Encoding.PEM)
            )
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(cls.certificate)
        return context

    def run(self, started):
        asyncio.set_event_loop(self.loop)
        server = self.loop.run_until_complete(asyncio.start_server(self.serve, "127.0.0.1", 0, ssl=self.context()))
        self.port = server.sockets[0].getsockname()[1]
        started.set()
        self.loop.run_forever()
        # Connections that browsers keep open.
        tasks = asyncio.all_tasks(self.loop)
        for task in tasks:
            task.cancel()
        self.loop.run_until_complete(asyncio.gather(*tasks, return_exceptions=True))

    async def serve(self, reader, writer):
        try:
            other_reader, other_writer = await asyncio.open_connection("127.0.0.1", self.target)
        except OSError:
            writer.close()
            return
        await asyncio.gather(self.copy(reader, other_writer), self.copy(other_reader, writer))

    async def copy(self, source, sink):
        try:
            while data := await source.read(65536):
                sink.write(data)
                await sink.drain()
        except (OSError, ssl.SSLError):
            pass
        finally:
            sink.close()

    def close(self):
        self.loop.call_soon_threadsafe(self.loop.stop)
        self.thread.join(10)


class AppPages:
    """The app's own web server. `/page` is the app; `coop` and `coep` in its address make it send those policies.

    With `behind`, the address of a Gatehouse, it passes `/__/auth/` on to there, as docs/clients/web.md has reverse proxies do.
    """

    def __init__(self, behind=None, host="127.0.0.1"):
        self.behind = behind
        self.web = WebServer(Request.application(self.respond), host=host)
        self.port = int(self.web.url.rpartition(":")[2])

    def forward(self, request):
        headers = [(name, value) for name, value in request.headers if name.lower() != "connection"]
        address = self.behind + request.full_path.rstrip("?")
        answer = requests.request(
            request.method, address, headers=dict(headers), data=request.get_data(), allow_redirects=False, timeout=TIMEOUT
        )
        dropped = ("content-length", "content-encoding", "transfer-encoding", "connection", "date")
        kept = [(name, value) for name, value in answer.raw.headers.items() if name.lower() not in dropped]
        return Response(answer.content, answer.status_code, kept)

    def respond(self, request):
        if self.behind and request.path.startswith("/__/auth/"):
            return self.forward(request)
        if request.path != "/page":
            file = pathlib.Path(BUNDLE) if request.path == "/bundle.js" else FOLDER / request.path[1:]
            known = request.path == "/bundle.js" or file.name in ("errors.js", "page.js", "player.js", "sdk.js")
            return Response(file.read_bytes(), content_type="text/javascript; charset=utf-8") if known else Response(status=404)
        wish = request.args
        home = wish.get("emulator") or "https://" + wish.get("authDomain", "")
        api = "https://" + wish["apiHost"] if "apiHost" in wish else home
        scripts = {"sdk": ["/bundle.js", "/sdk.js"], "player": ["/player.js"]}.get(wish.get("client"), [])
        if "gapi" in wish:
            scripts = [home + wish["gapi"]] + scripts
        tags = "".join(f'<script src="{script}"></script>' for script in ["/errors.js", *scripts, "/page.js"])
        html = f'<!doctype html><meta charset="utf-8"><title>App</title><link rel="icon" href="data:,"><body>{tags}'
        # The policy that docs/clients/web.md asks of an app.
        policy = f"default-src 'none'; img-src data:; script-src 'self' {home}; frame-src {home}; connect-src {api}"
        headers = {"content-security-policy": policy}
        if "coop" in wish:
            headers["cross-origin-opener-policy"] = wish["coop"]
        if "coep" in wish:
            headers["cross-origin-embedder-policy"] = wish["coep"]
        return Response(html, headers=headers, content_type="text/html; charset=utf-8")

    def close(self):
        self.web.close()


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
        """Waits for a condition; pages that come and go meanwhile are no error."""
        end = time.monotonic() + timeout
        while time.monotonic() < end:
            try:
                value = condition()
                if value:
                    return value
            except WebDriverException:
                pass
            time.sleep(0.05)
        raise AssertionError(f"no {what}; {self.state()}")

    def state(self):
        told = []
        for handle in self.driver.window_handles:
            self.driver.switch_to.window(handle)
            body = self.script("return document.body ? document.body.innerText : ''")
            told.append(f"{self.driver.current_url} says {body!r}")
        return "; ".join([*told, *self.complaints()])

    def complaints(self):
        return self.driver.complaints()

    def home(self):
        self.driver.switch_to.window(self.handle)
        return self

    def popup(self):
        """Goes to the sign-in window."""
        handle = self.until(lambda: next((h for h in self.driver.window_handles if h != self.handle), None), "sign-in window")
        self.driver.switch_to.window(handle)
        return self

    def at(self, part, timeout=TIMEOUT):
        """Waits until the window in front is at such an address, and its page is there."""
        def there():
            return part in self.script("return document.readyState === 'complete' ? location.href : ''")

        self.until(there, f"page at {part}", timeout)
        return self

    def click(self, selector):
        self.until(lambda: self.driver.find_element("css selector", selector).click() or True, f"{selector} to click")

    def text(self):
        return self.script("return document.body.innerText")

    def requests(self):
        """Every request since the last question, as [address, type of resource]."""
        return self.driver.requests()


class App(Tab):
    """An app whose page is open: `act` starts a sign-in, `outcome` waits for what became of it."""

    def __init__(self, driver, origin, **wish):
        super().__init__(driver)
        self.url = f"{origin}/page?" + urlencode({"appName": f"app-{next(names)}", **wish})
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
        """Waits until the sign-in window is gone."""
        self.until(lambda: len(self.driver.window_handles) == 1, "end of the sign-in window")
        return self

    def thrown(self):
        """What the app's error monitor has kept, which then is empty again."""
        self.home().driver.get("/".join(self.url.split("/")[:3]) + "/errors.js")
        kept = self.script("return sessionStorage.getItem('thrown')")
        self.script("sessionStorage.removeItem('thrown')")
        return json.loads(kept or "[]")

    def settled(self):
        """What a page that was just opened found of an earlier redirect, which may be nothing."""
        return self.until(lambda: self.script("return window.settled"), "answer")["result"]

"""What the README gives an app that stands on `make run`: its lines, and a page that consists of them."""

import re

from werkzeug.wrappers import Request, Response

from support.browser.app_pages import BUNDLE, FOLDER
from support.browser.hosted_page import HostedPage
from support.browser.tab import App, Tab
from support.harness import ROOT
from support.web_server import WebServer

_SECTION = (ROOT / "README.md").read_text().partition("### Your app on it")[2].partition("\n#")[0]
# The script that an app's page loads before the SDK, and its lines with the SDK.
(TAG,) = re.findall(r"```html\n(.*?)```", _SECTION, re.DOTALL)
(LINES,) = re.findall(r"```js\n(.*?)```", _SECTION, re.DOTALL)


class ReadmePages:
    """An app that consists of the README's lines, at `http://localhost`. The SDK's modules are names for a bundle, or for player.js."""

    MODULES = {"/app.mjs": ["initializeApp"], "/auth.mjs": ["getAuth", "connectAuthEmulator"]}
    FILES = ["errors.js", "player.js", "sdk.js", "page.js"]

    def __init__(self, port):
        self.tag, self.lines = (text.replace("localhost:8080", f"localhost:{port}") for text in (TAG, LINES))
        self.web = WebServer(Request.application(self.respond))
        self.origin = f"http://localhost:{self.web.server.port}"

    def respond(self, request):
        if request.path == "/":
            return Response(self.page(), content_type="text/html; charset=utf-8")
        script = self.script(request.path)
        return Response(script, content_type="text/javascript; charset=utf-8") if script is not None else Response(status=404)

    def script(self, path):
        if path in self.MODULES:
            return f"export const {{ {', '.join(self.MODULES[path])} }} = window.firebase;"
        if path == "/lines.mjs":
            return self.lines + "window.auth = auth;"
        if path == "/bundle.js":
            return open(BUNDLE).read()
        return (FOLDER / path[1:]).read_text() if path[1:] in self.FILES else None

    def page(self):
        sdk = ["bundle.js", "sdk.js"] if BUNDLE else ["player.js"]
        scripts = "".join(f'<script src="/{name}"></script>' for name in sdk)
        return f"""<!doctype html><meta charset="utf-8"><title>App</title><link rel="icon" href="data:,">
            <script src="/errors.js"></script>{self.tag}{scripts}
            <script type="importmap">{{"imports": {{"firebase/app": "/app.mjs", "firebase/auth": "/auth.mjs"}}}}</script>
            <script type="module" src="/lines.mjs"></script><script src="/page.js" defer></script>
            <button id="go" onclick="act(...wanted)">Go</button>"""

    def close(self):
        self.web.close()


class ReadmeApp(App):
    """The app in a browser, signed out. Every sign-in begins with a click, as browsers demand of pop-ups."""

    def __init__(self, driver, origin):
        Tab.__init__(self, driver)
        self.url = origin + "/"
        self.open()
        self.client("signOut")

    def client(self, call, *arguments):
        return self.home().script("const [call, ...more] = arguments; return client[call](...more)", call, *arguments)

    def act(self, via, action, provider="oidc.demo"):
        self.home().script("window.wanted = [...arguments]", via, action, {"providerId": provider})
        self.click("#go")
        return self.popup() if via == "popup" else self

    def answer(self, person):
        """At the hosted page of the people; `None` refuses."""
        if person is None:
            self.at("/people/sign-in").click("#cancel")
        else:
            HostedPage(self).sign_in(person)
        return self

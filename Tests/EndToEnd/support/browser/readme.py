"""What the README gives an app that stands on `make run`: its lines, a page that consists of them, and a server as `make run` starts it."""

import itertools
import os
import re
import subprocess

from werkzeug.wrappers import Request, Response

from support.browser.stage import BUNDLE, FOLDER, App, Tab
from support.harness import ROOT, Site, write_secret
from support.issuers import WebServer

_SECTION = (ROOT / "README.md").read_text().partition("### Your app on it")[2].partition("\n#")[0]
# The script that an app's page loads before the SDK, and its lines with the SDK.
(TAG,) = re.findall(r"```html\n(.*?)```", _SECTION, re.DOTALL)
(LINES,) = re.findall(r"```js\n(.*?)```", _SECTION, re.DOTALL)

_RUN = (ROOT / "scripts/run").read_text()


def _between(start, end):
    return start + _RUN.partition(start)[2].partition(end)[0] + end


def _shell(text, **variables):
    return subprocess.run(["bash", "-ec", text], env={**os.environ, **variables}, check=True, capture_output=True, text=True).stdout


def printed(port, project):
    """What `make run` says once all is there."""
    lines = _between('say "  Open', 'say "  stop')
    return _shell('say() { echo "$*"; }\n' + lines.rpartition("\n")[0], port=str(port), project=project, DATABASE_URL="postgresql://")


class MakeRun(Site):
    """A server with the configuration that scripts/run writes; `issuer_url` is the issuer's."""

    def __init__(self, issuer_url):
        self.issuer_url = issuer_url
        super().__init__()

    def write(self):
        (self.folder / "projects").mkdir(exist_ok=True)
        (self.folder / "mails").mkdir(exist_ok=True)
        write_secret(self.folder / "master.key", self.master_key)
        files = _between('cat >"$here/gatehouse.yaml"', '\nYAML\ncat >"$here/projects') + _between("/demo.yaml\" <<YAML", "\nYAML\n")
        issuer_port = self.issuer_url.rpartition(":")[2]
        _shell(files, here=str(self.folder), port=str(self.port), project="my-app", issuer_port=issuer_port)
        # A slow machine takes its time to open connections.
        self.config.write_text(self.config.read_text().replace("../../", f"{ROOT}/") + "databasePool: {wait: 60s}\n")

    def environment(self):
        return {**super().environment(), "DEMO_CLIENT_SECRET": "any-secret-will-do"}


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
        """At the issuer's page; `None` refuses."""
        if person is None:
            self.click("button[value=deny]")
        else:
            self.until(lambda: self.driver.find_element("name", "sub").send_keys(person) or True, "page of the issuer")
            self.click(".form-grid button:not([value=deny])")
        return self


people = (f"person-{number}" for number in itertools.count(1))

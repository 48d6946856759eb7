"""An app's page with an unmodified Firebase SDK, and what an app does with it."""

import pathlib

from werkzeug.wrappers import Request, Response

from support.browser.app_pages import BUNDLE, FOLDER
from support.clients.emulator import ask
from support.harness import counter
from support.leaks import note, note_url
from support.web_server import WebServer

PASSWORD = "correct horse"


class SDKPage:
    """An app's page that only loads the SDK, or with `client=kept` what plays it. Its policy is the strictest that an app can have.

    With `captcha=` and the address of a captcha service, it also loads the script of `server` for captchas."""

    def __init__(self):
        self.web = WebServer(Request.application(self.respond))
        self.port = int(self.web.url.rpartition(":")[2])

    def respond(self, request):
        if request.path in ("/bundle.js", "/calls.js", "/kept.js"):
            file = pathlib.Path(BUNDLE) if request.path == "/bundle.js" else FOLDER / request.path[1:]
            return Response(file.read_bytes(), content_type="text/javascript; charset=utf-8")
        scripts = ["kept.js" if request.args.get("client") == "kept" else "bundle.js", "calls.js"]
        html = '<!doctype html><link rel="icon" href="data:,"><title>App</title>' + "".join(
            f'<script src="/{file}"></script>' for file in scripts
        )
        server, captcha = request.args["server"], request.args.get("captcha")
        policy = f"default-src 'none'; img-src data:; script-src 'self'; connect-src {server}"
        if captcha:
            html = html.replace(
                '<script src="/bundle',
                f'<script src="{server}/__/auth/captcha.js?apiKey={request.args["key"]}"></script><script src="/bundle',
                1,
            )
            policy = f"default-src 'none'; img-src data:; script-src 'self' {server} {captcha}; connect-src {server} {captcha}; frame-src {captcha}"
        return Response(html, content_type="text/html; charset=utf-8", headers={"content-security-policy": policy})

    def close(self):
        self.web.close()


class Place:
    """A server and an SDK that is pointed at it. `run` does the work of an app, with a signed-out `auth` at first."""

    def __init__(self, mode, site, driver, page, **connection):
        self.mode = mode
        self.site = site
        self.driver = driver
        self.page = page
        self.connection = connection

    def open(self):
        self.driver.get(self.page)
        self.driver.get_log("browser")
        self.driver.execute_script("window.auth = connect(arguments[0])", {"name": f"app-{next(counter)}", **self.connection})
        return self

    def run(self, body, *arguments):
        """The result of the body of an async function, in which all exports of the SDK are names."""
        script = """
            const done = arguments[arguments.length - 1];
            const names = Object.keys(window.firebase).filter((name) => /^[a-z]\\w*$/i.test(name) && name !== "app" && name !== "auth");
            const work = new (async () => {}).constructor("args", ...names, arguments[0]);
            work(arguments[1], ...names.map((name) => window.firebase[name])).then(
              (value) => done({ value: value ?? null }), (error) => done({ error: error.code ?? String(error), detail: String(error.stack) }));
        """
        answer = self.driver.execute_async_script(script, body, list(arguments))
        assert "value" in answer, f"{answer}; {self.driver.get_log('browser')}"
        return answer["value"]

    def email(self):
        return f"user-{next(counter)}@example.com"

    def sign_up(self):
        email = self.email()
        self.run("await createUserWithEmailAndPassword(auth, ...args)", email, PASSWORD)
        return email

    # -- what only development mode has

    def helper(self, method, path, body=None):
        response = ask(self.site, method, f"/emulator/v1/projects/demo/{path}", body)
        assert response.status_code == 200, response.text
        return response.json()

    def mailed(self, email, kind):
        """The newest code of a kind for the account of an address."""
        codes = [code for code in self.helper("GET", "oobCodes")["oobCodes"] if (code["email"], code["requestType"]) == (email, kind)]
        assert codes, f"no {kind} for {email}"
        note(codes[-1]["oobCode"])
        note_url(codes[-1]["oobLink"])
        return codes[-1]

    def privacy(self, on):
        self.helper("PATCH", "config", {"emailPrivacyConfig": {"enableImprovedEmailPrivacy": on}})

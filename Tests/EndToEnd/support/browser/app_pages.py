"""The app's web server, and the SDK's bundle that it may serve."""

import os
import pathlib

import pytest
import requests
from werkzeug.wrappers import Request, Response

from support.names import TIMEOUT
from support.web_server import WebServer

FOLDER = pathlib.Path(__file__).parent
BUNDLE = os.environ.get("FIREBASE_JS_BUNDLE")
needs_bundle = pytest.mark.skipif(not BUNDLE, reason="FIREBASE_JS_BUNDLE names no bundle of the Firebase SDK")


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

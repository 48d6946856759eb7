"""An app in a browser with AppAuth-JS, whose bundle the environment names; it is not part of this repository.

<https://github.com/openid/AppAuth-JS>
"""

import html
import json
import os
import pathlib

import pytest
from werkzeug.wrappers import Request, Response

from support.harness import free_port
from support.leaks import note_fields
from support.web_server import WebServer

BUNDLE = os.environ.get("APPAUTH_JS_BUNDLE")
needs_bundle = pytest.mark.skipif(not BUNDLE, reason="APPAUTH_JS_BUNDLE names no bundle of AppAuth-JS")
PAGE = pathlib.Path(__file__).parent / "appauth.js"


class AppAuthPage:
    """The app's web server, on the host name that developers have."""

    def __init__(self, client_id):
        self.client_id = client_id
        self.web = WebServer(Request.application(self.respond), free_port())
        self.redirect_uri = f"http://localhost:{self.web.url.rpartition(':')[2]}/"
        self.issuer = None

    def respond(self, request):
        files = {"/bundle.js": BUNDLE, "/page.js": PAGE}
        if request.path in files:
            return Response(pathlib.Path(files[request.path]).read_bytes(), content_type="text/javascript; charset=utf-8")
        settings = json.dumps({"issuer": self.issuer, "client": self.client_id, "redirect": self.redirect_uri})
        page = (
            '<!doctype html><meta charset="utf-8"><title>App</title><link rel="icon" href="data:,"><body>'
            f'<script src="/bundle.js"></script><script src="/page.js" data-settings="{html.escape(settings)}"></script>'
        )
        return Response(page, content_type="text/html; charset=utf-8")

    def outcome(self, tab):
        """What the app's last call has come to."""
        outcome = tab.until(lambda: tab.script("return window.outcome"), "outcome")
        if isinstance(outcome.get("result"), dict):
            note_fields(outcome["result"])
        return outcome

    def close(self):
        self.web.close()

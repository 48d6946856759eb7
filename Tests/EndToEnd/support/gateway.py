"""A server of others that takes calls of Gatehouse's: a gateway of text messages, or an endpoint of the operator's."""

import base64
import secrets

from support.leaks import note
from support.web_server import WebServer


def signing_secret():
    """A secret of Standard Webhooks."""
    return note("whsec_" + base64.b64encode(secrets.token_bytes(32)).decode())


class Gateway:
    """Keeps the requests that come, and answers as it is told."""

    def __init__(self):
        self.requests = []
        # Status, body and, if there are any, headers of the next answers; the last one repeats.
        self.answers = [(200, "")]
        self.server = WebServer(self.answer)
        self.url = self.server.url

    def answer(self, environ, start):
        body = environ["wsgi.input"].read(int(environ.get("CONTENT_LENGTH") or 0))
        headers = {name[5:].replace("_", "-").lower(): value for name, value in environ.items() if name.startswith("HTTP_")}
        headers["content-type"] = environ.get("CONTENT_TYPE", "")
        self.requests.append({"path": environ["PATH_INFO"], "headers": headers, "body": body})
        status, text, *headers = self.answers[0]
        if len(self.answers) > 1:
            self.answers.pop(0)
        start(f"{status} Status", [("content-type", "application/json"), *headers])
        return [text.encode()]

    def close(self):
        self.server.close()

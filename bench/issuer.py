"""An OpenID Connect issuer on loopback with the minimum for a sign-in: discovery, its key, and ID tokens."""

import base64
import http.server
import json
import threading
import time
import urllib.parse

from processes import run


def _base64url(data):
    return base64.urlsafe_b64encode(data).rstrip(b"=").decode()


class Issuer:
    client_id = "bench"

    def __init__(self, folder):
        self._key = folder / "issuer.pem"
        run(["openssl", "genrsa", "-out", self._key, "2048"])
        modulus = run(["openssl", "rsa", "-in", self._key, "-noout", "-modulus"]).decode().strip().removeprefix("Modulus=")
        jwk = {"kty": "RSA", "kid": "bench", "use": "sig", "alg": "RS256", "n": _base64url(bytes.fromhex(modulus)), "e": "AQAB"}
        self._server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), self._handler())
        self._server.daemon_threads = True
        self.url = f"http://127.0.0.1:{self._server.server_port}"
        self._documents = {
            "/jwks": {"keys": [jwk]},
            "/.well-known/openid-configuration": {
                "issuer": self.url,
                "authorization_endpoint": self.url + "/authorize",
                "token_endpoint": self.url + "/token",
                "jwks_uri": self.url + "/jwks",
                "response_types_supported": ["code", "id_token"],
                "subject_types_supported": ["public"],
                "id_token_signing_alg_values_supported": ["RS256"],
            },
        }
        threading.Thread(target=self._server.serve_forever, daemon=True).start()

    def _handler(issuer):
        class Handler(http.server.BaseHTTPRequestHandler):
            def do_GET(self):
                document = issuer._documents.get(urllib.parse.urlsplit(self.path).path)
                body = json.dumps(document).encode()
                self.send_response(200 if document else 404)
                self.send_header("content-type", "application/json")
                self.send_header("content-length", str(len(body)))
                self.end_headers()
                self.wfile.write(body)

            def log_message(self, *_):
                pass

        return Handler

    def id_token(self, subject):
        now = int(time.time())
        claims = {
            "iss": self.url,
            "aud": self.client_id,
            "sub": subject,
            "iat": now,
            "exp": now + 3600,
            "email": f"{subject}@example.com",
            "email_verified": True,
            "name": f"Person {subject}",
            "picture": f"https://example.com/{subject}.png",
        }
        head = {"alg": "RS256", "typ": "JWT", "kid": "bench"}
        text = ".".join(_base64url(json.dumps(part).encode()) for part in (head, claims))
        signature = run(["openssl", "dgst", "-sha256", "-sign", self._key], input=text.encode())
        return f"{text}.{_base64url(signature)}"

    def close(self):
        self._server.shutdown()

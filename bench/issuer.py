"""An OpenID Connect issuer on loopback with the minimum for a sign-in: discovery, its key, ID tokens, and a token endpoint.

It runs in a process of its own (`python issuer.py PORT PRIVATE_KEY`), so that its share of a sign-in can be measured, and keeps nothing: a code
is the nonce and the name of the person, so any process that asks for one may make it.
"""

import asyncio
import http.client
import json
import pathlib
import secrets
import sys
import time
import urllib.parse

import processes
from p256 import Key, N
from processes import free_port


class Issuer:
    client_id = "bench"

    def __init__(self):
        private = secrets.randbelow(N - 1) + 1
        self.port = free_port()
        self._tokens = Tokens(self.port, private)
        self.url = self._tokens.url
        self.process = processes.start([sys.executable, pathlib.Path(__file__), self.port, private])
        processes.wait_until(self._answers, "the issuer")

    def _answers(self):
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=5)
        try:
            connection.request("GET", "/jwks")
            return connection.getresponse().status == 200
        except OSError:
            return False
        finally:
            connection.close()

    def id_token(self, subject):
        return self._tokens.id_token(subject)

    def code(self, subject, nonce):
        return f"{nonce}:{subject}"


class Tokens:
    """What the issuer says of people."""

    def __init__(self, port, private):
        self.url = f"http://127.0.0.1:{port}"
        self.key = Key(private)

    def id_token(self, subject, **more):
        now = int(time.time())
        claims = {
            "iss": self.url,
            "aud": Issuer.client_id,
            "sub": subject,
            "iat": now,
            "exp": now + 3600,
            "email": f"{subject}@example.com",
            "email_verified": True,
            "name": f"Person {subject}",
            "picture": f"https://example.com/{subject}.png",
            **more,
        }
        return self.key.token(claims)

    def redeemed(self, form):
        """The token endpoint's answer to a code."""
        code = urllib.parse.parse_qs(form)["code"][0]
        nonce, _, subject = code.rpartition(":")
        return {
            "access_token": "at." + nonce,
            "token_type": "Bearer",
            "expires_in": 3600,
            "id_token": self.id_token(subject, nonce=nonce),
        }

    def documents(self):
        discovery = {
            "issuer": self.url,
            "authorization_endpoint": self.url + "/authorize",
            "token_endpoint": self.url + "/token",
            "jwks_uri": self.url + "/jwks",
            "response_types_supported": ["code", "id_token"],
            "subject_types_supported": ["public"],
            "id_token_signing_alg_values_supported": ["ES256"],
            "code_challenge_methods_supported": ["S256"],
        }
        return {"/jwks": {"keys": [self.key.jwk]}, "/.well-known/openid-configuration": discovery}


class Connection(asyncio.Protocol):
    """As much of HTTP/1.1 as one client needs that keeps its connections."""

    def __init__(self, tokens, documents):
        self._tokens, self._documents = tokens, documents
        self._received = b""

    def connection_made(self, transport):
        self._transport = transport

    def data_received(self, data):
        self._received += data
        while True:
            head, end, rest = self._received.partition(b"\r\n\r\n")
            if not end:
                return
            fields = dict(line.lower().split(b":", 1) for line in head.split(b"\r\n")[1:])
            length = int(fields.get(b"content-length", 0))
            if len(rest) < length:
                return
            self._received = rest[length:]
            self._answer(head.split(b" ", 2)[1].decode(), rest[:length].decode())

    def _answer(self, path, body):
        answer = self._tokens.redeemed(body) if path == "/token" else self._documents.get(path)
        content = json.dumps(answer).encode()
        status = b"200 OK" if answer else b"404 Not Found"
        head = b"HTTP/1.1 %b\r\ncontent-type: application/json\r\ncontent-length: %d\r\n\r\n" % (status, len(content))
        self._transport.write(head + content)


async def serve(port, private):
    tokens = Tokens(port, private)
    documents = tokens.documents()
    server = await asyncio.get_running_loop().create_server(lambda: Connection(tokens, documents), "127.0.0.1", port)
    await server.serve_forever()


if __name__ == "__main__":
    asyncio.run(serve(int(sys.argv[1]), int(sys.argv[2])))

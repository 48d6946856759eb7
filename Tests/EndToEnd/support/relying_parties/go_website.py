"""The website in `go/`, built with Debian's Go and Debian's go-oidc, without a network."""

import functools
import os
import pathlib
import subprocess
import tempfile

import requests

from support.certificates import of_any_name
from support.harness import free_port, home, wait_until
from support.leaks import note_fields
from support.names import TIMEOUT

SOURCE = pathlib.Path(__file__).parent / "go"


@functools.cache
def binary():
    folder = tempfile.mkdtemp(prefix="go-", dir=home)
    # Debian installs libraries below this GOPATH.
    environment = {**os.environ, "GO111MODULE": "off", "GOPATH": "/usr/share/gocode", "GOCACHE": folder + "/cache", "GOFLAGS": ""}
    built = subprocess.run(["go", "build", "-o", folder + "/website", "."], cwd=SOURCE, env=environment, capture_output=True, text=True)
    assert built.returncode == 0, built.stderr
    return folder + "/website"


class GoWebsite:
    """Starts with `start`, once the provider knows its client."""

    def __init__(self):
        self.port = free_port()
        self.origin = f"https://127.0.0.1:{self.port}"
        self.callback = self.origin + "/callback"
        self.signed_out = self.origin + "/signed-out"
        self.process = None

    def start(self, provider, client):
        environment = {
            **os.environ,
            "ISSUER": provider.issuer,
            "CLIENT_ID": client.id,
            "CLIENT_SECRET": client.secret,
            "ADDRESS": f"127.0.0.1:{self.port}",
            "CERTIFICATE": str(of_any_name().file),
            "SSL_CERT_FILE": provider.authority,
        }
        self.log = pathlib.Path(tempfile.mkstemp(prefix="go-website-", dir=home)[1])
        with open(self.log, "wb") as log:
            command = ["setpriv", "--pdeathsig", "KILL", binary()]
            self.process = subprocess.Popen(command, env=environment, stdout=log, stderr=log, stdin=subprocess.DEVNULL)
        wait_until(self.answers, what="the start of the website in Go")

    def answers(self):
        assert self.process.poll() is None, f"the website ended: {self.log.read_text()}"
        try:
            return requests.get(self.origin + "/me", verify=str(of_any_name().authority), timeout=TIMEOUT).status_code == 401
        except requests.ConnectionError:
            return False

    def told(self, visitor, path="/me"):
        """What the website knows of a person who is signed in, after a visit of one of its pages."""
        response = visitor.visit(self.origin + path)
        assert response.status_code == 200, f"{response.status_code} at {response.url}: {response.text}"
        note_fields(response.json())
        return response.json()

    def close(self):
        if self.process is not None:
            self.process.kill()
            self.process.wait(TIMEOUT)

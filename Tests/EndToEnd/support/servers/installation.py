"""An installation as in production: a server behind a proxy with TLS, its mail server, and `gatehouse doctor`, which examines all of it."""

import json
import pathlib
import subprocess
import tempfile

from support.browser.front import Front
from support.certificates import Certificate
from support.harness import BINARY
from support.mail.smtp import Post
from support.names import TIMEOUT
from support.servers.site import Site

# The address of a proxy in front of the proxy: one for documentation, which is not this machine's.
OUTER = "192.0.2.9"


class Proxy(Front):
    """A reverse proxy with TLS that writes the headers about the client anew, as it should; with `appends`, behind what the client wrote.

    `peer`: the address that it takes its client's for.
    """

    appends = False
    peer = b"127.0.0.1"

    async def copy(self, source, sink):
        # Both directions come through here; requests alone end their head with an empty line behind a request line.
        try:
            while head := await source.readuntil(b"\r\n\r\n"):
                if head.startswith(b"HTTP/"):
                    sink.write(head)
                    await sink.drain()
                    return await super().copy(source, sink)
                lines = head.split(b"\r\n")
                told = [line.partition(b": ")[2] for line in lines if self.appends and line.lower().startswith(b"x-forwarded-for:")]
                lines = [line for line in lines if not line.lower().startswith((b"x-forwarded-", b"forwarded:"))]
                lines[1:1] = [b"x-forwarded-for: " + b", ".join([*told, self.peer]), b"x-forwarded-proto: https"]
                sink.write(b"\r\n".join(lines))
                await sink.drain()
        except (OSError, EOFError):
            sink.close()


class Installation(Site):
    """One sound site. `doctor()` examines it; a test plants a fault before."""

    def __init__(self, **options):
        self.certificate = Certificate(pathlib.Path(tempfile.mkdtemp(prefix="gatehouse-e2e-tls-")), days=90)
        self.post = Post()
        settings = {
            "development": False,
            # Until the proxy has a port.
            "publicURL": "https://localhost",
            "trustedProxies": ["127.0.0.1/32", f"{OUTER}/32"],
            "mail": {"from": "no-reply@example.com", "smtp": {"host": "127.0.0.1", "port": self.post.port, "security": "none"}},
        }
        super().__init__(settings=settings, project={"redirectURLs": [], "signIn": {"password": True}}, **options)
        self.proxy = Proxy(self.port, certificate=self.certificate)
        self.settings["publicURL"] = f"https://localhost:{self.proxy.port}"
        self.write()
        self.serve()

    def doctor(self, *arguments, through=()):
        """The finished process. `through`: a command that starts it."""
        command = [*through, BINARY, "doctor", "--config", self.config, "--authorities", self.certificate.authority, *arguments]
        return subprocess.run(command, env=self.environment(), capture_output=True, text=True, timeout=TIMEOUT)

    def findings(self, **options):
        """What doctor finds: each finding by its code."""
        result = self.doctor("--json", **options)
        assert result.stdout, f"status {result.returncode}: {result.stderr}"
        found = [finding for part in json.loads(result.stdout)["parts"] for finding in part["findings"]]
        grades = {finding["grade"] for finding in found}
        assert result.returncode == (2 if "fault" in grades else 1 if grades else 0), result.stderr
        assert all(finding["text"] and finding["remedy"] for finding in found)
        return {finding["code"]: finding for finding in found}

    def close(self):
        super().close()
        self.proxy.close()
        self.post.close()

"""Makes Google's fixed names lead to a double, for one process: no setting of the binary does that, and none may.

The process runs in a mount namespace with a private `/etc/hosts` and a private list of authorities. So the binary under test is the one of
production: it dials the names that it knows, by https, and checks the certificate.
"""

import itertools
import os
import pathlib
import socket
import subprocess
import tempfile

from support.certificates import Certificate
from support.harness import home

NAMES = ["www.googleapis.com", "securetoken.googleapis.com", "identitytoolkit.googleapis.com", "oauth2.googleapis.com"]
AUTHORITIES = "/etc/ssl/certs/ca-certificates.crt"
BOOT = f'mount --bind "$1" /etc/hosts && mount --bind "$2" {AUTHORITIES} && exec "${{@:3}}"'

_numbers = itertools.count(1)


class NotHere(Exception):
    """The reason why Google's names cannot lead to a double on this machine."""


class FixedNames:
    """An address of loopback for the double, of which each has its own, and the command that starts a process for which the names lead there."""

    def __init__(self):
        folder = pathlib.Path(tempfile.mkdtemp(prefix="google-", dir=home))
        self.certificate = Certificate(folder, "Stands for Google's authority", names=NAMES)
        process = os.getpid()
        self.address = f"127.{42 + next(_numbers) % 200}.{process // 254 % 256}.{process % 254 + 1}"
        (folder / "hosts").write_text(f"127.0.0.1 localhost\n{self.address} {' '.join(NAMES)}\n")
        namespaces = ["unshare", "--mount", "--propagation", "private"] + ([] if os.getuid() == 0 else ["--user", "--map-root-user"])
        self.through = [*namespaces, "bash", "-c", BOOT, "names", folder / "hosts", self.certificate.authority]
        try:
            with socket.socket() as probe:
                probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
                probe.bind((self.address, 443))
        except OSError as error:
            raise NotHere(f"port 443 of {self.address} is not free for this user: {error}") from error
        tried = subprocess.run([*self.through, "true"], capture_output=True, text=True)
        if tried.returncode != 0:
            raise NotHere(f"no private names can be made here, which needs root or user namespaces: {tried.stderr}")

"""`gatehouse dev` as a developer runs it."""

import contextlib
import glob
import os
import signal
import subprocess
import tempfile

import requests

from support.harness import BINARY, free_port, home, wait_until
from support.names import TIMEOUT


class Dev:
    """One run of the command, with a folder for temporary files of its own."""

    def __init__(self, *options, command=(), port=None, **variables):
        self.port = port or free_port()
        self.url = f"http://127.0.0.1:{self.port}"
        # PostgreSQL's socket is below it, and paths of sockets are short. Root's PostgreSQL is another user's.
        self.temporary = tempfile.mkdtemp(prefix="gh-", dir="/tmp")
        os.chmod(self.temporary, 0o755)
        environment = {name: value for name, value in os.environ.items() if name not in ("GCLOUD_PROJECT", "GOOGLE_CLOUD_PROJECT")}
        self.output = open(os.path.join(self.temporary, "output"), "w+")
        self.process = subprocess.Popen(
            [BINARY, "dev", "--port", str(self.port), *options, *(["--", *command] if command else [])],
            env={**environment, "TMPDIR": self.temporary, **variables},
            cwd=home,
            stdout=self.output,
            stderr=subprocess.STDOUT,
            start_new_session=True,
        )

    def printed(self):
        with open(self.output.name) as file:
            return file.read()

    def wait_ready(self):
        def ready():
            assert self.process.poll() is None, self.printed()
            with contextlib.suppress(requests.ConnectionError):
                return requests.get(self.url + "/", timeout=TIMEOUT).json() == {"authEmulator": {"ready": True}}

        wait_until(ready, what="gatehouse dev")
        return self

    def wait(self):
        """Its exit status."""
        return self.process.wait(TIMEOUT)

    def stop(self, number=signal.SIGINT):
        self.process.send_signal(number)
        return self.wait()

    def leftovers(self):
        """What is left of it: folders, and processes of PostgreSQL."""
        named = [name for name in glob.glob(self.temporary + "/*") if name != self.output.name]
        for status in glob.glob("/proc/[0-9]*/cmdline"):
            with contextlib.suppress(OSError), open(status, "rb") as file:
                if self.temporary.encode() in file.read():
                    named.append(status)
        return named

    def close(self):
        if self.process.poll() is None:
            self.process.kill()
            self.process.wait(TIMEOUT)
        wait_until(lambda: not self.leftovers(), what="the end of everything")
        self.output.close()


@contextlib.contextmanager
def a_dev(*options, **more):
    dev = Dev(*options, **more)
    try:
        yield dev
    finally:
        dev.close()

"""Pages that answer hooks, in processes of their own."""

import contextlib
import os
import pathlib
import subprocess
import sys

import requests

from support.harness import free_port, wait_until
from support.names import TIMEOUT

FUNCTIONS = pathlib.Path(__file__).with_name("functions_app.py")


class Receiver:
    """A Python program that listens at `PORT`, and ends with the tests."""

    def __init__(self, program, folder, **variables):
        self.port = free_port()
        self.url = f"http://127.0.0.1:{self.port}"
        self.log = folder / f"receiver-{self.port}.log"
        environment = {name: value for name, value in os.environ.items() if not name.startswith(("FIREBASE", "GOOGLE", "GCLOUD"))}
        with open(self.log, "wb") as log:
            self.process = subprocess.Popen(
                ["setpriv", "--pdeathsig", "KILL", sys.executable, program],
                env={**environment, "PORT": str(self.port), **variables},
                stdout=log,
                stderr=subprocess.STDOUT,
                stdin=subprocess.DEVNULL,
            )
        wait_until(self._answers, what="the receiver")

    def _answers(self):
        if self.process.poll() is not None:
            raise AssertionError(f"the receiver ended:\n{self.log.read_text()}")
        with contextlib.suppress(requests.ConnectionError):
            return requests.get(self.url, timeout=TIMEOUT).status_code > 0

    def close(self):
        self.process.kill()
        self.process.wait(TIMEOUT)

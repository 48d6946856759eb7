"""One running process of the real binary."""

import contextlib
import json
import signal
import subprocess

import requests

from support.clients.api import API
from support.harness import BINARY, counter, wait_until
from support.leaks import logs
from support.names import API_KEY, TIMEOUT


class Server:
    """One running process."""

    def __init__(
        self, config, port, environment, folder, *, operations=None, through=(), arguments=(), stderr=subprocess.STDOUT, descriptors=()
    ):
        """`operations`: the address of its operations listener. `through`: a command that starts it, with more `arguments`. `stderr`: where its
        log goes. `descriptors`: what it inherits."""
        self.url = f"http://127.0.0.1:{port}"
        self.operations = f"http://{operations}" if operations else self.url
        self.port = port
        self.log_path = folder / f"server-{port}-{next(counter)}.log"
        logs.append(self.log_path)
        with open(self.log_path, "wb") as log:
            # The server ends with the tests, in whatever way they end.
            self.process = subprocess.Popen(
                ["setpriv", "--pdeathsig", "KILL", *through, BINARY, "serve", *arguments, "--config", config],
                env=environment,
                stdout=log,
                stderr=stderr,
                stdin=subprocess.DEVNULL,
                pass_fds=descriptors,
            )

    def wait_ready(self, timeout=TIMEOUT):
        def ready():
            if self.process.poll() is not None:
                raise AssertionError(f"the server ended with {self.process.returncode}:\n{self.log()}")
            with contextlib.suppress(requests.ConnectionError):
                return requests.get(self.operations + "/health/ready", timeout=TIMEOUT).status_code == 200

        wait_until(ready, timeout, what="readiness")
        return self

    def log(self):
        return self.log_path.read_text(errors="replace")

    def log_lines(self):
        """The whole lines as JSON objects; a line that is not one is an error."""
        return [json.loads(line) for line in self.log().splitlines(keepends=True) if line.endswith("\n")]

    def logged(self, text, timeout=TIMEOUT):
        """Waits for a line that contains `text`, and returns it."""
        return wait_until(
            lambda: next((line for line in self.log().splitlines() if text in line), None), timeout, what=f"a log line with {text!r}"
        )

    def metric(self, series):
        """The value of one series, which may be a second old; `None` when the series does not exist."""
        text = requests.get(self.operations + "/metrics", timeout=TIMEOUT).text
        return next((float(line.split()[-1]) for line in text.splitlines() if line.startswith(series + " ")), None)

    def signal(self, number):
        self.process.send_signal(number)

    def stop(self, timeout=TIMEOUT):
        self.signal(signal.SIGTERM)
        return self.process.wait(timeout)

    def kill(self):
        if self.process.poll() is None:
            self.process.kill()
        self.process.wait(TIMEOUT)

    def api(self, key=API_KEY):
        return API(self.url, key)

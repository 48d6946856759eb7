"""A back end as the tests see it: calls of the Admin SDK that run in a process of its own, with its own environment."""

import builtins
import copyreg
import os
import socket
import subprocess
import sys
import tempfile
from multiprocessing import reduction
from multiprocessing.connection import Connection

from firebase_admin import auth, exceptions, tenant_mgt

from support.harness import ROOT, counter, home
from support.leaks import logs, note
from support.names import PROJECT, TIMEOUT

_NAMES = (f"app-{number}" for number in counter)


def delete_attribute():
    return auth.DELETE_ATTRIBUTE


# The SDK compares it by identity, which a copy in another process would not have.
copyreg.pickle(type(auth.DELETE_ATTRIBUTE), lambda _: (delete_attribute, ()))


class Process:
    """The process. `through`: a command that starts it. `port`: where it listens for a server that is outside of its network."""

    def __init__(self, environment, through=(), port=None):
        ours, theirs = socket.socketpair()
        descriptor, name = tempfile.mkstemp(prefix="back-end-", suffix=".log", dir=home)
        self.log = type(home)(name)
        logs.append(self.log)
        with theirs, open(descriptor, "wb") as log:
            program = [sys.executable, "-m", "support.admin_sdk.program", str(theirs.fileno()), *([str(port)] if port else [])]
            self.process = subprocess.Popen(
                ["setpriv", "--pdeathsig", "KILL", *through, *program],
                cwd=ROOT / "Tests/EndToEnd",
                env={**os.environ, **environment},
                pass_fds=[theirs.fileno()],
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=log,
            )
        self.connection = Connection(ours.detach())
        self.listener = None
        if port:
            self.listener = socket.socket(fileno=self._receive(reduction.recv_handle))

    def _receive(self, how=Connection.recv):
        assert self.connection.poll(TIMEOUT), "the back end does not answer"
        try:
            return how(self.connection)
        except (EOFError, OSError, RuntimeError):
            self.process.wait(TIMEOUT)
            raise AssertionError(f"the back end ended with {self.process.returncode}: {self.log.read_text()}") from None

    def do(self, step, *arguments):
        """One step of `program`. An error of the SDK is raised here as the same class."""
        self.connection.send((step, arguments))
        done, *answer = self._receive()
        if done:
            return answer[0]
        name, text = answer
        kind = next((kind for module in (auth, tenant_mgt, exceptions, builtins) if (kind := getattr(module, name, None))), None)
        if kind is None:
            raise AssertionError(f"{name}: {text}")
        error = kind.__new__(kind)
        Exception.__init__(error, text)
        raise error

    def run(self, script, **environment):
        """Runs a script of the shell; gives what it printed."""
        status, output, errors = self.do("shell", script, environment)
        assert status == 0, f"status {status} of\n{script}\n{output}{errors}"
        return output

    def app(self, key_file=None, project=PROJECT, **options):
        name = next(_NAMES)
        options = {"projectId": project, **options}
        return AdminSDK(self, self.do("make_app", name, str(key_file) if key_file else None, options), project)

    def close(self):
        self.connection.close()
        if self.listener is not None:
            self.listener.close()
        self.process.kill()
        self.process.wait(TIMEOUT)


class AdminSDK:
    """The functions of `firebase_admin.auth` for one app of the process: `sdk.get_user(uid)`."""

    def __init__(self, process, name, project):
        self.process, self.name, self.project = process, name, project

    def __getattr__(self, function):
        assert hasattr(auth, function), function
        return lambda *arguments, **named: self.call("auth", function, *arguments, **named)

    def call(self, module, function, *arguments, **named):
        return noted(self.process.do("call", self.name, module, function, arguments, named))

    def of_tenant(self, tenant):
        """The functions for the people of a tenant: `sdk.of_tenant("customer-a").get_user(uid)`."""
        return OfTenant(self, tenant)

    def tenant_pages(self, page_size=1000):
        """All pages of `list_tenants`, each a list of ids."""
        return self.process.do("tenants", self.name, page_size)

    def pages(self, page_size=1000):
        """All pages of `list_users`, each a list of users."""
        return self.process.do("users", self.name, page_size)

    def user_call(self, path, body):
        """A call about users that only the SDKs for other languages have."""
        return note(self.process.do("user_call", self.name, path, body))

    def config_pages(self, kind, page_size=100):
        """All pages of the providers' configurations: `oidc` or `saml`."""
        return self.process.do("configs", self.name, kind, page_size)


class OfTenant:
    def __init__(self, sdk, tenant):
        self.sdk, self.tenant = sdk, tenant

    def __getattr__(self, function):
        assert hasattr(auth.Client, function), function
        return lambda *arguments, **named: noted(self.sdk.process.do("tenant_call", self.sdk.name, self.tenant, function, arguments, named))


def noted(answer):
    return note(answer.decode() if isinstance(answer, bytes) else answer)

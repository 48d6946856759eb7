"""A server as `make run` starts it, by the text of scripts/run."""

import base64
import os
import re
import secrets
import subprocess
from dataclasses import dataclass

from support import accounts
from support.clients.api import API
from support.harness import ROOT
from support.leaks import note
from support.servers.site import Site, write_secret

_RUN = (ROOT / "scripts/run").read_text()
PEOPLE_API_KEY = "people-api-key"
# The one that the script gives to its people.
PASSWORD = re.search(r'^password="(.+)"$', _RUN, re.MULTILINE)[1]


def _between(start, end):
    return start + _RUN.partition(start)[2].partition(end)[0] + end


def _shell(text, **variables):
    return subprocess.run(["bash", "-ec", text], env={**os.environ, **variables}, check=True, capture_output=True, text=True).stdout


def printed(port, project):
    """The output of `make run` once everything runs."""
    lines = _between('say "  Open', 'say "  stop').rpartition("\n")[0]
    variables = {"port": str(port), "project": project, "password": PASSWORD, "DATABASE_URL": "postgresql://"}
    return _shell('say() { echo "$*"; }\n' + lines, **variables)


@dataclass
class Person:
    """A person of the project `people`."""

    email: str
    subject: str
    password: str = PASSWORD


class MakeRun(Site):
    """A server with the configuration and the people that scripts/run makes, for a project of this name."""

    def __init__(self, name="my-app", **options):
        self.name = name
        self.client_secret = note(base64.b64encode(secrets.token_bytes(32)).decode())
        super().__init__(**options)

    def write(self):
        super().write()
        (self.folder / "mails").mkdir(exist_ok=True)
        write_secret(self.folder / "people-client.secret", self.client_secret)
        files = _between('cat >"$here/gatehouse.yaml"', "\nYAML\n\n")
        _shell(files, here=str(self.folder), port=str(self.port), project=self.name)
        # A slow machine takes its time to open connections.
        self.config.write_text(self.config.read_text().replace("../../", f"{ROOT}/") + "databasePool: {wait: 60s}\n")

    def serve(self, *arguments, **options):
        server = super().serve(*arguments, **options)
        people = _between("ask() {", "\n} 2>/dev/null\n") + _between('password="', "# That is all of the people.")
        _shell('fail() { echo "$*" >&2; exit 1; }\n' + people, port=str(self.port))
        return server

    def person(self):
        """A new person, with an address that is not proven."""
        email = f"{accounts.person()}@example.com"
        made = API(self.url, PEOPLE_API_KEY).succeed("signUp", {"email": email, "password": PASSWORD})
        return Person(email, made["localId"])

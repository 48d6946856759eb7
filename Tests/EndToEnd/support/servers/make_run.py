"""A server as `make run` starts it, by the text of scripts/run."""

import os
import subprocess

from support.harness import ROOT
from support.servers.site import Site

_RUN = (ROOT / "scripts/run").read_text()


def _between(start, end):
    return start + _RUN.partition(start)[2].partition(end)[0] + end


def _shell(text, **variables):
    return subprocess.run(["bash", "-ec", text], env={**os.environ, **variables}, check=True, capture_output=True, text=True).stdout


def printed(port, project):
    """The output of `make run` once everything runs."""
    lines = _between('say "  Open', 'say "  stop')
    return _shell('say() { echo "$*"; }\n' + lines.rpartition("\n")[0], port=str(port), project=project, DATABASE_URL="postgresql://")


class MakeRun(Site):
    """A server with the configuration that scripts/run writes, for an issuer at this address and a project of this name."""

    def __init__(self, issuer_url, name="my-app", **options):
        self.issuer_url = issuer_url
        self.name = name
        super().__init__(**options)

    def write(self):
        super().write()
        (self.folder / "mails").mkdir(exist_ok=True)
        files = _between('cat >"$here/gatehouse.yaml"', '\nYAML\ncat >"$here/projects') + _between('/demo.yaml" <<YAML', "\nYAML\n")
        issuer_port = self.issuer_url.rpartition(":")[2]
        _shell(files, here=str(self.folder), port=str(self.port), project=self.name, issuer_port=issuer_port)
        # A slow machine takes its time to open connections.
        self.config.write_text(self.config.read_text().replace("../../", f"{ROOT}/") + "databasePool: {wait: 60s}\n")

    def environment(self):
        return {**super().environment(), "DEMO_CLIENT_SECRET": "any-secret-will-do"}

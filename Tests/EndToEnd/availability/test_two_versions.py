"""Processes of two versions on one database, as during an upgrade: none breaks a rule of the other, and none stops to serve."""

import shutil
import threading

import pytest
import requests

from support.harness import ROOT, free_port, wait_until
from support.names import TIMEOUT
from support.servers.site import a_site

NEWEST = max(path.name for path in (ROOT / "Migrations").glob("*.sql"))[:4]
EXPANDS = f"""-- compatible: {NEWEST}
ALTER TABLE accounts ADD COLUMN of_the_next_version text;
CREATE TABLE of_the_next_version (project_id text PRIMARY KEY);
"""
INDEXES = f"""-- outside a transaction
-- compatible: {NEWEST}
DROP INDEX CONCURRENTLY IF EXISTS of_the_next_version_index;
CREATE INDEX CONCURRENTLY of_the_next_version_index ON accounts (project_id, of_the_next_version);
"""
CONTRACTS = "-- compatible: 9001\nDROP INDEX of_the_next_version_index;\n"


class Load:
    """People who sign up, ask, refresh and sign out again, at all servers in turn, until they are told to stop. All must succeed."""

    def __init__(self, server):
        self.servers, self.rounds, self.failed = [server], 0, []
        self._ends = threading.Event()
        self._thread = threading.Thread(target=self._run)
        self._thread.start()

    def _run(self):
        while not self._ends.is_set() and not self.failed:
            try:
                for server in list(self.servers):
                    self._one(server.api(), self.servers[0].api())
                self.rounds += 1
            except (AssertionError, KeyError, requests.RequestException) as error:
                self.failed.append(error)

    def _one(self, here, there):
        user = here.succeed("signUp", {"returnSecureToken": True})
        assert there.lookup(user["idToken"])["localId"] == user["localId"]
        refreshed = there.refresh(user["refreshToken"])
        assert refreshed.status_code == 200, refreshed.text
        here.succeed("delete", {"idToken": refreshed.json()["id_token"]})
        assert there.refresh(refreshed.json()["refresh_token"]).status_code == 400

    def goes_on(self):
        seen = self.rounds
        wait_until(lambda: self.rounds > seen + 1 or self.failed, what="more rounds of the load")
        assert not self.failed

    def end(self):
        self._ends.set()
        self._thread.join(TIMEOUT)


@pytest.fixture
def next_version(tmp_path):
    folder = tmp_path / "Migrations"
    shutil.copytree(ROOT / "Migrations", folder)
    (folder / "9001_expands.sql").write_text(EXPANDS)
    (folder / "9002_indexes.sql").write_text(INDEXES)
    return folder


def is_ready(server):
    return requests.get(server.url + "/health/ready", timeout=TIMEOUT).status_code == 200


def test_SEC_71_two_versions_serve_while_one_takes_the_place_of_the_other(next_version):
    with a_site(project={"signIn": {"anonymous": True}}, migrate=False) as site:

        def become(version):
            site.settings.pop("migrations", None)
            if version:
                site.settings["migrations"] = str(version)
            site.write()

        site.run("migrate", check=True)
        older = site.serve()
        load = Load(older)
        try:
            load.goes_on()
            become(next_version)
            assert site.run("migrate", check=True).stdout.endswith("The schema is current: 2 applied.\n")
            load.goes_on()
            assert is_ready(older)
            newer = site.serve(free_port())
            load.servers.append(newer)
            become(None)
            # A process of the version before may also start again.
            restarted = site.serve(free_port())
            load.servers.append(restarted)
            load.goes_on()
            assert is_ready(restarted)

            become(next_version)
            (next_version / "9003_contracts.sql").write_text(CONTRACTS)
            refused = site.run("migrate")
            assert refused.returncode == 1 and f"whose newest migration is number {int(NEWEST)}" in refused.stderr, refused.stderr
            load.goes_on()
            assert is_ready(older)
        finally:
            load.end()
        assert not load.failed
        older.stop()
        restarted.stop()
        assert site.run("migrate", check=True).stdout == "applied 9003_contracts.sql\nThe schema is current: 1 applied.\n"
        assert is_ready(newer)
        become(None)
        late = site.run("serve")
        assert late.returncode == 1 and "9003_contracts.sql" in late.stdout + late.stderr

"""The schema is in the binary: nothing that lies beside it can leave it behind."""

import shutil

import requests

from support.harness import ROOT, wait_until
from support.names import GUESTS, TIMEOUT
from support.servers.site import a_site

NEWEST = sorted(path.name for path in (ROOT / "Migrations").glob("*.sql"))[-1]


def test_the_documented_upgrade_twice():
    with a_site(project=GUESTS, migrate=False) as site:
        # An older version's folder, which is also where older versions looked for one.
        older = site.folder.parent / "Migrations"
        shutil.copytree(ROOT / "Migrations", older, ignore=shutil.ignore_patterns(NEWEST))
        try:
            site.settings["migrations"] = str(older)
            site.write()
            site.run("migrate", check=True)
            del site.settings["migrations"]
            site.write()
            refused = site.run("serve")
            assert refused.returncode == 1 and f"behind by 1 ({NEWEST})" in refused.stdout + refused.stderr
            assert site.run("migrate", check=True).stdout == f"applied {NEWEST}\nThe schema is current: 1 applied.\n"
            assert site.run("migrate", check=True).stdout == "The schema is current.\n"
            server = site.serve()
            assert server.api().call("signUp", {"returnSecureToken": True}).status_code == 200
            site.rows("DELETE FROM schema_migrations WHERE name = %s", NEWEST)
            wait_until(lambda: requests.get(site.url + "/health/ready", timeout=TIMEOUT).status_code == 503, what="503")
        finally:
            shutil.rmtree(older)


def test_production_takes_no_folder_of_migrations():
    with a_site(project=GUESTS, migrate=False, settings={"migrations": str(ROOT / "Migrations"), "development": False}) as site:
        refused = site.run("check")
        assert refused.returncode != 0
        assert "the binary has its migrations inside; delete this line" in refused.stdout

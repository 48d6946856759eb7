"""A drill: a database is lost, and restored on a second cluster from a base backup and the write-ahead log. `make restore-drill` runs it alone."""

import contextlib
import pathlib
import shutil
import subprocess
import tempfile
import time

import pytest

from support.accounts import sign_up
from support.harness import home, wait_until
from support.names import METHODS, TIMEOUT
from support.servers.postgres import Cluster
from support.servers.site import a_site

PASSWORD = "correct horse"
TOOLS = max(pathlib.Path("/usr/lib/postgresql").glob("*/bin"), key=lambda folder: int(folder.parent.name))


def configure(cluster, text):
    with (cluster.folder / "data/postgresql.conf").open("a") as file:
        file.write(text)


@pytest.fixture
def folder():
    """Where the archive and the second cluster are; PostgreSQL, as another user, reads and writes there."""
    folder = pathlib.Path(tempfile.mkdtemp(dir=home))
    folder.chmod(0o777)
    (folder / "wal").mkdir()
    (folder / "wal").chmod(0o777)
    yield folder
    shutil.rmtree(folder, ignore_errors=True)


@pytest.fixture
def primary(folder):
    cluster = Cluster(folder / "primary", private=True)
    cluster.stop()
    configure(cluster, f"archive_mode = on\narchive_command = 'cp %p {folder}/wal/%f'\n")
    cluster.start()
    yield cluster
    cluster.stop()


def restored(folder, primary, name):
    """The second cluster: the base backup, and the log up to the point of this name."""
    cluster = Cluster.__new__(Cluster)
    cluster.folder, cluster.durable, cluster.url = folder / "second", False, None
    configure(
        cluster,
        f"archive_mode = off\nrestore_command = 'cp {folder}/wal/%f %p'\nrecovery_target_name = '{name}'\nrecovery_target_action = promote\n",
    )
    (cluster.folder / "data/recovery.signal").touch()
    owner = (primary.folder / "data").owner()
    subprocess.run(["chown", "-R", owner, cluster.folder], check=True)
    cluster.start()
    return cluster


def base_backup(folder, primary):
    command = [
        TOOLS / "pg_basebackup",
        "--dbname",
        primary.url,
        "--pgdata",
        folder / "second/data",
        "--checkpoint=fast",
        "--wal-method=none",
    ]
    subprocess.run(command, check=True, capture_output=True, timeout=TIMEOUT)


def signs_in(api, user):
    return api.call("signInWithPassword", {"email": user["email"], "password": PASSWORD}).status_code == 200


def test_SEC_70_who_was_erased_since_the_backup_stays_erased_and_all_others_sign_in(folder, primary):
    settings = {"erasures": {"path": str(folder / "erasures.jsonl")}}
    clusters = []
    with contextlib.ExitStack() as stack:
        stack.callback(lambda: [cluster.stop() for cluster in clusters])
        site = stack.enter_context(a_site(project={"signIn": METHODS}, settings=settings, database=primary.create()))
        server = site.serve()
        api = server.api()
        erased, before = sign_up(api), sign_up(api)
        base_backup(folder, primary)
        since = sign_up(api)
        site.value("SELECT pg_create_restore_point('before_the_loss')::text")
        assert site.run("users", "erase", "demo", erased["localId"], "--reason", "a drill").returncode == 0
        site.value("SELECT pg_switch_wal()::text")
        assert server.stop() == 0
        site.connection.close()
        primary.stop()

        start = time.monotonic()
        clusters.append(restored(folder, primary, "before_the_loss"))
        name = site.database.partition("?")[0].rpartition("/")[2]
        site.database = clusters[0].url.replace("/postgres?", f"/{name}?")
        wait_until(lambda: not site.value("SELECT pg_is_in_recovery()"), what="the end of the recovery")
        assert site.value("SELECT count(*) FROM accounts WHERE account_id = %s", erased["localId"]) == 1
        kept = site.run("after-restore", "--sessions", "keep", check=True)
        assert "1 of 1 erased people were there again, and were erased." in kept.stdout
        api = site.serve().api()
        assert signs_in(api, before)
        print(f"restored, in order and signed in to after {time.monotonic() - start:.1f} s")
        assert signs_in(api, since) and not signs_in(api, erased)
        assert api.refresh(before["refreshToken"]).status_code == 200
        assert api.refresh(erased["refreshToken"]).status_code == 400

        ended = site.run("after-restore", "--sessions", "end", check=True)
        assert "sessions ended. All people sign in again." in ended.stdout and "0 of 1 erased people" in ended.stdout
        assert api.refresh(before["refreshToken"]).status_code == 400
        assert site.value("SELECT count(*) FROM audit_events WHERE project_id = '' AND action = 'database.restored'") == 2

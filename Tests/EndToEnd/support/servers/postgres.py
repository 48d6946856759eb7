"""PostgreSQL for the tests: the shared cluster, servers that stand by for one another, freeze and fall, and a pooler before one."""

import contextlib
import os
import pathlib
import pwd
import shutil
import signal
import socket
import subprocess
import tempfile
from urllib.parse import parse_qs, urlsplit

import psycopg2

from support.harness import ROOT, counter, wait_until
from support.names import TIMEOUT

# A plan is made for the values of one execution, so it has no partition that these cannot touch.
WATCHED = ("session_preload_libraries = 'auto_explain'", "auto_explain.log_min_duration = 0", "plan_cache_mode = force_custom_plan")


class Cluster:
    """A PostgreSQL server of our own, or the one that the test run made (`GATEHOUSE_TEST_DATABASE`)."""

    def __init__(self, folder, private=False, durable=False):
        self.folder = None
        self.durable = durable
        self.url = None if private else os.environ.get("GATEHOUSE_TEST_DATABASE")
        if not self.url:
            self.folder = pathlib.Path(folder)
            self.start()
        else:
            self.sweep()

    def start(self):
        durable = ["--durable"] if self.durable else []
        script = [ROOT / "scripts/test-database", "start", self.folder, *durable, "--while", str(os.getpid())]
        self.url = subprocess.run(script, check=True, capture_output=True, text=True, timeout=TIMEOUT).stdout.strip()

    def stop(self):
        subprocess.run([ROOT / "scripts/test-database", "stop", self.folder], check=True, capture_output=True, timeout=TIMEOUT)

    def crash(self):
        """Ends it without a shutdown, so that the next start recovers."""
        pid = int((self.folder / "data/postmaster.pid").read_text().split()[0])
        os.kill(pid, signal.SIGQUIT)
        wait_until(lambda: not (self.folder / "data/postmaster.pid").exists(), what="the database's crash")

    def create(self, template="template1"):
        """A new database, as a copy of another one of this cluster; returns its URL."""
        name = f"e2e_{os.getpid()}_{next(counter)}"
        with contextlib.closing(psycopg2.connect(self.url)) as connection:
            connection.autocommit = True
            connection.cursor().execute(f"CREATE DATABASE {name} TEMPLATE {template}")
        address, mark, query = self.url.partition("?")
        return address.rpartition("/")[0] + "/" + name + mark + query

    def create_watched(self, template):
        """The same, where the log of the cluster has the plan of each statement, for `support/plans.py`."""
        url = self.create(template)
        name = urlsplit(url).path[1:]
        with contextlib.closing(psycopg2.connect(self.url)) as connection:
            connection.autocommit = True
            for setting in WATCHED:
                connection.cursor().execute(f"ALTER DATABASE {name} SET {setting}")
        return url

    def remove(self):
        """Removes a server of our own. The databases on another one stay until the next run sweeps them, since each takes PostgreSQL a
        checkpoint, and a run that made its server removes all of it at once."""
        if self.folder:
            subprocess.run([ROOT / "scripts/test-database", "remove", self.folder], capture_output=True, timeout=TIMEOUT)

    def sweep(self):
        """Drops the databases of processes that have ended."""
        with contextlib.closing(psycopg2.connect(self.url)) as connection, connection.cursor() as cursor:
            connection.autocommit = True
            cursor.execute(
                "SELECT datname, substring(datname FROM 'e2e_([0-9]+)_[0-9]+$') FROM pg_database WHERE datname ~ 'e2e_[0-9]+_[0-9]+$'"
            )
            for name, process in cursor.fetchall():
                if not pathlib.Path("/proc", process).exists():
                    # Another process may be sweeping, too.
                    with contextlib.suppress(psycopg2.Error):
                        cursor.execute(f"DROP DATABASE IF EXISTS {name} WITH (FORCE)")


_cluster = None


def cluster():
    """The shared cluster, made when it is first asked for."""
    global _cluster
    if _cluster is None:
        _cluster = Cluster(tempfile.mkdtemp(prefix="gatehouse-e2e-pg-"))
    return _cluster


def remove_cluster():
    """Removes the shared one, if it was ever asked for."""
    if _cluster is not None:
        _cluster.remove()


def tool(name):
    """The program of PostgreSQL's newest installation; Debian does not put it into PATH."""
    found = sorted(pathlib.Path("/usr/lib/postgresql").glob(f"*/bin/{name}"), key=lambda path: int(path.parts[4]))
    return found[-1] if found else shutil.which(name)


def as_owner(*command):
    """A command, run as the user of PostgreSQL."""
    if os.getuid() == 0:
        command = ("setpriv", "--reuid", "postgres", "--regid", "postgres", "--init-groups", "--", *command)
    return [str(part) for part in command]


def owned_folder(prefix):
    folder = pathlib.Path(tempfile.mkdtemp(prefix=prefix, dir="/tmp"))
    if os.getuid() == 0:
        shutil.chown(folder, "postgres")
    return folder


def socket_of(cluster):
    return parse_qs(urlsplit(cluster.url).query)["host"][0]


def ask(cluster, statement):
    with contextlib.closing(psycopg2.connect(cluster.url)) as connection:
        connection.autocommit = True
        with connection.cursor() as cursor:
            cursor.execute(statement)
            return cursor.fetchall() if cursor.description else None


@contextlib.contextmanager
def a_cluster(durable=False):
    cluster = Cluster(tempfile.mkdtemp(prefix="gatehouse-e2e-own-pg-"), private=True, durable=durable)
    try:
        yield cluster
    finally:
        cluster.remove()


@contextlib.contextmanager
def a_standby(primary):
    """A copy of `primary` that follows it; the primary confirms a commit only when the standby has it."""
    folder = owned_folder("gatehouse-e2e-standby-")
    backup = as_owner(
        tool("pg_basebackup"), "-h", socket_of(primary), "-U", "postgres", "-D", folder / "data", "-R", "-X", "stream", "-c", "fast"
    )
    subprocess.run(backup, check=True, capture_output=True, timeout=TIMEOUT, cwd="/")
    standby = Cluster(folder, private=True)
    try:
        ask(primary, "ALTER SYSTEM SET synchronous_standby_names = '*'")
        ask(primary, "SELECT pg_reload_conf()")
        wait_until(lambda: ask(primary, "SELECT 1 FROM pg_stat_replication WHERE sync_state = 'sync'"), what="a synchronous standby")
        yield standby
    finally:
        standby.remove()


def promote(standby):
    ask(standby, "SELECT pg_promote()")


def both(primary, standby, database, **more):
    """The URL of a database that either may serve."""
    name = urlsplit(database).path
    query = "&".join(f"{key}={value}" for key, value in more.items())
    return f"postgresql://{name}?host={socket_of(primary)},{socket_of(standby)}&user=postgres&{query}"


@contextlib.contextmanager
def frozen(cluster):
    """The server and all its sessions stand still, as on a machine that has frozen."""
    parent = int((cluster.folder / "data/postmaster.pid").read_text().split()[0])
    children = [int(pid) for pid in pathlib.Path(f"/proc/{parent}/task/{parent}/children").read_text().split()]
    for process in (parent, *children):
        os.kill(process, signal.SIGSTOP)
    try:
        yield
    finally:
        for process in (parent, *children):
            with contextlib.suppress(ProcessLookupError):
                os.kill(process, signal.SIGCONT)


@contextlib.contextmanager
def a_silent_host():
    """A server that accepts connections and never answers, like a machine that has frozen; returns its folder."""
    with tempfile.TemporaryDirectory(prefix="gatehouse-e2e-silent-", dir="/tmp") as folder, socket.socket(socket.AF_UNIX) as listener:
        listener.bind(f"{folder}/.s.PGSQL.5432")
        listener.listen(128)
        yield folder


@contextlib.contextmanager
def a_pooler(cluster, mode):
    """PgBouncer before a cluster, as Debian has it; gives what makes a database's URL one by way of the pooler."""
    folder = owned_folder("gatehouse-e2e-pooler-")
    settings = folder / "pgbouncer.ini"
    settings.write_text(
        f"""[databases]
* = host={socket_of(cluster)} user=postgres
[pgbouncer]
listen_addr =
listen_port = 6432
unix_socket_dir = {folder}
auth_type = any
pool_mode = {mode}
default_pool_size = 100
logfile = {folder}/log
pidfile = {folder}/pid
"""
    )
    if os.getuid() == 0:
        shutil.chown(settings, "postgres")
    program = shutil.which("pgbouncer", path=os.environ["PATH"] + ":/usr/sbin")
    user = [] if os.getuid() == 0 else ["-u", pwd.getpwuid(os.getuid()).pw_name]
    process = subprocess.Popen(
        ["setpriv", "--pdeathsig", "KILL", *as_owner(program, *user, settings)], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
    )
    try:
        wait_until(lambda: (folder / ".s.PGSQL.6432").exists() or process.poll(), what="the pooler")
        yield lambda database: f"postgresql://{urlsplit(database).path}?host={folder}&port=6432&user=postgres"
    finally:
        process.kill()
        process.wait(TIMEOUT)

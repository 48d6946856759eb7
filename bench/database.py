"""The private PostgreSQL, and pgbench, which runs the statements that the server was seen sending."""

import glob
import pathlib
import re
import shutil

import processes
from gatehouse import PEOPLE, ROOT
from processes import Failed

TOOL = ROOT / "scripts" / "test-database"
TIMESTAMP = re.compile(r"\d{4}-\d\d-\d\d \d\d:\d\d:\d\d(\.\d+)?[+-]\d\d(:\d\d)?")


def tool(name):
    found = sorted(glob.glob(f"/usr/lib/postgresql/*/bin/{name}"), key=lambda path: int(path.split("/")[4]))
    return found[-1] if found else shutil.which(name) or name


class Database:
    """A cluster that writes to the disk before it confirms a commit."""

    def __init__(self, folder, pid):
        self._folder = folder
        superuser = processes.run([TOOL, "start", folder, "--durable", "--while", pid]).decode().strip()
        self._superuser = superuser
        self.url = superuser.replace("///postgres?", "///gatehouse?")
        self.query("CREATE DATABASE gatehouse", superuser)

    def query(self, sql, url=None):
        return processes.run([tool("psql"), url or self.url, "-XqAt", "-v", "ON_ERROR_STOP=1", "-c", sql]).decode().strip()

    def create(self, name, *steps):
        """Another database, made by these steps: statements, or files of them. Gives its URL."""
        self.query(f"CREATE DATABASE {name}", self._superuser)
        url = self._superuser.replace("///postgres?", f"///{name}?")
        for step in steps:
            if isinstance(step, pathlib.Path):
                processes.run([tool("psql"), url, "-Xq", "-v", "ON_ERROR_STOP=1", "-f", step])
            else:
                self.query(step, url)
        return url

    def log_statements(self, on):
        """Applies to connections that are made from now on."""
        self.query(f"ALTER DATABASE gatehouse SET log_statement = '{'all' if on else 'none'}'", self._superuser)

    def explain(self, on):
        """Whether the log gets the plan of each statement, on connections that are made from now on."""
        for name, value in {"session_preload_libraries": "auto_explain", "auto_explain.log_min_duration": "0"}.items():
            self.query(f"ALTER DATABASE gatehouse {f'SET {name} = {value}' if on else f'RESET {name}'}", self._superuser)

    def log(self):
        return pathlib.Path(self._folder, "server.log").read_text(errors="replace")

    def logged(self, beginning):
        """The newest statement in the log that begins like this: its text, and its parameters as text."""
        # A continued line begins with a tab.
        lines = pathlib.Path(self._folder, "server.log").read_text(errors="replace").replace("\n\t", "\n\x00").split("\n")
        text, found = [], None
        for line in lines:
            if line.startswith("\x00"):
                text.append(line[1:])
                continue
            statement = re.search(r"LOG:  execute [^:]+: (.*)", line)
            parameters = re.search(r"DETAIL:  [Pp]arameters: (.*)", line)
            if parameters and text and text[0].startswith(beginning):
                values = re.findall(r"\$(\d+) = (NULL|'(?:[^']|'')*')", parameters[1])
                found = "\n".join(text), {int(n): None if v == "NULL" else v[1:-1].replace("''", "'") for n, v in values}
            text = [statement[1]] if statement else []
        if not found:
            raise Failed(f"the server was not seen sending: {beginning} …")
        return found

    def pgbench(self, script, variables, clients, seconds):
        """The transactions per second. Every client repeats the script; none may fail."""
        file = pathlib.Path(self._folder).parent / "pgbench.sql"
        file.write_text(script)
        options = [f"-D{name}={value}" for name, value in variables.items()]
        out = processes.run(
            [tool("pgbench"), "-n", "-M", "prepared", "-c", clients, "-j", 1, "-T", seconds, "-f", file, *options, self.url]
        ).decode()
        return float(re.search(r"tps = ([\d.]+)", out)[1])


class Statement:
    """Statements of the server for pgbench, of one call: the same texts, but every client uses its own share of the seeded rows."""

    def __init__(self, logged, account, session=None, new=False):
        """`logged`: the texts and parameters that were seen. `account` and `session` are the ids that the parameters had then. `new`: the
        statements make rows, so every run has rows of its own."""
        self.constants = {}
        self._next = 0
        self._new = new
        self._texts = [self._text(number, *seen, account, session) for number, seen in enumerate(logged)]
        self._counts = any(":g1" in text for text in self._texts)

    def _text(self, statement, text, parameters, account, session):
        def replacement(match):
            number = int(match[1])
            value = parameters[number]
            if value is None:
                return "NULL"
            if value == account:
                return "('bench' || (:row)::text)"
            if session is not None and value == "\\x" + session:
                return "decode(lpad(to_hex((:row)::bigint), 32, '0'), 'hex')"
            if self._new and re.fullmatch(r"\\x[0-9a-f]{32}", value):  # a bucket of a limit: every client has its own
                return "decode(md5('bench' || (:client_id)::text), 'hex')"
            if not self._new and value in ("0", "1", "2"):  # a generation, when a session's first refresh was seen
                return f":g{value}"
            name = f"p{statement}_{number}"
            self.constants[name] = value
            # The server states the type of a parameter; pgbench cannot, and PostgreSQL does not guess it everywhere.
            return f":{name}::timestamptz" if TIMESTAMP.fullmatch(value) else f":{name}"

        return re.sub(r"\$(\d+)", replacement, text)

    def script(self, clients, before="", after="", times=1):
        """The statements, `times` times, between the lines `before` and `after`."""
        share = PEOPLE // clients
        # The count only grows, over the rows and runs of all clients, so it is always the newest generation.
        lines = [r"\set g0 :g0 + 1"]
        if self._counts:
            lines += [r"\set g1 :g0 + 1", r"\set g2 :g0 + 2"]
        row = ":client_id * 1000000000 + :g0" if self._new else f":client_id * {share} + :g0 % {share} + 1"
        lines += [rf"\set row {row}", *(text + ";" for text in self._texts)]
        return "\n".join(line for line in [before, *lines * times, after] if line) + "\n"

    def variables(self):
        self._next += 10_000_000
        return {"g0": self._next, **self.constants}


def seed(database, project, account, session):
    """Copies the rows of one signed-in person, for pgbench alone: as many people as the server has, in the same tables."""
    columns = {
        "account_id": "'bench' || n",
        "session_id": "decode(lpad(to_hex(n), 32, '0'), 'hex')",
        "subject": "'bench' || n",
        "email": "'bench' || n || '@example.com'",
    }
    for table in ("accounts", "identities", "sessions"):
        names = database.query(
            f"SELECT string_agg(attname, ',' ORDER BY attnum) FROM pg_attribute WHERE attrelid = '{table}'::regclass AND attnum > 0 "
            "AND NOT attisdropped"
        ).split(",")
        values = ", ".join(columns.get(name, "t." + name) for name in names)
        key = f"t.session_id = '\\x{session}'" if table == "sessions" else f"t.account_id = '{account}'"
        database.query(
            f"INSERT INTO {table} ({', '.join(names)}) SELECT {values} FROM {table} t, generate_series(1, {PEOPLE}) n "
            f"WHERE t.project_id = '{project}' AND {key}"
        )
    database.query("VACUUM ANALYZE")
    database.query("CHECKPOINT")

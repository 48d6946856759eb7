"""Looks through the plans of all statements that servers and commands ran on databases that are split by project (`servers/partitions.py`)."""

import contextlib
import json
import os
import pathlib
import re

import psycopg2

from support.description import operations
from support.leaks import logs

# The first line of an entry: time, process, application, database.
ENTRY = re.compile(rb"\d{4}-\S+ \S+ \S+ \[\d+\] (?P<application>[^|]*)\|[^|]*\| ")
# The partition of a node, and the lines below it, which have its conditions. A pattern that begins with a fixed text is found four times as fast.
SCAN = re.compile(r" on (?P<table>\w+)_p\d (?P<alias>\w+)  \(cost=.*\n(?P<conditions>(?:\t(?! *-> )[^\n]*\n)*)")
# The nodes that have a partition and read nothing of it.
WRITES = ("Insert", "Update", "Delete")
ONE_PROJECT = re.compile(r"\bproject_id = ('(?:[^']|'')*')::text")
PROJECT_OF_ROW = re.compile(r"\bproject_id = (\w+)\.project_id")

# A line of the access log.
ACCESS = re.compile(r'\{"time":"[^"]*","method":"[^"]*","route":"[^"]*","status":\d+,.*\}$')
# Nothing of what these ask for is here: SAML, and push messages of Apple's.
WITHOUT_ANSWER = {
    "POST /v1/accounts:verifyIosClient",
    "GET /v2/projects/{project}/inboundSamlConfigs/{id}",
}

EXPIRING = "action_codes sessions sign_in_flows authorization_requests spent_tokens rate_limits deliveries audit_events sign_in_log sms_codes sms_counters".split()
# What no request runs, and its statement, with single spaces.
JOBS = {
    **{
        f"delete what has expired in {table}": rf"DELETE FROM {table} WHERE project_id = \$\d+ AND \w+ = ANY \(ARRAY\("
        for table in EXPIRING
    },
    "delete tokens of providers that keep none": r"WITH RECURSIVE stored AS .* DELETE FROM provider_tokens",
    "write the log of sign-ins": r"INSERT INTO sign_in_log",
    "cut old addresses of sessions": r"UPDATE sessions s SET address",
    "cut old addresses of audit events": r"UPDATE audit_events e SET address",
    "find unused anonymous accounts": r"SELECT a.account_id, \(a.created_at",
    "end idle sessions": r"WITH piece AS .* ended AS \( UPDATE sessions",
    "find mails that are due": r"SELECT due_at FROM deliveries",
    "lease mails": r"UPDATE deliveries AS d SET due_at",
    "count mails that wait": r"SELECT count\(\*\), min\(created_at\) FROM deliveries",
    "find changes to copy to Firebase": r"FROM audit_events WHERE project_id = \$\d+ AND event_id > ",
    "find acts to tell endpoints of": r"SELECT event_id, recipients FROM audit_events WHERE project_id",
    "note that changes are looked for": r"INSERT INTO mirrors",
    "lease changes to copy to Firebase": r"UPDATE mirrors SET leased_until = \$\d+ WHERE",
    "pin issuers": r"INSERT INTO provider_issuers",
    "seal again": r"FROM deliveries WHERE project_id = \$\d+ AND \(delivery_id\) > ",
    "count sign-ins of a former key": r"SELECT flow_id, secrets, expires_at FROM sign_in_flows",
    "count sessions of a former key": r"token_key IS DISTINCT FROM",
}


def fault_of(plan):
    """The reason why a plan is not about one project; `None` for a good one. Each partition that it reads is one of the project that a value
    names, or of the project of a row that it has read so."""
    scans = [scan for scan in SCAN.finditer(plan) if not plan.endswith(WRITES, 0, scan.start())]
    bound = {scan["alias"]: project[1] for scan in scans if (project := ONE_PROJECT.search(scan["conditions"]))}
    if len(set(bound.values())) > 1:
        return f"names the projects {', '.join(sorted(set(bound.values())))}"
    for scan in scans:
        row = PROJECT_OF_ROW.search(scan["conditions"])
        if scan["alias"] not in bound and not (row and row[1] in bound):
            return f"reads {scan['table']} of all projects"
    return None


class ClusterLog:
    """The log of a cluster, from now on."""

    def __init__(self, url):
        with contextlib.closing(psycopg2.connect(url)) as connection, connection.cursor() as cursor:
            cursor.execute("SHOW data_directory")
            self.path = pathlib.Path(cursor.fetchone()[0]).parent / "server.log"
        self.start = self.path.stat().st_size

    def entries(self):
        with open(self.path, "rb") as file:
            file.seek(self.start)
            entry = []
            for line in file:
                if not line.startswith(b"\t"):
                    yield b"".join(entry)
                    entry = []
                entry.append(line)
            yield b"".join(entry)

    def plans(self):
        """The statement with the plan, of each that Gatehouse ran."""
        for entry in self.entries():
            first = ENTRY.match(entry)
            if first and first["application"].startswith(b"gatehouse") and b"  plan:\n" in entry:
                yield entry.partition(b"  plan:\n")[2].decode(errors="replace")

    def faults(self):
        """What is wrong with plans, each statement once."""
        found = {}
        for plan in self.plans():
            fault = fault_of(plan)
            if fault:
                statement = re.split(r"^\t[A-Z].*\(cost=", plan, maxsplit=1, flags=re.MULTILINE)[0]
                found.setdefault((fault, statement), f"{fault}:\n{plan}")
        return list(found.values())

    def jobs_not_run(self):
        """The names of those whose statement is in no plan."""
        waiting = dict(JOBS)
        for plan in self.plans():
            statement = " ".join(plan.split())
            for job in [job for job, pattern in waiting.items() if re.search(pattern, statement)]:
                del waiting[job]
            if not waiting:
                break
        return list(waiting)


def shared_cluster_log():
    """The log of the cluster that all tests of this run share; `None` when each process has a cluster of its own."""
    url = os.environ.get("GATEHOUSE_TEST_DATABASE")
    return ClusterLog(url) if url else None


def calls_answered():
    """Method and route of each call that a server of this process has answered, other than with an error."""
    calls = set()
    for path in logs:
        for line in path.read_text(errors="replace").splitlines():
            if ACCESS.match(line):
                fields = json.loads(line)
                if fields["status"] < 400:
                    calls.add(f"{fields['method'].upper()} {fields['route']}")
    return calls


def calls_described():
    """The calls that are not refused in all cases."""
    return {f"{method} {path}" for method, path, call in operations() if any(status[0] in "23" for status in call["responses"])}


def faults_of_statements(log, calls=None):
    """The reason why the statements of a run are not good, or an empty text.

    - A distributed database cannot route a statement about several projects to one shard.
    - `calls` are all that the whole suite made: a call that none of the tests makes, and background work that none of the servers did, has
      statements that nobody looked at."""
    several = log.faults()
    faults = [f"{len(several)} statements are about several projects. Each\n" + "\n".join(several)] if several else []
    if calls is not None:
        missing = sorted(calls_described() - WITHOUT_ANSWER - calls)
        if missing:
            faults.append("no test had these calls answered other than with an error:\n" + "\n".join(missing))
        idle = log.jobs_not_run()
        if idle:
            faults.append("no server and no command did this work:\n" + "\n".join(idle))
    return "\n".join(faults)

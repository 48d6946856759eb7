"""An operator's installation by the pages alone: their commands, as they stand, on a machine with a systemd of its own."""

import ast
import contextlib
import re
import shutil

import pytest

from support.operator_pages import GROUPS, blocks, commands
from support.servers.machine import SOURCES, Machine, NoMachine

pytestmark = pytest.mark.long

# Debian's unit `postgresql` stops before its clusters have: they are named, so that the command waits for them.
STOP = "systemctl stop 'postgresql@*' postgresql"
# The facts that the pages assume: a cluster as the package makes it, and a certificate of an authority that this machine trusts.
GIVEN = f"""
{STOP}
rm -rf /etc/postgresql/15 /var/lib/postgresql/15
pg_createcluster 15 main >/dev/null
systemctl start postgresql
cd /root
openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -noenc -subj '/CN=Public authority' -keyout a.key \\
  -out /usr/local/share/ca-certificates/public.crt 2>/dev/null
update-ca-certificates >/dev/null 2>&1
openssl req -newkey ec -pkeyopt ec_paramgen_curve:P-256 -noenc -subj /CN=auth.example.com -keyout /etc/ssl/private/auth.example.com.key -out a.csr 2>/dev/null
openssl x509 -req -in a.csr -CA /usr/local/share/ca-certificates/public.crt -CAkey a.key -CAcreateserial \\
  -extfile <(echo subjectAltName=DNS:auth.example.com) -out /etc/ssl/auth.example.com.pem 2>/dev/null
"""
# What a second run of the page must leave as it is.
KEPT = """
cd /etc; sha256sum gatehouse/*.* gatehouse/projects/* postgresql/15/main/pg_hba.conf postgresql/15/main/server.crt
ls /usr/local/lib/gatehouse
"""
READY = "curl -sf http://127.0.0.1:9090/health/ready"


@contextlib.contextmanager
def a_machine():
    try:
        machine = Machine()
    except NoMachine as reason:
        pytest.skip(f"no machine with a systemd of its own: {reason}")
    try:
        machine.run(GIVEN)
        yield machine
    finally:
        machine.close()


@pytest.fixture(scope="module")
def installed():
    """The machine after the installation page, and what its commands printed the first and the second time."""
    with a_machine() as machine:
        machine.printed = machine.run(commands("install")).stdout
        machine.kept = machine.run(KEPT).stdout
        machine.printed_again = machine.run(commands("install")).stdout
        machine.kept_again = machine.run(KEPT).stdout
        yield machine


def signs(machine, call, email, options=""):
    """The status of a sign-up (`signUp`) or a sign-in (`signInWithPassword`)."""
    answer = machine.run(
        f"curl -sS -o /dev/null -w '%{{http_code}}' 'https://auth.example.com/v1/accounts:{call}?key=acme-web-key' -H 'content-type: application/json' "
        f"""-d '{{"email":"{email}","password":"correct horse battery","returnSecureToken":true}}' {options}"""
    )
    return int(answer.stdout)


def property_of(machine, name):
    return machine.run(f"systemctl show gatehouse --property={name} --value").stdout.strip()


def psql(machine, statements, database="gatehouse"):
    return machine.run(f"cd /; runuser -u postgres -- psql -XAtq -v ON_ERROR_STOP=1 {database} <<'SQL'\n{statements}\nSQL").stdout.strip()


def test_every_command_of_the_pages_is_run_or_says_that_it_is_not():
    unmarked = [
        (page, text) for page, group, text in blocks() if group not in GROUPS and not re.match("# (Not run|Run) by the tests", text)
    ]
    assert not unmarked
    assert {group for _, group, _ in blocks() if group} == set(GROUPS)


def test_the_page_leads_from_nothing_to_200(installed):
    assert "\n200\n" in installed.printed, installed.printed
    assert '"idToken":' in installed.printed
    assert "%73%33%63%72%2f%65%74%40%70%3a%77%25" in installed.printed
    assert signs(installed, "signInWithPassword", "ada@example.com") == 200


def test_check_finds_nothing_to_say_about_the_page(installed):
    said = installed.run("gatehouse check").stdout
    assert "warning" not in said and "chmod" not in said, said


def test_the_database_is_reached_over_verified_tls_with_scram(installed):
    connections = "SELECT DISTINCT ssl, version FROM pg_stat_ssl JOIN pg_stat_activity USING (pid) WHERE usename = 'gatehouse'"
    assert psql(installed, connections) == "t|TLSv1.3"
    assert psql(installed, "SELECT rolpassword LIKE 'SCRAM-SHA-256$%' FROM pg_authid WHERE rolname = 'gatehouse'") == "t"
    swap = "cp {0} /etc/gatehouse/database-ca.crt"
    try:
        installed.run(swap.format("/usr/local/share/ca-certificates/public.crt"))
        refused = installed.run("gatehouse migrate", check=False)
    finally:
        installed.run(swap.format("/root/database-ca/ca.crt"))
    assert refused.returncode != 0 and "certificate verify failed" in refused.stdout


def test_a_password_that_needs_encoding_works_as_the_page_encodes_it(installed):
    password = "s3cr/et@p:w%"
    encoded = next(line for line in installed.printed.splitlines() if line.startswith("%73"))
    psql(installed, f"CREATE ROLE odd LOGIN PASSWORD '{password}'; GRANT CONNECT ON DATABASE gatehouse TO odd;")
    installed.run(
        "sed -i 's/^hostssl gatehouse gatehouse .*/&\\nhostssl gatehouse odd 10.0.0.0\\/8 scram-sha-256/' /etc/postgresql/15/main/pg_hba.conf"
    )
    installed.run("systemctl reload postgresql@15-main")
    url = f"postgresql://odd:{encoded}@db.internal/gatehouse?sslmode=verify-full&sslrootcert=/etc/gatehouse/database-ca.crt"
    assert installed.run(f"psql -XAtc 'SELECT current_user' '{url}'").stdout.strip() == "odd"


def test_the_service_runs_with_the_restrictions_of_its_unit(installed):
    status = installed.run(f"cat /proc/{property_of(installed, 'MainPID')}/status").stdout
    fields = dict(line.split(":\t", 1) for line in status.splitlines() if ":\t" in line)
    assert fields["NoNewPrivs"] == "1" and fields["Seccomp"] == "2"
    assert {int(fields[name], 16) for name in ("CapInh", "CapPrm", "CapEff", "CapBnd", "CapAmb")} == {0}
    assert fields["Uid"].split()[0] == installed.run("id -u gatehouse").stdout.strip() != "0"
    assert int(property_of(installed, "LogRateLimitIntervalUSec").removesuffix("s") or 0) == 0
    installed.run("systemd-analyze security gatehouse --threshold=20")


def test_the_service_comes_back_and_waits_for_its_database(installed):
    installed.run("systemctl kill --kill-whom=main --signal=KILL gatehouse")
    installed.run(f"until {READY}; do sleep 0.2; done")
    installed.run(
        f"{STOP}; systemctl restart gatehouse || true; until [ $(systemctl show gatehouse -P NRestarts) -ge 2 ]; do sleep 0.2; done"
    )
    installed.run(f"systemctl start postgresql; until {READY}; do sleep 0.2; done")
    assert signs(installed, "signInWithPassword", "ada@example.com") == 200


def test_nothing_of_the_operations_is_public(installed):
    for path in ("/metrics", "/health/ready", "/health/live", "/identitytoolkit.googleapis.com/metrics", "/%6detrics"):
        assert installed.run(f"curl -s -o /dev/null -w '%{{http_code}}' https://auth.example.com{path}").stdout == "404", path
    assert "http_requests_total" in installed.run("curl -s http://127.0.0.1:9090/metrics").stdout


def test_systemctl_reload_tells_whether_the_configuration_was_taken(installed):
    file = "/etc/gatehouse/projects/acme.yaml"
    installed.run("systemctl reload gatehouse")
    try:
        installed.run(f"cp -p {file} /root/acme.yaml; echo 'sigIn: {{}}' >>{file}")
        refused = installed.run("systemctl reload gatehouse", check=False)
        assert refused.returncode != 0
        assert "sigIn" in installed.run("journalctl -u gatehouse --no-pager -n 30").stdout
    finally:
        installed.run(f"cp -p /root/acme.yaml {file}")
    installed.run("systemctl reload gatehouse")
    assert signs(installed, "signInWithPassword", "ada@example.com") == 200


def test_the_commands_of_daily_operation_work_as_written(installed):
    installed.run(commands("operations"))
    for page, _, text in blocks("sql"):
        psql(installed, f"BEGIN; {text.replace('…', '2026-01-01')} ROLLBACK;")
    assert signs(installed, "signInWithPassword", "ada@example.com") == 200


@pytest.fixture(params=["nginx", "caddy", "haproxy"])
def proxy(installed, request):
    """The page's proxies, each in front for one test."""
    name = request.param
    if name != "nginx":
        pem = "cat /etc/ssl/auth.example.com.pem /etc/ssl/private/auth.example.com.key >/etc/haproxy/auth.example.com.pem"
        text = next(text for _, _, text in blocks(name))
        # Caddy would ask a public authority for the certificate.
        text = text.replace("com {\n", "com {\n    tls /etc/ssl/auth.example.com.pem /etc/ssl/private/auth.example.com.key\n", 1)
        file = {"caddy": "/etc/caddy/Caddyfile", "haproxy": "/etc/haproxy/haproxy.cfg"}[name]
        own = "chmod 644 /etc/ssl/private/auth.example.com.key; chmod 755 /etc/ssl/private" if name == "caddy" else pem
        installed.run(f"systemctl stop nginx; {own}; cat >{file} <<'TEXT'\n{text}\nTEXT\nsystemctl restart {name}")
    yield name
    if name != "nginx":
        installed.run(f"systemctl stop {name}; systemctl start nginx")


def test_behind_each_proxy_clients_are_told_apart_and_cannot_lie(installed, proxy):
    file = "/etc/gatehouse/projects/acme.yaml"
    installed.run(f"cp -p {file} /root/acme.yaml; echo 'limits: {{signUp: {{perAddress: 2 per 1h}}}}' >>{file}; systemctl reload gatehouse")
    psql(installed, "DELETE FROM rate_limits")

    def sign_up(number, source):
        lies = f"-H 'X-Forwarded-For: 203.0.113.{number}' -H 'Forwarded: for=203.0.113.{number}' --interface {source}"
        return signs(installed, "signUp", f"{proxy}{number}@example.com", lies)

    try:
        assert [sign_up(number, "10.0.0.6") for number in range(3)] == [200, 200, 400]
        assert sign_up(3, "10.0.0.5") == 200
    finally:
        installed.run(f"cp -p /root/acme.yaml {file}; systemctl reload gatehouse")
        # What counted under the narrow limit would count under the wide one too.
        psql(installed, "DELETE FROM rate_limits")


def test_the_page_may_be_run_twice(installed):
    assert installed.kept_again == installed.kept
    assert "EMAIL_EXISTS" in installed.printed_again and "\n400\n" in installed.printed_again, installed.printed_again


def test_the_examination_is_the_last_step_and_comes_every_day(installed):
    for printed in (installed.printed, installed.printed_again):
        parts = printed[printed.rindex("configuration\n") :]
        assert "ok       publicURL" in parts and "\n0 faults, 1 warning." in parts, printed
    assert installed.run("systemctl is-active gatehouse-doctor.timer").stdout.strip() == "active"
    installed.run("systemctl start gatehouse-doctor")
    assert "ok       publicURL" in installed.run("journalctl -u gatehouse-doctor --no-pager").stdout


def test_a_block_stops_at_its_first_error(installed):
    file = "/etc/gatehouse/projects/acme.yaml"
    before = running(installed)
    try:
        installed.run(f"cp -p {file} /root/acme.yaml; echo 'sigIn: {{}}' >>{file}")
        # In a shell that goes on after an error, as an operator's does.
        refused = installed.run(f"set +e\n{commands('upgrade')}", check=False)
    finally:
        installed.run(f"cp -p /root/acme.yaml {file}")
    assert refused.returncode != 0 and "sigIn" in refused.stdout and "ready" not in refused.stdout, refused.stdout
    assert running(installed) == before


def test_the_backup_is_restored_on_another_machine(installed):
    installed.run(commands("backup"))
    with a_machine() as other:
        other.run(commands("install"))
        assert signs(other, "signUp", "other@example.com") == 200
        other.run("install -d -m 700 -o postgres -g postgres /var/backups/gatehouse")
        for name in [
            "/root/gatehouse-files.tar.gz",
            installed.run("ls -t /var/backups/gatehouse/*.dump | head -n 1").stdout.strip(),
        ]:
            shutil.copy(f"/proc/{installed.leader}/root{name}", f"/proc/{other.leader}/root{name}")
        for _ in range(2):
            assert other.run(commands("restore")).stdout.rstrip().endswith("ready")
        assert other.run("cat /etc/gatehouse/master.key").stdout == installed.run("cat /etc/gatehouse/master.key").stdout
        assert signs(other, "signInWithPassword", "ada@example.com") == 200
        assert signs(other, "signInWithPassword", "other@example.com") == 400


# A client in eight threads, until /root/stop is there; then it prints how many requests were answered, and those that failed. It makes
# /root/begun when it has the first answer.
LOAD = """
import collections, http.client, os, threading
told = collections.Counter()
def ask():
    connection = None
    while not os.path.exists("/root/stop"):
        try:
            connection = connection or http.client.HTTPSConnection("auth.example.com", timeout=120)
            connection.request("POST", "/v1/accounts:lookup?key=acme-web-key", '{"idToken":"x"}', {"content-type": "application/json"})
            answer = connection.getresponse()
            answer.read()
            told["answered" if answer.status == 400 else str(answer.status)] += 1
            open("/root/begun", "w").close()
        except OSError as error:
            connection = None
            told[repr(error)] += 1
threads = [threading.Thread(target=ask) for _ in range(8)]
for thread in threads: thread.start()
for thread in threads: thread.join()
print(dict(told))
"""


def under_load(machine, command, times):
    """Runs a command while clients send requests without a pause; what they were answered, and the server's processes."""
    machine.run(f"cat >/root/load.py <<'PY'\n{LOAD}\nPY\nrm -f /root/begun /root/stop /root/load")
    machine.run(
        "systemd-run --quiet --unit=load --property=RemainAfterExit=yes --property=StandardOutput=file:/root/load python3 /root/load.py"
    )
    machine.run("until [ -e /root/begun ] || [ -s /root/load ]; do sleep 0.1; done")
    processes = {property_of(machine, "MainPID")}
    for _ in range(times):
        machine.run(command)
        processes.add(property_of(machine, "MainPID"))
    machine.run("touch /root/stop; until [ -s /root/load ]; do sleep 0.2; done; systemctl stop load")
    return ast.literal_eval(machine.run("cat /root/load").stdout), processes


def test_a_restart_of_two_processes_in_turn_fails_no_request(installed):
    for _ in range(2):
        installed.run(commands("processes"))
    installed.run(commands("restarts"))
    try:
        told, processes = under_load(installed, commands("restarts"), 3)
        assert len(processes) == 4
        assert set(told) == {"answered"}, told
    finally:
        installed.run("systemctl disable --now gatehouse@2")


def test_a_restart_with_sockets_that_systemd_keeps_fails_no_request(installed):
    for _ in range(2):
        installed.run(commands("sockets"))
    try:
        told, processes = under_load(installed, "systemctl restart gatehouse", 3)
        assert len(processes) == 4
        assert set(told) == {"answered"}, told
        assert property_of(installed, "StatusText") == "serving 1 project on 127.0.0.1:8080"
        assert installed.run("curl -sf http://127.0.0.1:9090/health/ready").stdout == "ready\n"
        # A restore stops the sockets with the server, and opens them again.
        installed.run("systemctl stop gatehouse; curl -s -o /dev/null http://127.0.0.1:8080/; systemctl is-active gatehouse")
    finally:
        installed.run("systemctl disable --now gatehouse.socket gatehouse-operations.socket; systemctl restart gatehouse")


def test_the_service_hangs_no_longer_than_its_watchdog(installed):
    drop_in = "/run/systemd/system/gatehouse.service.d/watchdog.conf"
    former = property_of(installed, "MainPID")
    try:
        installed.run(
            f"install -d {drop_in.rpartition('/')[0]}; printf '[Service]\\nWatchdogSec=2s\\n' >{drop_in}; systemctl daemon-reload"
        )
        installed.run("systemctl restart gatehouse")
        former = property_of(installed, "MainPID")
        installed.run(
            f"kill -STOP {former}; until [ $(systemctl show gatehouse -P NRestarts) -ge 1 ]; do sleep 0.2; done; until {READY}; do sleep 0.2; done"
        )
        assert property_of(installed, "MainPID") != former
    finally:
        installed.run(f"rm -f {drop_in}; systemctl daemon-reload; systemctl restart gatehouse")


def test_a_secret_may_be_roots_alone(installed):
    kept = "cp -a /etc/gatehouse/master.key /etc/gatehouse/gatehouse.yaml /root/"
    installed.run(kept)
    try:
        for _ in range(2):
            assert "The configuration is sound" in installed.run(commands("credentials")).stdout
        assert installed.run("runuser -u gatehouse -- cat /etc/gatehouse/master.key", check=False).returncode != 0
        assert signs(installed, "signInWithPassword", "ada@example.com") == 200
        assert installed.run("gatehouse doctor", check=False).returncode == 1
        installed.run("systemctl start gatehouse-doctor")
    finally:
        installed.run(
            "mv /root/master.key /root/gatehouse.yaml /etc/gatehouse; rm /etc/systemd/system/gatehouse*.service.d/credentials.conf"
        )
        installed.run("systemctl daemon-reload; systemctl restart gatehouse")


# Another build of the same version: the bytes behind the end of the program change nothing.
NEWER = f"""
cp {SOURCES}/.build/release/gatehouse /root/newer
echo >>/root/newer
mount --bind /root/newer {SOURCES}/.build/release/gatehouse
"""


def running(machine):
    return machine.run(f"readlink /proc/{property_of(machine, 'MainPID')}/exe").stdout.strip()


def test_upgrades_and_rollbacks_run_twice_and_end_at_the_version_before(installed):
    former = running(installed)
    installed.run(NEWER)
    for _ in range(2):
        printed = installed.run(commands("upgrade")).stdout
        assert "The schema is current" in printed and "\nready\n" in printed, printed
        assert printed.rstrip().endswith(running(installed))
    newer = running(installed)
    assert newer != former
    binaries = installed.run("ls /usr/local/lib/gatehouse").stdout.split()
    assert sorted(binaries) == sorted(["previous", former.rpartition("/")[2], newer.rpartition("/")[2]])
    assert signs(installed, "signUp", "late@example.com") == 200
    for _ in range(2):
        printed = installed.run(commands("rollback")).stdout
        assert "\nready\n" in f"\n{printed}" and printed.rstrip().endswith(former), printed
        assert running(installed) == former
        assert signs(installed, "signInWithPassword", "ada@example.com") == 200
        assert signs(installed, "signInWithPassword", "late@example.com") == 400
    assert "gatehouse_20" in psql(installed, "SELECT string_agg(datname, ' ') FROM pg_database")
    # To a version by its name.
    printed = installed.run(f"version={newer.rpartition('/')[2]}\n{commands('rollback')}").stdout
    assert printed.rstrip().endswith(newer)
    assert signs(installed, "signInWithPassword", "ada@example.com") == 200

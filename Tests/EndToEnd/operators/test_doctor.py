"""`gatehouse doctor`: it finds each fault that is planted here, and nothing else."""

import contextlib
import os
import re
import signal
import time

import pytest
import requests

from support.harness import ROOT, wait_until
from support.openid.times import clock_ahead
from support.planted_faults import PLANTED
from support.servers.installation import Installation
from support.servers.postgres import a_cluster, ask

pytestmark = pytest.mark.long

# The tests' cluster is fast, and not safe.
OF_THE_CLUSTER = {"database.durability", "database.role"}
# The tests write the files anew while the server runs.
EXPECTED = OF_THE_CLUSTER | {"server.files"}


@pytest.fixture(scope="module")
def installation():
    installation = Installation()
    yield installation
    installation.close()


@pytest.fixture(scope="module")
def durable():
    """A cluster as in production, which is slow to make."""
    with a_cluster(durable=True) as own:
        yield own


def test_an_installation_without_a_fault_has_no_findings(installation):
    assert set(installation.findings()) - {"server.files"} == OF_THE_CLUSTER


@pytest.mark.parametrize("name", PLANTED)
def test_what_is_planted_is_found_with_its_remedy_and_nothing_else(installation, name):
    plant, expected, words = PLANTED[name]
    undo = plant(installation)
    try:
        found = installation.findings()
    finally:
        if undo:
            undo()
        installation.write()
    assert set(found) - EXPECTED == expected, found
    told = " ".join(found[code]["text"] + " " + found[code]["remedy"] for code in expected)
    assert words in told, told


def test_a_proxy_that_adds_the_address_of_this_machine_to_a_forged_one_is_no_fault(installation):
    """The forged address then stands left of an address that is a trusted proxy's, where the client's has to stand."""
    installation.proxy.appends = True
    try:
        assert set(installation.findings()) - {"server.files"} == OF_THE_CLUSTER
    finally:
        installation.proxy.appends = False


def test_a_clock_that_is_ahead_is_found(installation):
    found = installation.findings(through=clock_ahead("+30s"))
    assert set(found) - EXPECTED == {"database.clock"}
    assert "NTP" in found["database.clock"]["remedy"]


def test_a_clock_that_is_off_by_more_than_a_minute_is_told_and_no_proxy_is_blamed(installation):
    found = installation.findings(through=clock_ahead("+90s"))
    assert set(found) - EXPECTED == {"database.clock", "publicURL.clock"}
    assert "9" in found["publicURL.clock"]["text"] and "behind this machine's" in found["publicURL.clock"]["text"]


def test_files_that_were_changed_since_the_server_read_them_are_named(installation):
    file = installation.folder / "projects/demo.yaml"
    later = time.time() + 5
    os.utime(file, (later, later))
    found = installation.findings()
    assert str(file) in found["server.files"]["text"] and found["server.files"]["remedy"] in (
        "run gatehouse reload",
        "restart it, where more than a comment was changed",
    )


def test_a_good_reload_right_before_is_not_told_as_a_refused_one(installation):
    mend = PLANTED["a reload that was refused"][0](installation)
    server = installation.servers[0]
    before = server.log().count('"reloaded"')
    server.signal(signal.SIGHUP)
    wait_until(lambda: server.log().count('"reloaded"') > before, what="the reload")
    assert "server.reload" not in installation.findings()
    mend()


def test_a_file_of_authorities_that_is_not_there_is_named_and_no_proxy_is_blamed(installation):
    result = installation.doctor("--authorities", "/nowhere/authorities.pem")
    assert result.returncode == 1 and "/nowhere/authorities.pem of --authorities cannot be read" in result.stderr and not result.stdout


def test_a_sound_installation_ends_with_0(durable):
    ask(durable, "CREATE ROLE gatehouse LOGIN")
    ask(durable, "CREATE DATABASE gatehouse OWNER gatehouse")
    url = durable.url.replace("/postgres?", "/gatehouse?").replace("user=postgres", "user=gatehouse")
    with contextlib.closing(Installation(database=url)) as installation:
        result = installation.doctor()
        assert result.returncode == 0 and result.stdout.endswith("All is well.\n"), result.stdout
        parts = [line.split() for line in result.stdout.splitlines()[:-1]]
        assert all(grade == "ok" for grade, *_ in parts)
        assert [name for _, name, *_ in parts] == ["configuration", "settings", "files", "database", "data", "mail", "server", "publicURL"]
        installation.rows("ALTER TABLE sessions SET (autovacuum_enabled = false)")
        (installation.folder / "master.key").chmod(0o644)
        result = installation.doctor()
        assert result.returncode == 2 and "1 fault, 1 warning.\n" in result.stdout, result.stdout
        assert "fault    database: autovacuum is off for sessions" in result.stdout
        assert "         -> ALTER TABLE … RESET (autovacuum_enabled)" in result.stdout


def test_only_warnings_end_with_1(durable):
    with contextlib.closing(Installation(database=durable.url)) as site:
        assert set(site.findings()) == {"database.role"}


def test_the_page_has_every_code_and_no_other():
    folders = [ROOT / "Sources/Server/Doctor", ROOT / "Sources/Server/Checks", ROOT / "Sources/gatehouse/Commands/Checks"]
    sources = "".join(file.read_text() for folder in folders for file in folder.iterdir())
    codes = set(re.findall(r'\.(?:warning|fault)\(\s*"([a-z][A-Za-z]*\.[A-Za-z]+)"', sources))
    page = (ROOT / "docs/operations/doctor.md").read_text()
    rows = re.findall(r"^\| `([a-z][A-Za-z]*\.[A-Za-z]+)` \| ", page, re.MULTILINE)
    assert codes == set(rows) and len(codes) > 40
    planted = (
        set().union(*(expected for _, expected, _ in PLANTED.values()))
        | {"database.clock", "publicURL.clock", "server.files"}
        | OF_THE_CLUSTER
    )
    # What no test can plant: a full disk, a table that cannot be read. The others have tests of their own (`test_live_check.py`,
    # `test_migration_checks.py`).
    elsewhere = {
        "database.issuer",
        "provider.advice",
        *(f"migration.{name}" for name in ("apiKey", "passwords", "project", "unknownUsers")),
        "firestore.administrator",
        "firestore.serviceAccount",
    }
    assert codes - planted == {"files.space", "data.unreadable"} | elsewhere


def test_SEC_21_no_secret_is_printed(installation):
    for output in (installation.doctor(), installation.doctor("--json")):
        assert installation.master_key not in output.stdout + output.stderr


@pytest.mark.parametrize("proof", [None, "", "x", "1.2", "99999999999.00", f"{2**63}.0"])
def test_the_answer_how_a_request_arrives_is_for_the_operator_alone(installation, proof):
    headers = {} if proof is None else {"x-gatehouse-probe": proof}
    answer = requests.get(f"{installation.url}/.well-known/gatehouse-probe", headers=headers)
    absent = requests.get(f"{installation.url}/.well-known/absent")
    assert (answer.status_code, answer.text) == (404, absent.text)

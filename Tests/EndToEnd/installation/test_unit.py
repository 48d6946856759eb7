"""The systemd unit, without a systemd that runs: what it takes away, and that the server does without it. test_installation.py boots one."""

import contextlib
import os
import re
import shutil
import subprocess

import pytest
import requests

from support.clients.api import API
from support.harness import BINARY, ROOT, wait_until
from support.names import TIMEOUT
from support.servers.site import a_site

UNIT = ROOT / "packaging/gatehouse.service"
needs_systemd = pytest.mark.skipif(not shutil.which("systemd-analyze"), reason="systemd-analyze is not installed")


@needs_systemd
def test_systemd_finds_no_fault_in_the_units(tmp_path):
    # systemd-analyze also checks that the binary exists.
    units = [tmp_path / unit.name for unit in UNIT.parent.glob("*.*") if unit.suffix in (".service", ".socket", ".timer")]
    assert len(units) == 5
    for unit in units:
        unit.write_text((UNIT.parent / unit.name).read_text().replace("/usr/local/bin/gatehouse", str(BINARY)))
    result = subprocess.run(["systemd-analyze", "verify", "--man=no", *units], capture_output=True, text=True)
    assert (result.returncode, [line for line in result.stderr.splitlines() if "gatehouse" in line]) == (0, []), result.stderr


@needs_systemd
def test_the_unit_leaves_the_server_little_to_harm():
    result = subprocess.run(
        ["systemd-analyze", "security", "--offline=true", "--no-pager", "--threshold=20", UNIT], capture_output=True, text=True
    )
    exposure = re.search(r"Overall exposure level for \S+: ([\d.]+)", result.stdout)
    assert result.returncode == 0 and float(exposure[1]) <= 2.0, result.stdout + result.stderr


def test_the_unit_and_the_image_say_what_malloc_keeps_for_a_thread():
    setting = re.search(r"^Environment=(GLIBC_TUNABLES=(\S+?)=(\d+))$", UNIT.read_text(), re.MULTILINE)
    assert setting and f"\nENV {setting[1]}\n" in (ROOT / "Dockerfile").read_text()
    # glibc says nothing of a name that it does not know. Its loader lists what it knows, with the values that it took.
    loader = re.search(rb"/lib\S*/ld-linux\S*?\.so\.\d", BINARY.read_bytes()[:4096])
    assert loader, "the binary names no loader"
    command = [loader[0], "--list-tunables"]
    known = subprocess.run(command, env={"GLIBC_TUNABLES": f"{setting[2]}={setting[3]}"}, capture_output=True, text=True, check=True).stdout
    assert re.search(rf"^{re.escape(setting[2])}: {int(setting[3]):#x} ", known, re.MULTILINE), known


def test_the_server_serves_without_any_privilege():
    """NoNewPrivileges, an empty CapabilityBoundingSet and UMask of the unit, by setpriv."""
    less = ["--no-new-privs"] + (["--bounding-set=-all", "--inh-caps=-all"] if os.getuid() == 0 else [])
    with a_site(project={"signIn": {"password": True}}) as site:
        # Without capabilities root may not enter a folder of user postgres that is closed to others.
        if os.getuid() == 0 and (socket := re.search(r"host=(/[^&]+)", site.database)):
            os.chmod(socket[1], 0o711)
        with open(site.folder / "restricted.log", "wb") as log:
            process = subprocess.Popen(
                ["setpriv", "--pdeathsig", "KILL", *less, BINARY, "serve", "--config", site.config],
                env=site.environment(),
                stdout=log,
                stderr=log,
                umask=0o077,
            )
        try:

            def ready():
                assert process.poll() is None, (site.folder / "restricted.log").read_text()
                with contextlib.suppress(requests.ConnectionError):
                    return requests.get(site.url + "/health/ready", timeout=TIMEOUT).ok

            wait_until(ready, what="readiness")
            answer = API(site.url).succeed("signUp", {"email": "ada@example.com", "password": "correct horse", "returnSecureToken": True})
            status = dict(line.split(":\t", 1) for line in open(f"/proc/{process.pid}/status").read().splitlines() if ":\t" in line)
        finally:
            process.terminate()
            assert process.wait(TIMEOUT) == 0
    assert answer["idToken"]
    assert status["NoNewPrivs"] == "1"
    if os.getuid() == 0:
        assert {int(status[name], 16) for name in ("CapPrm", "CapEff", "CapBnd", "CapAmb")} == {0}

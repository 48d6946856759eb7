"""A Debian machine for an operator's installation: this machine's own files under an overlay, with a systemd, a network and users of its own.

Nothing that is done in it stays: what it writes is in a tmpfs of a private mount namespace, which ends with it.
"""

import os
import pathlib
import secrets
import shutil
import subprocess
import tempfile

from support.harness import BINARY, ROOT, wait_until

SOURCES = "/usr/src/gatehouse"
ENVIRONMENT = {"PATH": "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin", "HOME": "/root", "LANG": "C.UTF-8"}

# The machine as Debian leaves it: nothing is started, and /etc/systemd/system contains nothing of this machine.
BOOT = """
set -e
mount -t tmpfs tmpfs "$1"
cd "$1"
mkdir written work root
mount -t overlay overlay -o lowerdir=/,upperdir=written,workdir=work root
rm -rf root/etc/systemd/system root/etc/nginx/sites-enabled
mkdir -p root/etc/systemd/system root/etc/nginx/sites-enabled root"$3"
echo "$2" >root/etc/machine-id
printf '127.0.0.1 localhost\\n10.0.0.5 db.internal\\n10.0.0.6 auth.example.com\\n' >root/etc/hosts
cd /
shift 2
exec systemd-nspawn --quiet --directory="$OLDPWD/root" "${@:2}"
"""


class NoMachine(Exception):
    """The reason why no machine can be started here."""


class Machine:
    def __init__(self):
        missing = [
            tool
            for tool in ("systemd-nspawn", "nsenter", "ip", "nginx", "openssl", "curl")
            if not shutil.which(tool, path=ENVIRONMENT["PATH"])
        ]
        if missing or os.getuid() != 0:
            raise NoMachine(f"there is no {', '.join(missing)}" if missing else "systemd-nspawn needs root")
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="gatehouse-machine-"))
        name = "gatehouse-" + secrets.token_hex(4)
        self.log = tempfile.TemporaryFile()
        options = [
            "--boot",
            "--private-network",
            "--register=no",
            "--keep-unit",
            "--link-journal=no",
            "--resolv-conf=off",
            "--console=pipe",
        ]
        options += [
            f"--machine={name}",
            f"--bind-ro={BINARY}:{SOURCES}/.build/release/gatehouse",
            f"--bind-ro={ROOT}/packaging:{SOURCES}/packaging",
        ]
        # For the machine's systemd: no question to a terminal, and only the requested units are started.
        options += ["systemd.firstboot=off", "systemd.unit=multi-user.target"]
        self.process = subprocess.Popen(
            # A process namespace around everything, so that nothing outlives the tests, in whatever way they end.
            ["setpriv", "--pdeathsig", "KILL", "unshare", "--mount", "--propagation", "private", "--pid", "--fork", "--kill-child=KILL"]
            + ["--mount-proc", "bash", "-c", BOOT, "boot", self.folder, secrets.token_hex(16), SOURCES, *options],
            stdin=subprocess.DEVNULL,
            stdout=self.log,
            stderr=subprocess.STDOUT,
        )
        try:
            self.leader = wait_until(self._booted, what="the machine's systemd")
        except BaseException:
            self.close()
            raise
        self.run("ip address add 10.0.0.5/32 dev lo; ip address add 10.0.0.6/32 dev lo")

    def _booted(self):
        if self.process.poll() is not None:
            self.log.seek(0)
            raise NoMachine(f"systemd-nspawn does not start here: {self.log.read().decode(errors='replace').strip()[-500:]}")
        self.leader = _child(_child(self.process.pid))
        if not self.leader:
            return None
        state = self.run("systemctl is-system-running", check=False).stdout.strip()
        return self.leader if state in ("running", "degraded") else None

    def run(self, script, check=True, timeout=600):
        """Runs a script in the machine as its root; it stops at the first command that fails."""
        inside = ["nsenter", "--target", str(self.leader), "--all", "--root", "--wd", "bash", "-euo", "pipefail", "-c", script]
        result = subprocess.run(
            inside, env=ENVIRONMENT, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, timeout=timeout
        )
        if check and result.returncode != 0:
            raise AssertionError(f"status {result.returncode} of\n{script}\n{result.stdout}")
        return result

    def close(self):
        if self.process.poll() is None:
            self.process.kill()
        self.process.wait(30)
        self.log.close()
        self.folder.rmdir()


def _child(process):
    """The first child of a process; None when it has none."""
    try:
        children = pathlib.Path(f"/proc/{process}/task/{process}/children").read_text().split()
    except OSError:
        return None
    return int(children[0]) if children else None

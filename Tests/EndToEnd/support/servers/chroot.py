"""A Debian of its own in a folder (`scripts/debian-base`), in which commands run as its root. Nothing of it stays mounted."""

import os
import pathlib
import re
import shutil
import subprocess
import tempfile

import pytest

from support.harness import BINARY, ROOT

ENVIRONMENT = {"PATH": "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin", "HOME": "/root", "LANG": "C.UTF-8"}
# The mounts are those of a namespace that ends with the command. `exec` keeps the id of the process.
ENTER = """
set -e
root=$1; shared=$2; shift 2
mount -t proc proc "$root/proc"
mount --rbind /dev "$root/dev"
if [ "$shared" ]; then mkdir -p "$root$shared"; mount --bind "$shared" "$root$shared"; fi
exec chroot "$root" "$@"
"""


def needs_own_libraries():
    """Skips with a binary that finds the Swift libraries only on the machine where it was built, as a debug build does."""
    if "libswiftCore" in subprocess.run(["ldd", BINARY], capture_output=True, text=True).stdout:
        pytest.skip(f"{BINARY} has no Swift libraries inside; `make build` makes a binary that has, for GATEHOUSE_BINARY")
    if os.getuid() != 0:
        pytest.skip("a Debian in a folder needs root")


def base():
    """The archive of a small Debian with what the server needs to run."""
    made = subprocess.run([ROOT / "scripts/debian-base"], capture_output=True, text=True, timeout=600)
    assert made.returncode == 0, made.stderr
    return pathlib.Path(made.stdout.strip())


class Chroot:
    def __init__(self):
        self.root = pathlib.Path(tempfile.mkdtemp(prefix="gatehouse-chroot-"))
        self.shared = ""
        subprocess.run(["tar", "-xf", base(), "-C", self.root, "--exclude=./dev/*"], check=True)
        # No part of this machine's systemd is in it, so a package starts nothing.
        (self.root / "root/packages").mkdir()

    def share_socket_of(self, database):
        """Lets the Debian reach a PostgreSQL of this machine by its socket."""
        self.shared = re.search(r"host=(/[^&]+)", database)[1]
        os.chmod(self.shared, 0o711)

    def command(self, *arguments):
        return ["unshare", "--mount", "--propagation", "private", "bash", "-c", ENTER, "enter", self.root, self.shared, *arguments]

    def run(self, *arguments, check=True, timeout=120):
        result = subprocess.run(
            self.command(*arguments),
            env={**ENVIRONMENT, "DEBIAN_FRONTEND": "noninteractive"},
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            timeout=timeout,
        )
        assert not check or result.returncode == 0, f"{arguments}: {result.stdout}"
        return result

    def install(self, *packages):
        """Installs packages that lie on this machine; what dpkg said."""
        for package in packages:
            shutil.copy(package, self.root / "root/packages")
        return self.run("dpkg", "--install", *(f"/root/packages/{pathlib.Path(package).name}" for package in packages)).stdout

    def path(self, name):
        return self.root / name.lstrip("/")

    def close(self):
        shutil.rmtree(self.root)

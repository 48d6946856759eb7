"""The image that `make image` makes without a container engine: it is unpacked, and runs read-only and as its own user in bubblewrap."""

import contextlib
import hashlib
import json
import os
import pathlib
import re
import subprocess
import tarfile

import pytest
import requests

from support.harness import BINARY, ROOT, wait_until
from support.names import GUESTS, TIMEOUT
from support.servers.chroot import needs_own_libraries
from support.servers.site import a_site

pytestmark = pytest.mark.long


def make(folder):
    made = subprocess.run(
        [ROOT / "scripts/image"],
        env={**os.environ, "GATEHOUSE_BINARY": str(BINARY), "OUTPUT": str(folder)},
        capture_output=True,
        text=True,
        timeout=600,
    )
    assert made.returncode == 0, made.stderr
    return pathlib.Path(made.stdout.strip())


@pytest.fixture(scope="module")
def archive(tmp_path_factory):
    needs_own_libraries()
    return make(tmp_path_factory.mktemp("image"))


class Unpacked:
    """The image's settings, and its files in a folder."""

    def __init__(self, archive, folder):
        with tarfile.open(archive) as parts:
            (manifest,) = json.load(parts.extractfile("manifest.json"))
            self.settings = json.load(parts.extractfile(manifest["Config"]))["config"]
            self.tags = manifest["RepoTags"]
            for layer in manifest["Layers"]:
                with tarfile.open(fileobj=parts.extractfile(layer)) as files:
                    files.extractall(folder, numeric_owner=True, filter="fully_trusted")
        self.root = folder

    def command(self, site, *arguments):
        """A command in the image, of which nothing can be written, with the site's configuration and a way to its database."""
        socket = re.search(r"host=(/[^&]+)", site.database)[1]
        # The image's user must be able to read the configuration and reach the database.
        for folder in (socket, site.folder.parent):
            os.chmod(folder, 0o711)
        for path in [site.folder, *site.folder.rglob("*")]:
            os.chown(path, 10001, 10001)
        inside = ["--ro-bind", self.root, "/", "--proc", "/proc", "--dev", "/dev", "--tmpfs", "/tmp", "--ro-bind", socket, socket]
        inside += ["--ro-bind", site.folder, "/srv/gatehouse/config", "--chdir", self.settings["WorkingDir"], "--clearenv"]
        for name, value in [*(entry.split("=", 1) for entry in self.settings["Env"]), ("DATABASE_URL", site.database)]:
            inside += ["--setenv", name, value]
        return ["bwrap", *inside, "--unshare-pid", "--die-with-parent", *arguments]

    def options(self):
        user, group = map(int, self.settings["User"].split(":"))
        return {"user": user, "group": group, "extra_groups": []}


@pytest.fixture(scope="module")
def image(archive, tmp_path_factory):
    folder = tmp_path_factory.mktemp("unpacked")
    # Its user must reach it, through folders that pytest keeps for their owner.
    for parent in [folder, *folder.parents][:4]:
        if parent.owner() == "root" and parent != pathlib.Path("/tmp"):
            parent.chmod(parent.stat().st_mode | 0o011)
    return Unpacked(archive, folder)


def test_the_same_binary_gives_the_same_image(archive, tmp_path):
    digests = {hashlib.sha256(file.read_bytes()).hexdigest() for file in (archive, make(tmp_path))}
    assert len(digests) == 1


def test_it_says_what_it_is_and_runs_as_its_own_user(image):
    version = subprocess.run([BINARY, "--version"], capture_output=True, text=True, check=True).stdout.strip()
    assert image.tags == [f"gatehouse:{version}"]
    assert image.settings["User"] == "10001:10001"
    assert {"org.opencontainers.image.title", "org.opencontainers.image.description"} <= set(image.settings["Labels"])
    assert image.settings["Entrypoint"] == ["gatehouse"] and image.settings["Cmd"][0] == "serve"
    assert "/health/live" in image.settings["Healthcheck"]["Test"][-1]


def test_no_program_of_it_may_become_root(image):
    # Debian's own (su, mount and the like) are harmless for a user without a password; none came with Gatehouse.
    mode = (image.root / "usr/local/bin/gatehouse").stat().st_mode
    assert mode & 0o6022 == 0
    writable = [path for path in image.root.rglob("*") if path.is_file() and not path.is_symlink() and path.stat().st_uid == 10001]
    assert writable == [], "its user owns nothing, so it can change nothing"


def test_it_serves_read_only_and_without_root(image):
    with a_site(project=GUESTS, migrate=False) as site:
        config = image.settings["Cmd"][1:]
        for command in ("check", "migrate"):
            result = subprocess.run(
                image.command(site, *image.settings["Entrypoint"], command, *config), capture_output=True, text=True, **image.options()
            )
            assert result.returncode == 0, result.stdout + result.stderr
        result = subprocess.run(image.command(site, "sh", "-c", "id -u; touch /x"), capture_output=True, text=True, **image.options())
        assert result.stdout == "10001\n" and "Read-only file system" in result.stderr
        serve = image.command(site, *image.settings["Entrypoint"], *image.settings["Cmd"])
        with subprocess.Popen(serve, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True, **image.options()) as server:
            try:

                def ready():
                    assert server.poll() is None, server.stderr.read()
                    with contextlib.suppress(requests.ConnectionError):
                        return requests.get(f"{site.url}/health/ready", timeout=TIMEOUT).ok

                wait_until(ready, what="readiness")
                answer = requests.post(f"{site.url}/v1/accounts:signUp?key=demo-api-key", json={}, timeout=TIMEOUT)
                assert answer.status_code == 200, answer.text
            finally:
                server.kill()

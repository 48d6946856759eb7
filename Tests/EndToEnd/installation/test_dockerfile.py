"""The image of the Dockerfile, run as the Dockerfile says: its user, its command, its health check. `make dockerfile` builds it and runs this."""

import json
import os
import re
import shlex
import subprocess

import pytest
import requests

from support.harness import free_port, wait_until
from support.names import TIMEOUT
from support.servers.site import a_site

BUILDAH = shlex.split(os.environ.get("GATEHOUSE_IMAGE", ""))
pytestmark = pytest.mark.skipif(not BUILDAH, reason="no image was built: `make dockerfile` builds one and runs this")


def buildah(*arguments, **options):
    return subprocess.run([*BUILDAH, *arguments], check=True, capture_output=True, text=True, **options).stdout.strip()


@pytest.fixture(scope="module")
def image():
    return json.loads(buildah("inspect", "--type", "image", "gatehouse"))["Docker"]["config"]


class Container:
    """The image over a configuration and a database; it shares this machine's network."""

    def __init__(self, site, image):
        self.image = image
        self.name = buildah("from", "--pull-never", "gatehouse")
        socket = re.search(r"host=(/[^&]+)", site.database)[1]
        # The image's user must be able to read the configuration and reach the database.
        os.chmod(socket, 0o711)
        for path in [site.folder, *site.folder.rglob("*")]:
            os.chown(path, 10001, 10001)
        self.options = ["--isolation", "chroot", "--user", image["User"], "--volume", f"{site.folder}:/srv/gatehouse/config:ro"]
        self.options += ["--volume", f"{socket}:{socket}", "--env", f"DATABASE_URL={site.database}"]
        self.options += [f"--env={name}={value}" for name, value in site.environment().items() if name.endswith("SECRET")]

    def command(self, *arguments, environment=()):
        return [*BUILDAH, "run", *self.options, *(f"--env={value}" for value in environment), self.name, "--", *arguments]

    def run(self, *arguments, **options):
        return subprocess.run(self.command(*arguments, **options), capture_output=True, text=True, timeout=TIMEOUT)

    def close(self):
        buildah("rm", self.name)


@pytest.fixture(scope="module")
def container(image):
    operations = free_port()
    with a_site(
        settings={"operations": {"listen": f"127.0.0.1:{operations}"}}, project={"signIn": {"password": True}}, migrate=False
    ) as site:
        container = Container(site, image)
        container.site, container.operations = site, operations
        yield container
        container.close()


def test_the_image_says_what_it_is_and_runs_as_its_own_user(image, container):
    assert image["User"] == "10001:10001"
    assert {"org.opencontainers.image.title", "org.opencontainers.image.description"} <= set(image["Labels"])
    assert container.run("id", "-u").stdout.strip() == "10001"


def test_the_image_checks_migrates_serves_and_tells_its_health(image, container):
    config = ["--config", image["Cmd"][-1]]
    entry = image["Entrypoint"]
    for command, said in (("check", "The configuration is sound"), ("migrate", "The schema is current")):
        result = container.run(*entry, command, *config)
        assert result.returncode == 0 and said in result.stdout, result.stdout + result.stderr
    health = image["Healthcheck"]["Test"]
    assert health[0] == "CMD"
    port = [f"HEALTH_PORT={container.operations}"]
    assert container.run(*health[1:], environment=port).returncode != 0
    server = subprocess.Popen(container.command(*entry, *image["Cmd"]), stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
    try:

        def healthy():
            assert server.poll() is None, server.stderr.read()
            return container.run(*health[1:], environment=port).returncode == 0

        wait_until(healthy, every=0.5, what="a healthy container")
        answer = requests.post(
            f"{container.site.url}/v1/accounts:signUp?key=demo-api-key",
            json={"email": "ada@example.com", "password": "correct horse"},
            timeout=TIMEOUT,
        )
        assert answer.status_code == 200, answer.text
    finally:
        server.terminate()
        server.wait(TIMEOUT)


def test_the_health_check_asks_for_life_and_not_for_the_database(image):
    assert "/health/live" in image["Healthcheck"]["Test"][-1]

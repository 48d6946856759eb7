"""The Compose file: what docker-compose makes of it, and its commands with its configuration, without a container engine."""

import base64
import contextlib
import re
import secrets
import subprocess

import pytest
import requests
import yaml

from support.harness import BINARY, ROOT, free_port, wait_until
from support.leaks import note
from support.names import TIMEOUT
from support.servers.site import FILES_ALONE, a_site

FOLDER = ROOT / "packaging/compose"
CONFIG = "/srv/gatehouse/config/"


@pytest.fixture(scope="module")
def variables(tmp_path_factory):
    """The README's .env."""
    file = tmp_path_factory.mktemp("compose") / ".env"
    secret = {"POSTGRES_PASSWORD": note(secrets.token_hex(24)), "MASTER_KEY": note(base64.b64encode(secrets.token_bytes(32)).decode())}
    file.write_text("".join(f"{name}={value}\n" for name, value in secret.items()))
    return file


def composed(variables):
    command = ["docker-compose", "--project-directory", FOLDER, "--file", FOLDER / "compose.yaml", "--env-file", variables, "config"]
    return subprocess.run(command, capture_output=True, text=True, timeout=TIMEOUT)


@pytest.fixture(scope="module")
def services(variables):
    result = composed(variables)
    assert result.returncode == 0, result.stderr
    return yaml.safe_load(result.stdout)["services"]


def test_nothing_starts_without_the_secrets(tmp_path):
    (tmp_path / ".env").touch()
    result = composed(tmp_path / ".env")
    assert result.returncode != 0 and "write .env first" in result.stderr


def test_the_server_waits_for_a_current_schema_and_runs_without_privileges(services):
    version = subprocess.run([BINARY, "--version"], capture_output=True, text=True, check=True).stdout.strip()
    for name in ("migrate", "gatehouse"):
        service = services[name]
        assert service["image"] == f"gatehouse:{version}"
        assert service["read_only"] and service["cap_drop"] == ["ALL"] and service["security_opt"] == ["no-new-privileges:true"]
    assert services["gatehouse"]["depends_on"]["migrate"]["condition"] == "service_completed_successfully"
    assert services["migrate"]["depends_on"]["database"]["condition"] == "service_healthy"


def test_only_the_api_is_published_and_only_on_this_machine(services):
    published = [port for service in services.values() for port in service.get("ports", [])]
    assert published == ["127.0.0.1:8080:8080/tcp"]
    listen = yaml.safe_load((FOLDER / "gatehouse.yaml").read_text())["listen"]
    assert listen == "0.0.0.0:8080"


def test_its_commands_migrate_and_serve_its_configuration(services):
    with a_site(**{**FILES_ALONE, "database": None}) as site:
        mounted = dict(volume.removesuffix(":ro").rsplit(":", 1)[::-1] for volume in services["gatehouse"]["volumes"])
        assert set(mounted) == {CONFIG + "gatehouse.yaml", CONFIG + "projects"}
        # Other ports than those that a container has for itself.
        port, folder = free_port(), site.folder / "composed"
        (folder / "projects").mkdir(parents=True)
        text = open(mounted[CONFIG + "gatehouse.yaml"]).read()
        (folder / "gatehouse.yaml").write_text(
            text.replace("0.0.0.0:8080", f"127.0.0.1:{port}").replace("0.0.0.0:9090", f"127.0.0.1:{free_port()}")
        )
        (folder / "projects/demo.yaml").write_text(open(mounted[CONFIG + "projects"] + "/demo.yaml").read())

        def command(service):
            return [BINARY, *(part.replace(CONFIG, f"{folder}/") for part in services[service]["command"])]

        environment = {**services["gatehouse"]["environment"]}
        assert re.fullmatch(r"postgresql://gatehouse:[0-9a-f]{48}@database/gatehouse\?sslmode=disable", environment["DATABASE_URL"])
        environment["DATABASE_URL"] = site.database
        migrated = subprocess.run(command("migrate"), env=environment, capture_output=True, text=True, timeout=TIMEOUT)
        assert migrated.returncode == 0, migrated.stderr
        with subprocess.Popen(
            command("gatehouse"), env=environment, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True
        ) as server:
            try:

                def answer():
                    assert server.poll() is None, server.stderr.read()
                    with contextlib.suppress(requests.ConnectionError):
                        return requests.post(f"http://127.0.0.1:{port}/v1/accounts:signUp?key=demo-key", json={}, timeout=TIMEOUT)

                assert wait_until(answer, what="an answer").status_code == 200
            finally:
                server.terminate()

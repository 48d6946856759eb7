"""The bill of materials (`scripts/sbom`): valid SPDX, and nothing that the binary has is missing."""

import json
import os
import re
import subprocess

import pytest
from spdx_tools.spdx.parser.parse_anything import parse_file
from spdx_tools.spdx.validation.document_validator import validate_full_spdx_document

from support.harness import BINARY, ROOT
from support.servers.chroot import needs_own_libraries


def made():
    result = subprocess.run([ROOT / "scripts/sbom"], env={**os.environ, "GATEHOUSE_BINARY": str(BINARY)}, capture_output=True, text=True)
    assert result.returncode == 0, result.stderr
    return result.stdout


@pytest.fixture(scope="module")
def text():
    needs_own_libraries()
    return made()


def test_it_is_valid_spdx(text, tmp_path):
    file = tmp_path / "gatehouse.spdx.json"
    file.write_text(text)
    assert validate_full_spdx_document(parse_file(str(file)), "SPDX-2.3") == []


def test_it_names_the_commit_the_swift_packages_and_the_libraries(text):
    packages = {package["name"]: package for package in json.loads(text)["packages"]}
    pins = json.loads((ROOT / "Package.resolved").read_text())["pins"]
    for pin in pins:
        assert packages[pin["identity"]]["downloadLocation"].endswith(pin["state"]["revision"])
        assert packages[pin["identity"]]["licenseDeclared"].startswith("Apache-2.0")
    # The Dockerfile's packages that are libraries, and those that Package.swift links statically.
    dockerfile = (ROOT / "Dockerfile").read_text().rpartition("\nFROM ")[2]
    libraries = re.findall(r"\blib[a-z]+\S*", re.search(r"--no-install-recommends (.*?)\\", dockerfile)[1])
    assert len(libraries) >= 5 and set(libraries) <= set(packages)
    assert {"swift-runtime", "libargon2-dev", "libcrypt-dev", "libyaml-dev", "libc6"} <= set(packages)
    commit = subprocess.run(["git", "-C", ROOT, "rev-parse", "HEAD"], capture_output=True, text=True)
    if commit.returncode == 0:
        assert packages["gatehouse"]["comment"] == f"commit {commit.stdout.strip()}"


def test_it_is_the_same_each_time(text):
    assert made() == text

"""A clone that was moved after it was built is built anew; the compiler would end with "missing required module"."""

import shutil
import subprocess

import pytest

from support.harness import ROOT
from support.names import TIMEOUT


@pytest.mark.parametrize("kind", ["debug", "release"])
@pytest.mark.parametrize("is_moved", [True, False])
def test_what_another_place_has_built_is_taken_away_and_nothing_else(tmp_path, kind, is_moved):
    clone = tmp_path / "clone"
    (clone / "scripts").mkdir(parents=True)
    shutil.copy(ROOT / "scripts/moved", clone / "scripts")
    for folder in ("checkouts/a-package", "x86_64-unknown-linux-gnu/debug", "repositories"):
        (clone / ".build" / folder).mkdir(parents=True)
    place = tmp_path / "former" if is_moved else clone
    (clone / f".build/{kind}.yaml").write_text(f'inputs: ["{place}/Sources/HTTP/URI.swift"]\n')
    result = subprocess.run([clone / "scripts/moved"], cwd="/", capture_output=True, text=True, timeout=TIMEOUT, check=True)
    assert ("is built anew" in result.stderr) is is_moved
    assert (clone / ".build/x86_64-unknown-linux-gnu").exists() is not is_moved
    assert (clone / f".build/{kind}.yaml").exists() is not is_moved
    assert (clone / ".build/checkouts/a-package").exists()


def test_the_manifest_of_a_build_names_the_place_where_it_was_made():
    """As `scripts/moved` expects it of the compiler at hand."""
    manifests = [ROOT / f".build/{kind}.yaml" for kind in ("debug", "release")]
    present = [manifest for manifest in manifests if manifest.exists()]
    assert present, "the binary under test was built here"
    assert all(f'"{ROOT}/' in manifest.read_text() for manifest in present)


def test_every_build_looks_whether_the_clone_was_moved():
    assert '"$(dirname "$0")/moved"' in (ROOT / "scripts/need").read_text()
    for script in ("build", "unit", "test", "run"):
        assert "scripts/need build" in (ROOT / "scripts" / script).read_text()

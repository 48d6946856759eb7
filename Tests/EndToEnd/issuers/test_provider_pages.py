"""The pages of the providers: their entries are sound, and each says what can go wrong and what `check --live` sees of it."""

import re
import subprocess

import pytest

from support.configuration import check as binary
from support.harness import ROOT
from support.servers.site import write_secret

PAGES = {
    file.name: re.findall(r"^```yaml\n(providers:\n.*?)^```$", file.read_text(), re.M | re.S)
    for file in (ROOT / "docs/providers").glob("*.md")
}
ENTRIES = [(page, number) for page, entries in sorted(PAGES.items()) for number in range(len(entries))]


def test_each_page_has_an_entry():
    assert {page for page, entries in PAGES.items() if not entries} == {"README.md"}


@pytest.mark.parametrize("page", sorted(PAGES.keys() - {"README.md"}))
def test_a_page_says_what_can_go_wrong_and_what_check_live_sees_of_it(page):
    text = (ROOT / "docs/providers" / page).read_text()
    (section,) = re.findall(r"^## What can go wrong\n(.*?)(?=^## |\Z)", text, re.M | re.S)
    # A table of its own, or a link to the page that has it.
    assert re.search(r"^\|---", section, re.M) or "#what-can-go-wrong)" in section
    assert "gatehouse check --live" in text


def test_the_example_of_how_to_add_a_provider_is_the_providers_file_and_line():
    text = (ROOT / "docs/contributing.md").read_text().partition("\n## Example: a provider\n")[2]
    file, line = re.findall(r"^```swift\n(.*?)^```$", text, re.M | re.S)[:2]
    catalogue = ROOT / "Sources/Providers/Catalog"
    assert file == (catalogue / "Yahoo.swift").read_text()
    assert line in (catalogue / "Catalog.swift").read_text().splitlines(keepends=True)
    for name in re.findall(r"^\| `(.*?)` \|", text.partition("\n## ")[0], re.M):
        assert (ROOT / name).is_file(), name


@pytest.fixture(scope="module")
def keys(tmp_path_factory):
    """The files that the commands of the pages make, one with a certificate and one without; and a key such as Apple gives."""
    folder = tmp_path_factory.mktemp("keys")
    for page in ("microsoft.com.md", "oidc.md"):
        (script,) = re.findall(r"^```sh\n(openssl .*?)^```$", (ROOT / "docs/providers" / page).read_text(), re.M | re.S)
        subprocess.run(["bash", "-ec", script], cwd=folder, check=True, capture_output=True)
    p256 = ["openssl", "genpkey", "-algorithm", "EC", "-pkeyopt", "ec_paramgen_curve:P-256", "-out", folder / "apple.p8"]
    subprocess.run(p256, check=True, capture_output=True)
    return {
        "microsoft.pem": folder / "microsoft.pem",
        "contoso.pem": folder / "microsoft.pem",
        "acme.pem": folder / "acme.pem",
        "AuthKey_K1K2K3K4K5.p8": folder / "apple.p8",
    }


@pytest.mark.parametrize("page, number", ENTRIES)
def test_an_entry_of_a_page_is_sound(tmp_path, keys, page, number):
    entry = PAGES[page][number]
    for name in set(re.findall(r"\{file: \.\./([\w.-]+)\}", entry)):
        write_secret(tmp_path / name, keys[name].read_text() if name in keys else "a secret")
    project = "project: page\nnumber: 1\napiKeys: [k]\nauthorizedDomains: [app.example.com]\n" + entry
    faults, told = binary.check(binary.SERVER, {"page": project}, tmp_path)
    assert not faults and "The configuration is sound: 1 project" in told, told

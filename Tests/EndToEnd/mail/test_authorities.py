"""Authorities of the operator's own, for the mail server and for providers: they replace the system's, and what rests on them stays apart."""

import os
import shutil
import subprocess

import pytest

from support.certificates import Certificate
from support.clients.api import assert_error, posted
from support.harness import BINARY
from support.issuers.fake_issuer import FakeIssuer
from support.mail.smtp import Post
from support.names import TIMEOUT
from support.servers.site import FILES_ALONE, a_site

# A private view of the file system, in which our own folder stands where the system keeps its authorities.
PRIVATE_VIEW = ["unshare", "--mount", *([] if os.geteuid() == 0 else ["--map-root-user"])]
STORE = "/etc/ssl/certs"
can_unshare = shutil.which("unshare") and subprocess.run([*PRIVATE_VIEW, "true"], capture_output=True).returncode == 0
needs_a_private_view = pytest.mark.skipif(not can_unshare, reason="this machine gives no namespace to mount in")


@pytest.fixture(scope="module")
def system(tmp_path_factory):
    """The authority that the system trusts, in these tests."""
    return Certificate(tmp_path_factory.mktemp("system"), "The system's authority")


@pytest.fixture(scope="module")
def own(tmp_path_factory):
    """An authority that only the operator trusts."""
    return Certificate(tmp_path_factory.mktemp("own"), "The operator's authority")


def check_live(site, system):
    """`check --live` on a machine whose system trusts `system` alone."""
    store = site.folder / "store"
    store.mkdir(exist_ok=True)
    for name in ("authority.pem", "ca-certificates.crt"):
        (store / name).write_bytes(system.authority.read_bytes())
    subprocess.run(["openssl", "rehash", store], check=True, capture_output=True)
    mounted = ["sh", "-c", f'mount --bind "$0" {STORE} && exec "$@"', store]
    command = [*PRIVATE_VIEW, *mounted, BINARY, "check", "--live", "--config", site.config]
    return subprocess.run(command, env=site.environment(), capture_output=True, text=True, timeout=TIMEOUT)


@needs_a_private_view
def test_a_mail_servers_authorities_replace_the_systems(system, own):
    post = Post(system)
    try:
        with a_site(settings={"mail": post.settings(security="starttls")}) as site:
            trusted = check_live(site, system)
            assert trusted.returncode == 0 and "mail  ok" in trusted.stdout, trusted.stdout + trusted.stderr
            site.settings["mail"] = post.settings(security="starttls", authorities=str(own.authority))
            site.write()
            pinned = check_live(site, system)
            assert pinned.returncode != 0 and "certificate" in pinned.stdout.lower(), pinned.stdout + pinned.stderr
    finally:
        post.close()


@needs_a_private_view
def test_a_providers_authorities_replace_the_systems(system, own):
    issuer = FakeIssuer(system)
    try:
        pinned = issuer.entry(authorities=str(own.authority))
        with a_site({"oidc.trusted": issuer.entry(), "oidc.pinned": pinned}) as site:
            result = check_live(site, system)
            lines = {
                line.split()[1]: line for line in result.stdout.splitlines() if line.startswith("demo  oidc.") and "redirect" not in line
            }
            assert lines["oidc.trusted"].endswith("ok"), result.stdout
            assert "certificate" in lines["oidc.pinned"].lower() and result.returncode != 0, result.stdout
    finally:
        issuer.close()


def test_a_provider_with_a_private_authority_signs_people_in(own, system):
    issuer = FakeIssuer(own)
    try:
        entries = {
            "oidc.own": issuer.entry(authorities=str(own.authority)),
            "oidc.system": issuer.entry(),
            "oidc.other": issuer.entry(authorities=str(system.authority)),
        }
        with a_site(entries) as site:
            api = site.serve().api()

            def sign_in(provider):
                return posted(api, {"providerId": provider, "id_token": issuer.id_token("ada")})

            assert_error(sign_in("oidc.system"), "NETWORK_REQUEST_FAILED")
            assert sign_in("oidc.own").status_code == 200
            # A document that one entry fetched cannot be used by an entry that trusts other authorities.
            assert_error(sign_in("oidc.system"), "NETWORK_REQUEST_FAILED")
            assert_error(sign_in("oidc.other"), "NETWORK_REQUEST_FAILED")
            assert sign_in("oidc.own").status_code == 200
            site.project["providers"]["oidc.own"]["authorities"] = "../own.pem"
            site.write()
            (site.folder / "own.pem").write_bytes(own.authority.read_bytes())
            assert site.run("check").returncode == 0, "a path is seen from the project's file"
    finally:
        issuer.close()


@pytest.mark.parametrize(
    "content, words",
    [(None, "cannot be read (open: No such file or directory)"), ("not a certificate\n", "has no certificate")],
    ids=["missing", "something else"],
)
def test_a_file_without_authorities_is_a_fault(fake_issuer, content, words):
    entry = fake_issuer.entry(authorities="../authorities.pem")
    smtp = {"transport": "smtp", "from": "no-reply@gatehouse.example", "smtp": {"host": "localhost", "authorities": "authorities.pem"}}
    with a_site({"oidc.fake": entry}, settings={"mail": smtp}, **FILES_ALONE) as site:
        if content:
            (site.folder / "authorities.pem").write_text(content)
        report = site.run("check")
        for key in ("providers.oidc.fake.authorities", "mail.smtp.authorities"):
            (line,) = [line for line in report.stdout.splitlines() if key in line]
            assert report.returncode != 0 and "authorities.pem" in line and words in line, line

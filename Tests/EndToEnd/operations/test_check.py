"""`gatehouse check` on configurations with one mistake each: it names the file, the line and what to do, and one mistake is one fault."""

import base64
import re
import resource
import secrets
import subprocess

import pytest

from support.harness import BINARY
from support.names import TIMEOUT
from support.servers.site import environment, write_secret

SERVER = """listen: 127.0.0.1:8080
publicURL: https://auth.example.com
database: {env: DATABASE_URL}
masterKey: {file: master.key}
projects: projects
trustedProxies: [127.0.0.1/32]
outbound: {allow: [10.1.2.0/24]}
mail:
  from: no-reply@example.com
  smtp: {host: smtp.example.com, port: 587, user: gatehouse, password: {env: SMTP_PASSWORD}}
limits: {connections: 500}
"""
PROJECT = """project: demo
number: 100000000001
apiKeys: [demo-api-key]
authorizedDomains: [app.example.com]
redirectURLs: [https://app.example.com/signed-in]
providers:
  oidc.fake:
    issuer: https://id.example.com
    clientId: gatehouse
    clientSecret: {env: CLIENT_SECRET}
"""


class Planted:
    """A sound configuration in files, into which a test plants one mistake."""

    def __init__(self, folder):
        self.folder = folder
        (folder / "projects").mkdir()
        self.server.write_text(SERVER)
        self.project.write_text(PROJECT)
        write_secret(folder / "master.key", base64.b64encode(secrets.token_bytes(32)).decode())
        self.environment = environment(DATABASE_URL="postgresql://gatehouse@db.internal/gatehouse", SMTP_PASSWORD="a password")

    @property
    def server(self):
        return self.folder / "gatehouse.yaml"

    @property
    def project(self):
        return self.folder / "projects/demo.yaml"

    def replace(self, file, old, new):
        text = file.read_bytes()
        assert text.count(old) == 1, f"{old} in {file}"
        file.write_bytes(text.replace(old, new))

    def check(self, **options):
        command = [BINARY, "check", "--config", self.server]
        return subprocess.run(command, env=self.environment, capture_output=True, text=True, timeout=TIMEOUT, **options)


@pytest.fixture
def planted(tmp_path):
    return Planted(tmp_path)


def told(planted, result):
    """The lines of faults and notes, without the folder's name."""
    lines = result.stdout.replace(f"{planted.folder}/", "").splitlines()
    faults = [line for line in lines if result.returncode and not line.endswith((" fault.", " faults."))]
    return faults, [line.removeprefix("note: ") for line in lines if line.startswith("note: ")]


def assert_one_fault(planted, place, *words, **options):
    result = planted.check(**options)
    faults, _ = told(planted, result)
    assert result.returncode == 1 and len(faults) == 1 and "1 fault.\n" in result.stdout, result.stdout + result.stderr
    assert faults[0].startswith(place), faults[0]
    for word in words:
        assert word in faults[0], faults[0]


def assert_one_note(planted, place, *words, **options):
    result = planted.check(**options)
    _, notes = told(planted, result)
    assert result.returncode == 0 and "The configuration is sound" in result.stdout, result.stdout + result.stderr
    assert len(notes) == 1 and notes[0].startswith(place), result.stdout
    for word in words:
        assert word in notes[0], notes[0]


def test_a_sound_configuration_has_neither_faults_nor_notes(planted):
    result = planted.check()
    assert result.returncode == 0 and "note:" not in result.stdout, result.stdout


S, P = "gatehouse.yaml", "projects/demo.yaml"
CLIENT = "{id: app, kind: native, redirectURIs: [com.example.app:/callback]}"


def flow(entry, more=""):
    """What stands before `providers` of a project that is an OpenID provider with one user flow."""
    return f"{more}openIDProvider: {{clients: [{CLIENT}], userFlows: [{{name: b2c_1_a, {entry}}}]}}\nproviders:"


FAULTS = {
    "an unknown key": (S, "publicURL", "publicUrl", "1:1", 'did you mean "publicURL"'),
    "everything may be dialled": (S, "10.1.2.0/24", "0.0.0.0/0", "7:", "outbound.allow: 0.0.0.0/0 lets a provider's document"),
    "no such folder of projects": (S, "projects: projects", "projects: project", "5:", "projects: the folder", "cannot be read"),
    "an unset password": (S, "SMTP_PASSWORD", "NOT_SET", "10:", "mail.smtp.password: the environment variable NOT_SET is not set"),
    "a linking policy above its section": (
        P,
        "providers:",
        "linking: confirm\nproviders:",
        "6:1",
        "linking: unknown key; write signIn: {linking: …}",
    ),
    "an unknown linking policy": (
        P,
        "providers:",
        "signIn: {linking: always}\nproviders:",
        "6:",
        "signIn.linking: expected one of: firebase, confirm, neverOverwrite",
    ),
    "an empty API key": (P, "demo-api-key", 'demo-api-key, ""', "3:", "apiKeys: has an empty key"),
    "a host in capitals": (P, "[app.example.com]", "[App.example.com]", "4:", "authorizedDomains[0]", "a host name in lower case"),
    "a mapping for a host": (P, "[app.example.com]", "[{app: example.com}]", "4:", "authorizedDomains[0]", "a host name in lower case"),
    "no host": (P, "[app.example.com]", "[]", "4:", "authorizedDomains: is empty"),
    "a mapping for an API key": (P, "[demo-api-key]", "[{demo: api-key}]", "3:", "apiKeys[0]"),
    "a wildcard on a registry": (
        P,
        "[app.example.com]",
        '[app.example.com, "*.co.uk"]',
        "4:",
        "*.co.uk would authorize the sites of strangers",
    ),
    "a wildcard on a hosting service": (
        P,
        "[app.example.com]",
        '[app.example.com, "*.github.io"]',
        "4:",
        "below .github.io; write your own domain",
    ),
    "a wildcard on a top-level domain": (P, "[app.example.com]", '[app.example.com, "*.com"]', "4:", "every host below .com"),
    "a redirect URL with a wildcard": (
        P,
        "signed-in",
        "*",
        "5:",
        "redirectURLs: https://app.example.com/* has a *",
        "write out each address",
    ),
    "a project by a name of other addresses": (P, "project: demo", "project: admin", "1:", "project: is reserved"),
    "a user flow with a provider that is not there": (
        P,
        "providers:",
        flow("kind: signIn, providers: [oidc.fake, oidc.other]"),
        "6:",
        "userFlows[0].providers: oidc.other is neither password, emailLink, passkey nor",
        "the project has oidc.fake",
    ),
    "the discovery document as issuer": (
        P,
        "id.example.com",
        "id.example.com/.well-known/openid-configuration",
        "8:",
        "issuer: is the address of the discovery document; write it without",
    ),
}


@pytest.mark.parametrize("name", FAULTS)
def test_what_is_wrong_is_one_fault_with_its_place_and_a_remedy(planted, name):
    file, old, new, place, *words = FAULTS[name]
    planted.replace(planted.folder / file, old.encode(), new.encode())
    if name == "an unknown key":
        # These are two mistakes: one key too many, and one missing.
        faults, _ = told(planted, planted.check())
        assert len(faults) == 2 and any("2:1" in fault and words[0] in fault for fault in faults), faults
        return
    assert_one_fault(planted, f"{file}:{place}", *words)


NOTES = {
    "the metadata service may be dialled": (S, "10.1.2.0/24", "169.254.169.254/32", "7:", "169.254.169.254, where clouds give out"),
    "an unknown registry": (P, "[app.example.com]", '[app.example.com, "*.org.xy"]', "4:", "if other people can get hosts below .org.xy"),
    "a hosting service itself": (
        P,
        "[app.example.com]",
        "[app.example.com, github.io]",
        "4:",
        "github.io is a domain below which people get hosts",
    ),
    "a host without a dot": (P, "[app.example.com]", "[app.example.com, com]", "4:", "com has no dot"),
    "a linking policy that nothing asks": (
        P,
        "providers:",
        "signIn: {linking: confirm, oneAccountPerEmail: false}\nproviders:",
        "6:",
        "signIn.linking: has no effect with oneAccountPerEmail: false",
    ),
    "a user flow that strict clients refuse": (
        P,
        "providers:",
        flow("kind: signIn, issuer: default").replace("{clients", "{tenant: {id: 775527ff-9a37-4307-8b3d-cc311f58d925}, clients"),
        "6:",
        "userFlows[0].issuer: is default",
    ),
    "a redirect URL elsewhere": (
        P,
        "https://app.example.com",
        "https://other.example.com",
        "5:",
        "other.example.com, which is not among authorizedDomains",
    ),
}


@pytest.mark.parametrize("name", NOTES)
def test_what_is_allowed_and_looks_wrong_is_noted_with_its_place(planted, name):
    file, old, new, place, *words = NOTES[name]
    planted.replace(planted.folder / file, old.encode(), new.encode())
    assert_one_note(planted, f"{file}:{place}", *words)


def test_the_issuers_of_an_OpenID_provider_are_printed(planted):
    planted.replace(planted.project, b"providers:", flow("kind: signIn").encode())
    printed = planted.check().stdout
    issuer = "https://auth.example.com/demo"
    assert f"demo  openIDProvider  the issuer to give to relying parties is {issuer}\n" in printed
    document = f"{issuer}/b2c_1_a/v2.0/.well-known/openid-configuration"
    assert f"the discovery document of b2c_1_a is {document}, its issuer {issuer}/b2c_1_a/v2.0\n" in printed


def test_links_to_sign_in_with_that_cannot_be_sent_are_noted(planted):
    mail = SERVER[SERVER.index("mail:") : SERVER.index("limits:")]
    planted.replace(planted.server, mail.encode(), b"")
    planted.replace(planted.project, b"providers:", b"signIn: {emailLink: true}\nproviders:")
    assert_one_note(planted, f"{P}:6:", "signIn.emailLink", "gatehouse.yaml has no mail")


BROKEN = {
    "wrong indentation": (lambda text: text.replace(b"apiKeys", b"  apiKeys"), ":3:", "is not YAML"),
    "a tab": (lambda text: text.replace(b"apiKeys", b"\tapiKeys"), ":3:", "is not YAML"),
    "no space after a colon": (lambda text: text.replace(b"number: 1", b"number:1"), ":", "is not YAML"),
    "an open bracket": (lambda text: text.replace(b"[app.example.com]", b"[app.example.com"), ":", "is not YAML"),
    "a conflict": (lambda text: b"<<<<<<< HEAD\n" + text, ":", "is not YAML"),
    "two documents": (lambda text: text + b"---\nmore: 1\n", ":", "has a second document here"),
    "a wildcard without quotes": (lambda text: text.replace(b"[app.example.com]", b"[*.example.com]"), ":4:", "is not YAML"),
    "a key twice": (lambda text: text + text.splitlines(keepends=True)[0], ":", "is given twice in one mapping"),
    "a byte order mark": (lambda text: b"\xef\xbb\xbf" + text, ":1:1", "byte order mark (BOM); save it as UTF-8 without BOM"),
    "UTF-16": (lambda text: text.decode().encode("utf-16"), ":1:1", "is UTF-16 text; save it as UTF-8"),
    "Latin-1": (lambda text: text.replace(b"gatehouse", "gatehäuse".encode("latin-1")), ":9:", "is not UTF-8 text"),
    "nothing": (lambda text: b"", "", "is empty"),
}


@pytest.mark.parametrize("name", BROKEN)
@pytest.mark.parametrize("file", [P, S])
def test_a_broken_file_is_one_fault(planted, file, name):
    change, place, words = BROKEN[name]
    path = planted.folder / file
    before = path.read_bytes()
    path.write_bytes(change(before))
    if file == S and (path.read_bytes() == before or re.search(r":\d", place) and place != ":1:1"):
        pytest.skip("the mistake is planted in a line of the project's file")
    assert_one_fault(planted, file + place, words)


@pytest.mark.parametrize("file", [P, S])
def test_a_file_that_cannot_be_read_is_one_fault(planted, file):
    path = planted.folder / file
    path.unlink()
    path.mkdir()
    assert_one_fault(planted, file, "cannot be read (read: Is a directory)")


def test_two_broken_files_are_two_faults(planted):
    for name in ("a", "b"):
        (planted.folder / f"projects/{name}.yaml").write_text("project: [\n")
    faults, _ = told(planted, planted.check())
    assert [fault.partition(":")[0] for fault in faults] == ["projects/a.yaml", "projects/b.yaml"], faults


@pytest.mark.parametrize("name", ["demo.yml.bak", "folder"])
def test_a_file_that_is_ignored_is_noted(planted, name):
    path = planted.folder / "projects" / name
    path.mkdir() if name == "folder" else path.write_text(PROJECT)
    (planted.folder / "projects/.demo.yaml.swp").write_text("an editor's")
    assert_one_note(planted, f"projects/{name}  is ignored", ".yaml or .yml")


def test_a_folder_with_ignored_files_alone_says_both(planted):
    planted.project.rename(planted.folder / "projects/demo.yml.bak")
    assert_one_fault(planted, f"{S}:5:", "projects: the folder", "has no project file")


@pytest.mark.parametrize("mode", [0o644, 0o640, 0o604])
@pytest.mark.parametrize("name", ["master.key", "smtp.password"])
def test_SEC_21_a_secret_file_that_others_can_read_is_noted(planted, name, mode):
    write_secret(planted.folder / "smtp.password", "a password")
    planted.replace(planted.server, b"{env: SMTP_PASSWORD}", b"{file: smtp.password}")
    (planted.folder / name).chmod(mode)
    line = {"master.key": 4, "smtp.password": 10}[name]
    assert_one_note(planted, f"{S}:{line}:", f"{name} (mode 0{mode:o})", "chmod 600")


def test_a_master_key_that_can_be_guessed_is_a_fault(planted):
    write_secret(planted.folder / "master.key", "0123456789abcdef" * 4)
    assert_one_fault(planted, f"{S}:4:", "masterKey: repeats the same few bytes", "openssl rand -base64 32")


def test_a_database_URL_that_is_read_otherwise_is_a_fault(planted):
    planted.environment["DATABASE_URL"] = "postgresql://g:a/b@db/x"
    assert_one_fault(planted, f"{S}:3:", "database: ", "write / as %2F")


def test_fewer_descriptors_than_connections_are_noted(planted):
    def few():
        resource.setrlimit(resource.RLIMIT_NOFILE, (256, 256))

    assert_one_note(planted, f"{S}:11:", "limits.connections: 500 do not fit", "256 files at most", "raise LimitNOFILE", preexec_fn=few)

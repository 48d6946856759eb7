"""`gatehouse import firebase --from`: the accounts of a Firebase project, asked of Google."""

import json
import stat
import subprocess

import pytest
from werkzeug.wrappers import Response

from support.harness import BINARY
from support.leaks import note
from support.migration.hashes import SIGNER_KEY
from support.migration.leaving_users import KINDS, PASSWORD, user
from support.names import METHODS, OTHER, PROJECT, TIMEOUT
from support.servers.site import Site, write_secret

REFUSED = '{"error":{"code":403,"message":"The caller does not have permission","status":"PERMISSION_DENIED"}}'


class TargetSite(Site):
    """A site that accounts are brought to, for whose processes Google's names lead to the double. It has no section `migration`."""

    def __init__(self, firebase):
        self.through = firebase.names.through
        other = {**OTHER, "authorizedDomains": ["localhost"], "signIn": METHODS}
        super().__init__(project={"signIn": METHODS}, others={"other": other})
        self.key = self.folder / "google.json"
        write_secret(self.key, firebase.key_file())
        self.firebase = firebase

    def bring(self, *options, project=PROJECT, expected=0):
        """Runs the import; gives what it said."""
        source = ["--from", self.firebase.project_id, "--service-account", self.key]
        command = [*self.through, BINARY, "import", "firebase", project, *source, *options, "--config", self.config]
        result = subprocess.run(
            [str(word) for word in command], env=self.environment(), cwd=self.folder, capture_output=True, text=True, timeout=TIMEOUT
        )
        told = result.stdout + result.stderr
        assert result.returncode == expected, told
        secrets = [*self.firebase.access_tokens, self.firebase.service_key.private_pem().decode().splitlines()[1], PASSWORD]
        assert not [secret for secret in secrets if secret in told]
        return told

    def ids(self):
        return {id for (id,) in self.rows("SELECT account_id FROM accounts WHERE project_id = 'demo'")}


@pytest.fixture
def site(firebase):
    site = TargetSite(firebase)
    yield site
    site.close()


def add(firebase, *kinds, number=1):
    for kind in kinds:
        record = user(kind, number)
        firebase.accounts.add(record.pop("localId"), **record)


def test_M1_people_of_fourteen_kinds_come_over_and_leave_again_byte_by_byte(site, firebase):
    for number in range(75):
        add(firebase, *KINDS, number=number)
    told = site.bring("--yes")
    total = 75 * len(KINDS)
    assert f"{total} accounts in the Firebase project acme-prod:" in told and f"  {total} new\n" in told
    assert firebase.count("batchGet") == 4, "two pages, read twice"

    exported = site.run("export", "json", PROJECT, prints_secret=True, check=True).stdout
    records = {record["localId"]: record for record in map(json.loads, exported.splitlines())}
    assert records.keys() == firebase.accounts.people.keys()
    for uid, theirs in firebase.accounts.people.items():
        ours = records[uid]
        for name in ("email", "emailVerified", "displayName", "photoUrl", "phoneNumber", "disabled", "customAttributes", "mfaInfo"):
            assert ours.get(name) == theirs.get(name), (uid, name)
        for name in ("createdAt", "lastLoginAt", "validSince"):
            assert str(ours.get(name)) == str(theirs.get(name)), (uid, name)
        linked = [entry for entry in theirs.get("providerUserInfo", []) if entry["providerId"] not in ("password", "phone")]
        assert [
            {name: entry.get(name) for name in other} for entry, other in zip(ours.get("providerUserInfo", []), linked, strict=True)
        ] == linked
        assert ("passwordHash" in ours) == ("passwordHash" in theirs and not theirs["version"]), uid

    file, hashes = site.folder / "out.ndjson", site.folder / "hashes.json"
    file.write_text(exported)
    hashes.write_text(json.dumps(firebase.hash_parameters()))
    again = site.run("import", "json", "other", file, "--hash-config", hashes, "--yes")
    assert again.returncode == 0, again.stdout + again.stderr
    assert site.run("export", "json", "other", prints_secret=True, check=True).stdout == exported

    api = site.serve().api()
    signed_in = api.succeed("signInWithPassword", {"email": "password-7@example.com", "password": PASSWORD, "returnSecureToken": True})
    assert signed_in["localId"] == "password-7"


def test_everything_that_is_lost_or_lacking_is_said_before_anything_is_stored(site, firebase):
    add(firebase, *KINDS)
    firebase.accounts.tenants["acme-t1"] = b"another key"
    add(firebase, "anonymous", number=9)
    firebase.accounts.people["anonymous-9"]["tenantId"] = "acme-t1"
    config = firebase.hash_parameters()
    firebase.trouble["config"] = {
        "name": f"projects/{firebase.number}/config",
        "signIn": {
            "hashConfig": config, "email": {"enabled": True, "passwordRequired": False}, "phoneNumber": {"enabled": True},
            "anonymous": {"enabled": True},
        },
        "authorizedDomains": ["localhost", "app.example.com", "acme-prod.web.app"],
    }  # fmt: skip
    firebase.trouble["query"] = lambda request: None if "tenants" in request.path else {"recordsCount": "99"}
    secret = note("a-secret-of-the-provider")
    oidc = {"name": "projects/p/oauthIdpConfigs/oidc.acme", "enabled": True, "clientId": "client: 7", "issuer": "https://id.acme.example"}
    firebase.trouble["oauthIdpConfigs"] = {"oauthIdpConfigs": [{**oidc, "clientSecret": secret}]}
    firebase.trouble["inboundSamlConfigs"] = {"inboundSamlConfigs": [{"name": "projects/p/inboundSamlConfigs/saml.corp", "enabled": True}]}
    known = [
        {"name": "projects/p/defaultSupportedIdpConfigs/github.com", "enabled": True, "clientId": "7e9"},
        {"name": "projects/p/defaultSupportedIdpConfigs/twitter.com", "enabled": False, "clientId": "off"},
        {
            "name": "projects/p/defaultSupportedIdpConfigs/apple.com",
            "enabled": True,
            "clientId": "com.example.web",
            "appleSignInConfig": {"codeFlowConfig": {"teamId": "A1B2C3D4E5", "keyId": "K1K2K3K4K5", "privateKey": secret}},
        },
    ]
    firebase.trouble["defaultSupportedIdpConfigs"] = {"defaultSupportedIdpConfigs": known}
    told = site.bring("--dry-run")
    for line in (
        "  1 × tenant acme-t1, whose password hashes have a key of their own\n",
        "  - acme-prod.web.app\n",
        "has sign-in by phone number, which this server does not have",
        f"Google counts 99 accounts, and gave {len(KINDS)}.",
        "  1 × password: the hash is one that Firebase itself imported (version 1)",
        "  1 × second factor by TOTP",
        "second factor by phone",
        "  1 × saml.corp\n",
        "  0 × github.com\n",
        "  oidc.acme:\n    issuer: \"https://id.acme.example\"\n    clientId: \"client: 7\"\n    clientSecret: {env: OIDC_ACME_SECRET}\n",
        "  github.com:\n    clientId: \"7e9\"\n    clientSecret: {env: GITHUB_COM_SECRET}\n",
        "    keyId: \"K1K2K3K4K5\"\n    privateKey: {env: APPLE_COM_PRIVATE_KEY}\n",
    ):  # fmt: skip
        assert line in told, (line, told)
    assert "app.example.com" not in told and "twitter.com" not in told and "signIn: {" not in told
    assert secret not in told
    assert site.ids() == set()

    site.project["signIn"] = {"password": True}
    site.project["providers"] = {}
    site.write()
    assert "signIn: {emailLink: true, anonymous: true}" in site.bring("--dry-run")


def test_a_service_account_without_the_role_is_told_what_follows(site, firebase):
    add(firebase, "password")
    firebase.trouble["config"] = Response(REFUSED, 403)
    told = site.bring("--dry-run", expected=3)
    assert "needs the role Firebase Authentication Admin" in told and "the parameters of the password hashes" in told
    assert "1 refused: acme-prod.rejected.jsonl" in told
    rejected = site.folder / "acme-prod.rejected.jsonl"
    assert json.loads(rejected.read_text())["code"] == "INVALID_PASSWORD_HASH" and stat.S_IMODE(rejected.stat().st_mode) == 0o600

    firebase.trouble["config"] = {"name": f"projects/{firebase.number}/config", "signIn": {}}
    firebase.accounts.people["password-1"] |= {"passwordHash": "UkVEQUNURUQ=", "salt": "", "version": None}
    told = site.bring("--dry-run")
    assert "getHashConfig" in told and "1 × password: the hash is redacted" in told

    firebase.trouble["batchGet"] = Response(REFUSED, 403)
    told = site.bring("--yes", expected=1)
    assert f"{firebase.client_email} needs the role Firebase Authentication Admin in the project acme-prod" in told
    assert site.ids() == set()


def test_a_page_that_fails_is_asked_for_again(site, firebase):
    add(firebase, "google")
    answers = iter([Response("busy", 429), None, Response("busy", 503), None])
    firebase.trouble["batchGet"] = lambda request: next(answers)
    told = site.bring("--yes")
    assert site.ids() == {"google-1"} and firebase.count("batchGet") == 4
    assert "Google's list of accounts answered 429; the next attempt is in 1 s\n" in told
    assert told.count("the next attempt is in 1 s") == 2


def test_a_run_again_takes_what_changed_there(site, firebase):
    add(firebase, "google", "claims", "custom", "anonymous")
    site.bring("--yes")
    people = firebase.accounts.people
    people["google-1"]["displayName"] = "Changed there"
    people["claims-1"]["customAttributes"] = '{"role":"theirs"}'
    site.rows("UPDATE accounts SET custom_attributes = %s WHERE account_id = 'claims-1'", '{"role":"ours"}')
    site.rows("UPDATE accounts SET display_name = 'Ours' WHERE account_id = 'custom-1'")
    del people["custom-1"], people["anonymous-1"]

    told = site.bring("--yes")
    assert "  2 changed\n" in told and "  claims-1: claims\n" in told
    assert "2 accounts that an import made are not in the Firebase project acme-prod any more:" in told
    assert "  1 stay; with --delete they would be deleted\n" in told and "  1 stay, since they were changed here\n" in told
    assert site.value("SELECT display_name FROM accounts WHERE account_id = 'google-1'") == "Changed there"
    assert site.value("SELECT custom_attributes FROM accounts WHERE account_id = 'claims-1'") == '{"role":"ours"}'
    assert site.ids() == {"google-1", "claims-1", "custom-1", "anonymous-1"}

    assert "  1 would be deleted\n" in site.bring("--delete", "--dry-run") and "anonymous-1" in site.ids()
    assert "  1 deleted\n" in site.bring("--delete", "--yes")
    assert site.ids() == {"google-1", "claims-1", "custom-1"}

    people.clear()
    assert "has no account at all" in site.bring("--delete", "--yes", expected=1)
    assert site.ids() == {"google-1", "claims-1", "custom-1"}


def test_an_account_that_was_deleted_here_is_not_taken_again(site, firebase):
    add(firebase, "google", "password")
    site.bring("--yes")
    site.run("users", "delete", "demo", "google-1", check=True)
    told = site.bring("--yes")
    assert "1 deleted here, and not taken again" in told and site.ids() == {"password-1"}
    site.bring("--yes", "--restore-deleted")
    assert site.ids() == {"google-1", "password-1"}


def test_the_answers_of_google_are_kept_only_when_asked_for(site, firebase):
    add(firebase, "password")
    before = {path.name for path in site.folder.iterdir()}
    site.bring("--yes")
    assert {path.name for path in site.folder.iterdir()} == before, "nothing is left behind"
    site.bring("--yes", "--keep", "pages.json")
    kept = site.folder / "pages.json"
    assert stat.S_IMODE(kept.stat().st_mode) == 0o600
    assert [record["localId"] for record in json.loads(kept.read_text())["users"]] == ["password-1"], "one reading"
    assert "is there already" in site.bring("--yes", "--keep", "pages.json", expected=1)


@pytest.mark.parametrize(("arguments", "reason"), [
    ([], "Name a file, or a Firebase project"),
    (["users.json", "--from", "acme-prod", "--service-account", "google.json"], "A file and --from are two sources"),
    (["--from", "acme-prod"], "--from needs --service-account"),
    (["--from", "acme/../x", "--service-account", "google.json"], "the id of a Firebase project"),
    (["users.json", "--delete"], "are about a Firebase project"),
])  # fmt: skip
def test_a_wrong_command_gets_a_sentence(firebase, site, arguments, reason):
    result = site.run("import", "firebase", PROJECT, *arguments)
    assert result.returncode == 64 and reason in result.stderr


def test_the_project_of_another_key_is_refused(site, firebase):
    site.key.write_text("{}")
    assert "is not the key file of a service account" in site.bring("--yes", expected=1)
    write_secret(site.key, firebase.key_file())
    firebase.trouble["access_token"] = Response('{"error":"invalid_grant"}', 400)
    assert "token endpoint answered 400 invalid_grant" in site.bring("--yes", expected=1)
    assert site.ids() == set()


def test_the_people_of_a_tenant_come_into_a_tenant(site, firebase):
    """Their passwords are hashed with a key of the tenant's, which only the call about the tenant tells."""
    site.tenants = {"customer-a": {"displayName": "Customer A", "signIn": METHODS}}
    site.write()
    firebase.accounts.tenants["acme-t1"] = SIGNER_KEY
    add(firebase, "password", number=7)
    add(firebase, "password", number=8)
    firebase.accounts.people["password-7"]["tenantId"] = "acme-t1"
    told = site.bring("--tenant", "acme-t1", "--yes", project="demo/customer-a")
    assert "1 account in the tenant acme-t1 of the Firebase project acme-prod:" in told and "  1 new\n" in told, told
    assert site.rows("SELECT project_id, account_id FROM accounts") == [("demo/customer-a", "password-7")]
    body = {"email": "password-7@example.com", "password": PASSWORD, "returnSecureToken": True}
    api = site.serve().api()
    assert api.succeed("signInWithPassword", {**body, "tenantId": "customer-a"})["localId"] == "password-7"
    assert api.call("signInWithPassword", body).status_code == 400
    told = site.bring("--yes")
    assert "import each with --tenant into PROJECT/TENANT:\n  1 × tenant acme-t1" in told
    assert site.ids() == {"password-8"}


@pytest.mark.parametrize("tenant", ["", "a/b", "../x"])
def test_a_tenant_of_another_form_is_refused(site, tenant):
    assert "--tenant needs the id of a tenant at Firebase" in site.bring("--tenant", tenant, "--yes", expected=64)

"""What docs/operations/keys.md says to do after a signing key leaked: its statements run, and find what a thief left."""

import datetime
import re

import requests

from support.clients.api import assert_error, posted
from support.harness import ROOT
from support.leaks import note
from support.names import TIMEOUT
from support.servers.site import a_site


def statements():
    page = (ROOT / "docs/operations/keys.md").read_text()
    section = re.search(r"^### After a signing key leaked\n(.*?)^##", page, re.MULTILINE | re.DOTALL)[1]
    blocks = re.findall(r"```sql\n(.*?)```", section, re.DOTALL)
    return [statement.strip() for block in blocks for statement in block.split(";") if statement.strip()]


def test_the_statements_find_what_came_about_since_the_leak_and_end_all_sessions(fake_issuer):
    with a_site({"oidc.fake": fake_issuer.entry()}, project={"signIn": {"password": True}}) as site:
        api = site.serve().api()
        made = {}
        for name in ("before", "victim"):
            made[name] = api.succeed("signUp", {"email": f"{name}@example.com", "password": "correct horse", "returnSecureToken": True})
        posted(api, {"providerId": "oidc.fake", "id_token": fake_issuer.id_token("earlier")}, idToken=made["before"]["idToken"])
        site.rows("UPDATE identities SET linked_at = linked_at - interval '1 day'")
        leak = datetime.datetime.now(datetime.timezone.utc).isoformat()

        victim = made["victim"]
        linked = posted(api, {"providerId": "oidc.fake", "id_token": fake_issuer.id_token("thief")}, idToken=victim["idToken"]).json()
        changed = api.succeed("update", {"idToken": linked["idToken"], "password": "battery staple", "returnSecureToken": True})
        wish = {"requestType": "VERIFY_AND_CHANGE_EMAIL", "idToken": changed["idToken"], "newEmail": "thief@example.com"}
        api.succeed("sendOobCode", wish)
        codes = requests.get(f"{site.url}/emulator/v1/projects/demo/oobCodes", timeout=TIMEOUT).json()["oobCodes"]
        api.succeed("update", {"oobCode": note(codes[-1]["oobCode"])})
        thief = api.succeed("signInWithPassword", {"email": "thief@example.com", "password": "battery staple", "returnSecureToken": True})

        links, passwords, addresses, sessions, *endings = [statement.replace("…", leak) for statement in statements()]
        assert [row[:3] for row in site.rows(links)] == [(victim["localId"], "oidc.fake", "thief")]
        assert [row[0] for row in site.rows(passwords)] == [victim["localId"]]
        assert [row[:3] for row in site.rows(addresses)] == [(victim["localId"], "victim@example.com", "thief@example.com")]
        assert {row[0] for row in site.rows(sessions)} == {victim["localId"]}
        assert len(endings) == 2
        for ending in endings:
            site.rows(ending)
        for user in (made["before"], thief):
            assert_error(api.refresh(user["refreshToken"]), "TOKEN_EXPIRED")

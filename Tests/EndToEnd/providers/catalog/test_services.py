"""The entries for services in docs/providers/oidc.md: what each asks its service for, with a stand-in in the service's place."""

import re

import pytest
import yaml

from support.clients.flows import WebFlow, query_of
from support.configuration.page import PROVIDERS
from support.servers.site import a_site

ENTRIES = {
    id: entry
    for text in re.findall(
        r"^```yaml\n(providers:\n.*?)^```$", PROVIDERS["oidc.page"].partition("\n## Services\n")[2], re.MULTILINE | re.DOTALL
    )
    for id, entry in yaml.safe_load(text)["providers"].items()
}
SCOPES = {"oidc.discord": "openid identify email", "oidc.twitch": "openid user:read:email"}


def test_the_page_has_each_service():
    services = {"gitlab", "slack", "discord", "twitch", "keycloak", "auth0", "okta", "cognito"}
    assert {f"oidc.{name}" for name in services} == ENTRIES.keys()


@pytest.mark.parametrize("id", ENTRIES)
def test_an_entry_of_the_page_signs_in(fake_issuer, id):
    given = {**ENTRIES[id], "clientId": fake_issuer.client_id, "clientSecret": {"env": "CLIENT_SECRET"}, "issuer": fake_issuer.url}
    with a_site({id: given}) as site:
        site.serve()
        flow = WebFlow(site, id)
        query = query_of(flow.authorization_url())
        assert query["scope"] == SCOPES.get(id, "openid profile email")
        assert ("claims" in query) == (id == "oidc.twitch")
        assert query["redirect_uri"].endswith(f"/handler/{id}" if "ownCallback" in given else "/handler")
        assert WebFlow(site, id).run(fake_issuer.login("of-a-service"))["isNewUser"]

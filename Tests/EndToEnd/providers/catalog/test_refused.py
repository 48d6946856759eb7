"""Providers of Firebase that are not there: every way in says why."""

import pytest

from support.clients.api import assert_error, posted
from support.clients.flows import ClientFlow, WebFlow, query_of
from support.servers.site import FILES_ALONE, a_site

REASONS = {
    "gc.apple.com": "does not check the signatures of Game Center",
    "playgames.google.com": "does not redeem the server codes of Google Play Games",
}
ENTRY = {"clientId": "a", "clientSecret": {"env": "CLIENT_SECRET"}}


@pytest.mark.parametrize("provider", REASONS)
def test_every_way_in_says_why(site, api, nothing_is_written, provider):
    # A server code of Play Games comes as `code`, what Game Center signs in fields of its own.
    for fields in (
        {"code": "4/a-server-code"},
        {"id_token": "a.b.c"},
        {"access_token": "a-token"},
        {"playerId": "1", "signature": "s"},
        {},
    ):
        message = assert_error(posted(api, {"providerId": provider.upper(), **fields}), "OPERATION_NOT_ALLOWED")
        assert message.startswith(f"OPERATION_NOT_ALLOWED : The provider {provider} is not supported: this server {REASONS[provider]}")
    assert REASONS[provider] in assert_error(ClientFlow(site, provider).start(), "OPERATION_NOT_ALLOWED")
    told = query_of(WebFlow(site, provider).start().headers["location"])
    assert told["error"] == "invalid_request" and REASONS[provider] in told["error_description"]


def assert_not_enabled(api, provider):
    message = assert_error(posted(api, {"providerId": provider, "id_token": "a.b.c"}), "OPERATION_NOT_ALLOWED")
    assert "is not enabled for this project" in message


def test_a_provider_without_an_entry_is_not_called_unsupported(api):
    assert_not_enabled(api, "saml.acme")


def test_a_provider_that_is_only_switched_off_is_not_called_unsupported():
    with a_site({"github.com": {"enabled": False, **ENTRY}}) as site:
        assert_not_enabled(site.serve().api(), "github.com")


def test_an_entry_is_a_fault():
    with a_site({provider: ENTRY for provider in REASONS}, **FILES_ALONE) as site:
        told = site.run("check").stdout
        for provider, reason in REASONS.items():
            assert f"providers.{provider}: is not supported: this server {reason}" in told
        assert "2 faults" in told

"""Providers of Firebase that are not there: every way in says why."""

import pytest

from support.clients.api import assert_error, posted
from support.clients.flows import ClientFlow, WebFlow, query_of
from support.servers.site import Site

REASONS = {
    "gc.apple.com": "does not check the signatures of Game Center",
    "playgames.google.com": "does not redeem the server codes of Google Play Games",
}


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


def test_a_provider_that_is_only_switched_off_is_not_called_unsupported(api):
    assert "is not enabled for this project" in assert_error(
        posted(api, {"providerId": "saml.acme", "id_token": "a.b.c"}), "OPERATION_NOT_ALLOWED"
    )


def test_an_entry_is_a_fault():
    site = Site({provider: {"clientId": "a", "clientSecret": {"env": "CLIENT_SECRET"}} for provider in REASONS}, migrate=False)
    try:
        told = site.run("check").stdout
        for provider, reason in REASONS.items():
            assert f"providers.{provider}: is not supported: this server {reason}" in told
        assert "2 faults" in told
    finally:
        site.close()

"""The handler for a tenant (`tid`), as SDKs see it."""

import pytest

from support.accounts import person
from support.clients.api import assert_error
from support.clients.handler import BrowserFlow
from support.servers.site import a_site


@pytest.mark.parametrize("auth_type", ["signInViaPopup", "signInViaRedirect"])
def test_a_flow_of_a_tenant_ends_in_it(fake_issuer, auth_type):
    """`tid`, as SDKs write it; the event then names the tenant, and the SDK sends it when it redeems."""
    providers = {"oidc.fake": fake_issuer.entry()}
    tenants = {"customer-a": {"inherit": ["providers"], "displayName": "Customer A"}, "customer-b": {}}
    with a_site(providers, tenants=tenants) as site:
        api = site.serve().api()
        flow = BrowserFlow(site, auth_type=auth_type, tid="customer-a")
        event = flow.finished(fake_issuer.login(person()))["event"]
        assert event["tenantId"] == "customer-a"
        assert_error(flow.redeem(event, tenantId="customer-b"), "INVALID_IDP_RESPONSE")
        assert_error(flow.redeem(event, tenantId=None), "INVALID_IDP_RESPONSE")
        user = flow.redeem(event).json()
        assert api.lookup(user["idToken"])["tenantId"] == "customer-a"
        for tenant, words in (("customer-b", "OPERATION_NOT_ALLOWED"), ("not-there", "TENANT_NOT_FOUND")):
            refused = BrowserFlow(site, auth_type=auth_type, tid=tenant).start()
            assert words in refused.text or "operation-not-allowed" in refused.text, refused.text

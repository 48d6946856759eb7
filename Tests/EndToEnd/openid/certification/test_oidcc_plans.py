"""The plans of the OpenID Foundation's conformance suite, as lists of their modules: each module has a test here.

The suite itself is Java and needs a browser; these tests imitate it in each run.
<https://gitlab.com/openid/conformance-suite>
"""

import pathlib

import pytest

PLANS = {
    "oidcc-basic-certification-test-plan": """
        oidcc-server oidcc-response-type-missing oidcc-idtoken-signature oidcc-idtoken-unsigned 
        oidcc-userinfo-get oidcc-userinfo-post-header oidcc-userinfo-post-body oidcc-ensure-request-without-nonce-succeeds-for-code-flow
        oidcc-scope-profile oidcc-scope-email
        oidcc-scope-address oidcc-scope-phone oidcc-scope-all oidcc-alternate-happy-flow oidcc-display-page oidcc-display-popup
        oidcc-prompt-login oidcc-prompt-none-not-logged-in oidcc-prompt-none-logged-in oidcc-max-age-1 oidcc-max-age-10000
        oidcc-ensure-request-with-unknown-parameter-succeeds oidcc-id-token-hint oidcc-login-hint oidcc-ui-locales oidcc-claims-locales
        oidcc-ensure-request-with-acr-values-succeeds oidcc-codereuse oidcc-codereuse-30seconds oidcc-ensure-registered-redirect-uri
        oidcc-ensure-post-request-succeeds oidcc-server-client-secret-post
        oidcc-request-uri-unsigned-supported-correctly-or-rejected-as-unsupported
        oidcc-unsigned-request-object-supported-correctly-or-rejected-as-unsupported oidcc-claims-essential
        oidcc-ensure-request-object-with-redirect-uri oidcc-refresh-token oidcc-ensure-request-with-valid-pkce-succeeds""",
    "oidcc-config-certification-test-plan": "oidcc-discovery-endpoint-verification",
    "oidcc-rp-initiated-logout-certification-test-plan": """
        oidcc-rp-initiated-logout-discovery-endpoint-verification oidcc-rp-initiated-logout
        oidcc-rp-initiated-logout-bad-post-logout-redirect-uri oidcc-rp-initiated-logout-modified-id-token-hint
        oidcc-rp-initiated-logout-no-id-token-hint oidcc-rp-initiated-logout-no-params
        oidcc-rp-initiated-logout-no-post-logout-redirect-uri oidcc-rp-initiated-logout-no-state oidcc-rp-initiated-logout-only-state
        oidcc-rp-initiated-logout-query-added-to-post-logout-redirect-uri oidcc-rp-initiated-logout-bad-id-token-hint""",
    "beside the plans": """
        oidcc-ensure-redirect-uri-in-authorization-request oidcc-redirect-uri-query-OK oidcc-redirect-uri-query-added
        oidcc-redirect-uri-query-mismatch oidcc-server-rotate-keys""",
}


@pytest.mark.parametrize("plan", PLANS)
def test_each_module_of_the_plan_has_a_test(plan):
    tests = "\n".join(path.read_text() for path in pathlib.Path(__file__).parent.glob("test_*.py"))
    assert [module for module in PLANS[plan].split() if f"\ndef test_{module.replace('-', '_')}(" not in tests] == []

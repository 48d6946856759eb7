"""Hooks that a test suite sets in development mode, as at the Auth emulator."""

import json

import jwt
import pytest
import requests

from support.accounts import address, sign_up
from support.clients.administrator import Administrator
from support.clients.api import API, assert_error
from support.clients.emulator import ask
from support.names import METHODS, TIMEOUT
from support.servers.site import Site

CONFIG = "/v2/projects/demo/config"
OWNER = {"authorization": "Bearer owner"}


@pytest.fixture
def site():
    tenant = {"signIn": METHODS}
    site = Site(project={"signIn": METHODS}, settings={"developmentProject": "demo"}, tenants={"customer-a": tenant})
    site.serve()
    yield site
    site.close()


def test_a_suite_sets_hooks_and_takes_them_away(site, gateway):
    answer = {"userRecord": {"sessionClaims": {"from": "suite"}, "updateMask": "sessionClaims"}}
    gateway.answers = [(200, json.dumps(answer))]
    hooks = {
        "triggers": {"beforeSignIn": {"functionUri": f"{gateway.url}/sign-in"}},
        "forwardInboundCredentials": {"idToken": True},
    }
    told = ask(site, "PATCH", CONFIG, {"blockingFunctions": hooks}, **OWNER).json()["blockingFunctions"]
    assert told["triggers"] == hooks["triggers"] and told["forwardInboundCredentials"]["idToken"]
    assert ask(site, "GET", CONFIG, **OWNER).json()["blockingFunctions"] == told
    made = sign_up(API(site.url))
    assert jwt.decode(made["idToken"], options={"verify_signature": False})["from"] == "suite"
    (call,) = gateway.requests
    assert "webhook-signature" not in call["headers"]
    assert jwt.get_unverified_header(json.loads(call["body"])["data"]["jwt"])["alg"] == "RS256"
    ask(site, "PATCH", CONFIG + "?updateMask=blockingFunctions", {"blockingFunctions": {}}, **OWNER)
    assert "blockingFunctions" not in ask(site, "GET", CONFIG, **OWNER).json()
    sign_up(API(site.url))
    assert len(gateway.requests) == 1


def test_a_hook_that_a_suite_sets_is_asked_for_tenants_too(site, gateway):
    gateway.answers = [(200, "{}")]
    hooks = {"triggers": {"beforeSignIn": {"functionUri": f"{gateway.url}/sign-in"}}}
    made = ask(site, "POST", "/v2/projects/demo/tenants", {"displayName": "Shop", "allowPasswordSignup": True}, **OWNER).json()
    ask(site, "PATCH", CONFIG, {"blockingFunctions": hooks, "signIn": {"allowDuplicateEmails": True}}, **OWNER)
    for number, tenant in enumerate(("customer-a", made["name"].split("/")[-1]), 1):
        API(site.url).succeed("signUp", {"email": address(), "password": "correct horse", "tenantId": tenant})
        assert len(gateway.requests) == number
    # What a mask does not name stays.
    masked = {"blockingFunctions": {"forwardInboundCredentials": {"idToken": True}}, "signIn": {"allowDuplicateEmails": False}}
    mask = "?updateMask=blocking_functions.forward_inbound_credentials"
    told = ask(site, "PATCH", CONFIG + mask, masked, **OWNER).json()
    assert told["blockingFunctions"]["triggers"] == hooks["triggers"] and told["blockingFunctions"]["forwardInboundCredentials"]["idToken"]
    assert told["signIn"]["allowDuplicateEmails"] is True
    assert "blockingFunctions" not in ask(site, "PATCH", CONFIG + "?updateMask=blockingFunctions", {}, **OWNER).json()


def test_the_emulators_own_call_sets_no_hook(site, gateway):
    body = {"blockingFunctions": {"triggers": {"beforeSignIn": {"functionUri": f"{gateway.url}/x"}}}, "mfa": {"state": "MANDATORY"}}
    assert ask(site, "PATCH", "/emulator/v1/projects/demo/config", body, **OWNER).status_code == 200
    config = ask(site, "GET", CONFIG, **OWNER).json()
    assert "blockingFunctions" not in config and config["mfa"]["state"] == "DISABLED"


@pytest.mark.parametrize(
    "triggers, reason",
    [
        ({"beforeLunch": {"functionUri": "https://a.example"}}, "Event type is invalid."),
        ({"beforeSignIn": {}}, "Expected an absolute URI with valid scheme and host."),
        ({"beforeSignIn": {"functionUri": "/sign-in"}}, "Expected an absolute URI with valid scheme and host."),
        ({"beforeSignIn": {"functionUri": "ftp://a.example"}}, "Expected an absolute URI with valid scheme and host."),
        ({"beforeSignIn": {"functionUri": "http://a.example"}}, "Expected an absolute URI with valid scheme and host."),
    ],
)
def test_a_hook_that_cannot_be_called_is_refused(site, triggers, reason):
    answer = ask(site, "PATCH", CONFIG, {"blockingFunctions": {"triggers": triggers}}, **OWNER)
    assert assert_error(answer, "INVALID_BLOCKING_FUNCTION") == f"INVALID_BLOCKING_FUNCTION : (({reason}))"


def test_without_a_development_project_the_file_alone_sets_hooks():
    hooks = {"beforeSignIn": {"url": "https://hooks.example.com", "secrets": {"env": "HOOK_SECRET"}}}
    site = Site(project={"signIn": METHODS, "hooks": hooks})
    site.variables = {"HOOK_SECRET": "whsec_" + "A" * 32}
    try:
        site.serve()
        headers = {"authorization": f"Bearer {Administrator(site).token}"}
        refused = requests.patch(site.url + CONFIG, json={"blockingFunctions": {}}, headers=headers, timeout=TIMEOUT)
        assert refused.status_code == 400 and "demo.yaml" in refused.text
        told = requests.get(site.url + CONFIG, headers=headers, timeout=TIMEOUT).json()["blockingFunctions"]
        assert told["triggers"] == {"beforeSignIn": {"functionUri": "https://hooks.example.com"}}
    finally:
        site.close()

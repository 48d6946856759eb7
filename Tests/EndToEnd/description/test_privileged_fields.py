"""SEC-14: no call of a client sets what only an administrator may set, whatever it sends besides."""

import pytest

from support import accounts
from support.clients.api import API
from support.description import calls, each_call

# Every field that only an administrator may set or ask for, with a value that shows.
PRIVILEGED = {
    "createdAt": "1000",
    "customAttributes": '{"admin":true}',
    "customAuth": True,
    "disableUser": True,
    "disabled": True,
    "emailLinkSignin": True,
    "expression": [{"userId": "chosen-id"}],
    "federatedUserId": [{"providerId": "google.com", "rawId": "stolen"}],
    "force": True,
    "emailVerified": True,
    "initialEmail": "first@example.com",
    "lastLoginAt": "1000",
    "lastRefreshAt": "2001-01-01T00:00:00Z",
    "linkProviderUserInfo": {"providerId": "google.com", "rawId": "stolen"},
    "localId": "chosen-id",
    "localIds": ["chosen-id"],
    "mfa": {"enrollments": [{"phoneInfo": "+15555550100"}]},
    "mfaInfo": [{"phoneInfo": "+15555550100"}],
    "passwordHash": "AAAA",
    "passwordUpdatedAt": 1000,
    "phoneNumber": "+15555550100",
    "providerUserInfo": [{"providerId": "google.com", "rawId": "stolen"}],
    "rawPassword": "of the administrator",
    "returnOobLink": True,
    "returnUserInfo": True,
    "salt": "AAAA",
    "targetProjectId": "other",
    # Of a provider.
    "clientId": "chosen-client",
    "clientSecret": "chosen",
    "enabled": True,
    "issuer": "https://issuer.example.com",
    "responseType": {"idToken": True},
    # Of a tenant.
    "allowPasswordSignup": True,
    "client": {"permissions": {"disabledUserSignup": True}},
    "disableAuth": True,
    "emailPrivacyConfig": {"enableImprovedEmailPrivacy": False},
    "enableAnonymousUser": True,
    "enableEmailLinkSignin": True,
    "mfaConfig": {"state": "DISABLED"},
    "passwordPolicyConfig": {"passwordPolicyEnforcementState": "OFF"},
    "testPhoneNumbers": {"+15555550100": "123456"},
    "tenantId": "not-there",
    "users": [{"localId": "chosen-id", "email": "first@example.com", "emailVerified": True}],
    "validSince": "1000",
    "version": 1,
}
# The other fields of administrators' calls: what clients may send too, and what only says which account or page is meant.
HARMLESS = {
    "androidInstallApp",
    "androidMinimumVersion",
    "androidMinimumVersionCode",
    "androidPackageName",
    "canHandleCodeInApp",
    "continueUrl",
    "deleteAttribute",
    "deletePasskey",
    "deleteProvider",
    "displayName",
    "dynamicLinkDomain",
    "email",
    "iOSAppStoreId",
    "iOSBundleId",
    "idToken",
    "limit",
    "linkDomain",
    "maxResults",
    "newEmail",
    "nextPageToken",
    "offset",
    "order",
    "password",
    "photoUrl",
    "requestType",
    "sortBy",
    # Of a session cookie, which clients do not get.
    "validDuration",
    # How the hashes of imported `users` were made.
    "argon2Parameters",
    "blockSize",
    "cpuMemCost",
    "dkLen",
    "hashAlgorithm",
    "memoryCost",
    "parallelization",
    "passwordHashOrder",
    "rounds",
    "saltSeparator",
    "signerKey",
}
CLIENTS = [call for call in each_call("apiKey") if call.method == "POST"]
PASSWORD = "correct horse battery"


def snake(name):
    return "".join("_" + letter.lower() if letter.isupper() else letter for letter in name)


def stolen(site):
    """How many accounts have what only an administrator may give."""
    return site.value(
        """
        SELECT count(*) FROM accounts a LEFT JOIN identities i USING (project_id, account_id)
        WHERE a.project_id <> 'demo' OR a.account_id = 'chosen-id' OR a.disabled OR a.email_verified OR a.email_proven OR a.custom_auth
            OR a.custom_attributes IS NOT NULL OR a.phone_number IS NOT NULL OR a.initial_email IS NOT NULL OR a.email_link_sign_in
            OR a.created_at < now() - interval '1 day' OR a.last_login_at < now() - interval '1 day'
            OR a.last_refresh_at < now() - interval '1 day' OR a.valid_since < now() - interval '1 day'
            OR a.password_updated_at < now() - interval '1 day' OR i.subject = 'stolen'
        """
    )


def body(call, api):
    """What a client sends that uses the call as it is meant, as far as that needs no mail and no provider."""
    if call.id.endswith(".SignUp"):
        return {}
    if call.id.endswith(".SignInWithPassword"):
        return {"email": made(api), "password": PASSWORD}
    sent = {"requestType": "VERIFY_EMAIL", "providerId": "google.com", "token": "t", "displayName": "Mallory", "oauthAccessToken": "t"}
    if "idToken" in call.fields:
        sent["idToken"] = accounts.anonymous(api).json()["idToken"]
    return {name: value for name, value in sent.items() if name in call.fields}


MADE = {}


def made(api):
    """The address of an account with the password, made once for each server."""
    if api.url not in MADE:
        MADE[api.url] = accounts.sign_up(api, password=PASSWORD)["email"]
    return MADE[api.url]


@pytest.mark.parametrize("call", CLIENTS, ids=str)
def test_SEC_14_a_client_sets_no_privileged_field(production, call):
    api = API(production.url)
    kept = body(call, api)
    for name, value in PRIVILEGED.items():
        for spelled in {name, snake(name)}:
            if spelled in kept:
                continue
            if "idToken" in kept and "Delete" in call.id:
                kept = body(call, api)
            answer = api.post(call.path(), {**kept, spelled: value})
            assert answer.status_code in (200, 400), f"{spelled}: {answer.status_code} {answer.text}"
            assert "oobLink" not in answer.text and "chosen-id" not in answer.text, f"{spelled}: {answer.text}"
            if name in ("targetProjectId", "tenantId"):
                assert answer.status_code == 400, f"{spelled}: {answer.text}"
    assert stolen(production) == 0


@pytest.mark.parametrize("call", CLIENTS, ids=str)
def test_SEC_14_a_client_neither_reads_nor_changes_another_account(production, call):
    api = API(production.url)
    victim = accounts.sign_up(api, password=PASSWORD, displayName="Known to nobody else")
    row = "SELECT a::text FROM accounts a WHERE account_id = %s"
    before = production.value(row, victim["localId"])
    for named in (
        {"localId": victim["localId"]},
        {"localId": [victim["localId"]]},
        {"localIds": [victim["localId"]], "force": True},
        {"email": [victim["email"]]},
        {"initialEmail": [victim["email"]]},
        {"expression": [{"userId": victim["localId"]}]},
        {"federatedUserId": [{"providerId": "password", "rawId": victim["email"]}]},
    ):
        answer = api.post(call.path(), {**body(call, api), **named})
        assert answer.status_code in (200, 400), answer.text
        assert "Known to nobody else" not in answer.text and victim["localId"] not in answer.text
    assert production.value(row, victim["localId"]) == before


def test_SEC_14_a_sign_up_with_a_password_sets_no_privileged_field(production):
    api = API(production.url)
    for name, value in PRIVILEGED.items():
        answer = api.call("signUp", {"email": accounts.address(), "password": PASSWORD, name: value})
        assert answer.status_code in (200, 400), f"{name}: {answer.text}"
    assert stolen(production) == 0


def test_every_field_of_administrators_is_known_here():
    fields = {name for call in calls() if call.access == "administrator" and call.method == "POST" for name in call.fields}
    assert fields, "the description has the fields of administrators' calls"
    unknown = fields - PRIVILEGED.keys() - HARMLESS
    assert not unknown, f"say in this file whether clients may send {sorted(unknown)}"


def test_the_count_sees_what_a_client_would_have_stolen(production):
    assert stolen(production) == 0
    account = accounts.anonymous(API(production.url)).json()["localId"]
    for change in ("disabled = true", "email_verified = true", "custom_attributes = '{}'", "created_at = '2001-01-01'"):
        production.rows(f"UPDATE accounts SET {change} WHERE account_id = %s", account)
        assert stolen(production) == 1, change
        production.rows(
            "UPDATE accounts SET disabled = false, email_verified = false, custom_attributes = NULL, created_at = now() WHERE account_id = %s",
            account,
        )

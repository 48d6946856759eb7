"""Every call by each kind of caller, at one of its addresses: who gets in, and what the others are told; and that its other addresses lead to it.

The calls are those of the description, so that a new one is tried too. What a caller may do follows from `x-gatehouse-access` alone.
"""

import pytest
import requests

from support import accounts
from support.administrators import RIGHTS, ServiceAccount
from support.clients.api import API
from support.description import calls, each_call
from support.names import API_KEY, TIMEOUT

# Sees what a caller may do: a call of nothing, which is refused only because something is missing.
IN = {200, 400}
NO_KEY = {403}
NOT_AUTHENTICATED = {401}
NOT_PERMITTED = {403}
ABSENT = {404}

BEARERS = ("unknown", "empty", "expired", "forged", "owner", "another ID token")
SHARED = {(call.method, call.template) for call in calls() if call.shared}


def calls_for(*accesses):
    """Runs the test for each call that is open to these, at one address of each kind."""
    return pytest.mark.parametrize("call", each_call(*accesses), ids=str)


@pytest.fixture(scope="module")
def callers(production):
    """The headers of each kind of service account."""
    right = ServiceAccount.create(production, "everything")
    foreign = ServiceAccount.create(production, "foreign", project="other")
    forged = ServiceAccount.create(production, "forged")
    revoked = ServiceAccount.create(production, "revoked")
    production.run("service-accounts", "revoke", "demo", "--account", "revoked", check=True)
    id_token = accounts.anonymous(API(production.url)).json()["idToken"]
    headers = {
        "unknown": "Bearer gatehouse_of-nobody",
        "empty": "Bearer ",
        "owner": "Bearer owner",
        "another ID token": f"Bearer {id_token}",
        "expired": f"Bearer {right.token(lifetime=-1)}",
        "forged": f"Bearer {forged.token(master_key='A' * 43 + '=')}",
        "revoked": f"Bearer {revoked.token()}",
        "everything": f"Bearer {right.token()}",
        "foreign": f"Bearer {foreign.token()}",
    }
    for name in RIGHTS:
        others = [other for other in RIGHTS if other != name]
        headers[f"all but {name}"] = f"Bearer {ServiceAccount.create(production, f'no-{name.lower()}', rights=others).token()}"
        headers[f"only {name}"] = f"Bearer {ServiceAccount.create(production, f'only-{name.lower()}', rights=[name]).token()}"
    return {name: {"Authorization": header} for name, header in headers.items()}


def ask(site, call, headers=None, key=None, body=None, **values):
    """The call with nothing in it but `body`, which is the query of a GET."""
    params = {"key": key} if key else {}
    options = {"params": {**params, **(body or {})}} if call.method == "GET" else {"params": params, "json": body or {}}
    return requests.request(call.method, site.url + call.path(**values), headers=headers, timeout=TIMEOUT, allow_redirects=False, **options)


def refused(answer, statuses):
    assert answer.status_code in statuses, f"{answer.status_code} {answer.text}"
    if answer.headers["content-type"].startswith("application/json"):
        assert answer.json()["error"]["code"] == answer.status_code


@calls_for("apiKey")
def test_a_call_of_clients_needs_a_key_and_no_more(production, callers, call):
    refused(ask(production, call), NO_KEY)
    assert ask(production, call, key="unknown").status_code == 400
    assert ask(production, call, key=API_KEY).status_code in IN | {404}
    id_token = accounts.anonymous(API(production.url)).json()["idToken"]
    assert ask(production, call, key=API_KEY, body={"idToken": id_token}).status_code in IN | {404}
    if (call.method, call.template) not in SHARED:
        for bearer in (*BEARERS, "everything", "foreign"):
            refused(ask(production, call, callers[bearer], key=API_KEY), NOT_AUTHENTICATED)


@calls_for("administrator")
def test_a_call_of_administrators_needs_a_service_account_with_its_right(production, callers, call):
    if not call.shared:
        id_token = accounts.anonymous(API(production.url)).json()["idToken"]
        for key, body in ((None, None), (API_KEY, None), (API_KEY, {"idToken": id_token})):
            answer = ask(production, call, key=key, body=body)
            refused(answer, NOT_AUTHENTICATED)
            assert answer.json()["error"]["message"] == "Login Required."
    for bearer in (*BEARERS, "revoked"):
        for key in (None, API_KEY):
            answer = ask(production, call, callers[bearer], key=key)
            refused(answer, NOT_AUTHENTICATED)
            assert answer.json()["error"]["message"] == "Invalid Credentials"
    refused(ask(production, call, callers[f"all but {call.right}"]), NOT_PERMITTED)
    assert ask(production, call, callers[f"only {call.right}"]).status_code in IN | {404}
    assert ask(production, call, callers["everything"]).status_code in IN | {404}


@calls_for("administrator")
def test_a_service_account_acts_in_its_own_project_alone(production, callers, call):
    if not call.names_project:
        refused(ask(production, call, callers["foreign"], body={"targetProjectId": "demo"}), NOT_PERMITTED)
        refused(ask(production, call, callers["everything"], body={"target_project_id": "other"}), NOT_PERMITTED)
        refused(ask(production, call, callers["everything"], body={"targetProjectId": "absent"}), NOT_PERMITTED)
        return
    refused(ask(production, call, callers["foreign"]), NOT_PERMITTED)
    for project in ("other", "absent"):
        refused(ask(production, call, callers["everything"], project=project), NOT_PERMITTED)
        # A body that agrees with the path does not change who may call, and one that does not is refused.
        refused(ask(production, call, callers["everything"], project=project, body={"targetProjectId": project}), NOT_PERMITTED)
        for name in ("targetProjectId", "target_project_id"):
            assert ask(production, call, callers["everything"], body={name: project}).status_code == 400


@calls_for("anyone", "relyingParty")
def test_credentials_change_nothing_where_anyone_may_call(production, callers, call):
    plain = ask(production, call).status_code
    assert plain < 500
    if call.access == "relyingParty":
        assert 400 <= plain < 500
    for caller in ("owner", "everything", "another ID token"):
        answer = ask(production, call, callers[caller]).status_code
        assert answer == plain if call.access == "anyone" else 400 <= answer < 500


@calls_for("development")
def test_production_has_no_call_of_development(production, callers, call):
    for caller in ("owner", "everything"):
        for headers in (callers[caller], {**callers[caller], "Host": "localhost"}):
            assert ask(production, call, headers, key=API_KEY).status_code in ABSENT
    assert ask(production, call).status_code in ABSENT


# What a program of another machine, or the page of another site, cannot hide.
DISTANT = [
    {"X-Forwarded-For": "127.0.0.1"},
    {"Forwarded": "for=127.0.0.1"},
    {"X-Real-IP": "127.0.0.1"},
    {"Origin": "https://evil.example"},
    {"Origin": "null"},
    {"Sec-Fetch-Site": "cross-site"},
    {"Host": "evil.example"},
]
OWNER = {"Authorization": "Bearer owner"}


@calls_for("administrator")
def test_in_development_the_owner_is_an_administrator_of_the_own_machine_alone(development, call):
    for owner in (OWNER, {"Authorization": "bearer OWNER"}, {"Authorization": "Bearer ya29.token"}):
        assert ask(development, call, owner).status_code in IN | {404}
    for distant in DISTANT:
        refused(ask(development, call, {**OWNER, **distant}), {401, 403})
    refused(ask(development, call, {"Authorization": "Bearer own"}), NOT_AUTHENTICATED)
    if not call.shared:
        refused(ask(development, call), NOT_AUTHENTICATED)
    # Another team's project on the same server is not the owner's.
    if not call.names_project:
        refused(ask(development, call, OWNER, body={"targetProjectId": "other"}), {401, 403})
    else:
        refused(ask(development, call, OWNER, project="other"), {401, 403})
        assert ask(development, call, OWNER, project="made-on-the-fly").status_code in IN | {404}


@calls_for("development")
def test_in_development_the_emulators_calls_answer_the_own_machine_alone(development, call):
    assert ask(development, call).status_code in {200, 302, 303, 400, 404}
    for distant in DISTANT:
        refused(ask(development, call, distant), NOT_PERMITTED)


@calls_for("apiKey", "administrator")
def test_each_address_of_a_call_leads_to_it(development, call):
    for other in calls():
        if other.kind == call.kind:
            headers = OWNER if call.access == "administrator" else None
            first, answer = (ask(development, at, headers, key=API_KEY) for at in (call, other))
            assert answer.status_code == first.status_code, str(other)
            if answer.status_code != 200:
                # The file that a refused write names is the tenant's own there.
                assert answer.text.replace("demo/tenants/tenant.yaml", "demo.yaml") == first.text, str(other)


def test_the_calls_are_of_every_kind():
    """So that none of the tests above is empty."""
    kinds = [call.access for call in calls()]
    assert {kind: kinds.count(kind) > 5 for kind in set(kinds)} == {
        kind: True for kind in ("anyone", "relyingParty", "apiKey", "administrator", "development")
    }
    assert SHARED

"""SEC-63: whatever a realm gave a person is worth nothing in another one, in whichever call it is sent, and a refused call changes nothing.

A realm is a project, or a tenant of one. Each body is sent to the other realm first, and then to its own, where it must succeed: so it was the
realm that was refused, and the refusal used nothing up.
"""

import pytest
import requests

from support import accounts
from support.administrators import ServiceAccount
from support.clients.api import API
from support.clients.backend import Backend, make_key
from support.description import calls, each_call
from support.names import OTHER, TIMEOUT
from support.realms import OPEN, PASSWORD, SETTINGS, TABLE, WITHOUT_SUCCESS, Realm
from support.servers.site import Site

CLIENTS = {call.id.split(".")[1]: call for call in each_call("apiKey") if call.method == "POST"}
# Who gave it, and where it is shown.
PAIRS = [("a", "b"), ("a", "project"), ("project", "a"), ("a", "other"), ("other", "a")]
STATE = "accounts identities passkeys sessions recovery_codes pending_sign_ins"


class RealmSite(Site):
    """`demo` with two tenants, and another project; the other realm's people are unknown in each."""

    def __init__(self):
        others = {"other": {**OTHER, **SETTINGS, "authorizedDomains": ["localhost"], "redirectURLs": [], "tokens": {"issuer": "gatehouse"}}}
        super().__init__(
            settings={"developmentProject": "demo"}, project=SETTINGS, tenants={"a-tenant": SETTINGS, "b-tenant": SETTINGS}, others=others
        )
        self.serve()
        self.realms = {
            "project": Realm(self),
            "a": Realm(self, "a-tenant"),
            "b": Realm(self, "b-tenant"),
            "other": Realm(self, key=OTHER["apiKeys"][0], project="other"),
        }
        self.backends = {}

    def custom_token(self, realm):
        if realm.project not in self.backends:
            self.backends[realm.project] = Backend(make_key(self, realm.project))
        more = {"tenant_id": realm.tenant} if realm.tenant else {}
        return self.backends[realm.project].token(accounts.person(), **more)

    def state(self):
        """What no refused call may change."""
        return {
            table: self.value(f"SELECT md5(coalesce(string_agg(t::text, ',' ORDER BY t::text), '')) FROM {table} t")
            for table in STATE.split()
        }


@pytest.fixture(scope="module")
def site():
    site = RealmSite()
    yield site
    site.close()


CASES = [(name, make) for name, makes in sorted(TABLE.items()) for make in makes]


# Development mode makes no provider's people up in the other project, and lists none of its mails.
def is_of_development(make, realm):
    return realm != "other" or make.__name__ not in ("pending_token", "link_provider", "flow")


@pytest.mark.parametrize("giver, taker", PAIRS)
@pytest.mark.parametrize("name, make", CASES, ids=lambda value: value if isinstance(value, str) else value.__name__.strip("<>"))
def test_SEC_63_what_one_realm_gave_is_refused_in_another(site, name, make, giver, taker):
    if not is_of_development(make, giver):
        pytest.skip("the other project has no provider")
    giver, taker = site.realms[giver], site.realms[taker]
    body = make(giver)
    if taker.leads_to_realm_of(body, giver):
        return
    before = site.state()
    refused = taker.post(CLIENTS[name].path(), body)
    assert refused.status_code == 400, refused.text
    assert site.state() == before
    taken = giver.post(CLIENTS[name].path(), body)
    assert taken.status_code == 200, f"{taken.text}, after {refused.text}"


@pytest.mark.parametrize("giver, taker", PAIRS)
@pytest.mark.parametrize("name", WITHOUT_SUCCESS)
def test_SEC_63_an_ID_token_of_another_realm_is_refused_first(site, name, giver, taker):
    giver, taker = site.realms[giver], site.realms[taker]
    if (body := WITHOUT_SUCCESS[name](giver)) and taker.leads_to_realm_of(body, giver):
        return
    before = site.state()
    refused = taker.post(CLIENTS[name].path(), body)
    assert refused.status_code == 400 and refused.json()["error"]["message"].split(" ")[0] in (
        "TENANT_ID_MISMATCH",
        "INVALID_ID_TOKEN",
        "OPERATION_NOT_ALLOWED",
    ), refused.text
    assert site.state() == before


def test_every_call_of_apps_is_in_the_table():
    known = TABLE.keys() | WITHOUT_SUCCESS.keys() | OPEN
    assert CLIENTS.keys() == known, "say in support/realms.py what a new call takes of a realm"


@pytest.mark.parametrize("giver, taker", [("a", "b"), ("a", "project"), ("project", "a")])
def test_SEC_63_two_names_of_a_realm_must_agree(site, giver, taker):
    """The token says one realm, and the body or the query another one."""
    giver, taker = site.realms[giver], site.realms[taker]
    token = giver.member()["idToken"]
    for body, query in (
        ({"tenantId": taker.tenant}, ""),
        ({}, f"?tenantId={taker.tenant}"),
        ({"tenantId": "b-tenant"}, "?tenantId=a-tenant"),
    ):
        if not taker.tenant and "b-tenant" not in str(body):
            continue
        answer = API.post(giver, "/v1/accounts:lookup" + query, {"idToken": token, **body})
        assert answer.status_code == 400 and answer.json()["error"]["message"].startswith("TENANT_ID_MISMATCH"), answer.text
    # Without another name, the token leads to its realm.
    own = API.post(giver, "/v1/accounts:lookup", {"idToken": token})
    assert own.json()["users"][0].get("tenantId") == giver.tenant


def test_a_tenant_that_is_not_there(site):
    for body in ({"tenantId": "c-tenant"}, {"tenantId": "a-tenant/x"}, {"tenantId": "A-TENANT"}, {"tenantId": "../other"}):
        answer = API.post(site.realms["project"], "/v1/accounts:signUp", {**body, "returnSecureToken": True})
        assert answer.status_code == 400 and answer.json()["error"]["message"] == "TENANT_NOT_FOUND", answer.text
    for body in ({"tenantId": 7}, {"tenantId": ["a-tenant"]}, {"tenantId": "a-tenant", "tenant_id": "a-tenant"}):
        answer = API.post(site.realms["project"], "/v1/accounts:signUp", body)
        assert answer.status_code == 400 and answer.json()["error"]["message"].startswith("Invalid JSON"), answer.text
    other = API.post(site.realms["other"], "/v1/accounts:signUp", {"tenantId": "a-tenant", "returnSecureToken": True})
    assert other.json()["error"]["message"] == "UNSUPPORTED_TENANT_OPERATION"


# -- administrators


@pytest.fixture(scope="module")
def headers(site):
    return ServiceAccount.create(site, "realms").header()


OF_TENANTS = [
    call for call in calls() if call.access == "administrator" and "{tenant}" in call.template and call.template.startswith("/v1")
]


@pytest.mark.parametrize("giver, taker", [("a", "b"), ("project", "a")])
@pytest.mark.parametrize("call", OF_TENANTS, ids=str)
def test_SEC_63_an_administrators_call_reaches_the_people_of_its_realm_alone(site, headers, call, giver, taker):
    giver, taker = site.realms[giver], site.realms[taker]
    email, known = accounts.address(), f"Known here alone, {accounts.person()}"
    made = giver.succeed("signUp", {"email": email, "password": PASSWORD, "displayName": known, "returnSecureToken": True})
    before = site.state()
    named = {
        "localId": made["localId"],
        "localIds": [made["localId"]],
        "force": True,
        "idToken": made["idToken"],
        "email": email,
        "displayName": "Mallory",
        "requestType": "PASSWORD_RESET",
        "expression": [{"userId": made["localId"]}],
        "users": [{"localId": made["localId"], "displayName": "Mallory"}],
    }
    # An id, an address or a record is free in the other realm: these calls make another account there.
    makes = call.id.split(".")[1] in ("CreateAccountByAdministrator", "ImportAccounts")
    for name in [None] if call.method == "GET" else [name for name in named if name in call.fields]:
        body = {} if name is None else {name: named[name], "requestType": "PASSWORD_RESET", "displayName": "Mallory", "force": True}
        body = {field: value for field, value in body.items() if field in call.fields}
        if name == "localId" and "Lookup" in call.id:
            body = {"localId": [made["localId"]]}
        if name == "email" and "Lookup" in call.id:
            body = {"email": [email]}
        answer = requests.request(
            call.method,
            site.url + call.path(project="demo", tenant=taker.tenant),
            json=None if call.method == "GET" else body,
            headers=headers,
            timeout=TIMEOUT,
        )
        assert answer.status_code in (200, 400, 404), answer.text
        assert known not in answer.text, answer.text
        if not makes:
            assert site.state() == before, f"{name}: {answer.text}"
    assert giver.lookup(made["idToken"])["displayName"] == known


def test_there_are_calls_about_the_people_of_tenants():
    assert len(OF_TENANTS) >= 9


# -- pages


@pytest.mark.parametrize("giver, taker", [("a", "b"), ("a", "project"), ("project", "a")])
@pytest.mark.parametrize("kind, mode", [("PASSWORD_RESET", "resetPassword"), ("VERIFY_EMAIL", "verifyEmail")])
def test_SEC_63_the_page_behind_a_mail_takes_the_code_of_its_realm_alone(site, kind, mode, giver, taker):
    giver, taker = site.realms[giver], site.realms[taker]
    made = giver.member()
    wish = {"email": giver.lookup(made["idToken"])["email"]} if kind == "PASSWORD_RESET" else {"idToken": made["idToken"]}
    link = {"mode": mode, "oobCode": giver.mailed(kind, **wish), "apiKey": giver.key, "lang": "en"}
    wrong = {**link, "tenantId": taker.tenant} if taker.tenant else link
    page, before = f"{site.url}/__/auth/action", site.state()
    shown = requests.get(page, params=wrong, timeout=TIMEOUT)
    assert giver.lookup(made["idToken"])["email"] not in shown.text
    form = {**wrong, "newPassword": "battery staple", "do": "password"}
    refused = requests.post(page, data=form, headers={"sec-fetch-site": "same-origin"}, timeout=TIMEOUT)
    assert refused.status_code in (200, 400) and site.state() == before, refused.text
    own = {**link, "tenantId": giver.tenant} if giver.tenant else link
    form = {**own, "newPassword": "battery staple", "do": "password"}
    taken = requests.post(page, data=form, headers={"sec-fetch-site": "same-origin"}, timeout=TIMEOUT)
    assert taken.status_code == 200 and site.state() != before, taken.text

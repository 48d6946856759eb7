"""What changes here is copied to the Firebase project: `migration.firebase.mirror`."""

import time

import pytest
from werkzeug.wrappers import Response

from support.harness import free_port, wait_until
from support.leaks import note
from support.migration.mirrored import FIRST, Mirrored
from support.migration.moving_site import MovingSite
from support.names import METHODS, OTHER

SECOND = note("a second password")


@pytest.fixture(scope="module")
def site_with_mirror(firebase_of_module):
    site = MovingSite(firebase_of_module, {"mirror": True})
    # Two processes, of which one copies at a time.
    site.serve()
    site.serve(free_port())
    yield site
    site.close()


@pytest.fixture
def mirrored(site_with_mirror, firebase):
    return Mirrored(site_with_mirror)


def said(mirrored, words, uid):
    """Waits for a line about the account in a server's log, which follows the commit of what it tells."""
    wait_until(
        lambda: any(words in line and uid in line for server in mirrored.site.servers for line in server.log().splitlines()),
        what=f"the line {words!r}",
    )


def test_M8_who_signed_up_and_changed_the_password_here_signs_in_there(mirrored):
    user = mirrored.sign_up("ada")
    mirrored.api.succeed("update", {"idToken": user["idToken"], "displayName": "Ada", "password": SECOND})
    mirrored.site.administrator.succeed("update", {"localId": user["localId"], "customAttributes": '{"role":"admin"}'})
    mirrored.copy()
    firebase = mirrored.site.firebase
    there = firebase.accounts.by_password("ada@example.com", SECOND)
    assert there["localId"] == user["localId"]
    assert (there["displayName"], there["customAttributes"]) == ("Ada", '{"role":"admin"}')
    with pytest.raises(Exception, match="INVALID_LOGIN_CREDENTIALS"):
        firebase.accounts.by_password("ada@example.com", FIRST)


def test_each_change_reaches_the_account_there(mirrored):
    uid = mirrored.sign_up("bea")["localId"]
    mirrored.copy()
    administrator = mirrored.site.administrator
    administrator.succeed("update", {"localId": uid, "email": "b@example.com", "emailVerified": True, "phoneNumber": "+15555550177"})
    mirrored.copy()
    there = mirrored.people[uid]
    assert (there["email"], there["emailVerified"], there["phoneNumber"]) == ("b@example.com", True, "+15555550177")
    # The password is the one that was copied before.
    assert mirrored.site.firebase.accounts.by_password("b@example.com", FIRST)["localId"] == uid
    administrator.succeed("update", {"localId": uid, "disableUser": True})
    mirrored.copy()
    assert mirrored.people[uid]["disabled"] is True
    administrator.succeed("update", {"localId": uid, "disableUser": False, "validSince": str(int(time.time()) + 1)})
    mirrored.copy()
    assert mirrored.people[uid]["disabled"] is False and int(mirrored.people[uid]["validSince"]) >= int(time.time()) - 60
    deleted = mirrored.count("deleted")
    administrator.succeed("delete", {"localId": uid})
    mirrored.copy()
    assert uid not in mirrored.people and mirrored.counts("deleted", deleted + 1)


def test_an_account_with_a_one_time_password_there_keeps_it(mirrored):
    factor = {"mfaEnrollmentId": "t", "enrolledAt": "2023-01-01T00:00:00Z", "totpInfo": {}}
    mirrored.bring("cyd", mfaInfo=[factor])
    administrator = mirrored.site.administrator
    administrator.succeed("update", {"localId": "cyd", "password": SECOND, "displayName": "Cyd"})
    before = mirrored.count("partly")
    mirrored.copy()
    there = mirrored.people["cyd"]
    assert there["mfaInfo"] == [factor] and there["displayName"] == "Cyd" and there["password"] == FIRST
    assert mirrored.counts("partly", before + 1)


def test_what_google_does_not_take_now_is_copied_later(mirrored):
    firebase = mirrored.site.firebase
    firebase.trouble["batchCreate"] = Response("busy", 503)
    uid = mirrored.sign_up("dot")["localId"]
    held = mirrored.count("heldUp")
    mirrored.age("1 minute")
    wait_until(lambda: mirrored.count("heldUp") > held, what="an attempt")
    assert uid not in mirrored.people
    firebase.trouble.clear()
    mirrored.copy()
    assert firebase.accounts.by_password("dot@example.com", FIRST)["localId"] == uid


def test_an_account_that_google_refuses_holds_up_no_other(mirrored):
    mirrored.site.firebase.accounts.add("other", email="eve@example.com", password=SECOND)
    refused, taken = mirrored.sign_up("eve")["localId"], mirrored.sign_up("fay")["localId"]
    before = mirrored.count("refused")
    mirrored.copy()
    assert refused not in mirrored.people and taken in mirrored.people
    assert mirrored.counts("refused", before + 1)
    said(mirrored, "Firebase refuses the copy", refused)


def test_a_refused_address_does_not_keep_a_person_in(mirrored):
    uid = mirrored.sign_up("jon")["localId"]
    mirrored.copy()
    mirrored.site.firebase.accounts.add("other", email="taken@example.com", password=SECOND)
    mirrored.site.administrator.succeed("update", {"localId": uid, "email": "taken@example.com", "disableUser": True})
    mirrored.copy()
    assert mirrored.people[uid]["email"] == "jon@example.com" and mirrored.people[uid]["disabled"] is True


def test_what_was_changed_there_alone_stays(mirrored):
    mirrored.bring("kim")
    there = mirrored.people["kim"]
    there |= {"disabled": True, "customAttributes": '{"role":"there"}', "photoUrl": "https://example.com/there.png"}
    mirrored.site.administrator.succeed("update", {"localId": "kim", "phoneNumber": "+15555550188"})
    mirrored.copy()
    mirrored.site.administrator.succeed("update", {"localId": "kim", "password": SECOND})
    mirrored.copy()
    now = mirrored.people["kim"]
    assert now["phoneNumber"] == "+15555550188" and mirrored.site.firebase.accounts.has_password(now, SECOND)
    for name in ("disabled", "customAttributes", "photoUrl"):
        assert now[name] == there[name], name


def test_an_account_that_another_one_has_the_id_of_there_is_left_alone(mirrored):
    there = mirrored.site.firebase.accounts.add("pia", email="pia@example.com", password=FIRST, disabled=True)
    before = {**there}
    mirrored.site.administrator.succeed("", {"localId": "pia"})
    refused = mirrored.count("refused")
    mirrored.copy()
    now = {**mirrored.people["pia"]}
    assert now.pop("validSince") >= before.pop("validSince")
    assert now == before and mirrored.counts("refused", refused + 1)


def test_who_was_deleted_there_is_not_made_again(mirrored):
    site = mirrored.site
    mirrored.bring("lea")
    del mirrored.people["lea"]
    site.administrator.succeed("update", {"localId": "lea", "displayName": "Lea"})
    gone = mirrored.count("gone")
    mirrored.copy()
    assert "lea" not in mirrored.people and mirrored.counts("gone", gone + 1)


@pytest.mark.parametrize(
    "answer", [Response("busy", 500), Response('{"error":{"message":"QUOTA_EXCEEDED : Exceeded quota"}}', 400)], ids=["500", "quota"]
)
def test_one_account_without_an_answer_holds_up_others_for_some_time_alone(mirrored, answer):
    stuck, other = mirrored.sign_up("mia" + answer.status[:3])["localId"], mirrored.sign_up("ned" + answer.status[:3])["localId"]
    mirrored.copy()
    for uid in (stuck, other):
        mirrored.site.administrator.succeed("update", {"localId": uid, "displayName": "Another"})
    mirrored.site.firebase.trouble["update"] = lambda request: answer if request.get_json()["localId"] == stuck else None
    held = mirrored.count("heldUp")
    mirrored.age("1 minute")
    wait_until(lambda: mirrored.count("heldUp") > held, what="an attempt")
    # After some attempts, it is passed over.
    mirrored.site.rows("UPDATE mirrors SET failures = 99")
    mirrored.copy()
    assert mirrored.people[other]["displayName"] == "Another" and mirrored.people[stuck].get("displayName") is None


def test_what_was_deleted_while_the_setting_was_off_stays_there(mirrored):
    uid = mirrored.sign_up("ole")["localId"]
    mirrored.copy()
    mirrored.site.administrator.succeed("delete", {"localId": uid})
    mirrored.site.rows("UPDATE audit_events SET occurred_at = occurred_at - interval '2 days'")
    mirrored.site.rows("UPDATE mirrors SET leased_until = now(), running_since = now() - interval '1 day'")
    wait_until(mirrored.is_copied, what="the copy")
    assert uid in mirrored.people
    said(mirrored, "stay there", uid)


def test_an_import_of_what_was_copied_changes_nothing_here(mirrored):
    user = mirrored.sign_up("ida")
    mirrored.copy()
    site = mirrored.site
    before = site.value("SELECT a::text FROM accounts a WHERE account_id = %s", user["localId"])
    mirrored.take()
    assert site.value("SELECT count(*) FROM imported_accounts WHERE account_id = %s", user["localId"]) == 0
    assert site.value("SELECT a::text FROM accounts a WHERE account_id = %s", user["localId"]) == before
    mirrored.copy()
    assert site.firebase.accounts.by_password("ida@example.com", FIRST)["localId"] == user["localId"]


def test_one_process_copies_a_change(mirrored):
    created = mirrored.site.firebase.count("batchCreate")
    mirrored.sign_up("gil")
    mirrored.copy()
    assert mirrored.site.firebase.count("batchCreate") == created + 1


def test_without_the_setting_nothing_is_copied(firebase_of_module, firebase):
    with_sessions_alone = MovingSite(firebase_of_module)
    try:
        with_sessions_alone.serve()
        with_sessions_alone.servers[0].api().succeed("signUp", {"email": "hal@example.com", "password": FIRST})
        assert with_sessions_alone.value("SELECT count(*) FROM mirrors") == 0
        assert firebase.count("batchCreate") == 0
    finally:
        with_sessions_alone.close()


def test_one_project_alone_copies_to_a_firebase_project(firebase_of_module, firebase):
    others = {"other": {**OTHER, "signIn": METHODS, "migration": {"firebase": firebase_of_module.section(mirror=True)}}}
    site = MovingSite(firebase_of_module, {"mirror": True}, others=others)
    try:
        told = site.run("check")
        assert told.returncode == 1 and "migration.firebase.mirror: of acme-prod is used already, by" in told.stdout
    finally:
        site.close()

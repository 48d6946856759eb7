"""What a server deletes or cuts by itself, as its files say."""

from support.accounts import anonymous, sign_up
from support.harness import wait_until
from support.names import METHODS
from support.servers.site import a_site

LONG_AGO = (
    "UPDATE accounts SET created_at = created_at - interval '3 days', last_login_at = last_login_at - interval '3 days'",
    "UPDATE sessions SET created_at = created_at - interval '3 days', refreshed_at = refreshed_at - interval '3 days', address = '203.0.113.77'",
    "UPDATE audit_events SET occurred_at = occurred_at - interval '3 days', address = '2001:db8:1:2::3'",
    "UPDATE sign_in_log SET occurred_at = occurred_at - interval '3 days'",
)


def test_old_addresses_are_cut_and_what_is_unused_or_old_goes():
    project = {"signIn": METHODS, "anonymous": {"deleteAfter": "2d"}}
    with a_site(project=project, settings={"retention": {"addresses": "1d", "signIns": "2d"}}) as site:
        server = site.serve()
        person, guest = sign_up(server.api()), anonymous(server.api()).json()
        assert server.stop() == 0
        for statement in LONG_AGO:
            site.rows(statement)
        site.serve()
        left = "SELECT count(*) FROM accounts WHERE account_id = %s"
        wait_until(lambda: site.value(left, guest["localId"]) == 0, what="the end of the guest")
        assert site.value(left, person["localId"]) == 1
        cut = "SELECT count(*) FROM {} WHERE account_id = %s AND address = %s"
        wait_until(lambda: site.value(cut.format("sessions"), person["localId"], "203.0.113.0/24") == 1, what="the cut of sessions")
        wait_until(lambda: site.value(cut.format("audit_events"), person["localId"], "2001:db8:1::/48") == 1, what="the cut of events")
        wait_until(lambda: site.value("SELECT count(*) FROM sign_in_log") == 0, what="the end of old lines")

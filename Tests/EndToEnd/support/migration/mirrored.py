"""Changes of accounts that a site copies to the double of Firebase."""

from support.harness import wait_until
from support.leaks import note

FIRST = note("a first password")
MIRRORED = 'gatehouse_migration_mirrored_total{project="demo",outcome="%s"}'


class Mirrored:
    """The site, whose changes are old enough to be copied as soon as a test wants it."""

    def __init__(self, site):
        self.site = site
        self.people = site.firebase.accounts.people
        self.api = site.servers[0].api()
        self.copy()

    def copy(self):
        """Waits until all changes are copied."""
        self.site.rows(
            "UPDATE audit_events SET occurred_at = occurred_at - interval '1 minute' WHERE occurred_at > now() - interval '1 minute'"
        )
        # After a failure, a round waits until another process might have taken over.
        self.site.rows("UPDATE mirrors SET leased_until = now()")
        wait_until(self.is_copied, 12, what="the copy")

    def is_copied(self):
        return self.site.value(
            "SELECT max(event_id) IS NOT DISTINCT FROM (SELECT max(event_id) FROM mirrors) FROM audit_events WHERE project_id = 'demo'"
        )

    def sign_up(self, name):
        return self.api.succeed("signUp", {"email": f"{name}@example.com", "password": FIRST})

    def count(self, outcome):
        return sum(server.metric(MIRRORED % outcome) for server in self.site.servers)

    def counts(self, outcome, number):
        """Waits until the metrics, which may be a second old, have the number."""
        return wait_until(lambda: self.count(outcome) == number, what=f"{number} {outcome}")

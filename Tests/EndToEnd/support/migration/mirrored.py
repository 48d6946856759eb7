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

    def copy(self, late=False):
        """Waits until all changes are copied `late`: also a second time, as far as they are."""
        self.age("10 minutes" if late else "1 minute")
        wait_until(lambda: self.is_copied(late), what="the copy")

    def age(self, time):
        """Makes the changes old, and the copying older. Nor does a round wait until another process might have taken over."""
        self.site.rows(f"UPDATE audit_events SET occurred_at = occurred_at - interval '{time}'")
        self.site.rows("UPDATE mirrors SET leased_until = now(), running_since = running_since - interval '1 hour'")

    def is_copied(self, late=False):
        return self.site.value(
            f"""SELECT coalesce(max(event_id), 0) = (SELECT {"min" if late else "max"}(event_id) FROM mirrors)
            FROM audit_events WHERE project_id = 'demo'"""
        )

    def sign_up(self, name):
        return self.api.succeed("signUp", {"email": f"{name}@example.com", "password": FIRST})

    def bring(self, uid, **record):
        """An account of Firebase's that an import brings here."""
        self.site.firebase.accounts.add(uid, email=f"{uid}@example.com", password=FIRST, **record)
        self.take()

    def take(self):
        """Imports what Firebase has."""
        key = self.site.folder / "projects/google.json"
        source = ("--from", self.site.firebase.project_id, "--service-account", key)
        self.site.run("import", "firebase", "demo", *source, "--yes", check=True)

    def count(self, outcome):
        return sum(server.metric(MIRRORED % outcome) for server in self.site.servers)

    def counts(self, outcome, number):
        """Waits until the metrics, which may be a second old, have the number."""
        return wait_until(lambda: self.count(outcome) == number, what=f"{number} {outcome}")

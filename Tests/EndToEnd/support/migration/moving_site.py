"""A site whose people come from a Firebase project, for whose processes Google's names lead to the double."""

from support.clients.administrator import Administrator
from support.leaks import note
from support.names import METHODS
from support.servers.site import Site, write_secret


class MovingSite(Site):
    """`firebase`: the project that the people leave. `entry`: changes of the section `migration.firebase`."""

    def __init__(self, firebase, entry=None, project=None, **options):
        self.firebase = firebase
        self.through = firebase.names.through
        self.variables = {"GOOGLE_SERVER_KEY": firebase.api_key}
        migration = {"firebase": firebase.section(**(entry or {}))}
        super().__init__(project={"signIn": METHODS, "migration": migration, **(project or {})}, **options)

    def write(self):
        (self.folder / "projects").mkdir(exist_ok=True)
        write_secret(self.folder / "projects/google.json", self.firebase.key_file())
        super().write()

    def move(self, uid, administrator=None, **record):
        """An account that both sides have, under the same id; `record` is Google's of it."""
        stored = self.firebase.accounts.add(uid, **record)
        fields = ("email", "emailVerified", "password", "displayName")
        body = {"localId": uid, **{name: note(value) if name == "password" else value for name, value in record.items() if name in fields}}
        (administrator or self.administrator).succeed("", body)
        # As an import leaves it: Firebase's times, not those of the import.
        self.rows(
            "UPDATE accounts SET valid_since = to_timestamp(%s), created_at = to_timestamp(%s) WHERE account_id = %s",
            int(stored["validSince"]),
            int(stored["validSince"]),
            uid,
        )
        return stored

    @property
    def administrator(self):
        """A back end of this project."""
        if not hasattr(self, "_administrator"):
            self._administrator = Administrator(self)
        return self._administrator

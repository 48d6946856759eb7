"""A site whose people have their data at the double of Firebase."""

from werkzeug.test import Client
from werkzeug.wrappers import Request

from support.migration.moving_site import MovingSite
from support.servers.site import write_secret


class DataSite(MovingSite):
    """`claims`: those that `firestore` of the project's file allows."""

    def __init__(self, firebase, claims=(), project=None, **options):
        section = {
            "projectId": firebase.project_id,
            "serviceAccount": {"file": "signer.json"},
            "administrator": {"file": "administrator.json"},
            "claims": list(claims),
        }
        super().__init__(firebase, project={"firestore": section, **(project or {})}, **options)

    def write(self):
        (self.folder / "projects").mkdir(exist_ok=True)
        write_secret(self.folder / "projects/signer.json", self.firebase.signer.file())
        write_secret(self.folder / "projects/administrator.json", self.firebase.administrator.file())
        super().write()


def trade(firebase, custom_token):
    """What an SDK that is set up for the Firebase project does with the token; gives the answer."""
    return Client(Request.application(firebase.respond)).post(
        "/v1/accounts:signInWithCustomToken",
        base_url="https://identitytoolkit.googleapis.com",
        query_string={"key": firebase.api_key},
        json={"token": custom_token, "returnSecureToken": True},
    )

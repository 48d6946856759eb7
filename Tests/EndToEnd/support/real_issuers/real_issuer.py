"""What each of the foreign issuers has, and what an app does there without us."""

from urllib.parse import urlencode

import requests

from support.accounts import address
from support.clients.flows import pkce, query_of
from support.leaks import note_fields
from support.names import CLIENT_SECRET, TIMEOUT


class RealIssuer:
    """A subclass has `url`, and says how a person signs in there (`login`) and says no (`deny`)."""

    client_id = "gatehouse"
    # An app's own page, to which the issuer sends people without us.
    PAGE = "https://app.example.com/own"

    def entry(self, **more):
        return {"name": "Real issuer", "issuer": self.url, "clientId": self.client_id, "clientSecret": {"env": "CLIENT_SECRET"}, **more}

    def register(self, redirect_uri):
        """Lets the issuer send people to this address besides `PAGE`; nothing where an issuer sends them anywhere."""

    def person(self):
        """A new person, who is known by an address."""
        return address()

    def metadata(self):
        return requests.get(self.url + "/.well-known/openid-configuration", timeout=TIMEOUT).json()

    def tokens(self, person, nonce=None):
        """The issuer's answer to an app that signs the person in by itself."""
        verifier, challenge = pkce()
        query = {
            "response_type": "code",
            "client_id": self.client_id,
            "redirect_uri": self.PAGE,
            "scope": "openid email profile",
            "state": "a-state-of-the-app",
            "code_challenge": challenge,
            "code_challenge_method": "S256",
            **({"nonce": nonce} if nonce else {}),
        }
        metadata = self.metadata()
        code = query_of(self.login(person)(f"{metadata['authorization_endpoint']}?{urlencode(query)}"))["code"]
        form = {"grant_type": "authorization_code", "code": code, "redirect_uri": self.PAGE, "code_verifier": verifier}
        client = (self.client_id, CLIENT_SECRET)
        answer = requests.post(metadata["token_endpoint"], data=form, auth=client, timeout=TIMEOUT)
        assert answer.status_code == 200, answer.text
        note_fields(answer.json())
        return answer.json()

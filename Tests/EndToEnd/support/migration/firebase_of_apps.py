"""The Firebase project as its apps reach it, too: by the apps' own API key, and from browsers."""

import jwt
from werkzeug.wrappers import Response

from support.migration.firebase import Firebase
from support.migration.people import Refused
from support.names import API_KEY


class FirebaseOfApps(Firebase):
    ROUTES = {**Firebase.ROUTES, ("identitytoolkit", "/v1/accounts:lookup"): "own_account"}

    def respond(self, request):
        answer = Response(status=204) if request.method == "OPTIONS" else super().respond(request)
        answer.headers["access-control-allow-origin"] = "*"
        answer.headers["access-control-allow-headers"] = request.headers.get("access-control-request-headers", "*")
        return answer

    def check_key(self, request):
        if request.args.get("key") != API_KEY:
            super().check_key(request)

    def answer_own_account(self, request, tenant):
        """What a person's own app asks with the ID token."""
        self.check_key(request)
        try:
            claims = jwt.decode(request.get_json(force=True)["idToken"], self.key.public_pem(), ["RS256"], audience=self.project_id)
        except jwt.InvalidTokenError:
            raise Refused("INVALID_ID_TOKEN") from None
        return self.accounts.lookup({"localId": [claims["sub"]]}, tenant)

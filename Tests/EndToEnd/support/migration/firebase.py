"""A Firebase project at Google, as far as one who leaves it sees it: key sets, refresh of tokens, sign-in, and the calls of administrators.

It answers at Google's own names (`FixedNames`). It is made of Google's documents of the API: https://cloud.google.com/identity-platform/docs/reference/rest
"""

import base64
import json
import secrets
import threading
import time

import jwt
from werkzeug.wrappers import Request, Response

from support.jwts import Key
from support.leaks import note
from support.migration.certificates import certificate_of
from support.migration.fixed_names import FixedNames
from support.migration.hashes import SIGNER_KEY
from support.migration.people import Accounts, Refused
from support.migration.service_accounts import ServiceAccount, read_custom_token
from support.web_server import WebServer

TOKENS = "https://oauth2.googleapis.com/token"


class Firebase:
    """The project. `trouble[call]` takes the place of an answer: a `Response`, or a function of the request that may return `None`.

    Calls have the names that the methods here have: `keys`, `refresh`, `password`, `lookup`, ….
    """

    project_id = "acme-prod"
    number = 100_200_300_400
    lifetime = 3600

    def __init__(self):
        self.names = FixedNames()
        self.key = Key("google-1")
        self.service_key = Key("service-key-1")
        self.client_email = f"migration@{self.project_id}.iam.gserviceaccount.com"
        # Those of `firestore` of a project's file.
        self.signer = ServiceAccount("signer", self.project_id)
        self.administrator = ServiceAccount("administrator", self.project_id)
        self.api_key = note("AIza" + secrets.token_urlsafe(26))
        self.lock = threading.Lock()
        # Servers keep theirs for an hour.
        self.access_tokens = set()
        self.reset()
        self.web = WebServer(Request.application(self.respond), 443, self.names.certificate, self.names.address)

    def reset(self):
        self.accounts = Accounts()
        self.trouble = {}
        self.calls = []
        self.sessions = {}
        self.pending = {}
        self.published = [self.key]
        self.revoked_keys = set()

    def close(self):
        self.web.close()

    def count(self, call):
        with self.lock:
            return self.calls.count(call)

    # -- what an operator downloads, and writes into the project's file

    def key_file(self):
        return json.dumps(
            {
                "type": "service_account",
                "project_id": self.project_id,
                "private_key_id": self.service_key.kid,
                "private_key": note(self.service_key.private_pem().decode()),
                "client_email": self.client_email,
                # A server that believed these would hand its credentials to whoever wrote the file.
                "auth_uri": "https://wrong.example/auth",
                "token_uri": "https://wrong.example/token",
            }
        )

    def section(self, **more):
        """`migration.firebase` of a project's file, with `google.json` beside it and the key in the environment."""
        return {
            "projectId": self.project_id,
            "projectNumber": self.number,
            "serviceAccount": {"file": "google.json"},
            "apiKey": {"env": "GOOGLE_SERVER_KEY"},
            "until": "2099-01-01",
            **more,
        }

    # -- what people do at Google before they come here

    def sign_in(self, uid, provider="password", ago=0, claims=None, second_factor=None, tenant=None):
        """Signs a person in: the tokens that the SDK keeps."""
        refresh_token = note("AMf-vB" + secrets.token_urlsafe(180))
        session = {
            "uid": uid,
            "auth_time": int(time.time()) - ago,
            "provider": provider,
            "claims": claims or {},
            "second_factor": second_factor,
            "tenant": tenant,
        }
        with self.lock:
            self.sessions[refresh_token] = session
        return {"idToken": self.id_token(session), "refreshToken": refresh_token, "localId": uid, "expiresIn": str(self.lifetime)}

    def sessions_of(self, uid):
        return [session for session in self.sessions.values() if session["uid"] == uid]

    def claims(self, session, **changes):
        account = self.accounts.people[session["uid"]]
        now = int(time.time())
        firebase = {"identities": {}, "sign_in_provider": session["provider"]}
        if session["second_factor"]:
            firebase |= {"sign_in_second_factor": session["second_factor"], "second_factor_identifier": "factor-1"}
        if session["tenant"]:
            firebase["tenant"] = session["tenant"]
        claims = {
            **json.loads(account.get("customAttributes") or "{}"),
            **session["claims"],
            "iss": f"https://securetoken.google.com/{self.project_id}",
            "aud": self.project_id,
            "auth_time": session["auth_time"],
            "user_id": session["uid"],
            "sub": session["uid"],
            "iat": now,
            "exp": now + self.lifetime,
            "firebase": firebase,
        }
        if account.get("email"):
            claims |= {"email": account["email"], "email_verified": account.get("emailVerified", False)}
        return {name: value for name, value in (claims | changes).items() if value is not None}

    def id_token(self, session, key=None, **changes):
        return note((key or self.key).sign(self.claims(session, **changes)))

    # -- the server

    ROUTES = {
        ("www", "/service_accounts/v1/jwk/securetoken@system.gserviceaccount.com"): "keys",
        ("www", "/robot/v1/metadata/x509/securetoken@system.gserviceaccount.com"): "certificates",
        ("securetoken", "/v1/token"): "refresh",
        ("oauth2", "/token"): "access_token",
        ("identitytoolkit", "/v1/accounts:signInWithPassword"): "password",
        ("identitytoolkit", "/v2/accounts/mfaSignIn:finalize"): "second_factor",
        ("identitytoolkit", "/v1/accounts:signInWithCustomToken"): "custom_token",
    }

    def call(self, request):
        host = request.host.partition(".")[0]
        found = self.ROUTES.get((host, request.path))
        if found or host != "identitytoolkit":
            return found, None
        parts = request.path.removeprefix("/").split("/")
        if parts[:3] not in (["v1", "projects", self.project_id], ["v2", "projects", self.project_id]):
            return None, None
        tenant = parts[4] if len(parts) > 4 and parts[3] == "tenants" else None
        rest = parts[5:] if tenant else parts[3:]
        if not rest and tenant:
            return "tenant", tenant
        if rest and rest[0].startswith("accounts:"):
            return rest[0].removeprefix("accounts:"), tenant
        return (rest[0] if rest else None), tenant

    def respond(self, request):
        call, tenant = self.call(request)
        with self.lock:
            self.calls.append(call)
        handler = getattr(self, f"answer_{call}", None) if call else None
        if handler is None:
            return error("NOT_FOUND", 404)
        answer = self.trouble.get(call)
        if answer is not None:
            answer = answer(request) if callable(answer) and not isinstance(answer, Response) else answer
        if answer is None:
            try:
                answer = handler(request, tenant)
            except Refused as refused:
                return error(*refused.args)
        return answer if isinstance(answer, Response) else Response(json.dumps(answer), content_type="application/json")

    def answer_keys(self, request, tenant):
        response = Response(json.dumps({"keys": [{**key.jwk, "alg": "RS256"} for key in self.published]}), content_type="application/json")
        response.headers["cache-control"] = "public, max-age=19845, must-revalidate, no-transform"
        return response

    def answer_certificates(self, request, tenant):
        return {key.kid: certificate_of(key) for key in self.published}

    def answer_refresh(self, request, tenant):
        self.check_key(request)
        if request.form.get("grant_type") != "refresh_token":
            raise Refused("INVALID_GRANT_TYPE")
        token = request.form.get("refresh_token", "")
        session = self.sessions.get(token)
        if session is None:
            raise Refused("INVALID_REFRESH_TOKEN")
        self.accounts.check(session)
        id_token = self.id_token(session)
        return {
            "access_token": id_token,
            "expires_in": str(self.lifetime),
            "token_type": "Bearer",
            "refresh_token": token,
            "id_token": id_token,
            "user_id": session["uid"],
            "project_id": str(self.number),
        }

    def answer_password(self, request, tenant):
        self.check_key(request)
        body = request.get_json(force=True)
        account = self.accounts.by_password(body.get("email", ""), body.get("password", ""))
        if account.get("mfaInfo"):
            pending = note("pending-" + secrets.token_urlsafe(40))
            with self.lock:
                self.pending[pending] = account["localId"]
            return {"localId": account["localId"], "mfaPendingCredential": pending, "mfaInfo": account["mfaInfo"]}
        return {"kind": "identitytoolkit#VerifyPasswordResponse", **self.sign_in(account["localId"]), "registered": True}

    def answer_second_factor(self, request, tenant):
        """The code of an authenticator app: `authenticator` of a record has its pyotp, which no call shows."""
        self.check_key(request)
        body = request.get_json(force=True)
        uid = self.pending.get(body.get("mfaPendingCredential"))
        if uid is None:
            raise Refused("INVALID_MFA_PENDING_CREDENTIAL")
        account = self.accounts.people[uid]
        if body.get("mfaEnrollmentId") not in {factor["mfaEnrollmentId"] for factor in account["mfaInfo"]}:
            raise Refused("MFA_ENROLLMENT_NOT_FOUND")
        if not account["authenticator"].verify(body["totpVerificationInfo"]["verificationCode"]):
            raise Refused("INVALID_CODE")
        with self.lock:
            del self.pending[body["mfaPendingCredential"]]
        return {name: self.sign_in(uid)[name] for name in ("idToken", "refreshToken")}

    def answer_custom_token(self, request, tenant):
        self.check_key(request)
        token = read_custom_token(request.get_json(force=True).get("token", ""), self.signer)
        is_new = token["uid"] not in self.accounts.people
        account = self.accounts.add(token["uid"], customAuth=True) if is_new else self.accounts.people[token["uid"]]
        if account.get("disabled"):
            raise Refused("USER_DISABLED")
        signed_in = self.sign_in(token["uid"], "custom", claims=token.get("claims"))
        return {"kind": "identitytoolkit#VerifyCustomTokenResponse", **signed_in, "isNewUser": is_new}

    def answer_access_token(self, request, tenant):
        keys = {account.email: account.key for account in (self.signer, self.administrator)} | {self.client_email: self.service_key}
        try:
            assertion = request.form.get("assertion", "")
            issuer = jwt.decode(assertion, options={"verify_signature": False})["iss"]
            claims = jwt.decode(assertion, keys[issuer].public_pem(), ["RS256"], audience=TOKENS, issuer=issuer)
            if keys[issuer].kid in self.revoked_keys:
                raise jwt.InvalidTokenError
        except (jwt.InvalidTokenError, KeyError):
            return Response(json.dumps({"error": "invalid_grant"}), 400, content_type="application/json")
        assert "https://www.googleapis.com/auth/cloud-platform" in claims["scope"].split()
        token = note("ya29." + secrets.token_urlsafe(40))
        with self.lock:
            self.access_tokens.add(token)
        return {"access_token": token, "expires_in": 3599, "token_type": "Bearer"}

    def answer_lookup(self, request, tenant):
        self.check_bearer(request)
        return self.accounts.lookup(request.get_json(force=True), tenant)

    def answer_batchGet(self, request, tenant):
        self.check_bearer(request)
        return self.accounts.page(int(request.args.get("maxResults", 20)), request.args.get("nextPageToken", ""), tenant)

    def answer_query(self, request, tenant):
        self.check_bearer(request)
        return {"recordsCount": str(len(self.accounts.of(tenant)))}

    def answer_batchCreate(self, request, tenant):
        self.check_bearer(request)
        return self.accounts.store(request.get_json(force=True), tenant)

    def answer_update(self, request, tenant):
        self.check_bearer(request)
        return self.accounts.update(request.get_json(force=True))

    def answer_delete(self, request, tenant):
        self.check_bearer(request)
        return self.accounts.delete(request.get_json(force=True))

    def answer_batchDelete(self, request, tenant):
        self.check_bearer(request)
        return self.accounts.delete_all(request.get_json(force=True))

    hash_config = {"algorithm": "SCRYPT", "rounds": 8, "memoryCost": 14, "saltSeparator": "Bw=="}

    def hash_parameters(self):
        return {**self.hash_config, "signerKey": base64.b64encode(SIGNER_KEY).decode()}

    def answer_config(self, request, tenant):
        self.check_bearer(request)
        return {
            "name": f"projects/{self.number}/config",
            "signIn": {"hashConfig": self.hash_parameters()},
        }

    def answer_tenants(self, request, tenant):
        self.check_bearer(request)
        return {"tenants": [{"name": f"projects/{self.project_id}/tenants/{name}"} for name in sorted(self.accounts.tenants)]}

    def answer_tenant(self, request, tenant):
        self.check_bearer(request)
        key = base64.b64encode(self.accounts.tenants[tenant]).decode()
        return {"name": f"projects/{self.project_id}/tenants/{tenant}", "hashConfig": {**self.hash_config, "signerKey": key}}

    def answer_oauthIdpConfigs(self, request, tenant):
        self.check_bearer(request)
        return {}

    answer_inboundSamlConfigs = answer_defaultSupportedIdpConfigs = answer_oauthIdpConfigs

    def check_key(self, request):
        if request.args.get("key") != self.api_key:
            raise Refused("API key not valid. Please pass a valid API key.")

    def check_bearer(self, request):
        if request.headers.get("authorization", "").removeprefix("Bearer ") not in self.access_tokens:
            raise Refused("Request had invalid authentication credentials.", 401)


def error(message, status=400):
    body = {"error": {"code": status, "message": message, "errors": [{"message": message, "domain": "global", "reason": "invalid"}]}}
    return Response(json.dumps(body), status, content_type="application/json")

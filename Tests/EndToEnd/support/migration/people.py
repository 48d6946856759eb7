"""The accounts of a Firebase project, as its calls show and change them."""

import base64
import hashlib
import time


class Refused(Exception):
    """A refusal: the message of the error and, where it is not 400, its status."""


class Accounts:
    """Records by uid, in Google's own form. `password` is known here alone, and never shown."""

    def __init__(self):
        self.people = {}
        # The signer key of each tenant.
        self.tenants = {}

    def add(self, uid, **record):
        now = str(int(time.time()) * 1000)
        self.people[uid] = {"localId": uid, "createdAt": now, "validSince": str(int(now) // 1000 - 86_400), **record}
        return self.people[uid]

    def of(self, tenant):
        return [record for record in self.people.values() if record.get("tenantId") == tenant]

    def shown(self, record):
        return {name: value for name, value in record.items() if name not in ("password", "imported", "authenticator")}

    def check(self, session):
        """Refuses a session that is over."""
        record = self.people.get(session["uid"])
        if record is None:
            raise Refused("USER_NOT_FOUND")
        if record.get("disabled"):
            raise Refused("USER_DISABLED")
        if session["auth_time"] < int(record["validSince"]):
            raise Refused("TOKEN_EXPIRED")

    def by_password(self, email, password):
        record = next((record for record in self.people.values() if record.get("email") == email.lower()), None)
        if record is None or not self.has_password(record, password):
            raise Refused("INVALID_LOGIN_CREDENTIALS")
        if record.get("disabled"):
            raise Refused("USER_DISABLED")
        return record

    def has_password(self, record, password):
        """Checks a hash that `store` brought by its own parameters, and otherwise the password itself."""
        if "imported" not in record:
            return record.get("password") == password
        how, digest, salt = record["imported"]
        assert how["hashAlgorithm"] == "STANDARD_SCRYPT"
        n, r, p = how["cpuMemCost"], how["blockSize"], how["parallelization"]
        salt, digest = (base64.urlsafe_b64decode(text + "=" * (-len(text) % 4)) for text in (salt, digest))
        return hashlib.scrypt(password.encode(), salt=salt, n=n, r=r, p=p, dklen=how["dkLen"], maxmem=1 << 27) == digest

    def lookup(self, body, tenant):
        wanted = body.get("localId", [])
        emails = [email.lower() for email in body.get("email", [])]
        identities = [(entry["providerId"], entry["rawId"]) for entry in body.get("federatedUserId", [])]
        found = [
            record
            for record in self.of(tenant)
            if record["localId"] in wanted
            or record.get("email") in emails
            or any((entry["providerId"], entry.get("rawId")) in identities for entry in record.get("providerUserInfo", []))
        ]
        answer = {"kind": "identitytoolkit#GetAccountInfoResponse"}
        return {**answer, "users": [self.shown(record) for record in found]} if found else answer

    def page(self, size, token, tenant):
        """At most a thousand records behind the one that the token names."""
        records = sorted(self.of(tenant), key=lambda record: record["localId"])
        rest = [record for record in records if record["localId"] > token]
        page = rest[: min(size, 1000)]
        answer = {"kind": "identitytoolkit#DownloadAccountResponse"}
        if page:
            answer["users"] = [self.shown(record) for record in page]
        if len(rest) > len(page):
            answer["nextPageToken"] = page[-1]["localId"]
        return answer

    def store(self, body, tenant):
        """An existing uid is replaced. With `sanityCheck`, an address that another account has is refused."""
        errors = []
        for index, record in enumerate(body["users"]):
            uid = record["localId"]
            others = [other for other in self.people.values() if other["localId"] != uid]
            if body.get("sanityCheck") and record.get("email") in {other.get("email") for other in others} - {None}:
                errors.append({"index": index, "message": "email exists in other account in database"})
                continue
            stored = {name: value for name, value in record.items() if name not in ("passwordHash", "salt")}
            if "passwordHash" in record:
                stored["imported"] = ({**body, "users": None}, record["passwordHash"], record.get("salt", ""))
                # As Google shows a hash that it did not make.
                stored |= {"passwordHash": record["passwordHash"], "version": 1}
            self.people[uid] = {**stored, **({"tenantId": tenant} if tenant else {})}
        return {"kind": "identitytoolkit#UploadAccountResponse", **({"error": errors} if errors else {})}

    def update(self, body):
        record = self.people.get(body.get("localId"))
        if record is None:
            raise Refused("USER_NOT_FOUND")
        others = [other for other in self.people.values() if other is not record]
        if body.get("email") in {other.get("email") for other in others} - {None}:
            raise Refused("EMAIL_EXISTS")
        for name in body.get("deleteAttribute", []):
            record.pop({"EMAIL": "email", "DISPLAY_NAME": "displayName", "PHOTO_URL": "photoUrl"}[name], None)
        gone = body.get("deleteProvider", [])
        identities = [known for known in record.get("providerUserInfo", []) if known["providerId"] not in gone]
        if "phone" in gone:
            record.pop("phoneNumber", None)
        if "password" in gone:
            for name in ("password", "imported", "passwordHash"):
                record.pop(name, None)
        if "linkProviderUserInfo" in body:
            identities.append(body["linkProviderUserInfo"])
        record["providerUserInfo"] = identities
        for name, value in body.items():
            if name not in ("deleteAttribute", "deleteProvider", "linkProviderUserInfo"):
                record["disabled" if name == "disableUser" else name] = value
        return {"kind": "identitytoolkit#SetAccountInfoResponse", "localId": record["localId"]}

    def delete_all(self, body):
        assert body["force"] is True
        for uid in body["localIds"]:
            self.people.pop(uid, None)
        return {}

    def delete(self, body):
        if self.people.pop(body.get("localId"), None) is None:
            raise Refused("USER_NOT_FOUND")
        return {"kind": "identitytoolkit#DeleteAccountResponse"}

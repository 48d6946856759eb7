"""The accounts of a Firebase project, as its calls show and change them."""

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
        return {name: value for name, value in record.items() if name != "password"}

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
        if record is None or record.get("password") != password:
            raise Refused("INVALID_LOGIN_CREDENTIALS")
        if record.get("disabled"):
            raise Refused("USER_DISABLED")
        return record

    def lookup(self, body, tenant):
        wanted = body.get("localId", [])
        emails = [email.lower() for email in body.get("email", [])]
        found = [record for record in self.of(tenant) if record["localId"] in wanted or record.get("email") in emails]
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
        """An existing uid is replaced."""
        for record in body["users"]:
            self.people[record["localId"]] = {**record, **({"tenantId": tenant} if tenant else {})}
        return {"kind": "identitytoolkit#UploadAccountResponse"}

    def update(self, body):
        record = self.people.get(body.get("localId"))
        if record is None:
            raise Refused("USER_NOT_FOUND")
        for name, value in body.items():
            record["disabled" if name == "disableUser" else name] = value
        return {"kind": "identitytoolkit#SetAccountInfoResponse", "localId": record["localId"]}

    def delete(self, body):
        if self.people.pop(body.get("localId"), None) is None:
            raise Refused("USER_NOT_FOUND")
        return {"kind": "identitytoolkit#DeleteAccountResponse"}

"""Faults of what the server sends, for `planted_faults`."""

from support.gateway import signing_secret
from support.mail.outbox import put


def a_late_mail(installation):
    put(installation, due="now() + interval '1 hour'", lifetime="2 hours")
    installation.rows("UPDATE deliveries SET created_at = now() - interval '20 minutes'")
    return lambda: installation.rows("DELETE FROM deliveries")


def a_mail_that_nothing_deleted(installation):
    put(installation, due="'infinity'", lifetime="-2 days")
    return lambda: installation.rows("DELETE FROM deliveries")


def a_stopped_endpoint(installation):
    secret = installation.folder / "crm.secret"
    secret.touch(mode=0o600)
    secret.write_text(signing_secret())
    before = dict(installation.project)
    installation.project["events"] = [{"id": "crm", "url": "https://crm.example.com", "types": "*", "secrets": {"file": str(secret)}}]
    installation.write()
    installation.project = before
    installation.rows("INSERT INTO stopped_endpoints (project_id, endpoint, stopped_at) VALUES ('demo', 'crm', now())")
    return lambda: installation.rows("DELETE FROM stopped_endpoints")

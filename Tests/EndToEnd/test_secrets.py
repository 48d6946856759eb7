"""After everything else: nothing secret that any test saw is in any log that any server wrote, at the most talkative level."""

import pytest

from common import CLIENT_SECRET, issued, logs


@pytest.mark.last
def test_SEC_21_no_secret_is_in_any_log(site):
    texts = {path: path.read_text(errors="replace") for path in logs}
    assert texts and any('"route":"/v1/accounts:signInWithIdp"' in text for text in texts.values())
    # Values that tests made up to be refused, and short words, are no secrets.
    secrets = {value for value in issued if len(value) >= 20 and len(set(value)) >= 8}
    assert CLIENT_SECRET in secrets and len(secrets) >= 5
    found = [(secret[:6] + "…", path.name) for path, text in texts.items() for secret in secrets if secret in text]
    assert not found


@pytest.mark.last
def test_SEC_21_no_secret_is_stored_as_it_travels(site):
    """A copy of the database opens nothing: it holds hashes and sealed values."""
    tables = [row[0] for row in site.rows("SELECT tablename FROM pg_tables WHERE schemaname = 'public'")]
    secrets = {value for value in issued if len(value) >= 20 and len(set(value)) >= 8}
    found = {}
    for table in tables:
        # The app's own state travels through the browser's address bar and goes back to the app as it is.
        text = "\n".join(str(row) for row in site.rows(f"SELECT to_jsonb(t) - 'app_state' FROM {table} t"))
        hits = [secret for secret in secrets if secret in text or secret.encode().hex() in text]
        if hits:
            found[table] = hits[:3]
    assert not found

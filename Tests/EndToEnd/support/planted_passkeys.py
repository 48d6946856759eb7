"""Faults of passkeys that `support.planted_faults` plants."""


def with_passkeys(installation, **passkeys):
    """Writes the project's file with this section; the server goes on with what it read."""
    before = dict(installation.project)
    installation.project["passkeys"] = passkeys
    installation.write()
    installation.project = before


def of_another_site(installation):
    installation.rows(
        "INSERT INTO accounts (project_id, account_id, valid_since, created_at) VALUES ('demo', 'keyed', date_trunc('second', now()), now())"
    )
    installation.rows(
        "INSERT INTO passkeys (project_id, credential_id, account_id, public_key, algorithm, sign_count, rp_id, backup_eligible, backup_state,"
        " uv_initialized, aaguid, format, name, linked_at)"
        " VALUES ('demo', %s, 'keyed', '', -7, 0, 'other.example.com', true, true, true, %s, 'none', 'key', now())",
        bytes(16),
        bytes(16),
    )
    with_passkeys(installation, rpId="example.com")
    return lambda: installation.rows("DELETE FROM accounts WHERE account_id = 'keyed'")


def without_files(installation):
    with_passkeys(installation, rpId="passkeys.invalid", relatedOrigins=["https://example.org"])


PLANTED = {
    "passkeys of another site": (of_another_site, {"database.passkeys"}, "passkeys.rpId"),
    "a site that does not serve the files of passkeys": (without_files, {"passkeys.file"}, "gatehouse passkeys files demo"),
}

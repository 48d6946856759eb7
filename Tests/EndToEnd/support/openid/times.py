"""The past and the future, so that no test has to wait: rows of the database get older, and a server's clock is ahead."""

import pathlib


def clock_ahead(by):
    """The command for a server whose machine's clock is ahead.

    The program `faketime` is not used: it fails where one with the same process id was killed earlier.
    """
    (library,) = pathlib.Path("/usr/lib").glob("*/faketime/libfaketimeMT.so.1")
    return ("env", f"LD_PRELOAD={library}", f"FAKETIME={by}", "FAKETIME_DONT_FAKE_MONOTONIC=1")


def age_codes(site, client, seconds):
    """What this client asked for and was given as codes becomes older by this time."""
    touched = site.rows(
        "UPDATE authorization_requests SET created_at = created_at - %s * interval '1 s', expires_at = expires_at - %s * interval '1 s'"
        " WHERE client_id = %s",
        seconds,
        seconds,
        client.id,
    )
    assert touched, "nothing was asked for"


def age_sign_ins(site, person, seconds):
    """The person signed in at the hosted pages this much earlier, with an account that is older, too."""
    site.rows("UPDATE accounts SET valid_since = valid_since - %s * interval '1 s' WHERE account_id = %s", seconds, person.id)
    touched = site.rows(
        "UPDATE sessions SET auth_time = auth_time - %s * interval '1 s', created_at = created_at - %s * interval '1 s'"
        " WHERE kind = 'browser' AND account_id = %s",
        seconds,
        seconds,
        person.id,
    )
    assert touched, "nobody is signed in"


def age_rotations(site, person, seconds):
    """The last use of the person's refresh tokens at clients was this much earlier."""
    touched = site.rows(
        "UPDATE sessions SET rotated_at = rotated_at - %s * interval '1 s', refreshed_at = refreshed_at - %s * interval '1 s'"
        " WHERE kind = 'client' AND account_id = %s",
        seconds,
        seconds,
        person.id,
    )
    assert touched, "nothing was granted"

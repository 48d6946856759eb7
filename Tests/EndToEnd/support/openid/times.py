"""The past and the future, so that no test has to wait: rows of the database get older, and a server's clock is ahead."""

# `faketime` names its shared memory by its process id, leaves it behind when it is killed, and fails where it finds some of that name.
TIDY = 'rm -f "/dev/shm/faketime_shm_$$" "/dev/shm/sem.faketime_sem_$$"; exec "$@"'


def clock_ahead(by):
    """The command for a server whose machine's clock is ahead. `faketime` stays as its parent, and the server ends with it."""
    faketime = ("faketime", "-m", "-f", by, "setpriv", "--pdeathsig", "KILL")
    return ("env", "FAKETIME_DONT_FAKE_MONOTONIC=1", "sh", "-c", TIDY, "sh", *faketime)


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

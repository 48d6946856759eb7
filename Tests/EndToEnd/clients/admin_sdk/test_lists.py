"""The calls of the SDK that list and delete many users."""

import pytest
from firebase_admin import auth

from support.accounts import person
from support.clients.api import assert_error

COUNT = 2003


@pytest.fixture
def many(stage):
    """The other project of the server, with more users than two pages have."""
    site, project = stage.site, stage.other.project
    site.rows("DELETE FROM accounts WHERE project_id = %s", project)
    site.rows(
        "INSERT INTO accounts (project_id, account_id, email, custom_attributes, valid_since, created_at)"
        " SELECT %s, 'user-' || lpad(n::text, 5, '0'), 'user-' || n || '@example.com', CASE n WHEN 7 THEN '{\"level\":7}' END,"
        " date_trunc('second', now()), now() FROM generate_series(1, %s) AS n",
        project,
        COUNT,
    )
    return stage.other


def test_pages_of_a_thousand_list_everybody_once(stage, many):
    pages = many.pages()
    assert [len(page) for page in pages if page] == [1000, 1000, 3]
    uids = [user.uid for page in pages for user in page]
    assert uids == [f"user-{number:05}" for number in range(1, COUNT + 1)]
    seventh = pages[0][6]
    assert (seventh.email, seventh.custom_claims, seventh.email_verified) == ("user-7@example.com", {"level": 7}, False)


def test_small_pages_list_everybody_once(stage, many):
    stage.site.rows("DELETE FROM accounts WHERE project_id = %s AND account_id > 'user-00010'", many.project)
    for size in (1, 3, 5, 10, 11):
        pages = many.pages(size)
        assert [user.uid for page in pages for user in page] == [f"user-{number:05}" for number in range(1, 11)]
        assert all(len(page) <= size for page in pages)


def test_a_list_has_no_user_of_another_project(stage, many):
    mine = stage.sdk.create_user(uid=f"mine-{person()}")
    assert mine.uid not in {user.uid for page in many.pages() for user in page}
    own = {user.uid for page in stage.sdk.pages() for user in page}
    assert mine.uid in own and not any(uid.startswith("user-") for uid in own)


def test_a_thousand_are_deleted_at_once(stage, many):
    uids = [f"user-{number:05}" for number in range(1, 1001)]
    result = many.delete_users(uids)
    assert (result.success_count, result.failure_count, result.errors) == (1000, 0, [])
    assert stage.site.value("SELECT count(*) FROM accounts WHERE project_id = %s", many.project) == COUNT - 1000
    # Again: unknown ids are no failures.
    again = many.delete_users([*uids[:998], "user-01001", "no-such"])
    assert (again.success_count, again.failure_count) == (1000, 0)
    assert stage.site.value("SELECT count(*) FROM accounts WHERE project_id = %s", many.project) == COUNT - 1001
    deleted = "SELECT count(*) FROM audit_events WHERE project_id = %s AND action = 'account.deleted'"
    events = stage.site.value(deleted, many.project)
    assert events == 1001, "one for each account that was there"


def test_deletion_of_many_ends_their_sessions(stage):
    people = [stage.api.succeed("signUp", {"returnSecureToken": True}) for _ in range(3)]
    result = stage.sdk.delete_users([user["localId"] for user in people])
    assert result.success_count == 3
    for user in people:
        assert_error(stage.api.refresh(user["refreshToken"]), "USER_NOT_FOUND")


def test_deletion_touches_no_user_of_another_project(stage, many):
    stage.sdk.delete_users(["user-00001"])
    assert many.get_user("user-00001").uid == "user-00001"
    with pytest.raises(auth.UserNotFoundError):
        stage.sdk.get_user("user-00001")

"""Sessions end by themselves where the project says so."""

import pytest

from support.clients.api import assert_error
from support.servers.limited_site import PASSWORDS
from support.servers.site import FILES_ALONE, a_site


def test_an_idle_session_is_over_where_the_project_says_so():
    with a_site(project={**PASSWORDS, "sessions": {"idle": "90d"}}) as site:
        api = site.serve().api()
        user = api.succeed("signUp", {"returnSecureToken": True})
        site.rows("UPDATE sessions SET refreshed_at = now() - interval '89 days'")
        token = api.refresh(user["refreshToken"]).json()["refresh_token"]
        site.rows("UPDATE sessions SET refreshed_at = now() - interval '90 days'")
        assert_error(api.refresh(token), "TOKEN_EXPIRED")


@pytest.mark.parametrize("idle", ["12h", "0d", "never", "90"])
def test_an_idle_time_that_cannot_be_meant_is_a_fault(idle):
    with a_site(project={"sessions": {"idle": idle}}, **FILES_ALONE) as site:
        result = site.run("check")
        assert result.returncode == 1
        assert "sessions.idle: expected 0 (sessions last until they are ended), or 1d to 3650d" in result.stdout

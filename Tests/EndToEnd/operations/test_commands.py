"""The output of commands and their exit status."""

import datetime
import json
import re

import pytest

from support.clients.api import posted
from support.clients.flows import WebFlow
from support.harness import free_port, wait_until
from support.mail.outbox import put
from support.mail.smtp import Post
from support.servers.postgres import cluster
from support.servers.site import a_site


def test_keys_list_says_what_each_key_does_now():
    with a_site(database=cluster().create()) as site:
        assert "No keys yet" in site.run("keys", "list", check=True).stderr
        site.serve()
        heading, *lines = site.run("keys", "list", check=True).stdout.splitlines()
        assert heading.split() == ["KEY", "ALGORITHM", "PURPOSE", "STATE"]
        kinds = [line.split()[1:3] for line in lines]
        assert kinds == [["ES256", "idToken"], ["RS256", "idToken"], ["RS256", "sessionCookie"]]
        assert all("  signs, since " in line and "until" not in line for line in lines)

        new = site.run("keys", "rotate", check=True).stdout.strip()
        told = {line.split("  ")[0]: line for line in site.run("keys", "list", check=True).stdout.splitlines()}
        assert "published, signs from " in told.pop(new)
        keys = {key["kid"]: key for key in map(json.loads, site.run("keys", "list", "--json", check=True).stdout.splitlines())}
        assert len(keys) == 4 and keys[new]["state"] == "waits" and keys[new]["signsFrom"] > keys[new]["createdAt"]
        (former,) = (key for key in keys.values() if "retiresAt" in key)
        assert (former["algorithm"], former["purpose"], former["state"]) == ("RS256", "idToken", "signs")
        assert sum(", until " in line for line in told.values()) == 1, "the key that it follows"

        site.rows("UPDATE signing_keys SET signs_from = signs_from - interval '1 hour' WHERE kid <> %s", new)
        site.rows("UPDATE signing_keys SET signs_from = now() - interval '1 minute' WHERE kid = %s", new)
        told = {line.split("  ")[0]: line for line in site.run("keys", "list", check=True).stdout.splitlines()}
        assert "signs, since " in told.pop(new)
        assert sum("does not sign any more, verifies its last tokens until " in line for line in told.values()) == 1


def test_mails_that_wait_are_listed_without_what_they_say_and_sent_once_they_are_retried():
    post = Post()
    settings, port = post.settings(), post.port
    post.close()
    with a_site(settings={"mail": settings}) as site:
        server = site.serve()
        nothing = site.run("mails", "list", check=True)
        assert (nothing.stdout, nothing.stderr) == ("", "0 mails wait.\n")
        code = put(site, "ada@example.com")
        server.logged("mail not taken")
        # A pause that is longer than this test takes on any machine, so the mail is sent because of the command.
        site.rows("UPDATE deliveries SET due_at = now() + interval '1 hour', expires_at = now() + interval '1 day'")

        listed = site.run("mails", "list", check=True)
        heading, mail = listed.stdout.splitlines()
        assert heading.split() == ["MAIL", "PROJECT", "KIND", "ATTEMPTS", "SINCE", "NEXT", "UNTIL"]
        time = r"\d{4}-\d\d-\d\d \d\d:\d\d UTC"
        assert re.fullmatch(rf"[0-9a-f]{{32}}  demo +resetPassword  1 +{time}  {time}  {time}", mail), mail
        assert listed.stderr == "1 mail waits.\n"
        told = json.loads(site.run("mails", "list", "--json", check=True).stdout)
        assert (told["project"], told["kind"], told["attempts"]) == ("demo", "resetPassword", 1)
        assert set(told) == {"mail", "project", "kind", "attempts", "createdAt", "dueAt", "expiresAt"} and told["mail"] == mail.split()[0]
        for text in (listed.stdout, json.dumps(told)):
            assert code not in text and "ada@" not in text and "http" not in text
        none = site.run("mails", "list", "--limit", "0", check=True)
        assert (none.stdout, none.stderr) == ("", "1 mail waits.\n")

        post = Post(port=port)
        try:
            elsewhere = site.run("mails", "retry", "--project", "other")
            assert elsewhere.returncode == 1 and "the configuration does not have a project other" in elsewhere.stderr
            retried = site.run("mails", "retry", "--project", "demo", check=True).stdout
            assert retried == "1 mail is tried at once.\n"
            assert code in post.wait_for().text
            wait_until(lambda: site.run("mails", "list", check=True).stderr == "0 mails wait.\n", what="an empty outbox")
            assert len(post.messages) == 1 and post.messages[0].recipients == ["ada@example.com"]
        finally:
            post.close()


def test_a_retry_says_plainly_what_waits_and_what_comes_by_itself():
    with a_site() as site:
        assert site.run("mails", "retry", check=True).stdout == "No mail waits.\n"
        for due in ("now() + interval '30 seconds'", "now() + interval '30 minutes'", "now() + interval '10 seconds'"):
            put(site, due=due)
        retry = site.run("mails", "retry", check=True).stdout
        assert retry == "1 mail is tried at once. 2 mails are tried within a minute anyway.\n"
        assert site.run("mails", "retry", check=True).stdout == "3 mails are tried within a minute anyway.\n"


def test_a_rotation_says_when_the_key_signs_and_a_second_one_waits_for_it():
    with a_site() as site:
        first = site.run("keys", "rotate", check=True)
        assert re.search(r"signs from \d{4}-\d\d-\d\dT[\d:.]+Z on", first.stderr), first.stderr
        second = site.run("keys", "rotate")
        assert second.returncode == 1 and f"the key {first.stdout.strip()} of an earlier rotation waits" in second.stderr
        assert site.value("SELECT count(*) FROM signing_keys") == 3
        leaked = site.run("keys", "rotate", "--compromised", check=True)
        assert "signs at once" in leaked.stderr
        events = [json.loads(line) for line in site.run("audit", "list", "--json", check=True).stdout.splitlines()]
        assert [(event["action"], event["actor"]) for event in events] == [("signingKey.rotated", "keys rotate")] * 2
        assert [event["details"]["key"] for event in events] == [first.stdout.strip(), leaked.stdout.strip()]


@pytest.mark.parametrize(
    "words, told",
    [
        (["users", "show", "demo", "x"], "gatehouse users has no subcommand show; it has list, search, get, explain, create,"),
        (["keys", "rotat"], "gatehouse keys has no subcommand rotat; it has list, rotate, reseal"),
        (["user", "list"], "gatehouse has no subcommand user; it has serve, dev, reload,"),
    ],
)
def test_an_unknown_subcommand_is_answered_with_those_that_there_are(site, words, told):
    result = site.run(*words)
    assert result.returncode == 64 and told in result.stderr and "--config" not in result.stderr, result.stderr


@pytest.mark.parametrize(
    "command, reason",
    [
        (("sessions", "revoke", "nosuchproject", "x"), "the configuration does not have a project nosuchproject; its projects are demo"),
        (("sessions", "revoke", "demo", "nobody"), "project demo has no account nobody"),
        (("service-accounts", "create", "nosuchproject"), "the configuration does not have a project nosuchproject"),
        (("service-accounts", "list", "nosuchproject"), "the configuration does not have a project nosuchproject"),
        (("mails", "retry", "--project", "nosuchproject"), "the configuration does not have a project nosuchproject"),
        (("service-accounts", "revoke", "demo", "--key", "abc"), "project demo has no such live key"),
        (("service-accounts", "set-rights", "demo", "nobody", "--rights", "none"), "project demo has no service account nobody@demo"),
    ],
)
def test_a_command_that_does_not_find_what_it_is_told_ends_with_1_and_the_reason(site, command, reason):
    result = site.run(*command)
    assert result.returncode == 1 and reason in result.stderr and "Usage" not in result.stderr


@pytest.mark.parametrize(
    "command",
    [
        ("sessions", "revoke"),
        ("keys", "rotate", "--algorithm", "none"),
        ("keys", "rotate", "--purpose", "sessionCookie", "--algorithm", "ES256"),
        ("service-accounts", "set-rights", "demo", "backend", "--rights", "everything"),
        ("service-accounts", "create", "demo", "Not A Name"),
        ("service-accounts", "revoke", "demo", "--account", "Not A Name"),
        ("mails", "list", "--limit", "-1"),
        ("nonsense",),
    ],
)
def test_a_command_line_that_is_wrong_ends_with_64_and_says_what_is_right(site, command):
    result = site.run(*command)
    usage = "Usage: gatehouse " + " ".join(word for word in command[:2] if word != "nonsense")
    assert result.returncode == 64 and usage in result.stderr, result.stderr


def test_sessions_are_revoked_although_a_project_file_is_faulty():
    with a_site(project={"signIn": {"anonymous": True}}) as site:
        user = site.serve().api().call("signUp", {}).json()
        (site.folder / "projects/broken.yaml").write_text("nonsense: [")
        assert site.run("sessions", "revoke", "demo", user["localId"]).returncode == 0
        assert site.value("SELECT count(*) FROM sessions WHERE ended_at IS NULL") == 0


def test_what_has_run_out_is_cleaned_up_right_after_the_start():
    with a_site(project={"signIn": {"anonymous": True}, "sessions": {"idle": "30d"}}) as site:
        server = site.serve()
        for _ in range(3):
            server.api().call("signUp", {})
        assert server.stop() == 0
        old = datetime.timedelta(days=40)
        site.rows("UPDATE sessions SET created_at = created_at - %s, refreshed_at = refreshed_at - %s", old, old)
        site.rows("UPDATE sessions SET ended_at = created_at WHERE session_id = (SELECT session_id FROM sessions LIMIT 1)")
        site.serve()
        ended = "SELECT count(*) FROM sessions WHERE end_reason = 'idle'"
        wait_until(lambda: site.value(ended) == 2 and site.value("SELECT count(*) FROM sessions") == 2, what="the cleanup")


def test_providers_that_fail_are_counted_by_name(fake_issuer):
    down = {**fake_issuer.entry(), "issuer": f"http://127.0.0.1:{free_port()}"}
    with a_site({"oidc.down": down, "oidc.fake": fake_issuer.entry()}) as site:
        server = site.serve()
        posted(server.api(), {"providerId": "oidc.fake", "id_token": fake_issuer.id_token("ada")})
        WebFlow(site, "oidc.down").start()
        series = 'gatehouse_provider_requests_total{{provider="{}",outcome="{}"}}'
        wait_until(lambda: (server.metric(series.format("oidc.down", "failed")) or 0) >= 1, what="the failure")
        assert server.metric(series.format("oidc.fake", "answered")) >= 1
        assert server.metric(series.format("oidc.fake", "failed")) == 0


def test_a_process_tells_of_itself(site):
    server = site.servers[0]
    pid = server.process.pid
    assert server.metric("process_max_fds") >= server.metric("process_open_fds") > 10
    assert 1e6 < server.metric("process_resident_memory_bytes") < server.metric("process_virtual_memory_bytes")
    assert server.metric("process_threads") > 1 and server.metric("process_cpu_seconds_total") > 0
    started = datetime.datetime.fromtimestamp(server.metric("process_start_time_seconds"))
    assert abs(datetime.datetime.now() - started) < datetime.timedelta(hours=2), pid
    version = site.run("--version").stdout.strip()
    assert server.metric(f'gatehouse_build_info{{version="{version}"}}') == 1
    assert server.metric('gatehouse_database_connections_max{loop="0",kind="read"}') == 2
    assert server.metric('gatehouse_signing_key_age_seconds{algorithm="RS256",purpose="sessionCookie"}') >= 0

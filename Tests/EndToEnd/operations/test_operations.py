"""What operators do: check, migrate, start, reload, rotate keys, watch and stop."""

import json
import re
import secrets
import signal
import socket
import subprocess
import threading

import jwt
import pytest
import requests
from werkzeug.wrappers import Response

from support.clients.api import API, assert_error, posted
from support.clients.flows import WebFlow, query_of
from support.harness import BINARY, free_port, together, wait_for_end, wait_until
from support.leaks import note
from support.names import API_KEY, TIMEOUT
from support.servers.site import FILES_ALONE, a_site

# -- gatehouse check


def test_check_says_that_all_is_well(site):
    result = site.run("check")
    assert result.returncode == 0 and "2 projects" in result.stdout


def test_check_names_all_faults_at_once_and_fails(fake_issuer):
    with a_site({"oidc.fake": fake_issuer.entry()}) as site:
        site.settings.update(publicUrl="x", loops="many", logLevel="loud")
        site.project["apiKeys"] = []
        site.project["tokens"] = {"lifetime": "1s", "algorithm": "HS256"}
        site.project["providers"] = {
            "oidc.fake": {**fake_issuer.entry(), "clinetSecret": "x", "clientSecret": "written-in-plain-text"},
            "microsoft.com": {"clientId": "x", "clientSecret": {"env": "NOT_SET_AT_ALL"}, "tenant": "not a tenant"},
        }
        site.write()
        result = site.run("check")
        report = result.stdout + result.stderr
        assert result.returncode != 0
        for expected in (
            "publicUrl",
            'did you mean "publicURL"',
            "loops",
            "logLevel",
            "apiKeys",
            "tokens.lifetime",
            "tokens.algorithm",
            "clinetSecret",
            'did you mean "clientSecret"',
            "providers.oidc.fake.clientSecret",
            "{env: NAME}",
            "NOT_SET_AT_ALL",
            "microsoft.com.tenant",
        ):
            assert expected in report, f"{expected} in\n{report}"
        assert "written-in-plain-text" not in report, "SEC-21: a fault does not print the secret"
        for line in report.splitlines():
            if "providers." in line:
                assert re.search(r"demo\.yaml:\d+:\d+ ", line), line
        started = site.run("serve")
        assert started.returncode != 0 and "clinetSecret" in started.stdout + started.stderr


def test_check_live_explains_each_provider(fake_issuer, microsoft):
    providers = {
        "oidc.good": fake_issuer.entry(),
        "oidc.elsewhere": {
            **fake_issuer.entry(),
            "issuer": fake_issuer.url + "/other",
            "discoveryURL": fake_issuer.url + "/.well-known/openid-configuration",
        },
        "oidc.slash": {**fake_issuer.entry(), "issuer": fake_issuer.url + "/"},
        "oidc.down": {**fake_issuer.entry(), "issuer": f"http://127.0.0.1:{free_port()}"},
        "oidc.missing": {**fake_issuer.entry(), "issuer": fake_issuer.url + "/nothing/here"},
        "oidc.algorithm": {**fake_issuer.entry(), "algorithms": ["ES256"]},
        "microsoft.com": microsoft.entry(),
    }
    with a_site(providers) as site:
        assert site.run("check").returncode == 0, "without --live nobody is asked"
        assert fake_issuer.requests == []
        result = site.run("check", "--live")
        assert result.returncode != 0
        lines = {provider: [line for line in result.stdout.splitlines() if f"  {provider}  " in line] for provider in providers}
        assert lines["oidc.good"][0].endswith("ok") and lines["microsoft.com"][0].endswith("ok"), result.stdout
        for provider in ("oidc.elsewhere", "oidc.slash", "oidc.down", "oidc.missing", "oidc.algorithm"):
            assert lines[provider] and not lines[provider][0].endswith("  ok"), result.stdout
        assert f"names the issuer {fake_issuer.url}" in lines["oidc.elsewhere"][0]
        assert "slash at the end" in lines["oidc.slash"][0]
        assert "algorithm" in " ".join(lines["oidc.algorithm"])
        assert "404" in " ".join(lines["oidc.missing"])


def test_production_has_no_plain_http(fake_issuer):
    with a_site({"oidc.fake": fake_issuer.entry()}) as site:
        site.settings.update(development=False, sample="../sample")
        site.write()
        report = site.run("check")
        assert report.returncode != 0
        for key in ("publicURL", "sample", "redirectURLs", "providers.oidc.fake.issuer"):
            assert key in report.stdout, report.stdout
        site.settings.update(development=True, listen=f"0.0.0.0:{site.port}")
        site.write()
        report = site.run("check")
        assert report.returncode != 0 and "development" in report.stdout and "loopback" in report.stdout


def test_a_file_that_is_missing_or_no_YAML_is_named(fake_issuer):
    with a_site({"oidc.fake": fake_issuer.entry()}) as site:
        (site.folder / "projects/broken.yaml").write_text("project: [demo\n  x: }")
        report = site.run("check")
        assert report.returncode != 0 and "broken.yaml:" in report.stdout
        (site.folder / "projects/broken.yaml").unlink()
        (site.folder / "master.key").unlink()
        report = site.run("check")
        assert report.returncode != 0 and "master.key" in report.stdout
        site.config.unlink()
        report = site.run("check")
        assert report.returncode != 0 and "gatehouse.yaml" in report.stdout + report.stderr


def test_two_projects_with_one_key_are_a_fault(fake_issuer):
    with a_site(
        {"oidc.fake": fake_issuer.entry()},
        others={"other": {"project": "other", "number": 2, "apiKeys": [API_KEY], "authorizedDomains": ["localhost"]}},
        **FILES_ALONE,
    ) as site:
        report = site.run("check")
        assert report.returncode != 0 and "apiKeys" in report.stdout and "already" in report.stdout


# -- schema


def test_serve_refuses_an_empty_database_and_says_what_to_run(fake_issuer):
    with a_site({"oidc.fake": fake_issuer.entry()}, migrate=False) as site:
        refused = site.run("serve", timeout=TIMEOUT)
        assert refused.returncode != 0 and "gatehouse migrate" in refused.stdout + refused.stderr
        migrated = site.run("migrate")
        assert migrated.returncode == 0 and "applied" in migrated.stdout
        again = site.run("migrate")
        assert again.returncode == 0 and "applied 0" not in again.stdout and "current" in again.stdout
        site.serve()


def test_serve_refuses_an_edited_schema_and_says_so(fake_issuer):
    with a_site({"oidc.fake": fake_issuer.entry()}) as site:
        digest = site.value("SELECT sha256 FROM schema_migrations WHERE number = 1")
        site.rows("UPDATE schema_migrations SET sha256 = repeat('0', 64) WHERE number = 1")
        refused = site.run("serve", timeout=TIMEOUT)
        assert refused.returncode != 0 and "is not the one of this binary" in refused.stdout + refused.stderr
        site.rows("UPDATE schema_migrations SET sha256 = %s WHERE number = 1", digest)
        site.rows("INSERT INTO schema_migrations (number, name, sha256) VALUES (9999, '9999_from_the_future.sql', repeat('0', 64))")
        refused = site.run("serve", timeout=TIMEOUT)
        assert refused.returncode != 0 and "ahead of this binary" in refused.stdout + refused.stderr


def test_several_migrations_at_once_apply_everything_once(fake_issuer):
    with a_site({"oidc.fake": fake_issuer.entry()}, migrate=False) as site:
        results = together(4, lambda _: site.run("migrate"))
        assert [result.returncode for result in results] == [0] * 4, [result.stderr for result in results]
        assert sum("applied " in result.stdout.split("The schema")[0] for result in results) == 1
        site.serve()


def test_another_master_key_does_not_start(fake_issuer):
    with a_site({"oidc.fake": fake_issuer.entry()}) as site:
        assert site.serve().stop() == 0
        site.master_key = note(secrets.token_hex(32))
        site.write()
        refused = site.run("serve", timeout=TIMEOUT)
        assert refused.returncode != 0 and "master key" in refused.stdout + refused.stderr


# -- reload


def test_SIGHUP_takes_a_good_file_and_leaves_a_faulty_one(fake_issuer):
    with a_site({"oidc.fake": fake_issuer.entry()}) as site:
        server = site.serve()
        api = server.api()
        assert API(site.url, "second-key").call("lookup", {}).json()["error"]["status"] == "INVALID_ARGUMENT"
        assert_error(posted(api, {"providerId": "oidc.late", "id_token": "x"}), "OPERATION_NOT_ALLOWED")

        good = json.loads(json.dumps(site.project))
        site.project["apiKeys"] = ["second-key"]
        site.project["providers"]["oidc.broken"] = {"issuer": "no address", "clientId": "x"}
        site.write()
        server.signal(signal.SIGHUP)
        line = server.logged("not reloaded")
        assert "demo.yaml" in line and "oidc.broken.issuer" in line
        assert_error(api.call("lookup", {}), "MISSING_ID_TOKEN")
        assert posted(api, {"providerId": "oidc.fake", "id_token": fake_issuer.id_token("reload")}).status_code == 200

        site.project = good
        site.project["apiKeys"] = [API_KEY, "second-key"]
        site.project["providers"]["oidc.late"] = fake_issuer.entry()
        site.write()
        server.signal(signal.SIGHUP)
        server.logged('"reloaded"')
        assert_error(API(site.url, "second-key").call("lookup", {}), "MISSING_ID_TOKEN")
        assert posted(api, {"providerId": "oidc.late", "id_token": fake_issuer.id_token("reload-2")}).status_code == 200

        del site.project["providers"]["oidc.late"]
        site.write()
        server.signal(signal.SIGHUP)
        wait_until(lambda: server.log().count('"reloaded"') == 2, what="the second reload")
        assert_error(posted(api, {"providerId": "oidc.late", "id_token": "x"}), "OPERATION_NOT_ALLOWED")
        assert server.process.poll() is None


def test_a_changed_issuer_of_a_provider_with_users_is_refused(fake_issuer, real_issuer):
    with a_site({"oidc.fake": fake_issuer.entry()}) as site:
        server = site.serve()
        posted(server.api(), {"providerId": "oidc.fake", "id_token": fake_issuer.id_token("loyal")})
        site.project["providers"]["oidc.fake"] = real_issuer.entry()
        site.write()
        server.signal(signal.SIGHUP)
        assert "issuer" in server.logged("not reloaded")
        assert server.stop() == 0
        refused = site.run("serve", timeout=TIMEOUT)
        assert refused.returncode != 0 and fake_issuer.url in refused.stdout + refused.stderr


# -- start and stop


def test_a_provider_that_is_down_stops_neither_the_start_nor_another(fake_issuer):
    down = {**fake_issuer.entry(), "issuer": f"http://127.0.0.1:{free_port()}"}
    with a_site({"oidc.down": down, "oidc.fake": fake_issuer.entry()}) as site:
        site.serve()
        assert "error" in query_of(WebFlow(site, "oidc.down").start().headers["location"])
        assert WebFlow(site, "oidc.fake").run(fake_issuer.login("unhurt"))["isNewUser"] is True


def test_a_provider_that_goes_down_lives_on_from_what_is_known(fake_issuer):
    with a_site({"oidc.fake": fake_issuer.entry()}) as site:
        api = site.serve().api()
        assert posted(api, {"providerId": "oidc.fake", "id_token": fake_issuer.id_token("stale")}).status_code == 200
        fake_issuer.answers.update(discovery=Response("down", 503), jwks=Response("down", 503))
        assert posted(api, {"providerId": "oidc.fake", "id_token": fake_issuer.id_token("stale")}).status_code == 200


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_a_signal_to_stop_lets_a_running_request_finish(fake_issuer, number):
    with a_site({"oidc.fake": fake_issuer.entry()}) as site:
        server = site.serve()
        flow = WebFlow(site, "oidc.fake")
        back = flow.to_app(fake_issuer.login("last"))
        arrived, released = threading.Event(), threading.Event()

        def slow(request):
            arrived.set()
            # Not before the server has stopped to accept connections, so that the signal arrives while a request runs.
            released.wait(TIMEOUT)
            return None

        fake_issuer.answers["token"] = slow
        answers = []
        client = threading.Thread(target=lambda: answers.append(flow.redeem(back)))
        client.start()
        assert arrived.wait(TIMEOUT)
        server.signal(number)
        wait_until(lambda: refuses_connections(server), what="an end of accepting")
        released.set()
        wait_for_end(client)
        assert answers and answers[0].status_code == 200 and answers[0].json()["isNewUser"] is True
        assert server.process.wait(TIMEOUT) == 0
        assert site.counts()["accounts"] == 1


def refuses_connections(server):
    try:
        requests.get(server.url + "/health/live", timeout=TIMEOUT)
        return False
    except requests.ConnectionError:
        return True


def test_a_port_that_another_program_has_is_explained(fake_issuer):
    with a_site({"oidc.fake": fake_issuer.entry()}) as site, socket.create_server(("127.0.0.1", site.port)):
        refused = site.run("serve", timeout=TIMEOUT)
        assert refused.returncode != 0 and str(site.port) in refused.stdout + refused.stderr


# -- keys


def test_rotated_keys_overlap(fake_issuer):
    with a_site({"oidc.fake": fake_issuer.entry()}) as site:
        server = site.serve()
        user = WebFlow(site, "oidc.fake").run(fake_issuer.login("keys"))
        listed = site.run("keys", "list", check=True).stdout
        old = jwt.get_unverified_header(user["idToken"])["kid"]
        assert old in listed
        new = site.run("keys", "rotate", check=True).stdout.strip().split()[-1]
        assert new != old and new in site.run("keys", "list", check=True).stdout
        assert server.stop() == 0
        site.servers.clear()
        api = site.serve().api()

        published = {key["kid"] for key in requests.get(site.issuer + "/oauth2/jwks", timeout=TIMEOUT).json()["keys"]}
        certificates = requests.get(site.url + "/robot/v1/metadata/x509/securetoken@system.gserviceaccount.com", timeout=TIMEOUT).json()
        assert {old, new} <= published and {old, new} <= set(certificates)
        verify(site, user["idToken"])
        refreshed = api.refresh(user["refreshToken"]).json()
        assert jwt.get_unverified_header(refreshed["id_token"])["kid"] == old, "the new key is published before it signs"
        site.rows("UPDATE signing_keys SET signs_from = now() WHERE kid = %s", new)
        site.servers[0].stop()
        site.servers.clear()
        api = site.serve().api()
        refreshed = api.refresh(refreshed["refresh_token"]).json()
        assert jwt.get_unverified_header(refreshed["id_token"])["kid"] == new
        verify(site, refreshed["id_token"])
        verify(site, user["idToken"])
        assert api.lookup(user["idToken"])["localId"] == user["localId"]


def test_a_leaked_key_is_withdrawn_at_once(fake_issuer):
    with a_site({"oidc.fake": fake_issuer.entry()}) as site:
        server = site.serve()
        user = WebFlow(site, "oidc.fake").run(fake_issuer.login("leaked"))
        old = jwt.get_unverified_header(user["idToken"])["kid"]
        site.run("keys", "rotate", "--compromised", check=True)
        server.stop()
        site.servers.clear()
        api = site.serve().api()
        assert old not in {key["kid"] for key in requests.get(site.issuer + "/oauth2/jwks", timeout=TIMEOUT).json()["keys"]}
        assert_error(api.call("lookup", {"idToken": user["idToken"]}), "INVALID_ID_TOKEN")
        verify(site, api.refresh(user["refreshToken"]).json()["id_token"])


def verify(site, token):
    key = jwt.PyJWKClient(site.issuer + "/oauth2/jwks").get_signing_key_from_jwt(token)
    return jwt.decode(token, key, algorithms=["RS256"], audience="demo", issuer=site.issuer)


def test_private_keys_are_sealed_in_the_database(site):
    for (stored,) in site.rows("SELECT private_key FROM signing_keys UNION ALL SELECT private_key FROM session_cookie_keys"):
        assert b"PRIVATE KEY" not in bytes(stored) and not bytes(stored).startswith(b"\x30\x82")


def test_the_version(site):
    result = subprocess.run([BINARY, "--version"], capture_output=True, text=True, timeout=TIMEOUT)
    assert result.returncode == 0 and re.fullmatch(r"\d+\.\d+\.\d+\S*", result.stdout.strip())

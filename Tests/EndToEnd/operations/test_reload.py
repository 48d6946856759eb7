"""A reload reports its result to the caller and in metrics."""

import base64
import json
import secrets
import signal

import requests

from support.harness import free_port, wait_until
from support.names import TIMEOUT
from support.servers.site import FILES_ALONE, a_site

SUCCESSFUL = "gatehouse_config_last_reload_successful"
TIME = "gatehouse_config_last_reload_success_timestamp_seconds"


def a_site_with_operations(**options):
    return a_site(settings={"operations": {"listen": f"127.0.0.1:{free_port()}"}}, **options)


def test_gatehouse_reload_tells_whether_the_server_took_the_files():
    with a_site_with_operations() as site:
        server = site.serve()
        assert server.metric(SUCCESSFUL) == 1
        began = server.metric(TIME)
        site.project["apiKeys"] = ["demo-api-key", "another-key"]
        site.write()
        taken = site.run("reload")
        assert (taken.returncode, taken.stdout) == (0, "reloaded\n")
        assert requests.get(site.url + "/v1/projects?key=another-key", timeout=TIMEOUT).status_code == 200

        site.project["apiKye"] = "typo"
        site.write()
        refused = site.run("reload")
        assert refused.returncode == 1 and 'unknown key; did you mean "apiKeys"?' in refused.stderr
        wait_until(lambda: server.metric(SUCCESSFUL) == 0, what="the metric of the refused reload")
        assert server.metric(TIME) >= began
        assert requests.get(site.url + "/v1/projects?key=another-key", timeout=TIMEOUT).status_code == 200, "what was in use stays"

        del site.project["apiKye"]
        site.write()
        server.signal(signal.SIGHUP)
        wait_until(lambda: server.metric(SUCCESSFUL) == 1, what="the metric of the good reload, by whatever way it was asked for")


def test_a_reload_of_a_changed_gatehouse_yaml_is_refused_with_the_reason():
    with a_site_with_operations() as site:
        server = site.serve()
        site.settings["limits"] = {"idle": "30s"}
        site.write()
        refused = site.run("reload")
        assert refused.returncode == 1 and "needs a restart" in refused.stderr
        wait_until(lambda: server.metric(SUCCESSFUL) == 0, what="the metric")


def test_a_comment_in_gatehouse_yaml_stops_no_reload():
    with a_site_with_operations() as site:
        site.serve()
        site.config.write_text("# a comment\n" + json.dumps(dict(reversed(site.settings.items())), indent=3) + "\n# another\n")
        assert site.run("reload").returncode == 0


def test_a_secret_of_gatehouse_yaml_that_changed_stops_a_reload():
    with a_site_with_operations() as site:
        site.serve()
        (site.folder / "master.key").write_text(base64.b64encode(secrets.token_bytes(32)).decode())
        refused = site.run("reload")
        assert refused.returncode == 1 and "secrets changed" in refused.stderr


def test_gatehouse_reload_says_when_there_is_no_server_or_no_way_to_ask():
    with a_site_with_operations(**FILES_ALONE) as site:
        absent = site.run("reload")
        assert absent.returncode == 1 and "no server answers" in absent.stderr
    with a_site(**FILES_ALONE) as site:
        unable = site.run("reload")
        assert unable.returncode == 1 and "operations.listen" in unable.stderr and "SIGHUP" in unable.stderr


def test_reloads_that_come_at_once_end_with_the_last_files():
    with a_site_with_operations() as site:
        server = site.serve()
        for number in range(5):
            site.project["apiKeys"] = ["demo-api-key", f"key-{number}"]
            site.write()
            server.signal(signal.SIGHUP)
        assert site.run("reload").returncode == 0
        assert requests.get(site.url + "/v1/projects?key=key-4", timeout=TIMEOUT).status_code == 200


ADA = {"project": "adas", "number": 100000000009, "apiKeys": ["key-of-ada"], "authorizedDomains": ["localhost"]}


def is_known(site, key):
    return requests.get(f"{site.url}/v1/projects?key={key}", timeout=TIMEOUT).status_code == 200


def test_a_fault_in_one_projects_file_stops_no_other_project_at_a_reload():
    with a_site_with_operations(others={"adas": ADA}) as site:
        server = site.serve()
        site.others["adas"] = {**ADA, "apiKeys": ["another-key-of-ada"], "apiKye": "typo"}
        site.project["apiKeys"] = ["demo-api-key", "another-key"]
        site.write()
        (site.folder / "projects/new.yaml").write_text("nonsense: [")
        told = site.run("reload")
        assert told.returncode == 1 and "reloaded in part" in told.stderr
        assert "the project adas keeps its former configuration" in told.stderr and 'did you mean "apiKeys"' in told.stderr
        assert "projects/new.yaml is not taken, and its project is not in use" in told.stderr
        assert is_known(site, "another-key") and is_known(site, "key-of-ada") and not is_known(site, "another-key-of-ada")
        assert "adas keeps its former configuration" in server.logged("reloaded in part")
        wait_until(lambda: server.metric(SUCCESSFUL) == 0, what="the metric")

        (site.folder / "projects/new.yaml").unlink()
        site.others["adas"] = {**ADA, "apiKeys": ["another-key-of-ada"]}
        site.write()
        assert site.run("reload", check=True).stdout == "reloaded\n"
        assert is_known(site, "another-key-of-ada") and not is_known(site, "key-of-ada")


def test_a_reload_changes_nothing_when_a_project_claims_what_one_with_a_fault_still_has():
    with a_site_with_operations(others={"adas": ADA}) as site:
        site.serve()
        site.others["adas"] = {**ADA, "apiKeys": ["another-key-of-ada"], "apiKye": "typo"}
        site.project["apiKeys"] = ["demo-api-key", "key-of-ada"]
        site.write()
        told = site.run("reload")
        assert told.returncode == 1 and "not reloaded: " in told.stderr and "apiKye" in told.stderr
        answer = requests.get(f"{site.url}/v1/projects?key=key-of-ada", timeout=TIMEOUT)
        assert answer.json()["projectId"] == str(ADA["number"])


def test_a_provider_of_other_people_keeps_its_project_alone_at_a_reload(fake_issuer, real_issuer):
    with a_site_with_operations(others={"adas": {**ADA, "providers": {"oidc.fake": fake_issuer.entry()}}}) as site:
        server = site.serve()
        body = {"postBody": f"providerId=oidc.fake&id_token={fake_issuer.id_token('loyal')}", "requestUri": "http://localhost"}
        assert server.api("key-of-ada").call("signInWithIdp", body).status_code == 200
        site.others["adas"] = {**ADA, "providers": {"oidc.fake": real_issuer.entry()}}
        site.project["apiKeys"] = ["demo-api-key", "another-key"]
        site.write()
        told = site.run("reload")
        assert told.returncode == 1 and "the project adas keeps its former configuration" in told.stderr and "issuer" in told.stderr
        assert is_known(site, "another-key")
        assert server.api("key-of-ada").call("signInWithIdp", body).status_code == 200

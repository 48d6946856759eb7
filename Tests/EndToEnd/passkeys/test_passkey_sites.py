"""The site that passkeys are for: it stays while there are passkeys, and its host says which apps and other sites may use them."""

import json

import pytest
import requests

from support.accounts import sign_up
from support.clients.api import API, assert_error
from support.harness import free_port
from support.names import METHODS, TIMEOUT
from support.passkeys import PASSKEYS, PasskeyAPI
from support.servers.site import FILES_ALONE, Site, a_site

APPS = [
    {"ios": {"bundleId": "com.example.apple", "appId": "1:7:ios:a1b2", "teamId": "ABCDE12345"}},
    {"android": {"package": "com.example.droid", "sha1": "da39a3ee5e6b4b0d3255bfef95601890afd80709", "sha256": ["ab" * 32]}},
]
FILES = {
    "/.well-known/assetlinks.json": [
        {
            "relation": ["delegate_permission/common.handle_all_urls", "delegate_permission/common.get_login_creds"],
            "target": {
                "namespace": "android_app",
                "package_name": "com.example.droid",
                "sha256_cert_fingerprints": [":".join(["AB"] * 32)],
            },
        }
    ],
    "/.well-known/apple-app-site-association": {"webcredentials": {"apps": ["ABCDE12345.com.example.apple"]}},
    "/.well-known/webauthn": {"origins": ["https://example.org", "https://example.net"]},
}


@pytest.fixture
def stage():
    settings = {"operations": {"listen": f"127.0.0.1:{free_port()}"}}
    with a_site(project={"passkeys": PASSKEYS, "signIn": METHODS}, settings=settings) as site:
        yield site


def test_SEC_48_the_site_stays_while_there_are_passkeys(stage):
    server = stage.serve()
    api = API(server.url)
    authenticator, _ = PasskeyAPI(api).enrol(sign_up(api)["idToken"])
    stage.project["passkeys"] = {"rpId": "app.example.com"}
    stage.write()
    reload = stage.run("reload")
    assert reload.returncode != 0 and "people have passkeys for example.com" in reload.stdout + reload.stderr
    assert PasskeyAPI(api).sign_in(authenticator).status_code == 200, "the former configuration stays"
    server.stop()
    refused = stage.run("serve")
    assert refused.returncode != 0 and "people have passkeys for example.com" in refused.stdout + refused.stderr
    assert "people have passkeys for example.com" in stage.run("doctor").stdout
    stage.project["passkeys"] = PASSKEYS
    stage.write()
    api = API(stage.serve().url)
    assert PasskeyAPI(api).sign_in(authenticator).status_code == 200


def test_SEC_48_an_operator_can_accept_that_passkeys_die(stage):
    server = stage.serve()
    api = API(server.url)
    authenticator, _ = PasskeyAPI(api).enrol(sign_up(api)["idToken"])
    server.stop()
    stage.project["passkeys"] = {"rpId": "app.example.com"}
    stage.write()
    api = API(stage.serve(arguments=["--accept-orphaned-passkeys"]).url)
    options = PasskeyAPI(api).request_options()
    assert options["rpId"] == "app.example.com"
    authenticator.rp_id = "app.example.com"
    assert assert_error(PasskeyAPI(api).finish(authenticator.get(options)), "INVALID_AUTHENTICATOR_RESPONSE").endswith("rpId")


def test_the_host_of_the_site_names_apps_and_other_sites():
    related = FILES["/.well-known/webauthn"]["origins"]
    project = {
        "passkeys": {"rpId": "localhost", "relatedOrigins": related},
        "apps": APPS,
        "redirect": {"publicURL": "http://localhost:8080"},
    }
    with a_site(project=project) as site:
        server = site.serve()
        for path, content in FILES.items():
            answer = requests.get(server.url + path, timeout=TIMEOUT)
            assert answer.status_code == 200 and answer.headers["content-type"].startswith("application/json"), answer.text
            assert answer.json() == content
        printed = site.run("passkeys", "files", "demo").stdout
        for path, content in FILES.items():
            _, _, text = printed.partition(f"https://localhost{path}\n")
            assert json.JSONDecoder().raw_decode(text)[0] == content


def test_another_host_serves_none_of_it(stage):
    server = stage.serve()
    for path in FILES:
        assert requests.get(server.url + path, timeout=TIMEOUT).status_code == 404
    assert "needs no file" in stage.run("passkeys", "files", "demo").stderr
    assert (
        "is not known" in stage.run("passkeys", "files", "nobody").stderr
        or "does not have a project" in stage.run("passkeys", "files", "nobody").stderr
    )


def test_two_projects_of_one_site_are_noted():
    other = {"project": "other", "number": 2, "apiKeys": ["o"], "authorizedDomains": ["other.example.com"], "passkeys": PASSKEYS}
    site = Site(project={"passkeys": PASSKEYS}, others={"other": other}, **FILES_ALONE)
    told = site.run("check")
    assert "in one list" in told.stdout + told.stderr
    site.close()

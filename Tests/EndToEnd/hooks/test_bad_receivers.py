"""Receivers of hooks that are slow, dead, lying, huge or redirecting, and what comes of it."""

import json
import threading

import pytest

from support.accounts import address, anonymous, sign_up
from support.clients.api import API, assert_error
from support.gateway import Gateway, signing_secret
from support.harness import free_port, together, wait_until
from support.hosted_pages.stage import PASSWORD, HostedSite, account
from support.hosted_pages.visitor import Visitor
from support.mail.mailing_site import MailingSite
from support.names import METHODS, TIMEOUT
from support.servers.site import Site
from support.web_server import WebServer

SILENT = "BLOCKING_FUNCTION_ERROR_RESPONSE : ((The sign-in check did not answer.))"


@pytest.fixture
def gateway(gateway):
    gateway.answers = [(200, "{}")]
    return gateway


@pytest.fixture
def served():
    sites = []

    def make(hooks, kind=Site, settings=None, **project):
        entries = {name: {"secrets": {"env": "HOOK_SECRET"}, **entry} for name, entry in hooks.items()}
        site = kind(settings=settings or {}, project={"hooks": entries, "signIn": METHODS, **project})
        site.variables = {"HOOK_SECRET": signing_secret()}
        sites.append(site)
        site.serve()
        return site

    yield make
    for site in sites:
        site.close()


def known(site):
    """A person with a password, who signed up before there was a hook."""
    hooks = site.project.pop("hooks")
    site.reload({})
    made = sign_up(API(site.url))
    site.project["hooks"] = hooks
    site.reload({})
    return {"email": made["email"], "password": "correct horse", "returnSecureToken": True}


LIES = [
    (500, "{}"),
    (503, json.dumps({"error": {"status": "UNAVAILABLE", "message": "later"}})),
    (200, "<h1>it works</h1>"),
    (200, ""),
    (200, json.dumps({"userRecord": {"displayName": "no mask"}})),
    (200, json.dumps({"userRecord": {"customClaims": {"sub": "eve"}, "updateMask": "customClaims"}})),
    (200, json.dumps({"padding": "x" * 70_000})),
    (404, "not here"),
]


@pytest.mark.parametrize("policy", ["refuse", "allow"])
def test_SEC_61_an_answer_that_is_not_sound_is_judged_by_the_policy(served, gateway, policy):
    site = served({"beforeSignIn": {"url": gateway.url, "onFailure": policy}})
    api, body = API(site.url), known(site)
    for lie in LIES:
        gateway.answers = [lie]
        answer = api.call("signInWithPassword", body)
        if policy == "refuse":
            assert assert_error(answer, "BLOCKING_FUNCTION_ERROR_RESPONSE") == SILENT
        else:
            assert answer.status_code == 200, answer.text
    assert gateway.url not in answer.text
    wait_until(lambda: site.servers[0].log().count("a hook gave no sound answer") == len(LIES), what="a line for each")
    wait_until(lambda: site.servers[0].metric('gatehouse_hook_calls_total{hook="beforeSignIn",outcome="failed"}') == len(LIES))


def test_SEC_61_a_redirect_is_not_followed_and_a_private_address_not_called(served, gateway):
    other = Gateway()
    try:
        gateway.answers = [(302, "", ("location", other.url)), (307, "", ("location", other.url))]
        site = served({"beforeSignIn": {"url": gateway.url}})
        api, body = API(site.url), known(site)
        for _ in gateway.answers:
            assert assert_error(api.call("signInWithPassword", body), "BLOCKING_FUNCTION_ERROR_RESPONSE") == SILENT
        assert other.requests == []
        closed = served({"beforeSignIn": {"url": other.url}}, settings={"outbound": {"allow": []}})
        assert_error(API(closed.url).call("signUp", {**body, "email": address()}), "BLOCKING_FUNCTION_ERROR_RESPONSE")
        assert other.requests == []
    finally:
        other.close()


def test_SEC_61_the_words_of_a_refusal_are_cleaned(served, gateway):
    message = "a : b\n\u0000\u202e<script>" + "x" * 400
    gateway.answers = [(403, json.dumps({"error": {"status": "PERMISSION_DENIED", "message": message}}))]
    site = served({"beforeCreate": {"url": gateway.url}})
    answer = API(site.url).call("signUp", {"email": address(), "password": "correct horse", "returnSecureToken": True})
    text = assert_error(answer, "BLOCKING_FUNCTION_ERROR_RESPONSE")
    assert text.count(" : ") == 1
    refusal = json.loads(text.partition("returned an error: ")[2])["error"]
    assert refusal["message"].startswith("a: b <script>xx") and len(refusal["message"]) == 300 and refusal["code"] == 403


def test_an_operator_tries_a_hook(served, gateway):
    site = served({name: {"url": gateway.url} for name in ("beforeSignIn", "beforeSendSms")})

    def tried(hook, answer):
        gateway.answers = [answer]
        result = site.run("hooks", "test", "demo", hook)
        return result.returncode, result.stdout + result.stderr

    assert tried("beforeSendSms", (200, "{}")) == (0, "beforeSendSms goes on.\n")
    changes = {"userRecord": {"displayName": "Ada", "disabled": True, "updateMask": "displayName,disabled"}}
    assert tried("beforeSignIn", (200, json.dumps(changes))) == (
        0,
        "beforeSignIn goes on. It changes:\n  displayName: Ada\n  disabled: true\n",
    )
    refusal = {"error": {"status": "PERMISSION_DENIED", "message": "Only staff."}}
    assert tried("beforeSignIn", (403, json.dumps(refusal))) == (
        0,
        "beforeSignIn refuses, with status 403 PERMISSION_DENIED: Only staff.\n",
    )
    status, text = tried("beforeSignIn", (500, "{}"))
    assert status == 1 and "beforeSignIn gave no sound answer: status 500. By onFailure: refuse" in text
    status, text = tried("beforeCreate", (200, "{}"))
    assert status == 1 and "no hook beforeCreate" in text
    assert site.value("SELECT count(*) FROM accounts") == 0


def test_a_dead_page_leaves_people_as_they_were(served):
    site = served({"beforeSignIn": {"url": f"http://127.0.0.1:{free_port()}"}})
    api, body = API(site.url), known(site)
    # More often than wrong passwords would be let through.
    for _ in range(30):
        assert assert_error(api.call("signInWithPassword", body), "BLOCKING_FUNCTION_ERROR_RESPONSE") == SILENT
    assert site.value("SELECT count(*) FROM sessions") == 1
    site.project["hooks"] = {}
    site.reload({})
    api.succeed("signInWithPassword", body)


def test_a_page_that_thinks_holds_no_connection(served):
    free = threading.Event()

    def think(environ, start):
        environ["wsgi.input"].read(int(environ["CONTENT_LENGTH"]))
        free.wait(TIMEOUT)
        start("200 OK", [("content-type", "application/json")])
        return [b"{}"]

    page = WebServer(think)
    try:
        # Fewer connections than sign-ins that wait.
        site = served(
            {"beforeSignIn": {"url": page.url}}, settings={"databasePool": {"readConnections": 1, "writeConnections": 1, "wait": "60s"}}
        )
        waiting = threading.Thread(target=lambda: answers.extend(together(20, lambda _: sign_up_silently(site))))
        answers = []
        waiting.start()
        for _ in range(5):
            assert anonymous(API(site.url)).status_code == 200
        assert answers == []
        free.set()
        waiting.join(TIMEOUT)
        assert [answer.status_code for answer in answers] == [200] * 20, [answer.text for answer in answers]
    finally:
        free.set()
        page.close()


def sign_up_silently(site):
    return API(site.url).call("signUp", {"email": address(), "password": "correct horse", "returnSecureToken": True})


def test_SEC_15_a_hook_decides_about_mails_and_learns_not_who_has_an_account(served, gateway):
    site = served({"beforeSendEmail": {"url": gateway.url}}, kind=MailingSite)
    api = site.servers[0].api()
    email, stranger = sign_up(api)["email"], address()
    for to in (stranger, email):
        api.succeed("sendOobCode", {"requestType": "PASSWORD_RESET", "email": to})
    site.mail(email)
    wait_until(lambda: len(gateway.requests) == 2, what="the question about each")
    assert site.mails(stranger) == []
    gateway.answers = [(403, json.dumps({"error": {"status": "PERMISSION_DENIED", "message": "no"}}))]
    api.succeed("sendOobCode", {"requestType": "PASSWORD_RESET", "email": email})
    line = site.servers[0].logged("mail given up")
    assert "beforeSendEmail refused it" in line and len(site.mails(email)) == 1
    wait_until(lambda: site.value("SELECT count(*) FROM deliveries WHERE due_at < 'infinity'") == 0, what="the end of the mails")


def test_a_hosted_page_shows_the_reason_as_text(gateway):
    gateway.answers = [(403, json.dumps({"error": {"status": "PERMISSION_DENIED", "message": "Only <b>staff</b> & friends."}}))]
    stage = HostedSite(project={"hooks": {"beforeSignIn": {"url": gateway.url, "secrets": {"env": "HOOK_SECRET"}}}})
    stage.variables = {"HOOK_SECRET": signing_secret()}
    try:
        stage.serve()
        hooks = stage.project.pop("hooks")
        stage.reload(stage.project["providers"])
        email = account(stage, stage.servers[0].api(), address())["email"]
        stage.project["hooks"] = hooks
        stage.reload(stage.project["providers"])
        visitor = Visitor(stage)
        page = visitor.sign_in(visitor.open(stage.request().url), email, PASSWORD)
        assert page.status == 403 and "Only <b>staff</b> & friends." in page.text
        assert "<b>staff" not in page.response.text
    finally:
        stage.close()

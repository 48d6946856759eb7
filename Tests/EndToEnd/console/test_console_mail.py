"""The console's pages about mails, with a mail server: a mail in a frame, one that is sent to the operator, and mails that were given up."""

import http.server
import json
import threading

import pytest

from support.browser.layout import examine
from support.browser.tab import until
from support.console import ConsoleSite, Operator
from support.harness import wait_until
from support.mail.outbox import put
from support.mail.smtp import Post

MAIL = "/projects/demo/mail"
PREVIEW = f"{MAIL}/templates/resetPassword/en"
# A template that would like to load a picture, to lead its reader away by itself, and to do so at the press of a key.
TEMPLATE = """<!doctype html>
<html lang="en"><head><title>{{subject}}</title><meta http-equiv="refresh" content="0;url=%(url)s/leads-away"></head>
<body style="background-image:url(%(url)s/background.png)">
<p><a href="{{link}}" id="link">Choose a new password</a></p><p><a href="%(url)s/elsewhere" target="_top">Elsewhere</a></p>
<p><img src="%(url)s/picture.png" alt="Picture"></p></body></html>
"""


@pytest.fixture(scope="module")
def post():
    post = Post()
    yield post
    post.close()


@pytest.fixture(scope="module")
def elsewhere():
    """Another server, with the paths that it was asked for."""

    class Handler(http.server.BaseHTTPRequestHandler):
        def do_GET(self):
            self.server.asked.append(self.path)
            self.send_response(204)
            self.end_headers()

        def log_message(self, *_):
            pass

    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.asked, server.url = [], f"http://127.0.0.1:{server.server_port}"
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield server
    server.shutdown()


@pytest.fixture(scope="module")
def stage(fake_issuer_of_session, post, elsewhere):
    site = ConsoleSite(fake_issuer_of_session, settings={"mail": post.settings()})
    folder = site.folder / "look"
    folder.mkdir()
    (folder / "mail.resetPassword.html").write_text(TEMPLATE % {"url": elsewhere.url})
    site.project["mail"] = {"templates": str(folder)}
    site.write()
    site.serve()
    yield site
    site.close()


@pytest.fixture(autouse=True)
def fresh(stage, post):
    """The outbox and the mail server without what another test has left in them."""
    stage.rows("DELETE FROM deliveries")
    post.replies.clear()


@pytest.fixture
def ada(browser):
    assert browser.sign_in().status_code == 200
    return browser


def audit(site):
    lines = site.run("audit", "list", "demo", "--action", "sampleMail.sent", "--json", check=True).stdout.splitlines()
    return [json.loads(line) for line in lines]


def test_a_mail_goes_to_the_operator_and_to_no_other_person(stage, ada, post):
    assert 'id="send"' in ada.open(PREVIEW).text
    done = ada.submit(PREVIEW + "/send")
    assert done.headers["location"] == f"{PREVIEW}?note=sent"
    assert "has taken the mail" in ada.open(f"{PREVIEW}?note=sent").text
    mail = post.wait_for(1)
    assert mail.recipients == ["ada@example.com"] and "oobCode=this-is-a-sample" in mail.text
    assert mail["Subject"].startswith("Reset your password") and "picture.png" in mail.html
    assert [(event["actor"], event["details"]["mail"]) for event in audit(stage)] == [("ada", "resetPassword")]
    assert stage.value("SELECT count(*) FROM deliveries") == 0


def test_what_the_mail_server_says_stands_on_the_page(stage, ada, post):
    before = len(post.messages)
    for command, reply, words in [
        ("RCPT", "550 no such mailbox", "The mail server refuses the mail:"),
        ("DATA", "451 try later", "The mail server did not take the mail:"),
    ]:
        post.reply(command, reply)
        told = ada.submit(PREVIEW + "/send")
        assert told.status_code == 200 and words in told.text and reply.split()[0] in told.text
    assert len(post.messages) == before


def test_support_without_a_reason_sends_nothing(stage, staff, post):
    before = len(audit(stage))
    ben = Operator(stage)
    ben.sign_in("ben")
    assert ben.submit(PREVIEW + "/send").status_code == 400 and len(audit(stage)) == before
    assert ben.submit(PREVIEW + "/send", reason="a person asked").status_code == 303
    assert post.messages[-1].recipients == ["ben@trusted.example"]


def test_a_mail_that_was_given_up_stays_without_its_person(stage, ada, post):
    post.reply("RCPT", "550 unknown mailbox")
    code = put(stage, "grace@example.com")
    wait_until(lambda: "550" in ada.open(MAIL).text, what="the mail among those that were given up")
    page = ada.open(MAIL).text
    assert "Given up in the last 14 days" in page and "grace@" not in page and code not in page
    row = stage.rows("SELECT purpose, outcome, expires_at > now() + interval '13 days' FROM deliveries WHERE kind = 'mail'")
    assert row == [(None, "failed", True)]
    (told,) = stage.run("mails", "list", "--given-up", "--json", check=True).stdout.splitlines()
    mail = json.loads(told)
    assert (mail["project"], mail["kind"], mail["attempts"]) == ("demo", "resetPassword", 1) and "550" in mail["reason"]
    listed = stage.run("mails", "list", "--given-up", check=True)
    assert mail["mail"] in listed.stdout and "1 mail was given up" in listed.stderr and "grace@" not in listed.stdout
    assert stage.run("mails", "list", "--json", check=True).stdout == ""


def test_the_frame_of_a_mail_loads_nothing(stage, staff, driver, elsewhere):
    sign_in(stage, driver)
    driver.requests()
    driver.get(stage.console + PREVIEW)
    assert driver.find_element("tag name", "iframe").get_attribute("sandbox") == ""
    asked = set()
    wait_until(
        lambda: asked.update(address for address, _ in driver.requests()) or f"{stage.console}{PREVIEW}/html" in asked,
        what="the request of the frame",
    )
    assert not [address for address in asked if address.startswith(stage.url)], asked
    driver.get(elsewhere.url + "/of-itself")
    wait_until(lambda: "/of-itself" in elsewhere.asked, what="a request of this browser there")
    assert elsewhere.asked[0] == "/of-itself", "the picture of the mail"


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_pages_fit_and_can_be_read_out(stage, staff, driver, post, scheme):
    post.reply("RCPT", "550 unknown mailbox")
    put(stage, "grace@example.com")
    wait_until(lambda: stage.value("SELECT count(*) FROM deliveries WHERE outcome = 'failed'") > 0, what="a mail that was given up")
    sign_in(stage, driver)
    driver.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": [{"name": "prefers-color-scheme", "value": scheme}]})
    for name, path in {"mail": MAIL, "preview": PREVIEW, "sent": f"{PREVIEW}?note=sent", "send": PREVIEW + "/send"}.items():
        driver.get(stage.console + path)
        examine(driver, f"console-{scheme}-given-up-{name}")
    post.reply("RCPT", "550 no such mailbox")
    driver.find_element("id", "go").click()
    until(driver, lambda: "was not sent" in driver.title, "answer of the mail server")
    examine(driver, f"console-{scheme}-mail-refused")


def sign_in(stage, driver):
    driver.forget()
    driver.get(stage.console + "/sign-in/start")
    driver.find_element("id", "next").click()

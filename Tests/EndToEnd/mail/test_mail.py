"""Mail from the outbox to a real SMTP server, whatever happens on the way."""

import re
import signal
import threading
from urllib.parse import parse_qs, urlsplit

import pytest
import requests

from support.clients import API
from support.common import note
from support.harness import Site, free_port, wait_until
from support.mail import PASSWORD, USER, Certificate, Post, now, put, waiting


@pytest.fixture
def post():
    post = Post()
    yield post
    post.close()


@pytest.fixture(scope="module")
def certificate(tmp_path_factory):
    return Certificate(tmp_path_factory.mktemp("certificates"))


@pytest.fixture
def sites():
    made = []

    def make(mail, serve=True, **more):
        # Rows leave the outbox when they are sent, as in production: development would keep them to be looked at.
        settings = {"development": False, "publicURL": "https://auth.example.com", "logLevel": "trace", "mail": mail}
        project = {"authorizedDomains": ["app.example.com", "auth.example.com"], "redirectURLs": [], **more.pop("project", {})}
        site = Site(settings={**settings, **more}, project=project)
        made.append(site)
        if serve:
            site.serve()
        return site

    yield make
    for site in made:
        site.close()


def logged(site, text, server=-1):
    return wait_until(lambda: text in site.servers[server].log(), what=f"{text!r} in the log")


# -- what arrives


def test_a_mail_arrives_complete(sites, post):
    site = sites(post.settings(), project={"branding": {"name": "Käse & Söhne", "accent": "#aa0011"}})
    code = put(site, language="de", displayName="Ada")
    mail = post.wait_for()
    assert mail.sender == "no-reply@gatehouse.example" and mail.recipients == ["ada@example.com"]
    assert mail["from"] == "Gatehouse <no-reply@gatehouse.example>" and mail["to"] == "ada@example.com"
    assert mail["subject"] == "Neues Passwort für Käse & Söhne"
    assert mail["auto-submitted"] == "auto-generated" and mail["date"] and mail["mime-version"] == "1.0"
    assert re.fullmatch(r"<[0-9a-f]{32}@gatehouse\.example>", mail["message-id"])
    assert code in mail.text and "Guten Tag, Ada," in mail.text
    assert f"oobCode={code}&amp;lang=de" in mail.html and "#aa0011" in mail.html and "Käse &amp; Söhne" in mail.html
    assert all(len(line) <= 78 for line in mail.raw.split(b"\r\n"))
    wait_until(lambda: waiting(site) == 0, what="an empty outbox")


def test_a_project_has_a_sender_and_templates_of_its_own(sites, post):
    folder = {"mail": {"from": "Acme <hello@acme.example>", "replyTo": "help@acme.example", "templates": "../templates"}}
    site = sites(post.settings(), serve=False, project=folder)
    templates = site.folder / "templates"
    templates.mkdir()
    (templates / "mail.resetPassword.subject.txt").write_text("{{project}}: {{email}}")
    (templates / "words.fr.yaml").write_text("mail: {resetPassword: {button: Choisir}}")
    site.serve()
    put(site, language="fr")
    mail = post.wait_for()
    assert mail["from"] == "Acme <hello@acme.example>" and mail["reply-to"] == "help@acme.example"
    assert mail["subject"] == "demo: ada@example.com" and "Choisir" in mail.html and mail["message-id"].endswith("@acme.example>")


def test_a_decoy_and_an_expired_letter_stay(sites, post):
    site = sites(post.settings(), serve=False)
    put(site, "decoy@example.com", due="'infinity'")
    put(site, "late@example.com", lifetime="-1 second")
    put(site, "ada@example.com")
    site.serve()
    assert post.wait_for().recipients == ["ada@example.com"]
    wait_until(lambda: waiting(site) == 2, what="one letter less")
    assert len(post.messages) == 1


# -- what asks for it


METHODS = {"signIn": {"password": True, "emailLink": True}}
ADA = {"email": "ada@example.com", "password": "correct horse battery"}


def ask(site, server=-1, email=ADA["email"], **headers):
    """Asks for a new password as an app does."""
    api = API(site.servers[server].url)
    body = {"requestType": "PASSWORD_RESET", "email": email}
    return api.post("/v1/accounts:sendOobCode", body, headers={name.replace("_", "-"): value for name, value in headers.items()})


def code_in(mail):
    link = re.search(r"https://\S+", mail.text).group()
    return note(parse_qs(urlsplit(link).query)["oobCode"][0])


def test_a_forgotten_password_is_reset_by_mail(sites, post):
    site = sites(post.settings(), project=METHODS)
    api = API(site.servers[0].url)
    api.succeed("signUp", ADA)
    assert ask(site, x_firebase_locale="de").json()["email"] == ADA["email"]
    mail = post.wait_for()
    assert mail.recipients == [ADA["email"]] and mail["subject"] == "Neues Passwort für demo"
    api.succeed("resetPassword", {"oobCode": code_in(mail), "newPassword": "battery staple horse"})
    api.succeed("signInWithPassword", {**ADA, "password": "battery staple horse"})


def test_SEC_07_no_header_of_a_request_changes_what_is_mailed(sites, post):
    site = sites(post.settings(), project=METHODS)
    API(site.servers[0].url).succeed("signUp", ADA)
    hostile = [
        {},
        {"host": "evil.example"},
        {"x_forwarded_host": "evil.example", "x_forwarded_proto": "http", "x_forwarded_port": "81"},
        {"forwarded": "host=evil.example;proto=http"},
        {"origin": "https://evil.example", "referer": "https://evil.example/"},
    ]
    texts = set()
    for number, headers in enumerate(hostile, 1):
        assert ask(site, **headers).status_code == 200
        mail = post.wait_for(number)
        code = code_in(mail)
        texts.add((mail["subject"], mail.text.replace(code, "CODE"), mail.html.replace(code, "CODE")))
        assert "https://auth.example.com/__/auth/action?mode=resetPassword" in mail.text
    assert len(texts) == 1


def test_SEC_15_whether_an_address_is_known_cannot_be_told(sites, post):
    site = sites(post.settings(), project=METHODS)
    API(site.servers[0].url).succeed("signUp", ADA)
    unknown, known = ask(site, email="nobody@example.com"), ask(site)
    assert unknown.status_code == known.status_code == 200
    assert unknown.text.replace("nobody@example.com", "") == known.text.replace(ADA["email"], "")
    assert post.wait_for().recipients == [ADA["email"]]
    wait_until(lambda: waiting(site) == 1, what="the letter's end")
    assert site.value("SELECT due_at = 'infinity' AND attempts = 0 FROM mail_outbox") is True
    code_in(post.messages[0])


def test_a_crash_after_the_answer_loses_no_mail(sites, post):
    site = sites(post.settings(), project=METHODS)
    API(site.servers[0].url).succeed("signUp", ADA)
    post.hold = threading.Event()
    assert ask(site).status_code == 200
    site.servers[0].kill()
    post.hold.set()
    wait_until(lambda: waiting(site) == 1, what="the committed letter")
    now(site)
    site.serve()
    code_in(post.wait_for())
    wait_until(lambda: waiting(site) == 0, what="an empty outbox")
    assert len(post.messages) == 1


# -- who is trusted


def test_by_starttls_and_a_log_in(sites, certificate):
    post = Post(certificate, auth=True)
    try:
        secret = {"user": USER, "password": {"file": "smtp.password"}, "authorities": str(certificate.authority)}
        site = sites(post.settings(security="starttls", **secret), serve=False)
        (site.folder / "smtp.password").write_text(PASSWORD + "\n")
        site.serve()
        put(site)
        assert post.wait_for().recipients == ["ada@example.com"]
        checked = site.run("check", "--live")
        assert "mail  ok" in checked.stdout, checked.stdout + checked.stderr
    finally:
        post.close()


def test_by_tls_from_the_first_byte(sites, certificate):
    post = Post(certificate, implicit=True)
    try:
        site = sites(post.settings(security="tls", host="localhost", authorities=str(certificate.authority)))
        put(site)
        assert post.wait_for().recipients == ["ada@example.com"]
    finally:
        post.close()


def test_a_server_that_nobody_vouches_for_gets_nothing(sites, certificate):
    post = Post(certificate)
    try:
        site = sites(post.settings(security="starttls"))
        put(site)
        logged(site, "mail not taken")
        assert post.messages == [] and post.commands == [] and waiting(site) == 1
        checked = site.run("check", "--live")
        assert checked.returncode != 0 and "certificate" in checked.stdout.lower()
    finally:
        post.close()


def test_a_server_without_encryption_gets_nothing_where_it_is_asked_for(sites, post):
    site = sites(post.settings(security="starttls"))
    put(site)
    logged(site, "mail not taken")
    assert post.commands == [] and waiting(site) == 1


def test_a_wrong_password_can_be_mended(sites, certificate):
    post = Post(certificate, auth=True)
    try:
        secret = {"user": USER, "password": {"file": "smtp.password"}, "authorities": str(certificate.authority)}
        site = sites(post.settings(security="starttls", **secret), serve=False)
        (site.folder / "smtp.password").write_text("not-the-password-at-all")
        server = site.serve()
        put(site)
        logged(site, "mail not taken")
        assert waiting(site) == 1
        server.stop()
        (site.folder / "smtp.password").write_text(PASSWORD)
        now(site)
        site.serve()
        assert post.wait_for().recipients == ["ada@example.com"]
    finally:
        post.close()


# -- what goes wrong


@pytest.mark.parametrize("command", ["MAIL", "RCPT", "DATA"])
def test_a_server_that_is_busy_gets_the_mail_later(sites, post, command):
    site = sites(post.settings())
    post.reply(command, "451 later")
    put(site)
    logged(site, "mail not taken")
    assert site.value("SELECT due_at > now() + interval '5 seconds' FROM mail_outbox") is True
    now(site)
    post.wait_for()
    wait_until(lambda: waiting(site) == 0, what="an empty outbox")
    assert len(post.messages) == 1


@pytest.mark.parametrize("command", ["RCPT", "DATA"])
def test_what_a_server_refuses_for_good_is_given_up(sites, post, command):
    site = sites(post.settings())
    post.reply(command, "550 no")
    put(site)
    put(site, "grace@example.com")
    logged(site, "mail given up")
    post.wait_for()
    wait_until(lambda: waiting(site) == 0, what="an empty outbox")
    assert len(post.messages) == 1 and "550" in site.servers[0].log()


def test_an_address_that_is_none_is_given_up(sites, post):
    site = sites(post.settings())
    put(site, "ada@example.com\r\nBcc: eve@example.com")
    put(site, "ädä@exämple.com")
    wait_until(lambda: waiting(site) == 0, what="an empty outbox")
    assert post.messages == [] and post.commands == []
    wait_until(lambda: site.servers[0].log().count("mail given up") == 2, what="a line for each of the two")


def test_a_server_that_is_down_gets_the_mail_when_it_is_up(sites):
    post = Post()
    settings, port = post.settings(), post.port
    post.close()
    site = sites(settings)
    put(site)
    logged(site, "mail not taken")
    post = Post(port=port)
    try:
        now(site)
        assert post.wait_for().recipients == ["ada@example.com"]
    finally:
        post.close()


# -- crashes


def test_a_crash_between_commit_and_send_loses_nothing_and_doubles_nothing(sites, post):
    site = sites(post.settings())
    site.servers[0].kill()
    put(site)
    site.serve()
    post.wait_for()
    wait_until(lambda: waiting(site) == 0, what="an empty outbox")
    assert len(post.messages) == 1


def test_a_crash_while_sending_leads_to_another_attempt_after_the_lease(sites, post):
    site = sites(post.settings())
    post.hold = threading.Event()
    put(site)
    assert post.arrived.wait(30)
    site.servers[0].kill()
    # The connection broke before the server had said yes, so it does not deliver this copy.
    post.hold.set()
    site.serve()
    wait_until(lambda: "serving" in site.servers[1].log(), what="the second server")
    assert site.value("SELECT due_at > now() FROM mail_outbox") is True and post.messages == []
    now(site)
    mail = post.wait_for()
    wait_until(lambda: waiting(site) == 0, what="an empty outbox")
    assert len(post.messages) == 1 and mail.recipients == ["ada@example.com"]


def test_a_stop_lets_the_mail_on_its_way_arrive(sites, post):
    site = sites(post.settings())
    post.hold = threading.Event()
    put(site)
    assert post.arrived.wait(30)
    site.servers[0].signal(signal.SIGTERM)
    threading.Timer(1, post.hold.set).start()
    assert site.servers[0].process.wait(20) == 0
    assert len(post.messages) == 1 and waiting(site) == 0


def test_several_processes_share_the_work(sites, post):
    site = sites(post.settings(), serve=False)
    people = {f"person{number}@example.com" for number in range(60)}
    for person in people:
        put(site, person)
    servers = [site.serve(), site.serve(port=free_port())]
    post.wait_for(len(people))
    wait_until(lambda: waiting(site) == 0, what="an empty outbox")
    assert sorted(mail.recipients[0] for mail in post.messages) == sorted(people)
    wait_until(lambda: all('"mail sent"' in server.log() for server in servers), what="a mail of each process")


# -- configuration


def test_without_a_way_of_mail_nothing_is_sent_and_nothing_breaks(sites):
    site = sites(None, serve=False, project=METHODS)
    del site.settings["mail"]
    site.write()
    site.serve()
    put(site)
    assert "OPERATION_NOT_ALLOWED" in ask(site).text and waiting(site) == 1
    assert "mail sent" not in site.servers[0].log()


def test_into_a_folder(sites):
    site = sites({"transport": "file", "from": "no-reply@gatehouse.example", "folder": "mails"})
    code = put(site)
    folder = site.folder / "mails"
    wait_until(lambda: waiting(site) == 0, what="an empty outbox")
    (file,) = folder.iterdir()
    assert file.suffix == ".eml" and code in file.read_bytes().replace(b"=\r\n", b"").decode()


def test_SEC_21_the_log_of_production_holds_no_link(sites):
    site = sites({"transport": "log", "from": "no-reply@gatehouse.example"})
    code = put(site)
    logged(site, '"mail sent"')
    log = site.servers[0].log()
    assert "Reset your password" in log and code not in log and "oobCode" not in log


def test_every_fault_is_told_at_once(sites):
    site = sites({"transport": "smtp", "from": "nobody", "smtp": {"port": 0, "user": "u", "security": "tsl"}}, serve=False)
    site.project.update(branding={"accent": "red", "language": "xx"}, mail={"actionURL": "http://x", "templates": "none"})
    site.write()
    faults = site.run("check")
    assert faults.returncode != 0
    for words in ["mail.from", "mail.smtp.host", "mail.smtp.port", "mail.smtp.user", "mail.smtp.security", "branding.accent", "actionURL", "cannot be read"]:
        assert words in faults.stdout, words


def test_a_fault_in_a_template_is_a_fault_of_the_configuration(sites, post):
    site = sites(post.settings(), serve=False, project={"mail": {"templates": "../templates"}})
    (site.folder / "templates").mkdir()
    (site.folder / "templates/mail.html").write_text("<p>\n{{#link}}</p>")
    faults = site.run("check")
    assert faults.returncode != 0 and "templates/mail.html:2" in faults.stdout and "{{/link}}" in faults.stdout


def test_a_password_never_travels_readable(sites, post):
    settings = post.settings(host="mail.example.com", user=USER, password={"env": "CLIENT_SECRET"})
    faults = sites(settings, serve=False).run("check")
    assert faults.returncode != 0 and "readable" in faults.stdout


# -- what it costs others


def round_trips(site):
    """What each loop has asked of the database so far."""
    text = requests.get(site.url + "/metrics", timeout=10).text
    return {int(loop): int(float(count)) for loop, count in re.findall(r'gatehouse_database_round_trips_total\{loop="(\d+)"\} (\S+)', text)}


def test_SEC_15_mail_leaves_on_a_loop_that_serves_no_requests(sites, post):
    """What sends is the third of three loops, and it alone is at work while a mail goes out: nobody's calls wait for it."""
    site = sites(post.settings(), loops=2)
    requests.get(site.url + "/health/ready", timeout=10)
    # What a loop does by the clock may come between; not with each of five mails.
    for number in range(1, 6):
        before = round_trips(site)
        assert set(before) == {0, 1, 2}
        put(site)
        post.wait_for(number)
        wait_until(lambda: waiting(site) == 0, what="the letter's end")
        after = round_trips(site)
        assert after[2] >= before[2] + 2, "it was leased and deleted"
        if all(after[loop] == before[loop] for loop in (0, 1)):
            return
    raise AssertionError("loops that serve requests were at work with every mail")

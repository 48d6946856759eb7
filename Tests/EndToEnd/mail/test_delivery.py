"""What arrives at a real SMTP server, and what asks for it."""

import re

import requests

from support.clients.api import API
from support.harness import wait_until
from support.mail.mailing_site import ADA, ask_for_reset, code_in
from support.mail.outbox import put, waiting
from support.names import METHODS, TIMEOUT


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


def test_a_decoy_stays_and_an_expired_letter_is_given_up(sites, post):
    site = sites(post.settings(), serve=False)
    put(site, "decoy@example.com", due="'infinity'")
    put(site, "late@example.com", lifetime="-1 second")
    put(site, "ada@example.com")
    site.serve()
    assert post.wait_for().recipients == ["ada@example.com"]
    wait_until(lambda: waiting(site) == 1, what="two letters less")
    assert len(post.messages) == 1
    site.servers[0].logged("it expired before it could be delivered")


def test_a_forgotten_password_is_reset_by_mail(sites, post):
    site = sites(post.settings(), project={"signIn": METHODS})
    api = API(site.servers[0].url)
    api.succeed("signUp", ADA)
    assert ask_for_reset(site, x_firebase_locale="de").json()["email"] == ADA["email"]
    mail = post.wait_for()
    assert mail.recipients == [ADA["email"]] and mail["subject"] == "Neues Passwort für demo"
    api.succeed("resetPassword", {"oobCode": code_in(mail), "newPassword": "battery staple horse"})
    api.succeed("signInWithPassword", {**ADA, "password": "battery staple horse"})


def test_SEC_07_no_header_of_a_request_changes_what_is_mailed(sites, post):
    site = sites(post.settings(), project={"signIn": METHODS})
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
        assert ask_for_reset(site, **headers).status_code == 200
        mail = post.wait_for(number)
        code = code_in(mail)
        texts.add((mail["subject"], mail.text.replace(code, "CODE"), mail.html.replace(code, "CODE")))
        assert "https://auth.example.com/__/auth/action?mode=resetPassword" in mail.text
    assert len(texts) == 1


def test_SEC_15_whether_an_address_is_known_cannot_be_told(sites, post):
    site = sites(post.settings(), project={"signIn": METHODS})
    API(site.servers[0].url).succeed("signUp", ADA)
    unknown, known = ask_for_reset(site, email="nobody@example.com"), ask_for_reset(site)
    assert unknown.status_code == known.status_code == 200
    assert unknown.text.replace("nobody@example.com", "") == known.text.replace(ADA["email"], "")
    assert post.wait_for().recipients == [ADA["email"]]
    wait_until(lambda: waiting(site) == 1, what="the letter's end")
    assert site.value("SELECT due_at = 'infinity' AND attempts = 0 FROM deliveries") is True
    code_in(post.messages[0])


MANY = 100


def round_trips(site):
    """The number of queries that each loop has sent so far."""
    text = requests.get(site.url + "/metrics", timeout=TIMEOUT).text
    return {int(loop): int(float(count)) for loop, count in re.findall(r'gatehouse_database_round_trips_total\{loop="(\d+)"\} (\S+)', text)}


def test_SEC_15_mail_leaves_on_a_loop_that_serves_no_requests(sites, post):
    """The last of three loops sends the mails, so no call waits for it. The others have some regular work meanwhile, and far less than a round
    trip for each mail."""
    site = sites(post.settings(), loops=2)
    requests.get(site.url + "/health/ready", timeout=TIMEOUT)
    before = round_trips(site)
    assert set(before) == {0, 1, 2}
    for _ in range(MANY):
        put(site)
    post.wait_for(MANY)
    wait_until(lambda: waiting(site) == 0, what="an empty outbox")
    # Metrics are rendered at most once a second, so the first look may show what was before.
    wait_until(lambda: round_trips(site)[2] >= before[2] + MANY, what="their ends in the metrics")
    after = round_trips(site)
    assert all(after[loop] < before[loop] + MANY for loop in (0, 1))

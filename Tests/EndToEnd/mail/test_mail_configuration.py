"""Ways for mails to leave, and faults in their configuration."""

from support.harness import wait_until
from support.mail.mailing_site import ask_for_reset
from support.mail.outbox import put, waiting
from support.mail.smtp import USER
from support.names import METHODS


def test_without_a_way_of_mail_nothing_is_sent_and_nothing_breaks(sites):
    site = sites(None, serve=False, project={"signIn": METHODS})
    del site.settings["mail"]
    site.write()
    site.serve()
    put(site)
    assert "OPERATION_NOT_ALLOWED" in ask_for_reset(site).text and waiting(site) == 1
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
    site.servers[-1].logged('"mail sent"')
    log = site.servers[0].log()
    assert "Reset your password" in log and code not in log and "oobCode" not in log


def test_every_fault_is_told_at_once(sites):
    site = sites({"transport": "smtp", "from": "nobody", "smtp": {"port": 0, "user": "u", "security": "tsl"}}, serve=False)
    site.project.update(branding={"accent": "red", "language": "xx"}, mail={"actionURL": "http://x", "templates": "none"})
    site.write()
    faults = site.run("check")
    assert faults.returncode != 0
    for words in [
        "mail.from",
        "mail.smtp.host",
        "mail.smtp.port",
        "mail.smtp.user",
        "mail.smtp.security",
        "branding.accent",
        "actionURL",
        "cannot be read",
    ]:
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
    assert faults.returncode != 0 and "without encryption" in faults.stdout

"""Which mail servers are trusted, and what happens when one refuses."""

import pytest

from support.harness import wait_until
from support.mail.outbox import now, put, waiting
from support.mail.smtp import PASSWORD, USER, Post

pytestmark = pytest.mark.long


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


def test_a_server_without_a_trusted_certificate_gets_nothing(sites, certificate):
    post = Post(certificate)
    try:
        site = sites(post.settings(security="starttls"))
        put(site)
        site.servers[-1].logged("mail not taken")
        assert post.messages == [] and post.commands == [] and waiting(site) == 1
        checked = site.run("check", "--live")
        assert checked.returncode != 0 and "certificate" in checked.stdout.lower()
    finally:
        post.close()


def test_a_server_without_encryption_gets_nothing_where_it_is_asked_for(sites, post):
    site = sites(post.settings(security="starttls"))
    put(site)
    site.servers[-1].logged("mail not taken")
    assert post.commands == [] and waiting(site) == 1


def test_a_wrong_password_can_be_mended(sites, certificate):
    post = Post(certificate, auth=True)
    try:
        secret = {"user": USER, "password": {"file": "smtp.password"}, "authorities": str(certificate.authority)}
        site = sites(post.settings(security="starttls", **secret), serve=False)
        (site.folder / "smtp.password").write_text("not-the-password-at-all")
        server = site.serve()
        put(site)
        site.servers[-1].logged("mail not taken")
        assert waiting(site) == 1
        server.stop()
        (site.folder / "smtp.password").write_text(PASSWORD)
        now(site)
        site.serve()
        assert post.wait_for().recipients == ["ada@example.com"]
    finally:
        post.close()


@pytest.mark.parametrize("command", ["MAIL", "RCPT", "DATA"])
def test_a_server_that_is_busy_gets_the_mail_later(sites, post, command):
    site = sites(post.settings())
    post.reply(command, "451 later")
    put(site)
    site.servers[-1].logged("mail not taken")
    assert site.value("SELECT due_at > created_at + interval '5 seconds' FROM deliveries") is True
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
    site.servers[-1].logged("mail given up")
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
    site.servers[-1].logged("mail not taken")
    post = Post(port=port)
    try:
        now(site)
        assert post.wait_for().recipients == ["ada@example.com"]
    finally:
        post.close()

"""A process that ends in the middle of its mails loses none and sends none twice."""

import signal
import threading

from support.clients.api import API
from support.harness import free_port, wait_until
from support.mail.mailing_site import ADA, ask_for_reset, code_in
from support.mail.outbox import now, put, waiting
from support.names import METHODS, TIMEOUT


def test_a_crash_after_the_answer_loses_no_mail(sites, post):
    site = sites(post.settings(), project={"signIn": METHODS})
    API(site.servers[0].url).succeed("signUp", ADA)
    post.hold = threading.Event()
    assert ask_for_reset(site).status_code == 200
    site.servers[0].kill()
    post.hold.set()
    wait_until(lambda: waiting(site) == 1, what="the committed letter")
    now(site)
    site.serve()
    code_in(post.wait_for())
    wait_until(lambda: waiting(site) == 0, what="an empty outbox")
    assert len(post.messages) == 1


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
    assert post.arrived.wait(TIMEOUT)
    site.servers[0].kill()
    # The connection broke before the server had confirmed, so it does not deliver this copy.
    post.hold.set()
    site.serve()
    wait_until(lambda: "serving" in site.servers[1].log(), what="the second server")
    # Leased, and for longer than this takes.
    assert site.value("SELECT due_at > created_at FROM deliveries") is True and post.messages == []
    now(site)
    mail = post.wait_for()
    wait_until(lambda: waiting(site) == 0, what="an empty outbox")
    assert len(post.messages) == 1 and mail.recipients == ["ada@example.com"]


def test_a_stop_lets_the_mail_on_its_way_arrive(sites, post):
    site = sites(post.settings())
    post.hold = threading.Event()
    put(site)
    assert post.arrived.wait(TIMEOUT)
    site.servers[0].signal(signal.SIGTERM)
    threading.Timer(1, post.hold.set).start()
    assert site.servers[0].process.wait(TIMEOUT) == 0
    assert len(post.messages) == 1 and waiting(site) == 0


def test_several_processes_share_the_work(sites, post):
    site = sites(post.settings(), serve=False)
    people = {f"person{number}@example.com" for number in range(60)}
    for person in people:
        put(site, person)
    servers = [site.serve(), site.serve(port=free_port())]

    def each_has_sent():
        # One process may have sent all before the other is there.
        person = f"person{len(people)}@example.com"
        people.add(person)
        put(site, person)
        return all('"mail sent"' in server.log() for server in servers)

    wait_until(each_has_sent, what="a mail of each process")
    post.wait_for(len(people))
    wait_until(lambda: waiting(site) == 0, what="an empty outbox")
    assert sorted(mail.recipients[0] for mail in post.messages) == sorted(people)

"""What one issuer costs: one fetch for a crowd, nothing for other providers while it is dead, and its known keys stay good."""

import threading

import pytest
from werkzeug.wrappers import Response

from support.accounts import person
from support.clients.api import assert_error
from support.clients.flows import WebFlow, refused
from support.harness import free_port, together, wait_for_end, wait_until
from support.issuers.fake_issuer import FakeIssuer
from support.jwts import foreign_key
from support.names import TIMEOUT
from support.servers.site import a_site

CROWD = 50


@pytest.fixture
def other_issuer():
    issuer = FakeIssuer()
    yield issuer
    issuer.close()


def test_a_crowd_at_a_new_server_causes_one_fetch(hostile):
    with a_site({hostile.provider: hostile.entry()}) as site:
        site.serve()
        assert together(20, lambda _: WebFlow(site, hostile.provider).run(hostile.login(person()))["isNewUser"]) == [True] * 20
        assert hostile.asked().count("jwks") == 1 and hostile.asked().count("discovery") <= 1


def test_a_dead_provider_delays_no_sign_in_with_another(fake_issuer, other_issuer):
    """One provider takes requests and never answers, one takes none. Fifty people wait for them while fifty others sign in elsewhere."""
    released, waiting = threading.Event(), threading.Semaphore(0)

    def hang(request):
        waiting.release()
        released.wait(TIMEOUT)
        return {}

    entries = {
        "oidc.live": fake_issuer.entry(),
        "oidc.silent": other_issuer.entry(),
        "oidc.gone": {**fake_issuer.entry(), "issuer": f"http://127.0.0.1:{free_port()}"},
    }
    with a_site(entries) as site:
        site.serve()
        silent = [WebFlow(site, "oidc.silent") for _ in range(CROWD)]
        backs = together(CROWD, lambda n: silent[n].to_app(other_issuer.login(person())))
        other_issuer.answers["token"] = hang
        ended, order = threading.Lock(), []

        def done(who):
            with ended:
                order.append(who)

        def wait_for_silence(number):
            response = silent[number].redeem(backs[number])
            done("silent")
            assert_error(response, "NETWORK_REQUEST_FAILED")

        def sign_in(number):
            assert WebFlow(site, "oidc.gone").start().status_code == 303
            answer = WebFlow(site, "oidc.live").run(fake_issuer.login(person()))
            done("live")
            return answer["isNewUser"]

        results = []
        crowd = threading.Thread(target=lambda: results.extend(together(CROWD, wait_for_silence)))
        crowd.start()
        wait_until(lambda: waiting.acquire(blocking=False), what="a request without an answer")
        assert together(CROWD, sign_in) == [True] * CROWD
        wait_for_end(crowd)
        released.set()
        assert results == [None] * CROWD
        # Only their time limit of ten seconds ends the silent ones. Half of the others is much for a slow machine, and none if they had to wait.
        assert order[: CROWD // 2] == ["live"] * (CROWD // 2)


def test_the_keys_of_an_issuer_stay_good_while_it_is_out_of_order(hostile):
    with a_site({hostile.provider: hostile.entry()}) as site:
        site.serve()
        WebFlow(site, hostile.provider).run(hostile.login(person()))
        hostile.answers["jwks"] = hostile.answers["discovery"] = Response("out of order", 503)
        for _ in range(3):
            hostile.mint = foreign_key("stray").sign
            refused(site, hostile)
            hostile.mint = None
            assert WebFlow(site, hostile.provider).run(hostile.login(person()))["isNewUser"]
        assert hostile.asked().count("jwks") <= 2, "an unknown key is looked for once a minute, whatever the answer"

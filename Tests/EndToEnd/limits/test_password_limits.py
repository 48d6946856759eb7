"""Guesses at passwords are limited by account and address, across processes (SEC-16)."""

import json

import requests

from support.harness import free_port, together, wait_until
from support.names import TIMEOUT
from support.servers.limited_site import BLOCKED, LOCKED, SLOW, a_limited_site, codes, try_password


def test_SEC_16_guesses_at_one_account_from_many_addresses_are_bounded():
    with a_limited_site(password={"perAccount": f"5 {SLOW}"}) as site:
        api = site.serve().api()
        api.succeed("signUp", {"email": "ada@example.com", "password": "correct horse", "returnSecureToken": True})
        spellings = ["ada@example.com", "Ada@Example.com", "ADA@EXAMPLE.COM"]
        answers = codes(try_password(api, spellings[n % 3], address=f"198.51.100.{n}") for n in range(12))
        assert answers == ["INVALID_LOGIN_CREDENTIALS"] * 5 + [LOCKED] * 7
        assert codes([try_password(api, "ada@example.com", "correct horse")]) == [LOCKED], "nor does the right password tell itself"
        # The answer is the same whether an account has the address or not.
        answers = codes(try_password(api, "nobody@example.com", address=f"198.51.100.{n}") for n in range(7))
        assert answers == ["INVALID_LOGIN_CREDENTIALS"] * 5 + [LOCKED] * 2
        assert try_password(api, "else@example.com").json()["error"]["message"] == "INVALID_LOGIN_CREDENTIALS"


def test_SEC_16_guesses_from_one_address_over_many_accounts_are_bounded():
    with a_limited_site(password={"perAddress": f"5 {SLOW}"}) as site:
        api = site.serve().api()
        answers = codes(try_password(api, f"person{n}@example.com") for n in range(8))
        assert answers == ["INVALID_LOGIN_CREDENTIALS"] * 5 + [BLOCKED] * 3
        assert codes([try_password(api, "person9@example.com", address="192.0.2.2")]) == ["INVALID_LOGIN_CREDENTIALS"]
        counted = requests.get(site.servers[0].url + "/metrics", timeout=TIMEOUT).text
        assert 'gatehouse_limited_total{action="password",by="address"} 3\n' in counted
        site.servers[0].logged("a rate limit is reached")
        lines = [line for line in site.servers[0].log_lines() if line.get("message") == "a rate limit is reached"]
        assert [(line["action"], line["by"], line["address"]) for line in lines] == [("password", "address", "192.0.2.1")]
        assert "person" not in json.dumps(lines)


def test_SEC_16_one_hostile_address_does_not_lock_the_owner_out():
    with a_limited_site(password={"perAccountAndAddress": f"4 {SLOW}", "perAccount": f"6 {SLOW}"}) as site:
        api = site.serve().api()
        api.succeed("signUp", {"email": "ada@example.com", "password": "correct horse", "returnSecureToken": True})
        answers = codes(try_password(api, "ada@example.com", address="198.51.100.1") for _ in range(20))
        assert answers == ["INVALID_LOGIN_CREDENTIALS"] * 4 + [LOCKED] * 16
        assert try_password(api, "ada@example.com", "correct horse", address="192.0.2.1").status_code == 200


def test_SEC_16_people_who_sign_in_meet_no_limit_and_their_own_sign_ins_buy_no_guesses():
    rates = {"perAccountAndAddress": f"3 {SLOW}", "perAccount": f"3 {SLOW}", "perAddress": f"4 {SLOW}"}
    with a_limited_site(password=rates) as site:
        api = site.serve().api()
        for name in ("ada", "mallory"):
            api.succeed("signUp", {"email": f"{name}@example.com", "password": "correct horse", "returnSecureToken": True})
        for _ in range(8):  # a whole office, and one who mistypes
            assert try_password(api, "ada@example.com", "correct horse").status_code == 200
        for _ in range(2):
            assert try_password(api, "ada@example.com").status_code == 400
        assert try_password(api, "ada@example.com", "correct horse").status_code == 200
        # Mallory has an account, and signs in between guesses at others: two more failures are left to the address.
        answers = []
        for n in range(4):
            answers.append(try_password(api, f"victim{n}@example.com"))
            try_password(api, "mallory@example.com", "correct horse")
        assert codes(answers) == ["INVALID_LOGIN_CREDENTIALS"] * 2 + [BLOCKED] * 2


def test_SEC_16_two_processes_share_one_bucket():
    with a_limited_site(password={"perAccount": f"10 {SLOW}"}) as site:
        servers = [site.serve(), site.serve(free_port())]
        answers = together(60, lambda n: try_password(servers[n % 2].api(), "ada@example.com", address=f"198.51.100.{n}"))
        assert all(not isinstance(answer, Exception) for answer in answers), answers
        assert sorted(codes(answers)) == ["INVALID_LOGIN_CREDENTIALS"] * 10 + [LOCKED] * 50


def test_SEC_16_a_refused_attempt_costs_no_hash():
    with a_limited_site(password={"perAccount": f"2 {SLOW}"}) as site:
        server = site.serve()

        def hashes():
            text = requests.get(server.url + "/metrics", timeout=TIMEOUT).text
            return sum(int(line.split()[-1]) for line in text.splitlines() if line.startswith("gatehouse_hashing_seconds_count"))

        for _ in range(2):
            try_password(server.api(), "ada@example.com")
        wait_until(lambda: hashes() == 2, what="the count of two hashes")
        for _ in range(5):
            assert codes([try_password(server.api(), "ada@example.com")]) == [LOCKED]
        assert codes([try_password(server.api(), "else@example.com")]) == ["INVALID_LOGIN_CREDENTIALS"]
        wait_until(lambda: hashes() >= 3, what="one more hash")
        assert hashes() == 3


def test_what_was_taken_comes_back():
    with a_limited_site(password={"perAccount": f"2 {SLOW}"}) as site:
        api = site.serve().api()
        answers = codes(try_password(api, "ada@example.com") for _ in range(3))
        assert answers == ["INVALID_LOGIN_CREDENTIALS"] * 2 + [LOCKED]
        # Half of the time, as if it were over.
        site.rows("UPDATE rate_limits SET full_at = full_at - interval '15 days 1 hour'")
        assert codes(try_password(api, "ada@example.com") for _ in range(2)) == ["INVALID_LOGIN_CREDENTIALS", LOCKED]

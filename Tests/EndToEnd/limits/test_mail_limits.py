"""Mails are limited by mailbox and address (SEC-16)."""

import pytest

from support.servers.limited_site import PASSWORDS, SLOW, codes, coming_from
from support.servers.site import a_site, limits


def test_SEC_16_a_mailbox_is_not_flooded_by_accounts_that_come_and_go():
    rates = limits(sendVerification={"perMailbox": f"3 {SLOW}"})
    with a_site(project={"signIn": PASSWORDS["signIn"], "limits": rates}) as site:
        api = site.serve().api()

        def mailed(email, new=None):
            made = api.succeed("signUp", {"email": email, "password": "correct horse", "returnSecureToken": True})
            wish = {"requestType": "VERIFY_AND_CHANGE_EMAIL", "newEmail": new} if new else {"requestType": "VERIFY_EMAIL"}
            answer = api.call("sendOobCode", {**wish, "idToken": made["idToken"]})
            api.succeed("delete", {"idToken": made["idToken"]})
            return answer

        refused = "TOO_MANY_ATTEMPTS_TRY_LATER : Too many attempts. Try again later."
        answers = [mailed(email) for email in ("victim@example.com", "Victim@example.com")]
        answers.append(mailed("thief@example.com", "VICTIM@example.com"))
        answers += [mailed("victim@example.com"), mailed("thief@example.com", "victim@example.com")]
        assert codes(answers) == [200, 200, 200, refused, refused]
        assert mailed("other@example.com").status_code == 200


@pytest.mark.parametrize("kind", ["PASSWORD_RESET", "EMAIL_SIGNIN", "VERIFY_EMAIL"])
def test_SEC_16_tags_make_no_other_mailbox(kind):
    """By the standard limits: ten an hour to a mailbox from one address, five that prove it."""
    with a_site(project={"signIn": {"password": True, "emailLink": True}, "limits": {"defaults": True}}) as site:
        api = site.serve().api()

        def mailed(tag):
            email = f"target+{tag}@example.com"
            if kind == "VERIFY_EMAIL":
                wish = {"idToken": api.succeed("signUp", {"email": email, "password": "correct horse"})["idToken"]}
            else:
                wish = {"email": email, "continueUrl": "https://app.example.com/", "canHandleCodeInApp": True}
            return api.call("sendOobCode", {"requestType": kind, **wish}).status_code

        most = 5 if kind == "VERIFY_EMAIL" else 10
        assert [mailed(tag) for tag in range(most + 2)] == [200] * most + [400] * 2


@pytest.mark.parametrize("kind", ["PASSWORD_RESET", "EMAIL_SIGNIN"])
def test_SEC_16_one_hostile_address_does_not_use_up_the_mails_of_the_owner(kind):
    """By the standard limits: five an hour from one address, fifteen from all."""
    with a_site(project={"signIn": {"password": True, "emailLink": True}, "limits": {"defaults": True}}) as site:
        api = site.serve().api()

        def mailed(address):
            with coming_from(address):
                wish = {
                    "requestType": kind,
                    "email": "owner@example.com",
                    "continueUrl": "https://app.example.com/",
                    "canHandleCodeInApp": True,
                }
                return api.call("sendOobCode", wish).status_code

        assert [mailed("127.0.0.2") for _ in range(7)] == [200] * 5 + [400] * 2
        assert [mailed("127.0.0.3") for _ in range(5)] == [200] * 5
        assert [mailed(f"127.0.0.{n}") for n in range(4, 11)] == [200] * 5 + [400] * 2, "a mailbox is not flooded from many addresses"

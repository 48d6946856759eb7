"""SEC-02: the five attacks of "Pre-hijacked Accounts" (https://arxiv.org/abs/2205.10174), each from end to end.

The attacker knows the victim's address, prepares an account with it, and waits. The victim comes later: by a provider that runs the address's
domain, by a new password, or by a link in a mail. Then the account is the victim's alone. Each attack is tried against each arrival.
"""

import itertools

import pytest

from support.accounts import sign_up, update
from support.clients.api import assert_error, posted
from support.clients.backend import Backend, make_key
from support.harness import together
from support.jwts import claims, wait_past
from support.mail.mailing_site import MailingSite

ARRIVALS = ["provider", "reset", "link"]
numbers = itertools.count(1)


@pytest.fixture(scope="module")
def site(doubles):
    providers = {
        "oidc.fake": doubles["oidc.fake"].entry(authoritativeDomains=["trusted.example"]),
        # Its administrators write any address into their tenant, so its word about addresses is worth nothing.
        "microsoft.com": doubles["microsoft.com"].entry(),
    }
    site = MailingSite(providers=providers)
    site.serve()
    yield site
    site.close()


@pytest.fixture(scope="module")
def backend(site):
    backend = Backend(make_key(site))
    yield backend
    backend.close()


@pytest.fixture
def api(site):
    return site.servers[0].api()


@pytest.fixture
def victim():
    return f"victim{next(numbers)}@trusted.example"


@pytest.fixture(params=ARRIVALS)
def arrive(request, site, api, fake_issuer):
    """The victim comes; gives the answer to the victim's sign-in."""

    def by(email):
        if request.param == "provider":
            token = fake_issuer.id_token("owner-of-" + email.partition("@")[0], email=email)
            return posted(api, {"providerId": "oidc.fake", "id_token": token}).json()
        if request.param == "reset":
            api.succeed("sendOobCode", {"requestType": "PASSWORD_RESET", "email": email})
            api.succeed("resetPassword", {"oobCode": site.code(email), "newPassword": "the victim's own"})
            return api.succeed("signInWithPassword", {"email": email, "password": "the victim's own", "returnSecureToken": True})
        api.succeed("sendOobCode", {"requestType": "EMAIL_SIGNIN", "email": email, "continueUrl": "https://app.example.com/"})
        return api.succeed("signInWithEmailLink", {"email": email, "oobCode": site.code(email)})

    return by


def attackers_identity(microsoft, **claims):
    """A token of an identity that is the attacker's own, in a tenant where the attacker is an administrator."""
    number = next(numbers)
    return microsoft.id_token("alice", oid=f"0bad0bad-1111-4111-8111-{number:012}", name="Mallory", **claims)


def owns_alone(site, api, victim, email):
    """The victim is signed in, and the account has the victim's address, proven, and nothing of another person."""
    user = api.lookup(victim["idToken"])
    assert user["email"] == email and user["emailVerified"] is True
    assert {entry["providerId"] for entry in user["providerUserInfo"]} <= {"oidc.fake", "password"}
    assert api.refresh(victim["refreshToken"]).status_code == 200
    taken = "SELECT count(*) FROM audit_events WHERE account_id = %s AND action = 'account.takenOver' AND rule = 'makerNeverProved'"
    assert site.value(taken, victim["localId"]) == 1


def test_SEC_02_classic_federated_merge(site, api, victim, arrive):
    """The attacker signs up with the victim's address and a password. The victim signs in in another way, and both ways lead to one account:
    the attacker would sign in to the victim's account with the password."""
    attacker = sign_up(api, victim, "the attacker's")
    arrived = arrive(victim)
    assert arrived["localId"] == attacker["localId"]
    assert_error(api.call("signInWithPassword", {"email": victim, "password": "the attacker's"}), "INVALID_LOGIN_CREDENTIALS")
    owns_alone(site, api, arrived, victim)


def test_SEC_02_unexpired_session(site, api, victim, arrive):
    """The attacker signs up with the victim's address and keeps the session alive. The victim recovers the account: the attacker's session would
    go on in it."""
    attacker = sign_up(api, victim, "the attacker's")
    kept = api.refresh(attacker["refreshToken"]).json()
    arrived = arrive(victim)
    assert_error(api.refresh(kept["refresh_token"]), "TOKEN_EXPIRED")
    for token in (attacker["idToken"], kept["id_token"]):
        assert_error(api.call("lookup", {"idToken": token}), "TOKEN_EXPIRED")
        assert_error(api.call("update", {"idToken": token, "displayName": "Mallory"}), "TOKEN_EXPIRED")
    owns_alone(site, api, arrived, victim)


def test_SEC_02_trojan_identifier(site, api, microsoft, victim, arrive):
    """The attacker signs up with the victim's address and links an identity of their own. The victim recovers the account and knows nothing of the
    identity: the attacker would sign in with it."""
    attacker = sign_up(api, victim, "the attacker's")
    trojan = attackers_identity(microsoft, email=f"mallory{next(numbers)}@evil.example")
    linked = posted(api, {"providerId": "microsoft.com", "id_token": trojan}, idToken=attacker["idToken"]).json()
    assert linked["localId"] == attacker["localId"]
    arrived = arrive(victim)
    again = posted(api, {"providerId": "microsoft.com", "id_token": trojan}).json()
    assert again["localId"] != arrived["localId"] and again["isNewUser"] is True
    owns_alone(site, api, arrived, victim)
    unlinked = "SELECT provider_id FROM audit_events WHERE account_id = %s AND action = 'provider.unlinked'"
    assert site.rows(unlinked, arrived["localId"]) == [("microsoft.com",)]


def test_SEC_02_unexpired_email_change(site, api, victim, arrive):
    """The attacker signs up with the victim's address and asks to change it to their own, but does not open the link yet. The victim recovers the
    account: the link would give it to the attacker."""
    attacker = sign_up(api, victim, "the attacker's")
    mine = f"mallory{next(numbers)}@evil.example"
    api.succeed("sendOobCode", {"requestType": "VERIFY_AND_CHANGE_EMAIL", "idToken": attacker["idToken"], "newEmail": mine})
    waiting = site.code(mine)
    arrived = arrive(victim)
    assert_error(api.call("update", {"oobCode": waiting}), "INVALID_OOB_CODE")
    owns_alone(site, api, arrived, victim)


def test_SEC_02_non_verifying_provider(site, api, microsoft, victim, arrive):
    """The attacker signs in first, at a provider that says the victim's address without having verified it. The victim comes later: the attacker
    would sign in to the victim's account with the identity at that provider."""
    forged = attackers_identity(microsoft, email=victim)
    attacker = posted(api, {"providerId": "microsoft.com", "id_token": forged}).json()
    assert attacker["isNewUser"] is True and attacker["emailVerified"] is False
    arrived = arrive(victim)
    assert arrived["localId"] == attacker["localId"]
    assert_error(api.refresh(attacker["refreshToken"]), "TOKEN_EXPIRED")
    again = posted(api, {"providerId": "microsoft.com", "id_token": forged}).json()
    assert again["needConfirmation"] is True and "idToken" not in again and "verifiedProvider" not in again
    owns_alone(site, api, arrived, victim)


def test_SEC_02_non_verifying_provider_afterwards(site, api, fake_issuer, microsoft, victim):
    """The same attacker comes after the victim: the provider's word joins nothing, and links nothing without the victim's session."""
    owner = posted(api, {"providerId": "oidc.fake", "id_token": fake_issuer.id_token("first", email=victim)}).json()
    before = site.counts()
    forged = attackers_identity(microsoft, email=victim)
    answer = posted(api, {"providerId": "microsoft.com", "id_token": forged}).json()
    assert answer["needConfirmation"] is True and "idToken" not in answer and "verifiedProvider" not in answer
    mallory = sign_up(api, password="the attacker's")
    body = {"providerId": "microsoft.com", "id_token": forged}
    assert_error(posted(api, body, idToken=mallory["idToken"]), "EMAIL_EXISTS")
    pending = {"requestUri": "http://localhost", "pendingToken": answer["pendingToken"], "idToken": mallory["idToken"]}
    assert_error(api.call("signInWithIdp", pending), "EMAIL_EXISTS")
    assert site.counts()["identities"] == before["identities"]
    assert api.refresh(owner["refreshToken"]).status_code == 200


def custom(api, token):
    """A sign-in with a custom token; gives the answer, with the account."""
    answer = api.succeed("signInWithCustomToken", {"token": token, "returnSecureToken": True})
    return answer | {"localId": claims(answer["idToken"])["user_id"]}


def held_by_the_back_end(api, backend, microsoft, email):
    """The app's back end gives the attacker an account, and the attacker puts the victim's address on it, which no one proves; gives the answer to
    that, and a custom token that the attacker keeps."""
    uid = f"customer-{next(numbers)}"
    kept = backend.token(uid)
    attacker = custom(api, kept)
    forged = attackers_identity(microsoft, email=email)
    linked = posted(api, {"providerId": "microsoft.com", "id_token": forged}, idToken=attacker["idToken"]).json()
    assert linked["localId"] == uid and api.lookup(linked["idToken"])["email"] == email
    return linked, kept


def test_SEC_02_a_custom_token_never_opens_the_victims_account(site, api, backend, microsoft, victim, arrive):
    """The account of the attacker is not the victim's, whoever proves its address: custom tokens would open it again."""
    attacker, kept = held_by_the_back_end(api, backend, microsoft, victim)
    arrived = arrive(victim)
    assert arrived["localId"] != attacker["localId"]
    user = api.lookup(arrived["idToken"])
    assert user["email"] == victim and user["emailVerified"] is True and "customAuth" not in user
    assert {entry["providerId"] for entry in user["providerUserInfo"]} <= {"oidc.fake", "password"}

    for token in (kept, backend.token(attacker["localId"])):
        assert custom(api, token)["localId"] == attacker["localId"]
    assert api.refresh(attacker["refreshToken"]).status_code == 200, "the back end's person stays signed in"
    left = api.lookup(attacker["idToken"])
    assert "email" not in left and [entry["providerId"] for entry in left["providerUserInfo"]] == ["microsoft.com"]
    assert_error(update(api, attacker["idToken"], password="the attacker's"), "MISSING_EMAIL")
    moved = "SELECT action, rule, details->>'account' FROM audit_events WHERE account_id = %s AND rule = 'heldByBackEnd' ORDER BY event_id"
    told = [("address.moved", "heldByBackEnd", arrived["localId"]), ("email.changed", "heldByBackEnd", None)]
    assert site.rows(moved, attacker["localId"]) == told
    again = arrive(victim) if "oidc.fake" in {entry["providerId"] for entry in user["providerUserInfo"]} else arrived
    assert again["localId"] == arrived["localId"]


def test_SEC_02_a_custom_token_that_was_kept_does_not_open_an_account_that_was_taken_over(site, api, backend, victim, arrive):
    """The app's back end signs custom tokens for its users' own accounts. The attacker signs up with the victim's address and keeps one."""
    attacker = sign_up(api, victim, "the attacker's")
    kept = backend.token(attacker["localId"])
    wait_past(kept)
    arrived = arrive(victim)
    assert arrived["localId"] == attacker["localId"]
    message = assert_error(api.call("signInWithCustomToken", {"token": kept}), "INVALID_CUSTOM_TOKEN")
    assert "sessions of its account were ended" in message
    owns_alone(site, api, arrived, victim)


def test_SEC_02_of_all_who_race_for_an_address_that_moves_one_gets_it(site, api, backend, fake_issuer, microsoft):
    for _ in range(4):
        email = f"victim{next(numbers)}@trusted.example"
        attacker, kept = held_by_the_back_end(api, backend, microsoft, email)
        token = fake_issuer.id_token("owner-of-" + email.partition("@")[0], email=email)

        def race(index, email=email, token=token, kept=kept):
            if index % 3 == 0:
                return posted(api, {"providerId": "oidc.fake", "id_token": token})
            if index % 3 == 1:
                return api.call("signUp", {"email": email, "password": "the attacker's"})
            return api.call("signInWithCustomToken", {"token": kept})

        answers = together(12, race)
        owners = {answer.json()["localId"] for answer in answers[::3]}
        assert len(owners) == 1 and attacker["localId"] not in owners
        assert site.rows("SELECT account_id FROM accounts WHERE email = %s", email) == [(owners.pop(),)]
        for answer in answers[1::3]:
            assert_error(answer, "EMAIL_EXISTS")
        assert {answer.status_code for answer in answers[2::3]} == {200}


def test_SEC_02_no_way_back_gives_the_attackers_account_to_the_victim(site, backend, microsoft, victim):
    """The attacker moves the account on, so that the victim's mailbox gets the mail that takes a change back."""
    api = site.servers[0].api("open-project-key")
    open_backend = Backend(make_key(site, "open-project"))
    try:
        attacker = custom(api, open_backend.token(f"customer-{next(numbers)}"))
        mine = f"mallory{next(numbers)}@evil.example"
        for email in (victim, mine):
            attacker |= api.succeed("update", {"idToken": attacker["idToken"], "email": email, "returnSecureToken": True})
        assert site.value("SELECT count(*) FROM action_codes WHERE account_id = %s", attacker["localId"]) == 0
        assert api.lookup(attacker["idToken"])["email"] == mine and site.mails(victim) == []
    finally:
        open_backend.close()

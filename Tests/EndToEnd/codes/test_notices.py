"""SEC-73: owners are told by mail of every way to sign in that their account gains or loses, with a way to take the account back."""

import datetime
import re
from urllib.parse import urlencode

import pytest

from support.accounts import address, sign_up
from support.clients.api import assert_error, posted
from support.clients.flows import query_of
from support.clients.handler import BrowserFlow
from support.leaks import note
from support.mail.action_page import opened
from support.mail.mailing_site import MailingSite, link_in
from support.mail.outbox import waiting


def a_notifying_site(fake, microsoft, **project):
    providers = {
        "oidc.fake": fake.entry(name="Fake & Co", authoritativeDomains=["trusted.example"]),
        "microsoft.com": microsoft.entry(),
    }
    site = MailingSite(providers=providers, project=project)
    site.serve()
    return site


@pytest.fixture(scope="module")
def site(doubles):
    site = a_notifying_site(doubles["oidc.fake"], doubles["microsoft.com"])
    yield site
    site.close()


@pytest.fixture
def api(site):
    return site.servers[0].api()


def proven(site, api):
    """A person with a password whose address is proven: one mail has gone there."""
    person = sign_up(api)
    api.succeed("sendOobCode", {"requestType": "VERIFY_EMAIL", "idToken": person["idToken"]})
    api.succeed("update", {"oobCode": site.code(person["email"])})
    return person


def change(api, language="en", **wish):
    answer = api.post("/v1/accounts:update", {"returnSecureToken": True, **wish}, headers={"X-Firebase-Locale": language})
    assert answer.status_code == 200, answer.text
    return answer.json()


def link(api, fake, person, subject, language="en"):
    body = {
        "requestUri": "http://localhost",
        "returnSecureToken": True,
        "idToken": person["idToken"],
        "postBody": urlencode({"providerId": "oidc.fake", "id_token": fake.id_token(subject, email=None)}),
    }
    answer = api.post("/v1/accounts:signInWithIdp", body, headers={"X-Firebase-Locale": language})
    assert answer.status_code == 200, answer.text
    return {**person, **answer.json(), "email": person["email"]}


def check_time(text, pattern):
    told = datetime.datetime.strptime(re.search(pattern, text).group(1), "%Y-%m-%d %H:%M UTC").replace(tzinfo=datetime.timezone.utc)
    assert datetime.timedelta(0) <= datetime.datetime.now(datetime.timezone.utc) - told < datetime.timedelta(minutes=10)


def words(mail):
    return " ".join(mail.text.split())


# -- who is told what


def test_SEC_73_the_owner_is_told_of_a_provider_that_is_linked_and_unlinked(site, api, fake_issuer):
    person = proven(site, api)
    linked = link(api, fake_issuer, person, "second-" + person["localId"])
    mail = site.mail(person["email"], 2)
    assert mail["subject"] == "A new way to sign in to your Acme account"
    assert f"Fake & Co was linked to your Acme account {person['email']} at 20" in words(mail)
    assert "Fake &amp; Co was linked" in mail.html
    check_time(words(mail), r"at (20\S+ \S+ UTC)")
    assert "If it was not you, take the account back here:" in words(mail)
    assert query_of(link_in(mail))["mode"] == "recoverEmail"

    change(api, idToken=linked["idToken"], deleteProvider=["oidc.fake"])
    mail = site.mail(person["email"], 3)
    assert mail["subject"] == "A way to sign in to your Acme account was removed"
    assert f"Fake & Co was unlinked from your Acme account {person['email']} at 20" in words(mail)
    assert len(site.mails(person["email"])) == 3


def test_SEC_73_the_owner_is_told_in_german(site, api, fake_issuer):
    person = proven(site, api)
    linked = link(api, fake_issuer, person, "deutsch-" + person["localId"], "de")
    mail = site.mail(person["email"], 2)
    assert mail["subject"] == "Neue Anmeldung für Ihr Konto bei Acme"
    assert f"Ihrem Konto {person['email']} bei Acme wurde Fake & Co hinzugefügt" in words(mail)
    check_time(words(mail), r"\(Zeitpunkt: (20\S+ \S+ UTC)\)")
    assert "Wenn nicht, holen Sie sich das Konto hier zurück:" in words(mail)
    page = opened(link_in(mail))
    assert page.language == "de" and "wie man sich bei Acme mit Ihrem Konto" in page.text and "Mein Konto zurückholen" in page.text

    changed = change(api, "de", idToken=linked["idToken"], password="battery staple")
    mail = site.mail(person["email"], 3)
    assert mail["subject"] == "Ihr Passwort für Acme wurde geändert"
    assert f"das Passwort Ihres Kontos {person['email']} bei Acme wurde geändert" in words(mail)

    change(api, "de", idToken=changed["idToken"], deleteProvider=["password"])
    mail = site.mail(person["email"], 4)
    assert mail["subject"] == "Eine Anmeldung für Ihr Konto bei Acme wurde entfernt"
    assert f"aus Ihrem Konto {person['email']} bei Acme wurde das Passwort entfernt" in words(mail)


def test_SEC_73_the_owner_is_told_of_a_password_that_is_added_changed_and_removed(site, api, fake_issuer):
    email = address().replace("example.com", "trusted.example")
    before = waiting(site)
    user = posted(api, {"providerId": "oidc.fake", "id_token": fake_issuer.id_token("owner-" + email, email=email)}).json()
    assert waiting(site) == before, "nobody is told of the sign-in that makes the account"

    added = api.succeed("signUp", {"idToken": user["idToken"], "email": email, "password": note("correct horse battery")})
    mail = site.mail(email)
    assert mail["subject"] == "A new way to sign in to your Acme account"
    assert f"A password was added to your Acme account {email} at 20" in words(mail)

    changed = change(api, idToken=added["idToken"], password=note("battery staple horse"))
    mail = site.mail(email, 2)
    assert mail["subject"] == "Your password for Acme was changed"
    assert f"The password of your Acme account {email} was changed at 20" in words(mail)

    change(api, idToken=changed["idToken"], deleteProvider=["password"])
    assert f"The password was removed from your Acme account {email} at 20" in words(site.mail(email, 3))

    # Again by accounts:update, as a stolen session that is still recent would do it.
    user = posted(api, {"providerId": "oidc.fake", "id_token": fake_issuer.id_token("owner-" + email, email=email)}).json()
    change(api, idToken=user["idToken"], password=note("horse staple battery"))
    assert f"A password was added to your Acme account {email}" in words(site.mail(email, 4))
    assert len(site.mails(email)) == 4


def test_SEC_73_the_owner_is_told_of_a_link_by_the_handler(site, api, fake_issuer):
    person = proven(site, api)
    flow = BrowserFlow(site, "oidc.fake", "linkViaPopup")
    flow.run(fake_issuer.login("handler-" + person["localId"]), idToken=person["idToken"])
    assert "Fake & Co was linked to your Acme account" in words(site.mail(person["email"], 2))


def test_SEC_73_the_owner_is_told_of_a_provider_that_joins_by_the_proven_address(site, api, fake_issuer, microsoft):
    email = address().replace("example.com", "trusted.example")
    api.succeed(
        "sendOobCode",
        {"requestType": "EMAIL_SIGNIN", "email": email, "continueUrl": "https://app.example.com/", "canHandleCodeInApp": True},
    )
    made = api.succeed("signInWithEmailLink", {"email": email, "oobCode": site.code(email)})
    joined = posted(api, {"providerId": "oidc.fake", "id_token": fake_issuer.id_token("joins-" + email, email=email)}).json()
    assert joined["localId"] == made["localId"]
    assert f"Fake & Co was linked to your Acme account {email}" in words(site.mail(email, 2))


def test_SEC_73_the_owner_is_told_of_a_password_that_was_reset(site, api):
    person = proven(site, api)
    api.succeed("sendOobCode", {"requestType": "PASSWORD_RESET", "email": person["email"]})
    api.succeed("resetPassword", {"oobCode": site.code(person["email"], 2), "newPassword": note("battery staple horse")})
    assert site.mail(person["email"], 3)["subject"] == "Your password for Acme was changed"


# -- who is told nothing


def test_SEC_73_an_address_that_was_not_proven_is_told_nothing(site, api, fake_issuer):
    person = sign_up(api)
    before = waiting(site)
    linked = link(api, fake_issuer, person, "unproven-" + person["localId"])
    changed = change(api, idToken=linked["idToken"], password=note("battery staple"))
    change(api, idToken=changed["idToken"], deleteProvider=["oidc.fake"])
    assert waiting(site) == before and site.mails(person["email"]) == []


def test_SEC_73_changes_to_an_anonymous_account_send_no_mail(site, api, fake_issuer):
    before = waiting(site)
    guest = api.succeed("signUp", {"returnSecureToken": True})
    link(api, fake_issuer, {**guest, "email": None}, "guest-" + guest["localId"])
    other = api.succeed("signUp", {"returnSecureToken": True})
    api.succeed("signUp", {"idToken": other["idToken"], "email": address(), "password": "correct horse"})
    assert waiting(site) == before


# -- what the mail is good for


def test_SEC_73_the_way_back_undoes_what_a_thief_linked(site, api, fake_issuer):
    person = proven(site, api)
    thief = link(api, fake_issuer, person, "thief-" + person["localId"])
    kept = {"providerId": "oidc.fake", "id_token": fake_issuer.id_token("thief-" + person["localId"], email=None)}
    assert posted(api, kept).json()["localId"] == person["localId"]
    code = query_of(site.link(person["email"], 2))["oobCode"]
    assert api.succeed("resetPassword", {"oobCode": code})["requestType"] == "RECOVER_EMAIL"

    page = opened(site.link(person["email"], 2))
    assert "ways to sign in to your Acme account" in page.text and person["email"] in page.text and "Take my account back" in page.text
    done = page.submit()
    assert "Your account is yours again" in done.text
    assert_error(api.refresh(thief["refreshToken"]), "TOKEN_EXPIRED")
    assert posted(api, kept).json()["localId"] != person["localId"]
    assert_error(api.call("signInWithPassword", {"email": person["email"], "password": "correct horse"}), "INVALID_LOGIN_CREDENTIALS")
    assert "Your password is changed" in opened(done.links["reset"]).submit(newPassword=note("the owner's own")).text
    owner = api.succeed("signInWithPassword", {"email": person["email"], "password": "the owner's own"})
    assert owner["localId"] == person["localId"] and api.lookup(owner["idToken"])["emailVerified"] is True
    assert "initialEmail" not in api.lookup(owner["idToken"])


def test_SEC_73_a_mailbox_is_not_flooded_by_linking_and_unlinking(fake_issuer, microsoft):
    limits = {"changeSignInMethods": {"perMailbox": "2 per 30d"}}
    site = a_notifying_site(fake_issuer, microsoft, limits=limits)
    try:
        api = site.servers[0].api()
        person = proven(site, api)
        for _ in range(2):
            person = link(api, fake_issuer, person, "loop")
            change(api, idToken=person["idToken"], deleteProvider=["oidc.fake"])
        before = waiting(site)
        refused = posted(api, {"providerId": "oidc.fake", "id_token": fake_issuer.id_token("loop", email=None)}, idToken=person["idToken"])
        assert_error(refused, "TOO_MANY_ATTEMPTS_TRY_LATER")
        password = {"idToken": person["idToken"], "password": "battery staple"}
        assert_error(api.call("update", password), "TOO_MANY_ATTEMPTS_TRY_LATER")
        assert waiting(site) == before, "what is not told does not happen"
        assert [entry["providerId"] for entry in api.lookup(person["idToken"])["providerUserInfo"]] == ["password"]
        # Changes that send no mail continue to work, and so does the owner's own change.
        change(api, idToken=person["idToken"], displayName="Ada")
        api.succeed("sendOobCode", {"requestType": "PASSWORD_RESET", "email": person["email"]})
        api.succeed("resetPassword", {"oobCode": site.code(person["email"], 6), "newPassword": note("the owner's own")})
        assert site.mail(person["email"], 7)["subject"] == "Your password for Acme was changed"
    finally:
        site.close()

"""Which account an identity opens: linking, confirmation, takeover. Reauthentication: `test_any_provider.py`, at each of them."""

import secrets

from support.clients.api import assert_error, posted
from support.clients.flows import WebFlow
from support.harness import together
from support.jwts import claims
from support.servers.site import Site, a_site


def test_linking_to_the_present_user(site, api, fake_issuer, real_issuer):
    user = posted(api, {"providerId": "oidc.fake", "id_token": fake_issuer.id_token("linker")}).json()
    linked = WebFlow(site, "oidc.real").run(real_issuer.login("linker@elsewhere.example"), idToken=user["idToken"])
    assert linked["localId"] == user["localId"] and "isNewUser" not in linked
    providers = {entry["providerId"]: entry["rawId"] for entry in api.lookup(linked["idToken"])["providerUserInfo"]}
    assert providers == {"oidc.fake": "linker", "oidc.real": "linker@elsewhere.example"}
    told = claims(linked["idToken"])
    assert told["firebase"]["identities"]["oidc.real"] == ["linker@elsewhere.example"]

    other = posted(api, {"providerId": "oidc.fake", "id_token": fake_issuer.id_token("other-linker")}).json()
    token = fake_issuer.id_token("linker")
    body = {"providerId": "oidc.fake", "id_token": token}
    assert_error(posted(api, body, idToken=other["idToken"]), "FEDERATED_USER_ID_ALREADY_LINKED")
    kept = posted(api, body, idToken=other["idToken"], returnIdpCredential=True)
    assert kept.status_code == 200
    assert kept.json()["errorMessage"] == "FEDERATED_USER_ID_ALREADY_LINKED"
    assert kept.json()["oauthIdToken"] == token and kept.json()["pendingToken"] and "idToken" not in kept.json()
    assert_error(posted(api, body, idToken="no.such.token"), "INVALID_ID_TOKEN")


def test_linking_an_address_that_is_another_accounts(api, fake_issuer, microsoft):
    posted(api, {"providerId": "oidc.fake", "id_token": fake_issuer.id_token("owner", email="shared@example.com")})
    linker = posted(api, {"providerId": "oidc.fake", "id_token": fake_issuer.id_token("email-linker")}).json()
    token = microsoft.id_token("somebody", email="shared@example.com")
    body = {"providerId": "microsoft.com", "id_token": token}
    assert_error(posted(api, body, idToken=linker["idToken"]), "EMAIL_EXISTS")
    kept = posted(api, body, idToken=linker["idToken"], returnIdpCredential=True)
    assert kept.status_code == 200 and kept.json()["errorMessage"] == "EMAIL_EXISTS" and "idToken" not in kept.json()
    assert len(api.lookup(linker["idToken"])["providerUserInfo"]) == 1


def test_SEC_02_an_address_on_the_providers_mere_word_needs_confirmation(site, api, fake_issuer, real_issuer):
    owner = posted(api, {"providerId": "oidc.fake", "id_token": fake_issuer.id_token("prehijack", email="victim@example.org")}).json()
    before = site.counts()
    answer = WebFlow(site, "oidc.real").run(real_issuer.login("victim@example.org"))
    assert answer["needConfirmation"] is True and "verifiedProvider" not in answer
    assert answer["email"] == "victim@example.org" and answer["pendingToken"]
    assert not {"idToken", "refreshToken", "localId", "isNewUser"} & set(answer)
    assert site.counts() == before

    linked = api.succeed(
        "signInWithIdp",
        {"requestUri": "http://localhost", "pendingToken": answer["pendingToken"], "idToken": owner["idToken"], "returnSecureToken": True},
    )
    assert linked["localId"] == owner["localId"]
    assert WebFlow(site, "oidc.real").run(real_issuer.login("victim@example.org"))["localId"] == owner["localId"]


def test_SEC_15_who_has_not_proven_an_address_learns_no_providers(site, api, fake_issuer, microsoft):
    posted(api, {"providerId": "oidc.fake", "id_token": fake_issuer.id_token("known", email="known@example.org")})
    stranger = {"providerId": "microsoft.com", "id_token": microsoft.id_token("administrator", email="known@example.org")}
    answer = posted(api, stranger).json()
    assert answer["needConfirmation"] is True and answer["pendingToken"] and "verifiedProvider" not in answer
    again = api.succeed(
        "signInWithIdp", {"requestUri": "http://localhost", "pendingToken": answer["pendingToken"], "returnSecureToken": True}
    )
    assert again["needConfirmation"] is True and "verifiedProvider" not in again


def test_without_protection_the_providers_are_told(fake_issuer, microsoft):
    providers = {"oidc.fake": fake_issuer.entry(), "microsoft.com": microsoft.entry()}
    with a_site(providers, project={"emailEnumerationProtection": False}) as site:
        api = site.serve().api()
        posted(api, {"providerId": "oidc.fake", "id_token": fake_issuer.id_token("known", email="known@example.org")})
        stranger = {"providerId": "microsoft.com", "id_token": microsoft.id_token("administrator", email="known@example.org")}
        assert posted(api, stranger).json()["verifiedProvider"] == ["oidc.fake"]


def test_SEC_02_a_proven_address_takes_an_account_over_and_ends_its_makers_sessions(site, api, fake_issuer, real_issuer):
    attacker = WebFlow(site, "oidc.real").run(real_issuer.login("owner@trusted.example"))
    response = posted(api, {"providerId": "oidc.fake", "id_token": fake_issuer.id_token("the-owner", email="owner@trusted.example")})
    owner = response.json()
    assert response.status_code == 200 and owner["localId"] == attacker["localId"] and "isNewUser" not in owner
    assert [entry["providerId"] for entry in api.lookup(owner["idToken"])["providerUserInfo"]] == ["oidc.fake"]
    assert_error(api.refresh(attacker["refreshToken"]), "TOKEN_EXPIRED")


def test_a_project_with_several_accounts_for_one_address(fake_issuer, real_issuer):
    site = Site({"oidc.fake": fake_issuer.entry(), "oidc.real": real_issuer.entry()}, project={"signIn": {"oneAccountPerEmail": False}})
    try:
        api = site.serve().api()
        one = posted(api, {"providerId": "oidc.fake", "id_token": fake_issuer.id_token("twice", email="twice@example.com")}).json()
        two = WebFlow(site, "oidc.real").run(real_issuer.login("twice@example.com"))
        assert one["localId"] != two["localId"] and two["isNewUser"] is True
        for user in (one, two):
            seen = api.lookup(user["idToken"])
            assert "email" not in seen and seen["providerUserInfo"][0]["email"] == "twice@example.com"
            assert "email" not in claims(user["idToken"])
    finally:
        site.close()


def test_SEC_04_a_pending_token_stands_for_its_own_identity_alone(site, api, fake_issuer, microsoft):
    user = posted(api, {"providerId": "oidc.fake", "id_token": fake_issuer.id_token("bound-" + secrets.token_hex(4))}).json()
    victim = microsoft.id_token("alice")
    microsoft_user = posted(api, {"providerId": "microsoft.com", "id_token": victim}).json()
    mixed = posted(api, {"providerId": "microsoft.com", "id_token": victim}, pendingToken=user["pendingToken"])
    assert_error(mixed, "INVALID_CREDENTIAL_OR_PROVIDER_ID")
    unnamed = {"providerId": "oidc.fake", "id_token": victim}
    fresh = posted(api, {"providerId": "oidc.fake", "id_token": fake_issuer.id_token(user["federatedId"])}).json()["pendingToken"]
    assert posted(api, unnamed, pendingToken=fresh).json()["localId"] == user["localId"] != microsoft_user["localId"]


def test_SEC_73_a_stale_session_does_not_become_fresh_by_a_link(site, api, fake_issuer, real_issuer):
    user = posted(api, {"providerId": "oidc.fake", "id_token": fake_issuer.id_token("stale-" + secrets.token_hex(4))}).json()
    site.rows("UPDATE sessions SET auth_time = auth_time - interval '10 minutes' WHERE account_id = %s", user["localId"])
    stale = api.refresh(user["refreshToken"]).json()["id_token"]
    linked = WebFlow(site, "oidc.real").run(real_issuer.login("thief@elsewhere.example"), idToken=stale)
    times = [claims(token)["auth_time"] for token in (stale, linked["idToken"])]
    assert times[0] == times[1]
    for change in ({"deleteAttribute": ["EMAIL"]}, {"deleteProvider": ["oidc.fake", "oidc.real"]}):
        assert_error(api.call("update", {"idToken": linked["idToken"], **change}), "CREDENTIAL_TOO_OLD_LOGIN_AGAIN")
    assert_error(api.call("delete", {"idToken": linked["idToken"]}), "CREDENTIAL_TOO_OLD_LOGIN_AGAIN")


def test_the_address_is_spelled_as_in_a_lookup(api, fake_issuer):
    email = f"Mixed.Case{secrets.token_hex(4)}@Example.com"
    user = posted(api, {"providerId": "oidc.fake", "id_token": fake_issuer.id_token(secrets.token_hex(6), email=email)}).json()
    assert user["email"] == api.lookup(user["idToken"])["email"] == email.lower()


def test_a_second_identity_of_a_provider_whose_first_has_another_address_needs_confirmation(fake_issuer):
    entry = fake_issuer.entry(authoritativeDomains=["trusted.example"])
    with a_site({"oidc.fake": entry, "oidc.two": entry}) as site:
        api = site.serve().api()
        owner = posted(api, {"providerId": "oidc.two", "id_token": fake_issuer.id_token("work", email="ada@trusted.example")}).json()
        private = {"providerId": "oidc.fake", "id_token": fake_issuer.id_token("private", email="ada@elsewhere.example")}
        assert posted(api, private, idToken=owner["idToken"]).json()["localId"] == owner["localId"]
        second = {"providerId": "oidc.fake", "id_token": fake_issuer.id_token("second", email="ada@trusted.example")}
        answer = posted(api, second).json()
        assert answer["needConfirmation"] is True and answer["verifiedProvider"] == ["oidc.fake", "oidc.two"] and "idToken" not in answer
        assert api.refresh(owner["refreshToken"]).status_code == 200
        assert posted(api, private).json()["localId"] == owner["localId"]

        assert_error(posted(api, second, idToken=owner["idToken"]), "FEDERATED_USER_ID_ALREADY_LINKED")
        api.succeed("update", {"idToken": owner["idToken"], "deleteProvider": ["oidc.fake"]})
        assert posted(api, second).json()["localId"] == owner["localId"]


def test_SEC_50_unlinking_a_provider_expels_the_person_who_came_by_it(site, api, fake_issuer, microsoft):
    """A thief links an identity of their own with a stolen session and comes by it. The owner unlinks it."""
    owner = posted(api, {"providerId": "oidc.fake", "id_token": fake_issuer.id_token("owner-" + secrets.token_hex(4))}).json()
    own = microsoft.id_token("alice", oid=f"0bad0bad-2222-4222-8222-{secrets.token_hex(6)}", email=f"{secrets.token_hex(4)}@evil.example")
    thiefs = {"providerId": "microsoft.com", "id_token": own}
    linked = posted(api, thiefs, idToken=owner["idToken"]).json()
    thief = posted(api, thiefs).json()
    assert thief["localId"] == linked["localId"] == owner["localId"]

    left = api.succeed("update", {"idToken": owner["idToken"], "deleteProvider": ["microsoft.com"], "returnSecureToken": True})
    assert [entry["providerId"] for entry in left["providerUserInfo"]] == ["oidc.fake"] and "idToken" not in left
    for ended in (linked, thief):
        assert_error(api.refresh(ended["refreshToken"]), "TOKEN_EXPIRED")
        token = ended["idToken"]
        for refused in (
            api.call("lookup", {"idToken": token}),
            api.call("update", {"idToken": token, "displayName": "Mallory"}),
            api.call("update", {"idToken": token, "deleteProvider": ["oidc.fake"]}),
            api.call("delete", {"idToken": token}),
            posted(api, thiefs, idToken=token),
        ):
            assert_error(refused, "TOKEN_EXPIRED")
    pending = {"requestUri": "http://localhost", "pendingToken": thief["pendingToken"]}
    assert_error(api.call("signInWithIdp", {**pending, "idToken": owner["idToken"]}), "INVALID_PENDING_TOKEN")
    assert posted(api, thiefs).json()["localId"] != owner["localId"]
    assert api.lookup(owner["idToken"])["localId"] == owner["localId"]
    assert api.refresh(owner["refreshToken"]).status_code == 200


def test_SEC_50_no_sign_in_that_races_with_the_unlinking_stays(site, api, fake_issuer, microsoft):
    owner = posted(api, {"providerId": "oidc.fake", "id_token": fake_issuer.id_token("owner-" + secrets.token_hex(4))}).json()
    own = microsoft.id_token("alice", oid=f"0bad0bad-2222-4222-8222-{secrets.token_hex(6)}", email=f"{secrets.token_hex(4)}@evil.example")
    thiefs = {"providerId": "microsoft.com", "id_token": own}
    assert posted(api, thiefs, idToken=owner["idToken"]).status_code == 200

    def race(index):
        if index == 5:
            return api.call("update", {"idToken": owner["idToken"], "deleteProvider": ["microsoft.com"]})
        return posted(api, thiefs)

    answers = together(12, race)
    assert answers[5].status_code == 200, answers[5].text
    alive = "SELECT count(*) FROM sessions WHERE account_id = %s AND sign_in_provider = 'microsoft.com' AND ended_at IS NULL"
    assert site.value(alive, owner["localId"]) == 0

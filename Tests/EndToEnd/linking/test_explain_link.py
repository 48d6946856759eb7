"""`gatehouse explain-link`: it says beforehand what a sign-in then does, and writes nothing."""

import json
import pathlib
import re

import pytest

from support.accounts import address, person, sign_up
from support.clients.api import posted
from support.names import METHODS
from support.servers.site import a_site

ROOT = pathlib.Path(__file__).parents[3]


@pytest.fixture(scope="module")
def site(doubles):
    providers = {
        "oidc.fake": doubles["oidc.fake"].entry(authoritativeDomains=["example.com"]),
        "microsoft.com": doubles["microsoft.com"].entry(),
        "github.com": doubles["github.com"].entry(),
    }
    with a_site(providers, project={"signIn": METHODS}) as site:
        site.serve()
        yield site


@pytest.fixture
def api(site):
    return site.servers[0].api()


def explained(site, provider, claims, *more):
    """What the command says as JSON. It changes nothing."""
    file = site.folder / "claims.json"
    file.write_text(json.dumps(claims))
    before = site.counts()
    arguments = ("explain-link", "demo", "--provider", provider, "--claims", file, *more)
    answer = json.loads(site.run(*arguments, "--json", check=True).stdout)
    text = site.run(*arguments, check=True).stdout
    assert f"rule:       {answer['rule']}\nwhy:        {answer['why']}\n" in text and f"decision:   {answer['decision']}" in text
    assert all(f"written:    {change}" in text for change in answer["written"] or ["nothing"])
    assert site.counts() == before
    return answer


def test_it_says_what_the_sign_in_then_does(site, api, fake_issuer, microsoft):
    subject, email = person(), address()
    claims = {"sub": subject, "email": email, "email_verified": True}
    told = explained(site, "oidc.fake", claims)
    assert (told["decision"], told["rule"]) == ("create", "newAddress") and told["identity"]["emailAuthoritative"] is True
    user = posted(api, {"providerId": "oidc.fake", "id_token": fake_issuer.id_token(subject, email=email)}).json()
    assert user["isNewUser"] is True

    told = explained(site, "oidc.fake", claims)
    assert (told["decision"], told["rule"]) == ("signIn", "knownIdentity") and told["accountOfIdentity"]["localId"] == user["localId"]

    stranger = microsoft.users["alice"] | {"email": email}
    told = explained(site, "microsoft.com", stranger)
    assert (told["decision"], told["rule"]) == ("needConfirmation", "addressNotProven") and "code" not in told
    assert told["accountOfAddress"] == {
        "localId": user["localId"],
        "email": email,
        "emailVerified": True,
        "emailProven": True,
        "disabled": False,
        "providers": ["oidc.fake"],
        "customAuth": False,
    }
    answer = posted(api, {"providerId": "microsoft.com", "id_token": microsoft.id_token("alice", email=email)}).json()
    assert answer["needConfirmation"] is True

    told = explained(site, "microsoft.com", stranger, "--link", user["localId"])
    assert (told["decision"], told["rule"]) == ("link", "linkAdds")
    other = sign_up(api)
    told = explained(site, "microsoft.com", stranger, "--link", other["localId"])
    assert (told["decision"], told["rule"], told["code"]) == ("refuse", "addressTaken", "EMAIL_EXISTS")


def test_it_names_what_a_takeover_ends(site, api):
    trap = sign_up(api)
    told = explained(site, "oidc.fake", {"sub": person(), "email": trap["email"], "email_verified": True})
    assert (told["decision"], told["rule"]) == ("takeOver", "makerNeverProved")
    assert f"Account {trap['localId']} loses its ways to sign in (password)." in told["written"]


def test_it_says_that_an_address_moves_from_an_account_that_custom_tokens_open(site, api):
    trap = sign_up(api)
    site.rows("UPDATE accounts SET custom_auth = true WHERE account_id = %s", trap["localId"])
    told = explained(site, "oidc.fake", {"sub": person(), "email": trap["email"], "email_verified": True})
    assert (told["decision"], told["rule"]) == ("moveAddress", "heldByBackEnd") and told["accountOfAddress"]["customAuth"] is True
    assert f"Account {trap['localId']} loses its address, with password and links in mails, and keeps everything else." in told["written"]


def test_it_reads_the_answers_of_an_API(site):
    told = explained(site, "github.com", {"/user": {"id": 7, "login": "ada"}})
    assert told["identity"]["subject"] == "7" and "email" not in told["identity"]
    assert told["rule"] == "noAddress" and [path.rpartition("/")[2] for path in told["unanswered"]] == ["emails"]


@pytest.mark.parametrize(
    "arguments, content, reason",
    [
        (("nosuchproject", "--provider", "oidc.fake"), "{}", "does not have a project nosuchproject"),
        (("demo", "--provider", "oidc.none"), "{}", "has no provider oidc.none; its providers are github.com, microsoft.com, oidc.fake"),
        (("demo", "--provider", "oidc.fake"), "{", "claims.json is not JSON"),
        (("demo", "--provider", "oidc.fake"), "[]", "claims.json does not hold a JSON object"),
        (("demo", "--provider", "oidc.fake"), None, "claims.json cannot be read"),
        (("demo", "--provider", "oidc.fake"), '{"email": "ada@example.com"}', "does not say who signed in"),
        (("demo", "--provider", "oidc.fake"), '{"iss": "https://evil.example", "sub": "x"}', "comes from another issuer"),
        (("demo", "--provider", "github.com"), '{"sub": "x"}', "github.com has no ID tokens"),
        (("demo", "--provider", "github.com"), "{}", "ask the API for"),
        (("demo", "--provider", "oidc.fake", "--link", "nobody"), '{"sub": "x"}', "project demo has no account nobody"),
    ],
)
def test_what_cannot_be_explained_ends_with_1_and_the_reason(site, tmp_path, arguments, content, reason):
    file = tmp_path / "claims.json"
    if content is not None:
        file.write_text(content)
    result = site.run("explain-link", *arguments, "--claims", file)
    assert result.returncode == 1 and reason in result.stderr and result.stdout == "", result.stderr


def test_the_command_line_needs_provider_and_claims(site):
    assert site.run("explain-link", "demo").returncode == 64


def test_the_page_has_every_rule_with_its_sentence():
    source = (ROOT / "Sources/Accounts/Linking/LinkingRule.swift").read_text()
    rules = re.findall(r'case \.(\w+):\s*"([^"]*)"', source)
    table = (ROOT / "docs/providers/README.md").read_text().partition("### The rules")[2]
    assert len(rules) > 15 and re.findall(r"^\| `(\w+)` \| .* \| (.*) \|$", table, re.MULTILINE) == rules


@pytest.mark.parametrize(
    "policy, decision", [("confirm", "needConfirmation"), ("neverOverwrite", "needConfirmation"), ("firebase", "takeOver")]
)
def test_the_policy_of_a_project_decides(fake_issuer, policy, decision):
    providers = {"oidc.fake": fake_issuer.entry(authoritativeDomains=["example.com"])}
    with a_site(providers, project={"signIn": {**METHODS, "linking": policy}}) as site:
        api = site.serve().api()
        made = sign_up(api)
        subject = person()
        told = explained(site, "oidc.fake", {"sub": subject, "email": made["email"], "email_verified": True})
        assert told["decision"] == decision and told["policy"]["linking"] == policy
        answer = posted(api, {"providerId": "oidc.fake", "id_token": fake_issuer.id_token(subject, email=made["email"])}).json()
        assert answer.get("needConfirmation") is (True if decision == "needConfirmation" else None)
        if "needConfirmation" in answer:
            assert answer["verifiedProvider"] == ["password"], "the app can lead the person there"
            assert api.refresh(made["refreshToken"]).status_code == 200
            body = {"requestUri": "http://localhost", "pendingToken": answer["pendingToken"], "idToken": made["idToken"]}
            assert api.succeed("signInWithIdp", body)["localId"] == made["localId"]


def test_an_account_that_was_made_for_its_owner_is_claimed_with_its_profile(site, api, fake_issuer, microsoft):
    email = address()
    site.rows(
        "INSERT INTO accounts (project_id, account_id, email, email_verified, display_name, valid_since, created_at)"
        " VALUES ('demo', 'made-by-hand', %s, true, 'As written', date_trunc('second', now()), now())",
        email,
    )
    word = microsoft.users["bob"] | {"email": email}
    assert explained(site, "microsoft.com", word)["rule"] == "addressNotProven"
    subject = person()
    assert explained(site, "oidc.fake", {"sub": subject, "email": email, "email_verified": True})["rule"] == "madeByAdministrator"
    owner = posted(api, {"providerId": "oidc.fake", "id_token": fake_issuer.id_token(subject, email=email)}).json()
    assert owner["localId"] == "made-by-hand" and api.lookup(owner["idToken"])["displayName"] == "As written"

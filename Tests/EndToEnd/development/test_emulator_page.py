"""`/emulator/codes`: the page that shows a developer accounts, mails and codes."""

import html
import re

import pytest
import requests

from support.clients.api import API
from support.clients.emulator import ask, guest
from support.leaks import note, note_url
from support.names import METHODS, OTHER, TIMEOUT
from support.servers.site import Site


@pytest.fixture(scope="module")
def shown():
    site = Site(settings={"developmentProject": "demo"}, project={"signIn": METHODS}, others={"other": OTHER})
    site.serve()
    yield site
    site.close()


@pytest.fixture(autouse=True)
def empty(shown):
    ask(shown, "DELETE", "/emulator/v1/projects/demo/accounts").raise_for_status()


def page(site, query="", **headers):
    return requests.get(
        f"{site.url}/emulator/codes{query}", headers={name.replace("_", "-"): v for name, v in headers.items()}, timeout=TIMEOUT
    )


def send(site, do, project="demo", headers=None, **fields):
    form = {"do": do, "project": project, **fields}
    return requests.post(site.url + "/emulator/codes", data=form, headers=headers, allow_redirects=False, timeout=TIMEOUT)


def text(response):
    """What a person reads."""
    body = response.text.partition("<body>")[2]
    return " ".join(html.unescape(re.sub("<[^>]+>", " ", body)).split())


def test_it_shows_accounts_the_newest_first_and_reloads_itself(shown):
    assert "The project has no accounts." in text(page(shown)) and "No mails were sent." in text(page(shown))
    api = API(shown.url)
    ada = api.succeed("signUp", {"email": "ada@example.com", "password": "analytical engine", "displayName": "Ada"})
    nobody = guest(shown).json()
    answer = page(shown)
    said = text(answer)
    assert said.index(nobody["localId"]) < said.index("ada@example.com") < said.index(ada["localId"])
    assert "anonymous" in said and "Ada · password · " in said
    assert '<meta http-equiv="refresh" content="3">' in answer.text
    assert "http-equiv" not in page(shown, "?live=off").text
    assert requests.get(shown.url + "/emulator", timeout=TIMEOUT).status_code == 200
    # As a form without a choice sends it.
    for query in ("", "?project=", "?project=demo"):
        assert "<h1>Project demo</h1>" in page(shown, query).text and "<title>Development: demo" in page(shown, query).text


def test_it_is_safe_to_open(shown):
    api = API(shown.url)
    name = "<script>alert(1)</script>\"'&"
    api.succeed("signUp", {"email": "script@example.com", "password": "analytical engine", "displayName": name})
    answer = page(shown)
    assert "<script" not in answer.text and html.escape(name).replace("&#x27;", "&#39;") in answer.text
    policy = answer.headers["content-security-policy"]
    assert (
        policy.startswith("default-src 'none'; style-src 'sha256-")
        and "form-action 'self'" in policy
        and "frame-ancestors 'none'" in policy
    )
    assert answer.headers["cache-control"] == "no-store" and answer.headers["x-frame-options"] == "DENY"


def test_mails_stand_there_with_their_links_and_codes(shown):
    api = API(shown.url)
    api.succeed("signUp", {"email": "mail@example.com", "password": "analytical engine"})
    api.succeed("sendOobCode", {"requestType": "PASSWORD_RESET", "email": "mail@example.com"})
    answer = page(shown)
    (link,) = re.findall(r'<a href="([^"]*oobCode[^"]*)">Open the link', answer.text)
    link = note_url(html.unescape(link))
    (code,) = re.findall(r"[?&]oobCode=([\w-]+)", link)
    assert f"<code>{note(code)}</code>" in answer.text and "mail@example.com · resetPassword" in text(answer)
    assert requests.get(link, timeout=TIMEOUT).status_code == 200
    api.succeed("resetPassword", {"oobCode": code, "newPassword": "difference engine"})
    assert code not in page(shown).text and "used, expired or without a code" in text(page(shown))


def test_accounts_are_added_and_deleted_there(shown):
    assert 'value="add"' in page(shown, "?do=add").text and "http-equiv" not in page(shown, "?do=add").text
    fields = {"email": "New@example.com", "password": note("analytical engine"), "displayName": "New One"}
    made = send(shown, "add", **fields)
    assert (made.status_code, made.headers["location"]) == (303, "/emulator/codes?project=demo")
    signed_in = API(shown.url).succeed("signInWithPassword", {"email": "new@example.com", "password": "analytical engine"})
    again = send(shown, "add", **fields)
    assert again.status_code == 400 and "EMAIL_EXISTS" in again.text and 'value="New@example.com"' in again.text
    assert "INVALID_EMAIL" in send(shown, "add", **{**fields, "email": "no"}).text
    assert "WEAK_PASSWORD" in send(shown, "add", **{**fields, "email": "weak@example.com", "password": "x"}).text
    assert send(shown, "delete", account=signed_in["localId"]).status_code == 303
    assert shown.counts()["accounts"] == 0
    assert "USER_NOT_FOUND" in send(shown, "delete", account=signed_in["localId"]).text


def test_a_link_that_signs_in_is_mailed_and_all_is_cleared(shown):
    API(shown.url).succeed("signUp", {"email": "link@example.com", "password": "analytical engine"})
    (form,) = re.findall(r'href="(/emulator/codes\?[^"]*do=link[^"]*)"', page(shown).text)
    assert 'value="link@example.com"' in requests.get(shown.url + html.unescape(form), timeout=TIMEOUT).text
    fields = {"email": "link@example.com", "continueUrl": "http://localhost:3000/in"}
    assert send(shown, "link", **fields).status_code == 303
    (code,) = ask(shown, "GET", "/emulator/v1/projects/demo/oobCodes").json()["oobCodes"]
    body = {"email": "link@example.com", "oobCode": note(code["oobCode"])}
    assert code["requestType"] == "EMAIL_SIGNIN" and API(shown.url).succeed("signInWithEmailLink", body)["email"] == "link@example.com"
    assert "UNAUTHORIZED_DOMAIN" in send(shown, "link", **{**fields, "continueUrl": "https://evil.example/"}).text
    assert send(shown, "clear").status_code == 303
    assert shown.counts() == {"accounts": 0, "identities": 0, "sessions": 0}
    assert "No mails were sent." in text(page(shown))


def test_each_project_has_a_page_made_on_the_fly_or_with_a_file(shown):
    guest(shown, "project:page-suite").raise_for_status()
    assert "/emulator/codes?project=page-suite" in page(shown).text
    assert "Project page-suite" in text(page(shown, "?project=page-suite")) and "anonymous" in text(page(shown, "?project=page-suite"))
    assert send(shown, "clear", "page-suite").status_code == 303
    assert shown.value("SELECT count(*) FROM accounts WHERE project_id = 'page-suite'") == 0
    assert "/emulator/codes?project=other" in page(shown).text
    fields = {"email": "of-a-file@example.com", "password": note("analytical engine"), "displayName": "Of a file"}
    assert send(shown, "add", "other", **fields).status_code == 303
    assert "of-a-file@example.com" in text(page(shown, "?project=other")) and "of-a-file@example.com" not in text(page(shown))
    assert send(shown, "clear", "other").status_code == 303
    assert shown.value("SELECT count(*) FROM accounts WHERE project_id = 'other'") == 0


def test_a_request_that_is_not_the_pages_form_is_refused(shown):
    assert send(shown, "nothing").status_code == 400
    twice = requests.post(shown.url + "/emulator/codes", data=[("do", "clear"), ("do", "add"), ("project", "demo")], timeout=TIMEOUT)
    assert twice.status_code == 400
    assert requests.post(shown.url + "/emulator/codes", json={"do": "clear"}, timeout=TIMEOUT).status_code == 400


@pytest.mark.parametrize(
    "headers",
    [
        {"x-forwarded-for": "127.0.0.1"},
        {"via": "1.1 tunnel"},
        {"host": "rebound.example.com"},
        {"origin": "https://evil.example"},
        {"origin": "null"},
        {"sec-fetch-site": "cross-site"},
    ],
    ids=str,
)
def test_SEC_22_strangers_neither_see_nor_use_it(shown, headers):
    guest(shown).raise_for_status()
    for answer in (requests.get(shown.url + "/emulator/codes", headers=headers, timeout=TIMEOUT), send(shown, "clear", headers=headers)):
        assert answer.status_code == 403 and "anonymous" not in answer.text
    assert shown.counts()["accounts"] == 1


def test_SEC_22_it_is_not_there_without_a_development_project_and_in_production(site, production):
    for place in (site, production):
        assert page(place).status_code == send(place, "clear").status_code == 404


def test_a_German_reads_it_in_German(shown):
    assert "Das Projekt hat keine Konten." in text(page(shown, accept_language="de"))

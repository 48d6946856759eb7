"""What the standards say of answers, as checks that several suites make."""

import re

from support.openid.pages import Page
from support.openid.relying_party import Answer, delivered

# RFC 6749 section 4.1.2.1: %x20-21 / %x23-5B / %x5D-7E.
DESCRIPTION = re.compile(r"[\x20-\x21\x23-\x5B\x5D-\x7E]*\Z")
ERROR_MEMBERS = {"error", "error_description", "error_uri"}


def assert_delivered(answer, mode):
    """The answer came as the response mode says, and not partly by another one."""
    assert answer.mode == (mode or "query"), answer.response.text[:500]
    response = answer.response
    assert response.headers["cache-control"] == "no-store"
    if answer.mode != "form_post":
        assert response.headers["referrer-policy"] == "no-referrer"
        return
    page = Page(response)
    assert response.status_code == 200 and response.headers["content-type"].startswith("text/html")
    assert "code=" not in response.url and "error=" not in response.url, "nothing of it is in the address"
    assert answer.uri == answer.sent["redirect_uri"]
    policy = response.headers["content-security-policy"]
    assert "'unsafe-inline'" not in policy.split("script-src")[-1].split(";")[0], policy
    assert page.scripts, "it is sent by itself"
    assert "<noscript" in response.text or any(button for form in page.forms for button in form.buttons), "and by hand without scripts"


def assert_redirected(response_or_answer, error, client=None, mode="query", sent=None):
    """An error that the relying party is told by a redirect; gives its parameters."""
    answer = response_or_answer
    if not isinstance(answer, Answer):
        answer = delivered(answer, client.redirect_uris)
        assert answer, f"a page instead of a redirect: {response_or_answer.status_code} {response_or_answer.text[:500]}"
    assert answer.mode == mode
    if client:
        assert answer.uri in client.redirect_uris
    expected = {error} if isinstance(error, str) else set(error)
    assert answer.parameters.get("error") in expected, answer.parameters
    assert set(answer.parameters) <= ERROR_MEMBERS | {"state", "iss"}, "no other member, and never a code"
    assert DESCRIPTION.match(answer.parameters.get("error_description", "")), answer.parameters
    assert answer.parameters["iss"]
    if sent is not None:
        assert answer.parameters.get("state") == sent
    return answer.parameters


def assert_page(response, status=400, uri=None):
    """A page for the person instead of a redirect, which leads nowhere and says nothing that the request brought in."""
    assert response.status_code == status, f"{response.status_code} {response.headers.get('location')} {response.text[:300]}"
    assert "location" not in response.headers and "refresh" not in response.headers
    assert response.headers["content-type"].startswith("text/html")
    page = Page(response)
    assert not [meta for meta in page.metas if (meta.get("http-equiv") or "").lower() == "refresh"]
    if uri:
        assert uri not in page.links and uri not in [form.action for form in page.forms], "no link to the refused address"
    assert "frame-ancestors 'none'" in response.headers["content-security-policy"]
    return page


def assert_token_error(response, error, status=400):
    """An error by RFC 6749 section 5.2; gives its description."""
    assert response.status_code == status, f"{response.status_code} {response.text}"
    assert_token_headers(response)
    body = response.json()
    assert isinstance(body, dict) and set(body) <= ERROR_MEMBERS, body
    assert body["error"] == error, body
    assert all(isinstance(value, str) for value in body.values())
    assert DESCRIPTION.match(body.get("error_description", "")), body
    if status == 401 and "authorization" in response.request.headers:
        assert response.headers["www-authenticate"].startswith('Basic realm="')
    return body.get("error_description", "")


def assert_token_headers(response):
    assert response.headers["content-type"].split(";")[0] == "application/json"
    assert response.headers["cache-control"] == "no-store" and response.headers["pragma"] == "no-cache"


def assert_transient(response, status):
    """A fault of the server or a limit: nothing that an app takes for the end of its session."""
    assert response.status_code == status, f"{response.status_code} {response.text}"
    assert response.headers["content-type"].startswith("application/json" if status == 429 else "text/plain")
    assert int(response.headers["retry-after"]) > 0
    assert '"error"' not in response.text


def assert_unauthorized(response, error="invalid_token"):
    """RFC 6750 section 3: the bearer token is refused; without a token, no error code."""
    assert response.status_code == 401, f"{response.status_code} {response.text}"
    challenge = response.headers["www-authenticate"]
    assert challenge.split()[0] == "Bearer"
    if error:
        assert f'error="{error}"' in challenge, challenge
    else:
        assert "error" not in challenge, challenge


NUMBERS = {"expires_in", "not_before", "id_token_expires_in", "refresh_token_expires_in"}
STRINGS = {"access_token", "token_type", "refresh_token", "id_token", "scope", "client_info", "profile_info"}


def assert_token_answer(response):
    """The types of all members of a token response; gives it."""
    assert response.status_code == 200, response.text
    assert_token_headers(response)
    body = response.json()
    assert {"access_token", "token_type", "expires_in"} <= set(body) <= NUMBERS | STRINGS, set(body)
    assert body["token_type"] == "Bearer"
    for name, value in body.items():
        if name in NUMBERS:
            assert type(value) is int and value >= 0, f"{name} is {value!r}"
        else:
            assert type(value) is str and value, f"{name} is {value!r}"
    assert body["expires_in"] > 0
    return body


def short(value):
    """The name of a parameter of a test, for values of any length and in any letters."""
    return ascii(value)[:40]

"""The handler's pages: what they may load, which pages may frame them, their size, and their language."""

import re
from urllib.parse import urljoin

import pytest
import requests

from support.clients.handler import AppleFlow, BrowserFlow, island, shown_text
from support.names import API_KEY, TIMEOUT
from support.servers.site import a_site

IFRAME = {"apiKey": API_KEY, "appName": "[DEFAULT]", "v": "12.18.0", "usegapi": "1"}


def iframe(site, path="/__/auth/iframe", headers=None, **changes):
    return requests.get(site.url + path, params={**IFRAME, **changes}, headers=headers, timeout=TIMEOUT)


def pages(site, fake_issuer):
    popup, redirect, native = BrowserFlow(site), BrowserFlow(site, auth_type="signInViaRedirect"), AppleFlow(site)
    yield popup.start()
    yield popup.callback(fake_issuer.login()(popup.authorization_url()))
    yield redirect.callback(fake_issuer.login()(redirect.authorization_url()))
    yield native.callback(fake_issuer.login()(native.authorization_url()))
    yield iframe(site)


def test_SEC_18_no_page_runs_or_loads_anything_but_our_own_files(site, fake_issuer):
    for page in pages(site, fake_issuer):
        assert page.status_code == 200 and page.headers["content-type"] == "text/html; charset=utf-8"
        policy = dict(part.strip().split(" ", 1) for part in page.headers["content-security-policy"].split(";"))
        assert policy["default-src"] == policy["base-uri"] == policy["form-action"] == "'none'"
        # The page that leads back to an iOS app has no script at all.
        allowed = "'self'" if "<script" in page.text else None
        assert policy.get("script-src") == policy.get("connect-src") == allowed
        assert "unsafe" not in page.headers["content-security-policy"]
        assert page.headers["cache-control"] == "no-store" and page.headers["referrer-policy"] == "no-referrer"
        assert page.headers["x-content-type-options"] == "nosniff"
        assert "cross-origin-opener-policy" not in page.headers
        assert not re.search(r"\s(on\w+|style)=", page.text), "no inline script or style attribute"
        for attributes, content in re.findall(r"<script\b([^>]*)>(.*?)</script>", page.text, re.S):
            assert 'type="application/json"' in attributes or "src=" in attributes and not content.strip()
        for link in re.findall(r'(?:src|href)="([^"]*)"', page.text):
            assert link.startswith("/__/auth/") or "://firebaseauth/link?" in link
        island(page)


def test_SEC_18_only_pages_of_authorized_domains_may_frame_the_iframe(site, fake_issuer):
    for path in ("/__/auth/iframe", "/emulator/auth/iframe"):
        page = iframe(site, path)
        ancestors = page.headers["content-security-policy"].rpartition("frame-ancestors ")[2].split()
        assert set(ancestors) == {
            "'self'",
            "https://localhost:*",
            "http://localhost:*",
            "https://127.0.0.1:*",
            "http://127.0.0.1:*",
            "https://app.example.com:*",
        }
        assert "x-frame-options" not in page.headers
        assert page.headers["cross-origin-resource-policy"] == "cross-origin"
    flow = BrowserFlow(site)
    for page in (flow.start(), flow.callback(fake_issuer.login()(flow.authorization_url())), iframe(site, apiKey="wrong")):
        assert "frame-ancestors 'none'" in page.headers["content-security-policy"]
        assert page.headers["x-frame-options"] == "DENY"


def test_the_iframe_knows_its_app_and_where_to_ask(site):
    data = island(iframe(site, appName="a</script><b>"))
    assert data == {
        "storageKey": API_KEY + ":a</script><b>",
        # When a browser has no cookie of a redirect, no result can wait for it, so its frame need not ask.
        "pending": None,
        "relay": "/__/auth/relay",
        "transport": "builtin",
    }
    for bad in ({"apiKey": "wrong"}, {"apiKey": None}, {"appName": None}, {"appName": "x" * 129}, {"apiKey": [API_KEY, "other-api-key"]}):
        assert iframe(site, **bad).status_code == 400, bad


def test_the_iframe_asks_for_a_result_only_where_the_browser_brings_the_cookie_of_one(site, fake_issuer):
    redirect = BrowserFlow(site, auth_type="signInViaRedirect")
    redirect.finished(fake_issuer.login())
    (kept,) = [cookie for cookie in redirect.browser.cookies if cookie.name.endswith("gatehouse_result")]
    for value, address in ((kept.value, "/__/auth/pending"), (kept.value.replace("demo.", "other."), None), ("nonsense", None)):
        page = iframe(site, headers={"Cookie": f"{kept.name}={value}"})
        assert island(page)["pending"] == address, value


def test_SEC_18_pages_are_opened_as_what_they_are(site):
    for destination in ("iframe", "frame", "embed", "object", "script", "empty", "image"):
        response = BrowserFlow(site).start(headers={"Sec-Fetch-Dest": destination})
        assert response.status_code == 400 and "set-cookie" not in response.headers, destination
        assert (
            requests.get(site.url + "/__/auth/handler?state=x", headers={"Sec-Fetch-Dest": destination}, timeout=TIMEOUT).status_code == 400
        )
    assert BrowserFlow(site).start(headers={"Sec-Fetch-Dest": "document"}).status_code == 200
    for destination in ("document", "embed", "script", "empty"):
        assert iframe(site, headers={"Sec-Fetch-Dest": destination}).status_code == 400, destination
    assert iframe(site, headers={"Sec-Fetch-Dest": "iframe"}).status_code == 200


def test_a_page_load_of_everything_is_small(site):
    """Handler, iframe and their scripts, as the bytes that travel without compression."""
    weight = 0
    seen = set()
    for page in (BrowserFlow(site).start(), iframe(site)):
        weight += len(page.content)
        for link in re.findall(r'src="([^"]*)"', page.text):
            url = urljoin(page.url, link)
            assert url.startswith(site.url + "/__/auth/")
            seen.add(url)
    assert len(seen) == 2
    for url in seen:
        weight += len(requests.get(url, timeout=TIMEOUT).content)
    assert weight < 15_000, weight


@pytest.mark.parametrize("name", ["iframe.js", "handler.js", "gapi.js"])
def test_scripts_are_kept_by_their_version(site, name):
    stable = requests.get(f"{site.url}/__/auth/{name}", timeout=TIMEOUT)
    assert stable.status_code == 200 and stable.headers["content-type"] == "text/javascript; charset=utf-8"
    assert stable.headers["cache-control"] == "public, max-age=300"
    assert stable.headers["cross-origin-resource-policy"] == "cross-origin"
    assert stable.headers["x-content-type-options"] == "nosniff"
    tag = stable.headers["etag"]
    for known in (tag, "W/" + tag, '"other", ' + tag):
        again = requests.get(f"{site.url}/__/auth/{name}", headers={"If-None-Match": known}, timeout=TIMEOUT)
        assert again.status_code == 304 and not again.content and again.headers["etag"] == tag
    assert requests.get(f"{site.url}/__/auth/{name}", headers={"If-None-Match": '"other"'}, timeout=TIMEOUT).status_code == 200
    versioned = requests.get(f"{site.url}/__/auth/{name}?v={tag.strip(chr(34))}", timeout=TIMEOUT)
    assert versioned.headers["cache-control"] == "public, max-age=31536000, immutable" and versioned.content == stable.content
    other = requests.get(f"{site.url}/__/auth/{name}?v=AAAAAAAAAAAA", timeout=TIMEOUT)
    assert other.content == stable.content and "immutable" not in other.headers["cache-control"]
    assert requests.get(f"{site.url}/emulator/auth/{name}", timeout=TIMEOUT).content == stable.content


def test_pages_speak_the_visitors_language(site, fake_issuer):
    german = {"Accept-Language": "de-AT,de;q=0.9,en;q=0.5"}
    assert "Einen Moment" in shown_text(BrowserFlow(site).start(headers=german))
    assert "One moment" in shown_text(BrowserFlow(site).start(headers={"Accept-Language": "xx"}))
    assert "Einen Moment" in shown_text(BrowserFlow(site).start(hl="de"))
    assert "hat nicht geklappt" in shown_text(BrowserFlow(site).start(headers=german, redirectUrl="https://evil.example/"))
    flow = AppleFlow(site, hl="de")
    page = flow.callback(fake_issuer.login()(flow.authorization_url()))
    assert "Zurück zu demo" in shown_text(page), "asked for at the start, still spoken at the end"


def test_SEC_10_the_name_of_a_project_does_no_harm(fake_issuer):
    name = "<b>A&B</b>\"'"
    with a_site({"oidc.fake": fake_issuer.entry()}, project={"branding": {"name": name, "accent": "#aa0000"}}) as site:
        site.serve()
        flow = AppleFlow(site)
        page = flow.callback(fake_issuer.login()(flow.authorization_url()))
        assert "<b>" not in page.text and f"Back to {name}" in shown_text(page) and "#aa0000" in page.text

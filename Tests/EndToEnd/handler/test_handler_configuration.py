"""`gatehouse check`: every mistake in a project's file that would make a redirect fail is reported, with what to do."""

from support.names import ANDROID, APPLE, PRODUCTION
from support.servers.site import FILES_ALONE, a_site
from support.tables import for_each


def check(project, **settings):
    with a_site({}, project=project, settings=settings, **FILES_ALONE) as site:
        result = site.run("check")
        return result.returncode, result.stdout + result.stderr


@for_each(
    [
        ({"authorizedDomains": []}, "authorizedDomains: is empty, so no redirect can succeed; add your app's host"),
        ({"authorizedDomains": ["https://app.example.com"]}, "expected a host name in lower case, without scheme or port"),
        ({"authorizedDomains": ["app.example.com:8443"]}, "expected a host name in lower case, without scheme or port"),
        ({"authorizedDomains": ["App.example.com"]}, "expected a host name"),
        ({"authorizedDomains": ["*"]}, "expected a host name"),
        ({"authorizedDomains": ["*.com"]}, "authorizedDomains: *.com would authorize every host below .com"),
        ({"authorizedDomains": ["*.10.0.0.1"]}, "*.10.0.0.1 is a wildcard on an address"),
        ({"authorizedDomains": ["*.[::1]"]}, "*.[::1] is a wildcard on an address"),
        ({"authorizedDomains": ["app.example.com"]}, "authorizedDomains: lacks 127.0.0.1, the host of this server's pages"),
        ({"apps": [{}]}, "apps[0]: name one of ios and android"),
        ({"apps": [{"ios": APPLE, "android": ANDROID}]}, "name one of ios and android"),
        ({"apps": [{"web": {}}]}, "unknown key"),
        ({"apps": {"ios": APPLE}}, "expected a list of mappings"),
        ({"apps": [{"ios": {"clientId": APPLE["clientId"]}}]}, "apps[0].ios.bundleId: is missing"),
        ({"apps": [{"ios": {"bundleId": "com.example.app"}}]}, "names neither clientId nor appId, so no result can reach the app"),
        ({"apps": [{"ios": {**APPLE, "clientId": "7-A1.apps.googleusercontent.com"}}]}, "a URL scheme that browsers leave as it is"),
        ({"apps": [{"ios": {**APPLE, "clientId": "7_a.apps.googleusercontent.com"}}]}, "a URL scheme that browsers leave as it is"),
        ({"apps": [{"ios": {**APPLE, "clientId": "nodots"}}]}, "a URL scheme that browsers leave as it is"),
        ({"apps": [{"ios": {**APPLE, "clientId": "a.b.1"}}]}, "the last part begins with a letter"),
        ({"apps": [{"ios": {**APPLE, "appId": "1:7:ios:A1"}}]}, "in lower case and without underscores"),
        ({"apps": [{"ios": {**APPLE, "appId": "1:7:ios:a_1"}}]}, "in lower case and without underscores"),
        ({"apps": [{"ios": {**APPLE, "bundleId": "com example"}}]}, "expected a bundle id"),
        ({"apps": [{"android": {"sha1": ANDROID["sha1"]}}]}, "apps[0].android.package: is missing"),
        ({"apps": [{"android": {**ANDROID, "package": "com.1x"}}]}, "expected a package name"),
        ({"apps": [{"android": {**ANDROID, "package": "com.example;S.link"}}]}, "expected a package name"),
        ({"apps": [{"android": {"package": "com.example.app"}}]}, "sha1: is missing"),
        ({"apps": [{"android": {**ANDROID, "sha1": "da39"}}]}, "40 hex digits"),
        ({"apps": [{"android": ANDROID}, {"android": ANDROID}]}, "apps[1]: package com.example.droid is listed already"),
        ({"redirect": {"publicURL": "http://app.example.com"}}, "redirect.publicURL: expected the https URL"),
        ({"redirect": {"publicURL": "https://app.example.com/auth"}}, "redirect.publicURL: expected the https URL"),
        ({"redirect": {"relais": True}}, 'unknown key; did you mean "relay"?'),
        ({"redirect": {"iframeTransport": "gapi"}}, "expected one of"),
    ],
)
def test_a_mistake_is_told(project, words):
    status, output = check(project)
    assert status != 0 and words in output, output


@for_each(
    [
        ("[::1]", "[::1] is an IPv6 address, which frame-ancestors cannot name"),
        ("[2001:db8::1]", "[2001:db8::1] is an IPv6 address, which frame-ancestors cannot name"),
    ],
)
def test_an_address_that_no_frame_may_name_is_told_in_production(domain, words):
    status, output = check({"authorizedDomains": ["app.example.com", domain], "apps": [], "redirectURLs": []}, **PRODUCTION)
    assert status != 0 and words in output, output
    assert words not in check({"authorizedDomains": ["app.example.com", domain], "apps": []})[1]


@for_each(
    [
        {"apps": [{"ios": APPLE}, {"android": {**ANDROID, "sha1": [":".join(["AB"] * 20), ANDROID["sha1"]]}}]},
        {"apps": [{"ios": {"bundleId": "com.example.App-1", "appId": "1:7:ios:a1"}}]},
        {"apps": [], "authorizedDomains": ["app.example.com"]},
        {"apps": [], "authorizedDomains": ["*.example.com"]},
        {"redirect": {"publicURL": "https://app.example.com/", "relay": False, "returnToken": True, "iframeTransport": "google"}},
        {"apps": [{"ios": APPLE}], "authorizedDomains": ["app.example.com"], "redirect": {"publicURL": "https://app.example.com"}},
    ],
)
def test_what_works_is_sound(project):
    status, output = check(project)
    assert status == 0, output


def test_what_to_register_and_where_redirects_do_not_reach_is_told():
    project = {
        "apps": [],
        "redirectURLs": [],
        "authorizedDomains": ["app.example.com", "*.example.com", "shop.example.net", "localhost", "10.0.0.1", "a.shop.co.uk"],
        "providers": {
            name: {"issuer": "https://id.example.com", "clientId": "x", "clientSecret": {"env": "CLIENT_SECRET"}, "ownCallback": own}
            for name, own in (("oidc.one", False), ("oidc.two", True))
        },
    }
    status, output = check(project, **PRODUCTION)
    assert status == 0, output
    assert "demo  oidc.one  the redirect URI to register is https://auth.example.com/__/auth/handler\n" in output
    assert "demo  oidc.two  the redirect URI to register is https://auth.example.com/__/auth/handler/oidc.two\n" in output
    told = {line.split()[1] for line in output.splitlines() if "is on another site than auth.example.com" in line}
    assert told == {"shop.example.net", "localhost", "10.0.0.1", "a.shop.co.uk"}
    assert "another site" not in check({**project, "redirect": {"returnToken": True}}, **PRODUCTION)[1]
    own = check({**project, "redirect": {"publicURL": "https://www.shop.co.uk"}}, **PRODUCTION)[1]
    assert "demo  a.shop.co.uk" not in own and "demo  app.example.com" in own

"""Every field missing, mistyped, oversized, duplicated; every one-time value replayed, swapped, expired: the documented error each time."""

import base64
import http.client
import json
import secrets
import socket
from urllib.parse import urlencode

import pytest
import requests

from support.clients.api import API, BAD_CREDENTIAL, assert_error, posted
from support.clients.flows import ClientFlow, WebFlow
from support.names import API_KEY, TIMEOUT
from support.routes import account_calls
from support.tables import for_each

pytestmark = pytest.mark.usefixtures("nothing_is_written")

ENDPOINTS = account_calls()
INVALID_JSON = "Invalid JSON payload received.*"


# -- what holds for all calls


MALFORMED = [
    b"{",
    b"}",
    b"[]",
    b'"text"',
    b"7",
    b"null",
    b'{"idToken":}',
    b'{"idToken":"a"} x',
    b"{'idToken':'a'}",
    b'{"idToken":"a",}',
    b'{"a":01}',
    b'{"a":NaN}',
    b'{"a":"\xff"}',
    b'{"a":"\\ud800"}',
    b'{"a":"\x01"}',
    b'{"idToken":"a","idToken":"b"}',
    b"[" * 10_000,
    b'{"a":' * 100 + b"1" + b"}" * 100,
    b"\xef\xbb\xbf{}",
    b"idToken=a&requestUri=b",
    b"<xml/>",
    b"\x00",
]


@for_each([(ENDPOINTS[0], body) for body in MALFORMED] + [(endpoint, b"{") for endpoint in ENDPOINTS + ["/v1/token"]])
def test_malformed_JSON(endpoint, body, api):
    assert_error(api.post(endpoint, body, headers={"content-type": "application/json"}), INVALID_JSON)


TEXTS = [
    ("signInWithIdp", "requestUri"),
    ("signInWithIdp", "postBody"),
    ("signInWithIdp", "sessionId"),
    ("signInWithIdp", "pendingToken"),
    ("signInWithIdp", "idToken"),
    ("lookup", "idToken"),
    ("delete", "idToken"),
    ("createAuthUri", "identifier"),
    ("createAuthUri", "providerId"),
    ("createAuthUri", "continueUri"),
    ("createAuthUri", "sessionId"),
    ("createAuthUri", "oauthScope"),
    ("/v2/accounts:revokeToken", "providerId"),
    ("/v2/accounts:revokeToken", "token"),
    ("/v2/accounts:revokeToken", "idToken"),
    ("/v2/accounts:revokeToken", "redirectUri"),
]


@for_each([(*text, value) for text in TEXTS for value in (7, 1.5, True, [], {}, ["a"], {"a": "b"})])
def test_a_text_of_another_type(endpoint, field, value, api):
    path = endpoint if endpoint.startswith("/") else f"/v1/accounts:{endpoint}"
    message = assert_error(api.post(path, {field: value}), INVALID_JSON)
    assert field in message, "the message names the field"


@for_each([(field, value) for field in ("autoCreate", "returnIdpCredential") for value in ("maybe", 1, [], {})])
def test_a_boolean_of_another_type(field, value, api):
    assert_error(api.call("signInWithIdp", {field: value}), INVALID_JSON)


def test_null_counts_as_absent_and_unknown_fields_are_ignored(api):
    assert_error(api.call("lookup", {"idToken": None}), "MISSING_ID_TOKEN")
    assert_error(api.call("lookup", {"unheardOf": {"a": [1]}, "returnSecureToken": True}), "MISSING_ID_TOKEN")
    assert_error(api.call("signInWithIdp", {"requestUri": None, "autoCreate": None}), "MISSING_REQUEST_URI")


@for_each(ENDPOINTS)
def test_the_key_of_no_project(endpoint, site):
    for key, options in ((None, {}), ("", {}), (None, {"headers": {"x-goog-api-key": ""}})):
        response = API(site.url, key).post(endpoint, {}, **options)
        assert_error(response, "The request is missing a valid API key.", 403)
        error = response.json()["error"]
        assert error["status"] == "PERMISSION_DENIED" and error["errors"][0]["reason"] == "forbidden"
    for key in ("wrong", API_KEY + "x", API_KEY.upper(), "x" * 5000, "ä", "\x00"):
        response = API(site.url, key).post(endpoint, {})
        assert_error(response, "API key not valid. Please pass a valid API key.")
        error = response.json()["error"]
        assert error["status"] == "INVALID_ARGUMENT" and error["details"][0]["reason"] == "API_KEY_INVALID"


def test_the_key_in_a_header_and_two_keys_that_differ(site):
    api = API(site.url, None)
    assert_error(api.post("/v1/accounts:lookup", {}, headers={"x-goog-api-key": API_KEY}), "MISSING_ID_TOKEN")
    assert API(site.url).post("/v1/accounts:lookup", {}, headers={"x-goog-api-key": "other-api-key"}).status_code == 400
    two = requests.post(f"{site.url}/v1/accounts:lookup?key={API_KEY}&key=other-api-key", json={}, timeout=TIMEOUT)
    assert_error(two, "API key not valid. Please pass a valid API key.")


@for_each([(endpoint, value) for endpoint in ENDPOINTS for value in ("Bearer owner", "bearer owner", "Bearer ya29.x", "Bearer eyJ.e30.x")])
def test_SEC_22_a_bearer_opens_nothing(endpoint, value, api):
    response = api.post(endpoint, {}, headers={"authorization": value})
    assert_error(response, "Invalid Credentials", 401)
    error = response.json()["error"]
    assert error["status"] == "UNAUTHENTICATED" and error["errors"][0]["location"] == "Authorization"
    assert error["errors"][0]["locationType"] == "header" and error["errors"][0]["reason"] == "authError"


def test_other_schemes_of_authorization_are_ignored(api):
    assert_error(api.post("/v1/accounts:lookup", {}, headers={"authorization": "Basic b3duZXI6"}), "MISSING_ID_TOKEN")


@for_each(ENDPOINTS)
def test_what_only_administrators_may_name(endpoint, api):
    for spelling in ("targetProjectId", "target_project_id"):
        assert_error(api.post(endpoint, {spelling: "demo"}), "INSUFFICIENT_PERMISSION")
    assert_error(api.post(endpoint, {"tenantId": "some-tenant"}), "UNSUPPORTED_TENANT_OPERATION")


WITHOUT_A_BODY = ["/v2/passwordPolicy", "/v2/recaptchaConfig", "/v1/projects", "/v1/recaptchaParams"]


@for_each([(path, name) for path in WITHOUT_A_BODY for name in ("tenantId", "tenant_id")])
def test_calls_without_a_body_refuse_tenants_too(path, name, api):
    query = {"key": API_KEY, "clientType": "CLIENT_TYPE_WEB", "version": "RECAPTCHA_ENTERPRISE"}

    def ask(**more):
        return requests.get(api.url + path, params={**query, **more}, timeout=TIMEOUT)

    assert_error(ask(**{name: "some-tenant"}), "UNSUPPORTED_TENANT_OPERATION")
    assert ask(**{name: ""}).content == ask().content, "no tenant is none"


def test_unknown_addresses_and_methods(site, api):
    for path in (
        "/v1/accounts:nothing",
        "/nothing",
        "/v1/accounts",
        "/v1/accounts:lookup/x",
        "/identitytoolkit.googleapis.com/v1/nothing",
        "/v1/projects/demo",
    ):
        response = requests.post(site.url + path, params={"key": API_KEY}, json={}, timeout=TIMEOUT)
        assert_error(response, "Not Found", 404)
        assert response.json()["error"]["status"] == "NOT_FOUND" and response.json()["error"]["errors"][0]["reason"] == "notFound"
    for method, path in (
        ("GET", "/v1/accounts:lookup"),
        ("DELETE", "/v1/accounts:lookup"),
        ("PUT", "/v1/token"),
        ("POST", "/v1/projects"),
        ("PATCH", "/metrics"),
    ):
        response = requests.request(method, site.url + path, params={"key": API_KEY}, timeout=TIMEOUT)
        assert response.status_code == 405 and response.headers["allow"]


def test_a_body_over_64_KiB(site, api):
    with socket.create_connection(("127.0.0.1", site.port), 10) as connection:
        connection.sendall(
            b"POST /v1/accounts:lookup?key=demo-api-key HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\n"
            b"Content-Length: 65537\r\n\r\n"
        )
        answer = http.client.HTTPResponse(connection)
        answer.begin()
        error = json.loads(answer.read())["error"]
        assert answer.status == error["code"] == 413 and error["message"] == "Request payload size exceeds the limit"
        assert answer.headers["connection"] == "close"
    assert_error(api.call("lookup", {"idToken": "x" * 60_000}), "INVALID_ID_TOKEN")


def test_SEC_09_paths_with_two_readings_are_refused(site):
    for path in (
        "//v1/accounts:lookup",
        "/v1//accounts:lookup",
        "/v1/%2e%2e/metrics",
        "/v1/..;/metrics",
        "/v1/accounts:lookup%00",
        "/v1%2faccounts:lookup",
        "/./metrics",
        "/x/../metrics",
        "/metrics.",
        "/metrics;x",
        "/metrics%",
        "/metrics%zz",
        "/v1/accounts%253Alookup",
    ):
        with socket.create_connection(("127.0.0.1", site.port), 10) as connection:
            connection.sendall(f"GET {path} HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n".encode())
            assert connection.recv(100).split()[1] in (b"400", b"404"), path
    assert_error(requests.post(site.url + "/V1/accounts:lookup", params={"key": API_KEY}, json={}, timeout=TIMEOUT), "Not Found", 404)
    assert_error(requests.post(site.url + "/v1/accounts%3Alookup", params={"key": API_KEY}, json={}, timeout=TIMEOUT), "MISSING_ID_TOKEN")


# -- call by call


BAD_ID_TOKENS = [
    (None, "MISSING_ID_TOKEN"),
    ("", "MISSING_ID_TOKEN"),
    ("x", "INVALID_ID_TOKEN"),
    ("a.b.c", "INVALID_ID_TOKEN"),
    ("..", "INVALID_ID_TOKEN"),
    ("é.é.é", "INVALID_ID_TOKEN"),
    ("\x00", "INVALID_ID_TOKEN"),
    ("x" * 20_000, "INVALID_ID_TOKEN"),
]


@for_each([(endpoint, *bad) for endpoint in ("lookup", "delete") for bad in BAD_ID_TOKENS])
def test_bad_id_tokens(endpoint, token, code, api):
    assert_error(api.call(endpoint, {"idToken": token}), code)


@for_each(
    [
        ({}, "MISSING_REQUEST_URI"),
        ({"requestUri": ""}, "MISSING_REQUEST_URI"),
        ({"postBody": "providerId=oidc.fake&id_token=x"}, "MISSING_REQUEST_URI"),
        ({"requestUri": "no address"}, "INVALID_REQUEST_URI"),
        ({"requestUri": "localhost"}, "INVALID_REQUEST_URI"),
        ({"requestUri": "ftp://localhost"}, "INVALID_REQUEST_URI"),
        ({"requestUri": "javascript:alert(1)"}, "INVALID_REQUEST_URI"),
        ({"requestUri": "http://user@localhost"}, "INVALID_REQUEST_URI"),
        ({"requestUri": "http://local host"}, "INVALID_REQUEST_URI"),
        ({"requestUri": "http://"}, "INVALID_REQUEST_URI"),
        ({"requestUri": "//localhost"}, "INVALID_REQUEST_URI"),
        ({"requestUri": "http://localhost"}, BAD_CREDENTIAL),
        ({"requestUri": "http://localhost", "postBody": ""}, BAD_CREDENTIAL),
        ({"requestUri": "http://localhost", "postBody": "providerId=oidc.fake"}, BAD_CREDENTIAL),
        ({"requestUri": "http://localhost", "postBody": "providerId=&id_token=x"}, BAD_CREDENTIAL),
        ({"requestUri": "http://localhost", "postBody": "id_token=x"}, BAD_CREDENTIAL),
        ({"requestUri": "http://localhost", "postBody": "providerId=oidc.unheard&id_token=x"}, "OPERATION_NOT_ALLOWED"),
        ({"requestUri": "http://localhost", "postBody": "providerId=unknown.example&id_token=x"}, "OPERATION_NOT_ALLOWED"),
        ({"requestUri": "http://localhost", "postBody": "providerId=oidc.fake&id_token=x"}, "INVALID_IDP_RESPONSE"),
        ({"requestUri": "http://localhost", "postBody": "providerId=oidc.fake&id_token=" + "x" * 60_000}, "INVALID_IDP_RESPONSE"),
        (
            {"requestUri": "http://localhost", "postBody": "providerId=oidc.fake&id_token=a&id_token=b"},
            "The parameter id_token is given more than once.",
        ),
        (
            {"requestUri": "http://localhost", "postBody": "providerId=oidc.fake&providerId=microsoft.com&id_token=a"},
            "The parameter providerId is given more than once.",
        ),
        ({"requestUri": "http://localhost", "postBody": "providerId=%zz"}, "The form or query is malformed."),
        ({"requestUri": "http://localhost?state=x&code=y", "sessionId": "s"}, "INVALID_IDP_RESPONSE"),
        ({"requestUri": "http://localhost?state=demo.AAAA&code=y", "sessionId": "s"}, "INVALID_IDP_RESPONSE"),
        ({"requestUri": "http://localhost?state=demo." + "A" * 64 + "&code=y", "sessionId": "s"}, "INVALID_IDP_RESPONSE"),
        ({"requestUri": "http://localhost?flow=x&code=y", "sessionId": "s"}, "INVALID_IDP_RESPONSE"),
        ({"requestUri": "http://localhost?flow=" + "A" * 22 + "&code=" + "A" * 43, "sessionId": "s"}, "INVALID_IDP_RESPONSE"),
        ({"requestUri": "http://localhost?flow=%00&code=%00", "sessionId": "\x00"}, "INVALID_IDP_RESPONSE"),
        ({"requestUri": "http://localhost", "pendingToken": "x"}, "INVALID_PENDING_TOKEN"),
        ({"requestUri": "http://localhost", "pendingToken": "A" * 400}, "INVALID_PENDING_TOKEN"),
        ({"requestUri": "http://localhost", "idToken": "x"}, BAD_CREDENTIAL),
        ({"requestUri": "http://localhost", "postBody": "providerId=oidc.fake&id_token=x", "idToken": "x"}, "INVALID_ID_TOKEN"),
    ]
)
def test_bad_sign_ins(body, code, api):
    assert_error(api.call("signInWithIdp", body), code)


HANDLER = "@handler"


@for_each(
    [
        ({}, "MISSING_IDENTIFIER"),
        ({"identifier": ""}, "MISSING_IDENTIFIER"),
        ({"identifier": "ada@example.com"}, "MISSING_CONTINUE_URI"),
        ({"identifier": "ada", "continueUri": "http://localhost"}, "INVALID_IDENTIFIER"),
        ({"identifier": "ada@", "continueUri": "http://localhost"}, "INVALID_IDENTIFIER"),
        ({"identifier": "a" * 300 + "@example.com", "continueUri": "http://localhost"}, "INVALID_IDENTIFIER"),
        ({"identifier": "ada@example.com", "continueUri": "localhost"}, "INVALID_CONTINUE_URI"),
        ({"providerId": "oidc.fake"}, "MISSING_CONTINUE_URI"),
        ({"providerId": "oidc.fake", "continueUri": ""}, "MISSING_CONTINUE_URI"),
        ({"providerId": "oidc.fake", "continueUri": "no address"}, "INVALID_CONTINUE_URI"),
        ({"providerId": "oidc.fake", "continueUri": "https://evil.example/callback"}, "UNAUTHORIZED_DOMAIN"),
        ({"providerId": "oidc.fake", "continueUri": "https://sub.app.example.com/"}, "UNAUTHORIZED_DOMAIN"),
        ({"providerId": "oidc.fake", "continueUri": "https://app.example.com.evil.example/"}, "UNAUTHORIZED_DOMAIN"),
        ({"providerId": "oidc.fake", "continueUri": "https://evilapp.example.com/"}, "UNAUTHORIZED_DOMAIN"),
        ({"providerId": "oidc.fake", "continueUri": "https://app.example.com@evil.example/"}, "INVALID_CONTINUE_URI"),
        ({"providerId": "oidc.fake", "continueUri": "https://app.example.com\\@evil.example/"}, "INVALID_CONTINUE_URI"),
        ({"providerId": "oidc.fake", "continueUri": "http://app.example.com/callback"}, "INVALID_CONTINUE_URI"),
        ({"providerId": "oidc.fake", "continueUri": "https://app.example.com/callback#fragment"}, "INVALID_CONTINUE_URI"),
        ({"providerId": "oidc.fake", "continueUri": "https://app.example.com/callback?state=mine"}, "INVALID_CONTINUE_URI"),
        ({"providerId": "oidc.fake", "continueUri": "javascript:alert(1)"}, "INVALID_CONTINUE_URI"),
        ({"providerId": "oidc.unheard", "continueUri": HANDLER}, "OPERATION_NOT_ALLOWED"),
        ({"providerId": "\x00", "continueUri": HANDLER}, "OPERATION_NOT_ALLOWED"),
        ({"providerId": "x" * 10_000, "continueUri": HANDLER}, "OPERATION_NOT_ALLOWED"),
        ({"providerId": "oidc.fake", "continueUri": HANDLER, "customParameter": {"redirect_uri": "https://evil.example"}}, "*"),
        ({"providerId": "oidc.fake", "continueUri": HANDLER, "customParameter": {"ui": "a\r\nSet-Cookie: x"}}, "*"),
        ({"providerId": "oidc.fake", "continueUri": HANDLER, "customParameter": {"ui": "x" * 1025}}, "*"),
        ({"providerId": "oidc.fake", "continueUri": HANDLER, "customParameter": {f"p{n}": "x" for n in range(21)}}, "*"),
        ({"providerId": "oidc.fake", "continueUri": HANDLER, "customParameter": {"ui": 7}}, INVALID_JSON),
        ({"providerId": "oidc.fake", "continueUri": HANDLER, "customParameter": "ui=7"}, INVALID_JSON),
        ({"providerId": "oidc.fake", "continueUri": HANDLER, "oauthScope": "{not json"}, "oauthScope is not a JSON object."),
        ({"providerId": "oidc.down", "continueUri": HANDLER}, "NETWORK_REQUEST_FAILED"),
    ]
)
def test_bad_starts_of_clients(body, code, site, api):
    before = site.value("SELECT count(*) FROM sign_in_flows")
    if body.get("continueUri") == HANDLER:
        body = {**body, "continueUri": site.url + "/__/auth/handler"}
    assert_error(api.call("createAuthUri", body), code)
    assert site.value("SELECT count(*) FROM sign_in_flows") == before, "no flow for a start that failed"


@for_each(
    [
        ({}, "MISSING_GRANT_TYPE"),
        ({"refresh_token": "x"}, "MISSING_GRANT_TYPE"),
        ({"grant_type": ""}, "MISSING_GRANT_TYPE"),
        ({"grant_type": "password", "refresh_token": "x"}, "INVALID_GRANT_TYPE"),
        ({"grant_type": "authorization_code", "code": "x"}, "INVALID_GRANT_TYPE"),
        ({"grant_type": "refresh_token"}, "MISSING_REFRESH_TOKEN"),
        ({"grant_type": "refresh_token", "refresh_token": ""}, "MISSING_REFRESH_TOKEN"),
        ({"grant_type": "refresh_token", "refresh_token": "x"}, "INVALID_REFRESH_TOKEN"),
        ({"grant_type": "refresh_token", "refresh_token": "A" * 87}, "INVALID_REFRESH_TOKEN"),
        ({"grant_type": "refresh_token", "refresh_token": "\x00é"}, "INVALID_REFRESH_TOKEN"),
        ({"grant_type": "refresh_token", "refresh_token": "x" * 60_000}, "INVALID_REFRESH_TOKEN"),
    ]
)
def test_bad_refreshes(fields, code, api):
    form = {"content-type": "application/x-www-form-urlencoded"}
    assert_error(api.post("/v1/token", fields), code)
    assert_error(api.post("/v1/token", urlencode(fields), headers=form), code)


def test_a_refresh_form_that_repeats_or_breaks_a_field(api):
    form = {"content-type": "application/x-www-form-urlencoded"}
    for body in (
        "grant_type=refresh_token&refresh_token=a&refresh_token=b",
        "grant_type=refresh_token&grant_type=x&refresh_token=a",
        "grant_type=%zz",
        "%",
    ):
        response = api.post("/v1/token", body, headers=form)
        assert_error(response, "*")
        assert response.json()["error"]["status"] == "INVALID_ARGUMENT"


def test_a_refresh_token_with_one_bit_changed(api, fake_issuer, nothing_is_written):
    user = posted(api, {"providerId": "oidc.fake", "id_token": fake_issuer.id_token("bits-" + secrets.token_hex(4))}).json()
    nothing_is_written.append(user)
    raw = base64.urlsafe_b64decode(user["refreshToken"] + "=" * (-len(user["refreshToken"]) % 4))
    for position in range(0, len(raw), 4):
        changed = bytearray(raw)
        changed[position] ^= 1
        # Without the version in front it is not one of ours; any other one could be of a database that is gone.
        error = "TOKEN_EXPIRED" if position else "INVALID_REFRESH_TOKEN"
        assert_error(api.refresh(base64.urlsafe_b64encode(bytes(changed)).rstrip(b"=").decode()), error)
    assert_error(api.refresh(user["refreshToken"] + "="), "INVALID_REFRESH_TOKEN")


def test_nothing_of_one_project_is_worth_anything_in_another(site, api, fake_issuer, nothing_is_written):
    user = posted(api, {"providerId": "oidc.fake", "id_token": fake_issuer.id_token("projects-" + secrets.token_hex(4))}).json()
    nothing_is_written.append(user)
    other = API(site.url, "other-api-key")
    assert_error(other.call("lookup", {"idToken": user["idToken"]}), "INVALID_ID_TOKEN")
    assert_error(other.refresh(user["refreshToken"]), "PROJECT_NUMBER_MISMATCH")
    assert_error(
        other.call("signInWithIdp", {"requestUri": "http://localhost", "pendingToken": user["pendingToken"]}), "INVALID_PENDING_TOKEN"
    )
    assert_error(posted(other, {"providerId": "oidc.real", "id_token": "x"}), "OPERATION_NOT_ALLOWED")
    flow = WebFlow(site, "oidc.fake")
    back = flow.to_app(fake_issuer.login())
    assert_error(other.call("signInWithIdp", flow.body(back)), "INVALID_IDP_RESPONSE")
    client = ClientFlow(site, "oidc.fake")
    answered = fake_issuer.login()(client.authorization_url())
    assert_error(other.call("signInWithIdp", {"requestUri": answered, "sessionId": client.session}), "INVALID_IDP_RESPONSE")

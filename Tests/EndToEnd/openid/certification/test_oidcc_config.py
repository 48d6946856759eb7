"""The plan Config OP of the OpenID Foundation's conformance suite, and the discovery module of RP-Initiated Logout OP.

They run against a server with the settings of production, whose public address is https. It is asked at its own port, as a proxy asks it.
"""

import re
from urllib.parse import urlsplit

import jsonschema
import jwt
import pytest
import requests

from support.names import PRODUCTION, PROJECT, TIMEOUT
from support.openid.registrations import BROWSER, CLIENTS, provider_settings
from support.openid.site import OpenIDSite

ISSUER = f"{PRODUCTION['publicURL']}/{PROJECT}"
DISCOVERY = "/.well-known/openid-configuration"

TEXT = {"type": "string", "minLength": 1}
TEXTS = {"type": "array", "items": TEXT, "minItems": 1, "uniqueItems": True}
# Section 3.1 of RFC 3986 and the suite: https, a host, neither query nor fragment.
ENDPOINT = {"type": "string", "pattern": r"^https://[^/?#@]+/[^?#]*$"}
BOOLEAN = {"type": "boolean"}
SCHEMA = {
    "type": "object",
    "additionalProperties": False,
    "properties": {
        "issuer": {"type": "string", "pattern": r"^https://[^/?#@]+/[^?#]*$"},
        **{
            f"{name}_endpoint": ENDPOINT
            for name in ("authorization", "token", "userinfo", "end_session", "revocation", "introspection", "pushed_authorization_request")
        },
        "jwks_uri": ENDPOINT,
        "response_types_supported": {**TEXTS, "contains": {"const": "code"}},
        "response_modes_supported": {**TEXTS, "items": {"enum": ["query", "fragment", "form_post"]}, "minItems": 3},
        "grant_types_supported": {**TEXTS, "items": {"enum": ["authorization_code", "implicit", "refresh_token"]}},
        "subject_types_supported": {"const": ["public"]},
        "id_token_signing_alg_values_supported": {"const": ["RS256"]},
        "token_endpoint_auth_methods_supported": {
            "type": "array",
            "items": {"enum": ["client_secret_basic", "client_secret_post", "private_key_jwt", "none"]},
            "minItems": 4,
            "uniqueItems": True,
        },
        "token_endpoint_auth_signing_alg_values_supported": {**TEXTS, "items": {"enum": ["RS256", "ES256"]}},
        **{
            f"{name}_endpoint_{member}": TEXTS
            for name in ("introspection", "revocation")
            for member in ("auth_methods_supported", "auth_signing_alg_values_supported")
        },
        # RFC 6749 section 3.3: scope-token.
        "scopes_supported": {
            **TEXTS,
            "items": {"type": "string", "pattern": r"^[\x21\x23-\x5B\x5D-\x7E]+$"},
            "contains": {"const": "openid"},
        },
        "claims_supported": {**TEXTS, "contains": {"const": "sub"}},
        "claim_types_supported": {"const": ["normal"]},
        "claims_parameter_supported": {"const": True},
        "request_parameter_supported": {"const": False},
        "request_uri_parameter_supported": {"const": False},
        "require_request_uri_registration": BOOLEAN,
        "code_challenge_methods_supported": {"const": ["S256"]},
        "authorization_response_iss_parameter_supported": {"const": True},
        "acr_values_supported": TEXTS,
        # BCP 47 in its canonical case, as far as languages, scripts and regions go.
        **{
            f"{name}_locales_supported": {
                **TEXTS,
                "items": {"type": "string", "pattern": "^[a-z]{2,3}(-[A-Z][a-z]{3})?(-([A-Z]{2}|[0-9]{3}))?$"},
            }
            for name in ("ui", "claims")
        },
        "display_values_supported": {**TEXTS, "items": {"enum": ["page", "popup", "touch", "wap"]}},
        "prompt_values_supported": {**TEXTS, "items": {"enum": ["none", "login", "consent", "select_account", "create"]}, "minItems": 5},
        "require_pushed_authorization_requests": BOOLEAN,
        "backchannel_logout_supported": BOOLEAN,
        "backchannel_logout_session_supported": BOOLEAN,
        "service_documentation": ENDPOINT,
    },
}
SCHEMA["required"] = [
    *("issuer", "authorization_endpoint", "token_endpoint", "userinfo_endpoint", "end_session_endpoint", "revocation_endpoint", "jwks_uri"),
    *("introspection_endpoint", "response_types_supported", "response_modes_supported", "grant_types_supported", "subject_types_supported"),
    *("id_token_signing_alg_values_supported", "token_endpoint_auth_methods_supported", "scopes_supported", "claims_supported"),
    *("claims_parameter_supported", "request_parameter_supported", "request_uri_parameter_supported", "code_challenge_methods_supported"),
    *("authorization_response_iss_parameter_supported", "ui_locales_supported", "prompt_values_supported", "display_values_supported"),
    *("token_endpoint_auth_signing_alg_values_supported", "pushed_authorization_request_endpoint"),
]


@pytest.fixture(scope="module")
def production():
    # In production, a script in a browser has an https address.
    clients = [client.entry() for client in CLIENTS if client is not BROWSER]
    project = {"redirectURLs": [], "authorizedDomains": ["auth.example.com"]}
    site = OpenIDSite(provider={**provider_settings(), "clients": clients}, settings=PRODUCTION, project=project)
    site.serve()
    yield site
    site.close()


def fetch(site, path, **options):
    return requests.get(site.url + path, timeout=TIMEOUT, **options)


def test_oidcc_discovery_endpoint_verification(production):
    answer = fetch(production, f"/{PROJECT}{DISCOVERY}")
    assert answer.status_code == 200
    assert answer.headers["content-type"].split(";")[0] == "application/json"
    assert answer.headers["cache-control"] == "public, max-age=3600"
    assert answer.headers["access-control-allow-origin"] == "*"
    metadata = answer.json()
    assert metadata["issuer"] == ISSUER
    jsonschema.validate(metadata, SCHEMA)
    assert {"authorization_code", "refresh_token"} <= set(metadata["grant_types_supported"])


def test_oidcc_rp_initiated_logout_discovery_endpoint_verification(production):
    metadata = fetch(production, f"/{PROJECT}{DISCOVERY}").json()
    assert metadata["end_session_endpoint"] == f"{ISSUER}/oauth2/logout"


def test_the_endpoints_are_at_the_documented_paths(production):
    metadata = fetch(production, f"/{PROJECT}{DISCOVERY}").json()
    paths = {
        "authorization_endpoint": "authorize",
        "token_endpoint": "token",
        "userinfo_endpoint": "userinfo",
        "introspection_endpoint": "introspect",
        "revocation_endpoint": "revoke",
        "pushed_authorization_request_endpoint": "par",
        "jwks_uri": "jwks",
    }
    assert {name: metadata[name] for name in paths} == {name: f"{ISSUER}/oauth2/{path}" for name, path in paths.items()}


def test_each_endpoint_of_the_metadata_is_served(production):
    metadata = fetch(production, f"/{PROJECT}{DISCOVERY}").json()
    endpoints = {name: url for name, url in metadata.items() if name.endswith("_endpoint") or name == "jwks_uri"}
    answers = {name: fetch(production, urlsplit(url).path, allow_redirects=False).status_code for name, url in endpoints.items()}
    posts = ("token_endpoint", "introspection_endpoint", "revocation_endpoint", "pushed_authorization_request_endpoint")
    assert {name: answers.pop(name) for name in posts} == dict.fromkeys(posts, 405)
    assert answers.pop("jwks_uri") == 200 and answers.pop("userinfo_endpoint") == 401 and answers.pop("end_session_endpoint") == 200
    assert answers == {"authorization_endpoint": 400}


def test_the_keys_are_public_distinct_and_long_enough(production):
    answer = fetch(production, urlsplit(fetch(production, f"/{PROJECT}{DISCOVERY}").json()["jwks_uri"]).path)
    assert answer.status_code == 200 and answer.headers["content-type"].split(";")[0] in ("application/json", "application/jwk-set+json")
    assert re.fullmatch(r"public, max-age=\d+(, .*)?", answer.headers["cache-control"]), answer.headers["cache-control"]
    keys = answer.json()["keys"]
    assert len({key["kid"] for key in keys}) == len(keys) >= 1
    for key in keys:
        assert (key["kty"], key["use"]) in (("RSA", "sig"), ("EC", "sig")) and key["alg"] in ("RS256", "ES256")
        assert not set(key) & {"d", "p", "q", "dp", "dq", "qi", "k", "oth"}
        if key["kty"] == "RSA":
            assert jwt.PyJWK(key).key.key_size >= 2048


def test_the_keys_are_not_sent_again_when_they_have_not_changed(production):
    path = f"/{PROJECT}/oauth2/jwks"
    first = fetch(production, path)
    again = fetch(production, path, headers={"if-none-match": first.headers["etag"]})
    assert again.status_code == 304 and not again.content
    assert fetch(production, path, headers={"if-none-match": '"another"'}).status_code == 200


@pytest.mark.parametrize(
    "path",
    [f"/.well-known/oauth-authorization-server/{PROJECT}", f"/{PROJECT}//.well-known/openid-configuration"],
    ids=["RFC 8414", "slash"],
)
def test_other_spellings_have_the_same_document(production, path):
    assert fetch(production, path).content == fetch(production, f"/{PROJECT}{DISCOVERY}").content


def test_the_issuer_does_not_come_from_the_request(production):
    usual = fetch(production, f"/{PROJECT}{DISCOVERY}")
    for headers in ({"host": "evil.test"}, {"x-forwarded-host": "evil.test"}, {"forwarded": "host=evil.test;proto=http"}):
        assert fetch(production, f"/{PROJECT}{DISCOVERY}", headers=headers).content == usual.content


def test_a_project_without_the_settings_is_not_a_provider(production):
    calls = [("get", path) for path in ("authorize", "userinfo", "logout", "resume")]
    calls += [("post", path) for path in ("authorize", "token", "userinfo", "introspect", "revoke", "par", "logout")]
    form = {"client_id": "certification-basic", "grant_type": "refresh_token", "refresh_token": "x"}
    for method, path in calls:
        url = f"{production.url}/plain-project/oauth2/{path}"
        assert requests.request(method, url, data=form, timeout=TIMEOUT, allow_redirects=False).status_code == 404, (method, path)
    assert "authorization_endpoint" not in fetch(production, f"/plain-project{DISCOVERY}").json()


def test_any_web_app_may_read_the_metadata_and_the_keys(production):
    for path in (f"/{PROJECT}{DISCOVERY}", f"/{PROJECT}/oauth2/jwks"):
        assert fetch(production, path, headers={"origin": "https://any.example"}).headers["access-control-allow-origin"] == "*"

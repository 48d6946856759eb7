"""Issuers that lie, break and keep silent: the client gets INVALID_IDP_RESPONSE, the log has the reason, and nothing is half-written."""

import json
import secrets
import socket
import time

import jwt
import pytest
from cryptography.hazmat.primitives.asymmetric import rsa

from support.clients.api import assert_error, posted
from support.clients.flows import WebFlow, query_of, refused, refused_at_both_doors
from support.configuration import sources
from support.jwts import b64, foreign_key, hmac_signed, unsigned
from support.leaks import note
from support.names import CLIENT_SECRET
from support.servers.site import Site, a_site
from support.tables import for_each


@for_each(
    [
        ("foreign", lambda iss: "https://evil.example"),
        ("prefix", lambda iss: iss[:-1]),
        ("suffix", lambda iss: iss + ".evil.example"),
        ("trailing slash", lambda iss: iss + "/"),
        ("user info", lambda iss: iss.replace("://", "://evil@")),
        ("other port", lambda iss: iss.replace("127.0.0.1:", "127.0.0.1:1")),
        ("case", lambda iss: iss.replace("http", "HTTP")),
        ("number", lambda iss: 7),
        ("missing", lambda iss: None),
        ("template left unreplaced", lambda iss: iss.rsplit("/", 2)[0] + "/{tenantid}/v2.0"),
    ]
)
def test_SEC_01_another_issuer_is_refused(name, change, site, hostile):
    hostile.claims = lambda claims: {"iss": change(claims["iss"])}
    refused_at_both_doors(site, hostile)


def test_SEC_01_a_foreign_issuers_token_causes_no_request(site, api, hostile):
    """The issuer in a token selects among the configured ones; it is never asked."""
    listener = socket.create_server(("127.0.0.1", 0))
    listener.settimeout(0.5)
    evil = f"http://127.0.0.1:{listener.getsockname()[1]}"
    honest = hostile.base_claims("alice", None)["iss"]
    seen = len(hostile.requests)
    for iss in (evil, honest.replace(hostile.url, evil), honest.replace(hostile.url, hostile.url + ".evil.example")):
        token = hostile.id_token("alice", iss=iss, key=foreign_key("evil-key"))
        header, payload, signature = token.split(".")
        with_jku = note(f"{b64({'alg': 'RS256', 'kid': 'evil-key', 'jku': evil + '/jwks', 'x5u': evil + '/x5u'})}.{payload}.{signature}")
        for text in (token, with_jku):
            assert_error(posted(api, {"providerId": hostile.provider, "id_token": text}), "INVALID_IDP_RESPONSE")
    with pytest.raises(TimeoutError):
        listener.accept()
    listener.close()
    assert len(hostile.requests) == seen, "a mismatch causes zero outbound requests"


@pytest.mark.parametrize("name, changes", [("wrong nonce", {"nonce": "another-nonce-altogether"}), ("no nonce", {"nonce": None})])
def test_SEC_05_a_wrong_nonce_is_refused(site, hostile, name, changes):
    if not hostile.binds_codes and changes["nonce"] is None:
        pytest.skip(f"{hostile.provider} has no nonce, as its page says")
    hostile.claims = lambda claims: changes
    before = site.counts()
    flow = WebFlow(site, hostile.provider)
    response = flow.redeem(flow.to_app(hostile.login("nonce")))
    assert response.json()["error"]["message"].split(" : ")[0] in ("INVALID_IDP_RESPONSE", "MISSING_OR_INVALID_NONCE"), response.text
    assert site.counts() == before


def now():
    return int(time.time())


@for_each(
    [
        ("foreign audience", lambda c: {"aud": "another-client"}),
        ("empty audiences", lambda c: {"aud": []}),
        ("no audience", lambda c: {"aud": None}),
        ("audience as number", lambda c: {"aud": 7}),
        ("two audiences without azp", lambda c: {"aud": [c["aud"], "another"]}),
        ("two audiences with a foreign azp", lambda c: {"aud": [c["aud"], "another"], "azp": "another"}),
        ("foreign azp", lambda c: {"azp": "another"}),
        ("expired by 61 s", lambda c: {"exp": now() - 61}),
        ("no expiry", lambda c: {"exp": None}),
        ("expiry as text", lambda c: {"exp": str(now() + 3600)}),
        ("negative expiry", lambda c: {"exp": -1e300}),
        ("expiry beyond all time", lambda c: {"exp": 1e30}),
        ("issued beyond all time", lambda c: {"iat": 1e30}),
        ("issued in the future", lambda c: {"iat": now() + 200}),
        ("not valid yet", lambda c: {"nbf": now() + 200}),
        ("Unicode subject", lambda c: {"sub": "adá", "oid": "adá"}),
        ("empty subject", lambda c: {"sub": "", "oid": ""}),
        ("no subject", lambda c: {"sub": None, "oid": None}),
        ("subject as number", lambda c: {"sub": 7, "oid": 7}),
        ("huge subject", lambda c: {"sub": "a" * 256, "oid": "a" * 256}),
    ],
    issuer="hostile",
)
def test_SEC_12_wrong_claims_are_refused(name, changes, site, hostile):
    hostile.claims = changes
    refused_at_both_doors(site, hostile)


def minted(name, issuer):
    def signed(claims, algorithm="RS256", **header):
        return jwt.encode(claims, issuer.key.private, algorithm, {"kid": issuer.key.kid, **header})

    def raw(text):
        return lambda claims: jwt.api_jws.encode(text(claims).encode(), issuer.key.private, "RS256", headers={"kid": issuer.key.kid})

    return {
        "alg none": lambda c: unsigned(c),
        "alg None with the kid": lambda c: unsigned(c, {"alg": "None", "kid": issuer.key.kid}),
        "empty signature": lambda c: issuer.key.sign(c).rpartition(".")[0] + ".",
        "HS256 with the public key as PEM": lambda c: hmac_signed(c, issuer.key.public_pem(), issuer.key.kid),
        "HS256 with the modulus": lambda c: hmac_signed(c, issuer.key.jwk["n"].encode(), issuer.key.kid),
        "HS256 with the client secret": lambda c: hmac_signed(c, CLIENT_SECRET.encode(), issuer.key.kid),
        "another key under the same kid": lambda c: foreign_key(issuer.key.kid).sign(c),
        "RS512": lambda c: signed(c, "RS512"),
        "crit": lambda c: signed(c, crit=["exp"]),
        "an embedded key": lambda c: _embedded(c),
        "two parts": lambda c: ".".join(issuer.key.sign(c).split(".")[:2]),
        "five parts": lambda c: issuer.key.sign(c) + ".e30.e30",
        "padding": lambda c: issuer.key.sign(c) + "=",
        "1 MB": lambda c: issuer.key.sign({**c, "big": "x" * 700_000}),
        "more than 64 KiB": lambda c: issuer.key.sign({**c, "big": "x" * 50_000}),
        "deep nesting": raw(lambda c: json.dumps(c)[:-1] + ', "deep": ' + "[" * 500 + "]" * 500 + "}"),
        "a claim twice": raw(lambda c: json.dumps(c)[:-1] + ', "aud": "another"}'),
        "claims that are a list": raw(lambda c: json.dumps([c])),
        "claims that are no JSON": raw(lambda c: "not json"),
        "number": lambda c: 7,
        "empty": lambda c: "",
    }[name]


def _embedded(claims):
    key = foreign_key("embedded")
    return jwt.encode(claims, key.private, "RS256", headers={"jwk": key.jwk})


@for_each(
    [
        "alg none",
        "alg None with the kid",
        "empty signature",
        "HS256 with the public key as PEM",
        "HS256 with the modulus",
        "HS256 with the client secret",
        "another key under the same kid",
        "RS512",
        "crit",
        "an embedded key",
        "two parts",
        "five parts",
        "padding",
        "1 MB",
        "more than 64 KiB",
        "deep nesting",
        "a claim twice",
        "claims that are a list",
        "claims that are no JSON",
        "number",
        "empty",
    ],
    issuer="hostile",
)
def test_SEC_12_a_token_that_the_issuer_did_not_sign_is_refused(name, site, hostile):
    hostile.mint = minted(name, hostile)
    refused_at_both_doors(site, hostile)


@for_each(
    [
        ("log-out token", {"typ": "logout+jwt"}, {}),
        ("log-out token of the usual type", {}, {"events": {"http://schemas.openid.net/event/backchannel-logout": {}}}),
        ("access token", {"typ": "at+jwt"}, {}),
        ("access token in full", {"typ": "application/at+jwt"}, {}),
        ("security event", {"typ": "secevent+jwt"}, {}),
        ("proof of a key", {"typ": "dpop+jwt"}, {}),
        ("Keycloak's access token", {}, {"typ": "Bearer"}),
        ("Keycloak's refresh token", {}, {"typ": "Refresh"}),
        ("Cognito's access token", {}, {"token_use": "access"}),
    ],
    issuer="hostile",
)
def test_SEC_77_what_an_issuer_signs_for_another_purpose_signs_nobody_in(name, header, changes, site, hostile):
    hostile.mint = lambda claims: jwt.encode({**claims, **changes}, hostile.key.private, "RS256", {"kid": hostile.key.kid, **header})
    refused_at_both_doors(site, hostile)


def test_SEC_77_an_API_cannot_sign_in_with_the_access_token_that_it_gets(site, api, fake_issuer, nothing_is_written):
    """The token has no mark, but the API stands beside the client among its audiences."""
    shared = {"aud": [fake_issuer.client_id, "https://api.example"], "azp": fake_issuer.client_id}
    token = fake_issuer.id_token("ada", **shared)
    assert_error(posted(api, {"providerId": "oidc.fake", "id_token": token}), "INVALID_IDP_RESPONSE")


def test_a_token_that_the_issuer_gives_this_server_may_have_further_audiences(site, fake_issuer):
    fake_issuer.claims = lambda claims: {"aud": [claims["aud"], "a-project"], "azp": claims["aud"]}
    flow = WebFlow(site, "oidc.fake")
    assert flow.redeem(flow.to_app(fake_issuer.login("shared"))).status_code == 200


def test_times_with_a_fraction_are_read_at_both_doors(site, api, fake_issuer):
    """Some issuers write them so (RFC 7519, NumericDate)."""
    fake_issuer.claims = lambda claims: {"iat": now() - 1.5, "exp": now() + 600.25, "nbf": now() - 1.75}
    flow = WebFlow(site, "oidc.fake")
    assert flow.redeem(flow.to_app(fake_issuer.login("fraction"))).status_code == 200
    assert posted(api, {"providerId": "oidc.fake", "id_token": fake_issuer.id_token("fraction")}).status_code == 200


def test_SEC_12_keys_that_are_unknown_or_weak_are_skipped(hostile):
    weak = rsa.generate_private_key(public_exponent=65537, key_size=1024)
    modulus = b64(weak.public_key().public_numbers().n.to_bytes(128))
    odd = [
        {"kty": "AKP", "alg": "ML-DSA-65", "kid": "new", "pub": "AAAA"},
        {"kty": 7},
        {},
        {**hostile.key.jwk, "kid": "exponent-1", "e": "AQ"},
        {"kty": "RSA", "kid": "512-bit", "n": b64(secrets.token_bytes(64)), "e": "AQAB"},
        {**hostile.key.jwk, "kid": "1024-bit", "n": modulus},
    ]
    hostile.answers["jwks"] = {"keys": odd + [key.jwk for key in hostile.keys]}
    with a_site({hostile.provider: hostile.entry()}) as site:
        site.serve()
        assert WebFlow(site, hostile.provider).run(hostile.login("skipper"))["isNewUser"] is True
        hostile.mint = lambda claims: jwt.encode(claims, weak, "RS256", headers={"kid": "1024-bit"})
        refused(site, hostile)


@pytest.mark.parametrize("name", ["another iss", "access_denied", "server_error"])
def test_a_callback_with_another_iss_or_an_error_beside_the_code_is_refused(site, hostile_provider, name):
    before = site.counts()
    hostile_provider.callback_extra = {"iss": "https://evil.example"} if name == "another iss" else hostile_provider.refusal(name)
    flow = WebFlow(site, hostile_provider.provider)
    answer = flow.callback(hostile_provider.login("mixed")(flow.authorization_url()))
    if answer.status_code == 303:
        assert "code" not in query_of(answer.headers["location"])
        assert "error" in query_of(answer.headers["location"])
    else:
        assert answer.status_code == 400
    assert "token" not in hostile_provider.asked(), "the code is not used"
    assert site.counts() == before


def test_a_callback_without_iss_is_refused_where_the_issuer_promises_it(fake_issuer):
    fake_issuer.discovery_extra = {"authorization_response_iss_parameter_supported": True}
    site = Site({"oidc.fake": fake_issuer.entry()})
    try:
        site.serve()
        flow = WebFlow(site, "oidc.fake")
        assert flow.callback(fake_issuer.login("promised")(flow.authorization_url())).status_code == 400
        fake_issuer.callback_extra = {"iss": fake_issuer.url}
        assert WebFlow(site, "oidc.fake").run(fake_issuer.login("promised"))["isNewUser"] is True
    finally:
        site.close()


def test_userinfo_of_another_person_is_discarded(fake_issuer):
    fake_issuer.discovery_extra = {"userinfo_endpoint": fake_issuer.url + "/userinfo"}
    fake_issuer.answers["userinfo"] = {"sub": "somebody-else", "email": "victim@example.com", "email_verified": True, "nickname": "mallory"}
    fake_issuer.users["quiet"] = {"sub": "quiet"}
    site = Site({"oidc.fake": fake_issuer.entry()})
    try:
        site.serve()
        answer = WebFlow(site, "oidc.fake").run(fake_issuer.login("quiet"))
        assert fake_issuer.count("/userinfo") == 1
        assert "email" not in answer and "mallory" not in answer["rawUserInfo"]
        fake_issuer.answers["userinfo"] = {"sub": "quiet", "email": "quiet@example.com", "nickname": "hush"}
        answer = WebFlow(site, "oidc.fake").run(fake_issuer.login("quiet"))
        assert answer["email"] == "quiet@example.com" and json.loads(answer["rawUserInfo"])["nickname"] == "hush"
    finally:
        site.close()


@for_each(["TRUE", 1, [], None, "1", "yes", {}], issuer="hostile")
def test_email_verified_in_another_form_is_false(value, site, hostile):
    """What counts is that it means no more than `false`: some providers vouch for all their addresses, or for those of their own domains."""

    def verified(value):
        hostile.claims = lambda claims: {"email_verified": value}
        return WebFlow(site, hostile.provider).run(hostile.login("verified-" + secrets.token_hex(4)))["emailVerified"]

    assert verified(value) is verified(False)


def test_every_provider_has_a_stand_in(doubles):
    assert sources.providers() <= doubles.keys(), "a provider of the catalogue has no stand-in in support/issuers, so no test makes it lie"


def test_SEC_05_a_code_injected_into_another_persons_flow_is_refused(site, binding_provider):
    """The attacker's browser sends the victim's code: PKCE, the nonce or the request token bind a code to the flow that asked for it."""
    victim, attacker = WebFlow(site, binding_provider.provider), WebFlow(site, binding_provider.provider)
    code = binding_provider.code_field
    stolen = query_of(binding_provider.login("injected-victim")(victim.authorization_url()))[code]
    answered = binding_provider.login("injected-attacker")(attacker.authorization_url())
    before = site.counts()
    response = attacker.callback(answered.replace(query_of(answered)[code], stolen))
    assert_error(attacker.redeem(note(response.headers["location"])), "INVALID_IDP_RESPONSE")
    assert site.counts() == before

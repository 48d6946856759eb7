"""Issuers that lie, break and keep silent: the client hears INVALID_IDP_RESPONSE, the log says why, and nothing is half-written."""

import json
import secrets
import socket
import time
from urllib.parse import urlencode

import jwt
import pytest
from werkzeug.wrappers import Response

import harness
from harness import WebFlow, assert_error, note, query_of
from issuers import Key, b64, hmac_signed, unsigned
from test_flow import posted

PROVIDERS = ["oidc.fake", "microsoft.com"]


@pytest.fixture(params=PROVIDERS)
def hostile(request):
    """The provider's id and its issuer, which the test may make lie."""
    issuer = request.getfixturevalue({"oidc.fake": "fake_issuer", "microsoft.com": "microsoft"}[request.param])
    issuer.provider = request.param
    return issuer


def refused(site, issuer, code="INVALID_IDP_RESPONSE", user="ada-or-alice"):
    """A whole sign-in that must end refused, with nothing written but its failed flow."""
    before = site.counts()
    flow = WebFlow(site, issuer.provider)
    back = flow.to_app(issuer.login(user))
    response = flow.redeem(back)
    message = assert_error(response, code)
    assert site.counts() == before
    assert_error(flow.redeem(back), "INVALID_IDP_RESPONSE")
    assert site.counts() == before
    return message


@pytest.mark.parametrize(
    "name, change",
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
    ],
)
def test_SEC_01_another_issuer_is_refused(site, hostile, name, change):
    hostile.claims = lambda claims: {"iss": change(claims["iss"])}
    refused(site, hostile)


@pytest.mark.parametrize("provider", PROVIDERS)
def test_SEC_01_a_foreign_issuers_token_causes_no_request(site, api, fake_issuer, microsoft, provider):
    """The issuer in a token selects among the configured ones; it is never asked."""
    listener = socket.create_server(("127.0.0.1", 0))
    listener.settimeout(0.5)
    evil = f"http://127.0.0.1:{listener.getsockname()[1]}"
    issuer = {"oidc.fake": fake_issuer, "microsoft.com": microsoft}[provider]
    seen = len(issuer.requests)
    for iss in (evil, evil + "/" + microsoft.CONTOSO + "/v2.0", issuer.url + ".evil.example"):
        token = issuer.id_token("alice", iss=iss, key=Key("evil-key"))
        header, payload, signature = token.split(".")
        with_jku = note(f"{b64({'alg': 'RS256', 'kid': 'evil-key', 'jku': evil + '/jwks', 'x5u': evil + '/x5u'})}.{payload}.{signature}")
        for text in (token, with_jku):
            assert_error(posted(api, {"providerId": provider, "id_token": text}), "INVALID_IDP_RESPONSE")
    with pytest.raises(TimeoutError):
        listener.accept()
    listener.close()
    assert len(issuer.requests) == seen, "a mismatch causes zero outbound requests"


@pytest.mark.parametrize("name, changes", [("wrong nonce", {"nonce": "another-nonce-altogether"}), ("no nonce", {"nonce": None})])
def test_SEC_05_a_wrong_nonce_is_refused(site, hostile, name, changes):
    hostile.claims = lambda claims: changes
    before = site.counts()
    flow = WebFlow(site, hostile.provider)
    response = flow.redeem(flow.to_app(hostile.login("nonce")))
    assert response.json()["error"]["message"].split(" : ")[0] in ("INVALID_IDP_RESPONSE", "MISSING_OR_INVALID_NONCE"), response.text
    assert site.counts() == before


def now():
    return int(time.time())


@pytest.mark.parametrize(
    "name, changes",
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
        ("issued in the future", lambda c: {"iat": now() + 200}),
        ("not valid yet", lambda c: {"nbf": now() + 200}),
        ("Unicode subject", lambda c: {"sub": "adá", "oid": "adá"}),
        ("empty subject", lambda c: {"sub": "", "oid": ""}),
        ("no subject", lambda c: {"sub": None, "oid": None}),
        ("subject as number", lambda c: {"sub": 7, "oid": 7}),
        ("huge subject", lambda c: {"sub": "a" * 256, "oid": "a" * 256}),
    ],
)
def test_SEC_12_wrong_claims_are_refused(site, hostile, name, changes):
    hostile.claims = changes
    refused(site, hostile)


def minted(name, issuer):
    def with_header(claims, **header):
        head, payload, signature = issuer.key.sign(claims).split(".")
        return f"{b64({'alg': 'RS256', 'kid': issuer.key.kid, **header})}.{payload}.{signature}"

    def raw(text):
        return lambda claims: jwt.api_jws.encode(text(claims).encode(), issuer.key.private, "RS256", headers={"kid": issuer.key.kid})

    return {
        "alg none": lambda c: unsigned(c),
        "alg None with the kid": lambda c: unsigned(c, {"alg": "None", "kid": issuer.key.kid}),
        "empty signature": lambda c: issuer.key.sign(c).rpartition(".")[0] + ".",
        "HS256 with the public key as PEM": lambda c: hmac_signed(c, issuer.key.public_pem(), issuer.key.kid),
        "HS256 with the modulus": lambda c: hmac_signed(c, issuer.key.jwk["n"].encode(), issuer.key.kid),
        "HS256 with the client secret": lambda c: hmac_signed(c, harness.CLIENT_SECRET.encode(), issuer.key.kid),
        "another key under the same kid": lambda c: _foreign(issuer.key.kid).sign(c),
        "RS512 in the header": lambda c: with_header(c, alg="RS512"),
        "crit": lambda c: with_header(c, crit=["exp"]),
        "an embedded key": lambda c: _embedded(c),
        "two parts": lambda c: ".".join(issuer.key.sign(c).split(".")[:2]),
        "five parts": lambda c: issuer.key.sign(c) + ".e30.e30",
        "padding": lambda c: issuer.key.sign(c) + "=",
        "1 MB": lambda c: issuer.key.sign({**c, "big": "x" * 700_000}),
        "17 KB": lambda c: issuer.key.sign({**c, "big": "x" * 17_000}),
        "deep nesting": raw(lambda c: json.dumps(c)[:-1] + ', "deep": ' + "[" * 500 + "]" * 500 + "}"),
        "a claim twice": raw(lambda c: json.dumps(c)[:-1] + ', "aud": "another"}'),
        "claims that are a list": raw(lambda c: json.dumps([c])),
        "claims that are no JSON": raw(lambda c: "not json"),
        "number": lambda c: 7,
        "empty": lambda c: "",
    }[name]


_foreign_keys = {}


def _foreign(kid):
    return _foreign_keys.setdefault(kid, Key(kid))


def _embedded(claims):
    key = _foreign("embedded")
    return jwt.encode(claims, key.private, "RS256", headers={"jwk": key.jwk})


@pytest.mark.parametrize(
    "name",
    [
        "alg none",
        "alg None with the kid",
        "empty signature",
        "HS256 with the public key as PEM",
        "HS256 with the modulus",
        "HS256 with the client secret",
        "another key under the same kid",
        "RS512 in the header",
        "crit",
        "an embedded key",
        "two parts",
        "five parts",
        "padding",
        "1 MB",
        "17 KB",
        "deep nesting",
        "a claim twice",
        "claims that are a list",
        "claims that are no JSON",
        "number",
        "empty",
    ],
)
def test_SEC_12_a_token_that_the_issuer_did_not_sign_is_refused(site, hostile, name):
    hostile.mint = minted(name, hostile)
    refused(site, hostile)


def test_SEC_12_unknown_kinds_of_keys_in_the_key_set_are_skipped(real_issuer, fake_issuer):
    weak = {"kty": "RSA", "kid": "weak", "n": b64(secrets.token_bytes(64)), "e": "AQAB"}
    odd = [
        {"kty": "AKP", "alg": "ML-DSA-65", "kid": "new", "pub": "AAAA"},
        {"kty": 7},
        {},
        {**fake_issuer.key.jwk, "kid": "e1", "e": "AQ"},
        weak,
    ]
    fake_issuer.answers["jwks"] = {"keys": odd + [fake_issuer.key.jwk]}
    site = harness.Site({"oidc.fake": fake_issuer.entry()})
    try:
        site.serve()
        assert WebFlow(site, "oidc.fake").run(fake_issuer.login("skipper"))["isNewUser"] is True
    finally:
        site.close()


def test_an_unknown_kid_is_looked_up_once_a_minute(fake_issuer):
    site = harness.Site({"oidc.fake": fake_issuer.entry()})
    try:
        api = site.serve().api()
        assert posted(api, {"providerId": "oidc.fake", "id_token": fake_issuer.id_token("kid")}).status_code == 200
        stray = _foreign("stray")
        tokens = [fake_issuer.id_token("kid", key=stray) for _ in range(100)]
        answers = harness.together(
            25, lambda i: [posted(api, {"providerId": "oidc.fake", "id_token": t}).status_code for t in tokens[i * 4 : i * 4 + 4]]
        )
        assert {status for batch in answers for status in batch} == {400}
        assert fake_issuer.count("/jwks") <= 2
    finally:
        site.close()


def broken_answers():
    yield (
        "error 400",
        lambda r: Response(
            '{"error":"invalid_grant","error_description":"AADSTS70008: for somebody@example.com"}', 400, content_type="application/json"
        ),
    )
    yield "error 401", lambda r: Response('{"error":"invalid_client"}', 401, content_type="application/json")
    yield "error with 200", lambda r: {"error": "invalid_grant"}
    yield "500", lambda r: Response("Internal Server Error", 500)
    yield "503", lambda r: Response("", 503, {"Retry-After": "1"})
    yield "HTML", lambda r: Response("<html>It works!</html>", content_type="text/html")
    yield "empty", lambda r: Response("")
    yield "truncated JSON", lambda r: Response('{"access_token": "at', content_type="application/json")
    yield "a list", lambda r: []
    yield "garbage", lambda r: Response(bytes(range(256)) * 8)
    yield "no tokens", lambda r: {}
    yield "null tokens", lambda r: {"access_token": None, "id_token": None, "token_type": "Bearer"}
    yield "access token without ID token", lambda r: {"access_token": "an-access-token-alone", "token_type": "Bearer"}
    yield "duplicate fields", lambda r: Response('{"id_token":"a","id_token":"b"}', content_type="application/json")
    yield "302", lambda r: Response("", 302, {"Location": "/elsewhere"})
    yield "307", lambda r: Response("", 307, {"Location": "/elsewhere"})
    yield "over 1 MiB", lambda r: Response(b'{"id_token":"' + b"x" * (1 << 20) + b'"}', content_type="application/json")
    yield "deep JSON", lambda r: Response("[" * 10_000, content_type="application/json")


@pytest.mark.parametrize("answer", [pytest.param(answer, id=name) for name, answer in broken_answers()])
def test_a_broken_token_endpoint_is_refused(site, hostile, answer):
    hostile.answers["token"] = answer
    message = refused(site, hostile)
    assert "somebody@example.com" not in message
    assert hostile.count("/elsewhere") == 0, "SEC-13: no redirect is followed"


def test_SEC_13_silence_ends_in_ten_seconds(site, fake_issuer, microsoft):
    """Both at once, to wait only once."""

    def hang(request):
        time.sleep(20)
        return {}

    before = site.counts()
    flows = []
    for provider, issuer in (("oidc.fake", fake_issuer), ("microsoft.com", microsoft)):
        flow = WebFlow(site, provider)
        flows.append((flow, flow.to_app(issuer.login("silence"))))
        issuer.answers["token"] = hang
    began = time.monotonic()
    for response in harness.together(2, lambda i: flows[i][0].redeem(flows[i][1])):
        assert_error(response, "INVALID_IDP_RESPONSE")
    assert 5 < time.monotonic() - began < 14
    assert site.counts() == before


@pytest.mark.parametrize("extra", [{"iss": "https://evil.example"}, {"error": "access_denied"}, {"error": "server_error"}])
def test_a_callback_with_another_iss_or_an_error_beside_the_code_is_refused(site, fake_issuer, extra):
    fake_issuer.callback_extra = extra
    before = site.counts()
    flow = WebFlow(site, "oidc.fake")
    answer = flow.callback(fake_issuer.login("mixed")(flow.authorization_url()))
    if answer.status_code == 303:
        assert "code" not in query_of(answer.headers["location"])
        assert "error" in query_of(answer.headers["location"])
    else:
        assert answer.status_code == 400
    assert fake_issuer.count("/token") == 0, "the code is not used"
    assert site.counts() == before


def test_a_callback_without_iss_is_refused_where_the_issuer_promises_it(fake_issuer):
    fake_issuer.discovery_extra = {"authorization_response_iss_parameter_supported": True}
    site = harness.Site({"oidc.fake": fake_issuer.entry()})
    try:
        site.serve()
        flow = WebFlow(site, "oidc.fake")
        assert flow.callback(fake_issuer.login("promised")(flow.authorization_url())).status_code == 400
        fake_issuer.callback_extra = {"iss": fake_issuer.url}
        assert WebFlow(site, "oidc.fake").run(fake_issuer.login("promised"))["isNewUser"] is True
    finally:
        site.close()


def test_userinfo_of_somebody_else_is_discarded(fake_issuer):
    fake_issuer.discovery_extra = {"userinfo_endpoint": fake_issuer.url + "/userinfo"}
    fake_issuer.answers["userinfo"] = {"sub": "somebody-else", "email": "victim@example.com", "email_verified": True, "nickname": "mallory"}
    fake_issuer.users["quiet"] = {"sub": "quiet"}
    site = harness.Site({"oidc.fake": fake_issuer.entry()})
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


@pytest.mark.parametrize("value", ["TRUE", 1, [], None, "1", "yes", {}])
def test_email_verified_in_another_form_is_false(site, fake_issuer, value):
    user = "verified-" + secrets.token_hex(4)
    fake_issuer.claims = lambda claims: {"email_verified": value}
    assert WebFlow(site, "oidc.fake").run(fake_issuer.login(user))["emailVerified"] is False


def broken_documents():
    def change(**fields):
        return lambda issuer, honest: {name: value for name, value in {**honest, **fields}.items() if value is not None}

    yield "another issuer", change(issuer="https://evil.example")
    yield "issuer with a slash more", lambda issuer, honest: {**honest, "issuer": issuer.url + "/"}
    yield "issuer in other letters", lambda issuer, honest: {**honest, "issuer": issuer.url.replace("http", "HTTP")}
    yield "no issuer", change(issuer=None)
    yield "issuer as list", lambda issuer, honest: {**honest, "issuer": [issuer.url]}
    yield "no token endpoint", change(token_endpoint=None)
    yield "no keys", change(jwks_uri=None)
    yield "endpoint as number", change(authorization_endpoint=7)
    yield "endpoint of another scheme", change(authorization_endpoint="javascript:alert(1)")
    yield "token endpoint in a file", change(token_endpoint="file:///etc/passwd")
    yield "500", lambda issuer, honest: Response("no", 500)
    yield "404", lambda issuer, honest: Response("no", 404)
    yield "302", lambda issuer, honest: Response("", 302, {"Location": "/elsewhere"})
    yield "HTML", lambda issuer, honest: Response("<html>", content_type="text/html")
    yield "garbage", lambda issuer, honest: Response(bytes(range(256)))
    yield "a list", lambda issuer, honest: []
    yield "over 1 MiB", lambda issuer, honest: Response(b'{"issuer":"' + b"x" * (1 << 20) + b'"}')
    yield "a field twice", lambda issuer, honest: Response('{"issuer":"a",' + json.dumps(honest)[1:])


DOCUMENTS = dict(broken_documents())


@pytest.fixture(scope="module")
def documents(fake_issuer_of_session):
    """A provider for each broken document: what is known of a document is kept for an hour."""
    address = fake_issuer_of_session.url + "/.well-known/openid-configuration?n="
    site = harness.Site(
        {f"oidc.d{number}": fake_issuer_of_session.entry(discoveryURL=address + str(number)) for number in range(len(DOCUMENTS))}
    )
    site.serve()
    yield site
    site.close()


@pytest.mark.parametrize("name", DOCUMENTS)
def test_SEC_01_a_broken_discovery_document_signs_nobody_in(documents, fake_issuer, name):
    number = list(DOCUMENTS).index(name)
    fake_issuer.answers["discovery"] = lambda request: (
        DOCUMENTS[name](fake_issuer, fake_issuer.discovery(request)) if request.args.get("n") == str(number) else None
    )
    provider = f"oidc.d{number}"
    response = WebFlow(documents, provider).start()
    if response.status_code == 302:
        flow = WebFlow(documents, provider)
        callback = flow.callback(fake_issuer.login()(flow.authorization_url()))
        if callback.status_code == 303 and "code=" in callback.headers["location"]:
            assert_error(flow.redeem(callback.headers["location"]), "INVALID_IDP_RESPONSE")
    else:
        assert response.status_code == 303 and response.headers["location"].startswith(documents.page)
        assert query_of(response.headers["location"])["error"] in ("server_error", "temporarily_unavailable")
    if name != "no token endpoint":
        assert_error(
            posted(documents.servers[0].api(), {"providerId": provider, "id_token": fake_issuer.id_token()}), "INVALID_IDP_RESPONSE"
        )
    assert fake_issuer.count("/elsewhere") == 0 and fake_issuer.count("/token") == 0


@pytest.mark.parametrize(
    "answer",
    [
        Response("no", 500),
        Response("<html>"),
        {"keys": []},
        {"keys": 7},
        {},
        [],
        Response("", 302, {"Location": "/elsewhere"}),
        Response(b'{"keys":["' + b"x" * (1 << 20) + b'"]}'),
    ],
    ids=["500", "HTML", "no key", "a number", "an object", "a list", "302", "over 1 MiB"],
)
def test_a_broken_key_set_signs_nobody_in(fake_issuer, answer):
    fake_issuer.answers["jwks"] = answer
    site = harness.Site({"oidc.fake": fake_issuer.entry()})
    try:
        api = site.serve().api()
        assert_error(posted(api, {"providerId": "oidc.fake", "id_token": fake_issuer.id_token()}), "INVALID_IDP_RESPONSE")
        assert site.counts() == {"accounts": 0, "identities": 0, "sessions": 0}
        assert fake_issuer.count("/elsewhere") == 0
    finally:
        site.close()


def test_SEC_05_a_code_injected_into_another_persons_flow_is_refused(site, hostile):
    """The attacker's browser brings the victim's code along: PKCE and the nonce bind a code to the flow that asked for it."""
    victim, attacker = WebFlow(site, hostile.provider), WebFlow(site, hostile.provider)
    stolen = query_of(hostile.login("injected-victim")(victim.authorization_url()))["code"]
    answered = hostile.login("injected-attacker")(attacker.authorization_url())
    before = site.counts()
    response = attacker.callback(answered.replace(query_of(answered)["code"], stolen))
    assert_error(attacker.redeem(note(response.headers["location"])), "INVALID_IDP_RESPONSE")
    assert site.counts() == before


def test_SEC_04_a_pending_token_stands_for_its_own_identity_alone(site, api, fake_issuer, microsoft):
    user = posted(api, {"providerId": "oidc.fake", "id_token": fake_issuer.id_token("bound-" + secrets.token_hex(4))}).json()
    victim = microsoft.id_token("alice")
    microsoft_user = posted(api, {"providerId": "microsoft.com", "id_token": victim}).json()
    mixed = api.call(
        "signInWithIdp",
        {
            "requestUri": "http://localhost",
            "pendingToken": user["pendingToken"],
            "postBody": urlencode({"providerId": "microsoft.com", "id_token": victim}),
        },
    )
    assert mixed.status_code == 400 or mixed.json()["localId"] == user["localId"] != microsoft_user["localId"]


LOOPBACKS = [
    "127.0.0.1",
    "localhost",
    "127.0.0.2",
    "[::1]",
    "[::ffff:127.0.0.1]",
    "[::ffff:7f00:1]",
    "127.1",
    "2130706433",
    "0x7f000001",
    "0.0.0.0",
    "[::]",
    "169.254.169.254",
    "[64:ff9b::7f00:1]",
    "[fe80::1]",
    "10.0.0.1",
    "192.168.0.1",
]


@pytest.fixture(scope="module")
def closed(fake_issuer_of_session):
    """A server that may dial none of the addresses here, with an entry for each way to write one. Some are no URLs to the configuration."""
    port = fake_issuer_of_session.url.rpartition(":")[2]
    entries = {
        f"oidc.a{number}": {**fake_issuer_of_session.entry(), "discoveryURL": f"http://{host}:{port}/.well-known/openid-configuration"}
        for number, host in enumerate(LOOPBACKS)
    }
    site = harness.Site(settings={"outbound": {"allow": ["198.51.100.0/24"]}})
    accepted = {}
    for provider, entry in entries.items():
        site.project["providers"] = {provider: entry}
        site.write()
        if site.run("check").returncode == 0:
            accepted[provider] = entry
    site.project["providers"] = accepted
    site.write()
    site.serve()
    yield site
    site.close()


@pytest.mark.parametrize("host", LOOPBACKS)
def test_SEC_13_no_spelling_of_a_private_address_is_dialled(closed, fake_issuer, host):
    provider = f"oidc.a{LOOPBACKS.index(host)}"
    response = WebFlow(closed, provider).start()
    assert response.status_code == 303 and "error" in query_of(response.headers["location"])
    assert fake_issuer.requests == []


def test_SEC_13_a_provider_at_a_private_address_is_not_dialled_unless_allowed(fake_issuer):
    site = harness.Site({"oidc.fake": fake_issuer.entry()}, settings={"outbound": {"allow": ["10.0.0.0/8"]}})
    try:
        site.serve()
        response = WebFlow(site, "oidc.fake").start()
        assert response.status_code in (303, 302) and response.headers["location"].startswith(site.page)
        assert "error" in query_of(response.headers["location"])
        assert fake_issuer.requests == []
    finally:
        site.close()

"""A client that proves itself to an issuer by a key of its own, and not by a secret (RFC 7523)."""

import datetime
import hashlib

import pytest
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec, rsa
from cryptography.x509.oid import NameOID

from support.clients.api import assert_error
from support.clients.flows import WebFlow
from support.clients.provider_tokens import renewed
from support.jwts import b64
from support.leaks import note
from support.servers.site import Site, write_secret

PEM = serialization.Encoding.PEM


def pem(key, *certificates):
    text = key.private_bytes(PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()).decode()
    note("".join(text.splitlines()[1:3]))
    return text + "".join(certificate.public_bytes(PEM).decode() for certificate in certificates)


def certificate_of(key):
    name = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, "gatehouse")])
    now = datetime.datetime.now(datetime.timezone.utc)
    builder = x509.CertificateBuilder().subject_name(name).issuer_name(name).public_key(key.public_key())
    builder = builder.serial_number(x509.random_serial_number()).not_valid_before(now)
    return builder.not_valid_after(now + datetime.timedelta(days=1)).sign(key, hashes.SHA256())


def served(double, key, *certificates, **more):
    """A site whose entry of the stand-in has this key."""
    entry = {name: value for name, value in double.entry().items() if name not in ("clientSecret", "clientAuth")}
    site = Site({double.provider: {**entry, "clientKey": {"file": "../client.pem"}, **more}})
    write_secret(site.folder / "client.pem", pem(key, *certificates))
    site.serve()
    return site


@pytest.mark.parametrize("make", [lambda: rsa.generate_private_key(65537, 2048), lambda: ec.generate_private_key(ec.SECP256R1())])
def test_an_issuer_that_knows_the_clients_key(fake_issuer, make):
    key = make()
    fake_issuer.client_key = key.public_key()
    site = served(fake_issuer, key, clientKeyId="client-key-1")
    try:
        for _ in range(2):
            assert WebFlow(site, fake_issuer.provider).run(fake_issuer.login("ada"))["providerId"] == fake_issuer.provider
        assert len(fake_issuer.assertions) == 2, "each request has a new one"
        fake_issuer.client_key = ec.generate_private_key(ec.SECP256R1()).public_key()
        flow = WebFlow(site, fake_issuer.provider)
        fake_issuer.answers["token"] = fake_issuer.refuse("invalid_client", 401)
        assert_error(flow.redeem(flow.returned(fake_issuer.login("ada")(flow.authorization_url()))), "INVALID_IDP_RESPONSE")
    finally:
        site.close()


def test_Microsoft_knows_the_key_by_its_certificate(microsoft):
    key = rsa.generate_private_key(65537, 2048)
    certificate = certificate_of(key)
    microsoft.client_key = key.public_key()
    thumbprint = b64(hashlib.sha256(certificate.public_bytes(serialization.Encoding.DER)).digest())
    microsoft.assertion_header = {"x5t#S256": thumbprint, "typ": "JWT"}
    try:
        microsoft.gives_refresh_tokens = True
        site = served(microsoft, key, certificate, storeProviderTokens=True)
        try:
            signed_in = WebFlow(site, "microsoft.com").run(microsoft.login("alice"))
            assert signed_in["providerId"] == "microsoft.com"
            assert renewed(site, signed_in) and microsoft.renewals == 1
        finally:
            site.close()
    finally:
        del microsoft.assertion_header


def test_endpoints_in_the_entry_need_no_discovery_document(fake_issuer):
    endpoints = {"authorization": "/authorize", "token": "/token", "jwks": "/jwks"}
    entry = fake_issuer.entry(endpoints={name: fake_issuer.url + path for name, path in endpoints.items()})
    site = Site({"oidc.written": entry})
    try:
        site.serve()
        assert WebFlow(site, "oidc.written").run(fake_issuer.login("written"))["isNewUser"] is True
        assert fake_issuer.count("/.well-known/openid-configuration") == 0
    finally:
        site.close()


def test_an_endpoint_on_another_host_is_not_used(fake_issuer):
    site = Site({"oidc.bounded": fake_issuer.entry(allowedHosts=["login.example.com"])})
    try:
        site.serve()
        assert WebFlow(site, "oidc.bounded").run(fake_issuer.login("bounded"))["isNewUser"] is True
    finally:
        site.close()
    fake_issuer.discovery_extra = {"token_endpoint": fake_issuer.url.replace("127.0.0.1", "localhost") + "/token"}
    site = Site({"oidc.bounded": fake_issuer.entry(allowedHosts=["login.example.com"])})
    try:
        server = site.serve()
        response = WebFlow(site, "oidc.bounded").start()
        assert "error=server_error" in response.headers["location"]
        server.logged("allowedHosts")
    finally:
        site.close()

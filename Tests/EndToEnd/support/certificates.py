"""Certificates for servers of the tests, by an authority of their own."""

import base64
import datetime
import functools
import hashlib
import ipaddress
import pathlib
import ssl
import tempfile

from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import NameOID


class Certificate:
    """An authority of our own and a certificate of it for 127.0.0.1 and localhost, or for these names."""

    def __init__(self, folder, authority="Test authority", names=(), days=1):
        self.authority = folder / "authority.pem"
        self.file = folder / "server.pem"
        now = datetime.datetime.now(datetime.timezone.utc)

        def made(subject, issuer, key, signer, *extensions):
            def name(text):
                return x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, text)])

            builder = x509.CertificateBuilder().subject_name(name(subject)).issuer_name(name(issuer)).public_key(key.public_key())
            builder = builder.serial_number(x509.random_serial_number()).not_valid_before(now - datetime.timedelta(days=1))
            builder = builder.not_valid_after(now + datetime.timedelta(days=days))
            for extension, critical in extensions:
                builder = builder.add_extension(extension, critical)
            return builder.sign(signer, hashes.SHA256())

        root_key, key = ec.generate_private_key(ec.SECP256R1()), ec.generate_private_key(ec.SECP256R1())
        root = made(authority, authority, root_key, root_key, (x509.BasicConstraints(True, None), True))
        here = [x509.DNSName("localhost"), x509.IPAddress(ipaddress.ip_address("127.0.0.1"))]
        subjects = x509.SubjectAlternativeName([x509.DNSName(name) for name in names] or here)
        leaf = made(names[0] if names else "localhost", authority, key, root_key, (subjects, False))
        pem = serialization.Encoding.PEM
        self.authority.write_bytes(root.public_bytes(pem))
        private = key.private_bytes(pem, serialization.PrivateFormat.PKCS8, serialization.NoEncryption())
        self.file.write_bytes(leaf.public_bytes(pem) + private)
        spki = key.public_key().public_bytes(serialization.Encoding.DER, serialization.PublicFormat.SubjectPublicKeyInfo)
        # As browsers name a key.
        self.pin = base64.b64encode(hashlib.sha256(spki).digest()).decode()

    def context(self):
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(self.file)
        return context


@functools.cache
def of_any_name():
    """A certificate for clients that do not check certificates."""
    return Certificate(pathlib.Path(tempfile.mkdtemp(prefix="gatehouse-e2e-tls-")))

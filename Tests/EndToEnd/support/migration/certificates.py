"""Certificates of signing keys, in the form in which Google publishes them beside the key set."""

import datetime
import functools

from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.x509.oid import NameOID


@functools.cache
def certificate_of(key):
    """A certificate that the key has signed itself, as PEM."""
    name = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, "securetoken.system.gserviceaccount.com")])
    now = datetime.datetime.now(datetime.timezone.utc)
    builder = x509.CertificateBuilder().subject_name(name).issuer_name(name).public_key(key.private.public_key())
    builder = builder.serial_number(x509.random_serial_number()).not_valid_before(now - datetime.timedelta(days=1))
    signed = builder.not_valid_after(now + datetime.timedelta(days=16)).sign(key.private, hashes.SHA256())
    return signed.public_bytes(serialization.Encoding.PEM).decode()

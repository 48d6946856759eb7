"""Mail in the end-to-end tests: a real SMTP server, what it received, and letters put straight into the outbox."""

import asyncio
import base64
import contextlib
import datetime
import email
import email.policy
import ipaddress
import json
import secrets
import ssl
import threading
import time

from aiosmtpd.controller import Controller
from aiosmtpd.smtp import AuthResult, LoginPassword
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.ciphers.aead import AESGCM
from cryptography.hazmat.primitives.kdf.hkdf import HKDF
from cryptography.x509.oid import NameOID

from support.common import TIMEOUT, note
from support.harness import free_port, wait_until

USER = "gatehouse"
PASSWORD = "an-smtp-password-" + secrets.token_hex(8)


class Post:
    """An SMTP server on loopback; `replies` answer the next commands of a name instead of the usual reply."""

    def __init__(self, certificate=None, implicit=False, auth=False, port=None):
        note(PASSWORD)
        self.messages = []
        self.replies = {}
        self.commands = []
        self.hold = None
        self.arrived = threading.Event()
        self.port = port or free_port()
        options = {}
        if certificate and not implicit:
            options.update(tls_context=certificate.context(), require_starttls=True)
        if auth:
            options.update(auth_required=True, authenticator=self.authenticate, auth_require_tls=certificate is not None and not implicit)
        if certificate and implicit:
            options.update(ssl_context=certificate.context())
        self.controller = Controller(self, hostname="127.0.0.1", port=self.port, **options)
        # The controller's own first connection does not speak TLS.
        with contextlib.suppress(ssl.SSLError, ConnectionError):
            self.controller.start()

    def authenticate(self, server, session, envelope, mechanism, data):
        return AuthResult(success=isinstance(data, LoginPassword) and data == LoginPassword(USER.encode(), PASSWORD.encode()))

    def reply(self, command, *texts):
        self.replies.setdefault(command, []).extend(texts)

    def answer(self, command):
        self.commands.append(command)
        waiting = self.replies.get(command)
        return waiting.pop(0) if waiting else None

    async def handle_MAIL(self, server, session, envelope, address, options):
        refusal = self.answer("MAIL")
        if not refusal:
            envelope.mail_from = address
        return refusal or "250 OK"

    async def handle_RCPT(self, server, session, envelope, address, options):
        refusal = self.answer("RCPT")
        if not refusal:
            envelope.rcpt_tos.append(address)
        return refusal or "250 OK"

    async def handle_DATA(self, server, session, envelope):
        self.arrived.set()
        if self.hold:
            while not self.hold.is_set():
                await asyncio.sleep(0.02)
            if server.transport is None or server.transport.is_closing():
                return "451 nobody is there any more"
        refusal = self.answer("DATA")
        if not refusal:
            self.messages.append(Received(envelope))
        return refusal or "250 OK"

    def wait_for(self, count=1, timeout=TIMEOUT):
        wait_until(lambda: len(self.messages) >= count, timeout=timeout, what=f"the arrival of {count} mails")
        return self.messages[count - 1]

    def settings(self, **changes):
        """`mail` of a gatehouse.yaml that sends here."""
        return {
            "transport": "smtp",
            "from": "Gatehouse <no-reply@gatehouse.example>",
            "smtp": {"host": "127.0.0.1", "port": self.port, "security": "none", "timeout": "20s", **changes},
        }

    def close(self):
        self.controller.stop()


class Received:
    def __init__(self, envelope):
        self.sender, self.recipients, self.raw = envelope.mail_from, envelope.rcpt_tos, envelope.content
        self.message = email.message_from_bytes(envelope.content, policy=email.policy.default)
        self.at = time.monotonic()

    def __getitem__(self, name):
        return self.message[name]

    @property
    def text(self):
        return self.message.get_body(("plain",)).get_content()

    @property
    def html(self):
        return self.message.get_body(("html",)).get_content()


class Certificate:
    """An authority of our own and a certificate of it for 127.0.0.1 and localhost."""

    def __init__(self, folder, authority="Test authority"):
        self.authority = folder / "authority.pem"
        self.file = folder / "server.pem"
        now = datetime.datetime.now(datetime.timezone.utc)

        def made(subject, issuer, key, signer, *extensions):
            def name(text):
                return x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, text)])

            builder = x509.CertificateBuilder().subject_name(name(subject)).issuer_name(name(issuer)).public_key(key.public_key())
            builder = builder.serial_number(x509.random_serial_number()).not_valid_before(now - datetime.timedelta(days=1))
            builder = builder.not_valid_after(now + datetime.timedelta(days=1))
            for extension, critical in extensions:
                builder = builder.add_extension(extension, critical)
            return builder.sign(signer, hashes.SHA256())

        root_key, key = ec.generate_private_key(ec.SECP256R1()), ec.generate_private_key(ec.SECP256R1())
        root = made(authority, authority, root_key, root_key, (x509.BasicConstraints(True, None), True))
        names = [x509.DNSName("localhost"), x509.IPAddress(ipaddress.ip_address("127.0.0.1"))]
        leaf = made("localhost", authority, key, root_key, (x509.SubjectAlternativeName(names), False))
        pem = serialization.Encoding.PEM
        self.authority.write_bytes(root.public_bytes(pem))
        private = key.private_bytes(pem, serialization.PrivateFormat.PKCS8, serialization.NoEncryption())
        self.file.write_bytes(leaf.public_bytes(pem) + private)

    def context(self):
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(self.file)
        return context


def put(site, to="ada@example.com", kind="resetPassword", language="en", project="demo", due="now()", lifetime="1 hour", **more):
    """Puts a letter into the outbox, as a committed transaction does; gives the link's secret."""
    code = note("code-" + secrets.token_urlsafe(24))
    link = f"https://auth.example.com/__/auth/action?mode={kind}&oobCode={code}&lang={language}"
    letter = json.dumps({"kind": kind, "to": to, "language": language, "link": link, **more}).encode()
    letter += b" " * (1024 - len(letter) % 1024)
    master = base64.b64decode(site.master_key)
    key = HKDF(algorithm=hashes.SHA256(), length=32, salt=None, info=b"gatehouse mail outbox").derive(master)
    mail, nonce = secrets.token_bytes(16), secrets.token_bytes(12)
    sealed = b"\x01" + nonce + AESGCM(key).encrypt(nonce, letter, f"mail {project} {mail.hex()}".encode())
    site.rows(
        "INSERT INTO mail_outbox (project_id, mail_id, payload, due_at, created_at, expires_at) "
        f"VALUES (%s, %s, %s, {due}, now(), now() + %s::interval)",
        project,
        mail,
        sealed,
        lifetime,
    )
    return code


def waiting(site):
    return site.value("SELECT count(*) FROM mail_outbox")


def now(site):
    """Ends the pauses and leases of everything that is to be sent."""
    site.rows("UPDATE mail_outbox SET due_at = now() WHERE due_at < 'infinity'")

"""A real SMTP server, and what it received."""

import asyncio
import contextlib
import email
import email.policy
import secrets
import ssl
import threading
import time

from aiosmtpd.controller import Controller
from aiosmtpd.smtp import AuthResult, LoginPassword

from support.harness import free_port, wait_until
from support.leaks import note
from support.names import TIMEOUT

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
        """A `mail` section of a gatehouse.yaml that sends here."""
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

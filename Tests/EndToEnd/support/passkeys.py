"""An authenticator of the tests, and the calls of passkeys as an app makes them. It is written without the server's code and without a library for WebAuthn."""

import base64
import hashlib
import json
import secrets

import cbor2
from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import ec, ed25519, padding, rsa
from selenium.webdriver.common.virtual_authenticator import VirtualAuthenticatorOptions

RP_ID = "example.com"
ORIGIN = "https://app.example.com"
PASSKEYS = {"rpId": RP_ID}

# That of a browser; its person is always verified.
AUTHENTICATOR = VirtualAuthenticatorOptions(
    protocol=VirtualAuthenticatorOptions.Protocol.CTAP2,
    transport=VirtualAuthenticatorOptions.Transport.INTERNAL,
    has_resident_key=True,
    has_user_verification=True,
    is_user_consenting=True,
    is_user_verified=True,
)


def b64(data):
    return base64.urlsafe_b64encode(data).rstrip(b"=").decode()


def from_b64(text):
    return base64.urlsafe_b64decode(text + "=" * (-len(text) % 4))


class Key:
    """A key pair by the number of its algorithm in COSE."""

    def __init__(self, algorithm=-7):
        self.algorithm = algorithm
        if algorithm == -7:
            self.private = ec.generate_private_key(ec.SECP256R1())
            numbers = self.private.public_key().public_numbers()
            self.cose = {1: 2, 3: -7, -1: 1, -2: numbers.x.to_bytes(32, "big"), -3: numbers.y.to_bytes(32, "big")}
        elif algorithm == -8:
            self.private = ed25519.Ed25519PrivateKey.generate()
            self.cose = {1: 1, 3: -8, -1: 6, -2: self.private.public_key().public_bytes_raw()}
        else:
            self.private = rsa.generate_private_key(65537, 2048)
            numbers = self.private.public_key().public_numbers()
            self.cose = {1: 3, 3: -257, -1: numbers.n.to_bytes(256, "big"), -2: numbers.e.to_bytes(3, "big")}

    def sign(self, data):
        if self.algorithm == -7:
            return self.private.sign(data, ec.ECDSA(hashes.SHA256()))
        if self.algorithm == -8:
            return self.private.sign(data)
        return self.private.sign(data, padding.PKCS1v15(), hashes.SHA256())


class Authenticator:
    """One discoverable credential, whose person is always verified."""

    def __init__(self, algorithm=-7, rp_id=RP_ID, origin=ORIGIN, backed_up=True):
        self.key, self.rp_id, self.origin = Key(algorithm), rp_id, origin
        self.id = secrets.token_bytes(20)
        self.aaguid = bytes(16)
        self.flags = 0x1D if backed_up else 0x05
        self.count = 0
        self.user_handle = None

    def client_data(self, kind, challenge, **more):
        return json.dumps(
            {"type": f"webauthn.{kind}", "challenge": challenge, "origin": self.origin, "crossOrigin": False, **more}
        ).encode()

    def data(self, flags, more=b""):
        return hashlib.sha256(self.rp_id.encode()).digest() + bytes([flags]) + self.count.to_bytes(4, "big") + more

    def create(self, options, packed=False):
        """The RegistrationResponseJSON for these creation options."""
        self.user_handle = from_b64(options["user"]["id"])
        client_data = self.client_data("create", options["challenge"])
        attested = self.aaguid + len(self.id).to_bytes(2, "big") + self.id + cbor2.dumps(self.key.cose)
        data = self.data(self.flags | 0x40, attested)
        statement = {}
        if packed:
            statement = {"alg": self.key.algorithm, "sig": self.key.sign(data + hashlib.sha256(client_data).digest())}
        attestation = cbor2.dumps({"fmt": "packed" if packed else "none", "attStmt": statement, "authData": data})
        return self.response({"clientDataJSON": client_data, "attestationObject": attestation})

    def get(self, options):
        """The AuthenticationResponseJSON for these request options."""
        client_data = self.client_data("get", options["challenge"])
        data = self.data(self.flags)
        signature = self.key.sign(data + hashlib.sha256(client_data).digest())
        members = {"clientDataJSON": client_data, "authenticatorData": data, "signature": signature}
        return self.response({**members, "userHandle": self.user_handle})

    def response(self, members):
        return {
            "id": b64(self.id),
            "rawId": b64(self.id),
            "type": "public-key",
            "clientExtensionResults": {},
            "authenticatorAttachment": "platform",
            "response": {name: b64(value) for name, value in members.items() if value is not None},
        }


class PasskeyAPI:
    """The calls, as an app makes them."""

    def __init__(self, api):
        self.api = api

    def call(self, path, /, **body):
        return self.api.post(f"/v2/accounts/{path}", body)

    def succeed(self, path, /, **body):
        response = self.call(path, **body)
        assert response.status_code == 200, response.text
        return response.json()

    def creation_options(self, token):
        return self.succeed("passkeyEnrollment:start", idToken=token)["credentialCreationOptions"]

    def request_options(self):
        return self.succeed("passkeySignIn:start")["credentialRequestOptions"]

    def enrol(self, token, authenticator=None, **more):
        """Adds a passkey to the caller's account; gives its authenticator and the answer."""
        authenticator = authenticator or Authenticator()
        response = authenticator.create(self.creation_options(token))
        return authenticator, self.succeed("passkeyEnrollment:finalize", idToken=token, authenticatorRegistrationResponse=response, **more)

    def sign_in(self, authenticator):
        """Gives the response."""
        return self.finish(authenticator.get(self.request_options()))

    def finish(self, response):
        return self.call("passkeySignIn:finalize", authenticatorAuthenticationResponse=response)

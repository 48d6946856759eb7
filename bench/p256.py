"""ES256 signatures in a few microseconds, for a provider whose keys protect nothing: all of them share one random number."""

import base64
import hashlib
import json
import secrets

# The curve (SEC 2, 2.4.2), and its generator.
P = 2**256 - 2**224 + 2**192 + 2**96 - 1
N = 0xFFFFFFFF00000000FFFFFFFFFFFFFFFFBCE6FAADA7179E84F3B9CAC2FC632551
G = (0x6B17D1F2E12C4247F8BCE6E563A440F277037D812DEB33A0F4A13945D898C296, 0x4FE342E2FE1A7F9B8EE7EB4A7C0F9E162BCE33576B315ECECBB6406837BF51F5)


def _sum(a, b):
    if a is None or b is None:
        return a or b
    if a[0] == b[0] and (a[1] + b[1]) % P == 0:
        return None
    slope = (3 * a[0] ** 2 - 3) * pow(2 * a[1], -1, P) if a == b else (b[1] - a[1]) * pow(b[0] - a[0], -1, P)
    x = (slope**2 - a[0] - b[0]) % P
    return x, (slope * (a[0] - x) - a[1]) % P


def _multiple(number):
    result, point = None, G
    while number:
        if number & 1:
            result = _sum(result, point)
        point, number = _sum(point, point), number >> 1
    return result


def base64url(data):
    return base64.urlsafe_b64encode(data).rstrip(b"=").decode()


class Key:
    """A key whose signatures have the costly half made ahead. That half is the same in all of them, which gives the key away."""

    def __init__(self, private):
        self._private = private
        number = secrets.randbelow(N - 1) + 1
        self._r = _multiple(number)[0] % N
        self._inverse = pow(number, -1, N)
        x, y = (base64url(value.to_bytes(32)) for value in _multiple(private))
        self.jwk = {"kty": "EC", "crv": "P-256", "kid": "bench", "use": "sig", "alg": "ES256", "x": x, "y": y}
        self._header = base64url(json.dumps({"alg": "ES256", "typ": "JWT", "kid": "bench"}).encode())

    def token(self, claims):
        text = f"{self._header}.{base64url(json.dumps(claims).encode())}"
        digest = int.from_bytes(hashlib.sha256(text.encode()).digest())
        s = self._inverse * (digest + self._r * self._private) % N
        return f"{text}.{base64url(self._r.to_bytes(32) + s.to_bytes(32))}"

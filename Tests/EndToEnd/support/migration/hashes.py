"""Password hashes as a Firebase project makes them."""

import hashlib
import secrets

from cryptography.hazmat.primitives.ciphers import Cipher, algorithms, modes

SIGNER_KEY = secrets.token_bytes(64)


def scrypt_hash(password, salt, signer_key=SIGNER_KEY, separator=b"\x07", rounds=8, memory_cost=14):
    """Firebase's own hash of a password. https://github.com/firebase/scrypt"""
    key = hashlib.scrypt(password.encode(), salt=salt + separator, n=1 << memory_cost, r=rounds, p=1, maxmem=1 << 27, dklen=32)
    encryptor = Cipher(algorithms.AES(key), modes.CTR(bytes(16))).encryptor()
    return encryptor.update(signer_key) + encryptor.finalize()

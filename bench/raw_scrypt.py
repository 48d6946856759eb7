"""Hashes a second that one process makes with scrypt, N = 2^14, r = 8, p = 1, and nothing else: `raw_scrypt.py SECONDS`.

hashlib calls the same function of the same libcrypto as the server does.
"""

import hashlib
import sys
import time

seconds = float(sys.argv[1])
count, begin = 0, time.monotonic()
while time.monotonic() - begin < seconds:
    hashlib.scrypt(b"correct horse battery staple", salt=bytes(16), n=1 << 14, r=8, p=1, maxmem=1 << 26, dklen=32)
    count += 1
print(count / (time.monotonic() - begin))

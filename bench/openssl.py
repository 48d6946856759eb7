"""The signatures per second of OpenSSL, and what they leave room for."""

import re

import processes


def signatures(algorithm, seconds):
    """The signatures per second that all cores make when they do nothing else."""
    out = processes.run(["openssl", "speed", "-seconds", seconds, "-multi", len(processes.CORES), algorithm]).decode()
    # Behind the name stand the seconds for a signature and for a verification, and then the rates.
    return float(re.search(r"(?:rsa\s*2048 bits|256 bits ecdsa \(nistp256\))\s+\S+\s+\S+\s+([\d.]+)", out)[1])


def left_by_rsa(beside, ecdsa, rsa):
    """The rate of calls with an RSA signature, from the rate `beside` of the same calls with the cheaper ECDSA signature: what a call costs
    without its signature, and an RSA signature."""
    return 1 / (1 / beside - 1 / ecdsa + 1 / rsa)

/// The checks that an RSA key must pass before anything is verified with it. They find the known ways in which keys are weak.
enum RSAKeyRules {
    /// A smaller key can be factored; with a larger one, verifying takes so long that it could be used to overload the server.
    static let bits = 2048...8192
    /// OpenSSL's own limit for large moduli, far above the usual 65537.
    private static let exponentBytes = 8

    /// Takes both numbers without leading zeros.
    static func check(modulus: [UInt8], exponent: [UInt8]) throws(CryptoError) {
        guard let top = modulus.first, let bottom = modulus.last, let lastOfExponent = exponent.last else {
            throw .malformedKey("an RSA key has a modulus and an exponent")
        }
        guard bits.contains(modulus.count * 8 - top.leadingZeroBitCount) else { throw .weakKey("an RSA key has \(bits) bits") }
        guard bottom & 1 == 1 else { throw .weakKey("an RSA modulus is odd") }
        guard exponent != [1], lastOfExponent & 1 == 1, exponent.count <= exponentBytes else {
            throw .weakKey("an RSA exponent is odd, above 1 and of at most 64 bits")
        }
        guard !hasROCAFingerprint(modulus) else { throw .weakKey("made by a generator whose keys can be factored (CVE-2017-15361)") }
    }

    /// Keys of the Infineon library are a power of 65537 modulo every small prime. For other keys the chance of that is 2⁻²⁷ or less.
    /// <https://crocs.fi.muni.cz/public/papers/rsa_ccs17>
    private static func hasROCAFingerprint(_ modulus: [UInt8]) -> Bool {
        primes.allSatisfy { prime in
            let remainder = modulus.reduce(0) { ($0 << 8 | Int($1)) % prime }
            var power = 1
            repeat {
                if power == remainder { return true }
                power = power * 65537 % prime
            } while power != 1
            return false
        }
    }

    private static let primes = [
        3, 5, 7, 11, 13, 17, 19, 23, 29, 31, 37, 41, 43, 47, 53, 59, 61, 67, 71, 73, 79, 83, 89, 97, 101, 103, 107, 109, 113, 127, 131,
        137, 139, 149, 151, 157, 163, 167,
    ]
}

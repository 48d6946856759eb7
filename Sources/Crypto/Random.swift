import COpenSSL

/// Random bytes that cannot be guessed, from libcrypto's generator (seeded by the kernel, safe across fork).
package enum Random {
    /// Stops the process when the machine has no randomness, since a token that can be guessed is worse than none.
    package static func bytes(_ count: Int) -> [UInt8] {
        guard count > 0 else { return [] }
        return [UInt8](unsafeUninitializedCapacity: count) { out, initialized in
            must(RAND_bytes(out.baseAddress, Int32(count)) == 1, "RAND_bytes")
            initialized = count
        }
    }

    /// `count` random bytes as base64url without padding: 32 bytes are 43 characters, which are safe in a URL, a cookie and a header.
    package static func token(_ count: Int = 32) -> String { Base64URL.encode(bytes(count)) }
}

/// Compares in a time that depends only on the lengths, so that a secret cannot be guessed byte by byte.
package func constantTimeEqual(_ left: [UInt8], _ right: [UInt8]) -> Bool {
    left.count == right.count && CRYPTO_memcmp(left, right, left.count) == 0
}

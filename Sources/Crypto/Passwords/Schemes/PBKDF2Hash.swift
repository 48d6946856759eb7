import COpenSSL
import Runtime

/// A password hashed by PBKDF2, as `$pbkdf2-sha256$i=27500$salt$hash`. <https://www.rfc-editor.org/rfc/rfc8018#section-5.2>
///
/// As many bytes are derived as the stored hash has: systems differ in that (for SHA-256, Keycloak has stored 32 and 64 bytes).
package struct PBKDF2Hash: PasswordScheme {
    private static let functions: [FastDigest] = [.sha1, .sha256, .sha512]
    package static let identifiers = functions.map(identifier)

    package let function: FastDigest
    package let iterations: Int
    package let salt: [UInt8]
    package let digest: [UInt8]

    /// - Parameter function: the hash in the HMAC; MD5 is not supported.
    package init(_ function: FastDigest, iterations: Int, salt: [UInt8], digest: [UInt8]) throws(PasswordHashFault) {
        guard Self.functions.contains(function) else { throw .unsupported("PBKDF2 with \(function.rawValue) is not supported") }
        try PasswordHashFault.check(salt: salt, digest: digest)
        let blocks = (digest.count + function.algorithm.length - 1) / function.algorithm.length
        try PasswordHashFault.check("the number of iterations of PBKDF2", iterations, in: 1...Self.mostApplications(of: function) / blocks)
        (self.function, self.iterations, self.salt, self.digest) = (function, iterations, salt, digest)
    }

    package init(identifier: String, fields: [Substring]) throws(PasswordHashFault) {
        guard let function = Self.functions.first(where: { Self.identifier($0) == identifier }) else {
            throw .unsupported("hashes of \(identifier) are not supported")
        }
        try PHCFields.count(fields, is: 3)
        try self.init(
            function, iterations: try PHCFields.number(try PHCFields.values(fields[0], named: "i")[0]),
            salt: try PHCFields.bytes(fields[1]), digest: try PHCFields.bytes(fields[2]))
    }

    /// How often one check may apply the HMAC, once for each iteration and each block of the hash. That takes a few seconds; SHA-512 takes about
    /// twice as long as the others.
    private static func mostApplications(of function: FastDigest) -> Int { function == .sha512 ? 3_000_000 : 6_000_000 }

    private static func identifier(_ function: FastDigest) -> String { "pbkdf2-\(function.rawValue)" }

    package var text: String {
        "$\(Self.identifier(function))$i=\(iterations)$\(Base64.encodeUnpadded(salt))$\(Base64.encodeUnpadded(digest))"
    }

    package func matches(_ password: [UInt8], _ keys: ImportedHashKeys) throws(CryptoError) -> Bool {
        constantTimeEqual(digest, try derive(password))
    }

    private func derive(_ password: [UInt8]) throws(CryptoError) -> [UInt8] {
        let length = digest.count
        var status: Int32 = 0
        let derived = [UInt8](unsafeUninitializedCapacity: length) { out, count in
            password.withUnsafeBytes { password in
                status = PKCS5_PBKDF2_HMAC(
                    password.baseAddress?.assumingMemoryBound(to: CChar.self), Int32(password.count), salt, Int32(salt.count),
                    Int32(iterations), function.algorithm.raw, Int32(length), out.baseAddress)
            }
            count = status == 1 ? length : 0
        }
        try check(status, "PKCS5_PBKDF2_HMAC")
        return derived
    }
}
